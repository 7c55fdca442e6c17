"""The sandbox: what a submission's kernel can see and reach, as far as this machine allows.

On Linux it is `bwrap` (bubblewrap, https://github.com/containers/bubblewrap): namespaces of its own
for users, processes, network, mounts and IPC, no privileges needed.
"""

from __future__ import annotations

import contextlib
import functools
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from classroom.course import active

from .inside.refused_calls import program_of_this_machine

SCRATCH_BYTES = 64 * 2**20
HOME = "/home/learner"
SCRATCH = ("/tmp", HOME, "/dev/shm")
"""The folders that a submission can write to, each a file system of its own in memory."""
SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib64",
    "/lib32",
    "/etc/ld.so.cache",
    "/etc/alternatives",
    "/etc/localtime",
    "/etc/fonts",
)


@functools.cache
def missing() -> str:
    """Returns the reason that there is no sandbox on this machine; empty when there is one."""
    if not sys.platform.startswith("linux"):
        return (
            f"there is none for {sys.platform} yet; use Linux, or a Linux container or virtual"
            " machine"
        )
    if shutil.which("bwrap") is None:
        return "the program bwrap is not installed; install the package bubblewrap"
    return _tried([])


@functools.cache
def weakness() -> str:
    """Returns the weakness of this machine's sandbox, in words; empty when it has none, or there is
    no sandbox.
    """
    if missing():
        return ""
    with _filter_file() as number:
        why = (
            _tried(["--seccomp", str(number)], number) if number is not None else "unknown machine"
        )
    return f"bwrap, without a filter of system calls ({why})" if why else ""


def refusal(option: str) -> str:
    """Returns why nothing is graded without a sandbox, and the option that does it all the same."""
    return (
        f"No sandbox on this machine: {missing()}. Nothing was graded. Without one, each submission"
        " can read your keys and the solutions, and change your marks. In a Linux container or"
        f" virtual machine that holds none of these, {option} goes on."
    )


def name() -> str:
    """Returns the name of the sandbox for reports: "bwrap", with its weakness, or "none"
    and why.
    """
    return f"none: {missing()}" if missing() else weakness() or "bwrap"


def counts_processes() -> bool:
    """True if the system counts the processes of a submission apart: inside a sandbox, which has a
    namespace of users, since Linux 5.14. Elsewhere a limit would count all that the user runs.
    """
    if missing():
        return False
    version = [int(number) for number in re.findall(r"\d+", platform.release())]
    return version[:2] >= [5, 14]


@contextlib.contextmanager
def filter_file() -> Iterator[int | None]:
    """The filter of system calls as an open file, for `boxed` and for the process that is started;
    None without one.
    """
    if missing() or weakness():
        yield None
        return
    with _filter_file() as number:
        yield number


@contextlib.contextmanager
def _filter_file() -> Iterator[int | None]:
    code = program_of_this_machine()
    if not code:
        yield None
        return
    with tempfile.TemporaryFile() as file:
        file.write(code)
        file.seek(0)
        yield file.fileno()


def _tried(options: list[str], number: int | None = None) -> str:
    """Starts bwrap with these options; returns the reason that it fails, empty when it starts."""
    done = subprocess.run(
        [*_bwrap(), *options, "true"],
        capture_output=True,
        text=True,
        env={},
        errors="replace",
        pass_fds=() if number is None else (number,),
    )
    message = done.stderr.strip().replace("\n", " ")[:200]
    return (message or "bwrap does not start") if done.returncode else ""


def boxed(
    command: list[str],
    course: Path,
    sockets: Path,
    later: Path,
    filtered: int | None = None,
) -> tuple[list[str], dict[str, str], str]:
    """The command line, environment and folder to start a kernel with, in the sandbox or, without
    one, bare.

    `course` and `later` can be read, `sockets` holds the connection; nothing else of this machine
    is to be seen but the system's and Python's own files. The environment is new in both cases: no
    secret is handed on. `filtered` is the number of the file with the filter of system calls, which
    then holds for the sandbox's first process, too.
    """
    environ = {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.defpath]),
        "HOME": HOME,
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(course),
        "PYTHONUTF8": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "MPLBACKEND": "Agg",
        "OPENBLAS_NUM_THREADS": "1",
        "IPYTHONDIR": f"{HOME}/.ipython",
    }
    if missing():
        home = sockets / "home"
        home.mkdir(exist_ok=True)
        environ |= {"HOME": str(home), "IPYTHONDIR": str(home / ".ipython")}
        environ |= {
            name: os.environ[name]
            for name in ("SYSTEMROOT", "TEMP", "TMPDIR")
            if name in os.environ
        }
        return command, environ, str(home)
    read = [*dict.fromkeys([sys.prefix, sys.base_prefix, str(course), str(later)])]
    binds = [
        word
        for path in read
        if not path.startswith("/usr/") and path != "/usr"
        for word in ("--ro-bind", path, path)
    ]
    root = active().root
    if any(
        root.is_relative_to(path) for path in [*SYSTEM, *read]
    ):  # a project below /usr, say: nothing of it is to be seen
        inside = [path for path in read if Path(path).is_relative_to(root)]
        binds += [
            "--tmpfs",
            str(root),
            *(word for path in inside for word in ("--ro-bind", path, path)),
            "--remount-ro",
            str(root),
        ]
    # Settings of the whole machine lie below /proc, and the kernel lets root's processes write
    # them, whatever they are inside.
    closed = ["--remount-ro", "/proc"]
    refused = [] if filtered is None else ["--seccomp", str(filtered)]
    connection = ["--bind", str(sockets), str(sockets)]
    line = [*_bwrap(), *refused, *closed, *binds, *connection, "--remount-ro", "/", *command]
    return line, environ, "/"


def _bwrap() -> list[str]:
    """Everything but what differs from kernel to kernel."""
    folders = [path for path in SYSTEM if os.path.lexists(path)]
    system = [
        word
        for path in folders
        for word in (
            ("--symlink", os.readlink(path), path)
            if os.path.islink(path)
            else ("--ro-bind", path, path)
        )
    ]
    scratch = [word for path in SCRATCH for word in ("--size", str(SCRATCH_BYTES), "--tmpfs", path)]
    return [
        shutil.which("bwrap") or "bwrap",
        "--unshare-all",
        "--unshare-user",
        "--uid",
        "1000",
        "--gid",
        "1000",
        "--cap-drop",
        "ALL",
        "--new-session",
        "--die-with-parent",
        "--hostname",
        "grading",
        *system,
        "--proc",
        "/proc",
        "--dev",
        "/dev",
        "--dev-bind",
        "/dev/null",
        "/dev/zero",  # mapped, it is memory that nobody counts
        *scratch,
        "--remount-ro",
        "/dev",
        "--chdir",
        HOME,
    ]
