"""A plugin of pytest beside nbval: behind the last cell of a lesson, its held facts run as one cell more. The output of a
cell whose extra is not installed is not compared; the cell runs, as a learner's does.
"""

from __future__ import annotations

import nbformat
import pytest

import workshop  # noqa: F401 (which says what course this is)
from classroom.authoring import extras

from . import held


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    cells = [item for item in items if type(item).__name__ == "IPyNbCell"]
    for item in cells:
        if extras.lacking(item.cell):
            item.options["check"] = False
    last = {item.parent: item for item in cells if item.parent.path.parent.name == "notebooks"}
    for file, item in last.items():
        lesson = file.path.name[:2]
        if not held.facts(lesson):
            continue
        cell = nbformat.v4.new_code_cell(held.cell(lesson))
        more = type(item).from_parent(
            file,
            name="Held facts",
            cell_num=item.cell_num + 1,
            cell=cell,
            options={**item.options, "check": False, "skip": False},
        )
        items.insert(items.index(item) + 1, more)
