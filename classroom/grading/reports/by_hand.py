"""Applies the instructor's overrides to marks: points, due times and comments, on top of what the
checks gave.
"""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from classroom.checks import exercises
from classroom.course import active
from classroom.grading.overrides import Override, plain

from .marks import GradedWork, Mark, Person


def apply(
    people: Sequence[Person], overrides: Sequence[Override]
) -> tuple[list[Person], list[str]]:
    """The people with their overrides, and a sentence for each row that changed nothing."""
    rows: dict[int, list[Override]] = {}
    unused: list[str] = []
    for override in overrides:
        found = _named(people, override.learner)
        where = f"line {override.row}, {override.learner}"
        if not found:
            unused.append(f"{where}: nobody here has this name or number{_like(people, override)}")
        elif len(found) > 1:
            unused.append(f"{where}: several people have it")
        else:
            [place] = found
            rows.setdefault(place, []).append(override)
            unused += _without_effect(people[place], override)
    changed = []
    for index, person in enumerate(people):
        own = rows.get(index, [])
        changed.append(_changed(person, own))
    return changed, unused


def by_letters(name: str) -> str:
    """Returns a name by its bare letters: É beside E, and no difference of capitals."""
    parts = unicodedata.normalize("NFKD", name)
    return "".join(sign for sign in parts if not unicodedata.combining(sign)).casefold()


def _like(people: Sequence[Person], override: Override) -> str:
    """Returns a question after the person who was meant, if one has nearly this name."""
    names = {by_letters(person.learner): person.name for person in people}
    close = difflib.get_close_matches(by_letters(override.learner), names, n=1, cutoff=0.85)
    return f"; did you mean {names[close[0]]}?" if close else ""


def _named(people: Sequence[Person], name: str) -> list[int]:
    """Indices of the people whom a name means: by the exact name, by the name as shown, by the
    platform's number, else by the name in other capitals.
    """
    exact = []
    numbered = []
    alike = []
    for index, person in enumerate(people):
        numbers = [work.handed.number for work in person.works]
        if name in (person.learner, person.name):
            exact.append(index)
        if name in numbers:
            numbered.append(index)
        if plain(person.learner) == plain(name):
            alike.append(index)
    return exact or numbered or alike


def _without_effect(person: Person, override: Override) -> list[str]:
    where = f"line {override.row}, {override.learner}"
    works = [work for work in person.works if _is_about(override, work)]
    if not works:
        return [f"{where}: exercise {override.exercise} is not graded in this run"]
    if override.due and not any(work.rule for work in works):
        return [f"{where}: a due time counts only together with --due and --late"]
    if override.due and not any(_is_due_of(override, work) for work in works):
        books = " and ".join(active().lesson_of(work.notebook) for work in works)
        return [
            f"{where}: the due time of {override.exercise} is that of lesson "
            f"{override.exercise[:2]}, which is not graded in this run; expected {books}"
        ]
    return []


def _is_due_of(row: Override, work: GradedWork) -> bool:
    """True if the due time of a row is that of a notebook: an exercise is due with its lesson, also
    where a sitting has it, too.
    """
    lesson = active().lesson_of(work.notebook)
    return row.exercise in ("", lesson) or row.exercise.partition(".")[0] == lesson


def _is_about(row: Override, work: GradedWork) -> bool:
    """True if a row concerns a notebook: one of its exercises, all of it, or everything."""
    lesson = active().lesson_of(work.notebook)
    ids = [known.id for known in exercises(lesson)]
    return row.exercise in ("", lesson, *ids)


def _changed(person: Person, rows: Sequence[Override]) -> Person:
    works = tuple(_work(work, rows) for work in person.works)
    on_everything = [row for row in rows if not row.exercise]
    comments = _comments(on_everything)
    return replace(person, works=works, comments=comments)


def _comments(rows: Sequence[Override]) -> tuple[str, ...]:
    return tuple(row.comment for row in rows if row.comment)


def _work(work: GradedWork, rows: Sequence[Override]) -> GradedWork:
    """A notebook with its rows; the due time that names it wins over one for everything."""
    lesson = active().lesson_of(work.notebook)
    about = [row for row in rows if _is_about(row, work)]
    with_due = [override for override in about if override.due and _is_due_of(override, work)]
    due = max(with_due, key=lambda override: len(override.exercise), default=None)
    rule = work.rule
    if rule is not None and due is not None and due.due is not None:
        rule = replace(rule, due=due.due)
    on_notebook = [override for override in about if override.exercise == lesson]
    return replace(
        work,
        marks=tuple(_mark(mark, rows) for mark in work.marks),
        rule=rule,
        extension=due if rule is not None else None,
        comments=_comments(on_notebook),
    )


def _mark(mark: Mark, rows: Sequence[Override]) -> Mark:
    about = [row for row in rows if row.exercise == mark.exercise.id]
    with_points = [row for row in about if row.points is not None]
    override = with_points[0] if with_points else None
    return replace(mark, override=override, comments=_comments(about))
