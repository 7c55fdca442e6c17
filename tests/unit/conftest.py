"""What unit tests share: a client whose model answers from a script, and small executables."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest

from kernel import Agent, Client, Handoff, Result
from offline_model import Script


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


def scripted(*answers: Any, strict: bool = True, **client: Any) -> Client:
    """A client whose model gives these answers, one a request."""
    return Client(Script(list(answers), strict=strict), sleep=no_sleep, **client)


async def no_sleep(seconds: float) -> None:
    await asyncio.sleep(0)


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "name": name, "input": arguments}


def requests_of(client: Client) -> list[dict[str, Any]]:
    return client.transport.requests


@pytest.fixture
def agent():
    def make(**changes: Any) -> Agent:
        return Agent(
            **{
                "name": "agent",
                "description": "d",
                "system": "Be brief.",
                "model": "claude-haiku-5-5",
                **changes,
            }
        )

    return make


SETTINGS = (
    "WORKSHOP_MODEL",
    "WORKSHOP_WORKER_MODEL",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
)
"""Variables of the environment that choose a model and a service."""


@pytest.fixture
def no_settings(monkeypatch):
    """An environment that chooses neither a model nor a service."""
    for name in SETTINGS:
        monkeypatch.delenv(name, raising=False)
