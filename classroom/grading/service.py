"""The course's service outside of the sandbox, in a process of its own: its log is nothing that a
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
import time
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from classroom.course import Service, active
from classroom.observing import MARK, Reader, line_of, sight_of

from .sandbox.watch import Waiting

START_S, ANSWER_S = 60.0, 20.0
"""Seconds: until the service is up, and until it has told its log; on a machine with much to do."""
BUSY = 0.5
"""A share of `ANSWER_S`: a service that waited longer for a processor says nothing about a
submission."""
LONGEST_LINE = 10_000_000
"""Bytes of one exchange that the grader reads: more than its request and reply can have."""
POSSIBLE = hasattr(socket, "AF_UNIX") and os.name == "posix"


class ServiceFailed(RuntimeError):
    """The service did not start: a problem of this machine, not of the submission."""


class Taken(NamedTuple):
    """The requests that the service saw since the last time."""

    log: list[Any]
    refused: str = ""
    """The reason why it served no more; empty while all was within bounds."""


class OutsideService:
    """Starts the service for one kernel. Raises ServiceFailed when it does not come up.

    The process serves at the socket until its standard input ends, and says "ready" first. A line
    of its input, a number, is answered with a line of JSON: the number, how many exchanges it has
    logged since, and why it served no more; then a line an exchange.
    """

    def __init__(self, service: Service, sockets: Path) -> None:
        self._service = service
        # a name that the watch takes for a connection, and that nobody can occupy before
        self.socket = str(sockets / f"c-api-{secrets.token_hex(4)}")
        self._asked = 0
        self._unread = bytearray()
        self._process = subprocess.Popen(
            [sys.executable, "-m", service.module, self.socket],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=active().root,
        )
        if self._line(time.monotonic() + START_S) != b"ready":
            self.stop()
            raise ServiceFailed(f"the service of a graded kernel did not start in {START_S:g} s")

    def processes(self) -> list[psutil.Process]:
        """Its process, while it is there."""
        with contextlib.suppress(psutil.Error):
            return [psutil.Process(self._process.pid)]
        return []

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def take(self) -> Taken:
        """Takes the requests since the last time. A service that does not answer is ended: it has
        come to its own limits, which only a submission's requests can bring about.

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
            log = [self._service.exchange(*json.loads(self._line(deadline))) for _ in range(size)]
            return Taken(log, refused)
        except (OSError, ValueError, TypeError):
            lost = waiting.since_the_last_time(self.processes())
            self.stop()
            if lost > BUSY * ANSWER_S:
                raise ServiceFailed(
                    f"the machine was too busy: the service waited {lost:.0f} of "
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


def completed(line: str, reader: Reader, log: list[Any], case: Any) -> str:
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
