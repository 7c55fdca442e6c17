"""Notebooks as they lie there, for tests that only look: read once a process, without the check of nbformat's schema."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import nbformat

from tests.places import ROOT

STORED = [
    path
    for folder in ("notebooks", "solutions")
    for path in sorted((ROOT / folder).glob("*.ipynb"))
]
"""Lessons and sittings, and their solutions; an exercise notebook is made of its solution."""


def named(path: Path) -> str:
    """The name of a notebook in messages."""
    return path.relative_to(ROOT).as_posix()


@cache
def read(path: Path) -> nbformat.NotebookNode:
    """A notebook that nobody changes."""
    return nbformat.v4.reads(path.read_text(encoding="utf-8"))


def cells(path: Path, kind: str) -> list[nbformat.NotebookNode]:
    """The cells of a kind: `code`, `markdown`."""
    return [cell for cell in read(path).cells if cell.cell_type == kind]


def sources(path: Path, kind: str) -> dict[str, str]:
    """What stands in the cells of a kind, by their ids."""
    return {cell.id: cell.source for cell in cells(path, kind)}
