"""The gradebook as CSV and as JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from classroom.grading.overrides import Override
from classroom.grading.plain import cell

from .marks import Gradebook, Person

BYTE_ORDER_MARK = "\ufeff"
"""Without it spreadsheets read UTF-8 as something else."""


def as_csv(book: Gradebook) -> str:
    """A row for each learner: points of each exercise, their sum, what lateness took, the total,
    the share, flags.

    What has not been graded yet is an empty cell; a learner with such a cell has no total.
    """
    names = [f"{exercise.id} (of {exercise.points})" for exercise in book.exercises]
    sums = ["points", "lost by lateness", "total", "of", "percent"]
    rows: list[list[object]] = [["learner", "number", *names, *sums, "flags"]]
    for person in book.people:
        known = person.marks()
        marks = [known[exercise.id] for exercise in book.exercises]
        points = ["" if mark.state == "pending" else mark.points for mark in marks]
        lost = round(person.points - person.total, 2)
        figures: list[object]
        figures = [person.points, lost, person.total, person.of, round(100 * person.share, 1)]
        if person.open:
            figures = ["", "", "", person.of, ""]
        names_of_person = [cell(person.name), cell(person.number)]
        rows.append([*names_of_person, *points, *figures, cell("; ".join(person.flags))])
    return table(rows, csv.QUOTE_NONNUMERIC)


def table(rows: Iterable[Iterable[object]], quoting: Any = csv.QUOTE_MINIMAL) -> str:
    """Rows as a file that every spreadsheet opens."""
    out = io.StringIO()
    csv.writer(out, quoting=quoting, lineterminator="\r\n").writerows(rows)
    return BYTE_ORDER_MARK + out.getvalue()


def as_json(book: Gradebook) -> str:
    """All marks for a program. Names and files are exactly as they were handed in, in ASCII with
    escapes.
    """
    works = book.works()
    rule = book.rule
    facts = {
        "written": book.written.isoformat(timespec="seconds"),
        "seeds": sorted({work.seed for work in works if work.seed is not None}),
        "sandbox": sorted({work.sandbox for work in works}),
        "late": {"due": rule.due.isoformat(), "rule": rule.text} if rule else None,
        "exercises": [
            {"id": exercise.id, "title": exercise.title, "points": exercise.points}
            for exercise in book.exercises
        ],
        "learners": [_person(person) for person in book.people],
        "unread": [{"file": file, "why": why} for file, why in book.unread],
        "aside": [{"file": file, "why": why} for file, why in book.aside],
        "overrides without effect": book.unused,
        "own class": book.own_class,
        "changes": [asdict(change) for change in book.changes],
    }
    return json.dumps(facts, allow_nan=False, indent=1) + "\n"


def _person(person: Person) -> dict[str, Any]:
    return {
        "learner": person.learner,
        "number": person.number,
        "page": f"learners/{person.page}.html",
        "points": person.points,
        "total": None if person.open else person.total,
        "of": person.of,
        "comments": person.comments,
        "flags": person.flags,
        "exercises": {
            id: {
                "points": None if mark.state == "pending" else mark.points,
                "checks": mark.checked,
                "override": _override(mark.override),
                "comments": mark.comments,
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
                "comments": work.comments,
                "older": work.older,
                "sha256": work.sha256,
                "submitted": work.submitted.isoformat() if work.submitted else None,
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
