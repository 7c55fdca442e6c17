"""One graded check of one answer: what grades writes it into its report, and the pages read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

State = Literal[
    "passed", "failed", "error", "timeout", "killed", "missing", "tampered", "not-run", "pending"
]
"""The outcome of a check; `pending` is a check that has no report yet."""
REPORTED = tuple(state for state in get_args(State) if state != "pending")
"""The states that a report may hold."""


@dataclass(frozen=True, kw_only=True)
class Check:
    """One trial of one exercise, for one learner."""

    exercise: str
    trial: int
    title: str
    hidden: bool
    points: float
    earned: float = 0
    state: State = "not-run"
    reason: str = ""
    came: str = ""
    """The first aspect that is not right, with what the answer did."""
    expected: str = ""
    """The same aspect, with what our solution did."""
    seconds: float = 0.0
