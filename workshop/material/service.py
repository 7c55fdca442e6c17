"""Lessons 24 and 26: the offline model behind a real port, counting what it is sent."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from functools import cached_property, partial
from typing import Any

import httpx

from kernel import Client
from kernel.plumbing.network import pool_for
from offline_model import OfflineAPI, OfflineTransport, Server


class Service(OfflineAPI):
    """The offline model behind a real port, counting what it is sent, as the service's own bill
    would. Use it with `with`, or `start` it until Python ends.

    In a browser's tab nothing can listen: there its clients reach it without a port.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.sent = 0
        self._count = threading.Lock()

    def handle(self, method: str, path: str, headers: Mapping[str, str], body: bytes = b"") -> Any:
        if method == "POST":
            with self._count:
                self.sent += 1
        return super().handle(method, path, headers, body)

    @cached_property
    def _server(self) -> Server | nullcontext[None]:
        return nullcontext() if sys.platform == "emscripten" else Server(self)

    def __enter__(self) -> Service:
        self._server.__enter__()
        return self

    def __exit__(self, *problem: Any) -> None:
        self._server.__exit__(*problem)

    @classmethod
    def start(cls) -> Service:
        """A service that a thread serves until Python ends."""
        return cls().__enter__()

    @property
    def address(self) -> str:
        """The address on this machine, such as `http://127.0.0.1:50123`; empty in a tab."""
        return getattr(self._server, "url", "")

    @property
    def client(self) -> Callable[[], Client]:
        """Makes a client of this service, in whatever process."""
        if not self.address:
            return partial(Client, OfflineTransport(self))
        return partial(client_at, self.address)


def client_at(url: str) -> Client:
    """A client without a key, for a service on this machine."""
    return Client(pool_for(httpx.URL(url)), mode="local", base_url=url)
