"""Needs of cells that are not met everywhere, by tags: the sentences in a lesson's first cell, and
the table of `docs/editions.md`.

The tag `needs-NAME` stands on a cell that cannot do without. NAME is a feature that a browser's tab
lacks (`process`, `threads`, `socket`), a package of requirements.txt that a tab lacks, or an extra
of pyproject.toml (`classroom.authoring.extras`).
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from classroom.course import active
from classroom.notebook import tab
from classroom.notebook.names import made_by

TAG = "needs-"
PAGE = "docs/editions.md"
TABLE = "| | lesson | runs in a tab | the others need | with an extra |"
"""The head of the table on that page."""


def names(cell: Any) -> list[str]:
    """The names of what a cell needs, by its tags."""
    tags = cell.metadata.get("tags", [])
    return [tag.removeprefix(TAG) for tag in tags if tag.startswith(TAG)]


def lacked(name: str) -> str:
    """The words for a tag's name that a tab lacks; "" for another name, such as an extra's."""
    if name in tab.FEATURES:
        return tab.FEATURES[name]
    return f"the package {name}" if name in _required() else ""


def _required() -> set[str]:
    """The packages that an installed course has."""
    path = active().root / "requirements.txt"
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    return set(re.findall(r"^[\w.-]+", text, re.MULTILINE))


def stored(cells: Iterable[Any]) -> dict[str, str]:
    """The cells that do not run in a tab, by id, with what they need; "" for a cell that only
    builds on one of them.
    """
    found: dict[str, str] = {}
    missing: set[str] = set()
    for cell in cells:
        if cell.cell_type != "code":
            continue
        needed = ", ".join(words for name in names(cell) if (words := lacked(name)))
        made = made_by(cell.source)
        if needed or missing & used_by(cell.source):
            found[cell.id] = needed
            missing |= made
        else:
            missing -= made
    return found


def used_by(source: str) -> set[str]:
    """The names that a cell uses and does not make itself; none for code that cannot be read. A
    cell that does both, as in `a += 1`, has a tag of its own where it cannot run.
    """
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except SyntaxError:
        return set()
    names = [node for node in nodes if isinstance(node, ast.Name)]
    made = {name.id for name in names if not isinstance(name.ctx, ast.Load)}
    given = {node.arg for node in nodes if isinstance(node, ast.arg)}
    return {name.id for name in names} - made - given - made_by(source)


def in_words(needed: str) -> str:
    """The sentence on a cell that does not run in a tab; `needed` as `stored` returns it."""
    why = f"it needs {needed}" if needed else "it builds on one above"
    return f"Only the installed edition runs this cell: {why}."


def _others(found: dict[str, str]) -> str:
    """The features that the cells need which do not run, each once."""
    return ", ".join(dict.fromkeys(words for words in found.values() if words))


def _extras(cells: Iterable[Any]) -> Counter[str]:
    """The number of cells that use each extra."""
    return Counter(name for cell in cells for name in names(cell) if not lacked(name))


def _code(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def sentences(notebook: Any) -> list[str]:
    """The lines on this in the first cell of a lesson; none where every cell runs everywhere."""
    cells = _code(notebook)
    found = stored(cells)
    lines = []
    if found:
        one = len(found) == 1
        others = "the other one needs" if one else "the others need"
        lines.append(
            f"In a browser's tab **{len(cells) - len(found)} of {len(cells)} cells** run; {others} "
            f"{_others(found)}, and {'shows its' if one else 'show their'} stored output there."
        )
    for name, count in _extras(cells).items():
        uses, say = ("cell uses", "it says") if count == 1 else ("cells use", "they say")
        lines.append(
            f'**{count} {uses}** the extra `{name}` (`pip install -e ".[{name}]"`); without it, '
            f"{say} so, and the lesson runs on."
        )
    return lines


def row(number: str, title: str, notebook: Any) -> str:
    """A lesson's row in the table."""
    cells = _code(notebook)
    found = stored(cells)
    count = len(cells)
    ran = f"{count - len(found)} of {count} cells" if found else f"all {count} cells"
    extras = ", ".join(f"{name}: {number}" for name, number in _extras(cells).items())
    return f"| {number} | {title} | {ran} | {_others(found)} | {extras} |"
