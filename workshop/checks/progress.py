"""Progress: tries, hints and passes, kept in `.workshop/progress.json` on this machine; no reason
to fail.

WORKSHOP_PROGRESS names another file, for those who share a folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workshop import kept
from workshop.presence import interactive

from .register import UnknownExercise, exercise, exercises, lessons
from .verdict import Note, Verdict

FILE = Path(os.environ.get("WORKSHOP_PROGRESS") or kept.place("progress.json"))
TRIED = ("wrong", "crashed", "timed out")
_in_memory: dict[str, dict[str, Any]] = {}
"""For a run with nobody there, which leaves nothing behind."""


def record(id: str, verdict: Verdict, answer: str) -> None:
    """Keeps what a check found, and the answer for the comparison with ours."""
    if verdict.outcome == "not attempted":
        return
    known = of(id)
    tries = known.get("tries", 0) + (verdict.outcome in TRIED)
    change(id, tries=tries, passed=known.get("passed", False) or verdict.passed, answer=answer)


def of(id: str) -> dict[str, Any]:
    """What is known of an exercise: tries, passed, hints, answer; each may be missing."""
    return dict(_read().get(id, {}))


def change(id: str, **facts: Any) -> None:
    """Keeps some facts on an exercise."""
    everything = _read()
    _write({**everything, id: {**everything.get(id, {}), **facts}})


def reset(id: str) -> Note:
    """Forgets one exercise, so that it can be done again. Raises UnknownExercise when nobody is
    there.
    """
    try:
        known = exercise(id)
    except UnknownExercise as problem:
        if interactive():
            return Note(f"{problem}.")
        raise
    _write({name: facts for name, facts in _read().items() if name != id})
    return Note(f"{known.id} {known.title}: forgotten; tries and hints start anew.")


def progress(lesson: str | None = None) -> Progress:
    """How far one is, in one lesson (such as "02") or in all: a line for each exercise, and the
    points.

    Raises ValueError for a lesson without exercises.
    """
    if lesson is not None and lesson not in lessons():
        raise ValueError(
            f"there are no exercises of lesson {lesson!r}; expected one of {', '.join(lessons())},"
            " in quotes"
        )
    return Progress(_read(), lesson)


@dataclass(frozen=True, repr=False)
class Progress:
    """The state of the exercises; shows as a table, and as the same in text; to a person as a
    board.
    """

    known: dict[str, dict[str, Any]]
    lesson: str | None = None

    def rows(self) -> Iterator[tuple[str, str, str, str]]:
        """Id, title, state in words, points."""
        for known in exercises(self.lesson):
            facts = self.known.get(known.id, {})
            tries = facts.get("tries", 0)
            tried = f"tried {tries} time{'s' * (tries != 1)}" if tries else "open"
            passed = facts.get("passed")
            points = f"{known.points if passed else 0} of {known.points}"
            yield known.id, known.title, "passed" if passed else tried, points

    def summary(self) -> str:
        passed = [
            known for known in exercises(self.lesson) if self.known.get(known.id, {}).get("passed")
        ]
        points = sum(one_id.points for one_id in passed)
        return f"{len(passed)} of {len(exercises(self.lesson))} exercises passed, {points} points."

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
        from workshop.views.page import heading, sheet
        from workshop.views.svg import INK, PAPER, escape

        cell = f'style="text-align:left;padding:2px 16px 2px 0;color:{INK};background:{PAPER}"'
        names = ("exercise", "title", "state", "points")
        head = "".join(f'<th scope="col" {cell}>{name}</th>' for name in names)
        rows = ("".join(f"<td {cell}>{escape(value)}</td>" for value in row) for row in self.rows())
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        page = sheet(self.summary(), [heading(self.summary()), table])
        return {**self._for_a_person(), "text/html": page, "text/plain": repr(self)}

    def _for_a_person(self) -> dict[str, Any]:
        """The board, in a notebook that a person uses."""
        if not interactive():
            return {}
        from .board import Board

        return Board(self.lesson)._repr_mimebundle_()


# ── the file ──────────────────────────────────────────────────────────────────────────────────────


def _read() -> dict[str, dict[str, Any]]:
    if not interactive():
        return dict(_in_memory)
    known = kept.read(FILE, "exercises", "progress")
    if known is None:
        return dict(_in_memory)
    if not all(isinstance(facts, dict) for facts in known.values()):
        kept.set_aside(FILE, "progress")
        return {}
    return known


def _write(everything: dict[str, dict[str, Any]]) -> None:
    _in_memory.clear()
    _in_memory.update(everything)
    if interactive():
        kept.write(FILE, "exercises", everything, "progress")
