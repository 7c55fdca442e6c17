"""Marks that differ from the last gradebook in DIR, and the reasons. That gradebook is read with
suspicion: somebody may have edited it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from classroom.grading.untrusted import as_dict, as_list, as_text

from .marks import Gradebook, GradedWork, Mark, Person

MOST_KEPT = 2_000
"""Changes that a gradebook remembers, the latest."""
BY_HAND = "changed by hand"
OTHER_FILE = "another file was handed in"
COURSE = "graded again, since the course or a package of it had changed"
OTHER_WORTH = "other points for this exercise in class.toml"
AGAIN = "graded again, with other draws or limits"


@dataclass(frozen=True, kw_only=True)
class Change:
    """One exercise of one learner whose points differ from those of the run before."""

    learner: str
    exercise: str
    before: float
    now: float
    why: str
    when: str
    """The time at which the later gradebook was written."""


def last_gradebook(file: Path) -> dict[str, Any]:
    """The gradebook of the last run; empty where there is none that can be read."""
    try:
        return as_dict(json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError, RecursionError):
        return {}


def graded_before(last: Mapping[str, Any]) -> set[tuple[str, str]]:
    """(learner, sha256) of each file that the last gradebook has marks for."""
    found = set()
    for entry in as_list(last.get("learners")):
        facts = as_dict(entry)
        for work in as_dict(facts.get("notebooks")).values():
            found.add((as_text(facts.get("learner")), as_text(as_dict(work).get("sha256"))))
    return found


def noted(last: Mapping[str, Any], book: Gradebook) -> Gradebook:
    """The gradebook with the changes that the last one remembered, and whatever differs from it."""
    new = list(_since(last, book))
    found = [*_remembered(last), *new]
    return replace(book, changes=tuple(found[-MOST_KEPT:]), changed=len(new))


def _remembered(last: Mapping[str, Any]) -> Iterator[Change]:
    for entry in as_list(last.get("changes")):
        facts = as_dict(entry)
        before = _points(facts.get("before"))
        now = _points(facts.get("now"))
        if before is None or now is None:
            continue
        yield Change(
            learner=as_text(facts.get("learner")),
            exercise=as_text(facts.get("exercise")),
            before=before,
            now=now,
            why=as_text(facts.get("why")),
            when=as_text(facts.get("when")),
        )


def _since(last: Mapping[str, Any], book: Gradebook) -> Iterator[Change]:
    known = {}
    for entry in as_list(last.get("learners")):
        facts = as_dict(entry)
        known[as_text(facts.get("learner"))] = facts
    when = book.written.isoformat(timespec="seconds")
    for person in book.people:
        if person.learner in known:
            yield from _of_a_person(known[person.learner], person, when)


def _of_a_person(last: Mapping[str, Any], person: Person, when: str) -> Iterator[Change]:
    exercises = as_dict(last.get("exercises"))
    notebooks = as_dict(last.get("notebooks"))
    for work in person.works:
        for mark in work.marks:
            id = mark.exercise.id
            facts = as_dict(exercises.get(id))
            before = _points(facts.get("points"))
            if before is None or mark.state == "pending" or before == mark.points:
                continue
            why = _why(facts, as_dict(notebooks.get(work.notebook)), work, mark)
            yield Change(
                learner=person.learner,
                exercise=id,
                before=before,
                now=mark.points,
                why=why,
                when=when,
            )


def _why(last: Mapping[str, Any], notebook: Mapping[str, Any], work: GradedWork, mark: Mark) -> str:
    by_hand = mark.override.points if mark.override else None
    if by_hand != as_dict(last.get("override")).get("points"):
        return BY_HAND
    if last.get("of") not in (None, mark.exercise.points):
        return OTHER_WORTH
    if as_text(notebook.get("sha256")) != work.sha256:
        return OTHER_FILE
    course = as_text(notebook.get("course"))
    return AGAIN if course and course == work.course else COURSE


def _points(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if 0 <= value < 1e9 else None
