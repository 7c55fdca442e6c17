"""What trials put an answer to work with: specialists that follow a plan, a bounded run, and ways to note what was seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from kernel import Client, Handoff, Result, Run
from kernel.offline import Script
from kernel.search import Document, Hit

TOPICS = ("rate limits", "vector stores", "tracing", "evaluation", "caching", "handoffs", "circuit breakers")


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


def quiet_run() -> Run:
    """A run in which no model is to be asked."""
    return Run(Client(Script(), retries=0))


def ending(came: Any) -> Any:
    """How a result ended and with what; anything else as it is."""
    return {"status": came.status, "output": came.output} if isinstance(came, Result) else {"no result": came}


def held(text: Any, *pieces: str) -> list[str]:
    """Those of the drawn pieces that stand in a text whose wording is free."""
    return [it for it in pieces if it in text] if type(text) is str else []
