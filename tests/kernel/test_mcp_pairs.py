"""Facts about the border by MCP beside a journal, a fork and a pause."""

from __future__ import annotations

import pytest
from mcp import Client as Host
from mcp.server.mcpserver import MCPServer

from kernel import (
    Agent,
    Client,
    DeterministicSupervisor,
    Handoff,
    LLMSupervisor,
    Pause,
    Run,
    connect,
    models,
    specialists,
)
from kernel.core.team import RESEARCHER
from kernel.parts.elsewhere.mcp import Connection, server_of
from kernel.parts.journal.journal import Journal, Once, calling, saying
from offline_model import Script
from tests.kernel import library_server
from tests.scripted import Counted, Worker, call, steps_of

TASK = Handoff(intent="Write a brief on Qdrant")
NO = '{"verdict": "REVISE", "issues": ["Say what the limits of an index are."]}'


def bank(paid):
    """A server of somebody else, with an effect."""
    server = MCPServer("bank")

    @server.tool()
    def pay(payee: str) -> str:
        """Pay somebody."""
        paid.append(payee)
        return f"paid {payee}"

    return server


async def paying(journal, server, *answers):
    """A clerk who pays at the server, over a journal, on a scripted model."""
    async with Connection(server) as connection:
        tools = [Once(tool, journal) for tool in await connection.tools()]
        clerk = Agent("clerk", "Pays.", "You pay.", models.worker, tools)
        run = Run(journal.around(Client(Script(answers, strict=False))))
        result = await run.dispatch(clerk, Handoff(intent="Pay Bob"))
    return result, run


def answers_of(run):
    return [event.content for event in run.events if event.kind == "tool_result"]


async def test_a_new_process_does_not_ask_the_server_again_for_what_once_holds(tmp_path):
    paid = []
    with Journal(tmp_path / "work.db") as journal:
        first, _ = await paying(journal, bank(paid), call("pay", payee="Bob"), "done")
    with Journal(tmp_path / "work.db") as journal:  # another process
        second, run = await paying(journal, bank(paid))
    assert paid == ["Bob"] and second == first
    assert answers_of(run) == ["paid Bob"]


async def test_without_once_a_new_process_asks_the_server_again(tmp_path):
    paid = []
    server = bank(paid)
    for answers in ([call("pay", payee="Bob"), "done"], []):
        with Journal(tmp_path / "work.db") as journal:
            async with Connection(server) as connection:
                clerk = Agent("clerk", "Pays.", "You pay.", models.worker, await connection.tools())
                run = Run(journal.around(Client(Script(answers, strict=False))))
                assert (await run.dispatch(clerk, Handoff(intent="Pay Bob"))).ok
    assert paid == ["Bob", "Bob"]


async def test_what_once_holds_of_a_server_is_there_when_the_server_is_gone(tmp_path):
    paid = []
    with Journal(tmp_path / "work.db") as journal:
        async with Connection(bank(paid)) as connection:
            [pay] = await connection.tools()
            kept = await Once(pay, journal).call({"payee": "Bob"}, Run(connect("offline")))
        journal.replay()
        assert await Once(pay, journal).call({"payee": "Bob"}, Run(connect("offline"))) == kept
    assert paid == ["Bob"]


@pytest.mark.parametrize("effects", [False, True])
async def test_a_fork_asks_a_server_behind_once_only_when_effects_are_asked_for(tmp_path, effects):
    paid = []
    with Journal(tmp_path / "trunk.db") as journal:
        _, run = await paying(journal, bank(paid), call("pay", payee="Bob"), "done")
        [first, _] = steps_of(run, "clerk")
        change = calling(payee="Eve")
        path = tmp_path / "fork.db"
        with journal.fork(path, at=first, change=change, effects=effects) as branch:
            _, run = await paying(branch, bank(paid), "done")
    assert paid == (["Bob", "Eve"] if effects else ["Bob"])
    [answer] = answers_of(run)
    assert ("paid Eve" if effects else "holds effects back") in answer


async def test_a_fork_after_the_effect_keeps_the_servers_answer(tmp_path):
    paid = []
    with Journal(tmp_path / "trunk.db") as journal:
        _, run = await paying(journal, bank(paid), call("pay", payee="Bob"), "done")
        [_, last] = steps_of(run, "clerk")
        with journal.fork(tmp_path / "fork.db", at=last, change=saying("paid!")) as branch:
            result, run = await paying(branch, bank(paid))
    assert paid == ["Bob"] and result.as_text() == "paid!"
    assert answers_of(run) == ["paid Bob"]


@pytest.mark.parametrize("fixed", [True, False], ids=["fixed order", "free supervisor"])
async def test_a_fork_of_a_team_that_searches_at_a_server_asks_what_depends_on_the_change(
    tmp_path, fixed
):
    async def work(journal, tools):
        researcher, writer, reviewer = specialists()
        about = researcher.description
        team = [
            Agent("researcher", about, RESEARCHER, models.worker, tools),
            writer,
            reviewer,
        ]
        supervisor = DeterministicSupervisor(*team) if fixed else LLMSupervisor(team)
        transport = Counted()
        run = Run(journal.around(Client(transport)))
        return await run.dispatch(supervisor, TASK), transport.sent, run

    async with Connection(library_server.server) as connection:
        tools = await connection.tools(only=("search",))
        with Journal(tmp_path / "trunk.db") as journal:
            before, sent, run = await work(journal, tools)
            [verdict, *_] = steps_of(run, "reviewer")
            with journal.fork(tmp_path / "fork.db", at=verdict, change=saying(NO)) as branch:
                forked, asked, fork_run = await work(branch, tools)
        with Journal(tmp_path / "trunk.db") as journal:
            again, none, _ = await work(journal, tools)
    assert 0 < asked < sent < fork_run.spent.calls
    assert forked.as_text() != before.as_text()
    assert none == 0 and again == before


def asking(name="desk"):
    async def ask(handoff, run):
        if "the year is" not in handoff.context:
            raise Pause("Which year?")
        return f"A brief: {handoff.context}"

    return Worker(name=name, work=ask)


async def test_a_team_that_asks_a_person_tells_the_host_its_question_and_what_to_do():
    async with Host(server_of(asking())) as host:
        answer = await host.call_tool("desk", {"intent": "Write"})
        assert answer.is_error
        assert "paused: Which year? No answer can be given to this call" in answer.content[0].text
        again = {"intent": "Write", "context": "the year is 2021"}
        answer = await host.call_tool("desk", again)
    assert answer.structured_content["output"] == "A brief: the year is 2021"


async def test_our_own_agent_reads_the_question_of_a_team_elsewhere():
    async with Connection(server_of(asking())) as connection:
        tools = await connection.tools()
        script = Script([call("desk", intent="Write"), "It asks for a year."], strict=False)
        run = Run(Client(script))
        agent = Agent("boss", "Asks.", "You ask.", models.worker, tools)
        result = await run.dispatch(agent, Handoff(intent="Get a brief"))
    assert result.ok
    [answer] = answers_of(run)
    assert "Which year?" in answer and "call again, with the answer in the context" in answer


async def test_a_pause_with_work_in_hand_comes_with_that_work():
    async def half(handoff, run):
        run.output = "half a brief"
        raise Pause("Go on?")

    async with Host(server_of(Worker(name="desk", work=half))) as host:
        answer = await host.call_tool("desk", {"intent": "Write"})
    content = answer.structured_content
    assert not answer.is_error
    assert (content["status"], content["reason"]) == ("paused", "Go on?")
    assert content["output"] == "half a brief"
