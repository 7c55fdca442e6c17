"""Waiting for room, across threads and event loops: `Waiters` and `Slots`."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import deque


class Waiters:
    """Futures of any thread and event loop that wait for the next change of a state.

    Callers hold a lock from checking the state to calling a method here, so no change is missed.
    """

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()

    def next(self) -> asyncio.Future[None]:
        """Returns a future that is done at the next change."""
        future = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        return future

    def notify(self) -> None:
        """Wakes all waiters."""
        while self.notify_one():
            pass

    def notify_one(self) -> bool:
        """Wakes the oldest waiter; False without one."""
        while self._waiting:
            future = self._waiting.popleft()
            with contextlib.suppress(RuntimeError):  # its loop is closed: nobody waits any more
                if not future.done():
                    future.get_loop().call_soon_threadsafe(_wake, future)
                    return True
        return False


class Slots(contextlib.AbstractAsyncContextManager[None]):
    """A semaphore that all threads and event loops share; `async with` takes a place."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._free = number
        self._freed = Waiters()
        self._looking = threading.Lock()

    @property
    def are_taken(self) -> bool:
        """True if no place is free."""
        return not self._free

    def __reduce__(self) -> tuple[type[Slots], tuple[int]]:
        """Pickles the number of places; in another process all of them are free."""
        return Slots, (self._number,)

    async def __aenter__(self) -> None:
        while True:
            with self._looking:
                if self._free:
                    self._free -= 1
                    return
                freed = self._freed.next()
            try:
                await freed
            except asyncio.CancelledError:
                self._pass_on()
                raise

    async def __aexit__(self, *problem: object) -> None:
        with self._looking:
            self._free += 1
        self._pass_on()

    def _pass_on(self) -> None:
        """Wakes the next waiter if a place is free: the one woken before may be cancelled."""
        with self._looking:
            if self._free:
                self._freed.notify_one()


def _wake(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
