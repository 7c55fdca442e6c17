"""Stops a shard and its kernels, on request or when the process that started it has ended."""

from __future__ import annotations

import _thread
import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import psutil

PARENT = "GRADING_PARENT"
"""The variable of the environment with the number of the process that started it."""
GRACE_S = 20.0
"""To end its kernels and to remove their folders."""


SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]
"""By which a process is asked to end: by Ctrl-C, by another process, or as its terminal closes."""


@contextlib.contextmanager
def ended_in_order() -> Iterator[None]:
    """Turns a request to end this process into KeyboardInterrupt within the block, so that it
    clears up as for Ctrl-C."""
    if threading.current_thread() is not threading.main_thread():  # which no signal reaches
        yield
        return
    before = {}
    for sign in SIGNALS:
        if signal.getsignal(sign) is not signal.SIG_IGN:  # `nohup` says so
            before[sign] = signal.signal(sign, signal.default_int_handler)
    try:
        yield
    finally:
        for sign, handler in before.items():
            signal.signal(sign, handler or signal.SIG_DFL)


def end(processes: list[subprocess.Popen[bytes]]) -> None:
    """Ends shards: they are asked to, and those that do not are killed with all that they
    started.
    """
    if sys.platform != "win32":  # there it would be killed at once, and its kernels would stay
        for process in processes:
            process.terminate()
        deadline = time.monotonic() + GRACE_S
        for process in processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, deadline - time.monotonic()))
    for one_process in [process for process in processes if process.poll() is None]:
        kill(one_process.pid)
        one_process.wait()


def end_with_parent() -> None:
    """From now on this process ends in order when it is asked to, or the one in PARENT is gone.
    Without that: nothing.

    To be called in the main thread.
    """
    if PARENT in os.environ:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        threading.Thread(target=_watch, args=[int(os.environ[PARENT])], daemon=True).start()


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Lets the block come to its end before this process obeys Ctrl-C, or a request to end: raises
    KeyboardInterrupt then.
    """
    if threading.current_thread() is not threading.main_thread():  # which no signal reaches
        yield
        return
    asked: list[int] = []
    before = {
        sign: signal.signal(sign, lambda number, frame: asked.append(number))
        for sign in SIGNALS
        if signal.getsignal(sign) is not signal.SIG_IGN
    }
    try:
        yield
    finally:
        for sign, handler in before.items():
            signal.signal(sign, handler or signal.SIG_DFL)
    if asked:
        raise KeyboardInterrupt


def kill(number: int) -> None:
    """Kills a process and all that it started; they are halted first, or one could start another
    that is in no list.
    """
    family: dict[int, psutil.Process] = {}
    with contextlib.suppress(psutil.Error):
        first = psutil.Process(number)
        while new := [
            child for child in [first, *first.children(recursive=True)] if child.pid not in family
        ]:
            for process in new:
                family[process.pid] = process
                with contextlib.suppress(psutil.Error):
                    if process.pid != os.getpid():
                        process.suspend()
    for process in reversed(family.values()):
        with contextlib.suppress(psutil.Error):
            process.kill()


def _watch(number: int) -> None:
    with contextlib.suppress(psutil.Error):
        psutil.Process(number).wait()
    _thread.interrupt_main(signal.SIGTERM)
    time.sleep(GRACE_S)
    kill(os.getpid())
