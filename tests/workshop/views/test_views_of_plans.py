"""Facts about the pictures of plans, findings and gates: what they show while a run goes on, and at its end."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from kernel import Handoff, Registry, Result, Run, Trace, Verdict
from kernel.parts.gates import Gated, LengthGate, ModelGate
from kernel.parts.planning.plan import (
    Contradiction,
    Finding,
    Findings,
    Plan,
    PlannedSupervisor,
    Step,
    Synthesis,
)
from tests.scripted import Worker, scripted
from workshop.views import FindingsTable, GateRounds, PlanGraph

TASK = Handoff(intent="Free shipping is gone <b>")


class Plans:
    def __init__(self, *plans):
        self.plans = iter(plans)

    async def plan(self, task, registry, run, findings=()):
        return next(self.plans)


def step(id, worker, *needs):
    return Step(id=id, worker=worker, intent=f"do {id}", needs=list(needs))


def found(claim, **more):
    return Findings(items=[Finding(claim=claim, **{"holds": True, **more})])


def replanned(**work):
    workers = {
        "code": found("No bug in the code.", suggests="ops"),
        "ops": found("free_from_cents is 50000.", evidence=["config.toml:4 & more"]),
        "data": Result(status="failed", reason="no such table"),
        "comms": "the note",
        **work,
    }
    registry = Registry()
    for name, output in workers.items():
        registry.register(Worker(name, output))
    clash = Contradiction(claim="Shipping is free.", steps=["find", "look"], why="Two settings.")
    synthesis = Synthesis(answer="done", contradictions=[clash], open_questions=["Since when?"])
    plans = Plans(
        Plan(
            steps=[
                step("find", "code"),
                step("count", "data"),
                step("tell", "comms", "find", "count"),
            ]
        ),
        Plan(steps=[step("look", "ops"), step("tell", "comms", "look")]),
    )
    return PlannedSupervisor(registry, plans, Worker("synthesizer", synthesis))


async def run_of(executable):
    run = Run(scripted())
    await run.dispatch(executable, TASK)
    return run


def gated():
    verdicts = iter(
        [Verdict(verdict="REVISE", issues=["“x” is <wrong>: use y"]), Verdict(verdict="PASS")]
    )
    drafts = iter(["far too long a draft", "short", "better"])
    critic = Worker("critic", lambda *_: next(verdicts))
    return Gated(Worker("writer", lambda *_: next(drafts)), (ModelGate(critic), LengthGate(3)))


async def test_a_plan_that_was_replaced_stays_with_what_was_dropped_and_why():
    graph = PlanGraph(await run_of(replanned()))
    assert graph.finding() == "2 plans, 3 steps done, 1 dropped, 1 not done, at most 2 at once."
    lines = [" ".join(line.split()) for line in graph.text().splitlines()]
    assert "batch 1 find code done · 1 finding" in lines
    assert "count data failed · no such table" in lines
    assert "batch 2 tell comms dropped ← find, count" in lines
    assert "plan 2, because a finding suggests ops" in lines
    assert "batch 2 tell comms done · 2 words ← look" in lines
    assert lines[-1].startswith("synthesizer: done · ")


async def test_a_step_that_was_repeated_says_so():
    tries = iter([Result(status="failed", reason="starting"), found("Here.")])
    registry = Registry()
    registry.register(Worker("code", lambda handoff, run: next(tries)))
    registry.register(Worker("ops", found("There.")))
    registry.register(Worker("end", "done"))
    plans = Plans(Plan(steps=[step("find", "code"), step("look", "ops")]))
    supervisor = PlannedSupervisor(registry, plans, Worker("end", "done"), max_repeats=1)
    run = Run(scripted())
    await run.dispatch(supervisor, TASK)
    text = PlanGraph(run).text()
    assert "done at try 2 · 1 finding" in text and text.count("at try") == 1


async def test_a_step_whose_validators_sent_it_back_says_in_which_round_it_ended():
    drafts = iter(["far too long a draft", "short"])
    registry = Registry()
    registry.register(Worker("comms", lambda *_: next(drafts)))
    registry.register(Worker("ops", "up"))
    plans = Plans(Plan(steps=[step("tell", "comms"), step("look", "ops")]))
    gates = [LengthGate(3)]
    validators = {"comms": gates, "ops": gates}
    end = Worker("end", "done")
    run = Run(scripted())
    await run.dispatch(PlannedSupervisor(registry, plans, end, validators=validators), TASK)
    text = PlanGraph(run).text()
    assert "done in round 2 · 1 word" in text and text.count("in round") == 1


async def test_the_graph_fills_while_the_run_goes_on():
    run = await run_of(replanned())
    states = []
    for count in range(len(run.events)):
        graph = PlanGraph(run.events[:count])
        ElementTree.fromstring(graph.svg())
        states += [[placed.state for made in graph.plans()[:1] for placed in made.steps]]
    kinds = [list(state) for state in dict.fromkeys(map(tuple, states))]
    assert kinds[:3] == [[], ["waiting"] * 3, ["working", "waiting", "waiting"]]
    assert kinds[-1] == ["done", "failed", "dropped"]


@pytest.mark.parametrize("view", [PlanGraph, FindingsTable, GateRounds])
async def test_a_run_without_plan_findings_or_gates_says_so(view):
    run = await run_of(Worker())
    for source in (run, Run(scripted()), []):
        assert view(source).finding().endswith("yet.") and "<" in view(source).markup()


async def test_findings_stand_beside_each_other_with_the_contradictions_below():
    table = FindingsTable(await run_of(replanned()))
    assert table.finding() == "2 claims of 2 workers, 1 contradiction."
    assert "config.toml:4 &amp; more" in table.html() and "[holds]" in table.text()
    assert "find and look: Shipping is free. Two settings." in table.text()
    assert "Since when?" in table.text() and "suggests ops" in table.text()


async def test_of_a_worker_behind_gates_only_what_passed_is_shown_once():
    items = iter([found("far too long a claim for the gate"), found("short")])
    worker = Worker("code", lambda *_: next(items))

    class Short:
        name, cost = "short", 0.0

        async def check(self, draft, handoff, run):
            from kernel.parts.gates import Issue

            return [Issue(where="claim", problem="too long")] if "long" in draft else []

    table = FindingsTable(await run_of(Gated(worker, (Short(),))))
    assert [items[0]["claim"] for _, items in table.findings()] == ["short"]


async def test_rounds_of_gates_say_who_let_pass_who_objected_and_who_was_not_asked():
    rounds = GateRounds(await run_of(gated()))
    assert rounds.finding() == "3 rounds: in round 3 the draft passes 2 gates."
    states = [[each.state(gate) for gate in rounds.gates()] for each in rounds.rounds()]
    assert rounds.gates() == ["length", "critic"]
    assert states == [["1 issue", "not asked"], ["pass", "1 issue"], ["pass", "pass"]]
    assert "&lt;wrong&gt;" in rounds.html() and [each.words for each in rounds.rounds()] == [
        5,
        1,
        1,
    ]


async def test_the_pictures_are_valid_whatever_a_run_holds_and_equal_from_its_log(tmp_path):
    for executable in (replanned(), gated(), replanned(code=Result(status="paused", reason="ask"))):
        run = await run_of(executable)
        run.trace().save(tmp_path / "log.jsonl")
        logged = Trace.load(tmp_path / "log.jsonl")
        ElementTree.fromstring(PlanGraph(run).svg())
        assert PlanGraph(logged).sheets() == PlanGraph(run).sheets()
        for table in (FindingsTable, GateRounds):
            assert table(logged).html() == table(run).html()
