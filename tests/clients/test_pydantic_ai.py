"""pydantic-ai as a client of the server: the team, its typed answers, and tools that it forces."""

from __future__ import annotations

import pytest
from desk import message

from .conftest import needs
from .test_anthropic_sdk import TASK, is_a_brief

pytestmark = [pytest.mark.clients, needs("pydantic_ai", "anthropic")]


async def test_the_team_writes_the_brief(port, api):
    brief = await port("on_pydantic_ai").team(TASK)
    assert is_a_brief(brief) and brief == await port("on_anthropic").team(TASK)
    assert api.refused == []


async def test_a_typed_answer(port, api):
    reviewer = port("on_pydantic_ai").reviewer
    parts = {"facts": "- Tea was taxed in 1660. [tea-1]", "draft": "Tea was taxed in 1770 [tea-1]."}
    verdict = (await reviewer.run(message("Review the draft", artifacts=parts))).output
    assert verdict.verdict == "REVISE" and verdict.issues
    assert api.refused == []


async def test_a_stream(port):
    facts = {"facts": "- Tea was taxed in 1660. [tea-1]"}
    writer = port("on_pydantic_ai").writer
    async with writer.run_stream(message("Write a brief on tea", artifacts=facts)) as run:
        pieces = [piece async for piece in run.stream_text(delta=True, debounce_by=None)]
    assert len(pieces) > 1 and "1660" in "".join(pieces)
