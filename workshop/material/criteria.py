"""Lesson 07: the criteria for a team and against one, in words of our own."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

FAVOUR = (
    "The roles need different prompts or tools.",
    "Each role works better with a small context of its own.",
    "Parts of the work can run at the same time.",
    "I want to swap one specialist without touching the others.",
)
"""The statements that speak for a team."""
AGAINST = (
    "Every role has to know nearly everything that the others know.",
    "The roles differ in tone only, not in what they can do.",
    "One agent with a good prompt does the task in a few calls.",
    "Seconds or dollars count more than the last bit of quality.",
)
"""The statements that speak against it."""
OPEN_ORDER = "What comes next depends on what the work finds."
"""Only then does a model have to choose the order."""
SENTENCE_END = re.compile(r"(?<!\.\w)(?<!\betc)(?<!\bvs)[.!?]+\s+(?=\w)")


@dataclass
class Criteria:
    """The criteria of one task, as somebody filled them in."""

    task: str = ""
    true: list[str] = field(default_factory=list)
    """The statements that are true of it."""
    roles: str = ""
    """A line for each specialist: its name, a colon, and its job in one sentence."""

    @property
    def favour(self) -> list[str]:
        """The statements for a team that are true."""
        return [statement for statement in FAVOUR if statement in self.true]

    @property
    def against(self) -> list[str]:
        """The statements against a team that are true."""
        return [statement for statement in AGAINST if statement in self.true]

    @property
    def open_order(self) -> bool:
        """True if the next step depends on the findings of the work."""
        return OPEN_ORDER in self.true

    @property
    def specialists(self) -> dict[str, str]:
        """The job of each specialist, by name; "" for one whose job is not said."""
        pairs = [line.partition(":") for line in self.roles.splitlines() if line.strip()]
        return {name.strip(): job.strip() for name, _, job in pairs}

    @property
    def unclear(self) -> list[str]:
        """The specialists whose job is not one sentence."""
        return [name for name, job in self.specialists.items() if len(sentences(job)) != 1]


def sentences(text: str) -> list[str]:
    """The sentences of a text; a dot inside a number or an abbreviation ends none."""
    return [part for part in SENTENCE_END.split(text) if re.search(r"\w", part)]
