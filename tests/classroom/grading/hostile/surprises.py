"""Recipes that were found by trying, and stood in no list when they worked."""

from __future__ import annotations

from .submission import Submission, honest, hostile, nothing

ALL = ("03.1", "03.2", "03.3", "03.4")


@hostile(
    "many parts",
    "a message of many parts",
    earns={"03.1": 0},
    states={"03.1": "killed|timeout", "03.2": "passed", "03.3": "passed"},
)
def _(submission: Submission) -> None:
    """A message whose parts are each small enough waits in the grader's memory for its last part: three gigabytes of one buffer."""
    submission.after(
        "03.1",
        """
import zmq
socket = get_ipython().kernel.iopub_socket.io_thread.socket
part = b"x" * 1_000_000
socket.send_multipart([b"stream.x", *(zmq.Frame(part, copy=False) for _ in range(3000))], copy=False)
import time
time.sleep(60)
""",
    )


@hostile(
    "beside the connection",
    "files beside the connection",
    earns={"03.1": 0},
    boxed=True,
    states={"03.1": "killed", "03.2": "passed", "03.3": "passed"},
)
def _(submission: Submission) -> None:
    """The folder of the sockets is the one place of the machine that can be written to: nothing may be kept there, under any name."""
    submission.after(
        "03.1",
        """
import ipykernel, os, time
folder = os.path.join(os.path.dirname(ipykernel.get_connection_file()), "c-6")
os.mkdir(folder)
for n in range(100):
    open(os.path.join(folder, str(n)), "wb").write(b"x" * 2**22)
    time.sleep(0.05)
""",
    )


@hostile(
    "settings of the machine",
    "settings below /proc",
    boxed=True,
    states=dict.fromkeys(ALL, "passed"),
)
def _(submission: Submission) -> None:
    """Root's processes may write below /proc/sys, inside a sandbox too, unless it is read-only; only asked here, never done.

    Right answers that destroy themselves when there is anything that could be written.
    """
    submission.after(
        "03.3",
        """
import os
def writable():
    for top in ("/proc/sys", "/proc/pressure", "/proc/irq", "/proc/bus", "/proc/fs"):
        for folder, _, files in os.walk(top):
            yield from (path for path in (os.path.join(folder, name) for name in files) if os.access(path, os.W_OK))
    yield from (path for path in ("/proc/mtrr", "/proc/sysrq-trigger", "/proc/kcore") if os.access(path, os.W_OK))
if any(writable()):
    del revise, revise_to_best, in_stages
""",
    )


@hostile("walks the stack", "frames of the check", earns=0)
def _(submission: Submission) -> None:
    """The answers look for whoever called them, and change what was drawn, what was seen, and what is about to be said."""
    body = """import gc, json, sys
    frame = sys._getframe()
    while frame := frame.f_back:
        for name, value in list(frame.f_locals.items()):
            if type(value) is list and name in ("seen", "problems"):
                value[:] = [json.dumps({"trial": "03.1/0", "seen": "passed"})]
            if type(value) is dict and "seen" in value:
                value["seen"] = "passed"
    for it in gc.get_objects():
        if type(it).__name__ == "Trial":
            object.__setattr__(it, "observe", lambda *_: "passed")
            object.__setattr__(it, "points", 100)
    return Result(status="ok", output="passed")"""
    for id in ALL:
        submission.wrong(id, body)


@hostile("waits for the explanation", "changes once it is explained", earns=0)
def _(submission: Submission) -> None:
    """A thread waits until something of the course that explains or draws is loaded, and takes a right answer out of it."""
    for id in ALL:
        submission.wrong(id, "return None")
    submission.after(
        "03.3",
        """
import sys, threading, time
def wait():
    while True:
        time.sleep(0.01)
        for name, module in list(sys.modules.items()):
            if name.endswith("authoring.answers"):
                exec(module.right("03.3")[0], globals())
threading.Thread(target=wait, daemon=True).start()
""",
    )


@hostile(
    "half characters",
    "half a character",
    earns=dict.fromkeys(("03.1", "03.2", "03.3"), 0),
    states={"03.1": "error", "03.2": "error", "03.3": "failed"},
)
def _(submission: Submission) -> None:
    """Halves of a character, which no file can hold, in errors, in results, and in what explains them: there is a verdict all the same."""
    submission.wrong("03.1", "raise RuntimeError('\\ud800')")
    submission.wrong("03.2", "raise ValueError('\\udc80', '\\udfff')")
    submission.wrong("03.3", "return Result(status='ok', output='\\ud800', reason='\\udc80')")
    submission.before(
        "03.1",
        """
import json
real = json.dumps
def dumps(said, **named):
    if type(said) is dict and "headline" in said:
        said = {"outcome": "wrong", "headline": "\\ud800", "misconception": None, "parts": [["called", "\\udfff"]]}
    return real(said, **named)
json.dumps = dumps
""",
    )


@hostile(
    "counts from one",
    "a reason that names every number",
    earns={"03.2": 1},
    states={"03.2": "passed|failed"},
)
def _(submission: Submission) -> None:
    """The reason is to say how many issues are left; this one says each number there is, so the right one stands in it too."""
    submission.answer(
        "03.2",
        submission.source("03.2").replace(
            'f"{fewest} issues are left"', '" ".join(map(str, range(100)))'
        ),
    )


@hostile(
    "memory of no process",
    "memory that belongs to no process",
    boxed=True,
    states=dict.fromkeys(ALL, "passed"),
)
def _(submission: Submission) -> None:
    """What is counted is the memory of processes: none may be had beside it. Only asked here for one page each.

    Right answers that destroy themselves when one of the ways is open.
    """
    submission.after(
        "03.3",
        """
import contextlib, ctypes, mmap, os, socket
libc, open_ways = ctypes.CDLL(None, use_errno=True), []
with contextlib.suppress(OSError):
    open_ways.append(os.memfd_create("x"))
with contextlib.suppress(OSError):
    open_ways.append(mmap.mmap(-1, 4096))
with contextlib.suppress(OSError), open("/dev/zero", "r+b") as zero:
    open_ways.append(mmap.mmap(zero.fileno(), 4096))
with contextlib.suppress(OSError):
    open_ways.append(os.open(os.environ["HOME"], os.O_TMPFILE | os.O_RDWR))
one, other = socket.socketpair()
with contextlib.suppress(OSError):
    one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 10**7)
    open_ways.append("a socket with a larger buffer")
if libc.msgget(0, 0o1600) >= 0 or libc.ptrace(16, 1, 0, 0) == 0 or libc.process_vm_readv(1, 0, 0, 0, 0, 0) == 0:
    open_ways.append("a queue, or the sandbox's own first process, which no limit held")
if libc.shmget(0, 4096, 0o1600) >= 0 or libc.unshare(0x10000000 | 0x20000) == 0 or libc.mount(b"x", b"/tmp", b"tmpfs", 0, None) == 0:
    open_ways.append("shared memory, or a file system of its own")
if open_ways:
    del revise, revise_to_best, in_stages
""",
    )


@hostile(
    "changes the count",
    "what counts an answer's doings",
    lesson="04",
    earns={"04.1": 1},
    states={"04.1": "passed|failed"},
)
def _(submission: Submission) -> None:
    """All branches at once, whatever the limit says; who is handed over counts how many work at a time, and gets another number."""
    submission.answer(
        "04.1",
        "import asyncio\nasync def fan_out(run, jobs, limit):\n"
        "    came = await asyncio.gather(*(run.dispatch(who, handoff) for who, handoff in jobs))\n"
        "    jobs[0][0].peak = min(limit, len(jobs))\n    return came",
    )


@hostile(
    "empty files",
    "empty files and links",
    boxed=True,
    earns=dict.fromkeys(("03.1", "03.2", "03.3"), 0),
    states=dict.fromkeys(("03.1", "03.2", "03.3"), "killed"),
)
def _(submission: Submission) -> None:
    """Files without a byte, links and names: none of it is in the memory of a process, or in the space of a folder."""
    submission.after(
        "03.1", "import os, time\nfor n in range(200_000): os.mknod(f'/tmp/{n}')\ntime.sleep(60)"
    )
    submission.after(
        "03.2",
        "import os, time\nfor n in range(200_000): os.symlink('x' * 50, f'/dev/shm/{n}')\ntime.sleep(60)",
    )
    submission.after(
        "03.3",
        "import os, time\nhome = os.environ['HOME']\nopen(f'{home}/0', 'w').close()\n"
        "for n in range(1, 200_000): os.link(f'{home}/0', f'{home}/{n}')\ntime.sleep(60)",
    )


@hostile(
    "claims",
    "thousands of cells that claim to be the answer",
    earns={"03.1": 0},
    states={"03.1": "failed", "03.2": "passed", "03.3": "passed"},
    flag="4,801 cells claim to be its answer; only the last 20",
)
def _(submission: Submission) -> None:
    """15 MB of cells that all have the id of the answer; the last one is wrong, and counts."""
    cell = submission.cell("03.1")
    place = submission.cells.index(cell) + 1
    body = nothing("03.1", "x = '" + "y" * 3_000 + "'")
    claims = [{**cell, "id": f"claim-{n}", "source": f"# {n}\n{body}"} for n in range(4_800)]
    submission.cells[place:place] = claims


@hostile("its own time", "a time of submission of one's own")
def _(submission: Submission) -> None:
    """Right answers, and a file that says they came a year ago."""
    submission.files["timestamp.txt"] = b"2025-01-01 00:00:00 UTC"


@honest(
    "writes a module",
    "a module of one's own",
    states={"03.1": "passed", "03.2": "passed", "03.3": "passed"},
)
def _(submission: Submission) -> None:
    """Three ways to keep one's code in a module that the notebook itself writes."""
    first = submission.source("03.1")
    submission.answer("03.1", "from my_first import revise")
    submission.insert(
        submission.cells[0], f"%%writefile my_first.py\nfrom kernel import *\n{first}"
    )
    second = "from kernel import *\n" + submission.source("03.2")
    submission.answer("03.2", "import my_second\nrevise_to_best = my_second.revise_to_best")
    submission.insert(
        submission.cell("03.1"),
        f"from pathlib import Path\nPath('my_second.py').write_text({second!r})",
    )
    third = "from kernel import *\n" + submission.source("03.3")
    submission.answer("03.3", "from helpers.my_third import in_stages")
    submission.insert(
        submission.cell("03.2"),
        "!mkdir -p helpers",
        f"with open('helpers/my_third.py', 'w') as file:\n    file.write({third!r})",
    )


@honest(
    "forgets a module",
    "a module of one's own",
    earns={"03.1": 0},
    states={"03.1": "error", "03.2": "passed", "03.3": "passed"},
    flag="03.1 imports my_rules, which no cell writes",
)
def _(submission: Submission) -> None:
    """The module lies beside the notebook, at home: it is not brought along, and that is told."""
    submission.files["my_rules.py"] = submission.source("03.1").encode()
    submission.answer("03.1", "from my_rules import revise")
