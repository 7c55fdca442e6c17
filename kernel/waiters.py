"""The wait for a change that may come from another thread and event loop."""

from __future__ import annotations

import asyncio
import contextlib


class Waiters:
    """All who wait for the next change of something, in any thread and event loop.

    The caller holds a lock, so that nothing changes between a look and the wait.
    """

    def __init__(self) -> None:
        self._waiting: list[asyncio.Future[None]] = []

    def next(self) -> asyncio.Future[None]:
        """Returns a future that is done at the next change."""
        future = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        return future

    def notify(self) -> None:
        """Wakes all who wait."""
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            with contextlib.suppress(RuntimeError):  # its loop is closed: nobody waits any more
                future.get_loop().call_soon_threadsafe(_wake, future)


def _wake(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
