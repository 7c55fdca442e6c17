"""Facts about the door that hold for every way of handing over, with any guards around: who is cancelled, what is a
repeat, where a bug is.
"""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel import (
    Agent,
    DeterministicSupervisor,
    Handoff,
    LLMSupervisor,
    Result,
    Run,
    Verdict,
    connect,
    specialists,
    tool,
)
from kernel.core.events import Returned
from kernel.parts.gates import Gated, ModelGate
from kernel.parts.guards import CircuitBreaker, Deadline, Fallback, Limit, Retry
from kernel.parts.planning.plan import Plan, PlannedSupervisor, Step
from kernel.parts.planning.selection import DispatchSupervisor, Selection
from kernel.testing import says
from tests.on_each import on_each
from tests.scripted import Worker, call, no_sleep, registry_of, requests_of, scripted

TASK = Handoff(intent="Write a brief on Qdrant")

GUARDS = {
    "Retry": lambda inner: Retry(inner, on=lambda result: not result.ok, sleep=no_sleep),
    "Deadline": lambda inner: Deadline(inner, 60),
    "CircuitBreaker": lambda inner: CircuitBreaker(inner, failures=9),
    "Limit": lambda inner: Limit(inner, 1),
    "Gated": lambda inner: Gated(inner, ()),
    "Fallback": lambda inner: Fallback(Worker(inner.name, Result(status="failed")), inner),
}
guards = st.lists(st.sampled_from(sorted(GUARDS)), max_size=3)


class Fixed:
    def __init__(self, *names, parallel):
        self.names, self.parallel = names, parallel

    async def select(self, *_):
        return Selection(executables=list(self.names), parallel=self.parallel)

    async def plan(self, *_):
        return Plan(steps=[Step(id=name, worker=name, intent="x") for name in self.names])


class Callers:
    """Each hands the same work to two workers, and returns their results and its own."""

    @staticmethod
    async def dispatch(run, *workers):
        return [await run.dispatch(worker, TASK) for worker in workers]

    @staticmethod
    async def fan_out(run, *workers):
        return await run.fan_out([(worker, TASK) for worker in workers])

    @staticmethod
    async def model(run, *workers):
        return [await run.dispatch(LLMSupervisor(workers), TASK)]

    @staticmethod
    async def model_in_turn(run, *workers):
        return [await run.dispatch(LLMSupervisor(workers), TASK)]

    @staticmethod
    async def selected(run, *workers):
        chosen = Fixed("first", "second", parallel=True)
        return [await run.dispatch(DispatchSupervisor(registry_of(*workers), chosen), TASK)]

    @staticmethod
    async def planned(run, *workers):
        chosen = Fixed("first", "second", parallel=True)
        team = PlannedSupervisor(registry_of(*workers), chosen, Worker("end", "the end"))
        return [await run.dispatch(team, TASK)]


CALLERS = [name for name in vars(Callers) if not name.startswith("_")]
FIRST, SECOND = (call(f"handoff_to_{name}", intent="1") for name in ("first", "second"))
TURNS = {"model": [[FIRST, SECOND], "the end"], "model_in_turn": [FIRST, SECOND, "the end"]}


def guarded(worker, around):
    for name in around:
        worker = GUARDS[name](worker)
    return worker


async def _cancelled_wait():
    wait = asyncio.ensure_future(asyncio.sleep(9))
    asyncio.get_running_loop().call_soon(wait.cancel)
    await wait


class Waits:
    """Keeps a note, then waits for something that somebody else cancels, or for ever."""

    description = "Waits."

    def __init__(self, name, ends):
        self.name = name
        self.ends = ends
        self.began = asyncio.Event()

    async def execute(self, handoff, run):
        run.keep(notes="half of it")
        self.began.set()
        if self.ends:
            await _cancelled_wait()
        await asyncio.sleep(99)


def results_below(run):
    return [event.result for event in run.events if isinstance(event, Returned)]


@given(st.sampled_from(CALLERS), guards, st.booleans())
def test_a_cancelled_wait_ends_the_one_who_waited_and_nobody_else(caller, around, is_first):
    async def worked():
        names = ("first", "second") if is_first else ("second", "first")
        waits = guarded(Waits(names[0], ends=True), around)
        workers = [waits, Worker(names[1], "good work")]
        run = Run(scripted(*TURNS.get(caller, [])))
        await getattr(Callers, caller)(run, *(workers if is_first else reversed(workers)))
        assert asyncio.current_task().cancelling() == 0
        return results_below(run)

    results = asyncio.run(worked())
    [first, *_] = [each for each in results if each.status == "cancelled"]
    assert first.artifacts == {"notes": "half of it"}
    assert "good work" in [each.output for each in results]


@given(st.sampled_from(CALLERS), guards)
def test_a_caller_that_is_cancelled_stays_cancelled(caller, around):
    async def worked():
        waits = Waits("first", ends=False)
        run = Run(scripted(*TURNS.get(caller, [])))
        call = getattr(Callers, caller)(run, guarded(waits, around), Worker("second"))
        work = asyncio.ensure_future(call)
        await waits.began.wait()
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work

    asyncio.run(worked())


async def test_two_plain_tools_of_one_turn_end_their_agent_alone():
    @tool
    async def waits() -> str:
        """Waits."""
        await _cancelled_wait()

    @tool
    def looks() -> str:
        """Looks."""
        return "a fact"

    agent = Agent("agent", "d", "Be brief.", "claude-haiku-5-5", (waits, looks))
    run = Run(scripted([call("waits"), call("looks")]))
    result = await run.dispatch(agent, TASK)
    assert (result.status, result.artifacts) == ("cancelled", {"tool_results": "a fact"})


# ── a repeat is a fact about a caller ─────────────────────────────────────────────────────────────


async def test_a_gate_may_ask_whom_the_team_asks_too():
    researcher, writer, reviewer = specialists()
    team = DeterministicSupervisor(researcher, Gated(writer, [ModelGate(reviewer)]), reviewer)
    assert (await Run(connect("offline")).dispatch(team, TASK)).status == "ok"


async def test_two_teams_of_one_name_may_work_on_one_task():
    team = DeterministicSupervisor(*specialists())
    other = DeterministicSupervisor(*specialists(), max_revisions=1)
    results = await Run(connect("offline")).fan_out([(team, TASK), (other, TASK)])
    assert [result.status for result in results] == ["ok", "ok"]


async def test_two_gated_writers_may_have_equal_drafts_and_a_gate_may_stand_twice():
    gates = [ModelGate(says(Verdict(verdict="PASS", issues=[]), name="critic"))]
    writers = [Gated(Worker(name, "the same"), gates) for name in ("ann", "bob")]
    results = await Run(scripted()).fan_out([(writer, TASK) for writer in writers])
    twice = await Run(scripted()).dispatch(Gated(writers[0], gates), TASK)
    assert [result.status for result in (*results, twice)] == ["ok"] * 3


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xy")), max_size=6), guards)
def test_each_caller_may_give_each_handoff_once(given_by, around):
    worker = guarded(Worker("worker", "done"), around)

    async def worked():
        run = Run(scripted())
        statuses = {}
        callers = {}
        for name in "ab":
            mine = [intent for caller, intent in given_by if caller == name]
            callers[name] = Handing(name, worker, mine, statuses.setdefault(name, []))
        await run.fan_out([(caller, TASK) for caller in callers.values()])
        return statuses

    for name, statuses in asyncio.run(worked()).items():
        mine = [intent for caller, intent in given_by if caller == name]
        seen = [intent in mine[:place] for place, intent in enumerate(mine)]
        assert statuses == ["refused" if before else "ok" for before in seen]


class Handing:
    description = "Hands over."

    def __init__(self, name, worker, intents, statuses):
        self.name, self.worker, self.intents, self.statuses = name, worker, intents, statuses

    async def execute(self, handoff, run):
        for intent in self.intents:
            result = await run.dispatch(self.worker, Handoff(intent=intent))
            self.statuses.append(result.status)
        return Result(status="ok")


# ── a bug has a place ─────────────────────────────────────────────────────────────────────────────


def stumbles(*_):
    return nobody_knows_this_name  # noqa: F821


class Breaks:
    name, cost = "broken", 0.0

    async def check(self, draft, handoff, run):
        return stumbles()


async def in_a_group(handoff, run):
    async with asyncio.TaskGroup() as group:
        group.create_task(_stumbles_later())


async def _stumbles_later():
    stumbles()


@on_each(
    "worker",
    [Worker("w", stumbles), Worker("w", in_a_group), Gated(Worker("w"), [Breaks()])],
    ids=["a worker", "a group of tasks", "a gate"],
)
async def test_a_bug_in_a_branch_keeps_its_line(worker):
    run = Run(scripted())
    [result] = await run.fan_out([(worker, TASK)])
    assert result.status == "failed"
    [note] = [event.text for event in run.events if getattr(event, "about", "") == "bug"]
    assert "nobody_knows_this_name" in note and "line " in note and "test_the_door.py" in note


# ── what a supervisor's model cannot talk away ────────────────────────────────────────────────────

STOP = Result(status="refused", reason="a person stopped it")


@given(st.sampled_from(["model", "model_in_turn"]), guards, st.booleans(), st.booleans())
def test_a_persons_stop_below_a_model_does_not_end_as_ok(caller, around, is_first, by_name):
    around = [name for name in around if name != "Fallback"]
    workers = [Worker("first"), Worker("second")]
    workers[not is_first].work = STOP
    team = LLMSupervisor(tuple(guarded(each, around) for each in workers), by_name=by_name)
    turns = [
        *TURNS[caller][:-1],
        call("finalize", **({"text" if by_name else "output": "It could not be done."})),
    ]
    result = asyncio.run(Run(scripted(*turns)).dispatch(team, TASK))
    assert (result.status, result.as_text()) == ("refused", "It could not be done.")
    assert "a person stopped it" in result.reason


async def test_a_repeat_that_the_door_refuses_is_no_stop_and_work_that_came_after_all_ends_one():
    outcomes = iter([STOP, "done"])
    team = LLMSupervisor((Worker("first", lambda *_: next(outcomes)),))
    other = call("handoff_to_first", intent="2")
    turns = [FIRST, other, other, call("finalize", output="the end")]
    assert (await Run(scripted(*turns)).dispatch(team, TASK)).status == "ok"


@given(st.integers(2, 4), st.booleans())
def test_a_model_that_ends_several_times_in_one_turn_is_told(times, beside):
    turn = [call("finalize", output=f"text {number}") for number in range(times)]
    turn += [FIRST] * beside
    client = scripted(turn, call("finalize", output="all of it"))
    result = asyncio.run(Run(client).dispatch(LLMSupervisor((Worker("first"),)), TASK))
    assert (result.status, result.output) == ("ok", "all of it")
    answers = requests_of(client)[-1]["messages"][-1]["content"]
    refusals = [answer for answer in answers if f"{times} times" in str(answer.get("content"))]
    assert len(refusals) == times and all(answer["is_error"] for answer in refusals)
