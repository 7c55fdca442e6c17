"""pydantic-ai as a client of the server: the team, its typed answers, and tools that it forces."""

from __future__ import annotations

import pytest

from .conftest import needs
from .desk import (
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
)
from .test_anthropic_sdk import TASK, OwnLoop, is_a_brief

pytestmark = [pytest.mark.clients, needs("pydantic_ai", "anthropic")]


def models(url):
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    provider = AnthropicProvider(base_url=url, api_key="offline")
    return AnthropicModel(WORKER, provider=provider), AnthropicModel(BOSS, provider=provider)


async def team(url, task):
    from pydantic_ai import Agent

    worker, boss = models(url)
    researcher = Agent(worker, instructions=RESEARCHER, tools=[search], name="researcher")
    writer = Agent(worker, instructions=WRITER, name="writer")
    reviewer = Agent(worker, instructions=REVIEWER, output_type=Verdict, name="reviewer")
    supervisor = Agent(boss, instructions=SUPERVISE, name="supervisor")

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

    return (await supervisor.run(message(task))).output


async def test_the_team_writes_the_brief(url, api):
    brief = await team(url, TASK)
    assert is_a_brief(brief) and brief == await OwnLoop(url).team(TASK)
    assert api.refused == []


async def test_a_typed_answer(url, api):
    from pydantic_ai import Agent

    worker, _ = models(url)
    reviewer = Agent(worker, instructions=REVIEWER, output_type=Verdict)
    parts = {"facts": "- Tea was taxed in 1660. [tea-1]", "draft": "Tea was taxed in 1770 [tea-1]."}
    verdict = (await reviewer.run(message("Review the draft", artifacts=parts))).output
    assert verdict.verdict == "REVISE" and verdict.issues
    assert api.refused == []


async def test_a_stream(url):
    from pydantic_ai import Agent

    worker, _ = models(url)
    facts = {"facts": "- Tea was taxed in 1660. [tea-1]"}
    async with Agent(worker, instructions=WRITER).run_stream(
        message("Write a brief on tea", artifacts=facts)
    ) as run:
        pieces = [piece async for piece in run.stream_text(delta=True, debounce_by=None)]
    assert len(pieces) > 1 and "1660" in "".join(pieces)
