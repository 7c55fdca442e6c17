"""Trials of lesson 04: a fan-out with a limit, results in order, a time limit for one slow branch."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

from kernel import Handoff, Result, Run
from workshop.desks import Crew

from .clock import WithoutWaiting
from .desk import held, quiet_run
from .trial import Trial, call, loop_of

TOPICS = ("vector stores", "retries", "tracing", "evaluation", "memory", "budgets", "caching", "handoffs", "gates")
LATE = 300
"""Steps of the event loop: hundreds of short branches fit into the time of a late one."""
STUCK_S = 40.0
"""Of a clock that does not wait: long after each limit that is set."""


def results(came: Any) -> Any:
    """Status and output of each result; anything else as it is."""
    for it in came if type(came) in (list, tuple) else ():
        if inspect.iscoroutine(it):
            it.close()  # nobody will await it
    several = isinstance(came, list | tuple) and all(isinstance(it, Result) for it in came)
    return [[it.status, it.output] for it in came] if several else {"no results": came}


def dispatched(run: Run) -> list[str]:
    """Who was asked for what, through the run, in no order."""
    return sorted(f"{it['to_agent']}: {it['intent']}" for it in run.trace().handoffs())


def at_once(run: Run) -> int:
    """The most that were at work at a time, as the run noted it: an answer is handed the crew and could change its count."""
    at_work, most = 0, 0
    for event in run.events:
        at_work += (event.kind == "dispatch") - (event.kind == "return")
        most = max(most, at_work)
    return most


@contextmanager
def kernels_own() -> Iterator[list[str]]:
    """Notes each call of the kernel's fan-out."""
    used: list[str] = []
    theirs = Run.fan_out

    async def noted(self: Run, *args: Any, **options: Any) -> Any:
        used.append("run.fan_out")
        return await theirs(self, *args, **options)

    Run.fan_out = noted  # type: ignore[method-assign]
    try:
        yield used
    finally:
        Run.fan_out = theirs  # type: ignore[method-assign]


def fanned_out(fan_out: Any, draw: Random, many: int, limit: int, *, waits: bool = False) -> dict[str, Any]:
    """So many branches, the first of them late; `waits`: who had begun when it ended."""
    topics = draw.sample(TOPICS, many)
    crew = Crew(draw, {topic: draw.randint(1, 4) for topic in topics} | {topics[0]: LATE}, stuck_s=STUCK_S)
    run = quiet_run()
    with kernels_own() as used:
        came = results(call(fan_out, run, [(crew, Handoff(intent=f"Research {topic}")) for topic in topics], limit))
    return {"dispatched": dispatched(run), "used": used, "results": sorted(came, key=str) if type(came) is list else came,
            "at once": [crew.most, at_once(run)], **({"begun by then": crew.begun_by_then.get(topics[0], 0)} if waits else {})}


def found(findings: Any, draw: Random, *, trouble: bool) -> dict[str, Any]:
    """A text for each topic; with trouble one branch raises, and one comes back with half a work."""
    topics = sorted(draw.sample(TOPICS, draw.randint(5, 7)), reverse=True)
    topics.insert(1, topics.pop())  # neither sorted nor reversed
    crew = Crew(draw, {topic: 12 * (len(topics) - at) for at, topic in enumerate(topics)},  # the last one ends first
                stuck_s=STUCK_S)
    reasons: dict[str, str] = {}
    if trouble:
        raised, stopped = draw.sample(topics[:-1], 2)
        reasons = {raised: f"shelf {draw.randint(100, 999)} cannot be reached",
                   stopped: f"its budget of {draw.randint(100, 999)} calls is used up"}
        crew.raises[raised] = reasons[raised]
        crew.ends[stopped] = Result(status="exhausted", output=f"Half a fact on {stopped}", reason=reasons[stopped])
    run = quiet_run()
    came = call(findings, run, crew, list(topics))
    texts = [[topic, held(text, reasons[topic]) if topic in reasons else text] for topic, text in came.items()
             ] if isinstance(came, dict) else {"no texts by topic": came}
    return {"dispatched": dispatched(run), "at once": crew.most, "texts": texts}


def timed(in_time: Any, draw: Random, late: int, *, fails: bool) -> dict[str, Any]:
    """Branches of which some are stuck and one may fail at once, by a clock that does not wait."""
    topics = draw.sample(TOPICS, draw.randint(4, 6))
    steps = {topic: draw.randint(1, 4) for topic in topics}
    crew, backup = Crew(draw, steps, stuck_s=STUCK_S), Crew(draw, steps, "backup", stuck_s=STUCK_S)
    crew.stuck = {*draw.sample(topics[:-1], late)}
    why = f"no shelf {draw.randint(100, 999)}"
    if fails:
        crew.ends[next(it for it in topics if it not in crew.stuck)] = Result(status="failed", reason=why)
    run = quiet_run()
    with loop_of(WithoutWaiting):
        came = call(in_time, run, [(crew, Handoff(intent=f"Research {it}")) for it in topics], draw.randint(5, 20) / 10, backup)
    seen = results(came)
    return {"dispatched": dispatched(run), "at once": crew.most, "results": seen,
            "reasons": [held(it.reason, why) for it in came] if type(seen) is list else []}


TRIALS = {
    "04.1": (
        Trial(title="dispatches all jobs at once when there are places enough", points=1,
              observe=lambda answer, draw: fanned_out(answer, draw, draw.randint(3, 6), draw.randint(6, 9))),
        Trial(title="never lets more than the limit work at once", points=1,
              observe=lambda answer, draw: [fanned_out(answer, draw, draw.randint(7, 9), draw.randint(2, 4)) for _ in range(2)]),
        Trial(title="gives a free place to the next one at once", points=1, hidden=True,
              observe=lambda answer, draw: fanned_out(answer, draw, 9, draw.randint(2, 4), waits=True)),
    ),
    "04.2": (
        Trial(title="a text for each topic, in the order asked", points=1,
              observe=lambda answer, draw: found(answer, draw, trouble=False)),
        Trial(title="what is missing keeps its place and says why", points=1,
              observe=lambda answer, draw: [found(answer, draw, trouble=True) for _ in range(2)]),
    ),
    "04.3": (
        Trial(title="what is in time stays as it is, and the backup is not asked", points=1,
              observe=lambda answer, draw: timed(answer, draw, 0, fails=True)),
        Trial(title="the backup's result takes the place of the late one", points=1,
              observe=lambda answer, draw: timed(answer, draw, 1, fails=False)),
        Trial(title="several are late, and one fails", points=1, hidden=True,
              observe=lambda answer, draw: timed(answer, draw, 2, fails=True)),
    ),
}
