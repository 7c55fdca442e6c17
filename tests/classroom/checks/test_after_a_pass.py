"""Facts about what a check says after a pass: the next exercise."""

from __future__ import annotations

import json
import sys

import pytest

from classroom.authoring.answers import made, ours
from classroom.checks import check, exercise, exercises, reset

ENGINE, PROGRESS, HINTS, ONWARD = (
    sys.modules[f"classroom.checks.{name}"] for name in ("engine", "progress", "hints", "onward")
)


@pytest.fixture(autouse=True)
def nothing_done(patient):
    PROGRESS._in_memory.clear()


@pytest.fixture
def somebody(monkeypatch, tmp_path):
    """A person sits there; returns what opens a notebook of theirs with some exercises in it."""
    for module in (ENGINE, PROGRESS, HINTS):
        monkeypatch.setattr(module, "interactive", lambda: True)
    monkeypatch.setattr(PROGRESS, "FILE", tmp_path / ".workshop" / "progress.json")
    monkeypatch.setattr(PROGRESS.kept, "root", lambda: tmp_path)

    def opened(name, *ids):
        path = tmp_path / "my-work" / "exercises" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        cells = [{"metadata": {"workshop": {"id": id, "role": "check"}}} for id in ids]
        path.write_text(json.dumps({"cells": [{"metadata": {}}, *cells]}), encoding="utf-8")
        monkeypatch.setenv("JPY_SESSION_NAME", str(path))

    return opened


def passing(id, source=None):
    """The parts of the verdict on our answer, or on another one that is right."""
    verdict = check(id, made(id, exercise(id).name, source or ours(id)))
    assert verdict.passed
    return dict(verdict.parts)


# ── the way on ────────────────────────────────────────────────────────────────────────────────────


def test_a_pass_names_the_next_exercise_of_the_notebook(somebody):
    somebody("03_deterministic_supervisor.ipynb", "03.1", "03.2", "03.3")
    following = exercise("03.2")
    assert passing("03.1")["next"] == f"03.2 {following.title}, further down in this notebook."


def test_what_is_passed_is_not_named_again_and_what_was_left_out_is(somebody):
    somebody("03_deterministic_supervisor.ipynb", "03.1", "03.2", "03.3")
    passing("03.2")
    assert passing("03.1")["next"].startswith("03.3 ")
    reset("03.1")
    words = passing("03.3")["next"]
    assert words.startswith("03.1 ") and words.endswith("further up in this notebook.")


def test_behind_the_last_one_the_next_lesson_is_named_before_its_exercises(somebody):
    somebody("03_deterministic_supervisor.ipynb", "03.4")
    words = passing("03.4")["next"]
    assert words.startswith(f"04.1 {exercise('04.1').title}, in ")
    assert "[the exercises of lesson 04](../exercises/04_fan_out.ipynb)" in words
    assert "[04 Fan out](../notebooks/04_fan_out.ipynb)" in words


def test_a_notebook_with_exercises_of_several_lessons_has_an_order_of_its_own(somebody):
    somebody("the_sitting.ipynb", "01.1", "03.1", "01.2")
    assert passing("01.1")["next"].startswith("03.1 ")
    assert passing("03.1")["next"].startswith("01.2 ")


def test_behind_the_last_one_of_a_sitting_the_lesson_is_named_too_since_nobody_has_seen_it(
    somebody,
):
    somebody("the_sitting.ipynb", "06.2")
    words = passing("06.2")["next"]
    assert words.startswith("06.3 ") and "still open" not in words
    assert "before it comes the lesson, [06 Break it](../notebooks/06_break_it.ipynb)" in words


def test_what_was_passed_in_a_sitting_is_not_named_in_its_lesson_and_the_other_way_round(somebody):
    somebody("the_sitting.ipynb", "01.2", "02.1")
    passing("01.2")
    somebody("01_agent_loop.ipynb", "01.1", "01.2", "01.3")
    assert passing("01.1")["next"].startswith("01.3 ")
    somebody("the_sitting.ipynb", "02.1", "01.1", "03.1")
    assert passing("02.1")["next"].startswith("03.1 ")
    somebody("01_agent_loop-Copy1.ipynb", "01.1", "01.2", "01.3")
    assert passing("01.3")["next"].startswith("01.1 ")


@pytest.mark.parametrize("content", ["", "[]", '{"cells": [{}]}', '{"cells": [{"metadata": 3}]}'])
def test_a_notebook_that_cannot_be_read_has_the_exercises_of_the_lesson(
    somebody, tmp_path, content
):
    somebody("03_deterministic_supervisor.ipynb")
    path = tmp_path / "my-work" / "exercises" / "03_deterministic_supervisor.ipynb"
    path.write_text(content, encoding="utf-8")
    assert passing("03.1")["next"].startswith("03.2 ")


def test_who_has_passed_all_is_told_so(somebody):
    somebody("03_deterministic_supervisor.ipynb", "03.1")
    for one in exercises():
        PROGRESS.change(one.id, passed=True)
    number = len(exercises())
    assert (
        passing("03.1")["next"] == f"That was the last one: you have passed all {number} exercises."
    )


def test_with_nobody_there_no_way_on_is_named():
    assert "next" not in passing("03.1")


def test_the_way_on_is_a_link_on_the_page_and_readable_as_text(somebody):
    somebody("03_deterministic_supervisor.ipynb", "03.4")
    verdict = check("03.4", made("03.4", "reviewed", ours("03.4")))
    assert 'href="../notebooks/04_fan_out.ipynb">04 Fan out</a>' in verdict.html()
    assert "04.1 Fan out with a limit" in verdict.text()
