"""Runs an answer against a deadline, in a thread of its own, and ends it when the time is up."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import ctypes
import inspect
import linecache
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

TIME_LIMIT_S = 5.0
"""For a whole check; a right answer takes a few hundredths of it."""
GRACE_S = 1.0
"""How long an answer that ran out of time is asked to end."""


class TimeIsUp(BaseException):
    """Raised inside the learner's thread; outside it says where the answer was, and after what."""

    def __init__(self, where: str = "", after: str = "") -> None:
        super().__init__(where)
        self.after = after or f"{TIME_LIMIT_S:g} seconds"


class Deadline:
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
            if self._finished.wait(TIME_LIMIT_S):
                return self._ended[0]
            where, ended = self._where(thread), list(self._ended)
            stopped = self._end(thread)
            if ended:  # only what the answer left behind in its event loop does not end
                return ended[0]
            going_on = "; it cannot be stopped from here, only by a restart of the kernel"
            return TimeIsUp(where if stopped else where + going_on)
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
            raise_in_thread(ctypes.c_ulong(thread.ident), ctypes.py_object(TimeIsUp))
            with contextlib.suppress(RuntimeError):  # the thread has closed its loop just now
                loop = self.loop()
                if loop is not None:
                    loop.call_soon_threadsafe(lambda: None)  # wakes a loop that waits
            thread.join(0.02)
        return not thread.is_alive()

    def _where(self, thread: threading.Thread) -> str:
        """The learner's line that the thread is at."""
        code = getattr(
            inspect.unwrap(self.answer) if callable(self.answer) else None, "__code__", None
        )
        frame = sys._current_frames().get(thread.ident)
        while code and frame is not None:
            if frame.f_code.co_filename == code.co_filename:
                line = linecache.getline(code.co_filename, frame.f_lineno).strip()
                return f"; it was at line {frame.f_lineno}: {line}"
            frame = frame.f_back
        return ""
