"""The plan of a grading run: inputs, limits, the lines of our solutions, owners of notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from .submission import Submission, of_facts

TIMEOUT_S = 10.0
"""For one cell."""
TIMEOUTS = 2
"""After so many checks of one exercise that ran out of time or killed their kernel, its others are
not run.
"""


@dataclass
class GradingPlan:
    """The plan of a grading run: made by the command, or from pytest's options."""

    seed: int
    timeout_s: float = TIMEOUT_S
    course: str = ""
    """The folder that `open_copy.prepare` made."""
    lines: dict[str, list[str]] = field(default_factory=dict)
    """By exercise, what the master's solution printed, check by check."""
    submissions: dict[str, Submission] = field(default_factory=dict)
    """By the path of its copy."""
    for_reports: bool = False
    """True if the command wants reports, which has looked at what lies beside a notebook."""
    alone: bool = False
    """True if nothing else is graded meanwhile: then a cell that runs out of time has only itself
    to blame.
    """

    def facts(self) -> dict[str, Any]:
        """Returns the plan as its file holds it."""
        submissions = {path: each.facts() for path, each in self.submissions.items()}
        return {**asdict(replace(self, submissions={})), "submissions": submissions}


def plan_of(facts: Mapping[str, Any]) -> GradingPlan:
    """The plan that a file holds."""
    submissions = {path: of_facts(Path(path), each) for path, each in facts["submissions"].items()}
    return GradingPlan(**{**facts, "submissions": submissions})


def notebook_s(exercises: int, timeout_s: float) -> float:
    """Seconds that running the cells of a whole notebook may take: enough for every exercise to run
    out of time.
    """
    return (TIMEOUTS * exercises + 2) * timeout_s
