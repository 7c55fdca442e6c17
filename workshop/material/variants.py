"""Lesson 08: an agent like another one, with another name, prompt or kit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from kernel import Agent, Tool


def like(
    agent: Agent, name: str = "", tools: Iterable[Tool] | None = None, system: str = ""
) -> Agent:
    """A copy of an agent; what is not given stays. With another prompt it answers in text."""
    return replace(
        agent,
        name=name or agent.name,
        tools=agent.tools if tools is None else tuple(tools),
        system=system or agent.system,
        output=None if system else agent.output,
    )
