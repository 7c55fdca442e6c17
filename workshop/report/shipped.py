"""The capstone's checks on a log that is at hand: what it shows beside what is asked for."""

from __future__ import annotations

from collections.abc import Iterable

from classroom.checks.compare import within
from classroom.checks.register import exercises
from kernel import Run, Trace
from workshop.course.capstone import on_log

from .facts import Checked

CAPSTONE = "27"


def checks_on(log: Run | Trace, documents: Iterable[str]) -> list[Checked]:
    """Each property that the capstone is asked for: measured, wanted, and whether it holds.

    documents: the ids of the library. It is for your eyes: `grade` runs the notebook again and
    never takes a log's word.
    """
    seen = on_log(log.events, documents)
    rules: dict[str, str] = {}
    for exercise in exercises(CAPSTONE):
        rules.update(exercise.rules)
    expected = {"how it ended": "ok"}
    for name in seen:
        if name in rules:
            expected[name] = rules[name]
    found = []
    for name, rule in expected.items():
        value = seen[name]
        holds = value == rule or within(value, rule)
        found.append(Checked(name, value, rule, holds))
    return found
