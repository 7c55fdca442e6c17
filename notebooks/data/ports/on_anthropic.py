"""The team on the anthropic SDK, with a loop of our own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from anthropic import AsyncAnthropic, transform_schema
from desk import (
    ABOUT,
    BOSS,
    MAX_TOKENS,
    RESEARCHER,
    REVIEWER,
    SUPERVISE,
    TURNS,
    WORKER,
    WRITER,
    Verdict,
    message,
    search,
    server,
)

HANDOFF = {
    "type": "object",
    "required": ["intent"],
    "properties": {
        "intent": {"type": "string"},
        "context": {"type": "string"},
        "artifacts": {"type": "object", "additionalProperties": {"type": "string"}},
    },
}
SEARCH = {
    "name": "search",
    "description": search.__doc__,
    "input_schema": {
        "type": "object",
        "required": ["query"],
        "properties": {"query": {"type": "string"}},
    },
}
TEAM = [
    {"name": f"handoff_to_{name}", "description": about, "input_schema": HANDOFF}
    for name, about in ABOUT.items()
]
VERDICT = {"format": {"type": "json_schema", "schema": transform_schema(Verdict)}}
client = AsyncAnthropic(**server())


async def agent(
    model: str,
    system: str,
    text: str,
    tools: list[dict[str, Any]] | None = None,
    use: Callable[..., Awaitable[str]] | None = None,
    **more: Any,
) -> str:
    """One conversation, until the model answers instead of calling a tool."""
    messages: list[Any] = [{"role": "user", "content": text}]
    for _ in range(TURNS):
        reply = await client.messages.create(
            model=model,
            max_tokens=MAX_TOKENS,
            system=system,
            messages=messages,
            tools=tools or [],
            **more,
        )
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            return "".join(block.text for block in reply.content if block.type == "text")
        texts = await asyncio.gather(*(use(call.name, call.input) for call in calls))
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": text}
            for call, text in zip(calls, texts, strict=True)
        ]
        messages.append({"role": "assistant", "content": reply.content})
        messages.append({"role": "user", "content": results})
    raise RuntimeError("out of turns")


async def use(name: str, arguments: dict[str, Any]) -> str:
    """What a tool call does: a search, or a handoff to a specialist."""
    if name == "search":
        return await search(**arguments)
    text = message(**arguments)
    if name == "handoff_to_researcher":
        return await agent(WORKER, RESEARCHER, text, [SEARCH], use)
    if name == "handoff_to_writer":
        return await agent(WORKER, WRITER, text)
    return await agent(WORKER, REVIEWER, text, output_config=VERDICT)


async def team(task: str) -> str:
    """The brief on a task."""
    return await agent(BOSS, SUPERVISE, message(task), TEAM, use)
