"""What a submission's kernel can see, reach and use up; and that nothing of it is left."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import time

import psutil
import pytest

from classroom.grading import sandbox, staged
from classroom.grading.intake.answers import Merged
from classroom.grading.plan import GradingPlan
from classroom.grading.sandbox.sandboxed_kernel import GradedKernel, KernelFailed
from classroom.grading.sandbox.spent import TimeSpent
from classroom.grading.sandbox.watch import MOST_FILES, files_made
from classroom.grading.staged import StagedNotebook

from .small_class import alive

in_a_sandbox = pytest.mark.skipif(
    bool(sandbox.missing()), reason=f"no sandbox here: {sandbox.missing()}"
)


def test_a_cell_gives_its_outputs_and_the_next_one_knows_its_names(kernel):
    assert kernel.run("x = 20\nprint(x + 1)", 10).stdout() == "21\n"
    outcome = kernel.run("print(x)\n1 / 0", 10)
    assert (outcome.ended, outcome.reason, outcome.stdout()) == (
        "error",
        "ZeroDivisionError: division by zero",
        "20\n",
    )
    assert kernel.run("print('still there')", 10).ended == "ok"


def test_the_course_is_there_and_neither_checks_nor_solutions_are(kernel, material):
    code = "from workshop.checks import check, hint; check('03.1', 1)"
    assert kernel.run(f"import kernel; kernel.Corpus(); {code}", 10).ended == "ok"
    seen = kernel.run(LOOK.format("/" if not sandbox.missing() else material), 30).stdout()
    names = {line.rpartition(" ")[2] for line in seen.splitlines() if "__pycache__" not in line}
    assert names == {"observe.py"}, seen


LOOK = """
import os
for folder, _, files in os.walk('{}'):
    for it in files:
        if 'lesson_0' in folder or it.startswith('03_det'): print(folder, it)
"""
"""In a sandbox all that there is; else the course: other folders of this machine are in sight then."""


SEEN_AT_HOME = """
import os, sys
ours = (sys.prefix, sys.base_prefix, os.path.expanduser('~'), os.environ['PYTHONPATH'])
print([os.path.join(folder, it) for folder, _, files in os.walk('/home') for it in files if not folder.startswith(ours)])
try: open('/home/left-behind', 'w')
except OSError: print('read-only')
"""


@in_a_sandbox
def test_no_secret_no_folder_and_no_process_of_this_machine_is_in_sight(kernel):
    seen = kernel.run(
        "import os\nprint(sorted(os.environ), os.listdir(os.path.expanduser('~')))\n"
        "print([it for it in os.listdir('/proc') if it.isdigit()], open('/proc/1/environ').read())",
        10,
    ).stdout()
    assert "ANTHROPIC" not in seen and "SSH" not in seen
    assert len(seen.splitlines()[1].split("]")[0].split(",")) <= 3
    assert kernel.run(SEEN_AT_HOME, 20).stdout() == "[]\nread-only\n", (
        "Python and the course may be installed below /home, and nothing else is to be seen there"
    )


REFUSED = [
    ("import socket; socket.create_connection(('192.0.2.1', 80), 2)", "unreachable"),
    ("import socket; socket.create_connection(('127.0.0.1', 22), 2)", "Connection refused"),
    ("import socket; socket.getaddrinfo('example.org', 80)", "gaierror"),
    (
        "import kernel, pathlib; pathlib.Path(kernel.__file__).write_text('')",
        "Read-only file system",
    ),
    (
        "import sys, pathlib; pathlib.Path(sys.prefix, 'x').write_text('')",
        "Read-only file system",
    ),
    ("open('/x', 'w')", "Read-only file system"),
    ("import os; os.memfd_create('x')", "Operation not permitted"),
    (
        "import os\nos.open(os.environ['HOME'], os.O_TMPFILE | os.O_RDWR)",
        "Operation not permitted",
    ),
    (
        "import socket\none, other = socket.socketpair()\n"
        "one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 10**7)",
        "Operation not permitted",
    ),
    *(
        (
            f"import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\n"
            f"done = libc.{call}\nraise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))",
            "Operation not permitted",
        )
        for call in (
            "ptrace(16, 1, 0, 0)",
            "process_vm_readv(1, 0, 0, 0, 0, 0)",
            "process_vm_writev(1, 0, 0, 0, 0, 0)",
            "syscall(438, 0, 0, 0)",
            "shmget(0, 4096, 0o1600)",
            "msgget(0, 0o1600)",
            "umount2(b'/tmp', 2)",
        )
    ),
]
FULL = [
    f"for at in range(9): open(f'{folder}/{{at}}', 'wb').write(bytes(2**24))"
    for folder in ("/home/learner", "/dev/shm")
]


@in_a_sandbox
def test_what_is_out_of_reach_is_an_error_of_the_answer(kernel, subtests):
    """All in one kernel: what is refused changes nothing. The folders are filled last."""
    for code, message in [*REFUSED, *((code, "No space left") for code in FULL)]:
        with subtests.test(code=code):
            outcome = kernel.run(code, 20)
            assert outcome.ended == "error" and message in outcome.reason


@in_a_sandbox
def test_process_1_is_under_the_filter_and_the_limits_of_the_kernel(kernel):
    """Whoever could drive it would be past both."""
    state = kernel.run("print(open('/proc/1/status').read())", 10).stdout()
    assert re.search(r"Seccomp:\s+2", state) and re.search(r"NoNewPrivs:\s+1", state)
    limits = kernel.run("print(open('/proc/1/limits').read())", 10).stdout()
    for name, limit in (
        ("file size", 64 * 2**20),
        ("open files", 200),
        ("address space", 4 * 2**30),
    ):
        assert re.search(rf"Max {name}\s+{limit}\s+{limit}", limits), limits


MADE = {
    "files": "os.mknod(f'{at}/{n}')",
    "folders": "os.mkdir(f'{at}/{n}')",
    "links": "os.symlink('x', f'{at}/{n}')",
    "second names": "n or os.mknod(f'{at}/0'); n and os.link(f'{at}/0', f'{at}/{n}')",
    "files of a child": "n or os.fork(); os.mknod(f'{at}/{n}-{os.getpid()}')",
}


@in_a_sandbox
@pytest.mark.parametrize(
    "kind",
    [
        "files of a child",
        "second names",
        *(
            pytest.param(kind, marks=pytest.mark.exhaustive)
            for kind in ("files", "folders", "links")
        ),
    ],
)
def test_empty_files_and_links_are_counted(kernel, kind):
    made = f"import os, time\nat = os.environ['HOME']\nfor n in range({MOST_FILES + 1000}): {MADE[kind]}"
    outcome = kernel.run(f"{made}\ntime.sleep(30)", 20)
    assert (
        outcome.ended == "killed" and f"more than {MOST_FILES:,} files and links" in outcome.reason
    )


@in_a_sandbox
def test_they_are_counted_in_all_folders_together(kernel):
    part = MOST_FILES // len(sandbox.SCRATCH) + 1000
    outcome = kernel.run(
        f"import os, time\nfor at in {sandbox.SCRATCH}:\n"
        f"    for n in range({part}): os.mknod(f'{{at}}/{{n}}')\ntime.sleep(30)",
        20,
    )
    assert outcome.ended == "killed" and "files and links" in outcome.reason


@in_a_sandbox
def test_a_thousand_files_are_nobodys_business(kernel):
    outcome = kernel.run("import os\nfor n in range(1000): os.mknod(f'/tmp/{n}')", 20)
    assert outcome.ended == "ok" and files_made(kernel._processes(), sandbox.SCRATCH) >= 1000


SOCKETS = """
import os, socket, time
pairs = []
for child in range(30):
    if not os.fork():
        try:
            while True:
                pairs.append(socket.socketpair())
        except OSError:
            time.sleep(30)
        os._exit(0)
time.sleep(30)
"""


@in_a_sandbox
def test_memory_that_sockets_could_hold_is_counted(kernel):
    outcome = kernel.run(SOCKETS, 20)
    assert outcome.ended == "killed" and "of memory" in outcome.reason


@in_a_sandbox
def test_a_file_that_has_lost_its_name_is_found_where_only_the_connection_belongs(kernel):
    outcome = kernel.run(
        f"import os, time\nfile = open({str(kernel.sockets / 'x')!r}, 'wb')\n"
        f"os.unlink(file.name)\nfile.write(bytes(10**6))\ntime.sleep(30)",
        20,
    )
    assert outcome.ended == "killed" and "only the connection belongs" in outcome.reason


@in_a_sandbox
def test_what_begins_shortly_before_the_end_of_a_cell_is_counted_too(kernel):
    outcome = kernel.run(
        "import threading, time\n"
        "for _ in range(330): threading.Thread(target=time.sleep, args=(30,)).start()",
        20,
    )
    assert outcome.ended == "killed" and "threads" in outcome.reason


@pytest.mark.parametrize(
    "code, ended, reason",
    [
        ("import os; os._exit(3)", "killed", "ended itself (status 3)"),
        (
            "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
            "timeout",
            "no end after 1 seconds of the processor",
        ),
        ("import asyncio; await asyncio.sleep(1e6)", "timeout", "in most of which it slept"),
        ("for at in range(5000): display(at)", "killed", "2,000 outputs"),
        ("for at in range(60): print('x' * 100_000)", "killed", "more output"),
        ("get_ipython().kernel.session.key = b'forged'; print(1)", "killed", "cannot be read"),
    ],
)
def test_a_cell_that_breaks_a_limit_ends_with_a_reason_and_so_does_its_kernel(
    kernel, code, ended, reason
):
    outcome = kernel.run(code, 1 if ended == "timeout" else 20)
    assert outcome.ended == ended and reason in outcome.reason
    assert not kernel.is_alive()


@pytest.mark.parametrize(
    "took, why",
    [
        (TimeSpent(clock=2, ran=11), "ran"),
        (TimeSpent(clock=29, ran=9, waited=20), ""),
        (TimeSpent(clock=31, ran=9, waited=20), "waited"),
        (TimeSpent(clock=31, ran=1, waited=1), "slept"),
    ],
)
def test_seconds_of_the_processor_are_charged_and_the_clock_tells_sleep_from_a_busy_machine(
    took, why
):
    assert took.over(10, wide=3) == why


RESTLESS = """
import os
if not os.fork():
    if os.fork(): os._exit(0)
    os.closerange(0, 200)
    while True:
        if os.fork(): os._exit(0)
        os.setsid()
"""


@in_a_sandbox
def test_a_submission_that_forks_without_end_ends_whole_and_leaves_nothing(kernel):
    assert kernel.run(RESTLESS, 20).ended == "ok"
    outer, first, *_ = kernel._processes()
    inside = os.readlink(f"/proc/{first.pid}/ns/pid")
    kernel.stop()
    left = []
    for process in psutil.process_iter():
        with contextlib.suppress(OSError):
            left += [process] * (os.readlink(f"/proc/{process.pid}/ns/pid") == inside)
    assert not left and not alive({outer.pid, first.pid})
    assert not psutil.pid_exists(outer.pid) and not psutil.pid_exists(first.pid)


@pytest.mark.skipif(
    sys.platform == "win32", reason="processes are counted, but not limited, on Windows"
)
@pytest.mark.parametrize(
    "code, reason",
    [
        ("hoard = [bytearray(10**7) for _ in range(10**4)]", "of memory"),
        (
            "import threading, time\nfor _ in range(1000): threading.Thread(target=time.sleep, args=(9,)).start()",
            "threads",
        ),
        (
            "import subprocess, sys, time\nfor _ in range(60): subprocess.Popen(['sleep', '9'])\ntime.sleep(9)",
            "processes",
        ),
    ],
)
def test_what_all_processes_of_a_submission_use_is_limited_together(kernel, code, reason):
    outcome = kernel.run(code, 20)
    assert outcome.ended == "killed" and reason in outcome.reason


MANY = """
import threading, time
for _ in range(450):
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
print("all there", flush=True)
time.sleep(600)
"""


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="nobody limits the tasks of this user"
)
def test_what_else_its_user_runs_takes_no_thread_from_an_answer(material):
    with subprocess.Popen([sys.executable, "-c", MANY], stdout=subprocess.PIPE) as others:
        try:
            assert others.stdout.readline()
            kernel = GradedKernel(material)
            code = "import threading, time\nfor _ in range(20): threading.Thread(target=time.sleep, args=(1,)).start()"
            assert kernel.run(code, 20).ended == "ok"
            kernel.stop()
        finally:
            others.kill()


@pytest.mark.parametrize("alone, refuses", [(False, False), (True, True), (True, False)])
def test_a_machine_that_gives_no_thread_is_to_blame_and_not_the_answer(
    kernel, monkeypatch, alone, refuses
):
    """Who only says so is tried again alone, and believed no more."""
    monkeypatch.setattr(staged, "refuses_tasks", lambda: refuses)
    notebook = StagedNotebook(Merged("03"), GradingPlan(1, alone=alone), 3)
    notebook.kernel = kernel
    blames = contextlib.nullcontext() if alone and not refuses else pytest.raises(KernelFailed)
    with blames:
        notebook.run('print("can\'t start new thread")')


@pytest.mark.skipif(sys.platform == "win32", reason="needs a session of its own")
def test_a_child_in_a_session_of_its_own_ends_with_the_kernel(material):
    kernel = GradedKernel(material)
    mark = f"{time.time_ns() % 10**6}.5"
    kernel.run(
        f"import subprocess; subprocess.Popen(['sleep', '{mark}'], start_new_session=True)", 10
    )
    kernel.stop()
    deadline = time.monotonic() + 60
    while any(
        mark in (process.info["cmdline"] or []) for process in psutil.process_iter(["cmdline"])
    ):
        assert time.monotonic() < deadline, "it is still running"
