"""Removes what a process leaves behind when it is killed: its temporary folders and its kernels. A
second process knows them, and outlives the first one for a moment.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

ROUNDS = 50
"""Of removing a folder, a tenth of a second each: a kernel writes to it until it is gone."""

_lock = threading.Lock()
_keeper: subprocess.Popen[bytes] | None = None


def note(folder: Path, process: int = 0) -> None:
    """Has a folder removed when this process is gone, and the process that leads a group killed."""
    _say(folder, process)


def forget(folder: Path) -> None:
    """Takes back a note: the folder is removed here."""
    _say(folder, None)


def _say(folder: Path, process: int | None) -> None:
    global _keeper
    with _lock:
        if _keeper is None:
            command = [sys.executable, "-I", "-S", __file__]
            _keeper = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)
        assert _keeper.stdin
        _keeper.stdin.write(json.dumps([str(folder), process]).encode() + b"\n")
        _keeper.stdin.flush()


def _keep() -> None:
    """Reads notes until the process that writes them is gone, then acts on them."""
    if hasattr(os, "fork") and os.fork():  # a family that is killed does not take it along
        return
    left: dict[str, int] = {}
    for line in sys.stdin:
        folder, process = json.loads(line)
        left.pop(folder, None)
        if process is not None:
            left[folder] = process
    for process in filter(None, left.values()):
        with contextlib.suppress(OSError):
            os.killpg(process, signal.SIGKILL) if hasattr(os, "killpg") else os.kill(process, 9)
    for folder in left:
        for _ in range(ROUNDS):
            shutil.rmtree(folder, ignore_errors=True)
            if not os.path.lexists(folder):
                break
            time.sleep(0.1)


if __name__ == "__main__":
    _keep()
