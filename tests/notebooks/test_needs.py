"""Facts about the tags `needs-…`: the first cell of a lesson and the page on editions say what they mark."""

from __future__ import annotations

import nbformat
import pytest

from classroom.authoring import extras, needs
from classroom.notebook import tab

from ..places import ROOT

CELLS = {
    "imports": ("import subprocess", []),
    "start": ("child = subprocess.run(['true'])", ["needs-process"]),
    "look": ("print(child.returncode)", []),
    "free": ("free = 1", []),
    "anew": ("child = free", []),
    "after": ("print(child)", []),
}


def notebook(cells):
    """A notebook of code cells: id → source and tags."""
    return nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_code_cell(source, id=id, metadata={"tags": tags})
            for id, (source, tags) in cells.items()
        ]
    )


def test_a_tagged_cell_and_those_that_build_on_it_do_not_run_in_a_tab():
    cells = notebook(CELLS).cells
    assert needs.stored(cells) == {"start": "another process", "look": ""}


@pytest.mark.parametrize(
    ("source", "used"),
    [
        ("a = b", {"b"}),
        ("a = 1\nprint(a)", {"print"}),
        ("for i in rows:\n    total = i\n    total", {"rows"}),
        ("[i for i in rows if i in keep]", {"rows", "keep"}),
        ("def f(a, *rest, b=c, **more):\n    d = a\n    return d, rest, b, more, e", {"c", "e"}),
        ("class A(B):\n    name = x", {"B", "x"}),
        ("import a.b, c as d\na, d, c", {"c"}),
        ("lambda a: a + b", {"b"}),
        ("not python at all", set()),
    ],
)
def test_the_names_that_a_cell_uses_and_does_not_make(source, used):
    assert needs.used_by(source) == used


def test_the_first_cell_says_how_many_cells_run_in_a_tab_and_what_the_others_need():
    [sentence] = needs.sentences(notebook(CELLS))
    assert sentence == (
        "In a browser's tab **4 of 6 cells** run; the others need another process, "
        "and show their stored output there."
    )
    assert needs.row("98", "Some", notebook(CELLS)) == (
        "| 98 | Some | 4 of 6 cells | another process |  |"
    )


def test_an_extra_is_named_with_its_installation_and_runs_in_a_tab():
    marked = notebook({"one": ("print(1)", ["needs-telemetry"]), "two": ("print(2)", [])})
    [sentence] = needs.sentences(marked)
    assert sentence == (
        '**1 cell uses** the extra `telemetry` (`pip install -e ".[telemetry]"`); without it, it says '
        "so, and the lesson runs on."
    )
    assert needs.row("98", "Some", marked) == "| 98 | Some | all 2 cells |  | telemetry: 1 |"


def test_a_lesson_that_needs_nothing_says_nothing():
    plain = notebook({"one": ("print(1)", [])})
    assert needs.sentences(plain) == []
    assert needs.row("98", "Some", plain) == "| 98 | Some | all 1 cells |  |  |"


@pytest.mark.parametrize("name", [*tab.FEATURES, "matplotlib"])
def test_what_a_tab_lacks_is_no_extra(name):
    assert needs.lacked(name)
    assert extras.needed(notebook({"one": ("1", [f"needs-{name}"])}).cells[0]) == []


def test_a_tag_that_names_nothing_is_refused_with_what_there_is():
    marked = notebook({"one": ("1", ["needs-sockets"])})
    with pytest.raises(
        ValueError, match=r"no extra 'sockets'.*telemetry.*process, threads, socket"
    ):
        extras.not_compared(marked)


def test_build_writes_what_the_tags_of_a_lesson_mark_into_its_first_cell():
    [path] = (ROOT / "notebooks").glob("16_*.ipynb")
    notebook = nbformat.read(path, as_version=4)
    [sentence] = needs.sentences(notebook)
    assert sentence.startswith("In a browser's tab") and sentence in notebook.cells[0].source
