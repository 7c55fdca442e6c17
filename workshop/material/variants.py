"""Lesson 08: agents with another name, prompt or kit; and how far one reads in a trace."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

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


def with_tool(agent: Agent, tool: Tool) -> Agent:
    """A copy of an agent with this tool, in place of one of the same name."""
    kit = {each.name: each for each in agent.tools}
    return like(agent, tools={**kit, tool.name: tool}.values())


def read_until(events: Iterable[Any], words: str) -> int:
    """How many events one reads until these words. Raises StopIteration when none has them."""
    return next(place for place, event in enumerate(events, 1) if words in str(event))
