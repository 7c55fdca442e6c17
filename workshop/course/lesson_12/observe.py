"""Observations of answers to lesson 12: states met, waits and tries, a worker behind a circuit."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from classroom.observing import call, wait
from classroom.observing.canonical import Raised
from kernel import Executable, Handoff, Result, Run
from kernel.core.contract import Status
from workshop.course.desks import Specialist, order_of
from workshop.course.seen import quiet_run

TICKS = 3
"""Turns of the event loop that a worker takes, so that several are under way at once."""


def states(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The state that each call meets."""
    quiet_run()
    calls = [tuple(entry) for entry in case["calls"]]
    returned = call(answer, calls, case["failures"], case["cooldown_s"])
    count = len(returned) if isinstance(returned, list) else "not a list"
    return {"number of states": count, "states": returned}


def waited(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes the calls of a worker, the waits between them, and the result."""
    seen, _ = _tried(answer, case, case["patience_s"])
    return seen


def retried(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The same, and the whole result."""
    seen, returned = _tried(answer, case)
    if isinstance(returned, Result):
        seen["transient"] = returned.transient
        seen["retry_after_s"] = returned.retry_after_s
        seen["artifacts"] = returned.artifacts
    return seen


def _tried(answer: Any, case: dict[str, Any], *more: Any) -> tuple[dict[str, Any], Any]:
    """The observation of an answer, and what it returned; more: what it is given besides."""
    results = iter(case["results"])
    worker = Specialist("archive", lambda _: Result(**next(results)), limit=20)
    run = quiet_run()
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    handoff = Handoff(intent=case["intent"])
    returned = call(answer, run, worker, handoff, sleep, *more)
    given = run.trace().work.dispatches
    seen: dict[str, Any] = {
        "calls of execute past the run": max(0, worker.calls - len(order_of(run))),
        "handoffs other than the given one": sum(
            _text(work.handoff) != _text(handoff) for work in given
        ),
        "the first handoff has `again`": any(work.again for work in given[:1]),
        "later handoffs without `again`": sum(not work.again for work in given[1:]),
        "tries": worker.calls,
        "waits": [float(seconds) for seconds in waits],
    }
    if not isinstance(returned, Result):
        return {**seen, "returned": returned}, returned
    ended = {"status": returned.status, "output": returned.output, "reason": returned.reason}
    return seen | ended, returned


def _text(handoff: Handoff) -> tuple[Any, ...]:
    """Returns the content of a handoff, whoever it is for."""
    return handoff.intent, handoff.context, handoff.artifacts


@dataclass(eq=False)
class Source:
    """A worker that answers as it is told, after some turns of the event loop."""

    name: str
    status: Status = "ok"
    description: str = "Looks things up."
    asked: list[tuple[Any, ...]] = field(default_factory=list)
    gate: asyncio.Event | None = None
    """An event for which calls that begin now wait."""
    clock: Seconds | None = None
    takes_s: float = 0
    """Seconds that pass on the clock while it works."""

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        self.asked.append(_text(handoff))
        if self.gate is not None:
            await self.gate.wait()
        if self.clock is not None:
            self.clock.now += self.takes_s
        for _ in range(10 * TICKS if self.status == "cancelled" else TICKS):
            await asyncio.sleep(0)
        answer = f"{handoff.intent}: {self.status}"
        if self.status == "ok":
            return Result(status="ok", output=answer)
        return Result(status=self.status, reason=answer)


class Seconds:
    """A clock that goes on when the case says so."""

    def __init__(self, now: float) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def __repr__(self) -> str:
        return "clock"


def guarded(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes the calls that reach a worker behind a guard, and the results of the others."""
    run = quiet_run()
    worker = Source(case["worker"])
    clock = Seconds(case["now"])
    made = call(answer, worker, case["failures"], case["cooldown_s"], clock)
    if isinstance(made, Raised):
        return {"returned": made}
    if not isinstance(made, Executable) or isinstance(made, type):
        return {"it is a class": isinstance(made, type), "it can be dispatched": False}
    given: list[Handoff] = []
    reached: list[int] = []
    results: list[Result | None] = []
    for after_s, count, status in case["steps"]:
        clock.now += after_s
        worker.status = status.removeprefix("late ")
        before = len(worker.asked)
        handoffs = [
            Handoff(intent=f"Look up case {len(given) + number}") for number in range(count)
        ]
        given += handoffs
        if status.startswith("late "):
            results += wait(_overtaken(run, made, handoffs, worker, clock))
        else:
            results += wait(_at_once(run, made, handoffs, stop=status == "cancelled"))
        reached.append(len(worker.asked) - before)
    dispatched = len(run.trace().work.dispatches)
    return {
        "it is a class": False,
        "it can be dispatched": True,
        "it is the worker itself": made is worker,
        "its name": made.name,
        "calls of execute past the run": max(0, len(given) + len(worker.asked) - dispatched),
        "calls that reach the worker, step by step": tuple(reached),
        **_passed_on(worker, given, results),
        "it wraps the worker": getattr(made, "wraps", None) is worker,
    }


def _passed_on(
    worker: Source, given: list[Handoff], results: list[Result | None]
) -> dict[str, Any]:
    """Handoffs and results: those of the worker, and those where it was not asked."""
    asked = {intent for intent, *_ in worker.asked}
    pairs = [
        (handoff, result)
        for handoff, result in zip(given, results, strict=True)
        if result is not None
    ]
    away = [result for handoff, result in pairs if handoff.intent not in asked]
    own = [(handoff, result) for handoff, result in pairs if handoff.intent in asked]
    return {
        "other handoffs than the given ones": sum(
            text not in map(_text, given) for text in worker.asked
        ),
        "what is turned away": sorted({result.status for result in away}),
        "turned away as transient": sum(result.transient for result in away),
        "turned away without a reason": sum(not result.reason for result in away),
        "results that are not the worker's own": sum(
            not (result.as_text() or result.reason).startswith(f"{handoff.intent}: ")
            for handoff, result in own
        ),
    }


async def _at_once(
    run: Run, executable: Any, handoffs: list[Handoff], stop: bool
) -> list[Result | None]:
    """One result for each handoff, in order, and None for one that was cancelled; a bug is raised.

    stop: cancels them when each has begun.
    """
    tasks = [asyncio.create_task(run.dispatch(executable, handoff)) for handoff in handoffs]
    if stop:
        for _ in range(5 * TICKS):
            await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
    else:
        await asyncio.gather(*tasks)
    return [None if task.cancelled() else task.result() for task in tasks]


async def _overtaken(
    run: Run, executable: Any, handoffs: list[Handoff], worker: Source, clock: Seconds
) -> list[Result | None]:
    """The results of a slow call and of others that begin later, fail, and end before it."""
    slow, *others = handoffs
    late, gate = worker.status, asyncio.Event()
    worker.status, worker.gate = "failed", gate
    task = asyncio.create_task(run.dispatch(executable, slow))
    for _ in range(5 * TICKS):
        await asyncio.sleep(0)
    worker.gate = None
    results = [await run.dispatch(executable, handoff) for handoff in others]
    clock.now += LATE_S
    worker.status = late
    gate.set()
    return [await task, *results]


LATE_S = 5
"""Seconds from the last failure of the others to the end of the slow call."""


@dataclass(eq=False)
class LoggedCircuit:
    """The circuit of the lesson, with its numbers to look at."""

    failures: int
    cooldown_s: float
    in_a_row: int = 0
    opened_at: float | None = None

    def state(self, now: float) -> str:
        if self.opened_at is None:
            return "closed"
        return "open" if now - self.opened_at < self.cooldown_s else "half-open"

    def record(self, ok: bool, now: float) -> None:
        self.in_a_row = 0 if ok else self.in_a_row + 1
        self.opened_at = now if self.in_a_row >= self.failures else None


def through_circuit(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes the tasks that reach a worker behind a circuit, the circuit, and the results."""
    run = quiet_run()
    clock = Seconds(case["now"])
    worker = Source(case["worker"], clock=clock)
    circuit = LoggedCircuit(case["failures"], case["cooldown_s"])
    given: list[Handoff] = []
    reached: list[int] = []
    known: list[str] = []
    results: list[Result | None] = []
    for number, (after_s, status, takes_s) in enumerate(case["steps"]):
        clock.now += after_s
        worker.status, worker.takes_s = status, takes_s
        before = len(worker.asked)
        given.append(Handoff(intent=f"Look up case {number}", context=case["context"]))
        returned = call(answer, run, circuit, worker, given[-1], clock)
        if not isinstance(returned, Result):
            return {"returned": returned, "at task": number}
        results.append(returned)
        reached.append(len(worker.asked) - before)
        known.append(f"{circuit.in_a_row}, {circuit.state(clock.now)}")
    dispatched = len(run.trace().work.dispatches)
    return {
        "calls of execute past the run": max(0, len(worker.asked) - dispatched),
        "calls that reach the worker, task by task": tuple(reached),
        "failures in a row and state of the circuit, after each task": tuple(known),
        **_passed_on(worker, given, results),
    }


OBSERVE = {
    "12.t1": retried,
    "12.t2": through_circuit,
    "12.1": states,
    "12.2": waited,
    "12.3": guarded,
}
