"""Optional extras of a course: which cells need one, and whether it is installed.

A cell that prints something else without an extra carries the tag `needs-NAME`, with the name that
`[project.optional-dependencies]` of pyproject.toml gives it. Its stored output is the one with it.
"""

from __future__ import annotations

import os
import tomllib
from collections import Counter
from importlib.metadata import PackageNotFoundError, distribution

from nbformat import NotebookNode
from packaging.requirements import Requirement

from classroom.authoring import needs
from classroom.course import active
from classroom.notebook import tab

WITHOUT = "CLASSROOM_WITHOUT"
"""Extras, with spaces between, that count as missing: so a test sees what a learner without them
sees.
"""


def packages() -> dict[str, list[str]]:
    """The packages of each extra, as pyproject.toml lists them; none without such a file."""
    path = active().root / "pyproject.toml"
    if not path.is_file():
        return {}
    project = tomllib.loads(path.read_text(encoding="utf-8")).get("project", {})
    extras: dict[str, list[str]] = project.get("optional-dependencies", {})
    return extras


def missing(extra: str) -> bool:
    """True if a package of an extra is not installed. Raises ValueError for an unknown extra."""
    known = packages()
    if extra not in known:
        raise ValueError(
            f"pyproject.toml has no extra {extra!r}; it has {', '.join(sorted(known)) or 'none'}."
            " Name one of them, or add it to [project.optional-dependencies]; what a tab lacks is"
            f" {', '.join(tab.FEATURES)}, or a package of requirements.txt"
        )
    if extra in os.environ.get(WITHOUT, "").split():
        return True
    return not all(_installed(Requirement(line).name) for line in known[extra])


def _installed(package: str) -> bool:
    try:
        distribution(package)
    except PackageNotFoundError:
        return False
    return True


def needed(cell: NotebookNode) -> list[str]:
    """The extras that a cell needs, by its tags."""
    return [name for name in needs.names(cell) if not needs.lacked(name)]


def lacking(cell: NotebookNode) -> list[str]:
    """Returns the extras of a cell that are not installed. Raises ValueError for an unknown
    extra.
    """
    return [extra for extra in needed(cell) if missing(extra)]


def not_compared(notebook: NotebookNode) -> Counter[str]:
    """Counts the cells of a notebook that cannot be compared here, by the extra that is missing."""
    return Counter(extra for cell in notebook.cells for extra in lacking(cell)[:1])


def in_words(left_out: Counter[str]) -> list[str]:
    """For each missing extra, how many cells were not compared: `2 cells not compared (…)`."""
    return [
        f"{count} {'cell' if count == 1 else 'cells'} not compared (without the extra {extra})"
        for extra, count in sorted(left_out.items())
    ]


def install(extras: Counter[str] | list[str]) -> str:
    """The line that installs them, for the course's folder."""
    return f'pip install -e ".[{",".join(sorted(extras))}]"'
