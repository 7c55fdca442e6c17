"""Facts about what travels to another process and what refuses to: tools, agents and libraries; runs, clients, ledgers."""

from __future__ import annotations

import asyncio
import copy
import subprocess
import sys
from typing import Annotated, Literal

import cloudpickle
import pytest
from pydantic import Field

from kernel import (
    Agent,
    Corpus,
    DeterministicSupervisor,
    Handoff,
    LLMSupervisor,
    Registry,
    Run,
    connect,
    models,
    researcher,
    reviewer,
    tool,
    writer,
)
from kernel.parts.gates import LengthGate
from kernel.parts.planning.plan import PlannedSupervisor, StepPlanner, synthesizer
from tests.on_each import on_each
from tests.places import ROOT
from tests.scripted import call, scripted

ELSEWHERE = """
import sys, cloudpickle
thing, use = cloudpickle.loads(sys.stdin.buffer.read())
print(use(thing))
"""


def elsewhere(thing, use):
    """What `use` makes of a thing in a process that has seen neither."""
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE],
        input=cloudpickle.dumps((thing, use)),
        capture_output=True,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode("utf-8").strip()


def made_here():
    unit = "km"

    @tool
    def distance(
        to: Annotated[str, Field(min_length=2)], run: Run, by: Literal["road", "air"] = "road"
    ) -> str:
        """Says how far it is."""
        return f"{len(to)} {unit} by {by}"

    return distance


def test_a_tool_travels_before_its_schema_was_built():
    assert elsewhere(made_here(), lambda made: made.definition) == str(made_here().definition)


def test_a_tool_that_travelled_checks_its_arguments_and_runs():
    def use(tool):
        from kernel import ToolError

        works = asyncio.run(tool.call({"to": "Rome", "by": "air"}, None))
        try:
            asyncio.run(tool.call({"to": "R", "by": "sea"}, None))
        except ToolError as problem:
            return works, "to:" in str(problem), "by:" in str(problem)

    assert elsewhere(made_here(), use) == "('4 km by air', True, True)"


def test_an_agent_travels_with_its_tools():
    agent = Agent("a", "b", "c", models.worker, (made_here(),))
    assert elsewhere(agent, lambda sent: sent.request) == str(agent.request)


@pytest.mark.parametrize("kind", ["deterministic", "llm"])
def test_a_whole_team_with_its_library_travels_and_works(kind, tmp_path):
    (tmp_path / "widget.md").write_text("The widget is a gear of steel.", encoding="utf-8")
    team = researcher(Corpus(tmp_path)), writer(), reviewer()
    supervisor = LLMSupervisor(team) if kind == "llm" else DeterministicSupervisor(*team)

    def work(supervisor):
        handoff = Handoff(intent="Write a brief on widgets")
        return asyncio.run(Run(connect("offline")).dispatch(supervisor, handoff)).output

    assert "steel" in elsewhere(supervisor, work)
    assert elsewhere(supervisor, work) == work(supervisor).strip()


def test_a_planned_team_travels_with_its_validators():
    registry = Registry()
    registry.register(writer())
    validators = {"writer": [LengthGate(60)]}
    team = PlannedSupervisor(registry, StepPlanner(), synthesizer(), validators=validators)
    assert elsewhere(team, lambda sent: sent.validators) == str(validators)


def test_a_library_travels_with_its_documents_and_finds_the_same():
    library = Corpus()

    def find(corpus):
        return [hit.document.id for hit in asyncio.run(corpus.search("vector stores"))]

    assert elsewhere(library, find) == str(find(library))


def things():
    client = connect("offline")
    run = Run(client)
    return {"Run": run, "Client": client, "Ledger": run.ledger}


@on_each("name", ["Run", "Client", "Ledger"])
@on_each("copied", [cloudpickle.dumps, copy.copy, copy.deepcopy])
def test_what_holds_money_keys_or_connections_refuses_to_travel_with_a_sentence(name, copied):
    with pytest.raises(TypeError, match=f"{name}.* in (its|the) process"):
        copied(things()[name])


async def test_what_an_event_holds_travels(agent):
    run = Run(scripted([call("distance", to="Rome")], "done"))
    await run.dispatch(agent(tools=(made_here(),)), Handoff(intent="x"))
    assert cloudpickle.loads(cloudpickle.dumps(run.events)) == run.events
