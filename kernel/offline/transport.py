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
        delay_s, outcome = _outcome(request, self.respond(request, request.read()))
        if delay_s:
            time.sleep(delay_s)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        delay_s, outcome = _outcome(request, self.respond(request, await request.aread()))
        await asyncio.sleep(delay_s)  # also when it is 0: a fan-out takes turns as it would on a network
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


def _outcome(request: httpx.Request, response: Response) -> tuple[float, httpx.Response | Exception]:
    """How long to wait, and then what to return or raise."""
    patience_s = request.extensions.get("timeout", {}).get("read")
    if response.failure == "timeout":
        wait_s = patience_s if patience_s is not None and patience_s <= LONGEST_WAIT_S else 0
        return wait_s, httpx.ReadTimeout("The offline model was told not to answer in time.", request=request)
    if patience_s is not None and response.latency_s > patience_s:
        problem = f"no answer within {patience_s:g} s; the offline model takes {response.latency_s:g} s"
        return patience_s, httpx.ReadTimeout(problem, request=request)
    if response.failure:
        message = "Server disconnected without sending a response."
        return response.latency_s, httpx.RemoteProtocolError(message, request=request)
    if isinstance(response.body, bytes):
        content: dict[str, Any] = {"content": response.body}
    else:
        content = {"stream": _Events(response.body)}
    return response.latency_s, httpx.Response(response.status, headers=response.headers, **content)


class _Events(httpx.SyncByteStream, httpx.AsyncByteStream):
    def __init__(self, events: tuple[bytes, ...]) -> None:
        self._events = events

    def __iter__(self) -> Iterator[bytes]:
        yield from self._events

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for event in self._events:
            await asyncio.sleep(0)
            yield event
