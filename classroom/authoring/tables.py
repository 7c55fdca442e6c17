"""Builds the tables that a check looks up: some draws, with what our solution and every known slip
show on them.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from classroom.checks.compare import Row, marked
from classroom.checks.draws import cases_of, draw_of
from classroom.checks.register import Exercise, exercises, turns
from classroom.checks.tables import as_json, path_of, tried
from classroom.course import active
from classroom.notebook import kept
from classroom.observing import Session, observer, read

from . import answers

DRAWS = 12
HERE = Path(__file__).resolve()
CODE = [
    HERE,
    *((HERE.parent.parent / "checks" / f"{name}.py") for name in ("compare", "draws", "tables")),
]
"""The toolkit's own code that a table depends on."""
VERIFIED = "tables.json"


def row_of(exercise: Exercise, draw: Random) -> Row:
    """One draw, with our observation and the marks of each slip."""
    id = exercise.id
    cases = [tried(case, {}, {}) for case in cases_of(id, draw)]
    solution = answers.ours(id)
    ours = observed(exercise, solution, cases)
    only_shown = [aspect for aspect, rule in exercise.rules.items() if rule == "shown"]
    for seen in ours:
        for aspect in only_shown:
            seen.pop(aspect, None)
    row = [replace(case, ours=seen, slips={}) for case, seen in zip(cases, ours, strict=True)]
    for name in exercise.slips:
        source = answers.slip(id, name)
        theirs = observed(exercise, source, cases)
        for case, seen in zip(row, theirs, strict=True):
            mark = marked(seen, case.ours, exercise.rules)
            if mark:
                case.slips[name] = mark
    return row


def unnamed(exercise: Exercise, rows: list[Row]) -> str:
    """Returns the reason that a check could not name one of the slips: it passes, or looks like
    another one; "" when all are told apart.
    """
    remedy = "let the observation show more, or draw a case that shows it"
    alike: dict[str, str] = {}
    for name in exercise.slips:
        marks = [[case.slips.get(name) for case in row] for row in rows]
        if not any(mark for row in marks for mark in row):
            return f"the slip {name!r} of {exercise.id} passes: {remedy}"
        other = alike.setdefault(repr(marks), name)
        if other != name:
            return f"the slips {other!r} and {name!r} of {exercise.id} look alike: {remedy}"
    return ""


def observed(exercise: Exercise, source: str, cases: Row) -> list[dict[str, Any]]:
    """Returns the observations of an answer's source on some cases, one after the other."""
    name = exercise.name
    answer = answers.made(exercise.id, name, source)
    observe = observer(exercise.id)
    session = Session(observe, name)
    silence = io.StringIO()
    with contextlib.redirect_stdout(silence), contextlib.redirect_stderr(silence):
        seen = [session.see(answer, stored(case.inputs)).seen for case in cases]
        with contextlib.suppress(Exception):
            session.close()
    return [
        read(exercise.id, one, case.outside) for one, case in zip(stored(seen), cases, strict=True)
    ]


def stored(value: Any) -> Any:
    """A copy as it is after a file or a pipe."""
    return json.loads(json.dumps(value))


def table_of(exercise: Exercise) -> str:
    """The whole table of an exercise, as its file holds it. Raises ValueError for a slip that a
    check could not name.
    """
    draws = [draw_of(exercise.id, number) for number in range(DRAWS)]
    rows = [row_of(exercise, draw) for draw in draws]
    if problem := unnamed(exercise, rows):
        raise ValueError(problem)
    return as_json(rows, [*exercise.slips])


def generated(lessons: tuple[str, ...] = ()) -> Iterator[tuple[Path, str]]:
    """Each exercise's table with its text, as it should be; what has not changed since it was last
    verified is read.
    """
    for exercise in (*exercises(), *turns()):
        if not lessons or exercise.lesson in lessons:
            yield path_of(exercise.id), _text_of(exercise)


def _text_of(exercise: Exercise) -> str:
    path = path_of(exercise.id)
    source = fingerprint(exercise)
    if path.exists():
        table = _digest(path.read_bytes())
        if _verified().get(exercise.id) == [source, table]:
            return path.read_text(encoding="utf-8")
    text = table_of(exercise)
    table = _digest(text.encode())
    _verify(exercise.id, [source, table])
    return text


def fingerprint(exercise: Exercise) -> str:
    """Changes whenever the table of an exercise might: solution, slips, observation, kernel,
    offline model.
    """
    folder = path_of(exercise.id).parent.parent
    paths = [*CODE, *sorted(folder.glob("*.py")), *sorted(folder.parent.glob("*.py"))]
    for package in active().packages:
        files = (active().root / package).rglob("*")
        paths += sorted(file for file in files if file.suffix in (".py", ".toml"))
    book = answers.lesson_book if exercise.is_turn else answers.master
    cells = book(exercise.lesson).cells
    parts = [path.read_bytes() for path in paths]
    parts += [cell.source.encode() for cell in cells if cell.cell_type == "code"]
    sources = b"\0".join(parts)
    rules = str(sorted(exercise.rules.items())) + str([*exercise.changes.items()])
    return _digest(sources, rules.encode())


def _digest(*parts: bytes) -> str:
    content = b"\0\0".join(parts)
    return hashlib.sha256(content).hexdigest()


def _verified() -> dict[str, list[str]]:
    """For each exercise, of what its table was last built and found equal; only saves time."""
    try:
        text = kept.place(VERIFIED).read_text(encoding="utf-8")
        return json.loads(text)
    except (OSError, ValueError):
        return {}


def _verify(id: str, digests: list[str]) -> None:
    verified = {**_verified(), id: digests}
    file = kept.place(VERIFIED)
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(verified), encoding="utf-8")
