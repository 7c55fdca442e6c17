"""Recipes that end their kernel, never end, or use up what a machine has. Each of them costs its own exercise, nobody else's."""

from __future__ import annotations

import sys

from .submission import Submission, hostile

TIMEOUT_S = 3.0
"""The limit for one cell in the suite's run."""

OVERFLOWS = sys.version_info < (3, 12)
"""Whether a deep recursion in C ends the process; a newer Python raises RecursionError, and the answer above it counts."""


@hostile(
    "ends itself",
    "os._exit",
    "SIGKILL",
    earns={"03.1": 0, "03.2": 0},
    states={"03.1": "killed", "03.2": "killed", "03.3": "passed"},
)
def _(submission: Submission) -> None:
    """The kernel is gone in the middle of a cell; the third answer is right and keeps its points."""
    submission.after("03.1", "import os\nos._exit(0)")
    submission.after("03.2", "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")


@hostile(
    "leaves",
    "SystemExit",
    "quit()",
    "segfault",
    earns={"03.3": 0},
    states={"03.1": "passed", "03.2": "passed", "03.3": "killed"},
)
def _(submission: Submission) -> None:
    """Right answers, after which the learner says goodbye; the crash is the only one that takes its answer along."""
    submission.after("03.1", "quit()")
    submission.after("03.2", "raise SystemExit")
    submission.after("03.3", "import ctypes\nctypes.string_at(0)")


@hostile(
    "never ends",
    "endless loop",
    "a loop that catches BaseException",
    "endless await",
    earns=dict.fromkeys(("03.1", "03.2", "03.3"), 0),
    states=dict.fromkeys(("03.1", "03.2", "03.3"), "timeout"),
)
def _(submission: Submission) -> None:
    """Three ways to stay forever: an interrupt helps against none of them."""
    submission.after("03.1", "while True:\n    pass")
    submission.after(
        "03.2",
        "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass",
    )
    submission.after("03.3", "import asyncio\nawait asyncio.sleep(1e6)")


@hostile(
    "waits",
    "a blocking C call",
    "input()",
    "deep recursion",
    earns={"03.1": 0} | ({"03.3": 0} if OVERFLOWS else {}),
    states={"03.1": "timeout", "03.2": "passed", "03.3": "killed" if OVERFLOWS else "passed"},
)
def _(submission: Submission) -> None:
    """A C function that holds the interpreter's lock; a question that nobody answers (the answer above it counts); a C stack that overflows."""
    submission.after("03.1", 'import re\nre.match(r"(a+)+$", "a" * 60 + "b")')
    submission.after("03.2", 'input("Your name? ")')
    submission.after(
        "03.3",
        "import sys\nsys.setrecursionlimit(10**9)\nnest = []\nfor _ in range(10**6):\n    nest = [nest]\nrepr(nest)",
    )


@hostile(
    "recurses and shouts",
    "deep recursion",
    "script in feedback",
    "ANSI",
    earns=dict.fromkeys(("03.1", "03.2", "03.3"), 0),
    states={"03.1": "failed", "03.2": "error", "03.3": "failed"},
)
def _(submission: Submission) -> None:
    """Endless recursion in the function, caught at its bottom; what an answer says is shown as text, whatever it holds."""
    submission.answer(
        "03.1",
        "async def revise(*given):\n    try:\n        return await revise(*given)\n    except RecursionError:\n        return None",
    )
    submission.wrong(
        "03.2",
        "raise RuntimeError('<script>alert(\"feedback\")</script>\\x1b[31m=1+1\\u202e\\r\\x00')",
    )
    submission.wrong(
        "03.3",
        "return Result(status='ok', output='<script>alert(\"feedback\")</script>', reason='\\x1b[31m=1+1\\u202e')",
    )


@hostile(
    "bombs",
    "memory bomb",
    "bounded fork bomb",
    "a thousand threads",
    earns=dict.fromkeys(("03.1", "03.2", "03.3"), 0),
    states={"03.1": "killed|timeout", "03.2": "killed|timeout", "03.3": "killed|timeout"},
)
def _(submission: Submission) -> None:
    """Memory, processes and threads, each until a limit is met."""
    submission.answer("03.1", "kept = []\nwhile True:\n    kept.append(b'x' * 2**26)")
    submission.answer(
        "03.2",
        "import os, time\nfor _ in range(300):\n    if os.fork() == 0:\n        time.sleep(600)\n        os._exit(0)\ntime.sleep(600)",
    )
    submission.answer(
        "03.3",
        "import threading, time\nfor _ in range(1000):\n    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()\n"
        "time.sleep(600)",
    )


@hostile(
    "floods",
    "disk bomb",
    "300 MB print",
    "100,000 outputs",
    earns={"03.2": 0, "03.3": 0},
    states={"03.1": "passed", "03.2": "killed|timeout", "03.3": "killed"},
    boxed=True,
)
def _(submission: Submission) -> None:
    """The disk is full at 64 MB, which is an exception of the answer's own; output is counted while it arrives."""
    submission.after(
        "03.1", "for n in range(1000):\n    open(f'/tmp/{n}', 'wb').write(b'x' * 2**24)"
    )
    submission.after("03.2", "print('x' * 300_000_000)")
    submission.after(
        "03.3",
        "from IPython.display import publish_display_data\nfor n in range(100_000):\n"
        "    publish_display_data({'text/plain': str(n)})",
    )


@hostile(
    "just in time",
    "a sleep just under the limit in each cell",
    states={"03.1": "passed", "03.2": "passed", "03.3": "passed"},
)
def _(submission: Submission) -> None:
    """Slow is allowed: each answer's cell takes nearly all the time that one cell may."""
    for id in ("03.1", "03.2", "03.3", "03.4"):
        submission.before(id, f"import time\ntime.sleep({TIMEOUT_S - 1})")


@hostile(
    "leaves a child",
    "a child that outlives the kernel",
    states={"03.1": "passed", "03.2": "passed", "03.3": "passed"},
)
def _(submission: Submission) -> None:
    """Right answers; a process in a session of its own, twice removed from the kernel, waits for the grader to go."""
    submission.after(
        "03.1",
        "import subprocess, sys\n"
        "left = subprocess.Popen([sys.executable, '-c', 'import os, subprocess, sys\\n"
        'subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", "left-behind"], start_new_session=True)\'],\n'
        "    start_new_session=True)\nleft.wait()",
    )
    submission.after(
        "03.2",
        "import signal\nfor number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):\n    signal.signal(number, signal.SIG_IGN)",
    )


@hostile("later", "a thread that flips answers later", earns=0)
def _(submission: Submission) -> None:
    """Wrong answers under names that a thread keeps changing, to whatever might be liked."""
    for id in ("03.1", "03.2", "03.3", "03.4"):
        submission.wrong(id, "return None")
    submission.after(
        "03.3",
        "import itertools, threading, time\n\ndef flip():\n    for liked in itertools.cycle((None, True, revise, 'passed')):\n"
        "        globals()['revise_to_best'] = liked\n        time.sleep(0.001)\n\nthreading.Thread(target=flip, daemon=True).start()",
    )


@hostile("forgets", "%reset", earns={"03.4": 0})
def _(submission: Submission) -> None:
    """The last cell deletes every name: the checks above it have looked already, its own finds nothing."""
    submission.after("03.4", "get_ipython().run_line_magic('reset', '-f')")


@hostile(
    "surroundings",
    "a closed event loop",
    "changed cwd",
    "patched clock and seeds",
    states={"03.1": "passed", "03.2": "passed", "03.3": "passed"},
)
def _(submission: Submission) -> None:
    """Right answers in odd surroundings: none of it is what they are asked about."""
    submission.after(
        "03.1",
        "import asyncio\nother = asyncio.new_event_loop()\nasyncio.set_event_loop(other)\nother.close()",
    )
    submission.after("03.2", "import os\nos.chdir('/')")
    submission.after("03.3", "import random, time\nrandom.seed(0)\ntime.time = lambda: 0.0")


@hostile(
    "deletes",
    "files deleted",
    boxed=True,
    states={"03.1": "passed", "03.2": "passed", "03.3": "passed"},
)
def _(submission: Submission) -> None:
    """Right answers that delete all they can: the course is read-only, and the next kernel has a scratch folder of its own."""
    submission.after(
        "03.1",
        "import kernel, os, pathlib, shutil, sys\n"
        "for folder in (pathlib.Path.cwd(), pathlib.Path(kernel.__file__).parent, pathlib.Path('/tmp'), pathlib.Path('/home')):\n"
        "    shutil.rmtree(folder, ignore_errors=True)",
    )
