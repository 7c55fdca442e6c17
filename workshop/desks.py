"""The small desks that checks and trials put an answer to work with: no model, and what is on them is drawn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from kernel import Handoff, Result, Run
from kernel.search import Document, Hit

TOPICS = ("rate limits", "vector stores", "tracing", "evaluation", "caching", "handoffs", "circuit breakers")
SAYINGS = (
    ("tracing", "The tracing library writes {} spans a second."),
    ("caching", "A cached prompt saves {} percent of its price."),
    ("budgets", "The smallest budget of the desk is {} tokens."),
    ("retries", "Every request is tried {} times before it fails."),
    ("memory", "The notes file holds {} lines of memory."),
    ("handoffs", "A structured handoff carries {} named artifacts."),
    ("queues", "The waiting queue takes {} tasks at once."),
    ("golden-sets", "The golden set of the judge has {} questions."),
)
"""(topic, a fact on it with a gap for its number)."""


@dataclass
class Specialist:
    """An executable that answers by a plan, and that a loop without an end cannot keep busy for ever."""

    name: str
    answer: Callable[[Handoff], Any]
    """Gives a Result, or the output of one that is ok."""
    most: int = 12
    description: str = "Works by a plan."
    calls: int = 0

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        self.calls += 1
        if self.calls > self.most:
            raise AssertionError(f"the {self.name} was called {self.calls} times; expected an end before that")
        answer = self.answer(handoff)
        return answer if isinstance(answer, Result) else Result(status="ok", output=answer)


@dataclass(frozen=True)
class Desk:
    """Two specialists and a cap."""

    writer: Specialist
    reviewer: Specialist
    max_revisions: int


class Shelf:
    """A source that keeps the protocol and remembers what it was asked."""

    def __init__(self, draw: Random, place: str, topics: list[str]) -> None:
        self.queries: list[str] = []
        self.documents = [Document(f"{place}-{topic}-{draw.randint(100, 999)}", f"On {topic}",
                                   f"The {place} has {draw.randint(100, 999)} pages on {topic}.", "2026-03-01") for topic in topics]

    async def search(self, query: str, limit: int = 5) -> list[Hit]:
        self.queries.append(query)
        return [Hit(it, it.text, 0.0) for it in self.documents if query.lower() in it.title.lower()][:limit]

    async def get(self, id: str) -> Document:
        return next(it for it in self.documents if it.id == id)


class Crew:
    """A researcher who serves several branches at once and counts them. `steps` says how long each topic takes."""

    description = "Researches a topic."

    def __init__(self, draw: Random, steps: dict[str, int], name: str = "researcher", *, stuck_s: float) -> None:
        """steps: of the event loop; stuck_s: how many seconds a topic in `stuck` takes besides."""
        self.name, self.steps, self.stuck_s = name, steps, stuck_s
        self.texts = {topic: f"The {name} found {draw.randint(1_000, 9_999)} facts on {topic}." for topic in steps}
        self.raises: dict[str, str] = {}
        self.ends: dict[str, Result] = {}
        self.stuck: set[str] = set()
        self.asked: list[str] = []
        """Topics in the order in which they were begun; empty for another intent."""
        self.finished: list[str] = []
        self.begun_by_then: dict[str, int] = {}
        self.at_work = self.most = 0

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        topic = handoff.intent.removeprefix("Research ")
        topic = topic if topic in self.steps and topic != handoff.intent else ""
        self.asked.append(topic)
        self.at_work += 1
        self.most = max(self.most, self.at_work)
        try:
            for _ in range(self.steps.get(topic, 1)):
                await asyncio.sleep(0)
            if topic in self.stuck:
                await asyncio.sleep(self.stuck_s)
            self.finished.append(topic)
            self.begun_by_then[topic] = len(self.asked)
        finally:
            self.at_work -= 1
        if topic in self.raises:
            raise ConnectionError(self.raises[topic])
        return self.ends.get(topic) or Result(status="ok", output=self.texts.get(topic, handoff.intent))
