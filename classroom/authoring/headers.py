"""Writes the header of each exercise: title, difficulty, importance, minutes, points and why."""

from __future__ import annotations

import re
from typing import Any

from classroom.checks.register import Exercise, exercises
from classroom.course import active

DIFFICULTY = ("very easy", "easy", "medium", "hard", "very hard")
"""1 to 5, in words."""
IMPORTANCE = ("a curiosity", "low", "medium", "high", "everything rests on it")
MARKS = re.compile(r"## \d\d\.\d(?:\s|$)|Difficulty(?: [●○]|\s*$)|\*Why:\*(?:\s|$)")
"""The beginnings of the paragraphs of a header."""


def headed(notebook: Any) -> Any:
    """The notebook of solutions with the header of each of its exercises, in place."""
    known = {exercise.id: exercise for exercise in exercises()}
    for cell in notebook.cells:
        facts = cell.metadata.get(active().key, {})
        if facts.get("role") == "text" and facts.get("id") in known:
            own = [part for part in cell.source.split("\n\n") if not MARKS.match(part)]
            cell.source = "\n\n".join([*header(known[facts["id"]]), *own])
    return notebook


def header(exercise: Exercise) -> list[str]:
    """The paragraphs that an exercise's text begins with, from its words."""
    points = f"{exercise.points} point{'s' * (exercise.points != 1)}"
    minutes = f"about {exercise.minutes} minute{'s' * (exercise.minutes != 1)}"
    facts = [
        f"Difficulty {_dots(exercise.difficulty)} ({DIFFICULTY[exercise.difficulty - 1]})",
        f"importance {_dots(exercise.importance)} ({IMPORTANCE[exercise.importance - 1]})",
        minutes,
        points,
    ]
    why = f"{exercise.why[0].lower()}{exercise.why[1:]}"
    return [f"## {exercise.id} {exercise.title}", " · ".join(facts), f"*Why:* {why}"]


def _dots(level: int) -> str:
    return "●" * level + "○" * (5 - level)
