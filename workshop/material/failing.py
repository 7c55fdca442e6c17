"""Lesson 13: a real server that is often overloaded, and waits that nobody waits for."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx

from kernel import Client
from offline_model import Faults, OfflineAPI, Server


@contextlib.contextmanager
def real_server(**faults: Any) -> Iterator[Client]:
    """The offline model with faults (`rate_529=0.3` …) behind a real server on this machine, and a
    client for it, which sends a request again up to three times.
    """
    with Server(OfflineAPI(faults=Faults(**faults))) as url:
        transport = httpx.AsyncHTTPTransport()
        yield Client(transport, mode="local", base_url=url, retries=3, sleep=Waits())


@dataclass
class Waits:
    """Records a wait in place of waiting."""

    seconds: list[float] = field(default_factory=list)

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(round(seconds, 2))
