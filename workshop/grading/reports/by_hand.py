"""Applies the instructor's overrides to marks: points, due times and comments, on top of what the
checks gave.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from workshop.grading.overrides import Override, plain

from .marks import Mark, Person, Work


def apply(
    people: Sequence[Person], overrides: Sequence[Override]
) -> tuple[list[Person], list[str]]:
    """The people with their overrides, and a sentence for each row that changed nothing."""
    rows: dict[int, list[Override]] = {}
    unused: list[str] = []
    for override in overrides:
        found = _named(people, override.learner)
        if len(found) != 1:
            why = "nobody here has this name or number" if not found else "several people have it"
            unused.append(f"line {override.row}, {override.learner}: {why}")
        else:
            rows.setdefault(found[0], []).append(override)
            unused += _without_effect(people[found[0]], override)
    return [_changed(it, rows.get(at, [])) for at, it in enumerate(people)], unused


def _named(people: Sequence[Person], name: str) -> list[int]:
    """Who is meant: by the exact name, by the name as shown, by the platform's number, else by the
    name in other capitals.
    """
    exact = [at for at, it in enumerate(people) if name in (it.learner, it.name)]
    numbered = [
        at for at, it in enumerate(people) if name in (work.handed.number for work in it.works)
    ]
    alike = [at for at, it in enumerate(people) if plain(it.learner) == plain(name)]
    return exact or numbered or alike


def _without_effect(person: Person, override: Override) -> list[str]:
    where = f"line {override.row}, {override.learner}"
    lesson = override.exercise[:2]
    works = [it for it in person.works if lesson in ("", it.notebook[:2])]
    if not works:
        return [f"{where}: exercise {override.exercise} is not graded in this run"]
    if override.due and not any(it.rule for it in works):
        return [f"{where}: a due time counts only together with --due and --late"]
    return []


def _changed(person: Person, rows: Sequence[Override]) -> Person:
    works = tuple(_work(it, rows) for it in person.works)
    comments = tuple(it.comment for it in rows if it.comment and not it.exercise)
    return replace(person, works=works, comments=comments)


def _work(work: Work, rows: Sequence[Override]) -> Work:
    """A notebook with its rows; the due time that names it wins over one for everything."""
    lesson = work.notebook[:2]
    about = [it for it in rows if it.exercise[:2] in ("", lesson)]
    due = max((it for it in about if it.due), key=lambda it: len(it.exercise), default=None)
    rule = work.rule
    if rule is not None and due is not None and due.due is not None:
        rule = replace(rule, due=due.due)
    return replace(
        work,
        marks=tuple(_mark(it, rows) for it in work.marks),
        rule=rule,
        extension=due if rule is not None else None,
        comments=tuple(it.comment for it in about if it.comment and it.exercise == lesson),
    )


def _mark(mark: Mark, rows: Sequence[Override]) -> Mark:
    about = [it for it in rows if it.exercise == mark.exercise.id]
    override = next((it for it in about if it.points is not None), None)
    comments = tuple(it.comment for it in about if it.comment)
    return replace(mark, override=override, comments=comments)
