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
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from classroom.course import active

from .late import moment

FILE = "overrides.csv"
COLUMNS = ("learner", "exercise", "points", "due", "reason", "comment")
MOST_BYTES = 5 * 2**20


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
    rows, _ = _table(file)
    return _of_rows(file, rows, points)


def _table(file: Path) -> tuple[list[tuple[int, list[str]]], str]:
    """The rows of the file, each with its line, and the delimiter. Raises Unusable."""
    try:
        if file.stat().st_size > MOST_BYTES:
            raise Unusable(f"{file} is larger than {MOST_BYTES // 2**20} MB")
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise Unusable(f"{file} is not UTF-8; save it as `CSV UTF-8`") from None
    except OSError as problem:
        raise Unusable(f"{file} cannot be read ({problem.strerror})") from None
    first = text.partition("\n")[0]
    delimiter = ";" if ";" in first else ","
    table = csv.reader(io.StringIO(text), delimiter=delimiter)
    try:
        return [(table.line_num, row) for row in table], delimiter
    except csv.Error as problem:
        raise Unusable(f"{file}, line {table.line_num}: {problem}") from None


def _of_rows(
    file: Path, rows: list[tuple[int, list[str]]], points: Mapping[str, float]
) -> tuple[Override, ...]:
    names = [one_row.strip().lower() for one_row in rows[0][1]] if rows else []
    unknown = [name for name in names if name and name not in COLUMNS]
    if unknown or "learner" not in names:
        problem = f"there is no column {unknown[0]!r}" if unknown else "no column is named learner"
        raise Unusable(f"{file}, line 1: {problem}; expected {', '.join(COLUMNS)}")
    found: list[Override] = []
    for line, row in rows[1:]:
        if not any(value.strip() for value in row):
            continue
        cells = dict(zip(names, (value.strip() for value in row), strict=False))
        try:
            found.append(_of_row(cells, line, points))
        except ValueError as problem:
            raise Unusable(f"{file}, line {line}: {problem}") from None
    _once_each(file, found)
    return tuple(found)


def _of_row(cells: Mapping[str, str], line: int, points: Mapping[str, float]) -> Override:
    """One row. Raises ValueError, which says what was given and what was expected."""
    if not cells.get("learner"):
        raise ValueError("it names no learner")
    exercise = _exercise(cells.get("exercise", ""), points)
    given = _points(cells.get("points", ""), exercise, points)
    due = _due(cells.get("due", ""))
    reason, comment = cells.get("reason", ""), cells.get("comment", "")
    if given is None and due is None and not comment:
        raise ValueError("it changes nothing; expected points, a due time or a comment")
    if (given is not None or due is not None) and not reason:
        raise ValueError("points and due times need a reason, which the learner will read")
    return Override(
        learner=cells["learner"].removeprefix(
            "'"
        ),  # which the gradebook puts before what looks like a formula
        exercise=exercise,
        points=given,
        due=due,
        reason=reason,
        comment=comment,
        row=line,
    )


def _exercise(text: str, points: Mapping[str, float]) -> str:
    """An exercise's or a notebook's number, or a sitting's name."""
    if not text:
        return ""
    full = _full(text)
    sittings = [each.name for each in active().sittings if points.keys() & {*each.exercises}]
    known = {*points, *(id.partition(".")[0] for id in points), *sittings}
    if full not in known:
        books = " or ".join(["a notebook such as 03", *sittings])
        raise ValueError(f"exercise {text!r}: expected one such as 03.1, {books}")
    return full


def _full(text: str) -> str:
    """A number as it was meant: spreadsheets drop the first zero of 03.1."""
    return f"0{text}" if re.fullmatch(r"\d(?:\.\d+)?", text) else text


def _points(text: str, exercise: str, points: Mapping[str, float]) -> float | None:
    if not text:
        return None
    if exercise not in points:
        raise ValueError(f"points {text!r} need an exercise, such as 03.1")
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        value = float("nan")
    if not 0 <= value <= points[exercise]:
        raise ValueError(
            f"points {text!r}: expected a number from 0 to {points[exercise]} for {exercise}"
        )
    return int(value) if value == int(value) else value


def _due(text: str) -> datetime | None:
    if not text:
        return None
    try:
        return moment(text)
    except ValueError:
        raise ValueError(
            f"due {text!r}: expected a time with its zone, such as 2026-11-20T18:00Z"
        ) from None


def _once_each(file: Path, found: Iterable[Override]) -> None:
    """Two rows that give the same learner points, or a due time, for the same thing contradict each
    other.
    """
    seen: dict[tuple[str, str, str], int] = {}
    for each in found:
        for column in ("points", "due"):
            if getattr(each, column) is None:
                continue
            key = (column, plain(each.learner), each.exercise)
            if key in seen:
                about = f"{column} for {each.learner}, {each.exercise or 'everything'}"
                raise Unusable(f"{file}, line {each.row}: line {seen[key]} gives {about}, too")
            seen[key] = each.row


def plain(name: str) -> str:
    """A name as people compare it: whatever its capitals, spaces and way to write accents."""
    return " ".join(unicodedata.normalize("NFC", name).casefold().split())
