"""Lesson 02: one agent that does the jobs of a whole team in one conversation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kernel import Agent, ApiError, Conversation, Reply, Run, models
from kernel.core.tools import run_calls

MOST_TURNS = 8
"""Turns for one job."""


async def one_conversation(
    team: Sequence[Agent], jobs: Mapping[str, str], run: Run, **more: Any
) -> dict[str, Reply]:
    """Gives one agent the prompts and tools of the whole team, and the jobs one after the other.

    jobs: name → what the user asks for. more: further fields of each request, such as
    `cache_control`. Returns name → the last reply to that job. When a server refuses the growing
    conversation, the refusal is printed and the remaining jobs are missing.
    """
    tools = tuple(tool for agent in team for tool in agent.tools)
    request = {
        "model": models.worker,
        "system": "\n\n".join(agent.system for agent in team),
        "tools": [tool.definition for tool in tools],
        **more,
    }
    conversation = Conversation()
    replies = {}
    try:
        for name, message in jobs.items():
            conversation.append({"role": "user", "content": message})
            for _ in range(MOST_TURNS):
                reply = await run.ask(**request, messages=conversation)
                conversation.append(reply.as_message())
                if not reply.tool_calls:
                    break
                results, _ = await run_calls(tools, reply.tool_calls, run)
                conversation.append(results)
            replies[name] = reply
    except ApiError as refusal:  # a small model may not hold that much
        print(refusal)
    return replies
