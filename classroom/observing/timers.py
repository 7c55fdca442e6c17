"""The event loop under a check: Python's own, or in a browser's tab one of timers only."""

from __future__ import annotations

import asyncio
from typing import Any

from classroom.notebook.presence import IN_BROWSER


class TimerLoop(asyncio.BaseEventLoop):
    """An event loop without sockets, threads and processes; `selector` waits for its timers."""

    def __init__(self, selector: Any) -> None:
        super().__init__()
        self._selector = selector

    def _process_events(self, events: list[Any]) -> None:
        """There are none: nothing outside wakes this loop."""

    def _write_to_self(self) -> None:
        """Nothing waits in another thread."""


EventLoop: Any = TimerLoop if IN_BROWSER else asyncio.SelectorEventLoop
