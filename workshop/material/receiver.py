"""An OTLP receiver for this machine: keeps what OpenTelemetry sends, gives it back as spans."""

from __future__ import annotations

import threading
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from kernel.parts.telemetry import NAMES, Span, SpanEvent, optional

LARGEST = 16_000_000
"""Bytes of one request, compressed or not."""
GZIP = 31
"""The `wbits` of zlib for a stream in gzip's form."""
PATH = "/v1/traces"


class Receiver:
    """Listens on this machine while the block runs: `with Receiver() as receiver: …`.

    url:    where to send to.
    posts:  the body of each request as it came, in bytes.
    """

    def __init__(self) -> None:
        self.posts: list[bytes] = []
        _protocol()  # says what is missing before anything is sent
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}{PATH}"

    def __enter__(self) -> Receiver:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def spans(self) -> list[Span]:
        """Every span that was received, in the order in which they began."""
        return decoded(self.posts)


def decoded(posts: list[bytes]) -> list[Span]:
    """The spans of OTLP requests, each linked to the one above it."""
    request = _protocol().ExportTraceServiceRequest
    sent = [
        span
        for post in posts
        for resource in request.FromString(post).resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]
    spans = {span.span_id: _span(span) for span in sent}
    for span in sent:
        spans[span.span_id].parent = spans.get(span.parent_span_id)
    return sorted(spans.values(), key=lambda span: (span.start_ns, _first_event(span)))


def _span(sent: Any) -> Span:
    failed = sent.status.code == sent.status.STATUS_CODE_ERROR
    return Span(
        name=sent.name,
        kind="client" if sent.kind == sent.SPAN_KIND_CLIENT else "internal",
        parent=None,
        start_ns=sent.start_time_unix_nano,
        attributes=_attributes(sent.attributes),
        events=[
            SpanEvent(event.name, event.time_unix_nano, _attributes(event.attributes))
            for event in sent.events
        ],
        end_ns=sent.end_time_unix_nano,
        error=sent.status.message if failed else "",
    )


def _attributes(pairs: Any) -> dict[str, Any]:
    return {pair.key: _value(pair.value) for pair in pairs}


def _value(value: Any) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(part) for part in value.array_value.values]
    return getattr(value, kind) if kind else None


def _first_event(span: Span) -> int:
    return span.attributes.get(NAMES["first_event"], 0)


class _Server(ThreadingHTTPServer):
    def __init__(self, receiver: Receiver) -> None:
        super().__init__(("127.0.0.1", 0), _Post)
        self.receiver = receiver


class _Post(BaseHTTPRequestHandler):
    """One request: kept when it can be read, refused with a sentence when not."""

    server: _Server

    def do_POST(self) -> None:
        protocol = _protocol()
        length = int(self.headers.get("content-length") or 0)
        if self.path != PATH or not 0 < length <= LARGEST:
            self._answer(404 if self.path != PATH else 413, b"")
            return
        try:
            body = self.rfile.read(length)
            if self.headers.get("content-encoding") == "gzip":
                body = zlib.decompressobj(GZIP).decompress(body, LARGEST)
            protocol.ExportTraceServiceRequest.FromString(body)
        except Exception as problem:
            self._answer(400, f"not an OTLP request: {problem}".encode())
            return
        self.server.receiver.posts.append(body)
        self._answer(200, protocol.ExportTraceServiceResponse().SerializeToString())

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", "application/x-protobuf")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Says nothing: a notebook shows what is printed."""


def _protocol() -> Any:
    """The messages of OTLP, which come with the exporter."""
    return optional("opentelemetry.proto.collector.trace.v1.trace_service_pb2")
