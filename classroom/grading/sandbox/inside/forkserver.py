"""A process that has everything loaded and forks one kernel after the other from itself, each in a
sandbox of its own.

Runs inside the outer sandbox (which shows the course and Python, read-only) and takes orders by
lines of JSON: `{"start": FILE, "folder": DIR, "limits": {…}}` and `{"kill": true}`; it answers
`{"started": true}` and `{"ended": STATUS}`. Every kernel gets new namespaces for processes,
network, mounts and IPC, an empty scratch folder, and only its own folder of sockets; then it gives
up all capabilities. Linux only.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import sys
from pathlib import Path
from typing import NoReturn

NEW = 0x00020000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000
"""CLONE_NEWNS, NEWIPC, NEWUSER, NEWPID, NEWNET of sched.h."""
BIND, REC, PRIVATE, READ_ONLY, REMOUNT, NO_SUID, NO_DEVICES, NO_EXEC = (
    4096,
    16384,
    1 << 18,
    1,
    32,
    2,
    4,
    8,
)
"""Flags of mount(2)."""
NO_NEW_PRIVILEGES = 38
CAPABILITY_VERSION = 0x20080522
libc = ctypes.CDLL(None, use_errno=True) if sys.platform.startswith("linux") else None


def call(name: str, *arguments: object) -> None:
    """A system call of libc. Raises OSError with its own number."""
    if getattr(libc, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}{arguments}: {os.strerror(number)}")


def mount(source: str, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    encoded = [None if each is None else each.encode() for each in (source, target, kind)]
    call("mount", *encoded, ctypes.c_ulong(flags), None if data is None else data.encode())


def preload(modules: list[str]) -> None:
    """Imports the modules that every submission needs, once. Nothing here may start a thread: it
    would not survive a fork.
    """
    from importlib import import_module

    for name in (
        "ipykernel.ipkernel",
        "ipykernel.kernelapp",
        "IPython.core.completerlib",
        "IPython.core.debugger",
        "IPython.extensions.storemagic",
        "tornado.platform.asyncio",
        "classroom.observing",
        *modules,
    ):
        import_module(name)


def enclose(folder: str, home: str, scratch: str) -> None:
    """Makes this process's own view of the machine: to be called after `unshare`, as process 1 of
    its namespace. `scratch` are the bounds of each folder that it can write to, as mount has them.
    """
    mount("none", "/", None, REC | PRIVATE)
    mine = os.open(folder, os.O_PATH)
    mount("tmpfs", str(Path(folder).parent), "tmpfs", 0, "size=65536")
    Path(folder).mkdir()
    mount(f"/proc/self/fd/{mine}", folder, None, BIND)
    os.close(mine)
    mount(
        f"{folder}/s", f"{folder}/s", None, BIND
    )  # the connection; the grader itself writes to the rest, so nobody else may
    for path in (folder, str(Path(folder).parent)):
        mount("none", path, None, BIND | REMOUNT | READ_ONLY | NO_SUID | NO_DEVICES)
    for path in (home, "/dev/shm"):  # not all of /home: Python may be installed below it
        mount("tmpfs", path, "tmpfs", 0, f"{scratch},mode=755")
    mount("none", "/tmp", None, BIND | REMOUNT | READ_ONLY | NO_SUID | NO_DEVICES)
    mount(
        "none", "/proc", None, BIND | REMOUNT | READ_ONLY | NO_SUID | NO_DEVICES | NO_EXEC
    )  # as in sandbox.boxed


def give_up_capabilities() -> None:
    """For good: in the process that the submission runs in there is no way back."""
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION, 0)
    call("capset", header, (ctypes.c_uint32 * 6)())
    call("prctl", NO_NEW_PRIVILEGES, 1, 0, 0, 0)


def be_first(kernel: int) -> NoReturn:
    """Process 1, which ends with the kernel. The kernel is not process 1 itself: then a signal from
    a submission to its own process would have no effect.
    """
    call("prctl", 4, 0, 0, 0, 0)  # PR_SET_DUMPABLE: the submission's kernel must not look into it
    while True:
        ended, status = os.wait()
        if ended == kernel:
            end_like(status)


def end_like(status: int) -> NoReturn:
    """Exits with another process's status: 128 + n where signal n ended it."""
    os._exit(
        os.waitstatus_to_exitcode(status) % 256
        if os.WIFEXITED(status)
        else 128 + os.WTERMSIG(status)
    )


def become_kernel(order: dict) -> None:
    """In the forked process: a new user, new namespaces, forks for process 1 and for the kernel;
    never returns.
    """
    user, group = os.getuid(), os.getgid()
    call("unshare", NEW)
    Path("/proc/self/setgroups").write_text("deny", encoding="utf-8")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1", encoding="utf-8")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1", encoding="utf-8")
    child = os.fork()
    if child:
        signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGKILL))
        for stream in (0, 1):
            os.close(stream)
        end_like(os.waitpid(child, 0)[1])
    call("prctl", 1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG
    home = os.environ["HOME"]
    enclose(order["folder"], home, order["scratch"])
    os.chdir(home)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    give_up_capabilities()
    from classroom.grading.sandbox.inside.kernel_start import limit, start
    from classroom.grading.sandbox.inside.refused_calls import refuse

    refuse()  # before process 1 is alone, so that it is under the filter and the limits, too
    limit(order["limits"])
    if inner := os.fork():
        be_first(inner)
    start(order["start"])
    os._exit(0)


def serve() -> None:
    """Takes orders until the line to the grader is closed; one kernel at a time."""
    preload(sys.argv[1:])
    print(json.dumps({"ready": True}), flush=True)
    child, line = 0, b""
    while True:
        if child:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                child = 0
                print(json.dumps({"ended": os.waitstatus_to_exitcode(status)}), flush=True)
        if not select.select([0], [], [], 0.02 if child else None)[0]:
            continue
        piece = os.read(0, 65536)
        if not piece:
            break
        line += piece
        while b"\n" in line:
            first, _, line = line.partition(b"\n")
            order = json.loads(first)
            if "kill" in order and child:
                os.kill(child, signal.SIGTERM)
            elif "start" in order:
                child = os.fork()
                if child == 0:
                    try:
                        become_kernel(order)
                    except BaseException as problem:
                        os.write(2, f"{type(problem).__name__}: {problem}\n".encode())
                        os._exit(70)
    if child:
        os.kill(child, signal.SIGTERM)


if __name__ == "__main__":
    serve()
