"""A notebook across the lessons: its exercises are theirs, and it is found wherever a lesson's is."""

from __future__ import annotations

import ast
import json
import re
import shutil

import nbformat
import pytest

from classroom.authoring import build, handout, sittings
from classroom.checks import exercises, progress
from classroom.checks.register import lessons as lessons_with_exercises
from classroom.course import Sitting, active
from classroom.grading import options
from classroom.grading.intake import answers, notebook_json
from classroom.grading.intake.notebook_json import book_of
from tests.places import EXERCISES, LESSONS, SOLUTIONS
from workshop.course import COURSE

[SITTING] = COURSE.sittings
NAME = SITTING.name


def cells(path):
    return nbformat.read(path, as_version=4).cells


def test_what_is_stored_is_what_the_lessons_make_and_a_change_there_is_noticed(monkeypatch):
    build._compose(check=True)
    other = SITTING._replace(exercises=SITTING.exercises[:-1])
    monkeypatch.setattr(
        sittings, "generated", lambda: [(SOLUTIONS / f"{NAME}.ipynb", sittings.solutions_of(other))]
    )
    with pytest.raises(ValueError, match="differs from the lessons' exercises"):
        build._compose(check=True)


@pytest.mark.parametrize("lesson", lessons_with_exercises())
def test_a_sitting_can_have_any_exercises(lesson):
    """All of a lesson: what is given to several of them stands once, and no import is left over."""
    ids = tuple(known.id for known in exercises(lesson))
    made = sittings.solutions_of(Sitting("an_evening", "An evening", ids))
    named = [cell.id for cell in made.cells]
    assert len({*named}) == len(named)
    imports, *code = [cell.source for cell in made.cells if cell.cell_type == "code"]
    lines = imports.splitlines()
    assert len({*lines}) == len(lines)
    names = [name for node in ast.parse(imports).body for name in node.names]
    bound = {name.asname or name.name.partition(".")[0] for name in names}
    occurring = set(re.findall(r"\w+", "\n".join(code)))
    assert bound - occurring <= {"hint", "solution"}, "which the learner calls"


def test_two_cells_of_one_id_are_refused():
    one, other = (nbformat.v4.new_code_cell(f"x = {value}", id="shelf") for value in (1, 2))
    assert sittings.once([one, one]) == [one]
    with pytest.raises(ValueError, match="two different cells of the lessons have the id 'shelf'"):
        sittings.once([one, other])


@pytest.mark.parametrize(
    ("source", "code", "found"),
    [
        ("import json\nimport re", "json.dumps(1)", "import json"),
        ("import json, re\nimport re", "re.match", "import re"),
        ("import os.path\nimport os", "os.path.sep", "import os\nimport os.path"),
        ("import json as j\nfrom kernel import Run as R, Tool", "j, R", None),
    ],
)
def test_an_import_is_taken_along_where_its_name_occurs_and_once(source, code, found):
    expected = found or "import json as j\n\nfrom kernel import Run as R"
    assert sittings.merged(source, code) == expected


def test_it_is_among_the_books_and_its_name_is_what_a_command_asks_for():
    assert [path.stem for path in COURSE.books(LESSONS)][-1] == NAME
    assert (
        COURSE.lesson_of(NAME) == NAME and COURSE.lesson_of("03_deterministic_supervisor") == "03"
    )
    assert options.lessons()[-1] == answers.names()[-1] == NAME
    needed = {path.relative_to(COURSE.root).as_posix() for path in handout.files()}
    assert {f"notebooks/{NAME}.ipynb", f"exercises/{NAME}.ipynb"} <= needed
    assert f"solutions/{NAME}.ipynb" not in needed


def test_its_exercises_and_its_progress_are_asked_for_by_its_name():
    assert [known.id for known in exercises(NAME)] == [*SITTING.exercises]
    assert [row[0] for row in progress(NAME).rows()] == [*SITTING.exercises]
    assert len({known.id for known in exercises()}) == len(exercises()), (
        "no exercise is there twice"
    )


@pytest.mark.parametrize(
    ("ids", "named", "book"),
    [
        (SITTING.exercises, "", NAME),
        (("01.1", "01.2", "01.3"), NAME, "01"),
        (("01.1",), "", "01"),
        (("01.1",), NAME, NAME),
        (("01.1", "01.2", "02.1"), "", "01"),
        ((), NAME, ""),
    ],
)
def test_a_submission_is_of_the_book_that_most_of_its_cells_are_of(ids, named, book):
    assert book_of([*ids], named) == book


def test_a_submission_without_ids_goes_by_its_name():
    assert notebook_json.lesson({"cells": []}, f"ada_{NAME}.ipynb") == NAME
    whole = json.loads((EXERCISES / f"{NAME}.ipynb").read_text(encoding="utf-8"))
    assert notebook_json.lesson(whole, "homework.ipynb") == NAME


def test_a_course_without_sittings_has_none(tmp_path):
    shutil.copy(LESSONS / "03_deterministic_supervisor.ipynb", tmp_path)
    assert [path.name[:2] for path in COURSE.books(tmp_path)] == ["03"]
    assert active().sitting("03") is None and active().sitting(None) is None
