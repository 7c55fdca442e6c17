"""Marks: of an exercise, a notebook, a learner and a class; sums, states and lateness. All
text is untrusted.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from classroom.checks import Exercise
from classroom.course import active
from classroom.grading.check import Check
from classroom.grading.late import LateRule
from classroom.grading.overrides import Override


@dataclass(frozen=True, kw_only=True)
class Mark:
    """One exercise of one learner."""

    exercise: Exercise
    checks: tuple[Check, ...] = ()
    misconception: str | None = None
    parts: tuple[tuple[str, str], ...] = ()
    """The words of the exercise's own check, as (label, text)."""
    answer: str = ""
    override: Override | None = None
    """The points that the instructor gave by hand."""
    comments: tuple[str, ...] = ()
    """The instructor's."""
    pending: bool = False
    """True if it has not been graded: there is no mark yet."""

    @property
    def checked(self) -> float:
        """The points that the checks gave."""
        return min(self.exercise.points, tidy(sum(check.earned for check in self.checks)))

    @property
    def points(self) -> float:
        """The points that count: those of the checks, or those given by hand."""
        by_hand = self.override.points if self.override else None
        return self.checked if by_hand is None else by_hand

    @property
    def state(self) -> str:
        """One word for the whole: passed, partly, pending, or the state of the first check that was
        not passed.
        """
        if self.pending and self.override is None:
            return "pending"
        if self.points >= self.exercise.points:
            return "passed"
        lost = next((check.state for check in self.checks if check.state != "passed"), "failed")
        return "partly" if self.points else lost


@dataclass(frozen=True, kw_only=True)
class Handed:
    """The way in which a notebook was handed in, as the intake knows it."""

    file: str = ""
    platform: str = ""
    """moodle, canvas, gradescope, or empty."""
    number: str = ""
    """The platform's: of the person (Canvas), or of this person in this assignment (Moodle)."""
    upload: str = ""
    """The platform's folder, or the file's name without its ending: where feedback goes."""
    pending: str = ""
    """The reason why there is no verdict yet; empty when there is one."""


@dataclass(frozen=True, kw_only=True)
class GradedWork:
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
    course: str = ""
    """The fingerprint of what it was graded with: course, packages, Python."""
    seconds: float = 0.0
    rule: LateRule | None = None
    handed: Handed = Handed()
    pending: str = ""
    """The reason why there is no verdict yet; empty when there is one."""
    extension: Override | None = None
    """The due time that the instructor gave this learner."""
    comments: tuple[str, ...] = ()
    elsewhere: tuple[tuple[Mark, str], ...] = ()
    """Marks of exercises that count in another notebook of this learner, each with its name."""

    @property
    def title(self) -> str:
        """03_deterministic_supervisor as "03 Deterministic supervisor"; a sitting by its title."""
        if sitting := active().sitting(self.notebook):
            return sitting.title
        number, _, words = self.notebook.partition("_")
        words = words.replace("_", " ").replace("llm", "LLM")
        return f"{number} {words[:1].upper()}{words[1:]}"

    @property
    def whole(self) -> GradedWork:
        """The notebook by itself, whatever of it counts elsewhere: what a platform's assignment is."""
        return replace(self, marks=(*self.marks, *(mark for mark, _ in self.elsewhere)))

    @property
    def counted_elsewhere(self) -> str:
        """The exercises handed in here that count in another notebook, in words."""
        moved = self.elsewhere if self.file else ()
        return ", ".join(f"{mark.exercise.id} counts in {name}" for mark, name in moved)

    @property
    def points(self) -> float:
        """Before lateness."""
        return tidy(sum(mark.points for mark in self.marks))

    @property
    def total(self) -> float:
        """After lateness."""
        return tidy(self.rule.after(self.points, self.submitted)) if self.rule else self.points

    @property
    def of(self) -> float:
        return tidy(sum(mark.exercise.points for mark in self.marks))

    @property
    def late(self) -> str:
        return self.rule.in_words(self.submitted) if self.rule else ""

    @property
    def open(self) -> bool:
        """True if some of its marks are still to come."""
        return any(mark.state == "pending" for mark in self.marks)

    @property
    def overrides(self) -> tuple[Override, ...]:
        by_hand = tuple(mark.override for mark in self.marks if mark.override)
        return (*by_hand, *([self.extension] if self.extension else []))


@dataclass(frozen=True, kw_only=True)
class Person:
    """A learner with all graded notebooks, in order, also those that were not handed in."""

    learner: str
    page: str
    """The name of this learner's files, without an ending."""
    works: tuple[GradedWork, ...]
    label: str = ""
    """The name as it is shown: with the page's name behind it where another's looks the same."""
    comments: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.label or self.learner

    @property
    def number(self) -> str:
        """The platform's; several where it numbers assignments and not people."""
        return ", ".join(
            dict.fromkeys(work.handed.number for work in self.works if work.handed.number)
        )

    @property
    def points(self) -> float:
        return tidy(sum(work.points for work in self.works))

    @property
    def total(self) -> float:
        return tidy(sum(work.total for work in self.works))

    @property
    def of(self) -> float:
        return tidy(sum(work.of for work in self.works))

    @property
    def share(self) -> float:
        return self.total / self.of if self.of else 0.0

    @property
    def open(self) -> bool:
        """True if some marks are still to come: then there is no total yet."""
        return any(work.open for work in self.works)

    @property
    def expected(self) -> tuple[GradedWork, ...]:
        """The notebooks that were handed in, or in which something is missing."""
        return tuple(work for work in self.works if work.file or work.marks)

    @property
    def flags(self) -> tuple[str, ...]:
        found: list[str] = []
        for work in self.works:
            found += work.flags
            if work.counted_elsewhere:
                found.append(f"{active().lesson_of(work.notebook)}: {work.counted_elsewhere}")
            if work.late:
                found.append(f"{active().lesson_of(work.notebook)}: {work.late}")
            if work.pending:
                found.append(f"{active().lesson_of(work.notebook)}: not graded yet: {work.pending}")
            found += (
                f"{override.exercise or active().lesson_of(work.notebook)}: by hand: {override.reason}"
                for override in work.overrides
            )
        missing = [work.notebook for work in self.expected if not work.file]
        if missing:
            found.append(f"nothing handed in for {', '.join(missing)}")
        return tuple(dict.fromkeys(found))

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
    unused: tuple[str, ...] = ()
    """Rows of the overrides that changed nothing, each with the reason."""
    own_class: tuple[str, ...] = ()
    """Sentences on what does not count in this class, and what has other points."""
    changes: tuple[Any, ...] = ()
    """Marks that differ from those of an earlier run into the same folder (see `changes.py`)."""
    changed: int = 0
    """The number of these that came with this run."""
    written: datetime = field(default_factory=lambda: datetime.now(UTC))

    def works(self) -> list[GradedWork]:
        """All that was handed in and graded."""
        return [
            work
            for person in self.people
            for work in person.works
            if work.file and not work.pending
        ]

    def graded(self) -> list[Person]:
        """The people whose total is known."""
        return [person for person in self.people if not person.open]

    def handed_in(self) -> str:
        """Returns the number that handed in, in words; empty when everybody did."""
        missing = sum(not any(work.file for work in person.works) for person in self.people)
        return f"{len(self.people) - missing} handed in, {missing} did not." if missing else ""

    def summary(self) -> str:
        """For a terminal: how many learners, and how they did."""
        count, graded = len(self.people), self.graded()
        people = f"{count} learner{'s' * (count != 1)}, {len(self.exercises)} exercises"
        mean = sum(person.share for person in graded) / len(graded) if graded else 0
        summary = f"{people}, {mean:.0%} of the points on average."
        if handed_in := self.handed_in():
            summary += f" {handed_in}"
        if self.own_class:
            summary += f" {' '.join(self.own_class)}"
        if waiting := count - len(graded):
            summary += f" {waiting} of them not graded yet, and not in the average."
        if self.changed:
            marks = f"{self.changed} mark{'s' * (self.changed != 1)}"
            summary += f" {marks} changed since the last run: index.html lists them."
        if self.unread:
            summary += f" Not understood: {len(self.unread)} file{'s' * (len(self.unread) != 1)}."
        return summary


def tidy(points: float) -> float:
    """Whole points as whole numbers."""
    rounded = round(points, 2)
    return int(rounded) if rounded == int(rounded) else rounded
