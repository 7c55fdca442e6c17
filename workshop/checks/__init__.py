"""Exercises in a notebook, as lessons import them: check an answer, ask for a hint, see our
solution, see how far you are.
"""

from classroom.checks import check, hint, passed, progress, reset, solution

__all__ = ["check", "hint", "passed", "progress", "reset", "solution"]
