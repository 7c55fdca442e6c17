"""The offline API as a process of its own beside a graded notebook, within bounds.

`python -m workshop.course.watched_server SOCKET` speaks as `classroom.grading.service` expects.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
import threading
import time
from socketserver import TCPServer, ThreadingMixIn
from typing import Any

import psutil

from classroom.grading.sandbox.watch import Waiting
from offline_model.api.server import _Connection
from offline_model.api.service import Response
from workshop.course.service import LARGEST_BODY, Log, WatchedAPI, too_large

AT_ONCE = 32
"""Connections; a submission that opens more waits a little, and is then refused."""
PLACE_S, REQUEST_S, LOOK_S = 2.0, 8.0, 0.25
"""Seconds: that a connection waits for a place, until a request has come whole, between two looks
at those that are late.
"""
CPU_S, MEMORY_BYTES, FILES = 120, 2**31, 128
"""A request may make the service work hard; it must not take the grader along."""


class _Handler(_Connection):
    disable_nagle_algorithm = False
    timeout = REQUEST_S
    server: _Server  # type: ignore[assignment]  # of Unix sockets

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
        super().__init__(path, _Handler)  # type: ignore[arg-type]  # Unix: a path
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
        """Ignores an error: it concerns the submission's own request."""


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
