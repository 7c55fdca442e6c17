"""An answer that changes what it was given: it is told so, and no other answer meets what it did."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import pytest

from classroom.authoring import answers
from classroom.checks import exercise, exercises
from classroom.checks.engine import judge

pytestmark = pytest.mark.usefixtures("patient")

ALL = exercises()
PACKAGES = ("kernel", "workshop.course", "classroom.observing", "types")
"""Whose objects a vandal looks into."""


def spoil(value: Any, seen: set[int], depth: int = 0) -> None:
    """Empties each list, dict and set in a value, down to the last, also inside objects."""
    if id(value) in seen or depth > 12 or isinstance(value, type):
        return
    seen.add(id(value))
    if isinstance(value, dict):
        parts = [*value.values()]
    elif isinstance(value, list | tuple | set | frozenset):
        parts = [*value]
    elif type(value).__module__.startswith(PACKAGES):
        parts = [*getattr(value, "__dict__", {}).values()]
    else:
        return
    for part in parts:
        spoil(part, seen, depth + 1)
    if type(value) in (list, dict, set):
        value.clear()


def vandal(answer: Any, *, first: bool) -> Any:
    """An answer that spoils all it was given: before our solution works, or after."""

    def work(*given: Any) -> Any:
        if first:
            spoil(given, set())
        try:
            return answer(*given)
        finally:
            if not first:
                spoil(given, set())

    @functools.wraps(answer)
    async def work_async(*given: Any) -> Any:
        if first:
            spoil(given, set())
        try:
            return await answer(*given)
        finally:
            if not first:
                spoil(given, set())

    if inspect.iscoroutinefunction(answer):
        return work_async
    return functools.wraps(answer)(work)


@pytest.mark.parametrize("exercise", ALL, ids=lambda exercise: exercise.id)
def test_what_an_answer_does_to_what_it_was_given_meets_no_other(exercise, exhaustive):
    def ours() -> Any:
        """Our solution, in a notebook of its own."""
        return answers.made(exercise.id, exercise.name, answers.ours(exercise.id))

    for first in (False, True):
        for _ in range(2 if exhaustive else 1):
            judge(exercise, vandal(ours(), first=first), seed=1)
    verdict = judge(exercise, ours(), seed=1)
    assert verdict.passed, verdict
    assert "note" not in dict(verdict.parts), verdict


DELETES = """
def batches(needs):
    done, out = set(), []
    while needs:
        ready = [id for id in needs if set(needs[id]) <= done]
        if not ready:
            raise ValueError("cycle")
        out.append(ready)
        done |= set(ready)
        for id in ready:
            del needs[id]
    return out
"""
PADS = """
def batches(needs):
    needs["one more"] = []
    return [[*needs]]
"""


POPS = """
def what_changed(first, second):
    return [name for name in [*first] if first.pop(name) != second[name]]
"""


@pytest.mark.parametrize(
    ("id", "source", "names"),
    [
        ("00.2", POPS, ["first"]),
        ("09.2", DELETES, ["needs"]),
    ],
)
def test_a_right_answer_that_changes_what_it_was_given_passes_each_time_and_is_told(
    id, source, names
):
    known = exercise(id)
    for _ in range(3):
        verdict = judge(known, answers.made(id, known.name, source), seed=1)
        assert verdict.passed, verdict
        assert all(f"`{name}`" in dict(verdict.parts)["note"] for name in names), verdict


def test_a_wrong_answer_is_told_beside_its_cause():
    verdict = judge(exercise("09.2"), answers.made("09.2", "batches", PADS), seed=1)
    assert verdict.outcome == "wrong" and "`needs`" in dict(verdict.parts)["note"]
