"""Types that the offline API and its reader share: an answer, a temperament, and the input form of
a tool.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .account import Account


@dataclass(frozen=True)
class Answer:
    """The reply of a skill; the API adds ids, usage, thinking blocks and the stop reason."""

    content: tuple[dict[str, Any], ...]
    """{"type":"text","text":...} and {"type":"tool_use","name":...,"input":{...}}, without ids."""
    thinking: str = ""
    """One short sentence on why; shown in a thinking block only where the API shows thinking."""
    refusal: str = ""
    """The reason for no answer: the explanation of a reply whose stop reason is "refusal"."""
    account: Account | None = None
    """An account of the request; sent in the response header `offline-understood`."""

    @classmethod
    def say(cls, text: str, why: str) -> Answer:
        """An answer in words."""
        return cls(({"type": "text", "text": text},), why)

    @classmethod
    def refuse(cls, reason: str, why: str) -> Answer:
        """No answer: there is nothing to work on, or nobody who could."""
        return cls((), why, reason)

    @classmethod
    def call(cls, calls: list[tuple[str, dict[str, Any]]], why: str) -> Answer:
        """Calls of tools, each as its name and input."""
        uses = [{"type": "tool_use", "name": name, "input": given} for name, given in calls]
        return cls(tuple(uses), why)


@dataclass(frozen=True)
class Temperament:
    """Ordinary parameters for the failure lab; the default is a well-behaved model."""

    never_content: bool = False  # reviewer: always finds something (vague) to revise
    never_done: bool = False  # researcher: goes on searching while it may
    drops_facts: bool = False  # supervisor: hands work on without the facts
    attention: int = (
        6000  # estimated tokens; beyond them the reader overlooks things (an assumption)
    )


def as_form(request: dict[str, Any], tool: dict[str, Any]) -> dict[str, Any]:
    """The request as one for an answer in the shape of a tool's input."""
    schema = tool.get("input_schema") or {}
    shape = {"format": {"type": "json_schema", "schema": schema}}
    form = {key: value for key, value in request.items() if key not in ("tools", "tool_choice")}
    form["output_config"] = shape
    return form
