"""Kernels for notebooks under test: forked from a warmed process, or processes of their own.

A fork is cheap and has the hash seed of the process that it comes from, which is drawn once. A process of its own starts
cold, with a seed of its own; it is also what there is where forking is not safe.
"""

from __future__ import annotations

import atexit
import json
import os
import queue
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.connect import write_connection_file
from jupyter_client.manager import KernelManager
from nbval.kernel import CURRENT_ENV_KERNEL_NAME, NbvalKernelspecManager, RunningKernel

from tests.places import ROOT

HERE = Path(__file__).resolve().parent
NETWORK_CUT = HERE / "network_cut"
FORKS = sys.platform == "linux"
"""Whether a process can be forked safely: macOS has `os.fork`, and libraries that do not survive it."""
SOCKETS = sys.platform != "win32"
"""Whether kernels are spoken to by sockets in a folder. By TCP, ports are drawn, let go and bound later, so that two
kernels that start at the same moment can have the same one.
"""
PATIENCE_S = 600
"""A kernel that has not answered for so long never will. A busy machine may take minutes."""


def environment(**changes: str) -> dict[str, str]:
    """A learner's environment: no key, no chosen model, no network, a hash seed of its own."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("ANTHROPIC_", "WORKSHOP_", "PYTEST_"))
        and name != "PYTHONDONTWRITEBYTECODE"
    }
    return {
        **kept,
        "PYTHONPATH": os.pathsep.join([str(NETWORK_CUT), str(ROOT)]),
        "PYTHONHASHSEED": str(random.randrange(1, 2**32)),
        **changes,
    }


class Warmed:
    """A process that forks kernels. With `bare`, it has loaded no module of the project, so that each kernel imports
    what lies below `root` then.
    """

    def __init__(self, root: Path, *, bare: bool = False) -> None:
        path = os.pathsep.join([str(NETWORK_CUT), str(root)])
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "warm.py"), *(["bare"] if bare else [])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=root,
            env=environment(
                PYTHONPATH=path,
                UNREAD_CLAUSES=os.devnull,
                MPLBACKEND="module://matplotlib_inline.backend_inline",
                **({"PYTHONDONTWRITEBYTECODE": "1"} if bare else {}),  # files change below them
            ),
        )
        atexit.register(self.close)
        assert self._answer() == "ready"

    def _answer(self) -> Any:
        line = self.process.stdout.readline()
        assert line, "the process that forks kernels has ended"
        return json.loads(line)

    def ask(self, wish: str, **given: Any) -> Any:
        """What the process answers to a wish: a method of `warm.Kernels`."""
        self.process.stdin.write(json.dumps([wish, given]) + "\n")
        self.process.stdin.flush()
        return self._answer()

    def close(self) -> None:
        """Ends the process and all its kernels."""
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.wait()


@cache
def warmed() -> Warmed:
    """The warmed process of this one."""
    return Warmed(ROOT)


class Fork:
    """What nbval asks of a kernel manager, for a fork."""

    def __init__(self, source: Warmed, **job: Any) -> None:
        self.source = source
        self.pid = source.ask("start", **job)
        self.seconds = 0.0

    def is_alive(self) -> bool:
        return self.source.ask("alive", pid=self.pid)

    def interrupt_kernel(self) -> None:
        self.source.ask("interrupt", pid=self.pid)

    def shutdown_kernel(self, now: bool = True) -> None:
        self.seconds = self.source.ask("end", pid=self.pid)


class Kernel(RunningKernel):
    """nbval's kernel, on a manager and a client that are there; one that has died is noticed at once."""

    def __init__(self, manager: Any, client: BlockingKernelClient) -> None:
        self.km, self.kc = manager, client
        self.kc.start_channels()
        while True:  # until its broadcasts arrive
            asked = self.kc.kernel_info()
            self.await_reply(asked, timeout=PATIENCE_S)
            try:
                return self.await_idle(asked, timeout=1)
            except queue.Empty:
                continue

    def get_message(self, stream: str, timeout: float | None = None) -> Any:
        for _ in range(int(timeout or PATIENCE_S)):
            with suppress(queue.Empty):
                return super().get_message(stream, timeout=1)
            if not self.is_alive():
                raise RuntimeError("the kernel has ended")
        raise queue.Empty

    def reply_to(self, source: str, seconds: float) -> dict[str, Any]:
        """How a cell ended. Raises TimeoutError when it has not after so many seconds."""
        asked = self.execute_cell_input(source, allow_stdin=False)
        try:
            while True:
                message = self.get_message("shell", seconds)
                if message["parent_header"].get("msg_id") == asked:
                    return message["content"]
        except queue.Empty:
            raise TimeoutError(f"a cell has not ended after {seconds:g} s") from None

    def stop(self) -> None:
        self.kc.stop_channels()
        self.km.shutdown_kernel(now=True)


@contextmanager
def forked(source: Warmed, folder: Path, **changes: str) -> Iterator[Kernel]:
    """A kernel that a warmed process forks, in a folder; `changes` are those of the environment."""
    with tempfile.TemporaryDirectory(prefix="k") as place:
        file, _ = write_connection_file(f"{place}/c.json", transport="ipc", ip=f"{place}/s")
        client = BlockingKernelClient(connection_file=file)
        client.load_connection_file()
        fork = Fork(source, file=file, folder=str(folder), environment=changes)
        yield from _until_the_end(fork, client)


@contextmanager
def fresh(folder: Path, env: dict[str, str]) -> Iterator[Kernel]:
    """A kernel in a process of its own, in a folder."""
    with tempfile.TemporaryDirectory(prefix="k") as place:
        where = {"transport": "ipc", "ip": f"{place}/s"} if SOCKETS else {}
        manager = KernelManager(
            kernel_name=CURRENT_ENV_KERNEL_NAME,
            kernel_spec_manager=NbvalKernelspecManager(),
            **where,
        )
        manager.start_kernel(cwd=str(folder), env=env, stderr=subprocess.DEVNULL)
        yield from _until_the_end(manager, manager.blocking_client())


def _until_the_end(manager: Any, client: BlockingKernelClient) -> Iterator[Kernel]:
    kernel = None
    try:
        kernel = Kernel(manager, client)
        yield kernel
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
