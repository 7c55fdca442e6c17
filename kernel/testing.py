"""Doubles for tests: executables of a line that say, fail, wait, ask or keep what they were given.

    researcher = records(says("- Fact. [d1]", name="researcher"))
    team = DeterministicSupervisor(researcher, says("a draft", name="writer"), asks("Publish?"))
    client = CountingClient(connect("offline"))

Each is an `Executable` and is dispatched like any other one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from .core.contract import Executable, Handoff, Pause, Result
from .core.run import Run
from .core.wire import Reply, Request
from .plumbing.client import Client, OnRetry, WrappedClient


@dataclass(frozen=True)
class Double:
    """An executable that does one thing with whatever it is given."""

    name: str
    act: Callable[[Handoff, Run], Awaitable[Result]]
    description: str = "A double for a test."

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        return await self.act(handoff, run)


@dataclass
class Recorder:
    """An executable that keeps each handoff, and gives it to another one."""

    inner: Executable
    handoffs: list[Handoff] = field(default_factory=list)
    """The handoffs, in the order in which they came."""

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def description(self) -> str:
        return self.inner.description

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        self.handoffs.append(handoff)
        return await self.inner.execute(handoff, run)


class CountingClient(WrappedClient):
    """A client that counts the requests which it sends."""

    def __init__(self, client: Client) -> None:
        super().__init__(client)
        self.sent = 0

    async def send(
        self, request: Request | dict[str, Any], *, on_retry: OnRetry | None = None
    ) -> Reply:
        self.sent += 1
        return await super().send(request, on_retry=on_retry)


def says(answer: str | BaseModel | Result, *, name: str = "worker") -> Double:
    """An executable that returns this answer; of a `Result`, a copy each time."""

    async def act(handoff: Handoff, run: Run) -> Result:
        if isinstance(answer, Result):
            return answer.model_copy(deep=True)
        return Result(status="ok", output=answer)

    return Double(name, act)


def fails(error: Exception, *, name: str = "worker") -> Double:
    """An executable that raises this error, such as an `ApiError` or a bug."""

    async def act(handoff: Handoff, run: Run) -> Result:
        raise error

    return Double(name, act)


def waits(seconds: float, then: Executable) -> Double:
    """An executable that waits and then does the work of another one, under its name."""

    async def act(handoff: Handoff, run: Run) -> Result:
        await asyncio.sleep(seconds)
        return await then.execute(handoff, run)

    return Double(then.name, act)


def asks(question: str, *, name: str = "worker") -> Double:
    """An executable that pauses with a question for a person."""
    return fails(Pause(question), name=name)


def records(then: Executable | None = None) -> Recorder:
    """An executable that keeps each handoff and then does the work of another one; alone it says
    "done"."""
    return Recorder(then or says("done"))
