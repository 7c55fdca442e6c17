"""Each guard around each way to end, and around each supervisor whose worker ends so: what comes back,
and that nothing stays held, reserved or open afterwards."""

from __future__ import annotations

import asyncio

import pytest

from kernel import (
    Agent,
    ApiError,
    Client,
    DeterministicSupervisor,
    Exhausted,
    Handoff,
    LLMSupervisor,
    Pause,
    Result,
    Run,
    models,
    tool,
)
from kernel.core.budget import NOTHING
from kernel.core.team import Verdict
from kernel.parts.guards import CircuitBreaker, Deadline, Fallback, Limit, Retry, is_failure
from kernel.parts.planning.plan import Plan, PlannedSupervisor, Step
from kernel.parts.planning.selection import DispatchSupervisor, Selection
from offline_model import Script
from tests.on_each import on_each
from tests.scripted import Worker, call, no_sleep, registry_of

TASK = Handoff(intent="look")


# ── ways to end ───────────────────────────────────────────────────────────────────────────────────


def ends_well(_):
    return "done"


def pauses(_):
    raise Pause("May I?")


def exhausts(_):
    raise Exhausted("too dear")


def has_a_bug(_):
    raise KeyError("oops")


def fails_for_now(_):
    raise ApiError("busy", type="overloaded_error", status=529, retryable=True)


def refuses(_):
    return Result(status="refused", reason="not this")


async def hangs(reached):
    reached.set()
    await asyncio.Event().wait()


ENDS = [ends_well, pauses, exhausts, has_a_bug, fails_for_now, refuses, hangs]


class Ends:
    """Asks a model once, then ends in one way."""

    name, description = "worker", "Works."

    def __init__(self, end, asks=True):
        self.end = end
        self.asks = asks
        self.calls = 0
        self.reached = asyncio.Event()

    async def execute(self, handoff, run):
        self.calls += 1
        if self.asks:
            await run.ask(model=models.worker, messages=[{"role": "user", "content": "?"}])
        outcome = self.end(self.reached)
        if asyncio.iscoroutine(outcome):
            outcome = await outcome
        return outcome if isinstance(outcome, Result) else Result(status="ok", output=outcome)


GUARDS = {
    "Retry": lambda inner: Retry(inner, 2, sleep=no_sleep),
    "Deadline": lambda inner: Deadline(inner, 60),
    "Fallback": lambda inner: Fallback(inner, Worker("spare", "instead")),
    "CircuitBreaker": lambda inner: CircuitBreaker(inner, failures=1),
    "Limit": lambda inner: Limit(inner, 1),
}


async def outcome_of(run, executable, worker):
    """The result, or the exception that came through the door. What hangs is cancelled once it is
    reached. No task is left behind."""
    before = asyncio.all_tasks()
    task = asyncio.create_task(run.dispatch(executable, TASK))
    if worker.end is hangs:
        await worker.reached.wait()
        task.cancel()
    try:
        return await task
    except (KeyError, asyncio.CancelledError) as problem:
        return type(problem)
    finally:
        assert asyncio.all_tasks() == before


def nothing_is_left(run, guard):
    """No money is set aside, no place held, no trial open; each dispatch returned."""
    assert run.ledger.reserved == NOTHING
    assert not isinstance(guard, Limit) or guard._places._free == guard.at_once
    assert not isinstance(guard, CircuitBreaker) or not guard._on_trial
    kinds = [event.kind for event in run.events]
    assert kinds.count("dispatch") == kinds.count("return")


def expected(guard, bare):
    """What a guard makes of a result: status, whether it is worth a try from above, and the calls."""
    if isinstance(guard, Fallback) and not bare.ok and bare.status != "paused":
        return "ok", False, 1
    if isinstance(guard, Retry) and bare.transient:
        return bare.status, False, 3
    return bare.status, bare.transient, 1


def opened(guard, bare):
    """Whether a breaker of one failure is open now."""
    if isinstance(bare, type):
        return bare is KeyError
    return is_failure(bare)


# ── a guard around a worker ───────────────────────────────────────────────────────────────────────

WORKER = {
    ends_well: "ok",
    pauses: "paused",
    exhausts: "exhausted",
    has_a_bug: KeyError,
    fails_for_now: "failed",
    refuses: "refused",
    hangs: asyncio.CancelledError,
}


@on_each("end", ENDS)
@on_each("make", GUARDS.values(), ids=GUARDS)
async def test_a_guard_gives_back_what_its_worker_ended_with_and_keeps_nothing(make, end):
    run = Run(Client(Script(["said"] * 9)))
    worker = Ends(end)
    guard = make(worker)
    outcome = await outcome_of(run, guard, worker)
    nothing_is_left(run, guard)
    assert run.spent.calls == worker.calls
    if isinstance(WORKER[end], type):
        assert outcome is WORKER[end] and worker.calls == 1
    else:
        bare = Result(status=WORKER[end], transient=end is fails_for_now)
        found = (outcome.status, outcome.transient, worker.calls)
        assert found == expected(guard, bare)
        assert outcome.ok or outcome.reason
    if isinstance(guard, CircuitBreaker):
        failed = end in (has_a_bug, fails_for_now)
        assert guard.state == ("open" if failed else "closed")


@on_each("end", ENDS)
@on_each("make", GUARDS.values(), ids=GUARDS)
async def test_a_guard_works_again_after_whatever_ended(make, end):
    run = Run(Client(Script(["said"] * 9)))
    worker = Ends(end)
    guard = make(worker)
    await outcome_of(run, guard, worker)
    worker.end = ends_well
    result = await run.dispatch(guard, Handoff(intent="look again"))
    nothing_is_left(run, guard)
    if isinstance(guard, CircuitBreaker) and end in (has_a_bug, fails_for_now):
        assert result.status == "failed" and "the circuit of worker is open" in result.reason
    else:
        assert result.ok and result.output == "done"


@on_each("make", GUARDS.values(), ids=GUARDS)
async def test_what_is_cancelled_while_it_asks_has_nothing_set_aside(make):
    worker = Ends(ends_well)

    class Silent(Script):
        async def handle_async_request(self, request):
            worker.reached.set()
            await asyncio.Event().wait()

    run = Run(Client(Silent()))
    guard = make(worker)
    task = asyncio.create_task(run.dispatch(guard, TASK))
    await worker.reached.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    nothing_is_left(run, guard)
    assert run.spent.calls == 1, "what was sent is booked: it may have been done"


# ── a guard around a supervisor ───────────────────────────────────────────────────────────────────


class Selected:
    async def select(self, task, registry, run):
        return Selection(executables=["worker"])


class Planned:
    async def plan(self, task, registry, run, findings=()):
        return Plan(steps=[Step(id="a", worker="worker", intent="do it")])


def agent(worker):
    """A worker's ways to end as those of a tool."""

    @tool
    async def handoff_to_worker(intent: str) -> str:
        """Works."""
        worker.calls += 1
        outcome = worker.end(worker.reached)
        return await outcome if asyncio.iscoroutine(outcome) else outcome

    return Agent("supervisor", "Works with a tool.", "Work.", models.worker, (handoff_to_worker,))


SUPERVISORS = {
    "Deterministic": lambda worker: DeterministicSupervisor(
        worker, Worker("writer", "text"), Worker("reviewer", Verdict(verdict="PASS", issues=[]))
    ),
    "LLM": lambda worker: LLMSupervisor((worker,)),
    "Dispatch": lambda worker: DispatchSupervisor(registry_of(worker), Selected()),
    "Planned": lambda worker: PlannedSupervisor(
        registry_of(worker), Planned(), Worker("synthesizer", "all in all")
    ),
    "Agent": agent,
}

BARE = {
    "Deterministic": WORKER,
    # its model reads what a worker could not do, and goes on; a question is for a person, and a stop is final
    "LLM": WORKER | {exhausts: "ok", fails_for_now: "ok"},
    # a step that fails, even by a bug, leaves its siblings alone
    "Dispatch": WORKER | {has_a_bug: "failed"},
    "Planned": WORKER | {has_a_bug: "failed"},
    "Agent": WORKER,
}


def by_tool(end):
    """A model that hands over once, then ends; where a worker would refuse, an agent's model does."""

    def say(request):
        leads = "finalize" in [each["name"] for each in request["tools"]]
        if len(request["messages"]) > 1:
            return call("finalize", output="told") if leads else "told"
        if end is refuses and not leads:
            return {"content": [], "stop_reason": "refusal"}
        return call("handoff_to_worker", intent="do it")

    return say


async def of(name, end, make=None):
    """A supervisor whose worker ends so, below a guard or alone: what came of it, and in which run."""
    run = Run(Client(Script([by_tool(end)] * 9)))
    worker = Ends(end, asks=False)
    executable = SUPERVISORS[name](worker)
    guard = make(executable) if make else executable
    outcome = await outcome_of(run, guard, worker)
    nothing_is_left(run, guard)
    return outcome, run, guard


@on_each("end", ENDS)
@on_each("name", SUPERVISORS)
async def test_a_supervisor_whose_worker_ends_so_ends_like_this(name, end):
    outcome, _, _ = await of(name, end)
    found = outcome if isinstance(outcome, type) else outcome.status
    assert found == BARE[name][end]


@on_each("end", ENDS)
@on_each("make", GUARDS.values(), ids=GUARDS)
@on_each("name", SUPERVISORS)
async def test_a_guard_does_with_a_supervisor_what_it_does_with_a_worker(name, make, end):
    bare, _, _ = await of(name, end)
    outcome, run, guard = await of(name, end, make)
    if isinstance(bare, type):
        assert outcome is bare
    else:
        status, transient, calls = expected(guard, bare)
        given = [
            event
            for event in run.events
            if event.kind == "dispatch" and event.agent == "supervisor" and not event.wrapper
        ]
        assert (outcome.status, outcome.transient, len(given)) == (status, transient, calls)
    if isinstance(guard, CircuitBreaker):
        assert guard.state == ("open" if opened(guard, bare) else "closed")
