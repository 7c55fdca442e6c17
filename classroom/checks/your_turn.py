"""Turns: functions that learners write within a lesson, where ours would stand.

Our way stands below the check, under `if not passed("12.t1"):`, so that it never replaces an answer
that passed, and a lesson runs on from top to bottom without any.
"""

from __future__ import annotations

import sys
from typing import Any

from classroom.observing import file_of

from .register import exercise

_passed: dict[str, Any] = {}
"""The answer to each turn that passed last, in this kernel."""
_our_cells: set[tuple[str, str]] = set()
"""The cells that have asked whether a turn has passed, and were to go on with our way: its id, and
the cell's file, as Python names it."""


def passed(id: str) -> bool:
    """True while the check of a turn has passed, in this kernel, on the answer that its name now
    holds.

    Raises UnknownExercise for an id that is none.
    """
    cell = sys._getframe(1)
    name = exercise(id).name
    if id in _passed and cell.f_globals.get(name) is _passed[id]:
        return True
    _our_cells.add((id, cell.f_code.co_filename))
    return False


def is_ours(id: str, answer: Any) -> bool:
    """True if an answer is our way, which ran because none had passed."""
    return (id, file_of(answer)) in _our_cells


def note(id: str, answer: Any, *, has_passed: bool) -> None:
    """Remembers whether an answer has passed; another one may have before."""
    if has_passed:
        _passed[id] = answer
    elif _passed.get(id) is answer:
        del _passed[id]
