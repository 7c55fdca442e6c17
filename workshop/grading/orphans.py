"""Ends a shard's process and its kernels: because nobody wants it any more, or with the process that did, however that ended."""

from __future__ import annotations

import _thread
import contextlib
import os
import signal
import subprocess
import sys
import threading
import time

import psutil

PARENT = "GRADING_PARENT"
"""The variable of the environment with the number of the process that wanted it."""
GRACE_S = 20.0
"""To end its kernels and to remove their folders."""


def end(processes: list[subprocess.Popen[bytes]]) -> None:
    """Ends shards: they are asked to, and those that do not are killed with all that they started."""
    if sys.platform != "win32":  # there it would be killed at once, and its kernels would stay
        for it in processes:
            it.terminate()
        deadline = time.monotonic() + GRACE_S
        for it in processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                it.wait(max(0.0, deadline - time.monotonic()))
    for it in [it for it in processes if it.poll() is None]:
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(it.pid)
            process.suspend()  # or it could start a kernel that is in no list
            _kill(process)
        it.wait()


def end_with_parent() -> None:
    """From now on this process ends in order when it is asked to, or the one in PARENT is gone. Without that: nothing.

    To be called in the main thread.
    """
    if PARENT in os.environ:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        threading.Thread(target=_watch, args=[int(os.environ[PARENT])], daemon=True).start()


def _watch(number: int) -> None:
    with contextlib.suppress(psutil.Error):
        psutil.Process(number).wait()
    _thread.interrupt_main(signal.SIGTERM)
    time.sleep(GRACE_S)
    _kill(psutil.Process())


def _kill(process: psutil.Process) -> None:
    for it in [*process.children(recursive=True), process]:
        with contextlib.suppress(psutil.Error):
            it.kill()
