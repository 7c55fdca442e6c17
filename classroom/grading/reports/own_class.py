"""Rules of one class, from the file of `grade --class`: exercises that do not count, and points of
its own.

Everything is graded as ever; only what counts differs, so a changed file costs a second.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from classroom.checks import Exercise, exercises
from classroom.course import active
from classroom.grading.overrides import Unusable

from .marks import GradedWork, Mark, tidy

KEYS = ("drop", "points")
USUAL = "class.toml"
"""In the folder of a course: what counts where no other file is named."""


@dataclass(frozen=True, kw_only=True)
class OwnClass:
    """The exercises that count in a class, and their points; by default those of the course."""

    drop: tuple[str, ...] = ()
    """Exercises such as 04.3, whole lessons such as 07, and sittings by their names."""
    points: Mapping[str, float] = field(default_factory=dict)
    """By exercise."""

    def counted(self, notebook: str = "") -> list[Exercise]:
        """The exercises that count, of a notebook or of all, with the points of this class."""
        book = active().lesson_of(notebook)
        if book in self.drop:
            return []
        return [
            self._own(exercise)
            for exercise in exercises(book or None)
            if exercise.id not in self.drop and exercise.lesson not in self.drop
        ]

    def of(self, work: GradedWork) -> GradedWork:
        """A notebook's marks as they count here."""
        own = {exercise.id: exercise for exercise in self.counted(work.notebook)}
        marks = [mark for mark in work.marks if mark.exercise.id in own]
        return replace(work, marks=tuple(_scaled(mark, own[mark.exercise.id]) for mark in marks))

    def in_words(self) -> list[str]:
        """A sentence for each kind of difference."""
        words = []
        if self.drop:
            words.append(f"Not counted in this class: {', '.join(self.drop)}.")
        if self.points:
            given = ", ".join(f"{id} {points}" for id, points in self.points.items())
            words.append(f"Points of this class: {given}.")
        return words

    def _own(self, exercise: Exercise) -> Exercise:
        points = self.points.get(exercise.id, exercise.points)
        return exercise if points == exercise.points else replace(exercise, points=points)


def read(file: Path | None) -> OwnClass:
    """Reads the file of a class; without one, `class.toml` in the course's folder, or nothing.

    Raises Unusable.
    """
    usual = active().root / USUAL
    if file is None and not usual.exists():
        return OwnClass()
    file = file or usual
    try:
        facts = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as problem:
        raise Unusable(f"{file} cannot be read ({problem.strerror})") from None
    except ValueError as problem:  # also of a file that is not UTF-8
        raise Unusable(f"{file} is not TOML: {problem}") from None
    try:
        return _of_facts(facts)
    except ValueError as problem:
        raise Unusable(f"{file}: {problem}") from None


def _of_facts(facts: Mapping[str, Any]) -> OwnClass:
    """Raises ValueError, which says what was given and what was expected."""
    if unknown := [key for key in facts if key not in KEYS]:
        raise ValueError(f"there is no {unknown[0]!r}; expected {' or '.join(KEYS)}")
    drop, points = facts.get("drop", []), facts.get("points", {})
    if not isinstance(drop, list) or not isinstance(points, dict):
        raise ValueError('expected drop = ["04.3", "07"], and a table [points] with "01.1" = 5')
    known = exercises()
    ids = [exercise.id for exercise in known]
    books = {*(exercise.lesson for exercise in known), *(each.name for each in active().sittings)}
    _refuse_unknown("drop", drop, {*ids, *books})
    _refuse_unknown("points", points, {*ids})
    for id, given in points.items():
        if isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given < 1e6:
            raise ValueError(f"points of {id} are {given!r}; expected a number above 0")
        if round(given, 2) != given:
            raise ValueError(f"points of {id} are {given!r}; expected at most two decimals")
        if id in drop or id[:2] in drop:
            raise ValueError(f"{id} is dropped, and has points; expected one of them")
    worth = {id: tidy(given) for id, given in points.items()}
    own = OwnClass(drop=tuple(drop), points=worth)
    if not own.counted():
        raise ValueError("every exercise is dropped; expected one that counts")
    return own


def _refuse_unknown(key: str, given: Iterable[Any], expected: set[str]) -> None:
    for id in given:
        if id not in expected:
            names = ", ".join(sorted(expected))
            raise ValueError(f"{key} names {id!r}, which is not there; expected one of {names}")


def _scaled(mark: Mark, own: Exercise) -> Mark:
    """A mark with other points: each check keeps its share."""
    if own is mark.exercise:
        return mark
    share = own.points / mark.exercise.points
    checks = tuple(
        replace(check, points=check.points * share, earned=check.earned * share)
        for check in mark.checks
    )
    return replace(mark, exercise=own, checks=checks)
