"""Reads the built tables: what our solution and every known slip show on some draws.

A table holds no inputs: they are drawn again. Each row names the digest of its draw, so that a
table of other inputs is refused and never compared with.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from classroom.course import active

from .compare import CaseMark, Row, TriedCase
from .draws import ExerciseCase, cases_of, digest, draw_of


def path_of(id: str) -> Path:
    """Path of the table of an exercise."""
    return active().folder_of(id.partition(".")[0]) / "built" / f"{id}.json"


def count(id: str) -> int:
    """Number of rows in the table of an exercise. Raises LookupError when it is missing."""
    return len(_record(id)["draws"])


@cache
def row(id: str, number: int) -> Row:
    """One row of an exercise's table: the cases of a draw, the example first.

    Raises LookupError when the table is missing, or was built for other inputs.
    """
    record = _record(id)
    built = record["draws"][number]
    cases = cases_of(id, draw_of(id, number))
    if digest(cases) != built["of"]:
        raise LookupError(
            f"the table of exercise {id} was built for other inputs; `{active().command} build` "
            "makes it anew"
        )
    shown = [record["example"], *built["cases"]]
    return tuple(
        _with_marks(case, case_shown, record) for case, case_shown in zip(cases, shown, strict=True)
    )


def tried(case: ExerciseCase, ours: dict[str, Any], slips: dict[str, CaseMark]) -> TriedCase:
    """A case with what ours shows on it, and the marks of the slips."""
    return TriedCase(case.trial, case.about, case.inputs, ours, slips, case.outside)


@cache
def _record(id: str) -> dict[str, Any]:
    try:
        return json.loads(path_of(id).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise LookupError(
            f"the table of exercise {id} is missing; `{active().command} build` makes it"
        ) from None


def _with_marks(case: ExerciseCase, shown: list[Any], record: dict[str, Any]) -> TriedCase:
    """One case of a row: its inputs, what ours shows, and the marks of the slips."""
    ours, marks = shown
    slips = {}
    for name, mark in zip(record["slips"], marks, strict=True):
        if mark:
            aspect, first, whole = mark
            slips[name] = CaseMark(record["aspects"][aspect], first, whole)
    return tried(case, dict(ours), slips)


def as_json(table: Sequence[Row], slips: Sequence[str]) -> str:
    """A table as text, one case a line; the example, with which every draw begins, once.

    slips: the names of all slips, in the order in which their marks are written.
    """
    aspects = sorted(
        {mark.aspect for drawn in table for case in drawn for mark in case.slips.values()}
    )
    draws = []
    for drawn in table:
        lines = [_line(case, slips, aspects) for case in drawn[1:]]
        cases = [ExerciseCase(case.trial, case.about, case.inputs, case.outside) for case in drawn]
        draws.append(f'{{"of": "{digest(cases)}", "cases": [\n{_listed(lines)}\n]}}')
    head = [
        f'"slips": {_compact(slips)}',
        f'"aspects": {_compact(aspects)}',
        f'"example": {_line(table[0][0], slips, aspects)}',
    ]
    return f'{{{_listed(head)},\n"draws": [\n{_listed(draws)}\n]}}\n'


def _line(case: TriedCase, slips: Sequence[str], aspects: Sequence[str]) -> str:
    """Returns a case as a line of the table: our observation, and the mark of each slip; 0 where a
    slip is right.
    """
    marks = []
    for name in slips:
        mark = case.slips.get(name)
        marks.append([aspects.index(mark.aspect), mark.first, mark.whole] if mark else 0)
    return _compact([[*case.ours.items()], marks])


def _listed(lines: Sequence[str]) -> str:
    return ",\n".join(lines)


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
