"""Lesson 24: a client in the shape of the anthropic SDK; what was measured of the team on other
libraries, and what is measured now.
"""

from __future__ import annotations

import sys
from typing import Any

from kernel import Client, Reply
from kernel.plumbing.texts import as_plain
from workshop.material.playing_ports import measured, pythons
from workshop.material.port_rows import (
    FOLDER,
    INSTALL,
    PORTS,
    STORED,
    TASK,
    Port,
    PortRow,
    differences,
    store,
    stored,
)
from workshop.material.service import Service

__all__ = [
    "FOLDER",
    "INSTALL",
    "PORTS",
    "SDK_INSTALL",
    "STORED",
    "TASK",
    "Port",
    "PortRow",
    "SameShape",
    "differences",
    "installed",
    "play",
    "sdk",
    "store",
    "stored",
]

SDK_INSTALL = 'pip install -e ".[ports]"'


def sdk(service: Service) -> Any:
    """The anthropic SDK's client for a service on this machine, which needs no key; where the
    package is missing, a sentence, and a client of the same shape."""
    try:
        import anthropic
    except ModuleNotFoundError:
        print(
            "The package anthropic is not installed here; a client of the same shape stands in for "
            f"it. To install it: File → New → Terminal, then {SDK_INSTALL}"
        )
        return SameShape(service.client())
    print(f"the SDK: anthropic {anthropic.__version__}")
    return anthropic.AsyncAnthropic(base_url=service.address, api_key="offline", max_retries=0)


class SameShape:
    """The part of the SDK's client that lesson 24 uses: `messages.create`, whose reply has blocks
    with attributes.
    """

    def __init__(self, client: Client) -> None:
        self.messages = self
        self._client = client

    async def create(self, **request: Any) -> Reply:
        """Sends one request. Raises ApiError where it is refused."""
        return await self._client.send(as_plain(request))


def installed() -> list[str]:
    """The ports that `play` plays: those whose packages are there, in the pinned versions."""
    return [] if sys.platform == "emscripten" else [*pythons()]


def play() -> dict[str, PortRow]:
    """Every row: those whose packages are installed are measured now, the others are as stored.

    In a browser's tab, which starts no process, all are as stored.
    """
    if sys.platform == "emscripten":
        return stored()
    return {**stored(), **measured(pythons())}
