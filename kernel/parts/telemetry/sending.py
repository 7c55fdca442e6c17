"""The care around spans: they are sent to a receiver by OpenTelemetry, or a warning says so.

    with sending_to("http://localhost:6006/v1/traces") as tracer:
        Spans(tracer).read(run.trace())

A receiver may be missing, slow or behind a proxy. This file exists so that tracing neither delays
the work nor loses spans in silence.

OpenTelemetry is an optional extra, imported when spans are sent: pip install -e ".[telemetry]".
"""

from __future__ import annotations

import socket
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ...plumbing.connections import LOCAL_HOSTS
from ...plumbing.extras import Extra
from ...plumbing.network import proxy_for

if TYPE_CHECKING:
    from .spans import Span

EXTRA = Extra("telemetry", "Sending spans")
INSTALL = EXTRA.install
KNOCK_S, PATIENCE_S = 2.0, 10.0
"""Seconds: the connect timeout; until spans that cannot be sent are given up."""
MOST_WAITING = 1_000_000
"""Spans that may wait to be sent. The default, 2,048, loses most of a log that is read at once."""


class Sender:
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
