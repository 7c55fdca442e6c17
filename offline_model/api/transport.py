"""The offline model as an httpx transport: here latency is slept and connections fail."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx

from .service import OfflineAPI, Response

LONGEST_WAIT_S = 60
"""A "timeout" fault waits out the request's own read timeout, but never longer than this."""


class OfflineTransport(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Give it to `httpx.Client` or `httpx.AsyncClient`, and `api` answers every request on this
    machine.

    Takes an `OfflineAPI`, or the arguments of one. Raises `httpx.ReadTimeout` when the latency is
    longer than the request's read timeout, and what the faults "timeout" and "disconnect" stand
    for.
    """

    def __init__(self, api: OfflineAPI | None = None, **settings: Any) -> None:
        if api is not None and settings:
            raise TypeError(
                f"OfflineTransport takes an API or its settings, not both; got {[*settings]}"
            )
        self.api = OfflineAPI(**settings) if api is None else api

    def respond(self, request: httpx.Request, body: bytes) -> Response:
        """Returns the API's response to this request."""
        return self.api.handle(request.method, request.url.path, request.headers, body)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        wait_s, outcome = _outcome(request, self.respond(request, request.read()))
        time.sleep(wait_s)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        wait_s, outcome = _outcome(request, self.respond(request, await request.aread()))
        await asyncio.sleep(wait_s)  # also for 0 s: a fan-out takes turns, as on a network
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


def _outcome(
    request: httpx.Request, response: Response
) -> tuple[float, httpx.Response | Exception]:
    """Returns the seconds to wait, and the response to return or the exception to raise."""
    patience_s = request.extensions.get("timeout", {}).get("read") or float("inf")
    if response.failure == "timeout" or response.latency_s > patience_s:
        problem = f"The offline model did not answer within {patience_s:g} s."
        wait_s = patience_s if patience_s <= LONGEST_WAIT_S else 0
        return wait_s, httpx.ReadTimeout(problem, request=request)
    if response.failure:
        problem = "Server disconnected without sending a response."
        return response.latency_s, httpx.RemoteProtocolError(problem, request=request)
    if isinstance(response.body, bytes):
        reply = httpx.Response(response.status, headers=response.headers, content=response.body)
    else:
        stream = _Events(response.body, response.pause_s)
        reply = httpx.Response(response.status, headers=response.headers, stream=stream)
    return response.latency_s, reply


class _Events(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A stream, for both kinds of client, that gives one event at a time."""

    def __init__(self, events: tuple[bytes, ...], pause_s: float) -> None:
        self._events = events
        self._pause_s = pause_s

    def __iter__(self) -> Iterator[bytes]:
        for event in self._events:
            time.sleep(self._pause_s)
            yield event

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for event in self._events:
            await asyncio.sleep(self._pause_s)
            yield event
