"""The grader's end of the fork server: kernels that start from a process with everything loaded."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil

from classroom.course import active

from .. import sandbox
from .watch import MOST_FILES

READY_S = 60.0
END_S = 5.0


class ForkServer:
    """One outer sandbox with one process that forks. `share` is the folder that kernels' folders
    are made in.
    """

    def __init__(self, course: Path) -> None:
        """Raises OSError with the reason when this machine cannot do it; the plain way
        always can.
        """
        if sandbox.missing():
            raise OSError(f"kernels can be forked only inside a sandbox, and {sandbox.missing()}")
        self.share = Path(tempfile.mkdtemp(prefix="f", dir="/tmp"))
        nothing = self.share / "none"
        nothing.mkdir()
        command = [
            sys.executable,
            "-P",
            str(course / "classroom" / "grading" / "sandbox" / "inside" / "forkserver.py"),
            *active().preloaded,
        ]
        command, environ, folder = sandbox.boxed(command, course, self.share, nothing, forks=True)
        self.process = subprocess.Popen(
            command,
            env=environ,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self._line = b""
        if "ready" not in self.read(READY_S):
            message = self.stop()
            raise OSError(f"the process that forks kernels did not start: {message}")
        self._own = {
            child.pid for child in psutil.Process(self.process.pid).children(recursive=True)
        }

    def send(self, **order: Any) -> None:
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            self.process.stdin.write(json.dumps(order).encode() + b"\n")
            self.process.stdin.flush()

    def read(self, timeout_s: float) -> dict[str, Any]:
        """The server's next message; empty when none comes in this time."""
        assert self.process.stdout is not None
        deadline = time.monotonic() + timeout_s
        while b"\n" not in self._line:
            left = max(0.0, deadline - time.monotonic())
            if not select.select([self.process.stdout], [], [], left)[0]:
                return {}
            piece = os.read(self.process.stdout.fileno(), 65536)
            if not piece:
                return {}
            self._line += piece
        first, _, self._line = self._line.partition(b"\n")
        return json.loads(first)

    def family(self) -> list[psutil.Process]:
        """The processes of the kernel that is running."""
        with contextlib.suppress(psutil.Error):
            return [
                child
                for child in psutil.Process(self.process.pid).children(recursive=True)
                if child.pid not in self._own
            ]
        return []

    def stop(self) -> str:
        """Ends it with all kernels; returns what it wrote to its error stream."""
        with contextlib.suppress(OSError):
            self.process.kill()
        message = self.process.communicate()[1].decode("utf-8", "replace").strip()
        shutil.rmtree(self.share, ignore_errors=True)
        return message[-300:]


class Forked:
    """A forked kernel, with the part of `Popen` that a kernel's owner needs."""

    def __init__(self, server: ForkServer, file: str, folder: Path, limits: dict[str, int]) -> None:
        self.server = server
        self.returncode: int | None = None
        server.send(
            start=file,
            folder=str(folder),
            limits=limits,
            scratch=f"size={sandbox.SCRATCH_BYTES},nr_inodes={2 * MOST_FILES}",
        )

    def poll(self) -> int | None:
        if self.returncode is None:
            if "ended" in (answer := self.server.read(0)):
                self.returncode = answer["ended"]
            elif self.server.process.poll() is not None:
                self.returncode = -9
        return self.returncode

    def kill(self) -> None:
        if self.poll() is None:
            self.server.send(kill=True)

    def wait(self) -> None:
        deadline = time.monotonic() + END_S
        while self.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        if self.poll() is None:
            self.server.stop()
