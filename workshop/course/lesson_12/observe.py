"""Observations of answers to lesson 12: states met, waits and tries, a worker behind a guard."""

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
    results = iter(case["results"])
    worker = Specialist("archive", lambda _: Result(**next(results)), limit=20)
    run = quiet_run()
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    handoff = Handoff(intent=case["intent"])
    returned = call(answer, run, worker, handoff, sleep, case["patience_s"])
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
        return {**seen, "returned": returned}
    return {
        **seen,
        "status": returned.status,
        "output": returned.output,
        "reason": returned.reason,
    }


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

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        self.asked.append(_text(handoff))
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
        worker.status = status
        before = len(worker.asked)
        handoffs = [
            Handoff(intent=f"Look up case {len(given) + number}") for number in range(count)
        ]
        given += handoffs
        stop = status == "cancelled"
        results += wait(_at_once(run, made, handoffs, stop=stop))
        reached.append(len(worker.asked) - before)
    dispatched = len(run.trace().work.dispatches)
    asked = {intent for intent, *_ in worker.asked}
    pairs = [
        (handoff, result)
        for handoff, result in zip(given, results, strict=True)
        if result is not None
    ]
    away = [result for handoff, result in pairs if handoff.intent not in asked]
    own = [(handoff, result) for handoff, result in pairs if handoff.intent in asked]
    return {
        "it is a class": False,
        "it can be dispatched": True,
        "it is the worker itself": made is worker,
        "its name": made.name,
        "calls of execute past the run": max(0, len(given) + len(worker.asked) - dispatched),
        "calls that reach the worker, step by step": tuple(reached),
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
        "it wraps the worker": getattr(made, "wraps", None) is worker,
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


OBSERVE = {
    "12.1": states,
    "12.2": waited,
    "12.3": guarded,
}
