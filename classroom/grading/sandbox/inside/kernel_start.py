"""Starts one submission's kernel: limits first, then ipykernel; runs inside the sandbox.

Arguments: the limits as JSON (`memory_bytes`, `file_bytes`, `cpu_s`, `processes`, `open_files`),
then the connection file.
"""

from __future__ import annotations

import json
import sys


def limit(memory_bytes: int, file_bytes: int, cpu_s: int, processes: int, open_files: int) -> None:
    """Sets hard limits on this process and on all that it starts. Without effect where the system
    has none.
    """
    try:
        import resource
    except ImportError:  # Windows: the watch outside is all there is
        return
    limits = {
        "RLIMIT_AS": memory_bytes,
        "RLIMIT_FSIZE": file_bytes,
        "RLIMIT_CPU": cpu_s,
        "RLIMIT_NPROC": processes,
        "RLIMIT_NOFILE": open_files,
        "RLIMIT_CORE": 0,
    }
    for name, value in limits.items():
        if hasattr(resource, name):
            _, hard_limit = resource.getrlimit(getattr(resource, name))
            value = value if hard_limit == resource.RLIM_INFINITY else min(value, hard_limit)
            try:
                resource.setrlimit(getattr(resource, name), (value, value))
            except (ValueError, OSError):  # macOS refuses some of them
                pass


def start(file: str) -> None:
    """Runs a kernel until it is ended from outside: `quit()` after an answer must not cost the
    answers that follow.
    """
    from classroom.grading.sandbox.inside.refused_calls import refuse

    refuse()
    sys.modules["debugpy"] = None  # type: ignore[assignment]  # nobody debugs it, and importing that takes as long as the rest
    from ipykernel.kernelapp import IPKernelApp
    from ipykernel.zmqshell import ZMQInteractiveShell

    ZMQInteractiveShell.ask_exit = lambda _: None  # type: ignore[method-assign]
    sys.path.insert(0, "")  # as in any notebook: what it writes beside itself can be imported
    IPKernelApp.launch_instance(
        argv=["-f", file, "--InteractiveShell.colors=nocolor", "--HistoryManager.enabled=False"]
    )


if __name__ == "__main__":
    limit(**json.loads(sys.argv[1]))
    start(sys.argv[2])
