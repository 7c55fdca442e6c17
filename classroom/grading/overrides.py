"""Changes by hand, from an instructor's DIR/overrides.csv: points, a due time, a comment; each with
its reason.

The columns are learner, exercise, points, due, reason and comment. The learner is named as in the
gradebook, or by the platform's number. An exercise is such as 03.1, a whole notebook such as 03 or
the name of a sitting; without one the row is about the learner.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from classroom.course import active

from .late import moment
from .plain import looks

FILE = "overrides.csv"
COLUMNS = ("learner", "exercise", "points", "due", "reason", "comment")


class Unusable(ValueError):
    """A row, or the file, makes no sense; the message says where, what was given and what was
    expected.
    """


@dataclass(frozen=True, kw_only=True)
class Override:
    """One row of the file."""

    learner: str
    exercise: str = ""
    """Such as 03.1, a notebook's number such as 03, or a sitting's name; empty for the learner as a
    whole.
    """
    points: float | None = None
    due: datetime | None = None
    reason: str = ""
    comment: str = ""
    row: int = 0
    """The line of the file in which it stands."""


def begin(file: Path) -> None:
    """Writes a file with the columns' names only, unless there is one."""
    if not file.exists():
        file.write_text("\ufeff" + ",".join(COLUMNS) + "\r\n", encoding="utf-8", newline="")


def read(file: Path, points: Mapping[str, float]) -> tuple[Override, ...]:
    """The rows of the file, none when there is no file. `points` has what each exercise is worth.
    Raises Unusable.
    """
    if not file.exists():
        return ()
    line = 1
    try:
        text = file.read_text(encoding="utf-8-sig")
        delimiter = ";" if ";" in text.partition("\n")[0] else ","
        table = csv.reader(io.StringIO(text), delimiter=delimiter)
        names = [name.strip().lower() for name in next(table, [])]
        if "learner" not in names or {*names} - {*COLUMNS, ""}:
            raise ValueError(f"the columns are {', '.join(names)}; expected {', '.join(COLUMNS)}")
        found: list[Override] = []
        seen: dict[tuple[str, str, str], int] = {}
        for row in table:
            line = table.line_num
            cells = dict(zip(names, (value.strip() for value in row), strict=False))
            if any(cells.values()):
                found.append(_of_row(cells, line, points))
                _refuse_double(found[-1], seen)
        return tuple(found)
    except UnicodeDecodeError:
        raise Unusable(f"{file} is not UTF-8; save it as `CSV UTF-8`") from None
    except (OSError, ValueError, csv.Error) as problem:
        raise Unusable(f"{file}, line {line}: {problem}") from None


def _of_row(cells: Mapping[str, str], line: int, points: Mapping[str, float]) -> Override:
    """One row. Raises ValueError, which says what was given and what was expected."""
    exercise = _exercise(cells.get("exercise", ""), points)
    given = _points(cells.get("points", ""), exercise, points)
    due = moment(cells["due"]) if cells.get("due") else None
    reason, comment = cells.get("reason", ""), cells.get("comment", "")
    if not cells["learner"]:
        raise ValueError("it names no learner")
    if given is None and due is None and not comment:
        raise ValueError("it changes nothing; expected points, a due time or a comment")
    if (given is not None or due is not None) and not reason:
        raise ValueError("points and due times need a reason, which the learner will read")
    return Override(
        learner=cells["learner"].removeprefix("'"),  # the gradebook's, before a formula
        exercise=exercise,
        points=given,
        due=due,
        reason=reason,
        comment=comment,
        row=line,
    )


def _exercise(text: str, points: Mapping[str, float]) -> str:
    """An exercise's or a notebook's number, or a sitting's name. Spreadsheets drop the first zero
    of 03.1.
    """
    full = f"0{text}" if re.fullmatch(r"\d(?:\.\d+)?", text) else text
    sittings = [each.name for each in active().sittings if points.keys() & {*each.exercises}]
    if full not in {"", *points, *(id.partition(".")[0] for id in points), *sittings}:
        books = " or ".join(["a notebook such as 03", *sittings])
        raise ValueError(f"exercise {text!r}: expected one such as 03.1, {books}")
    return full


def _points(text: str, exercise: str, points: Mapping[str, float]) -> float | None:
    if not text:
        return None
    if exercise not in points:
        raise ValueError(f"points {text!r} need an exercise, such as 03.1")
    number = text.replace(",", ".", 1)
    value = float(number) if re.fullmatch(r"\d+(\.\d*)?", number) else -1
    if not 0 <= value <= points[exercise]:
        bound = f"{points[exercise]} for {exercise}"
        raise ValueError(f"points {text!r}: expected a number from 0 to {bound}")
    return int(value) if value == int(value) else value


def _refuse_double(row: Override, seen: dict[tuple[str, str, str], int]) -> None:
    """Two rows that give the same learner points, or a due time, for the same thing contradict each
    other; `seen` has the lines of those before.
    """
    for column in ("points", "due"):
        key = (column, looks(row.learner), row.exercise)
        if getattr(row, column) is not None and seen.setdefault(key, row.row) != row.row:
            about = f"{column} for {row.learner}, {row.exercise or 'everything'}"
            raise ValueError(f"line {seen[key]} gives {about}, too")
