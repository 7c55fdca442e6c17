"""What is seen of answers to lesson 12: states met, waits and tries."""

from __future__ import annotations

from typing import Any

from classroom.observing import call
from kernel import Handoff, Result
from workshop.course.desks import Specialist, order_of
from workshop.course.seen import quiet_run


def states(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The state that each call meets."""
    quiet_run()
    calls = [tuple(entry) for entry in case["calls"]]
    returned = call(answer, calls, case["failures"], case["cooldown_s"])
    count = len(returned) if isinstance(returned, list) else "not a list"
    return {"number of states": count, "states": returned}


def waited(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """How often a worker was asked, after which waits, and what came of it."""
    results = iter(case["results"])
    worker = Specialist("archive", lambda _: Result(**next(results)), limit=20)
    run = quiet_run()
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    handoff = Handoff(intent=case["intent"])
    returned = call(answer, run, worker, handoff, sleep, case["patience_s"])
    given = [event for event in run.events if event.kind == "dispatch"]
    seen: dict[str, Any] = {
        "calls of execute past the run": max(0, worker.calls - len(order_of(run))),
        "handoffs other than the given one": sum(
            _text(event.handoff) != _text(handoff) for event in given
        ),
        "the first handoff has `again`": any(event.again for event in given[:1]),
        "later handoffs without `again`": sum(not event.again for event in given[1:]),
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
    """What a handoff says, whoever it is for."""
    return handoff.intent, handoff.context, handoff.artifacts


OBSERVE = {
    "12.1": states,
    "12.2": waited,
}
