"""The events of a run, folded once into a tree of work: every reader of events reads this tree.

    fold = Fold(run.events)
    for handoff in fold.handoffs:
        print(handoff.agent, handoff.status, handoff.spent.tokens)

A piece of work is a delegation, a request to a model or a tool call. It has a beginning, an end, an
agent, a cost, and children: the work that it caused. The root stands for the run itself.

A fold can follow a live run: `read` takes one event, `catch_up` all new ones. Both return the
changes of the tree, so that a reader can draw, print or send just these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from ..core.budget import NOTHING, Budget, Spent
from ..core.contract import Handoff, Result
from ..core.events import (
    Dispatched,
    Event,
    Failed,
    Note,
    Replied,
    Requested,
    Retried,
    Returned,
    ToolAnswered,
    ToolCalled,
    Waited,
)
from ..core.wire import Reply

HANDOFF = "handoff_to_"
"""The beginning of the name of a tool that hands work to a specialist."""


class Moment(NamedTuple):
    """The time of an event: its place in the stream, and seconds since the run began."""

    step: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Remark:
    """A remark on a piece of work: a note, a wait for money, or a retry."""

    form: Literal["note", "wait", "retry"]
    work: Work = field(repr=False)
    moment: Moment
    text: str
    """The text of a note; the reason of a wait or a retry."""
    about: str = ""
    """The topic of a note."""
    fields: dict[str, Any] = field(default_factory=dict)
    """Figures and names of a note."""
    at_once: int = 0
    """The number of requests under way, at a wait."""
    wait_s: float = 0.0
    """Seconds until the next attempt, at a retry."""
    error: str = ""
    """The type of the error, at a retry."""


@dataclass(eq=False, slots=True, kw_only=True)
class Work:
    """A piece of work. Only the root is of this class itself; it stands for the run."""

    agent: str
    run: str
    """The id of the dispatch that it belongs to; "" is the root."""
    begin: Moment
    parent: Work | None = field(default=None, repr=False)
    """The work that caused it; None for the root."""
    begun: bool = True
    """False if the stream starts after its beginning."""
    end: Moment | None = None
    """The end; None while it is under way."""
    status: str = ""
    """The status of its result: "ok", "failed" …; empty while it goes on. A request or a call that
    got no answer has the status of its delegation, or "unanswered" if that is ok."""
    spent: Spent = NOTHING
    """The usage, including everything below."""
    children: list[Work] = field(default_factory=list, repr=False)
    """The work that it caused, in the order of their beginnings."""
    remarks: list[Remark] = field(default_factory=list)

    @property
    def below(self) -> Iterator[Work]:
        """All work below, parents before children."""
        for child in self.children:
            yield child
            yield from child.below

    @property
    def above(self) -> Iterator[Work]:
        """The work above it, the root last."""
        work = self.parent
        while work is not None:
            yield work
            work = work.parent


@dataclass(eq=False, slots=True, kw_only=True)
class Delegation(Work):
    """A dispatch; `run` is its own id."""

    handoff: Handoff
    """The handoff; without an intent if the beginning is unknown."""
    caller: Work = field(repr=False)
    """The work that dispatched it: a delegation or the root."""
    limits: Budget = field(default_factory=Budget)
    limits_of_run: Budget | None = None
    """The budget of the root, on the root's own dispatches; else None."""
    again: str = ""
    """The reason for repeating the work; empty the first time."""
    wrapper: str = ""
    """The class of the transparent wrapper that was dispatched; empty for all other executables."""
    result: Result | None = None
    """The result; None while it is under way."""

    @property
    def passed_on(self) -> bool:
        """True for a transparent wrapper that dispatched the wrapped executable."""
        return bool(self.wrapper) and any(isinstance(work, Delegation) for work in self.children)


@dataclass(eq=False, slots=True, kw_only=True)
class ModelCall(Work):
    """A request to a model."""

    body: dict[str, Any] = field(default_factory=dict)
    """The request's body, with only the messages from `since` on."""
    since: int = 0
    number: int = 0
    """The number of the request in its run, from 1; 0 if the beginning is unknown."""
    model: str = ""
    reply: Reply | None = None
    """The reply; None without one."""
    seconds: float = 0.0
    """From the request to the reply, retries included."""
    reason: str = ""
    """The error that ended it; empty when there was none."""
    error: str = ""
    """The type of that error."""


@dataclass(eq=False, slots=True, kw_only=True)
class ToolCall(Work):
    """A call of a tool by a model."""

    id: str
    """The id from the model; not unique with some servers."""
    name: str
    input: Any = None  # Any: the JSON that the model sent
    content: str = ""
    """The answer, or the error."""
    answered: bool = False

    @property
    def is_error(self) -> bool:
        return self.answered and self.status != "ok"


class Happening(NamedTuple):
    """One change of the tree: work began, ended, or got a remark."""

    phase: Literal["begin", "end", "remark"]
    work: Work
    event: Event
    remark: Remark | None = None
    """The remark; None where work began or ended."""


@dataclass(slots=True)
class _Open:
    """The unfinished requests and tool calls of one run."""

    requests: int = 0
    """The number of its requests so far."""
    calls: dict[int, ModelCall] = field(default_factory=dict)
    """By the number of the request."""
    tools: list[ToolCall] = field(default_factory=list)

    def call(self, number: int) -> ModelCall | None:
        """The request with this number; the latest one if the log has no number."""
        if number:
            return self.calls.get(number)
        return next(reversed(self.calls.values()), None)

    def answered(self, event: Replied) -> ModelCall | None:
        """The request of a reply: by its number, or the one whose beginning is closest."""
        if not self.calls or event.request in self.calls:
            return self.calls.pop(event.request, None)
        began = event.at - event.seconds
        number = min(self.calls, key=lambda each: abs(self.calls[each].begin.seconds - began))
        return self.calls.pop(number)

    def tool(self, id: str, name: str) -> ToolCall | None:
        """The first unfinished call with this id; if several have it, the first of this tool."""
        calls = [call for call in self.tools if call.id == id]
        named = [call for call in calls if call.name == name]
        return next(iter(named or calls), None)


class Fold:
    """The tree of the work of one run.

    events: the events so far; `catch_up` continues where the last call stopped.
    """

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self.now = Moment(0, 0.0)
        """The time of the latest event."""
        self.root = Work(agent="user", run="", begin=self.now)
        self.dispatches: list[Delegation] = []
        """The delegations in the order of their beginnings, as the next two lists."""
        self.requests: list[ModelCall] = []
        self.tool_calls: list[ToolCall] = []
        self.history: list[Happening] = []
        """All changes, in order."""
        self._runs: dict[str, Work] = {"": self.root}
        self._open: dict[str, _Open] = {}
        self._seen = 0
        self.catch_up(events)

    @property
    def handoffs(self) -> list[Delegation]:
        """The delegations, without wrappers that `passed_on` theirs."""
        return [work for work in self.dispatches if not work.passed_on]

    @property
    def remarks(self) -> list[Remark]:
        """The notes, waits and retries of all work, in order."""
        return [happening.remark for happening in self.history if happening.remark]

    @property
    def notes(self) -> list[Remark]:
        """The notes, in order."""
        return [remark for remark in self.remarks if remark.form == "note"]

    def of(self, run: str) -> Work | None:
        """The work with this id; the root for ""."""
        return self._runs.get(run)

    def catch_up(self, events: Iterable[Event]) -> list[Happening]:
        """Reads the new events of a growing list; returns the changes."""
        events = events if isinstance(events, list) else list(events)
        before = len(self.history)
        while self._seen < len(events):
            self._seen += 1  # an event that raises is not read twice
            self._read(events[self._seen - 1])
        return self.history[before:]

    def read(self, event: Event) -> list[Happening]:
        """Reads the next event; returns the changes, the innermost first."""
        before = len(self.history)
        self._seen += 1
        self._read(event)
        return self.history[before:]

    def _read(self, event: Event) -> None:
        self.now = Moment(event.seq, event.at)
        match event:
            case Dispatched():
                self._dispatched(event)
            case Returned():
                self._returned(event)
            case Requested():
                self._requested(event)
            case Replied():
                self._replied(event)
            case Failed():
                self._failed(event)
            case ToolCalled():
                self._tool_called(event)
            case ToolAnswered():
                self._tool_answered(event)
            case _:
                self._remarked(event)

    # ── what begins work ──────────────────────────────────────────────────────────────────────────

    def _dispatched(self, event: Dispatched) -> None:
        """Adds a delegation below the tool call that caused it, or below its caller."""
        caller = self._run(event, event.parent)
        tool = None
        if event.call:
            tool = self._opened(event.parent).tool(event.call, f"{HANDOFF}{event.agent}")
        work = Delegation(
            agent=event.agent,
            run=event.run,
            begin=self.now,
            parent=tool or caller,
            handoff=event.handoff,
            caller=caller,
            limits=event.limits,
            limits_of_run=event.limits_of_run,
            again=event.again,
            wrapper=event.wrapper,
        )
        self._runs[event.run] = work
        self.dispatches.append(work)
        self._begin(work, event)

    def _requested(self, event: Requested) -> None:
        opened = self._opened(event.run)
        opened.requests += 1
        work = ModelCall(
            agent=event.agent,
            run=event.run,
            begin=self.now,
            parent=self._run(event),
            body=event.body,
            since=event.since,
            number=opened.requests,
            model=str(event.body.get("model", "")),
        )
        opened.calls[work.number] = work
        self.requests.append(work)
        self._begin(work, event)

    def _tool_called(self, event: ToolCalled) -> None:
        work = ToolCall(
            agent=event.agent,
            run=event.run,
            begin=self.now,
            parent=self._run(event),
            id=event.id,
            name=event.name,
            input=event.input,
        )
        self._opened(event.run).tools.append(work)
        self.tool_calls.append(work)
        self._begin(work, event)

    def _begin(self, work: Work, event: Event) -> None:
        if work.parent:
            work.parent.children.append(work)
        self.history.append(Happening("begin", work, event))

    # ── what ends it ──────────────────────────────────────────────────────────────────────────────

    def _replied(self, event: Replied) -> None:
        work = self._opened(event.run).answered(event)
        if work is None:
            work = ModelCall(agent=event.agent, run=event.run, begin=self.now, begun=False)
            work.parent = self._run(event)
            work.parent.children.append(work)
            self.requests.append(work)
        work.model = event.model
        work.reply = event.reply
        work.seconds = event.seconds
        self._book(work, event.spent)
        self._end(work, "ok", event)

    def _failed(self, event: Failed) -> None:
        work = self._opened(event.run).calls.pop(event.request, None)
        if work:
            work.reason = event.error
            work.error = event.type
            self._end(work, "failed", event)

    def _tool_answered(self, event: ToolAnswered) -> None:
        opened = self._opened(event.run)
        work = opened.tool(event.id, event.name)
        if work:
            opened.tools.remove(work)
        else:
            work = ToolCall(
                agent=event.agent,
                run=event.run,
                begin=self.now,
                begun=False,
                parent=self._run(event),
                id=event.id,
                name=event.name,
            )
            self._run(event).children.append(work)
            self.tool_calls.append(work)
        work.content = event.content
        work.answered = True
        self._end(work, "failed" if event.is_error else "ok", event)

    def _returned(self, event: Returned) -> None:
        """Ends a delegation, and before it the unfinished work below."""
        work = self._run(event)
        result = event.result
        opened = self._open.pop(event.run, _Open())
        for part in [*opened.calls.values(), *opened.tools]:
            self._end(part, "unanswered" if result.ok else result.status, event)
        if isinstance(work, Delegation):
            work.result = result
            if not work.begun:
                work.handoff = Handoff(intent="", return_to=event.return_to)
        self._book(work, event.spent - work.spent)
        self._end(work, result.status, event)

    def _end(self, work: Work, status: str, event: Event) -> None:
        work.end = self.now
        work.status = status
        self.history.append(Happening("end", work, event))

    def _book(self, work: Work, used: Spent) -> None:
        """Adds to the usage of work and of all unfinished work above."""
        work.spent += used
        for above in work.above:
            if above.end is None:
                above.spent += used

    # ── what happens within it ────────────────────────────────────────────────────────────────────

    def _remarked(self, event: Note | Waited | Retried) -> None:
        """Adds a remark: a note or a wait to the run, a retry to the request."""
        work = self._run(event)
        now = self.now
        match event:
            case Note():
                remark = Remark("note", work, now, event.text, event.about, event.fields)
            case Waited():
                remark = Remark("wait", work, now, event.reason, at_once=event.at_once)
            case Retried():
                work = self._opened(event.run).call(event.request) or work
                wait_s = event.wait_s
                remark = Remark("retry", work, now, event.error, wait_s=wait_s, error=event.type)
        work.remarks.append(remark)
        self.history.append(Happening("remark", work, event, remark))

    # ── the runs ──────────────────────────────────────────────────────────────────────────────────

    def _opened(self, run: str) -> _Open:
        return self._open.setdefault(run, _Open())

    def _run(self, event: Event, run: str | None = None) -> Work:
        """The work of a run, by default the event's own. If its beginning is unknown, it is added
        below the nearest known run."""
        id = event.run if run is None else run
        if id not in self._runs:
            above = id.rpartition(".")[0]
            while above not in self._runs:
                above = above.rpartition(".")[0]
            caller = self._runs[above]
            work = Delegation(
                agent="",
                run=id,
                begin=self.now,
                begun=False,
                parent=caller,
                caller=caller,
                handoff=Handoff(intent=""),
            )
            self._runs[id] = work
            caller.children.append(work)
        if run is None:
            self._runs[id].agent = event.agent
        return self._runs[id]
