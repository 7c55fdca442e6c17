"""The wire without the kernel: a plain `httpx.Client` for the model that a lesson uses, and the
offline model at an address, for those who write request and loop themselves.
"""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import httpx

from classroom.notebook.presence import interactive
from kernel import Client, Usage, connect
from kernel.core.wire import RequestSize, cache_writes, most_tokens
from kernel.plumbing.client import NOT_SENT, Mode
from kernel.plumbing.models import demand_of, spent_on
from kernel.plumbing.network import way_to

PACE_MS = 100
"""Milliseconds between the parts of a stream that a person reads along, a few words each."""


def local_server() -> str:
    """Starts the offline model as a server on this machine; returns its address.

    A thread serves it until Python ends, for any library that speaks HTTP. In a browser tab, where
    nothing can listen, `httpx.post` and `httpx.stream` are answered by the offline model itself.
    While a person watches, a stream comes at a pace at which the parts can be seen.
    """
    from offline_model import OfflineAPI, Server

    if sys.platform == "emscripten":
        httpx.post, httpx.stream = answered_here(), streamed_here()
        return "http://127.0.0.1:8765"
    return Server(OfflineAPI(pace_ms=_pace_ms())).__enter__()


def _pace_ms() -> float:
    """Milliseconds between the parts of a stream: some for a person, none without one."""
    return PACE_MS if interactive() else 0


def answered_here() -> Callable[..., httpx.Response]:
    """`httpx.post`, whatever the address, with answers of the offline model."""
    from offline_model import OfflineTransport

    transport = OfflineTransport()

    def post(url: str, **given: Any) -> httpx.Response:
        with httpx.Client(transport=transport) as client:
            return client.post(url, **given)

    return post


def streamed_here() -> Callable[..., contextlib.AbstractContextManager[httpx.Response]]:
    """`httpx.stream`, whatever the address, with answers of the offline model."""
    from offline_model import OfflineTransport

    transport = OfflineTransport(pace_ms=_pace_ms())

    @contextlib.contextmanager
    def stream(method: str, url: str, **given: Any) -> Iterator[httpx.Response]:
        with (
            httpx.Client(transport=transport) as client,
            client.stream(method, url, **given) as response,
        ):
            yield response

    return stream


def plain_http(
    mode: Mode | None = None,
    *,
    max_usd: Decimal | str | float | None = None,
    **offline: Any,
) -> httpx.Client:
    """A plain `httpx.Client` for the model that `kernel.connect` would choose, with the same
    arguments.

    Address, version and key are set: `client.post("/v1/messages", json={...})`. The limit of the
    process holds here too: raises Exhausted before a request that could pass it. No retries.
    """
    chosen = connect(mode, max_usd=max_usd, **offline)
    return httpx.Client(
        base_url=chosen.base_url,
        headers=chosen.public_headers,
        timeout=httpx.Timeout(600, connect=10),
        transport=_Billed(chosen),
    )


class _Billed(httpx.BaseTransport):
    """Books each request in the account of its client: what it may cost is set aside before it is
    sent, and settled however it ends.
    """

    def __init__(self, client: Client) -> None:
        self._account = client.billed
        self._way: httpx.BaseTransport
        if client.mode == "offline":
            assert isinstance(client.transport, httpx.BaseTransport)  # `connect` made it
            self._way = client.transport
        else:
            self._way = _Keyed(client)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """The reply, read to its end. Raises Exhausted, without sending, for a request that could
        pass a limit, and httpx.TransportError."""
        content = request.read()
        body = json.loads(content)
        model, max_tokens = str(body.get("model")), int(body.get("max_tokens") or 1)
        size = RequestSize(model, most_tokens(content), max_tokens, cache_writes(content))
        with self._account.hold(demand_of(size), least=max_tokens) as hold:
            hold.begin()
            try:
                response = _whole(self._way.handle_request(request))
            except NOT_SENT:
                hold.failed(billable=False)
                raise
            if not response.is_success:
                hold.failed(billable=False)
            elif usage := _usage(response):
                hold.settle(spent_on(model, usage))
        return response

    def close(self) -> None:
        self._way.close()


def _content(response: httpx.Response) -> bytes:
    """The bytes of a response as they came over the wire, maybe compressed."""
    assert isinstance(response.stream, httpx.SyncByteStream)  # a plain client's always is
    return b"".join(response.stream)


def _whole(response: httpx.Response) -> httpx.Response:
    """A response that has arrived to its last byte, as it came over the wire."""
    with contextlib.closing(response):
        stream = httpx.ByteStream(_content(response))
    headers, extensions = response.headers, response.extensions
    return httpx.Response(
        response.status_code, headers=headers, stream=stream, extensions=extensions
    )


def _usage(response: httpx.Response) -> Usage | None:
    """Returns the usage that a reply states; None for one that cannot be read, which may cost all
    that was set aside.
    """
    try:
        reply = httpx.Response(200, headers=response.headers, content=_content(response))
        return Usage.model_validate(reply.json()["usage"])
    except (ValueError, TypeError, KeyError, httpx.DecodingError):
        return None


class _Keyed(httpx.HTTPTransport):
    """Adds the key to a copy of each request, on its way out: the request that a caller or an
    exception holds has none.
    """

    def __init__(self, client: Client) -> None:
        way = way_to(httpx.URL(client.base_url))
        super().__init__(proxy=way.proxy, verify=way.certificates)
        self._client = client

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        try:
            return _whole(
                super().handle_request(
                    httpx.Request(
                        request.method,
                        request.url,
                        headers={**request.headers, **self._client.headers()},
                        stream=request.stream,
                        extensions=request.extensions,
                    )
                )
            )
        except httpx.TransportError as error:
            lost = type(error), str(error)
        raise lost[0](
            lost[1], request=request
        )  # out here: nothing leads back to the request with the key
