"""Spans from events: a reader of the one stream, so that a live run and a saved log become the same
trace.

    spans = Spans()                                   # plain data, no further package needed
    run.subscribe(spans)                              # live …
    spans = Spans().read(Trace.load("run.jsonl"))     # … or afterwards, with the same code

With a tracer of OpenTelemetry the same spans go wherever it exports to:

    with sending_to("http://localhost:6006/v1/traces") as tracer:
        Spans(tracer).read(run.trace())

OpenTelemetry is an optional extra, imported when spans are sent: pip install -e ".[telemetry]".
"""

from __future__ import annotations

import json
import socket
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal
from urllib.parse import urlsplit

from ..core.budget import Spent
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
from ..core.run import Run
from ..plumbing.connections import LOCAL_HOSTS
from ..plumbing.extras import Extra
from ..plumbing.network import proxy_for
from ..plumbing.trace import Trace

NAMES = {
    "operation": "gen_ai.operation.name",
    "provider": "gen_ai.provider.name",
    "agent": "gen_ai.agent.name",
    "model": "gen_ai.request.model",
    "max_tokens": "gen_ai.request.max_tokens",
    "reply_id": "gen_ai.response.id",
    "reply_model": "gen_ai.response.model",
    "finish": "gen_ai.response.finish_reasons",
    "input_tokens": "gen_ai.usage.input_tokens",
    "output_tokens": "gen_ai.usage.output_tokens",
    "cache_read": "gen_ai.usage.cache_read.input_tokens",
    "cache_write": "gen_ai.usage.cache_creation.input_tokens",
    "thinking": "gen_ai.usage.reasoning.output_tokens",
    "tool": "gen_ai.tool.name",
    "tool_type": "gen_ai.tool.type",
    "call": "gen_ai.tool.call.id",
    "transfer_to": "gen_ai.transfer.target.name",
    "transfer_mode": "gen_ai.transfer.mode",
    "error": "error.type",
    # payloads: only where they are asked for
    "arguments": "gen_ai.tool.call.arguments",
    "tool_result": "gen_ai.tool.call.result",
    "messages": "gen_ai.input.messages",
    "reply": "gen_ai.output.messages",
    "instructions": "gen_ai.system_instructions",
    # what the conventions have no name for
    "usd": "workshop.usd",
    "status": "workshop.status",
    "run": "workshop.run",
    "wrapper": "workshop.wrapper",
    "first_event": "workshop.first_event",
    "last_event": "workshop.last_event",
    "event": "workshop.event",
    "wait_s": "workshop.wait_s",
    "at_once": "workshop.at_once",
    "intent": "workshop.intent",
    "reason": "workshop.reason",
    "text": "workshop.text",
}
"""Our names → the names on the wire: the one place that knows them.

Source: https://github.com/open-telemetry/semantic-conventions-genai, docs/gen-ai, as of November
2026, status Development: they may still change, and then only here. The first and the last event
of a span are numbers, `seq` in the log.
"""

EXTRA = Extra("telemetry", "Sending spans")
INSTALL = EXTRA.install
HANDOFF = "handoff_to_"
"""A tool of this name hands work to a specialist."""

LONGEST_NAME = 128
"""Characters: what the API allows for the name of a tool. A longer one is cut."""

KNOCK_S, PATIENCE_S = 2.0, 10.0
"""Seconds: the connect timeout; until spans that cannot be sent are given up."""
MOST_WAITING = 1_000_000
"""Spans that may wait to be sent. The default, 2,048, loses most of a log that is read at once."""

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


@dataclass(slots=True)
class _Work:
    """The open spans of one run: its own span (the root has none), its requests, its tool calls."""

    span: Span | None = None
    requests: int = 0
    """The number of its requests so far."""
    chats: dict[int, Span] = field(default_factory=dict)
    """By the number of the request."""
    tools: list[Span] = field(default_factory=list)
    """In the order of their calls, which may share an id: small servers give each the same."""

    def chat(self, number: int) -> Span | None:
        """The request of this number; the latest one for a log that does not say which."""
        if number:
            return self.chats.get(number)
        return next(reversed(self.chats.values()), None)

    def tool(self, id: str, name: str) -> Span | None:
        """The first open call with this id; if there are several, the first of this tool."""
        calls = [span for span in self.tools if span.attributes[NAMES["call"]] == _short(id)]
        named = [span for span in calls if span.attributes[NAMES["tool"]] == _short(name)]
        return next(iter(named or calls), None)


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
        self._sender = _Sender(tracer) if tracer is not None else None
        self._payloads = payloads
        self._more = more
        self._open: dict[str, _Work] = {}
        """By run."""
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
            _, work = self._open.popitem()
            self._cut(work, "unfinished")
            if work.span:
                self._finish(work.span, "unfinished", {})

    def __call__(self, event: Event) -> None:
        if event.seq <= self._last:
            raise ValueError("these are the events of another run; make new Spans for each run")
        if self._origin_ns is None:
            self._origin_ns = time.time_ns() - round(event.at * 1e9)
        self._last = event.seq
        # keeps timestamps monotonic when the clock is set back
        self._at_ns = max(self._at_ns, self._origin_ns + round(event.at * 1e9))
        match event:
            case Dispatched():
                self._dispatched(event)
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
            case Returned():
                self._returned(event)
            case _:
                self._happened(event)

    # ── what begins a span ────────────────────────────────────────────────────────────────────────

    def _dispatched(self, event: Dispatched) -> None:
        """An agent, below the tool call that caused it or the run that handed over. A transparent
        wrapper is a span of its own name: it invokes no agent."""
        above = self._work(event.parent)
        wrapped = bool(event.wrapper)
        span = self._start(
            f"{event.wrapper} {event.agent}" if wrapped else f"invoke_agent {event.agent}",
            above.tool(event.call, f"{HANDOFF}{event.agent}") or above.span,
            event,
            operation=None if wrapped else "invoke_agent",
            wrapper=event.wrapper or None,
            run=event.run,
            intent=self._payload(event.handoff.intent),
            reason=self._payload(event.again or None),
        )
        self._work(event.run).span = span

    def _requested(self, event: Requested) -> None:
        work = self._work(event.run)
        body = event.body
        span = self._start(
            f"chat {body['model']}",
            work.span,
            event,
            operation="chat",
            provider="anthropic",
            model=body["model"],
            max_tokens=body.get("max_tokens"),
            instructions=self._payload(body.get("system")),
            messages=self._payload(body.get("messages")),
        )
        work.requests += 1
        work.chats[work.requests] = span

    def _tool_called(self, event: ToolCalled) -> None:
        """A handoff is a tool call with a target: control comes back to the caller."""
        work = self._work(event.run)
        name = _short(event.name)  # a model made it up, perhaps
        target = name.removeprefix(HANDOFF) if name.startswith(HANDOFF) else None
        span = self._start(
            f"execute_tool {name}",
            work.span,
            event,
            operation="execute_tool",
            tool=name,
            tool_type="function",
            call=_short(event.id),
            transfer_to=target,
            transfer_mode=target and "return_to_caller",
            arguments=self._payload(event.input),
        )
        work.tools.append(span)

    def _start(self, name: str, parent: Span | None, event: Event, **facts: Any) -> Span:
        facts = {"agent": event.agent, **facts, "first_event": event.seq, **self._further(event)}
        kind: Kind = "client" if isinstance(event, Requested) else "internal"
        span = Span(name, kind, parent, self._at_ns, _named(facts))
        self.spans.append(span)
        if self._sender:
            self._sender.start(span)
        return span

    def _work(self, run: str) -> _Work:
        return self._open.setdefault(run, _Work())

    # ── what ends one ─────────────────────────────────────────────────────────────────────────────

    def _replied(self, event: Replied) -> None:
        """Ends the request that this replies to, if the log says which; otherwise the open request
        whose start is closest."""
        chats = self._work(event.run).chats
        if not chats:
            return
        number = event.request
        if number not in chats:
            began_ns = self._at_ns - round(event.seconds * 1e9)
            number = min(chats, key=lambda each: abs(chats[each].start_ns - began_ns))
        span = chats.pop(number)
        reply = event.reply
        details = (reply.usage.model_extra or {}).get("output_tokens_details") or {}
        facts = {
            "reply_id": _short(reply.id) or None,
            "reply_model": _short(reply.model) or None,
            "finish": [_short(reply.stop_reason)] if reply.stop_reason else None,
            "cache_read": reply.usage.cache_read_input_tokens or None,
            "cache_write": reply.usage.cache_creation_input_tokens or None,
            "thinking": details.get("thinking_tokens"),
            "reply": self._payload([block.model_dump() for block in reply.content]),
        }
        self._finish(span, "", {**facts, **_used(event.spent), **self._further(event)})

    def _failed(self, event: Failed) -> None:
        """Ends the request that failed, at the time when it did."""
        span = self._work(event.run).chats.pop(event.request, None)
        if span:
            facts = {"reason": self._payload(event.error), **self._further(event)}
            self._finish(span, _short(event.type), facts)

    def _tool_answered(self, event: ToolAnswered) -> None:
        work = self._work(event.run)
        span = work.tool(event.id, event.name)
        if span:
            work.tools.remove(span)
            facts = {"tool_result": self._payload(event.content), **self._further(event)}
            self._finish(span, "tool_error" if event.is_error else "", facts)

    def _returned(self, event: Returned) -> None:
        """Ends the dispatch, and before it what its end cut short."""
        work = self._open.pop(event.run, _Work())
        result = event.result
        error = "" if result.ok else result.status
        self._cut(work, error or "unanswered")
        if work.span:
            facts = {
                "status": result.status,
                "reason": self._payload(result.reason or None),
                **_used(event.spent),
                **self._further(event),
            }
            self._finish(work.span, error, facts)

    def _cut(self, work: _Work, error: str) -> None:
        """Ends the requests and tool calls that got no answer."""
        for span in [*work.chats.values(), *work.tools]:
            self._finish(span, error, {})

    def _finish(self, span: Span, error: str, facts: dict[str, Any]) -> None:
        late = _named({**facts, "error": error or None, "last_event": self._last})
        span.attributes.update(late)
        span.error = str(facts.get("reason") or error) if error else ""
        span.end_ns = self._at_ns
        if self._sender:
            self._sender.end(span, late)

    # ── what happens within one ───────────────────────────────────────────────────────────────────

    def _happened(self, event: Event) -> None:
        """A note or a wait belongs to the run, a retry to the request that is sent again."""
        work = self._work(event.run)
        name: str = event.kind
        span = work.span
        facts: dict[str, Any] = {}
        match event:
            case Note():
                name = event.about or name
                facts = {"text": self._payload(event.text)}
            case Waited():
                facts = {"at_once": event.at_once, "text": self._payload(event.reason)}
            case Retried():
                span = work.chat(event.request)
                text = self._payload(event.error)
                facts = {"error": event.type, "wait_s": event.wait_s, "text": text}
        if span:
            attributes = _named({"event": event.seq, **facts})
            span.events.append(SpanEvent(name, self._at_ns, attributes))

    def _payload(self, value: Any) -> Any:
        """A text that somebody wrote, or nothing."""
        if not self._payloads or value is None:
            return None
        return value if isinstance(value, str) else json.dumps(value, default=str)

    def _further(self, event: Event) -> dict[str, Any]:
        return self._more(event) if self._more else {}


def _short(text: str) -> str:
    """A name that came from a model or a server, cut to what a name may have."""
    return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 1]}…"


def _named(facts: dict[str, Any]) -> dict[str, Any]:
    """Returns facts under their names on the wire, without those that are not known."""
    return {NAMES.get(name, name): value for name, value in facts.items() if value is not None}


def _used(spent: Spent) -> dict[str, Any]:
    cost: Decimal | None = spent.cost
    return {
        "input_tokens": spent.input_tokens,
        "output_tokens": spent.output_tokens,
        "usd": None if cost is None else float(cost),
    }


# ── to OpenTelemetry ──────────────────────────────────────────────────────────────────────────────


class _Sender:
    """Begins and ends a span of OpenTelemetry for each of ours, with our times."""

    def __init__(self, tracer: Any) -> None:
        self._api = optional("opentelemetry.trace")
        self._tracer = tracer
        self._open: dict[Span, Any] = {}
        self._kinds = {
            "internal": self._api.SpanKind.INTERNAL,
            "client": self._api.SpanKind.CLIENT,
        }

    def start(self, span: Span) -> None:
        above = self._open.get(span.parent) if span.parent else None
        self._open[span] = self._tracer.start_span(
            span.name,
            # a root goes below the span of the program around it, if there is one
            None if above is None else self._api.set_span_in_context(above),
            self._kinds[span.kind],
            span.attributes,
            start_time=span.start_ns,
        )

    def end(self, span: Span, late: dict[str, Any]) -> None:
        sent = self._open.pop(span)
        sent.set_attributes(late)
        for event in span.events:
            sent.add_event(event.name, event.attributes, event.at_ns)
        if span.error:
            sent.set_status(self._api.Status(self._api.StatusCode.ERROR, span.error))
        sent.end(span.end_ns)


@contextmanager
def sending_to(
    url: str, service: str = "supervisor workshop"
) -> Iterator[Any]:  # Any: of the extra
    """A tracer that sends to an OTLP receiver, in batches over HTTP; leaving the block sends the
    rest, and warns when spans could not be sent.

    url: where the receiver takes traces, for example http://localhost:6006/v1/traces. Raises
    ModuleNotFoundError with the line that installs OpenTelemetry when it is missing.
    """
    resources = optional("opentelemetry.sdk.resources")
    sdk = optional("opentelemetry.sdk.trace")
    export = optional("opentelemetry.sdk.trace.export")
    otlp = optional("opentelemetry.exporter.otlp.proto.http.trace_exporter")
    session = optional("requests").Session()
    if urlsplit(url).hostname in LOCAL_HOSTS:
        session.trust_env = False  # a proxy of the environment is not for this machine
    outbox = _Outbox(otlp.OTLPSpanExporter(endpoint=url, session=session), url)
    provider = sdk.TracerProvider(
        resource=resources.Resource.create({"service.name": service}), shutdown_on_exit=False
    )
    provider.add_span_processor(export.BatchSpanProcessor(outbox, max_queue_size=MOST_WAITING))
    try:
        yield provider.get_tracer("kernel.parts.telemetry")
    finally:
        outbox.last = True
        provider.force_flush()  # `shutdown` alone leaves behind what takes longer than 30 s
        provider.shutdown()
        if outbox.lost:
            warnings.warn(f"{outbox.lost} spans could not be sent to {url}", stacklevel=3)


class _Outbox:
    """An exporter around an exporter: counts the spans that could not be sent, and sends nothing
    where nobody listens, since the exporter would try again for seconds."""

    def __init__(self, exporter: Any, url: str) -> None:
        self._exporter = exporter
        self._url = url
        self.lost = 0
        self.last = False
        """True while the program waits: then the first failure ends the tries."""

    def export(self, spans: Sequence[Any]) -> Any:
        given_up = (self.last and self.lost) or not self._listened_to()
        result = None if given_up else self._exporter.export(spans)
        if result is None or result.name != "SUCCESS":
            self.lost += len(spans)
        return result

    def _listened_to(self) -> bool:
        """Waits for a listener, as long as the program is not waiting itself."""
        until = time.monotonic() + PATIENCE_S
        while not _listens(self._url):
            if self.last or time.monotonic() > until:
                return False
            time.sleep(0.1)
        return True

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        flushed: bool = self._exporter.force_flush(timeout_millis)
        return flushed

    def shutdown(self) -> None:
        self._exporter.shutdown()


def _listens(url: str) -> bool:
    """True if something listens at an address; a proxy on the way says so itself."""
    place = urlsplit(url)
    host = place.hostname or ""
    if host not in LOCAL_HOSTS and proxy_for(place.scheme, host):
        return True
    port = place.port or (443 if place.scheme == "https" else 80)
    try:
        socket.create_connection((host, port), KNOCK_S).close()
    except OSError:
        return False
    return True


def optional(module: str) -> Any:  # Any: as Extra.module
    """A module of the optional extra. Raises ModuleNotFoundError with the line that installs it."""
    return EXTRA.module(module)
