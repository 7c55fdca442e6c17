"""The offline API outside of the sandbox, in a process of its own: its log is nothing that a
submission can write.

The submission's kernel reaches it by a socket in the one folder that both sides see.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import subprocess
import sys
import threading
from pathlib import Path
from socketserver import TCPServer, ThreadingMixIn
from typing import Any

from offline_model.api.server import _Connection
from workshop.course.observing import line_of, sight_of
from workshop.course.service import MARK, Exchange, Log, Reader, WatchedAPI

AT_ONCE = 32
"""Connections; a submission that opens more waits."""
PATIENCE_S = 10.0
CPU_S, MEMORY_BYTES = 120, 2**31
"""A request may make the service work hard; it must not take the grader along."""
POSSIBLE = hasattr(socket, "AF_UNIX") and os.name == "posix"


class OutsideService:
    """Starts the service for one kernel; `take` returns what it was asked since the last time."""

    def __init__(self, sockets: Path) -> None:
        self.socket = str(sockets / "c-api")  # a name that the watch takes for a connection
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__, self.socket],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=Path(__file__).resolve().parents[2],
        )
        self._ready = self._line() == b"ready\n"

    def take(self) -> Log:
        """The log since the last time; empty when the service has ended, which only a submission's
        requests can bring about.
        """
        try:
            assert self._process.stdin
            self._process.stdin.write(b"take\n")
            self._process.stdin.flush()
            return [Exchange(*parts) for parts in json.loads(self._line() or b"[]")]
        except (OSError, ValueError):
            return []

    def _line(self) -> bytes:
        out = self._process.stdout
        assert out
        ready, _, _ = select.select([out], [], [], PATIENCE_S)
        return out.readline() if ready else b""

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                pipe and pipe.close()


def completed(line: str, reader: Reader, log: Log, case: Any) -> str:
    """The line of an observation with what the service saw, where it waits for that."""
    try:
        sight = sight_of(line)
        if sight.seen.pop(MARK, None) is True:
            sight.seen = reader(log, case, sight.seen)
            label = json.loads(line)["case"]
            return line_of(sight, label)
    except Exception:  # seen was made up: what is missing in it is not right
        return line
    return line


class _Handler(_Connection):
    disable_nagle_algorithm = False
    timeout = PATIENCE_S


class _Server(ThreadingMixIn, TCPServer):
    address_family = getattr(socket, "AF_UNIX", socket.AF_INET)
    daemon_threads = True

    def __init__(self, path: str, api: WatchedAPI) -> None:
        self.api = api
        self._places = threading.BoundedSemaphore(AT_ONCE)
        super().__init__(path, _Handler)  # type: ignore[arg-type]

    def process_request(self, request: Any, client_address: Any) -> None:
        self._places.acquire()
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """What a submission breaks is its own."""


def main(path: str) -> None:
    """Serves until standard input ends; each line of it is answered with the log so far."""
    _limit()
    log: Log = []
    api = WatchedAPI(log.append)
    server = _Server(path, api)
    os.chmod(path, 0o666)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for _ in sys.stdin:
        taken, log[:] = [*log], []
        api.asked = 0
        sys.stdout.write(json.dumps(taken) + "\n")
        sys.stdout.flush()


def _limit() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


if __name__ == "__main__":
    main(sys.argv[1])
