"""Tells a lesson's own notebook from its exercises: both have the same name, and only one of them
is graded.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from classroom.course import active

SHARE = 0.5
"""Of a notebook's cells, how many must be the lesson's."""


def is_lesson(notebook: dict[str, Any], name: str) -> bool:
    """True if most of a notebook's cells are those of the lesson `name`, by their ids."""
    cells = [cell for cell in notebook["cells"] if isinstance(cell, dict)]
    ids = [cell["id"] for cell in cells if isinstance(cell.get("id"), str)]
    known = _ids(name)
    found = sum(one_id in known for one_id in ids)
    return bool(ids) and found > SHARE * len(cells)


@cache
def _ids(name: str) -> frozenset[str]:
    """The ids of a lesson's cells that its exercises do not have."""
    course = active()
    own = _ids_in(course.notebooks / f"{name}.ipynb")
    return own - _ids_in(course.stubs / f"{name}.ipynb")


def _ids_in(file: Path) -> frozenset[str]:
    if not file.exists():
        return frozenset()
    notebook = json.loads(file.read_text(encoding="utf-8"))
    cells = notebook["cells"]
    return frozenset(cell["id"] for cell in cells if "id" in cell)
