"""The graded checks: what each one looks at; a lesson's module is imported when it is asked for."""

from __future__ import annotations

from importlib import import_module

from .trial import Trial, canonical, see

__all__ = ["Trial", "canonical", "see", "trials"]


def trials(id: str) -> tuple[Trial, ...]:
    """The trials of the exercise `id`, in order. Raises LookupError when it has none."""
    try:
        return import_module(f"{__name__}.lesson_{id.partition('.')[0]}").TRIALS[id]
    except (ModuleNotFoundError, KeyError):
        raise LookupError(f"exercise {id!r} has no trials; write them in workshop/grading/trials/lesson_NN.py") from None
