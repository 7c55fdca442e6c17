"""Runs an answer against a deadline, in a thread of its own, and ends it when the time is up."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import ctypes
import linecache
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

from classroom.observing import file_of

TIME_LIMIT_S = 5.0
"""For a whole check; a right answer takes a few hundredths of it."""
PATIENCE = 12
"""The multiple of the limit that an answer may take on a machine too busy to let it work."""
ENOUGH_WORK, NO_WORK = 0.5, 0.02
"""Shares in processor time: of the limit, for an answer that worked; of the last look's interval,
for one that waits."""
GRACE_S = 1.0
"""The seconds for which an answer that ran out of time is asked to end."""


class TimeIsUp(BaseException):
    """Raised inside the learner's thread; outside it says where the answer was, and after what."""

    def __init__(self, where: str = "", after: str = "", *, worked: bool = True) -> None:
        """worked: whether the answer used up its time by work, not by waiting for something."""
        super().__init__(where)
        self.after, self.worked = after or f"{TIME_LIMIT_S:g} seconds", worked


class Stopwatch:
    """The time that an answer has had since the start: seconds on the wall, and of the processor.

    Only a busy processor shows that an answer works: on a machine with other work to do, the wall's
    clock says nothing about it.
    """

    def __init__(self) -> None:
        self._wall, self._work = time.monotonic(), time.process_time()
        self._before = self._wall, self._work

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._wall

    @property
    def worked(self) -> bool:
        """True if the answer has worked more than any answer needs."""
        return time.process_time() - self._work >= ENOUGH_WORK * TIME_LIMIT_S

    def is_up(self) -> bool:
        """True if the answer has had its time: it worked enough, it waits, or patience ends."""
        wall, work = time.monotonic(), time.process_time()
        (wall_before, work_before), self._before = self._before, (wall, work)
        waits = work - work_before <= NO_WORK * (wall - wall_before)
        over = self.seconds >= TIME_LIMIT_S
        return over and (self.worked or waits or self.seconds >= PATIENCE * TIME_LIMIT_S)


class InThread:
    """One piece of work in a thread of its own; `answer` is the learner's part of it."""

    def __init__(
        self,
        answer: Any,
        work: Callable[[], None],
        close: Callable[[], None],
        loop: Callable[[], asyncio.AbstractEventLoop | None],
    ) -> None:
        """loop: the event loop in which the answer may be waiting."""
        self.answer, self.loop = answer, loop
        self._work, self._close = work, close
        self._ended: list[BaseException | None] = []
        self._finished = threading.Event()

    def run(self) -> BaseException | None:
        """Runs the work; what it raised, TimeIsUp when it did not end in time, else None."""
        target = contextvars.copy_context().run
        thread = threading.Thread(target=target, args=(self._whole,), daemon=True)
        thread.start()
        try:
            watch = Stopwatch()
            while not self._finished.wait(TIME_LIMIT_S / 5):
                if watch.is_up():
                    break
            else:
                return self._ended[0]
            after, worked = f"{watch.seconds:.2g} seconds", watch.worked
            where, ended = self._where(thread), list(self._ended)
            stopped = self._end(thread)
            if ended:  # only what the answer left behind in its event loop does not end
                return ended[0]
            going_on = "; it cannot be stopped from here, only by a restart of the kernel"
            return TimeIsUp(where if stopped else where + going_on, after, worked=worked)
        except BaseException:  # the learner pressed Stop
            self._end(thread)
            raise

    def _whole(self) -> None:
        try:
            self._work()
            self._ended.append(None)
        except BaseException as problem:
            self._ended.append(problem)
        try:
            self._close()
        except BaseException:  # a task of the learner's that does not end has had its verdict
            pass
        self._finished.set()

    def _end(self, thread: threading.Thread) -> bool:
        """Ends the thread, again and again if it catches what ends it; returns whether it ended.

        Python code ends at its next instruction; a call into C that blocks cannot be reached.
        """
        give_up = time.monotonic() + GRACE_S
        raise_in_thread = ctypes.pythonapi.PyThreadState_SetAsyncExc
        while thread.is_alive() and time.monotonic() < give_up:
            raise_in_thread(ctypes.c_ulong(_id(thread)), ctypes.py_object(TimeIsUp))
            with contextlib.suppress(RuntimeError):  # the thread has closed its loop just now
                loop = self.loop()
                if loop is not None:
                    loop.call_soon_threadsafe(lambda: None)  # wakes a loop that waits
            thread.join(0.02)
        return not thread.is_alive()

    def _where(self, thread: threading.Thread) -> str:
        """The learner's line that the thread is at, or that its event loop waits at."""
        file = file_of(self.answer)
        frames = [*self._waiting(), *_outwards(sys._current_frames().get(_id(thread)))[::-1]]
        own = [frame for frame in frames if frame.f_code.co_filename == file]
        if not own:
            return ""
        number = own[-1].f_lineno
        return f"; it was at line {number}: {linecache.getline(file, number).strip()}"

    def _waiting(self) -> list[FrameType]:
        """The frames of the tasks that wait in the event loop."""
        with contextlib.suppress(RuntimeError):  # the thread goes on while it is looked at
            loop = self.loop()
            tasks = asyncio.all_tasks(loop) if loop is not None else ()
            return [frame for task in tasks for frame in _inwards(task.get_coro())]
        return []


def _id(thread: threading.Thread) -> int:
    """The number of a thread that was started."""
    assert thread.ident is not None
    return thread.ident


def _outwards(frame: FrameType | None) -> list[FrameType]:
    """A frame of a thread, and those that called it."""
    found = []
    while frame is not None:
        found.append(frame)
        frame = frame.f_back
    return found


def _inwards(coroutine: Any) -> list[FrameType]:
    """The frames of a coroutine that waits, and of those that it awaits."""
    found = []
    while coroutine is not None:
        found.append(getattr(coroutine, "cr_frame", None))
        coroutine = getattr(coroutine, "cr_await", None)
    return [frame for frame in found if frame is not None]
