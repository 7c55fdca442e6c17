"""The two sides of every comparison: the plainest loop that does the job, and the kernel's agent.

Both speak to `where`, an address of the stand-in server, on connections of their own, and offer the
same three methods: `converse` holds one conversation, `fan_out` begins many at once, `aclose` ends
the connections.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import httpx

from kernel import Agent, Budget, Client, Handoff, Run, spending, tool
from kernel.plumbing.network import pool_for

MODEL = "claude-haiku-5-5"
SYSTEM = (
    "You are the researcher of an editorial desk. Search the library, then answer with facts and"
    " their sources."
)
TASK = "Compare three vector stores."
FOUND = (
    "pgvector keeps its index in PostgreSQL. [pgvector-hnsw] Qdrant is written in Rust."
    " [qdrant-storage] " * 3
)


class Floor:
    """A while loop over plain dicts and one shared `httpx.AsyncClient`: no accounts, no events, no
    checks.
    """

    tools = (
        {
            "name": "search",
            "description": "Search the library.",
            "input_schema": {
                "properties": {"query": {"title": "Query", "type": "string"}},
                "required": ["query"],
                "type": "object",
                "additionalProperties": False,
            },
        },
    )

    def __init__(self, where: str) -> None:
        careful = httpx.Limits(max_connections=None, max_keepalive_connections=20)
        self.url = f"{where}/v1/messages"
        self.client = httpx.AsyncClient(
            headers={"anthropic-version": "2023-06-01", "x-api-key": "none"},
            limits=careful,
            timeout=httpx.Timeout(600, connect=10),
            trust_env=False,
        )

    async def converse(self, turns: int, at_tool: Callable[[], None]) -> None:
        """One conversation: the tool runs in each of `turns` turns and calls `at_tool`, then comes
        the answer.
        """
        body = {"model": MODEL, "max_tokens": 4096, "system": SYSTEM, "tools": self.tools}
        messages: list[dict[str, Any]] = [{"role": "user", "content": TASK}]
        while True:
            response = await self.client.post(self.url, json={**body, "messages": messages})
            reply = response.raise_for_status().json()
            messages.append({"role": "assistant", "content": reply["content"]})
            if reply["stop_reason"] != "tool_use":
                break
            results = []
            for block in reply["content"]:
                if block["type"] == "tool_use":
                    at_tool()
                    results.append(
                        {"type": "tool_result", "tool_use_id": block["id"], "content": FOUND}
                    )
            messages.append({"role": "user", "content": results})
        assert len(messages) == 2 * turns + 2, (
            f"the floor held {len(messages)} messages in {turns} turns"
        )

    async def fan_out(self, width: int) -> None:
        """`width` conversations of one answer each, at once."""

        async def one(number: int) -> None:
            messages = [{"role": "user", "content": f"{TASK} Part {number}."}]
            body = {"model": MODEL, "max_tokens": 4096, "system": SYSTEM, "messages": messages}
            response = await self.client.post(self.url, json=body)
            assert response.raise_for_status().json()["stop_reason"] == "end_turn"

        await asyncio.gather(*(one(number) for number in range(width)))

    async def aclose(self) -> None:
        await self.client.aclose()


class Kernel:
    """An agent behind the door: a budget with every kind of cap, checked replies, validated
    arguments, events.
    """

    budget = Budget(
        usd=Decimal(1000), calls=100_000, tokens=1_000_000_000, turns=1_000, seconds=600
    )
    """None of the caps is near: a turn pays for the accounts, not for being stopped."""

    def __init__(self, where: str) -> None:
        spending.allow(1000)
        self.client = Client(
            pool_for(httpx.URL(where)), mode="local", base_url=where, api_key="none", max_usd="1000"
        )
        self.at_tool: Callable[[], None] = lambda: None

        @tool
        def search(query: str) -> str:
            """Search the library."""
            self.at_tool()
            return FOUND

        self.researcher = Agent(
            "researcher", "Searches the library.", SYSTEM, MODEL, tools=(search,), max_turns=1_000
        )
        self.writer = Agent("writer", "Writes.", SYSTEM, MODEL)

    async def converse(self, turns: int, at_tool: Callable[[], None]) -> None:
        kinds: list[str] = []
        self.at_tool = at_tool
        run = Run(self.client, budget=self.budget, on_event=lambda event: kinds.append(event.kind))
        result = await run.dispatch(self.researcher, Handoff(intent=TASK), budget=self.budget)
        assert result.ok and kinds.count("tool_result") == turns, (
            f"the kernel ended with {result!r}"
        )

    async def fan_out(self, width: int) -> None:
        run = Run(self.client, budget=self.budget)
        results = await run.fan_out(
            (self.writer, Handoff(intent=f"{TASK} Part {number}.")) for number in range(width)
        )
        failed = [result for result in results if not result.ok]
        assert not failed, f"{len(failed)} of {width} failed, the first with {failed[0]!r}"

    async def aclose(self) -> None:
        await self.client.aclose()
