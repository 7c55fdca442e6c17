"""Answers on rows of an exercise's table, for the tests of what is right and what is not."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from typing import Any

import pytest

from classroom.authoring import answers, tables
from classroom.checks import engine, exercises, turns
from classroom.checks.compare import Row, TriedCase, differing
from classroom.checks.register import Exercise
from classroom.checks.verdict import CheckVerdict
from classroom.observing import Session, Sight, observer, read

ALL = exercises()
KINDS = ("00.1", "02.1", "03.1", "06.1", "17.2", "27.1")
"""An exercise of each kind: on these `test` proves what the engine does with any answer."""
EVERY = pytest.mark.parametrize("exercise", [*ALL, *turns()], ids=lambda exercise: exercise.id)
"""Exercises, and the turns in lessons."""
SOME = pytest.mark.parametrize(
    "exercise",
    [
        pytest.param(one, id=one.id, marks=[] if one.id in KINDS else pytest.mark.exhaustive)
        for one in ALL
    ],
)
"""An exercise of each kind; all of them under `--all`."""


def made(exercise: Exercise, source: str) -> Any:
    """An answer of its own, in a notebook of its own."""
    return answers.made(exercise.id, exercise.name, source)


def judged(exercise: Exercise, source: str, row: Row) -> tuple[CheckVerdict, list[Sight]]:
    """The verdict on an answer, and what was seen of it in the same run."""
    seen: list[Sight] = []

    def noted(exercise: Exercise, row: Row, sights: list[Sight], pictures: Any) -> CheckVerdict:
        seen[:] = sights
        return explain(exercise, row, sights, pictures)

    explain = engine.explain
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "explain", noted)
        return engine.judge(exercise, made(exercise, source), row=row), seen


@contextlib.contextmanager
def session_of(exercise: Exercise) -> Iterator[Session]:
    """Where an answer is observed; what it prints is dropped."""
    session = Session(observer(exercise.id), exercise.name)
    silence = io.StringIO()
    with contextlib.redirect_stdout(silence), contextlib.redirect_stderr(silence):
        yield session
        with contextlib.suppress(Exception):
            session.close()


def earned(exercise: Exercise, row: Row, answer: Any) -> list[str]:
    """The trials that an answer passes; a trial's cases are tried until one is missed."""
    missed = set()
    with session_of(exercise) as session:
        for case in row:
            if case.trial not in missed and not _right(exercise, session, answer, case):
                missed.add(case.trial)
    return [trial.title for trial in exercise.trials if trial.name not in missed]


def _right(exercise: Exercise, session: Session, answer: Any, case: TriedCase) -> bool:
    try:
        seen = session.see(answer, tables.stored(case.inputs)).seen
    except ValueError:  # it returned too much to be read
        return False
    compared = read(exercise.id, tables.stored(seen), case.outside)
    return not differing(compared, case.ours, exercise.rules)
