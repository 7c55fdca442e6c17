"""Facts about the pictures of a hierarchy and of a hub: levels, sources that are dropped, refusals, wrappers, lines."""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree import ElementTree

import pytest

from kernel import (
    Agent,
    DeterministicSupervisor,
    Handoff,
    Result,
    Run,
    connect,
    models,
    specialists,
    tool,
)
from kernel.parts.gates import Gated, LengthGate
from tests.scripted import Worker, scripted
from workshop.views import AgentLoop, Hierarchy, HubAndMesh

TASK = Handoff(intent="Write <all> of it")


@dataclass
class Boss:
    name: str
    members: tuple
    says: Result
    description: str = "Leads."

    async def execute(self, handoff, run):
        for number, member in enumerate(self.members):
            await run.dispatch(member, Handoff(intent=f"part {number}"))
        return self.says


def found(name, text):
    return Worker(name, text)


async def drawn(boss):
    run = Run(scripted())
    await run.dispatch(boss, TASK)
    return Hierarchy(run)


@pytest.fixture
def people():
    return found("ann", "One [a-1]. Two [a-2]."), found("bob", "Three [b-1].")


async def test_a_source_that_a_lead_does_not_send_up_is_counted_at_its_level(people):
    lead = Boss("lead", people, Result(status="ok", output="One [a-1]."))
    tree = await drawn(Boss("chief", (lead,), Result(status="ok", output="Nothing.")))
    assert [(level.brought, level.dropped) for level in tree.levels()] == [(0, 1), (1, 2), (3, 0)]
    assert "level 1 drops 1, level 2 drops 2" in tree.finding()


async def test_evidence_beside_the_text_is_not_lost(people):
    facts = {"facts": "[a-1] [a-2] [b-1]"}
    tree = await drawn(Boss("chief", people, Result(status="ok", output="", artifacts=facts)))
    assert [level.dropped for level in tree.levels()] == [0, 0]


async def test_a_refusal_by_the_door_is_counted_once(people):
    team = Boss("lead", people, Result(status="ok", output="done"))
    for name in ("chief", "director"):
        team = Boss(name, (team,), Result(status="refused", reason="nothing"))
    tree = await drawn(team)
    assert [level.refused for level in tree.levels()] == [0, 0, 0, 2]
    assert "too deep" in tree.text()


async def test_what_the_levels_used_is_what_the_run_used():
    run = Run(connect())
    desk = DeterministicSupervisor(*specialists(), name="desk")
    office = DeterministicSupervisor(desk, *specialists()[1:], name="office")
    await run.dispatch(office, Handoff(intent="Write a brief on Qdrant"))
    levels = Hierarchy(run).levels()
    assert sum(level.calls for level in levels) == run.spent.calls
    assert sum(level.tokens for level in levels) == run.spent.tokens
    assert sum(level.usd for level in levels) == run.spent.usd > 0


async def test_a_wrapper_is_no_level(people):
    gated = Gated(people[0], [LengthGate(100)])
    tree = await drawn(Boss("chief", (gated,), Result(status="ok", output="done")))
    assert [(node.name, node.level) for node in tree.nodes()] == [("chief", 1), ("ann", 2)]


async def test_the_picture_is_xml_and_says_what_its_text_says(people):
    tree = await drawn(Boss("chief", people * 30, Result(status="ok", output="done")))
    words = "".join(ElementTree.fromstring(tree.svg()).itertext())
    assert "chief" in words and "more members" in words
    assert tree.text().count("\n  ann") == 30


def test_without_events_it_says_so():
    run = Run(scripted())
    assert Hierarchy(run).finding() == "No work has been handed over yet."
    assert ElementTree.fromstring(Hierarchy(run).svg()) is not None


async def test_the_picture_of_levels_is_also_drawn_while_the_team_works(people):
    tree = await drawn(Boss("chief", people, Result(status="ok", output="done")))
    assert "could not be drawn" not in tree.markup()


@pytest.mark.parametrize(
    ("members", "lines"), [(1, (1, 0)), (2, (2, 1)), (4, (4, 6)), (17, (17, 136))]
)
async def test_a_hub_needs_a_line_for_each_and_a_mesh_one_for_each_pair(members, lines):
    team = tuple(found(f"worker {number}", "done") for number in range(members))
    run = Run(scripted())
    await run.dispatch(Boss("chief", team, Result(status="ok", output="done")), TASK)
    picture = HubAndMesh(run)
    assert picture.counts()[0] == (members, *lines)
    words = " ".join(ElementTree.fromstring(picture.svg()).itertext())
    assert "worker-0" in words and "chief" in words and picture.finding() in words
    assert "32          32        496" in picture.text()


@pytest.mark.parametrize("members", range(1, 10))
async def test_no_box_of_a_hub_covers_another_and_who_is_not_drawn_is_said(members):
    team = tuple(found(f"worker {number}", "done") for number in range(members))
    run = Run(scripted())
    await run.dispatch(Boss("chief", team, Result(status="ok", output="done")), TASK)
    picture = HubAndMesh(run)
    boxes = [
        [float(shape.get(side)) for side in ("x", "y", "width", "height")]
        for shape in ElementTree.fromstring(picture.svg()).iter("{http://www.w3.org/2000/svg}rect")
        if float(shape.get("height")) < 30
    ]
    assert len(boxes) == 2 * min(members, 8) + 1
    for number, (x, y, width, height) in enumerate(boxes):
        for other_x, other_y, *_ in boxes[:number]:
            assert abs(x - other_x) >= width or abs(y - other_y) >= height
    assert ("8 of them are drawn" in picture.finding()) == (members > 8)


async def test_whoever_works_twice_is_one_line_and_those_below_are_none():
    ann, bob = found("ann", "done"), found("bob", "done")
    lead = Boss("lead", (bob,), Result(status="ok", output="done"))
    run = Run(scripted())
    await run.dispatch(Boss("chief", (ann, lead, ann), Result(status="ok", output="done")), TASK)
    assert HubAndMesh(run).names == ["ann", "lead"]


def test_a_run_without_work_has_no_lines():
    picture = HubAndMesh(Run(scripted()))
    assert picture.text() == picture.finding() == "No work has been handed over yet."
    assert ElementTree.fromstring(picture.svg()) is not None


# ── the loop of one agent ─────────────────────────────────────────────────────────────────────────


@tool
def count_words(text: str) -> int:
    """Counts the words of a text."""
    return len(text.split())


@pytest.mark.parametrize(("turns", "limits"), [(8, 0), (1, 1)])
async def test_the_loop_counts_what_went_along_each_arrow(turns, limits):
    tools = (count_words,)
    agent = Agent("counter", "Counts.", "Use your tools.", models.worker, tools, max_turns=turns)
    run = Run(connect())
    await run.dispatch(agent, Handoff(intent="How many words has 'to be or not'?"))
    picture = AgentLoop(run)
    assert picture.counts() == (2, 1, 1, 1, limits)
    words = " ".join(ElementTree.fromstring(picture.svg()).itertext())
    for label in ("2 requests", "1 call", "1 round", "1 answer", picture.finding()):
        assert label in words
    assert picture.text().endswith("1 time" if limits else "0 times")


def test_a_loop_that_has_not_begun_says_so():
    picture = AgentLoop(Run(scripted()))
    assert picture.text() == picture.finding() == "No model has been asked yet."
    assert ElementTree.fromstring(picture.svg()) is not None
