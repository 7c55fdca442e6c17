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
from ..core.contract import Result
from ..core.events import Event
from ..core.run import Run
from ..core.wire import Reply
from ..plumbing.connections import LOCAL_HOSTS
from ..plumbing.extras import Extra
from ..plumbing.network import proxy_for
from ..plumbing.trace import Trace
from ..plumbing.work import HANDOFF, Delegation, Fold, ModelCall, Remark, ToolCall, Work

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

    # ── what begins a span ────────────────────────────────────────────────────────────────────────

    def _begun(self, work: Work, event: Event) -> None:
        match work:
            case Delegation():
                name, facts = self._delegation(work)
            case ModelCall():
                name, facts = self._model_call(work)
            case ToolCall():
                name, facts = self._tool_call(work)
            case _:
                return
        facts = {"agent": work.agent, **facts, "first_event": event.seq, **self._further(event)}
        kind: Kind = "client" if isinstance(work, ModelCall) else "internal"
        parent = self._open.get(work.parent) if work.parent else None
        span = Span(name, kind, parent, self._at_ns, _named(facts))
        self.spans.append(span)
        self._open[work] = span
        if self._sender:
            self._sender.start(span)

    def _delegation(self, work: Delegation) -> tuple[str, dict[str, Any]]:
        """An agent. A transparent wrapper is a span of its own name: it invokes no agent."""
        facts = {
            "operation": None if work.wrapper else "invoke_agent",
            "wrapper": work.wrapper or None,
            "run": work.run,
            "intent": self._payload(work.handoff.intent),
            "reason": self._payload(work.again or None),
        }
        return f"{work.wrapper or 'invoke_agent'} {work.agent}", facts

    def _model_call(self, call: ModelCall) -> tuple[str, dict[str, Any]]:
        facts = {
            "operation": "chat",
            "provider": "anthropic",
            "model": call.model,
            "max_tokens": call.body.get("max_tokens"),
            "instructions": self._payload(call.body.get("system")),
            "messages": self._payload(call.body.get("messages")),
        }
        return f"chat {call.model}", facts

    def _tool_call(self, call: ToolCall) -> tuple[str, dict[str, Any]]:
        """A handoff is a tool call with a target: control comes back to the caller."""
        name = _short(call.name)  # a model made it up, perhaps
        target = name.removeprefix(HANDOFF) if name.startswith(HANDOFF) else None
        facts = {
            "operation": "execute_tool",
            "tool": name,
            "tool_type": "function",
            "call": _short(call.id),
            "transfer_to": target,
            "transfer_mode": target and "return_to_caller",
            "arguments": self._payload(call.input),
        }
        return f"execute_tool {name}", facts

    # ── what ends one ─────────────────────────────────────────────────────────────────────────────

    def _ended(self, work: Work, event: Event) -> None:
        """Ends the span of work: with its own figures, unless its delegation's end cut it short."""
        facts: dict[str, Any] = {}
        error = "" if work.status == "ok" else work.status
        match work:
            case Delegation(result=Result() as result):
                reason = self._payload(result.reason or None)
                facts = {"status": work.status, "reason": reason, **_used(work.spent)}
            case ModelCall(reply=Reply() as reply):
                facts = {**self._reply(reply), **_used(work.spent)}
            case ModelCall() if work.error:
                error = _short(work.error)
                facts = {"reason": self._payload(work.reason)}
            case ToolCall(answered=True):
                error = "tool_error" if work.is_error else ""
                facts = {"tool_result": self._payload(work.content)}
        if facts:
            facts |= self._further(event)
        self._finish(self._open.pop(work), error, facts)

    def _reply(self, reply: Reply) -> dict[str, Any]:
        details = (reply.usage.model_extra or {}).get("output_tokens_details") or {}
        return {
            "reply_id": _short(reply.id) or None,
            "reply_model": _short(reply.model) or None,
            "finish": [_short(reply.stop_reason)] if reply.stop_reason else None,
            "cache_read": reply.usage.cache_read_input_tokens or None,
            "cache_write": reply.usage.cache_creation_input_tokens or None,
            "thinking": details.get("thinking_tokens"),
            "reply": self._payload([block.model_dump() for block in reply.content]),
        }

    def _finish(self, span: Span, error: str, facts: dict[str, Any]) -> None:
        late = _named({**facts, "error": error or None, "last_event": self._last})
        span.attributes.update(late)
        span.error = str(facts.get("reason") or error) if error else ""
        span.end_ns = self._at_ns
        if self._sender:
            self._sender.end(span, late)

    # ── what happens within one ───────────────────────────────────────────────────────────────────

    def _remarked(self, remark: Remark, event: Event) -> None:
        span = self._open.get(remark.work)
        if span is None:
            return
        text = self._payload(remark.text)
        facts: dict[str, Any] = {"event": event.seq, "text": text}
        match remark.form:
            case "wait":
                facts["at_once"] = remark.at_once
            case "retry":
                facts |= {"error": remark.error, "wait_s": remark.wait_s}
        name = remark.about or remark.form
        span.events.append(SpanEvent(name, self._at_ns, _named(facts)))

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
