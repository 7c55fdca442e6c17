"""Skills for work on a broken program: one module a skill; `material`, `amounts` and `edits` are what they share.

They know how programs, settings, logs and tickets are written, and no program, setting, log or ticket.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from ...answer import Answer
from ...reader.view import View
from .material import expected, ticket_in

_NAMES = (
    "repair",
    "settings",
    "records",
    "select",
    "crosscheck",
    "patch_review",
    "notify",
)
_OF_A_TICKET = ("repair", "settings", "records", "notify", "patch_review")


class DeskSkill:
    """A module of this folder as a skill: its `fits`, and the function of its own name as the reply."""

    def __init__(self, name: str) -> None:
        self.name = name
        module = import_module(f"{__name__}.{name}")
        self._fits: Callable[[View], bool] = module.fits
        self._reply: Callable[[View], Answer] = getattr(module, name)

    def fits(self, view: View) -> bool:
        return self._fits(view)

    def reply(self, view: View) -> Answer:
        return self._reply(view)

    def read(self, view: View) -> str:
        """The ticket in the task; the whole task, where its words choose or are held against a patch."""
        if self.name in ("select", "patch_review"):
            return view.task
        return ticket_in(view)

    def about(self, view: View) -> str:
        """Returns the ticket's expectation."""
        return expected(view) if self.name in _OF_A_TICKET else ""


SKILLS = tuple(map(DeskSkill, _NAMES))
