"""The gradebook as CSV and JSON, and every check as a line of JSON."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from classroom.grading.overrides import Override
from classroom.grading.plain import cell

from . import changes, same_answers
from .marks import Gradebook, Mark, Person

BYTE_ORDER_MARK = "\ufeff"
"""Without it spreadsheets read UTF-8 as something else."""


def as_csv(book: Gradebook) -> str:
    """A row for each learner: points of each exercise, their sum, what lateness took, the total,
    the share, flags.

    What has not been graded yet is an empty cell; a learner with such a cell has no total.
    """
    out = io.StringIO()
    table = csv.writer(out, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\r\n")
    names = [f"{exercise.id} (of {exercise.points})" for exercise in book.exercises]
    sums = ["points", "lost by lateness", "total", "of", "percent"]
    table.writerow(["learner", "number", *names, *sums, "flags"])
    for person in book.people:
        known = person.marks()
        marks = [_points(known[exercise.id]) for exercise in book.exercises]
        lost = round(person.points - person.total, 2)
        figures: list[float | str]
        figures = [person.points, lost, person.total, person.of, round(100 * person.share, 1)]
        if person.open:
            figures = ["", "", "", person.of, ""]
        flags = cell("; ".join(person.flags))
        table.writerow([cell(person.name), cell(person.number), *marks, *figures, flags])
    return BYTE_ORDER_MARK + out.getvalue()


def _points(mark: Mark) -> float | str:
    return "" if mark.state == "pending" else mark.points


def as_json(book: Gradebook) -> str:
    """All marks for a program. Names and files are exactly as they were handed in, in ASCII with
    escapes.
    """
    works = book.works()
    return (
        _dumps(
            {
                "written": book.written.isoformat(timespec="seconds"),
                "seeds": sorted({work.seed for work in works if work.seed is not None}),
                "sandbox": sorted({work.sandbox for work in works}),
                "late": {"due": book.rule.due.isoformat(), "rule": book.rule.text}
                if book.rule
                else None,
                "exercises": [
                    {"id": exercise.id, "title": exercise.title, "points": exercise.points}
                    for exercise in book.exercises
                ],
                "learners": [_person(person) for person in book.people],
                "unread": [{"file": file, "why": why} for file, why in book.unread],
                "aside": [{"file": file, "why": why} for file, why in book.aside],
                "overrides without effect": list(book.unused),
                **({"own class": list(book.own_class)} if book.own_class else {}),
                "changes": changes.as_facts(book.changes),
                "the same answer": [
                    {
                        "exercise": group.exercise.id,
                        "learners": [person.name for person in group.people],
                        "ours": group.ours,
                    }
                    for group in same_answers.groups(book)
                ],
            },
            indent=1,
        )
        + "\n"
    )


def _person(person: Person) -> dict[str, Any]:
    return {
        "learner": person.learner,
        "number": person.number,
        "page": f"learners/{person.page}.html",
        "points": person.points,
        "total": None if person.open else person.total,
        "of": person.of,
        "comments": list(person.comments),
        "flags": list(person.flags),
        "exercises": {
            id: {
                "points": None if mark.state == "pending" else mark.points,
                "checks": mark.checked,
                "override": _override(mark.override),
                "comments": list(mark.comments),
                "of": mark.exercise.points,
                "state": mark.state,
                "misconception": mark.misconception,
            }
            for id, mark in person.marks().items()
        },
        "notebooks": {
            work.notebook: {
                "file": work.file,
                "number": work.handed.number,
                "not graded yet": work.pending,
                "extension": _override(work.extension),
                "comments": list(work.comments),
                "older": list(work.older),
                "sha256": work.sha256,
                "submitted": work.submitted.isoformat(timespec="seconds")
                if work.submitted
                else None,
                "late": work.late,
                "points": None if work.open else work.points,
                "total": None if work.open else work.total,
                "of": work.of,
                "counted elsewhere": {mark.exercise.id: name for mark, name in work.elsewhere},
                "graded": work.graded,
                "seed": work.seed,
                "sandbox": work.sandbox,
                "course": work.course,
                "seconds": work.seconds,
            }
            for work in person.works
        },
    }


def _override(override: Override | None) -> dict[str, Any] | None:
    if override is None:
        return None
    due = override.due.isoformat() if override.due else None
    return {"points": override.points, "due": due, "reason": override.reason}


def as_lines(book: Gradebook) -> str:
    """A line of JSON for each check of each learner, also of what was not handed in or not run."""
    lines = [
        {
            "learner": person.learner,
            "notebook": work.notebook,
            "exercise": check.exercise,
            "trial": check.trial,
            "title": check.title,
            "hidden": check.hidden,
            "points": check.points,
            "earned": check.earned,
            "state": check.state,
            "seconds": check.seconds,
            "reason": check.reason,
            "sha256": work.sha256,
            "seed": work.seed,
        }
        for person in book.people
        for work in person.works
        for mark in work.marks
        for check in mark.checks
    ]
    return "".join(f"{_dumps(line)}\n" for line in lines)


def _dumps(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=True, allow_nan=False, indent=indent)
