"""A process that has imported what notebooks import, and forks a kernel for each that is asked for.

Run as a program: `warm.py` loads the project too, `warm.py bare` only what others wrote. Requests and answers are lines
of JSON on the standard streams; when the requests end, so do all kernels.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import random
import signal
import sys
import time
from contextlib import suppress

OTHERS = ("ipykernel.zmqshell", "ipykernel.ipkernel", "IPython.core.completer", "httpx", "pydantic")
SHOWING = ("matplotlib.pyplot", "ipywidgets")
OURS = ("kernel", "offline_model", "classroom", "workshop", "tests")
LATE = ("kernel", "offline_model", "workshop.checks", "workshop.views", "workshop.desks")
"""Notebooks import parts of these in the middle of a cell."""
EXTRAS = ("__main__", "cluster", "telemetry", "mcp")
"""Modules with these words in their names are left to the notebooks that ask for them."""


def load(with_ours: bool) -> None:
    """Imports what kernels will need. Without `with_ours`, no module of the project is loaded afterwards."""
    sys.modules["debugpy"] = None  # nobody debugs, and importing that takes as long as the rest
    for name in (*OTHERS, *SHOWING):
        importlib.import_module(name)
    if with_ours:
        import workshop  # noqa: F401 (which says what course this is)

        for name in LATE:
            package = importlib.import_module(name)
            for found in pkgutil.walk_packages(package.__path__, f"{name}."):
                if not any(word in found.name for word in EXTRAS):
                    importlib.import_module(found.name)
    else:
        loaded = [name for name in sys.modules if name.partition(".")[0] in OURS]
        assert not loaded, f"{loaded[0]} is loaded, so a change of its file would not be what runs"
    gc.collect()
    gc.freeze()


def become_a_kernel(file: str, folder: str, environment: dict[str, str]) -> None:
    """Runs a kernel of a connection file, in a fork, until it is ended."""
    os.setsid()
    os.chdir(folder)
    os.environ.update(environment)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    sys.stdin = open(0)  # noqa: SIM115 (it holds no request)
    random.seed()
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed()
    from ipykernel.kernelapp import IPKernelApp

    options = ["--HistoryManager.enabled=False", f"--IPKernelApp.parent_handle={os.getppid()}"]
    IPKernelApp.launch_instance(argv=["-f", file, *options])


class Kernels:
    """The forks, by the numbers of their processes."""

    def __init__(self) -> None:
        self.seconds: dict[int, float] = {}
        """What those that have ended took of the processors."""
        self.running: set[int] = set()
        self.reported_s = 0.0

    def start(self, **job) -> int:
        pid = os.fork()
        if not pid:
            try:
                become_a_kernel(**job)
            finally:
                os._exit(0)
        self.running.add(pid)
        return pid

    def _wait(self, pid: int, how: int) -> None:
        ended, _, usage = os.wait4(pid, how)
        if ended:
            self.running.remove(pid)
            self.seconds[pid] = usage.ru_utime + usage.ru_stime

    def alive(self, pid: int) -> bool:
        if pid in self.running:
            self._wait(pid, os.WNOHANG)
        return pid in self.running

    def interrupt(self, pid: int) -> None:
        if self.alive(pid):
            os.kill(pid, signal.SIGINT)

    def end(self, pid: int) -> float:
        """Ends a kernel. Returns the seconds of the processors that it took, and this process since the last time."""
        if self.alive(pid):
            with suppress(ProcessLookupError):  # it is no group yet
                os.killpg(pid, signal.SIGKILL)
            os.kill(pid, signal.SIGKILL)
            self._wait(pid, 0)
        before, self.reported_s = self.reported_s, time.process_time()
        return self.seconds[pid] + self.reported_s - before


def main() -> None:
    load(sys.argv[1:] != ["bare"])
    kernels = Kernels()
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        wish, given = json.loads(line)
        print(json.dumps(getattr(kernels, wish)(**given)), flush=True)
    for pid in [*kernels.running]:
        kernels.end(pid)


if __name__ == "__main__":
    del sys.path[0]  # the folder of this file
    main()
