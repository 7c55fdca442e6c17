"""Runs an answer against a deadline where there are no threads: in a browser's tab.

A tab has no clock of the processor's time, and on a busy machine or an old phone the clock on the
wall says nothing about an answer. So work is counted: each of the learner's instructions and each
call of a function. What the answer's event loop waits is counted in the seconds it asked for.
What is not stopped is a call into C that does not return.
"""

from __future__ import annotations

import asyncio
import linecache
import sys
import time
from asyncio import tasks
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from classroom.observing import file_of
from classroom.observing.timers import TimerLoop

LONGEST_WAIT_S = 0.05
"""The seconds that a loop waits at most before it looks at the time again."""
MOST_STEPS = 5_000_000
"""Instructions and calls of a whole check; our own answers need less than a fifth of them."""
PATIENCE_S = 60.0
"""After so long on the wall a fifth of `MOST_STEPS` is enough: a slow machine ends, too."""


class Clock:
    """The work and the waiting that are left for an answer; the way its event loop waits."""

    def __init__(self, limit_s: float, time_is_up: Callable[..., BaseException]) -> None:
        """time_is_up: raised with the learner's line and what was used up."""
        self.limit_s, self.time_is_up = limit_s, time_is_up
        self.most_steps = MOST_STEPS
        self.steps, self.waited_s = 0, 0.0
        self.place: tuple[str, int] | None = None
        """The file and the line of the learner's that ran last."""
        self._patient_until = time.monotonic() + PATIENCE_S

    def look(self) -> None:
        """Raises `time_is_up` when the answer has used up its steps."""
        if self.steps > self.most_steps or (
            self.steps > self.most_steps / 5 and time.monotonic() > self._patient_until
        ):
            raise self.time_is_up(self._where(), f"{self.steps:,} steps of Python")

    def _where(self) -> str:
        if self.place is None:
            return ""
        file, line = self.place
        return f"; it was at line {line}: {linecache.getline(file, line).strip()}"

    def select(self, timeout: float | None) -> list[Any]:
        """Waits for a timer, without sleep: in a tab, sleep waits for the page's loop forever."""
        self.steps += 1
        self.look()
        seconds = LONGEST_WAIT_S if timeout is None else max(min(LONGEST_WAIT_S, timeout), 0.0)
        self.waited_s += seconds
        if self.waited_s > self.limit_s:
            after = f"{self.limit_s:g} seconds of waiting"
            raise self.time_is_up(self._where(), after, worked=False)
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            pass
        return []

    def end_soon(self) -> None:
        """Leaves what closing an event loop needs."""
        self.steps, self.waited_s = 0, 0.0
        self.most_steps, self.limit_s = MOST_STEPS // 5, 1.0


class InTurn:
    """One piece of work in this thread; `answer` is the learner's part of it."""

    def __init__(
        self, answer: Any, work: Callable[[], None], close: Callable[[], None], clock: Clock
    ) -> None:
        self._work, self._close, self._clock = work, close, clock
        self._file = file_of(answer)

    def run(self) -> BaseException | None:
        """Runs the work; returns what it raised, the clock's own when time ran out, else None."""
        with _page_set_aside():
            before = sys.gettrace()
            sys.settrace(self._trace)
            try:
                self._work()
            except BaseException as problem:
                return problem
            finally:
                sys.settrace(before)
                self._end()
        return None

    def _trace(self, frame: FrameType, event: str, _: Any) -> Any:
        self._clock.steps += 1
        if frame.f_code.co_filename != self._file:  # a call of somebody else's function
            return None
        frame.f_trace_opcodes = True  # `while True: pass` has no further lines
        if frame.f_lineno is not None:  # an instruction may belong to no line
            self._clock.place = frame.f_code.co_filename, frame.f_lineno
        self._clock.look()
        return self._trace

    def _end(self) -> None:
        """Closes the answer's event loop; a task that does not end has had its verdict."""
        self._clock.end_soon()
        try:
            self._close()
        except BaseException:
            pass


def loop_of(clock: Clock) -> Callable[[], asyncio.AbstractEventLoop]:
    """Returns a function that makes the event loop of an answer that is held to a clock."""
    return lambda: TimerLoop(clock)


@contextmanager
def _page_set_aside() -> Iterator[None]:
    """Lets another event loop run in this thread, though the notebook's own is running."""
    loop = asyncio._get_running_loop()
    task = asyncio.current_task(loop) if loop else None
    if loop and task:
        tasks._leave_task(loop, task)
    asyncio._set_running_loop(None)
    try:
        yield
    finally:
        asyncio._set_running_loop(loop)
        if loop and task:
            tasks._enter_task(loop, task)
