"""What a submission's kernel can see, reach and use up; and that nothing of it is left."""

from __future__ import annotations

import sys
import threading
import time

import psutil
import pytest

from workshop.grading import course, sandbox
from workshop.grading.kernel import GradedKernel

in_a_sandbox = pytest.mark.skipif(bool(sandbox.missing()), reason=f"no sandbox here: {sandbox.missing()}")


@pytest.fixture(scope="module")
def material(tmp_path_factory):
    return course.prepare(tmp_path_factory.mktemp("grading") / "course")


@pytest.fixture
def kernel(material):
    started = GradedKernel(material)
    yield started
    started.stop()
    assert not started.folder.exists()


def test_a_cell_gives_its_outputs_and_the_next_one_knows_its_names(kernel):
    assert kernel.run("x = 20\nprint(x + 1)", 10).stdout() == "21\n"
    outcome = kernel.run("print(x)\n1 / 0", 10)
    assert (outcome.ended, outcome.reason, outcome.stdout()) == ("error", "ZeroDivisionError: division by zero", "20\n")
    assert kernel.run("print('still there')", 10).ended == "ok"


def test_the_course_is_there_and_neither_checks_nor_solutions_are(kernel):
    assert kernel.run("import kernel; kernel.Corpus(); from workshop.checks import check, hint; check('03.1', 1)", 10).ended == "ok"
    seen = kernel.run("import os\nfor folder, _, files in os.walk('/'):\n    for it in files:\n"
                      "        if it.startswith(('lesson_0', '03_det')): print(folder, it)", 30).stdout()
    assert seen and all("/trials" in line for line in seen.splitlines()), seen


@in_a_sandbox
def test_no_secret_no_folder_and_no_process_of_this_machine_is_in_sight(kernel, monkeypatch):
    seen = kernel.run("import os\nprint(sorted(os.environ), os.listdir('/home'), os.listdir(os.path.expanduser('~')))\n"
                      "print([it for it in os.listdir('/proc') if it.isdigit()], open('/proc/1/environ').read())", 10).stdout()
    assert "ANTHROPIC" not in seen and "SSH" not in seen and "['learner']" in seen
    assert len(seen.splitlines()[1].split("]")[0].split(",")) <= 3


@in_a_sandbox
@pytest.mark.parametrize("code, said", [
    ("import socket; socket.create_connection(('192.0.2.1', 80), 2)", "unreachable"),
    ("import socket; socket.create_connection(('127.0.0.1', 22), 2)", "Connection refused"),
    ("import socket; socket.getaddrinfo('example.org', 80)", "gaierror"),
    ("import kernel, pathlib; pathlib.Path(kernel.__file__).write_text('')", "Read-only file system"),
    ("import sys, pathlib; pathlib.Path(sys.prefix, 'x').write_text('')", "Read-only file system"),
    ("open('/x', 'w')", "Read-only file system"),
    ("for at in range(9): open(f'/home/learner/{at}', 'wb').write(bytes(2**24))", "No space left"),
    ("for at in range(9): open(f'/dev/shm/{at}', 'wb').write(bytes(2**24))", "No space left"),
    ("import os; os.memfd_create('x')", "Operation not permitted"),
])
def test_what_is_out_of_reach_is_an_error_of_the_answer(kernel, code, said):
    outcome = kernel.run(code, 20)
    assert outcome.ended == "error" and said in outcome.reason


@pytest.mark.parametrize("code, ended, reason", [
    ("import os; os._exit(3)", "killed", "ended itself (status 3)"),
    ("while True:\n    try:\n        while True: pass\n    except BaseException: pass", "timeout", "no end after 1 seconds"),
    ("import asyncio; await asyncio.sleep(1e6)", "timeout", "no end after 1 seconds"),
    ("for at in range(5000): display(at)", "killed", "2,000 outputs"),
    ("for at in range(60): print('x' * 100_000)", "killed", "more output"),
    ("get_ipython().kernel.session.key = b'forged'; print(1)", "killed", "cannot be read"),
])
def test_a_cell_that_breaks_a_limit_ends_with_a_reason_and_so_does_its_kernel(kernel, code, ended, reason):
    outcome = kernel.run(code, 1 if ended == "timeout" else 20)
    assert outcome.ended == ended and reason in outcome.reason
    assert not kernel.is_alive()


def test_what_a_cell_waited_for_a_processor_is_not_held_against_it(kernel):
    others = threading.Timer(0.5, lambda: setattr(kernel, "_lost", kernel._lost + 60))
    others.start()
    outcome = kernel.run("import time; time.sleep(2)", 1)
    assert outcome.ended == "ok" and 2 <= outcome.lost <= outcome.seconds
    others = threading.Timer(0.5, lambda: setattr(kernel, "_lost", kernel._lost + 60))
    others.start()
    assert kernel.run("while True: time.sleep(9)", 1).ended == "timeout", "and yet there is an end"


@pytest.mark.skipif(sys.platform == "win32", reason="processes are counted, but not limited, on Windows")
@pytest.mark.parametrize("code, reason", [
    ("hoard = [bytearray(10**7) for _ in range(10**4)]", "of memory"),
    ("import threading, time\nfor _ in range(1000): threading.Thread(target=time.sleep, args=(9,)).start()", "threads"),
    ("import subprocess, sys, time\nfor _ in range(60): subprocess.Popen(['sleep', '9'])\ntime.sleep(9)", "processes"),
])
def test_what_all_processes_of_a_submission_use_is_limited_together(kernel, code, reason):
    outcome = kernel.run(code, 20)
    assert outcome.ended == "killed" and reason in outcome.reason


@pytest.mark.skipif(sys.platform == "win32", reason="needs a session of its own")
def test_a_child_in_a_session_of_its_own_ends_with_the_kernel(material):
    kernel = GradedKernel(material)
    mark = f"{time.time_ns() % 10**6}.5"
    kernel.run(f"import subprocess; subprocess.Popen(['sleep', '{mark}'], start_new_session=True)", 10)
    kernel.stop()
    deadline = time.monotonic() + 60
    while any(mark in (it.info["cmdline"] or []) for it in psutil.process_iter(["cmdline"])):
        assert time.monotonic() < deadline, "it is still running"
