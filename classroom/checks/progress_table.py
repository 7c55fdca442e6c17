"""The progress in one lesson or in all, as a table: each exercise's state, and the points."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from classroom.course import active
from classroom.paper.page import heading, sheet
from classroom.paper.svg import INK, PAPER, escape

from .progress import what_counts
from .register import exercises, lessons, turns
from .wording import counted


def progress(lesson: str | None = None) -> Progress:
    """The progress in one lesson (such as "02"), in a sitting (by its name) or in all: a line for
    each exercise, and the points. An exercise that was passed in another copy of this notebook does
    not count.

    Raises ValueError for a lesson without exercises.
    """
    if lesson is not None and lesson not in lessons() and not active().sitting(lesson):
        raise ValueError(
            f"there are no exercises of lesson {lesson!r}; expected one of {', '.join(lessons())},"
            " in quotes"
        )
    return Progress(what_counts(lesson), lesson)


@dataclass(frozen=True, repr=False)
class Progress:
    """The state of the exercises; shows as a table, and as the same in text."""

    known: dict[str, dict[str, Any]]
    lesson: str | None = None

    def rows(self) -> Iterator[tuple[str, str, str, str]]:
        """Id, title, state in words, points."""
        for known in (*turns(self.lesson), *exercises(self.lesson)):
            facts = self.known.get(known.id, {})
            tried = "tried" if facts.get("tries") else "open"
            passed = facts.get("passed")
            points = f"{known.points if passed else 0} of {known.points}"
            points = "your turn" if known.is_turn else points
            yield known.id, known.title, "passed" if passed else tried, points

    def summary(self) -> str:
        passed = [
            known for known in exercises(self.lesson) if self.known.get(known.id, {}).get("passed")
        ]
        points = sum(one_id.points for one_id in passed)
        possible = counted(len(exercises(self.lesson)), "exercise")
        return f"{len(passed)} of {possible} passed, {counted(points, 'point')}{self._turns()}."

    def _turns(self) -> str:
        """The turns that were passed, beside the exercises."""
        known = turns(self.lesson)
        passed = sum(bool(self.known.get(turn.id, {}).get("passed")) for turn in known)
        return f"; {passed} of {counted(len(known), 'turn')} passed" if known else ""

    def __repr__(self) -> str:
        width = max(len(title) for _, title, *_ in self.rows())
        return "\n".join(
            [
                self.summary(),
                *(
                    f"  {id}  {title:<{width}}  {state:<15}  {points}"
                    for id, title, state, points in self.rows()
                ),
            ]
        )

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        cell = f'style="text-align:left;padding:2px 16px 2px 0;color:{INK};background:{PAPER}"'
        names = ("exercise", "title", "state", "points")
        head = "".join(f'<th scope="col" {cell}>{name}</th>' for name in names)
        rows = ("".join(f"<td {cell}>{escape(value)}</td>" for value in row) for row in self.rows())
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        page = sheet(self.summary(), [heading(self.summary()), table])
        return {"text/html": page, "text/plain": repr(self)}
