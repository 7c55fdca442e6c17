"""The exercises are what the solutions make them, and a stub passes under no honest run."""

from __future__ import annotations

import re
from collections import Counter

import nbformat
import pytest

from classroom.authoring.stubs import generated, left_over, with_stub
from classroom.checks import exercises
from tests.places import EXERCISES, SOLUTIONS
from workshop.course import COURSE

from .test_stored_outputs import nbval

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
        for cell in nbformat.read(path, as_version=4).cells
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
    for cell in nbformat.read(path, as_version=4).cells:
        if re.match(r"## \d\d\.\d ", cell.source):
            begins = [part.split(maxsplit=1)[0] for part in cell.source.split("\n\n")]
            assert begins.count("Difficulty") == begins.count("*Why:*") == 1


@pytest.mark.parametrize("path", STUBS, ids=lambda path: path.name)
def test_no_solution_and_no_verdict_is_left_in_an_exercise(path):
    for cell in nbformat.read(path, as_version=4).cells:
        assert "# solution" not in cell.source and "stub" not in cell.metadata.get("workshop", {})
        if cell.metadata.get("workshop", {}).get("role") in ("answer", "check"):
            assert not cell.outputs


def test_plain_nbval_fails_every_check_of_a_stub_with_its_message(exhaustive):
    """Of a lesson of the foundations and of one on a crash; of every lesson with `--all`."""
    stubs = [path for path in STUBS if exhaustive or path.name[:2] in SOME]
    tried = [exercise for path in stubs for exercise in exercises(path.name[:2])]
    done = nbval(*stubs, how="--nbval-lax")
    output = re.sub(r"\x1b\[[\d;]*m", "", done.stdout)
    failed = Counter(re.findall(r"^FAILED exercises/(\d\d)_", output, re.MULTILINE))
    assert done.returncode == 1 and failed == Counter(exercise.lesson for exercise in tried), (
        output[-4000:]
    )
    for exercise in tried:
        assert f"CheckFailed: {exercise.id} {exercise.title}: not attempted" in output


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
