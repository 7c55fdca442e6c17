"""What happened: the one stream of events that traces, live views, logs and journals read."""

from dataclasses import dataclass
from typing import Any, Literal

EventKind = Literal["dispatch", "return", "request", "reply", "retry", "tool_call", "tool_result", "note"]


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened. Traces, live views, logs and journals are readers of these."""

    seq: int
    """Position in the stream of the whole tree, from 0."""
    at: float
    """Seconds since the root run began."""
    kind: EventKind
    run: str
    """Which dispatch: "" is the root, "2.1" the first dispatch within the root's second."""
    agent: str
    data: dict[str, Any]
