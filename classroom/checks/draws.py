"""Draws what an answer is tried on: the cases of an exercise, from a source of chance."""

from __future__ import annotations

import hashlib
import json
from random import Random
from typing import Any, NamedTuple

from classroom.course import active


class ExerciseCase(NamedTuple):
    """One thing that an answer is tried on."""

    trial: str
    """The name of the graded trial that it belongs to; empty for the example."""
    about: str
    """A description of the case, for the learner; the answer's process does not get it."""
    inputs: Any
    """The inputs of `observe`, as JSON holds them: what the answer is called with, and how what it
    meets behaves."""
    outside: dict[str, Any]
    """Facts that only `read` needs, after the answer has ended; no answer's process gets them."""


def draw_of(id: str, number: int) -> Random:
    """The source of chance of one row of an exercise's table."""
    return Random(f"{id}/{number}")


def cases_of(id: str, draw: Random) -> list[ExerciseCase]:
    """The cases of one draw, the exercise's example first.

    Raises ValueError for inputs that JSON would change.
    """
    trials = _inputs(id, Random(f"{id}/example"))
    example = next(iter(trials.values()))[0]
    return [_case(id, "", example), *drawn(id, draw)]


def drawn(id: str, draw: Random) -> list[ExerciseCase]:
    """The cases of one draw, in the order of the trials. Raises ValueError as `cases_of` does."""
    cases = []
    for trial, several in _inputs(id, draw).items():
        cases += [_case(id, trial, case) for case in several]
    return cases


def digest(cases: list[ExerciseCase]) -> str:
    """A short fingerprint of some cases: a table of another draw has another one."""
    text = json.dumps(cases, ensure_ascii=True, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _inputs(id: str, draw: Random) -> dict[str, list[Any]]:
    """Draws inputs with the function of the exercise's author; returns them by trial."""
    lesson = id.partition(".")[0]
    return active().part_of(lesson, "inputs").INPUTS[id](draw)


def _case(id: str, trial: str, inputs: Any) -> ExerciseCase:
    if json.loads(json.dumps(inputs)) != inputs:
        raise ValueError(f"{id}, {trial}: inputs are JSON (no tuples, no objects): {inputs!r:.200}")
    if not isinstance(inputs, dict):
        return ExerciseCase(trial, "", inputs, {})
    own = dict(inputs)
    about = own.pop("about", "")
    outside = own.pop("outside", {})
    return ExerciseCase(trial, about, own, outside)
