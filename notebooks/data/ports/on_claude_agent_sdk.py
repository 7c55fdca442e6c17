"""The team on claude-agent-sdk, which starts its own command-line agent for each conversation."""

from __future__ import annotations

import json
from typing import Any

from claude_agent_sdk import (
    ClaudeAgentOptions,
    ResultMessage,
    create_sdk_mcp_server,
    query,
    tool,
)
from desk import (
    ABOUT,
    BOSS,
    RESEARCHER,
    REVIEWER,
    SUPERVISE,
    TURNS,
    WORKER,
    WRITER,
    Verdict,
    message,
    search,
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
VERDICT = {"type": "json_schema", "schema": Verdict.model_json_schema()}


async def agent(
    model: str, system: str, text: str, tools: tuple[Any, ...] = (), **more: Any
) -> str:
    """One conversation, in a process of its own."""
    options = ClaudeAgentOptions(
        model=model,
        system_prompt=system,
        max_turns=TURNS,
        tools=[],  # without this line it could read files and run commands
        setting_sources=[],
        mcp_servers={"desk": create_sdk_mcp_server("desk", tools=list(tools))},
        allowed_tools=[f"mcp__desk__{each.name}" for each in tools],
        **more,
    )
    async for event in query(prompt=text, options=options):
        if isinstance(event, ResultMessage):
            answer = event
    if answer.is_error:
        raise RuntimeError(answer.result or answer.subtype)
    return json.dumps(answer.structured_output) if more else answer.result


def content(text: str) -> dict[str, Any]:
    """What a tool gives back."""
    return {"content": [{"type": "text", "text": text}]}


@tool("search", search.__doc__, {"query": str})
async def look(arguments: dict[str, Any]) -> dict[str, Any]:
    return content(await search(**arguments))


def handoff_tool(name: str, system: str, tools: tuple[Any, ...] = (), **more: Any) -> Any:
    """A specialist as a tool of the supervisor."""

    @tool(f"handoff_to_{name}", ABOUT[name], HANDOFF)
    async def handoff(arguments: dict[str, Any]) -> dict[str, Any]:
        return content(await agent(WORKER, system, message(**arguments), tools, **more))

    return handoff


TEAM = (
    handoff_tool("researcher", RESEARCHER, (look,)),
    handoff_tool("writer", WRITER),
    handoff_tool("reviewer", REVIEWER, output_format=VERDICT),
)


async def team(task: str) -> str:
    """The brief on a task."""
    return await agent(BOSS, SUPERVISE, message(task), TEAM)
