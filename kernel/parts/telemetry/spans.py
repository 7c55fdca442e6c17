"""Spans from events: a reader of the one stream, so that a live run and a saved log become the same
trace.

    spans = Spans()                                   # plain data, no further package needed
    run.subscribe(spans)                              # live …
    spans = Spans().read(Trace.load("run.jsonl"))     # … or afterwards, with the same code
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from ...core.events import Event
from ...core.run import Run
from ...plumbing.trace import Trace
from ...plumbing.work import Fold, ModelCall, Remark, Work
from .attributes import Attributes, named
from .sending import Sender

Kind = Literal["internal", "client"]
More = Callable[[Event], dict[str, Any]]


@dataclass(slots=True)
class SpanEvent:
    """Something that happened within a span."""

    name: str
    at_ns: int
    attributes: dict[str, Any] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class Span:
    """A piece of work with a beginning and an end, below the span that caused it."""

    name: str
    kind: Kind
    parent: Span | None
    start_ns: int
    attributes: dict[str, Any]
    """By the names on the wire."""
    events: list[SpanEvent] = field(default_factory=list)
    end_ns: int | None = None
    error: str = ""
    """The error; empty when there was none."""

    @property
    def ms(self) -> float:
        """The duration in milliseconds; 0 while it goes on."""
        return 0.0 if self.end_ns is None else (self.end_ns - self.start_ns) / 1e6

    @property
    def depth(self) -> int:
        """The number of spans above it."""
        return 0 if self.parent is None else self.parent.depth + 1


class Spans:
    """Reads the events of one run: a span for each dispatch, request and tool call.

    tracer:   one of OpenTelemetry, which sends each span on; None only collects them in `spans`.
    payloads: whether texts go into the spans: task, prompts, messages, arguments, results and
              reasons. Without it they hold names, counts, times, money and status, nothing that
              somebody wrote.
    more:     further attributes for the span that an event begins or ends.
    """

    # Any: a tracer of the extra
    def __init__(self, tracer: Any = None, *, payloads: bool = False, more: More | None = None):
        self.spans: list[Span] = []
        """In the order in which they began."""
        self._sender = Sender(tracer) if tracer is not None else None
        self._attributes = Attributes(payloads)
        self._more = more
        self._fold = Fold()
        self._open: dict[Work, Span] = {}
        self._origin_ns: int | None = None
        self._last = -1
        self._at_ns = 0

    def read(self, source: Run | Trace | Iterable[Event], began: float | None = None) -> Spans:
        """Reads a whole run, saved or finished, and ends what has no end in it.

        began: when it began, in seconds since 1970, which a log does not hold; without it the run
        is taken to have ended now.
        """
        events = list(source.events if isinstance(source, Run | Trace) else source)
        if began is None:
            began = time.time() - (events[-1].at if events else 0.0)
        self._origin_ns = round(began * 1e9)
        for event in events:
            self(event)
        self.close()
        return self

    def close(self) -> None:
        """Ends what is still open: the log ends here, or the run was given up."""
        while self._open:
            _, span = self._open.popitem()
            self._finish(span, "unfinished", {})

    def __call__(self, event: Event) -> None:
        if event.seq <= self._last:
            raise ValueError("these are the events of another run; make new Spans for each run")
        if self._origin_ns is None:
            self._origin_ns = time.time_ns() - round(event.at * 1e9)
        self._last = event.seq
        # keeps timestamps monotonic when the clock is set back
        self._at_ns = max(self._at_ns, self._origin_ns + round(event.at * 1e9))
        for happening in self._fold.read(event):
            work = happening.work
            if happening.remark:
                self._remarked(happening.remark, event)
            elif happening.phase == "begin":
                self._begun(work, event)
            elif work in self._open:  # one that began before the stream has no span
                self._ended(work, event)

    def _begun(self, work: Work, event: Event) -> None:
        beginning = self._attributes.at_begin(work)
        if beginning is None:
            return
        name, facts = beginning
        facts = {"agent": work.agent, **facts, "first_event": event.seq, **self._further(event)}
        kind: Kind = "client" if isinstance(work, ModelCall) else "internal"
        parent = self._open.get(work.parent) if work.parent else None
        span = Span(name, kind, parent, self._at_ns, named(facts))
        self.spans.append(span)
        self._open[work] = span
        if self._sender:
            self._sender.start(span)

    def _ended(self, work: Work, event: Event) -> None:
        error, facts = self._attributes.at_end(work)
        if facts:
            facts |= self._further(event)
        self._finish(self._open.pop(work), error, facts)

    def _finish(self, span: Span, error: str, facts: dict[str, Any]) -> None:
        late = named({**facts, "error": error or None, "last_event": self._last})
        span.attributes.update(late)
        span.error = str(facts.get("reason") or error) if error else ""
        span.end_ns = self._at_ns
        if self._sender:
            self._sender.end(span, late)

    def _remarked(self, remark: Remark, event: Event) -> None:
        span = self._open.get(remark.work)
        if span is None:
            return
        facts = {"event": event.seq, **self._attributes.of_remark(remark)}
        name = remark.about or remark.form
        span.events.append(SpanEvent(name, self._at_ns, named(facts)))

    def _further(self, event: Event) -> dict[str, Any]:
        return self._more(event) if self._more else {}
