"""A client whose model answers from a script, and small executables, for the tests of a run."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from kernel import Client, Handoff, Registry, Result
from kernel.core.events import Replied
from offline_model import OfflineTransport, Script


@dataclass
class Worker:
    """An executable that does what a test tells it to."""

    name: str = "worker"
    work: Any = "done"
    description: str = "Does what the test says."
    seen: list[Handoff] = field(default_factory=list)

    async def execute(self, handoff, run):
        self.seen.append(handoff)
        outcome = self.work(handoff, run) if callable(self.work) else self.work
        if asyncio.iscoroutine(outcome):
            outcome = await outcome
        return outcome if isinstance(outcome, Result) else Result(status="ok", output=outcome)


class Counted(OfflineTransport):
    """The offline model; `sent` counts its requests."""

    sent = 0

    def respond(self, request, body):
        self.sent += 1
        return super().respond(request, body)


def registry_of(*executables):
    """A registry of executables; a name stands for a `Worker`."""
    registry = Registry()
    for each in executables:
        registry.register(Worker(each) if isinstance(each, str) else each)
    return registry


def steps_of(run, agent):
    """The keys of an agent's replies, in order."""
    return [
        event.reply.step
        for event in run.events
        if isinstance(event, Replied) and event.agent == agent
    ]


def scripted(*answers: Any, strict: bool = True, **client: Any) -> Client:
    """A client whose model gives these answers, one a request."""
    return Client(Script(list(answers), strict=strict), sleep=no_sleep, **client)


async def no_sleep(seconds: float) -> None:
    await asyncio.sleep(0)


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "name": name, "input": arguments}


def requests_of(client: Client) -> list[dict[str, Any]]:
    return client.transport.requests
