"""Exercises in a notebook: check an answer, ask for a hint, see our solution, see how far
you are.
"""

from .engine import CheckFailed, check
from .hints import hint, solution
from .progress import reset
from .progress_table import progress
from .register import Exercise, Misconception, UnknownExercise, exercise, exercises, turns
from .your_turn import passed

__all__ = [
    "CheckFailed",
    "Exercise",
    "Misconception",
    "UnknownExercise",
    "check",
    "exercise",
    "exercises",
    "hint",
    "passed",
    "progress",
    "reset",
    "solution",
    "turns",
]
