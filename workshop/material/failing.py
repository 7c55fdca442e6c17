"""Lesson 12: workers that fail in known ways, services that misbehave, and a clock that nobody
waits for.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx

from kernel import Agent, ApiError, Client, Handoff, Result, Run, guards, models, tool
from offline_model import Faults, OfflineAPI, OfflineTransport, Server


def service(*, retries: int = 0, seed: int = 0, **faults: Any) -> Client:
    """The offline model with faults (`rate_529=0.3`, `first=("429",)` …) and a client that does not
    retry.
    """
    transport = OfflineTransport(faults=Faults(**faults), seed=seed)
    return Client(transport, retries=retries, sleep=Waits())


@contextlib.contextmanager
def real_server(*, retries: int = 3, seed: int = 0, **faults: Any) -> Iterator[Client]:
    """The same behind a real server on this machine, HTTP over a socket; this client retries."""
    with Server(OfflineAPI(faults=Faults(**faults), seed=seed)) as url:
        transport = httpx.AsyncHTTPTransport()
        yield Client(transport, mode="local", base_url=url, retries=retries, sleep=Waits())


@dataclass
class Waits:
    """Records a wait in place of waiting."""

    seconds: list[float] = field(default_factory=list)

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(round(seconds, 2))


@dataclass
class Clock:
    """A clock of its own: it goes on when a worker says so."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@dataclass(eq=False)
class Worker:
    """A worker of a dependency that may be down: each call takes `slow_s` on the clock and fails.

    down: whether it fails. calls: how often it was asked. inside, most: how many calls are under
          way now, and were at most.
    """

    name: str = "archive"
    description: str = "Looks things up in the archive."
    down: bool = True
    slow_s: float = 10.0
    clock: Clock = field(default_factory=Clock)
    calls: int = 0
    inside: int = 0
    most: int = 0

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        self.calls += 1
        self.inside += 1
        self.most = max(self.most, self.inside)
        try:
            await asyncio.sleep(0)
            if not self.down:
                return Result(status="ok", output="found")
            self.clock.now += self.slow_s
            raise ApiError("no answer", type="timeout_error", status=504, retryable=True)
        finally:
            self.inside -= 1


@dataclass(eq=False)
class Starting(guards.Guard):
    """A worker whose host is starting: its first calls fail, `failures` of them."""

    failures: int = 2

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        if self.failures:
            self.failures -= 1
            raise ApiError("starting", type="overloaded_error", status=529, retryable=True)
        return await run.dispatch(self.wraps, handoff)


def exporter() -> tuple[Agent, list[str]]:
    """An agent in the middle of whose tool anything may happen, and what that tool writes down."""
    log: list[str] = []

    @tool
    async def export(topic: str) -> str:
        """Export all documents on a topic. Takes long."""
        try:
            log.append("began")
            await asyncio.sleep(60)
        finally:
            log.append("cleaned up")
        return "done"

    return Agent("exporter", "Exports.", "Use your tools.", models.worker, (export,)), log
