"""Facts about the bounds of a foreign MCP server: whatever it does, it ends in time and is short."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace as Named

from hypothesis import given, settings
from hypothesis import strategies as st
from mcp.server.mcpserver import Context, MCPServer

from kernel import Handoff, Result, Run, ToolError, connect
from kernel.parts.elsewhere.mcp import EFFECT, Connection, RemoteTool, ServerDown
from kernel.parts.journal.journal import Journal, Once
from tests.kernel import library_server
from tests.scripted import Worker

TASK = Handoff(intent="x")
LENGTHS = st.sampled_from([0, 1, 199, 200, 201, 2_001, 20_001, 300_000])
SPOKEN = st.sampled_from(["silent", "error", "cancelled", "answer", "tool error"])


class Hostile:
    """A client of a server that behaves as a test says."""

    def __init__(self, behaviour, length, notes=0, pages=1, tools=1):
        self.behaviour, self.length, self.notes = behaviour, length, notes
        self.pages, self.tools = pages, tools
        self.asked = 0

    async def answer(self, good):
        if self.behaviour == "silent":
            await asyncio.Event().wait()
        if self.behaviour == "cancelled":
            raise asyncio.CancelledError
        if self.behaviour == "error":
            raise ExceptionGroup("a group", [RuntimeError("e" * self.length)])
        return good

    async def call_tool(self, name, arguments, *, progress_callback, meta):
        for number in range(self.notes):
            await progress_callback(number, None, "p" * self.length)
        block = Named(type="text", text="x" * self.length)
        wrong = self.behaviour == "tool error"
        return await self.answer(Named(content=[block], structured_content=None, is_error=wrong))

    async def list_tools(self, *, cursor):
        self.asked += 1
        name = f"t{self.asked}" + "n" * self.length
        tool = Named(name=name, description="d" * self.length, input_schema={}, annotations=None)
        more = str(self.asked) if self.asked < self.pages else None
        return await self.answer(Named(tools=[tool] * self.tools, next_cursor=more))


@settings(max_examples=80, deadline=None)
@given(SPOKEN, LENGTHS, st.sampled_from([0, 1, 99, 100, 101, 3_000]))
def test_a_call_ends_and_all_that_is_said_in_it_is_short(behaviour, length, notes):
    hostile = Hostile(behaviour, length, notes)
    run = Run(connect("offline"))

    async def call():
        seconds = 0.01 if behaviour == "silent" else 30
        return await RemoteTool("far", {}, hostile, "far", seconds=seconds).call({}, run)

    try:
        text, limit = asyncio.run(call()), 20_000
    except ToolError as error:
        text, limit = str(error), 2_000
        assert behaviour != "answer"
    assert len(text) <= limit + 100
    assert len(run.events) == min(notes, 100)
    assert all(len(event.text) < 250 for event in run.events)
    if notes > 100:
        assert run.events[-1].text == f"far: {notes - 99:,} further notes of progress were left out"


@settings(max_examples=80, deadline=None)
@given(SPOKEN, LENGTHS, st.sampled_from([1, 100, 101, 10**9]), st.sampled_from([1, 2, 1_001]))
def test_a_list_of_tools_ends_and_what_is_said_of_it_is_short(behaviour, length, pages, tools):
    hostile = Hostile(behaviour, length, pages=pages, tools=tools)

    async def listed():
        async with Connection(library_server.server) as connection:
            connection._client = hostile
            connection._seconds = 0.01 if behaviour == "silent" else 30
            return await connection.tools()

    try:
        assert len(asyncio.run(listed())) <= 1_000
    except (ServerDown, ValueError) as problem:
        assert len(str(problem)) < 2_500
    assert hostile.asked <= 100


async def test_a_flood_of_progress_of_a_real_server_is_a_hundred_notes():
    server = MCPServer("floods")

    @server.tool()
    async def flood(ctx: Context) -> str:
        for number in range(300):
            await ctx.report_progress(number, None, "p" * 5_000)
        return "done"

    run = Run(connect("offline"))
    async with Connection(server) as connection:
        (tool,) = await connection.tools()
        assert await tool.call({}, run) == "done"
    assert len(run.events) == 100
    assert "201 further notes" in run.events[-1].text


async def test_a_server_is_told_the_key_of_an_effect_and_of_no_other_call(tmp_path):
    seen = []
    server = MCPServer("pays")

    @server.tool()
    async def pay(ctx: Context) -> str:
        seen.append(dict(ctx.request_context.meta or {}).get(EFFECT))
        return "paid"

    async with Connection(server) as connection:
        (tool,) = await connection.tools()
        with Journal(tmp_path / "run.journal") as journal:

            async def twice(handoff, run):
                await tool.call({}, run)
                return Result(status="ok", output=await Once(tool, journal).call({}, run))

            result = await Run(journal.around(connect("offline"))).dispatch(
                Worker(work=twice), TASK
            )
            (kept,) = journal.kept()
    assert result.ok, result.reason
    assert seen == [None, kept.step]
