"""Reads the built tables: for each exercise some draws, with what our solution and every known slip
show on them.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from .compare import Mark, Row, TriedCase

COURSE = Path(__file__).resolve().parent.parent / "course"


def path_of(id: str) -> Path:
    """Where the table of an exercise is."""
    return COURSE / f"lesson_{id.partition('.')[0]}" / "built" / f"{id}.json"


@cache
def rows(id: str) -> tuple[Row, ...]:
    """The draws of an exercise, each beginning with the example. Raises LookupError when its table
    is missing.
    """
    try:
        record = json.loads(path_of(id).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise LookupError(
            f"the table of exercise {id} is missing; `python3 -m workshop build` makes it"
        ) from None
    example = _case(record["example"])
    return tuple((example, *map(_case, row)) for row in record["draws"])


def as_json(table: list[Row]) -> str:
    """A table as text, one case a line; the example, with which every draw begins, once."""
    draws = ["[" + ",\n".join(map(_line, row[1:])) + "]" for row in table]
    return f'{{"example": {_line(table[0][0])},\n"draws": [{(chr(44) + chr(10)).join(draws)}]}}\n'


def _case(record: dict[str, Any]) -> TriedCase:
    ours = dict(record["ours"])
    slips = {name: Mark(*mark) for name, mark in record["slips"].items()}
    outside = record.get("outside", {})
    return TriedCase(record["trial"], record["about"], record["inputs"], ours, slips, outside)


def _line(case: TriedCase) -> str:
    record = {
        "trial": case.trial,
        "about": case.about,
        "inputs": case.inputs,
        "ours": [*case.ours.items()],
        "slips": case.slips,
    }
    if case.outside:
        record["outside"] = case.outside
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))
