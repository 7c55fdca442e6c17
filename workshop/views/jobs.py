"""Jobs and notes: what the pictures of plans and gates read from the stream of events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from kernel import Event, Handoff, Result
from kernel.core.events import Dispatched, Note, Returned

from .scene import STATE_OF, outcome


@dataclass
class Job:
    """One dispatch as its caller sees it: what was handed over, and what came back."""

    run: str
    worker: str
    handoff: Handoff
    result: Result | None = None

    @property
    def state(self) -> str:
        return STATE_OF.get(self.result.status, "stopped") if self.result else "working"

    @property
    def output(self) -> Any:
        """The output of the job; a model as a dict."""
        return self.result.output if self.result else None

    @property
    def back(self) -> str:
        """The outcome of the job, in a few words."""
        if self.result is None:
            return ""
        if not self.result.ok and self.result.reason:
            return self.result.reason
        if isinstance(self.output, dict) and isinstance(self.output.get("items"), list):
            count = len(self.output["items"])
            return f"{count} finding{'' if count == 1 else 's'}"
        return outcome(self.result)


def jobs(events: Iterable[Event], parent: str) -> list[Job]:
    """The dispatches that a run gave, in order."""
    found: dict[str, Job] = {}
    for event in events:
        if isinstance(event, Dispatched) and event.parent == parent:
            found[event.run] = Job(event.run, event.agent, event.handoff)
        elif isinstance(event, Returned) and event.run in found:
            found[event.run].result = event.result
    return list(found.values())


def notes(events: Iterable[Event], about: str) -> Iterator[Note]:
    """The notes about a topic, in order."""
    for event in events:
        if isinstance(event, Note) and event.about == about:
            yield event
