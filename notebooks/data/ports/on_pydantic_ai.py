"""The team on pydantic-ai."""

from __future__ import annotations

from desk import (
    ABOUT,
    BOSS,
    RESEARCHER,
    REVIEWER,
    SUPERVISE,
    WORKER,
    WRITER,
    Verdict,
    message,
    search,
    server,
)
from pydantic_ai import Agent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider

provider = AnthropicProvider(**server())
worker, boss = AnthropicModel(WORKER, provider=provider), AnthropicModel(BOSS, provider=provider)
researcher = Agent(worker, instructions=RESEARCHER, tools=[search])
writer = Agent(worker, instructions=WRITER)
reviewer = Agent(worker, instructions=REVIEWER, output_type=Verdict)
supervisor = Agent(boss, instructions=SUPERVISE)


@supervisor.tool_plain(description=ABOUT["researcher"])
async def handoff_to_researcher(
    intent: str, context: str = "", artifacts: dict[str, str] | None = None
) -> str:
    return (await researcher.run(message(intent, context, artifacts))).output


@supervisor.tool_plain(description=ABOUT["writer"])
async def handoff_to_writer(
    intent: str, context: str = "", artifacts: dict[str, str] | None = None
) -> str:
    return (await writer.run(message(intent, context, artifacts))).output


@supervisor.tool_plain(description=ABOUT["reviewer"])
async def handoff_to_reviewer(
    intent: str, context: str = "", artifacts: dict[str, str] | None = None
) -> Verdict:
    return (await reviewer.run(message(intent, context, artifacts))).output


async def team(task: str) -> str:
    """The brief on a task."""
    return (await supervisor.run(message(task))).output
