"""One module a skill; `SKILLS` says in which order they are asked. No skill imports another one's choice.

A skill is a module with the names of the Protocol `Skill`. To add one, write the module, put its name into
`SKILLS` before the skills that would take its requests, and its table into `lexicon/behaviours.toml`.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Protocol

from ..answer import Answer
from ..reader.view import View

SKILLS = (
    "supervise",
    "plan",
    "judge",
    "review",
    "research",
    "synthesize",
    "revise",
    "write",
    "tool_use",
    "fill",
    "talk",
)
"""In the order of asking, behind those of the on-call desk: the first whose `fits(view)` says yes answers."""


class Skill(Protocol):
    """One thing that the offline model can do."""

    def fits(self, view: View) -> bool:
        """True if a request is for this skill."""

    def reply(self, view: View) -> Answer:
        """Returns the answer. Pure: the same view gives the same answer."""

    def read(self, view: View) -> str:
        """The words of the task that it used beside its topic; what they leave is not understood."""

    def about(self, view: View) -> str:
        """Returns the topic of the task as this skill takes it; "" where it decides nothing."""


def name_of(skill: Skill) -> str:
    """The behaviour that a skill is: its table in the lexicon."""
    named = getattr(skill, "__name__", "") or getattr(skill, "name", "")
    return named.rpartition(".")[2]


@cache
def skills() -> tuple[Skill, ...]:
    """All skills, loaded on first use."""
    desk = import_module(f"{__name__}.desk").SKILLS
    general = (import_module(f"{__name__}.{name}") for name in SKILLS)
    return (*desk, *general)
