"""The team on the anthropic SDK's tool runner, which calls the tools by itself."""

from __future__ import annotations

from typing import Any

from anthropic import AsyncAnthropic, beta_async_tool
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

client = AsyncAnthropic(**server())


async def agent(
    model: str, system: str, text: str, tools: tuple[Any, ...] = (), **more: Any
) -> str:
    """One conversation; the runner goes on until the model answers."""
    runner = client.beta.messages.tool_runner(
        model=model,
        max_tokens=MAX_TOKENS,
        system=system,
        messages=[{"role": "user", "content": text}],
        tools=list(tools),
        max_iterations=TURNS,
        thread=False,  # its default is a beta of the service: history that is kept there
        **more,
    )
    reply = await runner.until_done()
    return "".join(block.text for block in reply.content if block.type == "text")


look = beta_async_tool(search)


@beta_async_tool(description=ABOUT["researcher"])
async def handoff_to_researcher(
    intent: str, context: str = "", artifacts: dict[str, str] | None = None
) -> str:
    return await agent(WORKER, RESEARCHER, message(intent, context, artifacts), (look,))


@beta_async_tool(description=ABOUT["writer"])
async def handoff_to_writer(
    intent: str, context: str = "", artifacts: dict[str, str] | None = None
) -> str:
    return await agent(WORKER, WRITER, message(intent, context, artifacts))


@beta_async_tool(description=ABOUT["reviewer"])
async def handoff_to_reviewer(
    intent: str, context: str = "", artifacts: dict[str, str] | None = None
) -> str:
    text = message(intent, context, artifacts)
    return await agent(WORKER, REVIEWER, text, output_format=Verdict)


async def team(task: str) -> str:
    """The brief on a task."""
    tools = (handoff_to_researcher, handoff_to_writer, handoff_to_reviewer)
    return await agent(BOSS, SUPERVISE, message(task), tools)
