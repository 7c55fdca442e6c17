"""Rules of one class, from the file of `grade --class`: exercises that do not count, and points of
its own.

Everything is graded as ever; only what counts differs, so a changed file costs a second.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from classroom.checks import Exercise, exercises
from classroom.course import active
from classroom.grading.overrides import Unusable

from .marks import GradedWork, Mark, tidy

USUAL = "class.toml"
"""In the folder of a course: what counts where no other file is named."""
EXPECTED = 'expected drop = ["04.3", "07"], and a table [points] with "01.1" = 5'


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
            replace(known, points=self.points[known.id]) if known.id in self.points else known
            for known in exercises(book or None)
            if not {known.id, known.lesson} & {*self.drop}
        ]

    def of(self, work: GradedWork) -> GradedWork:
        """A notebook's marks as they count here."""
        own = {exercise.id: exercise for exercise in self.counted(work.notebook)}
        marks = [mark for mark in work.marks if mark.exercise.id in own]
        return replace(work, marks=tuple(_scaled(mark, own[mark.exercise.id]) for mark in marks))

    def in_words(self) -> list[str]:
        """A sentence for each kind of difference."""
        given = ", ".join(f"{id} {points}" for id, points in self.points.items())
        dropped = [f"Not counted in this class: {', '.join(self.drop)}."] * bool(self.drop)
        return [*dropped, *[f"Points of this class: {given}."] * bool(given)]


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
        return _of_facts(**facts)
    except TypeError:
        raise Unusable(f"{file} holds {', '.join(facts)}; {EXPECTED}") from None
    except (OSError, ValueError) as problem:  # also of a file that is no TOML
        raise Unusable(f"{file} cannot be read: {problem}; {EXPECTED}") from None


def _of_facts(drop: Any = (), points: Any = {}) -> OwnClass:  # noqa: B006  # never changed
    """Raises TypeError or ValueError, which says what was given."""
    if not isinstance(drop, list | tuple) or not isinstance(points, dict):
        raise TypeError
    ids = {exercise.id for exercise in exercises()}
    lessons = {exercise.lesson for exercise in exercises()}
    books = lessons | {each.name for each in active().sittings}
    for id in [*drop, *points]:
        if id not in ids | books or (id in points and id not in ids):
            raise ValueError(f"there is no {id!r}, but {', '.join(sorted(ids | books))}")
    for id, given in points.items():
        number = isinstance(given, int | float) and not isinstance(given, bool)
        if not number or not 0 < given < 1e6 or round(given, 2) != given:
            raise ValueError(f"points of {id} are {given!r}, and not above 0 with two decimals")
        if {id, id.partition(".")[0]} & {*drop}:
            raise ValueError(f"{id} is dropped, and has points")
    own = OwnClass(drop=tuple(drop), points={id: tidy(given) for id, given in points.items()})
    if not own.counted():
        raise ValueError("every exercise is dropped")
    return own


def _scaled(mark: Mark, own: Exercise) -> Mark:
    """A mark with other points: each check keeps its share."""
    share = own.points / mark.exercise.points
    if share == 1:
        return mark
    checks = tuple(
        replace(check, points=check.points * share, earned=check.earned * share)
        for check in mark.checks
    )
    return replace(mark, exercise=own, checks=checks)
