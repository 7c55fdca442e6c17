"""Lesson 21: days on which something is wrong at one place of a desk, and nobody says what."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random

from kernel import Agent, Client, Executable, Handoff, Result, Run, models, specialists
from offline_model import Faults, OfflineTransport

TASK = Handoff(intent="Write a brief on pgvector")
KINDS = ("slow", "retries", "expensive", "failed", "empty")
REQUESTS_BEFORE = {"researcher": 0, "writer": 2, "reviewer": 3}
"""The number of requests that the desk has made when the specialist makes its first."""
LONG_S = 40.0
TRIES = 3
"""So many requests are turned away where a service is overloaded."""


async def bad_day(number: int) -> Run:
    """A finished run of an editorial desk in which one thing is wrong; the same each time.

    number: which day; each number draws what is wrong, and where.
    """
    draw = Random(number)
    kind = draw.choice(KINDS)
    names = list(REQUESTS_BEFORE)
    if kind == "empty":
        names.remove("researcher")  # nothing is handed to it on a good day either
    return await played(kind, draw.choice(names))


async def played(kind: str, worker: str) -> Run:
    """The run of the desk when this is wrong with one of its specialists."""
    clock = _Clock()
    fault = {"retries": "529", "failed": "refusal"}.get(kind)
    first = ("",) * REQUESTS_BEFORE[worker] + (fault,) * TRIES if fault else ()
    transport = OfflineTransport(faults=Faults(first=first))
    run = Run(Client(transport, retries=TRIES, sleep=clock.sleep, jitter=_none), clock=clock)
    desk = _Desk({agent.name: agent for agent in specialists()})
    if kind == "slow":
        desk.team[worker] = _Slow(desk.team[worker], clock)
    if kind == "expensive":
        desk.team[worker] = _with_model(desk.team[worker], models.planner)
    if kind == "empty":
        desk.loses = worker
    await run.dispatch(desk, TASK)
    return run


def _with_model(agent: Executable, model: str) -> Executable:
    assert isinstance(agent, Agent)
    return replace(agent, model=model)


def _none() -> float:
    return 0.0


class _Clock:
    """Seconds that pass a tenth with each look, and while somebody sleeps."""

    now = 0.0

    def __call__(self) -> float:
        self.now += 0.1
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


@dataclass
class _Desk:
    """Research, write, review: each is handed all that there is so far."""

    team: dict[str, Executable]
    loses: str = ""
    """The specialist that is handed the names of the parts without their texts; empty for none."""
    name: str = field(default="desk", init=False)
    description: str = field(default="Writes briefs.", init=False)

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        parts: dict[str, str] = {}
        intents = {"researcher": "Find facts on pgvector", "reviewer": "Review the draft"}
        for worker, part in (("researcher", "facts"), ("writer", "draft"), ("reviewer", "review")):
            given = dict.fromkeys(parts, "") if worker == self.loses else dict(parts)
            intent = intents.get(worker, handoff.intent)
            result = await run.dispatch(self.team[worker], Handoff(intent=intent, artifacts=given))
            if not result.ok:
                return run.end_early(result.status, f"{worker}: {result.reason}")
            parts[part] = result.as_text()
        return Result(status="ok", output=parts["draft"], artifacts=parts)


@dataclass
class _Slow:
    """An executable that takes long before it begins."""

    inner: Executable
    clock: _Clock

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def description(self) -> str:
        return self.inner.description

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        await self.clock.sleep(LONG_S)
        return await self.inner.execute(handoff, run)
