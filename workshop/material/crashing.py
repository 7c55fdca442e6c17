"""Lesson 16: the editorial desk with a journal in a process of its own, which may be killed in the
middle.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from kernel import Client, DeterministicSupervisor, Handoff, Run, specialists, tool
from kernel.events import Event, Replied
from kernel.journal import Journal, current_step
from offline_model import OfflineTransport

TASK = "Write a brief on pgvector"
KILL = getattr(signal, "SIGKILL", signal.SIGTERM)
"""Windows has no SIGKILL; there SIGTERM ends a process as abruptly."""


def ended_by_kill(returncode: int, system: str = os.name) -> bool:
    """Whether KILL ended a process: POSIX reports the signal below zero, Windows as the code that
    `TerminateProcess` was given, which is the signal's number.
    """
    return returncode == (int(KILL) if system == "nt" else -KILL)


class Service(OfflineTransport):
    """The offline model, which counts what it is sent, as the service's own bill would."""

    sent = 0

    def respond(self, request: Any, body: bytes) -> Any:
        self.sent += 1
        return super().respond(request, body)


def in_new_process(folder: Path, kill_at: int | None = None) -> dict[str, Any]:
    """Runs the desk in a new process, with the journal in `folder`; kills it at its n-th event.

    Returns {"killed": True}, or the status, text, calls and dollars of the run and what was sent.
    Raises RuntimeError, with what it wrote, when the process ended in any other way.
    """
    command = [sys.executable, "-m", __name__, str(folder), str(-1 if kill_at is None else kill_at)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended_by_kill(done.returncode):
        return {"killed": True}
    if done.returncode != 0:
        raise RuntimeError(f"the desk's process ended with {done.returncode}:\n{done.stderr}")
    return json.loads(done.stdout)


async def desk(folder: Path, kill_at: int) -> dict[str, Any]:
    """The desk on a journal; what came of it and what was sent."""
    events = 0

    def reader(event: Any) -> None:
        nonlocal events
        if events == kill_at:
            os.kill(os.getpid(), KILL)
        events += 1

    service = Service()
    with Journal(folder / "journal.db") as journal:
        run = Run(journal.around(Client(service)), on_event=reader)
        result = await run.dispatch(DeterministicSupervisor(*specialists()), Handoff(intent=TASK))
    return {
        "status": result.status,
        "text": result.as_text(),
        "calls": run.spent.calls,
        "usd": str(run.spent.usd),
        "sent": service.sent,
        "events": events,
    }


class Replies:
    """Whose replies a journal held and whose were asked for: `Run(client, on_event=replies)`.

    For runs that make one call at a time.
    """

    def __init__(self, journal: Journal) -> None:
        self.kept: list[str] = []
        self.asked: list[str] = []
        self._journal = journal
        self._finished, _ = journal.steps()

    def __call__(self, event: Event) -> None:
        if not isinstance(event, Replied):
            return
        finished, _ = self._journal.steps()
        (self.asked if finished > self._finished else self.kept).append(event.agent)
        self._finished = finished


class Outbox:
    """Somebody else's mail server: it keeps what it was sent, and knows a key that it has seen."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.keys: set[str] = set()

    def send(self, text: str, key: str) -> None:
        if key not in self.keys:
            self.keys.add(key)
            self.sent.append(text)

    def tool(self, *, fails_after_sending: bool = False) -> Any:
        """A tool that sends; it may die between sending and saying so."""
        outbox = self

        @tool
        def send_note(text: str) -> str:
            """Send a note to the team."""
            outbox.send(text, current_step.get())
            if fails_after_sending:
                raise KeyboardInterrupt("the process died here")
            return "sent"

        return send_note


if __name__ == "__main__":
    found = asyncio.run(desk(Path(sys.argv[1]), int(sys.argv[2])))
    print(json.dumps(found))
