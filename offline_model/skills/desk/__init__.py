"""Skills for work on a broken program: one module a skill; `material`, `amounts` and `edits` are what they share.

They know how programs, settings, logs and tickets are written, and no program, setting, log or ticket.
"""

from __future__ import annotations

from importlib import import_module

from ...answer import Answer
from ...reader.view import View

_SAYS = {
    "repair": "worker for code",
    "settings": "worker for settings",
    "records": "worker for logs and rows",
    "replan": "planner of a desk",
    "select": "selector of executors",
    "crosscheck": "synthesizer of findings",
    "patch_review": "reviewer of patches",
    "notify": "writer of a note",
}


class DeskSkill:
    """A module of this folder as a skill: its `fits`, and the function of its own name as the reply."""

    ROLES = ("desk", "plan", "synthesize", "review")
    WISHES = ("length", "verdict", "facts_only")

    def __init__(self, name: str) -> None:
        self.SAYS = _SAYS[name]
        module = import_module(f"{__name__}.{name}")
        self._fits, self._reply = module.fits, getattr(module, name)

    def fits(self, view: View) -> bool:
        return self._fits(view)

    def reply(self, view: View) -> Answer:
        return self._reply(view)

    def read(self, view: View) -> str:
        """The whole task: a ticket is read as it is."""
        return view.task


SKILLS = tuple(map(DeskSkill, _SAYS))
