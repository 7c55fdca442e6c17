"""The offline API outside of the sandbox, in a process of its own: its log is nothing that a
submission can write.

The submission's kernel reaches it by a socket in the one folder that both sides see. Whoever sends
more than a case can need is refused, and the case says so.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import select
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from socketserver import TCPServer, ThreadingMixIn
from typing import Any, NamedTuple

import psutil

from offline_model.api.server import _Connection
from offline_model.api.service import Response
from workshop.course.observing import line_of, sight_of
from workshop.course.service import (
    LARGEST_BODY,
    MARK,
    Exchange,
    Log,
    Reader,
    WatchedAPI,
    too_large,
)

from .sandbox.watch import Waiting

AT_ONCE = 32
"""Connections; a submission that opens more waits a little, and is then refused."""
PLACE_S, REQUEST_S, LOOK_S = 2.0, 8.0, 0.25
"""Seconds: that a connection waits for a place, until a request has come whole, between two looks
at those that are late.
"""
START_S, ANSWER_S = 60.0, 20.0
"""Seconds: until the service is up, and until it has told its log; on a machine with much to do."""
BUSY = 0.5
"""Of `ANSWER_S`: who waited so long for a processor says nothing about a submission."""
CPU_S, MEMORY_BYTES, FILES = 120, 2**31, 128
"""A request may make the service work hard; it must not take the grader along."""
LONGEST_LINE = 10_000_000
"""Bytes of one exchange that the grader reads: more than its request and reply can have."""
POSSIBLE = hasattr(socket, "AF_UNIX") and os.name == "posix"


class ServiceFailed(RuntimeError):
    """The service did not start: a problem of this machine, not of the submission."""


class Taken(NamedTuple):
    """What the service saw since the last time."""

    log: Log
    refused: str = ""
    """Why it served no more; empty while all was within bounds."""


class OutsideService:
    """Starts the service for one kernel. Raises ServiceFailed when it does not come up."""

    def __init__(self, sockets: Path) -> None:
        # a name that the watch takes for a connection, and that nobody can occupy before
        self.socket = str(sockets / f"c-api-{secrets.token_hex(4)}")
        self._asked = 0
        self._unread = bytearray()
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__, self.socket],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=Path(__file__).resolve().parents[2],
        )
        if self._line(time.monotonic() + START_S) != b"ready":
            self.stop()
            raise ServiceFailed(
                f"the offline API of a graded kernel did not start in {START_S:g} s"
            )

    def processes(self) -> list[psutil.Process]:
        """Its process, while it is there."""
        with contextlib.suppress(psutil.Error):
            return [psutil.Process(self._process.pid)]
        return []

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def take(self) -> Taken:
        """What was asked since the last time. A service that does not answer is ended: it has come
        to its own limits, which only a submission's requests can bring about.

        Raises ServiceFailed where it only waited for a processor that others had.
        """
        self._asked += 1
        deadline = time.monotonic() + ANSWER_S
        waiting = Waiting()
        waiting.since_the_last_time(self.processes())
        try:
            assert self._process.stdin
            self._process.stdin.write(b"%d\n" % self._asked)
            self._process.stdin.flush()
            number, size, refused = json.loads(self._line(deadline))
            if number != self._asked:
                raise ValueError("an answer to an earlier question")
            log = [Exchange(*json.loads(self._line(deadline))) for _ in range(size)]
            return Taken(log, refused)
        except (OSError, ValueError, TypeError):
            lost = waiting.since_the_last_time(self.processes())
            self.stop()
            if lost > BUSY * ANSWER_S:
                raise ServiceFailed(
                    f"the machine was too busy: the offline API waited {lost:.0f} of "
                    f"{ANSWER_S:g} seconds for a processor"
                ) from None
            return Taken([], "its requests used up what the service may use")

    def _line(self, deadline: float) -> bytes:
        """The next line, without its end; empty when there is none in time."""
        assert self._process.stdout
        out = self._process.stdout.fileno()
        looked = 0
        while (end := self._unread.find(b"\n", looked)) < 0:
            looked = len(self._unread)
            left = deadline - time.monotonic()
            if left <= 0 or looked > LONGEST_LINE or not select.select([out], [], [], left)[0]:
                return b""
            piece = os.read(out, 2**20)
            if not piece:
                return b""
            self._unread += piece
        line = bytes(self._unread[:end])
        del self._unread[: end + 1]
        return line

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe
            with contextlib.suppress(OSError):
                pipe.close()


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


# ── in the service's own process ──────────────────────────────────────────────────────────────────


class _Handler(_Connection):
    disable_nagle_algorithm = False
    timeout = REQUEST_S
    server: _Server  # type: ignore[assignment]

    def setup(self) -> None:
        super().setup()
        self.server.await_request(self.connection)

    def finish(self) -> None:
        self.server.stop_waiting(self.connection)
        super().finish()

    def parse_request(self) -> bool:
        self.server.await_request(self.connection, begun=True)
        return super().parse_request()

    def _body(self) -> bytes | None:
        length = self.headers.get("content-length", "0")
        if length.isdecimal() and int(length[:15]) > LARGEST_BODY:  # refused before it is read
            self.close_connection = True
            self._send(self.server.api.refuse(too_large(int(length[:15]))))
            return None
        body = super()._body()
        self.server.stop_waiting(self.connection)
        return body

    def _send(self, response: Response) -> None:
        super()._send(response)
        self.server.await_request(self.connection)


class _Server(ThreadingMixIn, TCPServer):
    address_family = getattr(socket, "AF_UNIX", socket.AF_INET)
    daemon_threads = True
    request_queue_size = 4 * AT_ONCE

    def __init__(self, path: str, api: WatchedAPI) -> None:
        self.api = api
        self._places = threading.BoundedSemaphore(AT_ONCE)
        self._lost = 0.0
        """Seconds that this process waited while others had the processors: nobody's fault here."""
        self._due: dict[socket.socket, tuple[float, bool]] = {}
        """By connection on which the next request is awaited: until when, lost seconds not counted,
        and whether it began.
        """
        before = os.umask(0)  # not by a chmod afterwards, which would follow a link
        super().__init__(path, _Handler)  # type: ignore[arg-type]
        os.umask(before)

    def process_request(self, request: Any, client_address: Any) -> None:
        if self._places.acquire(timeout=PLACE_S):
            super().process_request(request, client_address)
        else:
            self.api.refuse(f"it held more than {AT_ONCE} connections open at once")
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def await_request(self, connection: socket.socket, *, begun: bool = False) -> None:
        """A request has to come whole on this connection in time, however slowly it is sent."""
        self._due[connection] = (time.monotonic() - self._lost + REQUEST_S, begun)

    def stop_waiting(self, connection: socket.socket) -> None:
        """Nothing is awaited on it."""
        self._due.pop(connection, None)

    def end_what_is_late(self) -> None:
        """Runs forever: closes connections on which no request came in time."""
        waiting = Waiting()
        while True:
            time.sleep(LOOK_S)
            self._lost += waiting.since_the_last_time([psutil.Process()])
            for connection, (due, begun) in list(self._due.items()):
                if time.monotonic() - self._lost > due:
                    if begun:
                        self.api.refuse(
                            f"it began a request and had not sent it whole after {REQUEST_S:g} s"
                        )
                    self.stop_waiting(connection)
                    with contextlib.suppress(OSError):
                        connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """What a submission breaks is its own."""


def main(path: str) -> None:
    """Serves until standard input ends. Each line of it, a number, is answered with a line of the
    number, how many exchanges were logged and why more were refused; then a line an exchange.
    """
    _limit()
    log: Log = []
    api = WatchedAPI(log.append)
    server = _Server(path, api)
    for work in (lambda: server.serve_forever(0.05), server.end_what_is_late):
        threading.Thread(target=work, daemon=True).start()
    _say("ready")
    for line in sys.stdin:
        taken = log.copy()
        del log[: len(taken)]
        refused = api.refused
        api.begin()
        _say(json.dumps([int(line), len(taken), refused]))
        for exchange in taken:
            _say(json.dumps(exchange))


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _limit() -> None:
    import resource

    limits = {
        resource.RLIMIT_CPU: CPU_S,
        resource.RLIMIT_AS: MEMORY_BYTES,
        resource.RLIMIT_NOFILE: FILES,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
    }
    for kind, bound in limits.items():
        resource.setrlimit(kind, (bound, bound))


if __name__ == "__main__":
    main(sys.argv[1])
