"""The offline API with a log of what it was asked and what it answered, here or outside.

A check has the API in its own process. `grade` runs it outside of the sandbox and gives the
submission's process a socket: what the service saw is then nothing that a submission can write.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from typing import Any, NamedTuple

import httpx

from classroom.observing import MARK, Reader
from kernel import Client
from offline_model import OfflineTransport
from offline_model.api.service import OfflineAPI, Response

MOST_REQUESTS, LARGEST_BODY, MOST_LOGGED = 300, 400_000, 8_000_000
"""Requests for one case; bytes of one request, and of all requests and replies of a case. More is
refused.
"""


class Exchange(NamedTuple):
    """One request that was answered."""

    process: str
    """The process of the case that asked."""
    system: str
    body: str
    """The request without `max_tokens`, which a budget may lower: equal when the same is asked."""
    reply: str


Log = list[Exchange]


class WatchedAPI:
    """The offline API; the first part of a path says which process asks."""

    def __init__(self, note: Callable[[Exchange], None]) -> None:
        self.api = OfflineAPI()
        self.note = note
        self.begin()

    def begin(self) -> None:
        """A new case: nothing was asked or refused yet."""
        self.asked = self.logged = 0
        self.refused = ""

    def handle(self, method: str, path: str, headers: Any, body: bytes) -> Response:
        self.asked += 1
        if refusal := self._too_much(body):
            return self.refuse(refusal)
        process, _, rest = path.lstrip("/").partition("/")
        response = self.api.handle(method, f"/{rest}", headers, body)
        if response.status == 200 and isinstance(response.body, bytes):
            self.logged += len(body) + len(response.body)
            self.note(_exchange(process, body, response.body))
        return response

    def _too_much(self, body: bytes) -> str:
        if len(body) > LARGEST_BODY:
            return too_large(len(body))
        if self.asked > MOST_REQUESTS:
            return f"it sent more than {MOST_REQUESTS} requests for one case; give it a budget"
        if self.logged > MOST_LOGGED:
            megabytes = MOST_LOGGED // 10**6
            return f"its requests and replies have more than {megabytes} MB; ask for less"
        return ""

    def refuse(self, why: str) -> Response:
        """Notes the first refusal of a case, and tells the client."""
        self.refused = self.refused or why
        return self.error(413, f"This service takes no more: {why}.")

    def error(self, status: int, message: str) -> Response:
        return self.api.error(status, message)


def too_large(size: int) -> str:
    """Returns the complaint about a request of so many bytes."""
    return f"it sent a request of {size:,} bytes; at most {LARGEST_BODY:,} are taken"


def _exchange(process: str, body: bytes, reply: bytes) -> Exchange:
    request = json.loads(body)
    request.pop("max_tokens", None)
    text = json.dumps(request, sort_keys=True)
    return Exchange(process, str(request.get("system", "")), text, reply.decode())


class ServiceDoor:
    """An observation's door to the service: clients, and the log where it is at hand."""

    def __init__(self, socket: str = "") -> None:
        """socket: where the service is outside; empty for one of its own."""
        self.socket = socket
        self.log: Log = []

    @functools.cached_property
    def api(self) -> WatchedAPI:
        return WatchedAPI(self.log.append)

    def client(self, process: str, dies_at: int = 0) -> Client:
        """A client of the process of this name, which is killed at its n-th request."""
        inner: httpx.AsyncBaseTransport
        if self.socket:
            inner = httpx.AsyncHTTPTransport(uds=self.socket)
        else:
            inner = OfflineTransport(self.api)
        transport = _Mortal(inner, dies_at)
        return Client(transport, base_url=f"http://offline/{process}", retries=0, max_usd="5")

    def complete(self, reader: Reader, case: Any, seen: dict[str, Any]) -> dict[str, Any]:
        """Returns the observation with the service's view; without it where the log is outside."""
        return {**seen, MARK: True} if self.socket else reader(self.log, case, seen)


class Killed(BaseException):
    """The process dies here."""


class _Mortal(httpx.AsyncBaseTransport):
    """Sends requests, and dies instead of sending the n-th one."""

    def __init__(self, inner: httpx.AsyncBaseTransport, dies_at: int) -> None:
        self.inner, self.dies_at, self.sent = inner, dies_at, 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.sent += 1
        if self.sent == self.dies_at:
            raise Killed
        return await self.inner.handle_async_request(request)

    async def aclose(self) -> None:
        await self.inner.aclose()
