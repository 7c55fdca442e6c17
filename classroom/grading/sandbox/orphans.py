"""Stops what grades and its kernels, on request or when the process that started it has ended."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from multiprocessing.process import BaseProcess

import psutil

HALT_S = 2.0
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


def end(processes: list[BaseProcess]) -> None:
    """Ends processes of a pool: they are asked to, and those that do not are killed with all that
    they started.
    """
    if sys.platform != "win32":  # there it would be killed at once, and its kernels would stay
        for process in processes:
            process.terminate()
        deadline = time.monotonic() + GRACE_S
        for process in processes:
            process.join(max(0.0, deadline - time.monotonic()))
    for process in processes:
        if process.is_alive() and process.pid:
            kill(process.pid)
        process.join()


def end_with(parent: int) -> None:
    """From now on this process ends in order when the process `parent` is gone."""
    threading.Thread(target=_watch, args=[parent], daemon=True).start()


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
    """Kills a process and all that it started; they are halted first, for at most HALT_S seconds,
    or one could start another that is in no list.
    """
    family: dict[int, psutil.Process] = {}
    deadline = time.monotonic() + HALT_S
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
            if time.monotonic() > deadline:
                break
    for process in reversed(family.values()):
        with contextlib.suppress(psutil.Error):
            process.kill()


def _watch(number: int) -> None:
    with contextlib.suppress(psutil.Error):
        psutil.Process(number).wait()
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE_S)
    kill(os.getpid())
