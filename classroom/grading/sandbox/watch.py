"""Counts from outside what all processes of a submission use together, and how long they waited for
a processor.
"""

from __future__ import annotations

import contextlib
import glob
import os
import stat
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import psutil

from .spent import TimeSpent

MEMORY_BYTES = 1_200 * 2**20
"""Of all processes of a submission together, and of their sockets."""
PROCESSES, THREADS = 40, 300
MOST_FILES = 20_000
"""Files, folders and links of a submission: each takes a kilobyte of the system's own memory, which
no limit of space counts, and a hundred thousand a second can be made.
"""
WAITING_BYTES = 100 * 2**20
"""The bytes that this process may grow by: a message of many small parts waits in its socket until
the last one has come.
"""
WATCH_S = 0.1
NAMELESS_S = 0.5
"""Between two looks for files without a name, which take longer."""
FEW = 4
"""Threads that wait at once; of more, each waits for the others, and that is the submission's own
doing.
"""


class Watch:
    """Looks at the processes of one kernel again and again."""

    def __init__(
        self,
        processes: Callable[[], list[psutil.Process]],
        sockets: Path | None = None,
        scratch: Sequence[str] = (),
    ) -> None:
        """`sockets` is the folder of the connection, where it is the only one of this machine that
        a submission can write to; `scratch` are the folders of its own, as the sandbox names them.
        """
        self._processes, self._sockets, self._scratch = processes, sockets, scratch
        self._own = psutil.Process()
        self._before = self._own.memory_info().rss
        self._waiting = Waiting()
        self._beside: Callable[[], list[psutil.Process]] = list
        self._beside_waiting = Waiting()
        self._beside_ran = 0.0
        self._next_search = 0.0
        self._ran = self._waited = 0.0

    def stands_beside(self, processes: Callable[[], list[psutil.Process]]) -> None:
        """Counts these processes, too: the submission waits for them, so what they take is a wait
        that is not its own.
        """
        self._beside = processes

    def spent(self) -> TimeSpent:
        """Returns what the submission has taken up to now, as of the last look."""
        return TimeSpent(time.monotonic(), self._ran, self._waited)

    def look(self) -> str:
        """Returns the reason that the kernel has to be ended; empty while all is within bounds."""
        family = self._processes()
        self._count_time(family)
        return (
            self._too_much(family)
            or self._too_many_files(family)
            or self._strange_files(family)
            or (self._grown() and "more output than can be read")
            or ""
        )

    def _count_time(self, family: list[psutil.Process]) -> None:
        beside = self._beside()
        self._ran = max(self._ran, seconds_run(family))
        self._waited += self._waiting.since_the_last_time(family)
        self._waited += self._beside_waiting.since_the_last_time(beside)
        before, self._beside_ran = self._beside_ran, seconds_run(beside)
        self._waited += max(0.0, self._beside_ran - before)

    def _too_much(self, family: list[psutil.Process]) -> str:
        memory = threads = count = 0
        for process in family:
            with contextlib.suppress(psutil.Error):
                memory += process.memory_info().rss
                threads += process.num_threads()
                count += 1
        if family and self._sockets:
            memory += socket_bytes(family[-1].pid)
        if memory > MEMORY_BYTES:
            return f"more than {MEMORY_BYTES // 2**20:,} MB of memory"
        if count > PROCESSES or threads > THREADS:
            return f"more than {PROCESSES} processes or {THREADS} threads"
        return ""

    def _too_many_files(self, family: list[psutil.Process]) -> str:
        """Asked of the file systems themselves: they know the files without a name, too."""
        if files_made(family, self._scratch) > MOST_FILES:
            return f"more than {MOST_FILES:,} files and links"
        return ""

    def _strange_files(self, family: list[psutil.Process]) -> str:
        """Returns a complaint when more than the connection lies in the one folder of this machine
        that can be written to; else empty.
        """
        if self._sockets is None:
            return ""
        nameless = False
        if time.monotonic() > self._next_search:
            self._next_search = time.monotonic() + NAMELESS_S
            nameless = _nameless_files(family, self._sockets)
        strange = nameless or _strangers(self._sockets)
        return "files written where only the connection belongs" if strange else ""

    def _grown(self) -> bool:
        return self._own.memory_info().rss - self._before > WAITING_BYTES


def family_of(number: int) -> list[psutil.Process]:
    """A process and all that descend from it, by the lists of children where the system keeps them:
    the table of all processes is long, and this is asked ten times a second.
    """
    found: list[psutil.Process] = []
    waiting = [number]
    while waiting:
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(waiting.pop())
            found.append(process)
            if not LISTS_CHILDREN:
                return [process, *process.children(recursive=True)]
            waiting += _children(process.pid)
    return found


LISTS_CHILDREN = os.path.exists(f"/proc/self/task/{os.getpid()}/children")


def _children(number: int) -> list[int]:
    found = []
    for path in glob.iglob(f"/proc/{number}/task/*/children"):
        with contextlib.suppress(OSError):
            found += [int(child) for child in Path(path).read_text(encoding="ascii").split()]
    return found


def seconds_run(processes: list[psutil.Process]) -> float:
    """The processors' seconds that processes have had, with those of their children that ended."""
    seconds = 0.0
    for process in processes:
        with contextlib.suppress(psutil.Error):
            seconds += sum(process.cpu_times()[:4])
    return seconds


def files_made(family: list[psutil.Process], scratch: Sequence[str]) -> int:
    """The files, folders and links in the scratch folders of a sandbox, as one of its processes
    sees them; 0 where no process of the family is inside.
    """
    for process in reversed(family):
        found: dict[int, int] = {}
        with contextlib.suppress(OSError):
            inside = f"/proc/{process.pid}"
            if os.stat(f"{inside}/ns/mnt").st_ino == os.stat("/proc/self/ns/mnt").st_ino:
                continue  # a process of bwrap's that is outside
            for folder in scratch:
                path = f"{inside}/root{folder}"
                facts = os.statvfs(path)
                found[os.stat(path).st_dev] = facts.f_files - facts.f_ffree
            return sum(found.values())
    return 0


def socket_bytes(pid: int) -> int:
    """The most that the sockets of a process's network namespace can hold, by their number.

    Memory in sockets belongs to no process. The size of a socket's buffer is fixed
    (refused_calls.py), but for those of TCP, which the system itself lets grow.
    """
    sockets = tcp = 0
    for name in ("sockstat", "sockstat6"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            for line in Path(f"/proc/{pid}/net/{name}").read_text(encoding="ascii").splitlines():
                words = line.split()
                sockets += int(words[2]) if words[0] == "sockets:" else 0
                tcp += int(words[2]) if words[0] in ("TCP:", "TCP6:") else 0
    return sockets * _setting("core/wmem_default", 0) + tcp * (
        _setting("ipv4/tcp_wmem", 2) + _setting("ipv4/tcp_rmem", 2)
    )


def _setting(name: str, column: int) -> int:
    """A setting of the system's network; 0 where it is not told."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path("/proc/sys/net", name).read_text(encoding="ascii").split()[column])
    return 0


class Waiting:
    """The seconds that the threads of some processes waited for a processor."""

    def __init__(self) -> None:
        self._waited: dict[str, int] = {}

    def since_the_last_time(self, processes: list[psutil.Process]) -> float:
        """The most seconds that one of the threads waited; 0 when many waited, for each other."""
        before, self._waited = self._waited, _waited(processes)
        both = before.keys() & self._waited.keys()
        lost = [(self._waited[task] - before[task]) / 1e9 for task in both]
        if sum(seconds > WATCH_S / 5 for seconds in lost) > FEW:
            return 0.0
        return max(lost, default=0.0)


def _waited(processes: list[psutil.Process]) -> dict[str, int]:
    """By thread, the nanoseconds it was ready to work and had no processor; empty where the system
    does not tell.
    """
    found = {}
    for process in processes:
        for task in glob.iglob(f"/proc/{process.pid}/task/*"):
            with contextlib.suppress(OSError, ValueError, IndexError):
                found[task] = int(Path(task, "schedstat").read_text(encoding="ascii").split()[1])
    return found


def _strangers(sockets: Path) -> bool:
    """True if a folder holds anything but a connection."""
    try:
        entries = list(os.scandir(sockets))
    except FileNotFoundError:  # removed at the end
        return False
    except OSError:  # it was made unreadable
        return True
    for entry in entries:
        with contextlib.suppress(FileNotFoundError):
            facts = entry.stat(follow_symlinks=False)
            is_file = stat.S_ISREG(facts.st_mode) and facts.st_size < 10_000
            is_socket = entry.name.startswith("c-") and stat.S_ISSOCK(facts.st_mode)
            if not ((entry.name == "k.json" and is_file) or is_socket):
                return True
    return len(entries) > 20


def _nameless_files(family: list[psutil.Process], sockets: Path) -> bool:
    """True if a process holds a file on that folder's disk that has no name, and so is in no list
    of files.
    """
    try:
        disk = sockets.stat().st_dev
    except OSError:
        return False
    for process in family:
        for number in glob.iglob(f"/proc/{process.pid}/fd/*"):
            with contextlib.suppress(OSError):
                facts = os.stat(number)
                if facts.st_nlink == 0 and facts.st_dev == disk and stat.S_ISREG(facts.st_mode):
                    return True
    return False
