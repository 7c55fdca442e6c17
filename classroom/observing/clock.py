"""An event loop in which waiting takes no time, so that a time limit is the same on every
machine.
"""

from __future__ import annotations

import selectors

from classroom.observing.timers import EventLoop

MOST_S = 120.0
"""An answer that waits longer than this, by the loop's own clock, is ended."""


class _Ahead(selectors.DefaultSelector):
    """Instead of waiting for the next timer, puts the clock on to it."""

    def __init__(self, most_s: float) -> None:
        super().__init__()
        self.most_s = most_s
        self.seconds = 0.0

    def select(self, timeout: float | None = None) -> list:
        ready = super().select(timeout if timeout is None else 0)
        if timeout and not ready:
            self.seconds += timeout
            if self.seconds > self.most_s:
                raise TimeoutError(
                    f"the answer waited for more than {self.most_s:g} seconds; "
                    "expected an end at the time limit given"
                )
        return ready


class WithoutWaiting(EventLoop):
    """An event loop whose time only its waits move on: a step that does not wait takes none,
    however busy the machine is.
    """

    def __init__(self, most_s: float = MOST_S) -> None:
        self.ahead = _Ahead(most_s)
        super().__init__(self.ahead)

    def time(self) -> float:
        return self.ahead.seconds
