"""Waits: for a change, in any thread and event loop; and before the same work is tried again, by
one rule for requests and dispatches."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

FIRST_S = 0.5
LONGEST_S = 8.0
"""Seconds of a wait, at most, unless the service asks for more."""
DOUBLINGS = 16
"""The most doublings of a wait: more than enough for the longest one. Without this bound, 2 to the
power of the tries could be too large a number."""


def before_next_try(
    asked_for_s: float | None,
    failed: int,
    jitter: Callable[[], float],
    longest_s: float = LONGEST_S,
) -> float:
    """Seconds until the next try, after `failed` tries that failed.

    asked_for_s: the wait that the service asks for, taken as it is; None, a negative number and NaN
                 stand for no wish.
    jitter:      a source of numbers from 0 to 1.
    longest_s:   the bound of a wait that nobody asked for.

    Without a wish it is 0.5 seconds, doubled with each try up to the bound, minus up to a quarter
    by chance, so that many clients do not return at the same moment.
    """
    if asked_for_s is not None and asked_for_s >= 0:
        return asked_for_s
    doubled: float = FIRST_S * 2 ** min(failed - 1, DOUBLINGS)
    return min(doubled, longest_s) * (1 - 0.25 * jitter())


def checked_s(name: str, seconds: float) -> float:
    """The seconds, when they are 0 or more. Raises ValueError with the name for others and for
    NaN."""
    if not seconds >= 0:
        raise ValueError(f"{name} is {seconds}; expected 0 or more seconds")
    return seconds


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
