"""The author's answers to an exercise: ours, the stub, right ones in other words, and the known
slips.
"""

from __future__ import annotations

import linecache
import tomllib
from collections.abc import Iterable
from functools import cache
from typing import Any

import nbformat

from classroom.checks.register import Change, exercise
from classroom.course import active

from . import your_turn
from .stubs import exercises_of, with_stub

BEGIN, END = "    # solution\n", "    # end solution"


@cache
def master(lesson: str) -> nbformat.NotebookNode:
    """The notebook with our solutions. Raises LookupError when there is none, or more than one."""
    paths = sorted(active().solutions.glob(f"{lesson}_*.ipynb"))
    if len(paths) != 1:
        names = ", ".join(path.name for path in paths) or "none"
        raise LookupError(
            f"lesson {lesson} has exercises; expected one notebook solutions/{lesson}_NAME.ipynb, "
            f"found {names}"
        )
    return nbformat.read(paths[0], as_version=4)


@cache
def lesson_book(lesson: str) -> nbformat.NotebookNode:
    """The notebook of a lesson, which holds our way of each of its turns."""
    return your_turn.notebook_of(lesson)


def ours(id: str) -> str:
    """Our solution, with its marks."""
    if exercise(id).is_turn:
        return _way(id)
    return _answer_cell(master(id[:2]), id)


def stub(id: str) -> str:
    """The cell with which a learner begins."""
    if exercise(id).is_turn:
        return with_stub(_way(id), ["..."])
    return _answer_cell(exercises_of(master(id[:2])), id)


def right(id: str) -> list[str]:
    """Right answers in other words; the first is shown beside ours by `solution`."""
    folder = active().folder_of(id[:2]) / "right"
    paths = sorted([*folder.glob(f"{id}.py"), *folder.glob(f"{id}_*.py")])
    return [path.read_text(encoding="utf-8") for path in paths]


def slip(id: str, name: str) -> str:
    """A known wrong answer."""
    return changed(id, exercise(id).changes[name])


def others(lesson: str) -> list[tuple[str, Change]]:
    """Further wrong answers of a lesson, by exercise: a check has no words for them."""
    path = active().folder_of(lesson) / "others.toml"
    if not path.exists():
        return []
    records = tomllib.loads(path.read_text(encoding="utf-8"))["other"]
    return [(record["id"], record["change"]) for record in records]


def changed(id: str, changes: Iterable[tuple[str, str]]) -> str:
    """Our solution with some text replaced; where the old text is empty, the new one is the body.

    Raises LookupError when the text to be replaced is not in our solution any more.
    """
    source = ours(id)
    for old, new in changes:
        if not old:
            source = source[: source.index(BEGIN)] + new
        elif old in source:
            source = source.replace(old, new)
        else:
            raise LookupError(
                f"our solution of {id} has no {old!r} any more; change the slip in words.toml"
            )
    return source.replace(BEGIN, "").replace("\n" + END, "")


def made(id: str, name: str, source: str) -> Any:
    """Returns the object that an answer's source defines under `name`, among the notebook's
    names.
    """
    names: dict[str, Any] = {}
    for given in _given(id):
        _run(given, f"<given {id}>", names)
    _run(source, f"<answer {id} {abs(hash(source))}>", names)
    return names[name]


def _given(id: str) -> list[str]:
    """The source that stands before an answer in its notebook, and that it may use."""
    if exercise(id).is_turn:
        return [*your_turn.given(lesson_book(id[:2]), id)]
    return [
        cell.source
        for cell in master(id[:2]).cells
        if cell.cell_type == "code" and cell.metadata.get(active().key, {}).get("role") == "given"
    ]


def _way(id: str) -> str:
    """Our way of a turn. Raises LookupError unless its lesson has one."""
    ways = [cell.source for cell in lesson_book(id[:2]).cells if your_turn.of_cell(cell) == id]
    if len(ways) != 1:
        raise LookupError(
            f'turn {id} has {len(ways)} cells that begin with `if not passed("{id}"):` in the '
            "notebook of its lesson; expected one"
        )
    return your_turn.answer(ways[0])


def _answer_cell(notebook: nbformat.NotebookNode, id: str) -> str:
    metadata = {"id": id, "role": "answer"}.items()
    found = [
        cell for cell in notebook.cells if metadata <= cell.metadata.get(active().key, {}).items()
    ]
    if len(found) != 1:
        raise LookupError(
            f"exercise {id} has {len(found)} answer cells in solutions/; expected one"
        )
    return found[0].source


def _run(source: str, filename: str, names: dict[str, Any]) -> None:
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    exec(compile(source, filename, "exec", dont_inherit=True), names)
