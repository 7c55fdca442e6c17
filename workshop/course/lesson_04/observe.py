"""Observations of answers to lesson 04: the order of questions, how many at a time, each end."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from classroom.observing import as_dict, call, held, loop_of
from classroom.observing.clock import WithoutWaiting
from kernel import Handoff, Result, Run
from workshop.course.desks import Crew, at_once
from workshop.course.seen import quiet_run


def fanned_out(fan_out: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Branches under a limit, the first of them slow: who had begun when it ended."""
    crew, run = Crew("researcher", case["plan"]), quiet_run()
    topics = case["topics"]
    with kernels_own() as used:
        jobs = [(crew, Handoff(intent=f"Research {topic}")) for topic in topics]
        returned = _ended(call(fan_out, run, jobs, case["limit"]))
    return {
        "calls of run.fan_out": len(used),
        **_returned(returned),
        **_asked(run, crew),
        "at work at a time": max(crew.peak, at_once(run)),
        "begun when the slow one ended": crew.begun_by_then.get(topics[0], 0),
        "results, in any order": sorted(_results(returned), key=str),
    }


def found(findings: Any, case: dict[str, Any]) -> dict[str, Any]:
    """A text for each topic; of what is missing, whether the text says why."""
    crew, run = Crew("researcher", case["plan"]), quiet_run()
    returned = as_dict(call(findings, run, crew, list(case["topics"])))
    texts = returned if type(returned) is dict else {}
    reasons = _reasons(case["plan"])
    seen: dict[str, Any] = {
        "returned": ("a dict",) if type(returned) is dict else returned,
        **_asked(run, crew),
        "at work at a time": crew.peak,
        "topics": list(texts),
    }
    for topic, text in texts.items():
        why = reasons.get(topic)
        name = f"the text on {topic}"
        if why is None:
            seen[name] = text
        else:
            seen[f"{name}, with the reason"] = held(text, why)
    return seen


def timed(in_time: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Branches that take longer or shorter, by a clock that does not wait."""
    crew, backup = Crew("researcher", case["plan"]), Crew("backup", case["backup"])
    run = quiet_run()
    context = case["context"]
    jobs = [
        (crew, Handoff(intent=f"Research {topic}", context=context)) for topic in case["topics"]
    ]
    with loop_of(WithoutWaiting):
        returned = _ended(call(in_time, run, jobs, case["seconds"], backup))
    results = returned if _returned(returned) == RESULTS else []
    reasons = _reasons(case["plan"]).values()
    return {
        **_returned(returned),
        **_asked(run, crew, backup),
        "at work at a time": crew.peak,
        "contexts of the handoffs": sorted({one["context"] for one in run.trace().handoffs()}),
        "results": _results(returned),
        "reasons of the failed": [held(result.reason, *reasons) for result in results],
    }


def _reasons(plan: dict[str, dict[str, Any]]) -> dict[str, str]:
    """By topic, why a branch does not deliver."""
    found = {}
    for topic, branch in plan.items():
        why = branch.get("raises") or branch.get("ends", {}).get("reason")
        if why:
            found[topic] = why
    return found


def _ended(returned: Any) -> Any:
    """Returns the returned value; a coroutine in it, which nobody will await, is closed."""
    for part in returned if type(returned) in (list, tuple) else ():
        if inspect.iscoroutine(part):
            part.close()
    return returned


RESULTS = {"returned": ("a list of results",)}


def _returned(returned: Any) -> dict[str, Any]:
    """Returns a mark for a list of results; anything else unchanged."""
    several = isinstance(returned, list | tuple)
    alike = several and all(isinstance(result, Result) for result in returned)
    return RESULTS if alike else {"returned": returned}


def _results(returned: Any) -> list[Any]:
    """Status and output of each result."""
    if _returned(returned) != RESULTS:
        return []
    pairs = [(result.status, result.output) for result in returned]
    return [
        f"{status}: {output}" if type(output) is str else [status, output]
        for status, output in pairs
    ]


def _asked(run: Run, *crews: Crew) -> dict[str, Any]:
    """Observes the questions to each crew, in no order, and the calls without a handoff."""
    given = run.trace().handoffs()
    past = sum(len(crew.asked) for crew in crews) - len(given)
    seen: dict[str, Any] = {"calls of execute past the run": max(0, past)}
    for crew in crews:
        intents = [handoff["intent"] for handoff in given if handoff["to_agent"] == crew.name]
        seen[f"asked of the {crew.name}"] = sorted(intents)
    return seen


@contextmanager
def kernels_own() -> Iterator[list[str]]:
    """Notes each call of the kernel's fan-out."""
    used: list[str] = []
    theirs = Run.fan_out

    async def noted(self: Run, *args: Any, **options: Any) -> Any:
        used.append("run.fan_out")
        return await theirs(self, *args, **options)

    Run.fan_out = noted  # type: ignore[method-assign]  # until it has been seen
    try:
        yield used
    finally:
        Run.fan_out = theirs  # type: ignore[method-assign]  # as before


def each_at_once(at_once_of: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Branches of which one may raise: each result in its place, and why it failed."""
    crew, run = Crew("researcher", case["plan"]), quiet_run()
    with kernels_own() as used:
        jobs = [(crew, Handoff(intent=f"Research {topic}")) for topic in case["topics"]]
        returned = _ended(call(at_once_of, run, jobs))
    results = returned if _returned(returned) == RESULTS else []
    reasons = _reasons(case["plan"])
    return {
        "calls of run.fan_out": len(used),
        **_returned(returned),
        **_asked(run, crew),
        "at work at a time": max(crew.peak, at_once(run)),
        "results": [f"{result.status}: {result.as_text()}" for result in results],
        "reasons": [
            held(result.reason, reasons.get(topic, ""))
            for topic, result in zip(case["topics"], results, strict=False)
        ],
    }


OBSERVE = {"04.t1": each_at_once, "04.1": fanned_out, "04.2": found, "04.3": timed}
