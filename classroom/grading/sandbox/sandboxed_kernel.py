"""The kernel that a submission runs in: started in the sandbox, watched from outside, ended with
all that it started.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import psutil
import zmq
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.connect import write_connection_file
from nbformat import NotebookNode
from nbval.kernel import RunningKernel

from .. import sandbox
from . import leftovers, orphans
from .spent import WIDE, TimeSpent, in_words
from .watch import WATCH_S, Watch, family_of

Ended = Literal["ok", "error", "timeout", "killed"]
START_S = 60.0
OUTPUTS, OUTPUT_BYTES, MESSAGE_BYTES = 2_000, 4 * 2**20, 4 * 2**20
"""Of one cell, counted while they arrive; a message that is larger is refused by its socket."""
LIMITS = {
    "memory_bytes": 4 * 2**30,
    "file_bytes": 64 * 2**20,
    "cpu_s": 180,
    "processes": 400,
    "open_files": 200,
}
"""The limits that the system itself enforces on each process; `memory_bytes` is address space,
which is more than the memory in use, and `processes` hold where the sandbox counts its own.
"""
REFUSALS = ("can't start new thread", "Resource temporarily unavailable", "cannot fork")
"""The words of a system that gives no thread and no process more."""
END_S = 2.0
"""The seconds in which a sandbox ends by itself once its first process is gone."""
LOST_S = 2.0
"""The seconds to wait for the end of a cell's output after its reply."""


@dataclass
class Outcome:
    """The outcome of running one cell. `outputs` are nbformat outputs, as far as they arrived."""

    ended: Ended
    reason: str = ""
    outputs: list[NotebookNode] = field(default_factory=list)
    spent: TimeSpent = field(default_factory=TimeSpent)
    disturbed: bool = False
    """True if it ran out of time because others had the processors: it says nothing then."""

    def stdout(self) -> str:
        return "".join(
            output.text
            for output in self.outputs
            if output.output_type == "stream" and output.name == "stdout"
        )

    def tells_of_a_refusal(self) -> bool:
        """True if it says that the system gave a thread or a process no place."""
        text = f"{self.reason}\n{self.stdout()}"
        return any(words in text for words in REFUSALS)


class KernelFailed(RuntimeError):
    """A problem of this machine, not of the submission: a kernel did not start, or was refused what
    everybody gets.
    """


def limits() -> dict[str, int]:
    """Returns the limits that the system is to enforce here."""
    without = () if sandbox.counts_processes() else ("processes",)
    return {kind: value for kind, value in LIMITS.items() if kind not in without}


def refuses_tasks() -> bool:
    """True if this machine gives its user no process with a few threads now."""
    code = (
        "import threading\nend = threading.Event()\n"
        "for _ in range(30):\n    threading.Thread(target=end.wait).start()\nend.set()"
    )
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-c", code], capture_output=True, timeout=START_S
        )
    except (OSError, subprocess.TimeoutExpired):
        return True
    return done.returncode != 0


class GradedKernel(RunningKernel):
    """nbval's kernel, but in a sandbox, with its own way to run a cell: every limit is held by this
    process.

    `course` is what `open_copy.prepare` made. Raises KernelFailed when the kernel does not answer.
    """

    def __init__(self, course: Path) -> None:
        # in place of nbval's: no kernelspec is asked which program to start
        self._stopped, self._looking = threading.Event(), threading.Lock()
        self.folder: Path | None = None
        self.process: Any = None
        self.kc: Any = None
        self.service: Any = None
        """The service that runs beside it, outside of the sandbox, and ends with it."""
        try:
            with orphans.undisturbed():  # or nobody would know of what was begun
                self._open(course)
            boxed = not sandbox.missing()
            self._watch = Watch(self._processes)
            if boxed:
                self._watch = Watch(self._processes, self.sockets, sandbox.SCRATCH)
            self._wait()
            if boxed:
                self._limit_the_sandbox_itself()
            threading.Thread(target=self._keep_watch, daemon=True).start()
        except OSError as problem:
            self.stop()
            raise KernelFailed(f"a graded kernel did not start; {problem}") from None
        except BaseException:
            self.stop()
            raise

    def _open(self, course: Path) -> None:
        """Starts the process and a client of it."""
        self.folder = Path(tempfile.mkdtemp(prefix="g", dir=_short_folder()))
        leftovers.note(self.folder)
        self.later = self.folder / "later"
        sockets = self.folder / "s"
        for folder in (self.later, sockets):
            folder.mkdir()
        self.sockets = sockets
        self.mark = secrets.token_hex(8)
        file = str(sockets / "k.json")
        where: dict[str, Any] = {}
        if sys.platform != "win32":
            where = {"transport": "ipc", "ip": str(sockets / "c")}
        write_connection_file(
            file,
            key=secrets.token_hex(32).encode(),
            **where,
        )
        self.process = self._start(course, file)
        leftovers.note(self.folder, self.process.pid)
        self.why_killed = ""
        self.kc = BlockingKernelClient(connection_file=file, context=zmq.Context())
        self.kc.context.setsockopt(zmq.MAXMSGSIZE, MESSAGE_BYTES)
        self.kc.load_connection_file()
        self.kc.start_channels(stdin=False, hb=False, control=False)

    def _start(self, course: Path, file: str) -> subprocess.Popen[bytes]:
        command = [
            sys.executable,
            "-P",
            str(course / "classroom" / "grading" / "sandbox" / "inside" / "kernel_start.py"),
            json.dumps(limits()),
            file,
        ]
        with sandbox.filter_file() as number:
            command, environ, folder = sandbox.boxed(
                command, course, self.sockets, self.later, filtered=number
            )
            return subprocess.Popen(
                command,
                env={**environ, "GRADED": self.mark},
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=() if number is None else (number,),
                **own_group(),
            )

    def _limit_the_sandbox_itself(self) -> None:
        """The processes of bwrap get the kernel's limits, too: they run before the kernel has set
        its own.
        """
        import resource

        kinds = {
            resource.RLIMIT_AS: "memory_bytes",
            resource.RLIMIT_FSIZE: "file_bytes",
            resource.RLIMIT_CPU: "cpu_s",
            resource.RLIMIT_NOFILE: "open_files",
        }
        for process in self._processes():
            for kind, name in kinds.items():
                with contextlib.suppress(OSError, ValueError):  # it has a lower one
                    resource.prlimit(process.pid, kind, (LIMITS[name], LIMITS[name]))

    def stands_beside(self, service: Any) -> None:
        """Keeps a service that runs outside of the sandbox for this kernel and ends with it."""
        self.service = service
        self._watch.stands_beside(service.processes)

    def is_alive(self) -> bool:
        return self.process.poll() is None and not self._stopped.is_set()

    def run(self, source: str, timeout_s: float, wide: float = WIDE) -> Outcome:
        """Runs one cell. Never raises: what goes wrong is the outcome; after `timeout` and `killed`
        the kernel is gone. `timeout_s` are seconds of the processor; the clock gives it `wide`
        times as many.
        """
        began = self._watch.spent()
        outcome = Outcome("ok")
        try:
            outcome.ended, outcome.reason = self._follow(source, timeout_s, wide, outcome)
        except (
            Exception
        ) as problem:  # a message that no honest person sends: bad signature, no JSON
            outcome.ended = "killed"
            outcome.reason = f"the kernel sent what cannot be read ({type(problem).__name__})"
        if outcome.ended in ("timeout", "killed"):
            self.stop()
        outcome.spent = self._watch.spent() - began
        return outcome

    def _follow(
        self, source: str, timeout_s: float, wide: float, outcome: Outcome
    ) -> tuple[Ended, str]:
        """Sends a cell and reads what comes back until its end or a limit."""
        began, over_since = self._watch.spent(), 0.0
        asked = self.kc.execute(source, store_history=False, allow_stdin=False, stop_on_error=False)
        cell = _RunningCell(asked, outcome.outputs)
        channels = {each.socket: each for each in (self.kc.shell_channel, self.kc.iopub_channel)}
        poller = zmq.Poller()
        for socket in channels:
            poller.register(socket, zmq.POLLIN)
        while not (cell.status and cell.idle):
            spent = self._watch.spent() - began
            if spent.over(timeout_s, wide):
                if self._is_too_much():  # the watch may have had no processor either
                    return "killed", self.why_killed
                spent = self._watch.spent() - began
            now, why = time.monotonic(), spent.over(timeout_s, wide)
            over_since = (over_since or now) if why else 0.0
            # what is there was in time
            if why and (now - over_since > LOST_S or not poller.poll(0)):
                outcome.disturbed = why == "waited"
                return "timeout", in_words(why, timeout_s, spent)
            if cell.status and now - cell.replied > LOST_S + spent.waited:
                return (
                    "killed",
                    f"more output at once than can be read ({MESSAGE_BYTES // 2**20} MB)",
                )
            ready = poller.poll(100)
            if not ready and not self.is_alive():
                return "killed", self.why_killed or _death(self.process.returncode)
            for socket, _ in ready:
                message = channels[socket].get_msg(timeout=0)
                if problem := cell.take(message, socket is self.kc.shell_channel.socket):
                    return "killed", problem
        if self._is_too_much():  # what began shortly before the end
            return "killed", self.why_killed
        outputs = outcome.outputs
        failed = cell.status != "ok" or any(output.output_type == "error" for output in outputs)
        return ("error", _said(outputs)) if failed else ("ok", "")

    def stop(self) -> None:
        """Ends the kernel and all that it started, in sessions of their own too, and removes its
        folder.
        """
        if self._stopped.is_set():
            return
        self._stopped.set()
        with orphans.undisturbed():
            if self.process:
                self._kill()
                self.process.wait()
            if self.service:
                self.service.stop()
            if self.kc:
                self.kc.stop_channels()
                self.kc.context.destroy(linger=0)
            if self.folder:
                shutil.rmtree(self.folder, ignore_errors=True)
                leftovers.forget(self.folder)

    def _wait(self) -> None:
        """Until the kernel answers on both channels."""
        deadline = time.monotonic() + START_S
        asked = self.kc.kernel_info()
        answered = published = False
        while not (answered and published):
            if not self.is_alive() or time.monotonic() > deadline:
                why = f"no answer after {START_S:g} s"
                if not self.is_alive():
                    why = _death(self.process.poll())
                raise KernelFailed(f"a graded kernel did not start; {why}")
            with contextlib.suppress(Exception):
                answered = (
                    self.kc.shell_channel.get_msg(timeout=0.05)["parent_header"].get("msg_id")
                    == asked
                    or answered
                )
            while self.kc.iopub_channel.msg_ready():
                published = bool(self.kc.iopub_channel.get_msg(timeout=0))
            if answered and not published:
                asked, answered = self.kc.kernel_info(), False

    # ── the watch ─────────────────────────────────────────────────────────────────────────────────

    def _keep_watch(self) -> None:
        """Kills the kernel when its processes together, or what they send, use more than
        they may.
        """
        while not self._stopped.wait(WATCH_S):
            if self._is_too_much():
                return

    def _is_too_much(self) -> bool:
        with self._looking:
            self.why_killed = self.why_killed or self._watch.look()
            if self.why_killed:
                self._kill()
        return bool(self.why_killed)

    def _kill(self) -> None:
        """Kills every process of the submission. In a sandbox its first process is enough: the
        system ends all others of the namespace with it, and whoever tells them one by one is too
        late for those that start others.
        """
        if not sandbox.missing():
            for first in family_of(self.process.pid)[1:2]:
                with contextlib.suppress(psutil.Error):
                    first.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(END_S)
        else:
            orphans.kill(self.process.pid)
            for process in self._marked():
                with contextlib.suppress(psutil.Error):
                    process.kill()
        with contextlib.suppress(OSError):
            self.process.kill()

    def _processes(self) -> list[psutil.Process]:
        """The kernel and its children."""
        return family_of(self.process.pid)

    def _marked(self) -> Iterator[psutil.Process]:
        """The processes that left the family, and carry its mark."""
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error, OSError):
                if process.environ().get("GRADED") == self.mark:
                    yield process


class _RunningCell:
    """The outputs of a cell that have come back so far, within bounds."""

    def __init__(self, asked: str, outputs: list[NotebookNode]) -> None:
        self.asked, self.outputs = asked, outputs
        self.status, self.idle, self.replied = "", False, 0.0
        self._size = self._count = 0

    def take(self, message: dict[str, Any], is_reply: bool) -> str:
        """Notes a message; returns why the kernel has to be ended, empty while all is within
        bounds.
        """
        self._count += 1
        if message["parent_header"].get("msg_id") != self.asked:
            return "more messages than anybody needs" if self._count > 10 * OUTPUTS else ""
        kind, content = message["msg_type"], message["content"]
        if is_reply and kind == "execute_reply":
            self.status, self.replied = str(content.get("status")), time.monotonic()
        elif not is_reply and kind == "status":
            self.idle = content["execution_state"] == "idle"
        elif not is_reply and kind in ("stream", "display_data", "execute_result", "error"):
            self.outputs.append(_output(kind, content))
            self._size += sum(len(str(output)) for output in self.outputs[-1].values())
        if len(self.outputs) > OUTPUTS or self._size > OUTPUT_BYTES:
            return f"more than {OUTPUTS:,} outputs or {OUTPUT_BYTES // 2**20} MB of them"
        return ""


def _output(kind: str, content: dict[str, Any]) -> NotebookNode:
    """An output as nbval compares it."""
    if kind == "stream":
        return NotebookNode(output_type=kind, name=str(content["name"]), text=str(content["text"]))
    if kind == "error":
        return NotebookNode(
            output_type=kind,
            ename=str(content["ename"]),
            evalue=str(content["evalue"]),
            traceback=[str(line) for line in content["traceback"]],
        )
    return NotebookNode(output_type=kind, data=dict(content["data"]), metadata={})


def _said(outputs: list[NotebookNode]) -> str:
    """The error of a cell in a line."""
    errors = [output for output in outputs if output.output_type == "error"]
    return (
        f"{errors[0].ename}: {errors[0].evalue}"[:300]
        if errors
        else "an error that it did not show"
    )


def _death(code: int | None) -> str:
    """Returns the cause of a process's end, in words."""
    number = -code if code is not None and code < 0 else (code or 0) - 128
    name = next((known.name for known in signal.Signals if known == number), "")
    return f"its kernel was ended by {name}" if name else f"its kernel ended itself (status {code})"


def _short_folder() -> str | None:
    """Returns a folder where a socket's path stays under the hundred characters that it may have;
    None for the usual one.
    """
    return "/tmp" if len(tempfile.gettempdir()) > 40 and os.path.isdir("/tmp") else None


def own_group() -> dict[str, Any]:
    """Returns the arguments that start a process beyond Ctrl-C; its starter has to end it."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}
