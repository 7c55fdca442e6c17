"""The offline model as an httpx transport: the place where latency is slept and connections fail."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx

from .api import OfflineAPI, Response

LONGEST_WAIT_S = 60
"""A "timeout" fault waits out the request's own read timeout, but never longer than this."""


class OfflineTransport(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Give it to `httpx.Client` or `httpx.AsyncClient`, and `api` answers every request on this machine.

    Takes an `OfflineAPI`, or the arguments of one. Raises `httpx.ReadTimeout` when the latency is longer than
    the request's read timeout, and what the faults "timeout" and "disconnect" stand for.
    """

    def __init__(self, api: OfflineAPI | None = None, **settings: Any) -> None:
        if api is not None and settings:
            raise TypeError(f"OfflineTransport takes an API or its settings, not both; got {[*settings]}")
        self.api = OfflineAPI(**settings) if api is None else api

    def respond(self, request: httpx.Request, body: bytes) -> Response:
        """What the API says to this request."""
        return self.api.handle(request.method, request.url.path, request.headers, body)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = self.respond(request, request.read())
        time.sleep(_wait_s(request, response))
        return _deliver(request, response)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = self.respond(request, await request.aread())
        await asyncio.sleep(_wait_s(request, response))  # also when it is 0: a fan-out takes turns as on a network
        return _deliver(request, response)


def _patience_s(request: httpx.Request) -> float:
    patience_s = request.extensions.get("timeout", {}).get("read")
    return float("inf") if patience_s is None else patience_s


def _wait_s(request: httpx.Request, response: Response) -> float:
    patience_s = _patience_s(request)
    if response.failure == "timeout":
        return patience_s if patience_s <= LONGEST_WAIT_S else 0
    return min(patience_s, response.latency_s)


def _deliver(request: httpx.Request, response: Response) -> httpx.Response:
    """What httpx makes of it, after the wait."""
    if response.failure == "timeout" or response.latency_s > _patience_s(request):
        raise httpx.ReadTimeout("The offline model did not answer in time.", request=request)
    if response.failure:
        raise httpx.RemoteProtocolError("Server disconnected without sending a response.", request=request)
    if isinstance(response.body, bytes):
        return httpx.Response(response.status, headers=response.headers, content=response.body)
    return httpx.Response(response.status, headers=response.headers, stream=_Events(response.body))


class _Events(httpx.SyncByteStream, httpx.AsyncByteStream):
    def __init__(self, events: tuple[bytes, ...]) -> None:
        self._events = events

    def __iter__(self) -> Iterator[bytes]:
        yield from self._events

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for event in self._events:
            await asyncio.sleep(0)
            yield event
