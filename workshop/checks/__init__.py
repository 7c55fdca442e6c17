"""Exercises in a notebook, as lessons import them: check an answer, ask for a hint, see our
solution, see how far you are.
"""

from classroom.checks import (
    CheckFailed,
    Exercise,
    Misconception,
    UnknownExercise,
    check,
    exercise,
    exercises,
    hint,
    progress,
    reset,
    solution,
)

__all__ = [
    "CheckFailed",
    "Exercise",
    "Misconception",
    "UnknownExercise",
    "check",
    "exercise",
    "exercises",
    "hint",
    "progress",
    "reset",
    "solution",
]
