"""Marks: of a check, an exercise, a notebook, a learner and a class; sums, states and lateness. All text is untrusted."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime

from workshop.checks import Exercise
from workshop.grading.late import LateRule


@dataclass(frozen=True, kw_only=True)
class Check:
    """One graded check of one answer."""

    exercise: str
    trial: int
    title: str
    hidden: bool
    points: float
    earned: float
    state: str
    reason: str = ""
    came: str = ""
    expected: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Mark:
    """One exercise of one learner."""

    exercise: Exercise
    checks: tuple[Check, ...] = ()
    misconception: str | None = None
    parts: tuple[tuple[str, str], ...] = ()
    """What the exercise's own check says, as (label, text)."""
    answer: str = ""

    @property
    def points(self) -> float:
        return min(self.exercise.points, _tidy(sum(it.earned for it in self.checks)))

    @property
    def state(self) -> str:
        """One word for the whole: passed, partly, or the state of the first check that was not passed."""
        if self.points >= self.exercise.points:
            return "passed"
        return "partly" if self.points else next((it.state for it in self.checks if it.state != "passed"), "missing")


@dataclass(frozen=True, kw_only=True)
class Work:
    """One exercise notebook of one learner; without a `file` nothing was handed in."""

    notebook: str
    marks: tuple[Mark, ...]
    file: str = ""
    sha256: str = ""
    older: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    submitted: datetime | None = None
    graded: str = ""
    seed: int | None = None
    sandbox: str = ""
    kernel: str = ""
    seconds: float = 0.0
    rule: LateRule | None = None

    @property
    def points(self) -> float:
        """Before lateness."""
        return _tidy(sum(it.points for it in self.marks))

    @property
    def total(self) -> float:
        """After lateness."""
        return _tidy(self.rule.after(self.points, self.submitted)) if self.rule else self.points

    @property
    def of(self) -> float:
        return sum(it.exercise.points for it in self.marks)

    @property
    def late(self) -> str:
        return self.rule.said(self.submitted) if self.rule else ""


@dataclass(frozen=True, kw_only=True)
class Person:
    """A learner with all graded notebooks, in order, also those that were not handed in."""

    learner: str
    page: str
    """The name of this learner's files, without an ending."""
    works: tuple[Work, ...]

    @property
    def points(self) -> float:
        return _tidy(sum(it.points for it in self.works))

    @property
    def total(self) -> float:
        return _tidy(sum(it.total for it in self.works))

    @property
    def of(self) -> float:
        return sum(it.of for it in self.works)

    @property
    def share(self) -> float:
        return self.total / self.of if self.of else 0.0

    @property
    def flags(self) -> tuple[str, ...]:
        late = {work.notebook: [f"{work.notebook[:2]}: {work.late}"] for work in self.works if work.late}
        flags = [flag for work in self.works for flag in (*work.flags, *late.get(work.notebook, []))]
        missing = [work.notebook for work in self.works if not work.file]
        return tuple(dict.fromkeys([*flags, *([f"nothing handed in for {', '.join(missing)}"] if missing else [])]))

    def marks(self) -> dict[str, Mark]:
        return {mark.exercise.id: mark for work in self.works for mark in work.marks}


@dataclass(frozen=True, kw_only=True)
class Gradebook:
    """Everybody's marks, and what the instructor has to know beside them."""

    exercises: tuple[Exercise, ...]
    people: tuple[Person, ...]
    unread: tuple[tuple[str, str], ...] = ()
    aside: tuple[tuple[str, str], ...] = ()
    rule: LateRule | None = None
    written: datetime = field(default_factory=lambda: datetime.now(UTC))

    def works(self) -> list[Work]:
        """All that was handed in and graded."""
        return [work for person in self.people for work in person.works if work.file]

    def summary(self) -> str:
        """For a terminal: how many learners, and how they did."""
        count = len(self.people)
        mean = sum(it.share for it in self.people) / count if count else 0
        left = f" Not understood: {len(self.unread)} file{'s' * (len(self.unread) != 1)}." if self.unread else ""
        return f"{count} learner{'s' * (count != 1)}, {len(self.exercises)} exercises, {mean:.0%} of the points on average.{left}"


def _tidy(points: float) -> float:
    """Whole points as whole numbers."""
    rounded = round(points, 2)
    return int(rounded) if rounded == int(rounded) else rounded
