"""Events: one class for each kind. Traces, views and logs read the stream of events."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field, PlainSerializer, TypeAdapter

from .budget import Budget, Spent
from .contract import Handoff, Result
from .wire import Reply


def _no_refund(spent: Spent) -> Spent:
    figures: tuple[int | Decimal, ...] = spent
    if any(figure < 0 for figure in figures):
        raise ValueError(f"less than nothing was used: {spent}; it would refund a budget")
    return spent


Used = Annotated[Spent, AfterValidator(_no_refund), PlainSerializer(Spent._asdict)]
"""Usage, which cannot be negative. In a log it is an object with named figures."""


_FROM_RUN: Any = None
"""A placeholder for fields that `Run.emit` fills in; `Any`, so that it may stand for every type."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Event:
    """The fields of every event, which `Run.emit` fills in."""

    __pydantic_config__ = ConfigDict(extra="forbid", validate_default=True)

    seq: int = _FROM_RUN
    """Position in the stream of the whole tree, from 0."""
    at: float = _FROM_RUN
    """Seconds since the root run began."""
    run: str = _FROM_RUN
    """The number of the dispatch: "" is the root, "2.1" the first within the root's second."""
    agent: str = _FROM_RUN
    """The name of the dispatched executable; for a transparent wrapper, of the wrapped one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Dispatched(_Event):
    """Work was handed to an executable."""

    kind: Literal["dispatch"] = "dispatch"
    handoff: Handoff
    parent: str
    """The run that handed it over."""
    limits: Budget
    limits_of_run: Budget | None = None
    """The budget of the root; set on its own dispatches only."""
    again: str = ""
    """The reason why the same work is given once more; empty the first time."""
    wrapper: str = ""
    """The class of the transparent wrapper that was dispatched; empty for all other executables."""
    call: str = ""
    """The id of the tool call that caused this dispatch; empty when code did."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Returned(_Event):
    """An executable returned. Every `Dispatched` is followed by one, however the work ended."""

    kind: Literal["return"] = "return"
    return_to: str
    result: Result
    """The result, its output as JSON can hold it."""
    spent: Used


@dataclass(frozen=True, kw_only=True, slots=True)
class Waited(_Event):
    """A request waits for others to be settled: a budget has no room for all of them."""

    kind: Literal["wait"] = "wait"
    reason: str
    at_once: int
    """The number of requests under way in the budget that has no room."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Requested(_Event):
    """A request to a model, recorded before it is sent; a journal may answer it instead."""

    kind: Literal["request"] = "request"
    body: dict[str, Any]
    """The request's body; of its messages only those from `since` on."""
    since: int
    """The number of messages of this conversation that earlier events hold."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Replied(_Event):
    """A model replied."""

    kind: Literal["reply"] = "reply"
    model: str
    reply: Reply
    spent: Used
    seconds: float
    """From the request to the reply, retries included."""
    request: int = 0
    """The number of the request in its run, from 1; 0 in a log that does not say."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Retried(_Event):
    """A request failed and will be sent again."""

    kind: Literal["retry"] = "retry"
    error: str
    type: str
    wait_s: float
    request: int = 0
    """The same number as in `Replied`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Failed(_Event):
    """A request failed and will not be sent again."""

    kind: Literal["failure"] = "failure"
    error: str
    type: str
    request: int = 0
    """The same number as in `Replied`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolCalled(_Event):
    """A model called a tool."""

    kind: Literal["tool_call"] = "tool_call"
    id: str
    name: str
    input: Any  # Any: the JSON that the model sent


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolAnswered(_Event):
    """A tool answered."""

    kind: Literal["tool_result"] = "tool_result"
    id: str
    name: str
    content: str
    is_error: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Note(_Event):
    """Something for the record: a stage, a round, a decision, the state of a wrapper."""

    kind: Literal["note"] = "note"
    text: str
    about: str = ""
    """The topic, such as "gate" or "breaker", for readers that look for notes of one kind."""
    fields: dict[str, Any] = field(default_factory=dict)
    """Figures and names, as JSON can hold them."""


Event = (
    Dispatched
    | Returned
    | Waited
    | Requested
    | Replied
    | Retried
    | Failed
    | ToolCalled
    | ToolAnswered
    | Note
)
"""Something that happened. Traces, live views and logs are readers of these."""


def placed(event: Event, place: Callable[[str], str]) -> Event:
    """Returns the event with its runs renumbered for another tree.

    place: the new number of a run.
    """
    if isinstance(event, Dispatched):
        return replace(event, run=place(event.run), parent=place(event.parent))
    return replace(event, run=place(event.run))


@functools.cache
def _adapter() -> TypeAdapter[Event]:
    """Built at its first use: importing the kernel builds no model."""
    return TypeAdapter(Annotated[Event, Field(discriminator="kind")])


def to_json(event: Event) -> str:
    """One event as a line of a log."""
    fields = _adapter().dump_python(event, mode="json", fallback=str)
    return json.dumps(fields, ensure_ascii=False)


def from_json(line: bytes) -> Event:
    """The event of a line of a log. Raises ValueError when it is not one."""
    return _adapter().validate_json(line)
