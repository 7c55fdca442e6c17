"""MCP with software of others on the far side: pydantic-ai as a host of our team, and a server from the examples
of the MCP SDK as a tool of it."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from desk import BOSS, SUPERVISE, message, server

from kernel import (
    Agent,
    Client,
    Corpus,
    DeterministicSupervisor,
    Handoff,
    Run,
    models,
    search_tool,
    specialists,
)
from kernel.core.team import RESEARCHER
from kernel.parts.elsewhere.mcp import Connection
from offline_model import Answer, OfflineTransport
from offline_model.reader.reader import answer as offline_answer
from tests.over_http import over_http
from tests.places import ROOT

from .conftest import needs
from .test_anthropic_sdk import TASK, is_a_brief

pytestmark = [pytest.mark.clients, needs("mcp")]
ENV = {"PYTHONPATH": str(ROOT)}
STARTING_S = 120
"""The far side is a new Python that imports the kernel and `mcp`."""
OVER_HTTP = """
import sys
from kernel.parts.elsewhere.mcp import server_of
from kernel.parts.journal.recording import BUDGET, team_of

team = server_of(team_of("deterministic"), BUDGET)
team.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
"""
TEAM = (sys.executable, "-c", OVER_HTTP)
SDK = os.environ.get("MCP_SDK", "")
"""A checkout of the SDK: its examples are in no wheel."""
EXAMPLE = Path(SDK, "examples", "servers", "simple-tool")


async def our_brief():
    """The brief of our own team, without a border."""
    run = Run(Client(OfflineTransport()))
    team = DeterministicSupervisor(*specialists())
    return (await run.dispatch(team, Handoff(intent=TASK))).as_text()


# ── their host, our team ──────────────────────────────────────────────────────────────────────────


def target_of(way, stack):
    """What pydantic-ai connects to."""
    if way == "http":
        return stack.enter_context(over_http(TEAM, ENV))[0]
    from fastmcp.client.transports import StdioTransport

    return StdioTransport(sys.executable, ["-m", "kernel", "mcp"], env=ENV, cwd=str(ROOT))


@needs("pydantic_ai", "fastmcp")
@pytest.mark.parametrize("way", ["stdio", "http"])
async def test_an_agent_of_pydantic_ai_gets_a_cited_brief_from_our_team(way, url, api, monkeypatch):
    from pydantic_ai import Agent as TheirAgent
    from pydantic_ai.mcp import MCPToolset
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
    model = AnthropicModel(BOSS, provider=AnthropicProvider(**server()))
    with contextlib.ExitStack() as stack:
        async with MCPToolset(target_of(way, stack), init_timeout=STARTING_S) as toolset:
            answer = await toolset.direct_call_tool("supervisor", {"intent": TASK})
            boss = TheirAgent(model, instructions=SUPERVISE, toolsets=[toolset])
            run = await boss.run(message(TASK))
    brief = await our_brief()
    assert is_a_brief(brief) and answer["status"] == "ok" and answer["output"] == brief
    assert "[pgvector-overview]" in run.output and api.refused == []


# ── their server, our team ────────────────────────────────────────────────────────────────────────


@contextlib.contextmanager
def page_of(text):
    """The address of a page with this text, on this machine."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *arguments):
            """Says nothing."""

    web = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=web.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{web.server_port}/"
    finally:
        web.shutdown()
        web.server_close()


def fetching(page):
    """The offline model, but one with the tool `fetch` fetches this page first: of itself the offline
    model calls no tool that takes an address."""

    def answer(request, temperament=None):
        names = [tool["name"] for tool in request.get("tools", ())]
        if "fetch" in names and len(request["messages"]) == 1:
            return Answer.call([("fetch", {"url": page})], "The task is on this page.")
        return offline_answer(request, temperament)

    return OfflineTransport(answer=answer)


@pytest.mark.skipif(
    not EXAMPLE.is_dir(),
    reason="the SDK's examples are in no wheel: set MCP_SDK to a checkout of "
    "https://github.com/modelcontextprotocol/python-sdk",
)
async def test_our_team_gets_its_facts_from_an_example_server_of_the_sdk():
    found = await search_tool(Corpus()).function("pgvector")
    command = [sys.executable, "-m", "mcp_simple_tool"]
    researcher, writer, reviewer = specialists()
    about = researcher.description
    with page_of(found) as page:
        async with Connection(
            command, env={"PYTHONPATH": str(EXAMPLE)}, seconds=STARTING_S
        ) as connection:
            tools = await connection.tools(only=("fetch",))
            reader = Agent("researcher", about, RESEARCHER, models.worker, tools)
            run = Run(Client(fetching(page)))
            team = DeterministicSupervisor(reader, writer, reviewer)
            result = await run.dispatch(team, Handoff(intent=TASK))
    assert result.ok, result.reason
    answers = [event for event in run.events if event.kind == "tool_result"]
    assert [(each.name, each.content.strip()) for each in answers] == [("fetch", found.strip())]
    assert is_a_brief(result.as_text()) and "[pgvector-overview]" in result.as_text()
