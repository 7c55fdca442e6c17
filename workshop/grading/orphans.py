"""Ends a shard's process together with the process that wanted it, however that one ended."""

from __future__ import annotations

import contextlib
import os
import threading

import psutil

PARENT = "GRADING_PARENT"
"""The variable of the environment with the number of the process that wanted it."""


def end(process: psutil.Process) -> None:
    """Ends a process and all that it started, kernels too."""
    with contextlib.suppress(psutil.Error):
        for it in [*process.children(recursive=True), process]:
            with contextlib.suppress(psutil.Error):
                it.kill()


def end_with_parent() -> None:
    """From now on this process ends when the one in PARENT is gone. Without that variable nothing happens."""
    if PARENT in os.environ:
        threading.Thread(target=_watch, args=[int(os.environ[PARENT])], daemon=True).start()


def _watch(number: int) -> None:
    with contextlib.suppress(psutil.Error):
        psutil.Process(number).wait()
    end(psutil.Process())
