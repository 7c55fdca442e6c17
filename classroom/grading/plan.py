"""What a grading run is told: inputs, limits, what our solutions print, and whose notebooks there
are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

TIMEOUT_S = 10.0
"""For one cell."""
TIMEOUTS = 2
"""After so many checks of one exercise that ran out of time or killed their kernel, its others are
not run.
"""


@dataclass
class Plan:
    """What a grading run is told: written as JSON by the command, or made from pytest's own
    options.
    """

    seed: int
    timeout_s: float = TIMEOUT_S
    course: str = ""
    """The folder that `open_copy.prepare` made."""
    lines: dict[str, list[str]] = field(default_factory=dict)
    """By exercise, what the master's solution printed, check by check."""
    submissions: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By the path of its copy: learner, notebook, file, older, submitted, flags, key."""
    out: str = ""
    """The folder for the reports; empty for none."""
    fork: bool = False
    """Whether kernels are forked from one that has everything loaded."""
    alone: bool = False
    """Whether nothing else is graded meanwhile: then a cell that runs out of time has only itself
    to blame.
    """


def notebook_s(exercises: int, timeout_s: float) -> float:
    """Seconds that running the cells of a whole notebook may take: enough for every exercise to run
    out of time.
    """
    return (TIMEOUTS * exercises + 2) * timeout_s
