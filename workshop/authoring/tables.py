"""Builds the tables that a check looks up: some draws, with what our solution and every known slip
show on them.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from workshop.checks.compare import Mark, Row, TriedCase, marked
from workshop.checks.register import Exercise, exercises
from workshop.checks.tables import as_json, path_of
from workshop.course.observing import Session, observer

from . import answers

ROOT = Path(__file__).resolve().parent.parent.parent
DRAWS = 12
VERIFIED = ROOT / ".workshop" / "tables.json"
"""For each exercise, of what its table was last built and found equal; only saves time."""


def cases_of(exercise: Exercise, draw: Random) -> list[tuple[str, str, Any]]:
    """The cases of one draw, the example first: (trial, what it is about, inputs).

    The entry "about" of a case is for the learner to read and does not reach the answer's process.
    Raises ValueError for inputs that JSON would change.
    """
    inputs = answers.cases(exercise.id).INPUTS[exercise.id]
    example = inputs(Random(f"{exercise.id}/example"))
    found = [("", next(iter(example.values()))[0])]
    found += [(trial, case) for trial, several in inputs(draw).items() for case in several]
    cases = []
    for trial, case in found:
        about = case.pop("about", "") if isinstance(case, dict) else ""
        if json.loads(json.dumps(case)) != case:
            raise ValueError(
                f"{exercise.id}, {trial}: inputs are JSON (no tuples, no objects): {case!r:.200}"
            )
        cases.append((trial, about, case))
    return cases


def row_of(exercise: Exercise, draw: Random) -> Row:
    """One draw, with our observation and the marks of each slip."""
    cases = cases_of(exercise, draw)
    inputs = [case for _, _, case in cases]
    ours = observed(exercise, answers.ours(exercise.id), inputs)
    for seen in ours:
        for aspect in [aspect for aspect in seen if exercise.rules.get(aspect) == "shown"]:
            del seen[aspect]
    slips: list[dict[str, Mark]] = [{} for _ in cases]
    for name in answers.cases(exercise.id).SLIPS[exercise.id]:
        theirs = observed(exercise, answers.slip(exercise.id, name), inputs)
        for number, seen in enumerate(theirs):
            mark = marked(seen, ours[number], exercise.rules)
            if mark:
                slips[number][name] = mark
    return [
        TriedCase(trial, about, case, ours[number], slips[number])
        for number, (trial, about, case) in enumerate(cases)
    ]


def observed(exercise: Exercise, source: str, inputs: list[Any]) -> list[dict[str, Any]]:
    """What is seen of an answer's source on some inputs, one after the other."""
    answer = answers.made(exercise.id, exercise.name, source)
    session = Session(observer(exercise.id), exercise.name)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        seen = [session.see(answer, json.loads(json.dumps(case))).seen for case in inputs]
        with contextlib.suppress(Exception):
            session.close()
    return json.loads(json.dumps(seen))


def draw_of(exercise: Exercise, number: int) -> Random:
    """Where the inputs of one row of the table come from."""
    return Random(f"{exercise.id}/{number}")


def table_of(exercise: Exercise) -> str:
    """The whole table of an exercise, as its file holds it."""
    return as_json([row_of(exercise, draw_of(exercise, number)) for number in range(DRAWS)])


def generated(lessons: tuple[str, ...] = ()) -> Iterator[tuple[Path, str]]:
    """Each exercise's table with its text, as it should be; what has not changed since it was last
    verified is read.
    """
    for exercise in exercises():
        if lessons and exercise.lesson not in lessons:
            continue
        path, digest = path_of(exercise.id), fingerprint(exercise)
        if path.exists() and _verified().get(exercise.id) == [digest, _digest(path.read_bytes())]:
            yield path, path.read_text(encoding="utf-8")
            continue
        text = table_of(exercise)
        _verify(exercise.id, [digest, _digest(text.encode())])
        yield path, text


def fingerprint(exercise: Exercise) -> str:
    """Changes whenever the table of an exercise might: solution, slips, observation, kernel,
    offline model.
    """
    folder = path_of(exercise.id).parent.parent
    sources = [
        ROOT / "workshop" / "checks" / "compare.py",
        Path(__file__),
        *sorted(folder.glob("*.py")),
    ]
    sources += sorted((ROOT / "workshop" / "course").glob("*.py"))
    for package in ("kernel", "offline_model"):
        sources += sorted(
            path for path in (ROOT / package).rglob("*") if path.suffix in (".py", ".toml")
        )
    given = [
        cell.source for cell in answers.master(exercise.lesson).cells if cell.cell_type == "code"
    ]
    parts = [path.read_bytes() for path in sources] + [source.encode() for source in given]
    return _digest(b"\0".join(parts), str(sorted(exercise.rules.items())).encode())


def _digest(*parts: bytes) -> str:
    return hashlib.sha256(b"\0\0".join(parts)).hexdigest()


def _verified() -> dict[str, list[str]]:
    try:
        return json.loads(VERIFIED.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def _verify(id: str, digests: list[str]) -> None:
    VERIFIED.parent.mkdir(exist_ok=True)
    VERIFIED.write_text(json.dumps({**_verified(), id: digests}), encoding="utf-8")
