"""The specialists that an observation puts an answer to work with: no model, and all they say comes
from the case.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from kernel import Handoff, Result, Run
from kernel.plumbing.search import Document, Hit

CALLS = 12
"""The number of times that a specialist works before it takes a loop to be endless."""


@dataclass
class Specialist:
    """An executable that answers as its case says; it ends a loop that would call it forever."""

    name: str
    answer: Callable[[Handoff], Any]
    """Returns a Result, or the output of one that is ok."""
    limit: int = CALLS
    description: str = "Works as its case says."
    calls: int = 0
    runs: list[Run] = field(default_factory=list)
    """The runs in which it worked."""

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        self.calls += 1
        self.runs.append(run)
        if self.calls > self.limit:
            raise AssertionError(
                f"the {self.name} was called {self.calls} times; expected an end before that"
            )
        answer = self.answer(handoff)
        return answer if isinstance(answer, Result) else Result(status="ok", output=answer)


def fresh_answer(maker: Callable[..., Any], *given: Any) -> Callable[[Handoff], Any]:
    """An answer that is made anew for each handoff, whatever it says."""
    return lambda _: maker(*given)


WAITS = 20
"""The number of times that a colleague lets others work before it answers."""


@dataclass
class Floor:
    """The number of colleagues at work in the same moment, and the most that there were."""

    now: int = 0
    peak: int = 0
    calls: int = 0


@dataclass
class FloorColleague:
    """An executable that answers as its case says, after it has let all others begin."""

    name: str
    result: dict[str, Any]
    """The fields of its result; or `raises`, with what it raises."""
    floor: Floor
    description: str = "Works as its case says."

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        self.floor.calls += 1
        self.floor.now += 1
        self.floor.peak = max(self.floor.peak, self.floor.now)
        for _ in range(WAITS):
            await asyncio.sleep(0)
        self.floor.now -= 1
        if "raises" in self.result:
            raise ConnectionError(self.result["raises"])
        return Result(**self.result)


def order_of(run: Run, *, after: int = 0) -> tuple[str, ...]:
    """Names the receivers of the run's handoffs, in order, without the first `after`."""
    return tuple(handoff["to_agent"] for handoff in run.trace().handoffs()[after:])


class Shelf:
    """A source that keeps the protocol and remembers what it was asked."""

    def __init__(self, documents: list[dict[str, str]]) -> None:
        """documents: id, title and text of each."""
        self.queries: list[str] = []
        self.documents = [Document(**document, date="2026-03-01") for document in documents]

    async def search(self, query: str, limit: int = 5) -> list[Hit]:
        self.queries.append(query)
        found = [page for page in self.documents if query.lower() in page.title.lower()]
        return [Hit(page, page.text, 0.0) for page in found][:limit]

    async def get(self, id: str) -> Document:
        return next(page for page in self.documents if page.id == id)


class Crew:
    """An executable that serves several branches at once and counts them."""

    description = "Researches a topic."

    def __init__(self, name: str, plan: dict[str, dict[str, Any]]) -> None:
        """plan: by topic, `text`; `half`, what is done before it waits; `steps` of the event loop;
        `seconds` by its clock; `raises`; `ends`, a result's fields.
        """
        self.name, self.plan = name, plan
        self.asked: list[str] = []
        """Topics in the order in which they were begun; empty for another intent."""
        self.begun_by_then: dict[str, int] = {}
        self.at_work = self.peak = 0

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        topic = handoff.intent.removeprefix("Research ")
        branch = self.plan.get(topic, {}) if topic != handoff.intent else {}
        self.asked.append(topic if branch else "")
        self.at_work += 1
        self.peak = max(self.peak, self.at_work)
        run.output = branch.get("half")
        try:
            for _ in range(branch.get("steps", 1)):
                await asyncio.sleep(0)
            if branch.get("seconds"):
                await asyncio.sleep(branch["seconds"])
            self.begun_by_then[topic] = len(self.asked)
        finally:
            self.at_work -= 1
        if "raises" in branch:
            raise ConnectionError(branch["raises"])
        if "ends" in branch:
            return Result(**branch["ends"])
        return Result(status="ok", output=branch.get("text", handoff.intent))


def at_once(run: Run) -> int:
    """The most that were at work at a time, as the run noted it: an answer gets the crew and could
    change its count.
    """
    at_work, peak = 0, 0
    for event in run.events:
        at_work += (event.kind == "dispatch") - (event.kind == "return")
        peak = max(peak, at_work)
    return peak
