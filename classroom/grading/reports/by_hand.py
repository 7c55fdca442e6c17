"""Applies the instructor's overrides to marks: points, due times and comments, on top of what the
checks gave.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import replace

from classroom.checks import exercises
from classroom.course import active
from classroom.grading.overrides import Override
from classroom.grading.plain import by_letters, looks

from .marks import GradedWork, Mark, Person

Rows = Sequence[Override]


def apply(people: Sequence[Person], overrides: Rows) -> tuple[list[Person], list[str]]:
    """The people with their overrides, and a sentence for each row that changed nothing."""
    rows: dict[str, list[Override]] = {}
    unused: list[str] = []
    for row in overrides:
        meant = _named(people, row.learner)
        problem = _without_effect(meant[0], row) if len(meant) == 1 else "several people have it"
        if not meant:
            problem = f"nobody here has this name or number{_like(people, row)}"
        if problem:
            unused.append(f"line {row.row}, {row.learner}: {problem}")
        if len(meant) == 1:
            rows.setdefault(meant[0].learner, []).append(row)
    return [_changed(person, rows.get(person.learner, ())) for person in people], unused


def _named(people: Sequence[Person], name: str) -> list[Person]:
    """The people whom a name means: by the exact name or as it is shown, by the platform's number,
    else as it looks.
    """
    ways: list[Callable[[Person], bool]] = [
        lambda person: name in (person.learner, person.name),
        lambda person: name in [work.handed.number for work in person.works],
        lambda person: looks(name) == looks(person.learner),
    ]
    found = ([person for person in people if way(person)] for way in ways)
    return next(filter(None, found), [])


def _like(people: Sequence[Person], row: Override) -> str:
    """Returns a question after the person who was meant, if one has nearly this name."""
    names = {by_letters(person.learner): person.name for person in people}
    close = difflib.get_close_matches(by_letters(row.learner), names, n=1, cutoff=0.85)
    return f"; did you mean {names[close[0]]}?" if close else ""


def _without_effect(person: Person, row: Override) -> str:
    """Returns the reason that a row changes nothing; empty where it does."""
    if not any(_is_about(row, work) for work in person.works):
        return f"exercise {row.exercise} is not graded in this run"
    if row.due and not any(work.rule for work in person.works):
        return "a due time counts only together with --due and --late"
    if row.due and not any(_is_due_of(row, work) for work in person.works):
        lesson = row.exercise.partition(".")[0]
        return f"it is due with lesson {lesson}, which is not graded in this run"
    return ""


def _is_due_of(row: Override, work: GradedWork) -> bool:
    """True if the due time of a row is that of a notebook: an exercise is due with its lesson, also
    where a sitting has it, too.
    """
    return row.exercise.partition(".")[0] in ("", active().lesson_of(work.notebook))


def _is_about(row: Override, work: GradedWork) -> bool:
    """True if a row concerns a notebook: one of its exercises, all of it, or everything."""
    lesson = active().lesson_of(work.notebook)
    return row.exercise in ("", lesson, *(known.id for known in exercises(lesson)))


def _changed(person: Person, rows: Rows) -> Person:
    works = tuple(_work(work, rows) for work in person.works)
    return replace(person, works=works, comments=_comments(rows, ""))


def _comments(rows: Rows, exercise: str) -> tuple[str, ...]:
    return tuple(row.comment for row in rows if row.comment and row.exercise == exercise)


def _work(work: GradedWork, rows: Rows) -> GradedWork:
    """A notebook with its rows; the due time that names it wins over one for everything."""
    of_it = [row for row in rows if row.due and _is_due_of(row, work)]
    last = max(of_it, key=lambda row: len(row.exercise), default=None)
    if work.rule and last and last.due:
        work = replace(work, rule=replace(work.rule, due=last.due), extension=last)
    marks = tuple(_mark(mark, rows) for mark in work.marks)
    return replace(work, marks=marks, comments=_comments(rows, active().lesson_of(work.notebook)))


def _mark(mark: Mark, rows: Rows) -> Mark:
    id = mark.exercise.id
    given = (row for row in rows if row.exercise == id and row.points is not None)
    return replace(mark, override=next(given, None), comments=_comments(rows, id))
