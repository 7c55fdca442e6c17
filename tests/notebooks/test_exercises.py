"""The exercises are what the solutions make them, and a stub passes under no honest run."""

from __future__ import annotations

import re

import pytest

from classroom.authoring.stubs import generated, left_over, with_stub
from classroom.checks import exercises
from tests.places import EXERCISES, SOLUTIONS
from workshop.course import COURSE

from . import books, strict

STUBS = sorted(EXERCISES.glob("*.ipynb"))
SOME = ("03", "16")


def test_every_exercise_notebook_equals_what_is_generated():
    assert {path: text for path, text in generated()} == {
        path: path.read_text(encoding="utf-8") for path in STUBS
    }
    assert not left_over() and [path.name for path in STUBS] == [
        path.name for path in sorted(SOLUTIONS.glob("*.ipynb"))
    ]


def test_every_exercise_of_the_register_has_its_text_answer_and_check():
    numbered = [path for path in STUBS if not COURSE.sitting(path.stem)]
    found = [
        (facts["id"], facts["role"])
        for path in numbered
        for cell in books.read(path).cells
        if (facts := cell.metadata.get("workshop", {})).get("id")
    ]
    for exercise in exercises():
        assert [role for id, role in found if id == exercise.id] == [
            "text",
            "answer",
            "check",
            "help",
        ]
    assert {id for id, _ in found} == {exercise.id for exercise in exercises()}


@pytest.mark.parametrize("path", STUBS, ids=lambda path: path.name)
def test_the_header_of_an_exercise_stands_once(path):
    for cell in books.read(path).cells:
        if re.match(r"## \d\d\.\d ", cell.source):
            begins = [part.split(maxsplit=1)[0] for part in cell.source.split("\n\n")]
            assert begins.count("##") == begins.count("Difficulty") == begins.count("*Why:*") == 1


@pytest.mark.parametrize("path", STUBS, ids=lambda path: path.name)
def test_an_exercise_notebook_ends_with_one_line_of_links(path):
    last = books.read(path).cells[-1].source
    assert "[map](" in last and "\n" not in last


@pytest.mark.parametrize("path", STUBS, ids=lambda path: path.name)
def test_no_solution_and_no_verdict_is_left_in_an_exercise(path):
    for cell in books.read(path).cells:
        assert "# solution" not in cell.source and "stub" not in cell.metadata.get("workshop", {})
        if cell.metadata.get("workshop", {}).get("role") in ("answer", "check"):
            assert not cell.outputs


def works_with_an_answer(path):
    """Whether a code cell beside the answers and the checks names what a learner has to write."""
    names = {exercise.name for exercise in exercises(COURSE.lesson_of(path.stem))}
    return any(
        cell.cell_type == "code"
        and cell.metadata.get("workshop", {}).get("role") not in ("answer", "check")
        and names & {*re.findall(r"\w+", cell.source)}
        for cell in books.read(path).cells
    )


def test_a_cell_that_works_with_an_answer_is_found():
    found = {path.name[:2] for path in STUBS if works_with_an_answer(path)}
    assert {"05", "09", "27"} <= found < {path.name[:2] for path in STUBS}


OF_SOME = [path for path in STUBS if path.name[:2] in SOME or works_with_an_answer(path)]


@pytest.mark.parametrize(
    "path",
    [
        *OF_SOME,
        *(
            pytest.param(path, marks=pytest.mark.exhaustive)
            for path in STUBS
            if path not in OF_SOME
        ),
    ],
    ids=lambda path: path.name,
)
def test_every_check_of_a_stub_fails_with_its_message_and_nothing_else(request, path):
    """In the quick form: of a lesson of the foundations, of one on a crash, and where a cell works with an answer that is
    still to be written.
    """
    failed = strict.failures(request, path, compared=False)
    tried = exercises(COURSE.lesson_of(path.stem))
    assert len(failed) == len(tried), "\n".join(failed)[-4000:]
    for exercise, message in zip(tried, failed, strict=True):
        assert f"CheckFailed: {exercise.id} {exercise.title}: not attempted" in message


@pytest.mark.parametrize(
    "source",
    ["def f():\n    ...", "# solution\n# solution\n# end solution", "# end solution\n# solution"],
)
def test_an_answer_without_one_region_is_refused(source):
    with pytest.raises(ValueError, match="an answer needs one region"):
        with_stub(source, ["..."])


def test_the_stub_stands_where_the_solution_stood():
    assert with_stub(
        "def f():\n    # solution\n    return 1\n    # end solution\nx = f()", ["y = 2", "..."]
    ) == ("def f():\n    y = 2\n    ...\nx = f()")
