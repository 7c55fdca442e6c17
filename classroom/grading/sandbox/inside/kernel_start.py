"""Starts one submission's kernel: limits first, then ipykernel; runs inside the sandbox.

Arguments: the limits as JSON, by the names in `KINDS`, then the connection file.
"""

from __future__ import annotations

import json
import sys

KINDS = {
    "memory_bytes": "RLIMIT_AS",
    "file_bytes": "RLIMIT_FSIZE",
    "cpu_s": "RLIMIT_CPU",
    "processes": "RLIMIT_NPROC",
    "open_files": "RLIMIT_NOFILE",
}


def limit(limits: dict[str, int]) -> None:
    """Sets hard limits on this process and on all that it starts. Without effect where the system
    has none.
    """
    try:
        import resource
    except ImportError:  # Windows: the watch outside is all there is
        return
    by_name = {KINDS[kind]: value for kind, value in limits.items()}
    for name, value in {**by_name, "RLIMIT_CORE": 0}.items():
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
    limit(json.loads(sys.argv[1]))
    start(sys.argv[2])
