"""The instructor's page: everybody's marks, how each exercise went, and what was not as it should
be.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from classroom.checks import Exercise
from classroom.course import active

from . import charts, platforms, same_answers, sheet, words
from .marks import Gradebook, GradedWork, Mark

FILES = (
    ("gradebook.csv", "for a spreadsheet"),
    ("gradebook.json", "for a program"),
    ("results.jsonl", "every check, one a line"),
)
MOST_LISTED = 500
LISTED = 8
"""Misconceptions that are not folded."""


def page(book: Gradebook, for_platforms: Sequence[str] = ()) -> str:
    """The page as text; `for_platforms` names the files beside it that a learning platform
    imports.
    """
    shares = [person.share for person in book.graded()]
    works = book.works()
    ways = sorted({work.sandbox for work in works} - {"bwrap"})
    unboxed = [way for way in ways if not way.startswith("bwrap")]
    return sheet.page(
        "class",
        book=book,
        works=works,
        shares=shares,
        bar=charts.bar,
        distribution=charts.distribution(shares),
        finding=charts.finding(shares),
        links=[*FILES, *((name, platforms.use(name, book.exercises)) for name in for_platforms)],
        unboxed=[way.removeprefix("none: ") or "unknown" for way in unboxed],
        weakly_boxed=[way for way in ways if way.startswith("bwrap")],
        strange=_strange(works),
        waiting=len(book.people) - len(book.graded()),
        late=sum(bool(work.late) for work in works),
        without_time=sum(work.submitted is None for work in works),
        some_lost=any(person.points != person.total for person in book.people),
        exercises=[_went(exercise, of_exercise(book, exercise)) for exercise in book.exercises],
        misunderstood=misconceptions(book),
        by_hand=list(_by_hand(book)),
        by_name={person.learner: person for person in book.people},
        same_answers=same_answers.groups(book),
        seeds=sorted({work.seed for work in works if work.seed is not None})[:20],
        most_listed=MOST_LISTED,
        listed=LISTED,
    )


def _strange(works: Sequence[GradedWork]) -> list[str]:
    """Outcomes that no honest answer has, with their numbers, in words."""
    checks = [check for work in works for mark in work.marks for check in mark.checks]
    found = Counter(check.state for check in checks if check.state in ("tampered", "not-run"))
    return [f"{number} {words.STATES[state]}" for state, number in found.items()]


# ── the exercises ─────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Went:
    """The results of an exercise. A learner without a grade yet is in no share and no mean."""

    exercise: Exercise
    summary: str
    parts: tuple[tuple[float, str], ...]
    """The bar: (share, kind)."""
    passed: float
    """The share of learners."""
    mean: float
    """Of the points."""
    time: str
    """The median of the time that grading took."""


def of_exercise(book: Gradebook, exercise: Exercise) -> list[Mark]:
    """Everybody's marks for an exercise."""
    return [person.marks()[exercise.id] for person in book.people]


def _went(exercise: Exercise, everybody: list[Mark]) -> Went:
    marks = [mark for mark in everybody if mark.state != "pending"]
    number = len(marks) or 1
    states = Counter(mark.state for mark in marks)
    passed, partly, missing = states["passed"], states["partly"], states["missing"]
    lost = len(marks) - passed - partly - missing
    summary = f"{passed} passed, {partly} partly, {lost} not passed, {missing} without an answer"
    if waiting := len(everybody) - len(marks):
        summary += f", {waiting} not graded yet"
    times = [sum(check.seconds for check in mark.checks) for mark in marks]
    return Went(
        exercise,
        summary,
        parts=((passed / number, "passed"), (partly / number, "partly"), (lost / number, "lost")),
        passed=passed / number,
        mean=sum(mark.points for mark in marks) / number,
        time=_seconds([time for time in times if time]),
    )


def _seconds(measured: Sequence[float]) -> str:
    if not measured:
        return "–"
    median = statistics.median(measured)
    return f"{median:.1f} s" if median >= 1 else f"{median:.2f} s"


def misconceptions(book: Gradebook) -> list[tuple[Exercise, str, int]]:
    """(exercise, misconception, learners), the most frequent first."""
    found = Counter(
        (exercise.id, mark.misconception)
        for exercise in book.exercises
        for mark in of_exercise(book, exercise)
        if mark.misconception and mark.state != "passed"
    )
    by_id = {exercise.id: exercise for exercise in book.exercises}
    return [
        (by_id[id], name, number)
        for (id, name), number in sorted(found.items(), key=lambda each: (-each[1], each[0]))
    ]


# ── the learners ──────────────────────────────────────────────────────────────────────────────────


def _by_hand(book: Gradebook) -> Iterator[tuple[str, str, str, str]]:
    """Yields the changes of overrides.csv: (name, exercise or notebook, what counts, reason)."""
    for person in book.people:
        for work in person.works:
            for mark in work.marks:
                if mark.override:
                    yield person.name, mark.exercise.id, _instead(mark), mark.override.reason
            if work.extension and work.extension.due:
                due = work.extension.due
                counts = f"due {sheet.moment(due)} {due.tzname()}"
                yield person.name, active().lesson_of(work.notebook), counts, work.extension.reason


def _instead(mark: Mark) -> str:
    """The points that were given by hand, and what the checks had given."""
    checks = "no verdict" if mark.pending else f"{sheet.amount(mark.checked)} by the checks"
    return f"{sheet.amount(mark.points)} of {sheet.amount(mark.exercise.points)} ({checks})"
