"""A run whose seconds are the same on every machine: offline, a reply takes one second of a clock
that nobody waits for.
"""

from __future__ import annotations

import asyncio

import httpx

from kernel import Budget, Client, Run, connect
from offline_model import OfflineTransport

REPLY_S = 1.0
"""Seconds that a reply takes."""
TURNS = 20
"""The turns of the event loop without a new sleeper after which all count as asleep."""


class Clock:
    """Seconds that pass only while all sleep; those who fall asleep at once wake at once."""

    def __init__(self) -> None:
        self.now = 0.0
        self._ends: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        """Returns when so many seconds have passed on this clock."""
        end = self.now + seconds
        self._ends.append(end)
        quiet = 0
        while quiet < TURNS or min(self._ends) < end:
            before = self._ends[:]
            await asyncio.sleep(0)
            quiet = quiet + 1 if self._ends == before else 0
        self.now = max(self.now, end)
        self._ends.remove(end)


class Clocked(httpx.AsyncBaseTransport):
    """The offline model; each of its replies takes `REPLY_S` of a clock."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.offline = OfflineTransport()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await self.offline.handle_async_request(request)
        await self.clock.sleep(REPLY_S)
        return response


def clocked_run(budget: Budget | None = None) -> Run:
    """A new run: offline with a clock of its own, else with the real one.

    budget: of the whole run; 200 calls unless given.
    """
    budget = budget or Budget(calls=200)
    client = connect()
    if client.mode != "offline":
        return Run(client, budget=budget)
    clock = Clock()
    return Run(Client(Clocked(clock)), clock=clock, budget=budget)
