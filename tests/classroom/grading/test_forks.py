"""Kernels that are forked: the same marks, and as far apart from each other as those that are started one by one."""

from __future__ import annotations

import json

import psutil
import pytest

from classroom.grading import command, sandbox
from classroom.grading.sandbox.forks import ForkServer
from classroom.grading.sandbox.sandboxed_kernel import GradedKernel

from .small_class import alive, graded, marks, until

pytestmark = pytest.mark.skipif(
    bool(sandbox.missing()), reason=f"no sandbox here: {sandbox.missing()}"
)
LEAVE = """
import os
left = []
for folder, folders, _ in os.walk('/'):
    folders[:] = [it for it in folders if os.path.join(folder, it) not in ('/proc', '/sys', '/usr', SOCKETS)]
    try:
        with open(os.path.join(folder, 'left-behind'), 'w') as file: file.write('0')
        left.append(folder)
    except OSError: pass
print(left)
"""
"""A file in every folder that it may write to, but for that of the connection: the watch ends who does that."""
FIND = """
import os
found = []
for folder, folders, files in os.walk('/'):
    folders[:] = [it for it in folders if os.path.join(folder, it) not in ('/proc', '/sys', '/usr')]
    found += [os.path.join(folder, it) for it in files if it == 'left-behind']
print(found)
"""
PRY = """
import os
seen = []
for it in os.listdir('/proc'):
    if it.isdigit() and it != os.readlink('/proc/self'):
        for look in ('open("/proc/{}/environ").read(1)', 'open("/proc/{}/maps").read(1)', 'open("/proc/{}/mem", "rb")', 'open("/proc/{}/fd/0")',
                     'os.listdir("/proc/{}/root")', 'os.listdir("/proc/{}/cwd")', 'os.readlink("/proc/{}/exe")'):
            try: eval(look.format(it))
            except OSError: continue
            seen.append(look.format(it))
print(seen)
"""
"""What can be reached of a process that is not its own: of the server, and of what stands between it and the kernel."""


@pytest.fixture(scope="module")
def server(material):
    started = ForkServer(material)
    yield started
    family = {
        started.process.pid,
        *(process.pid for process in psutil.Process(started.process.pid).children(recursive=True)),
    }
    started.stop()
    until(lambda: not alive(family), "the end of the fork server")
    assert not started.share.exists()


@pytest.fixture
def kernels(server):
    """Makes a forked kernel; all of them are ended."""
    made = []

    def start():
        made.append(GradedKernel(server.share, server))
        return made[-1]

    yield start
    for kernel in made:
        kernel.stop()


def run(kernel, code):
    outcome = kernel.run(code, 20)
    assert outcome.ended == "ok", outcome
    return outcome.stdout()


def test_marks_are_those_of_kernels_started_one_by_one_and_the_report_says_forked(
    plain_class, tmp_path
):
    submissions, plain, found = plain_class
    graded(submissions, tmp_path, "--workers", 1, "--fork")
    assert marks(tmp_path) == found
    for out, kind in ((plain, "plain"), (tmp_path, "forked")):
        assert {
            json.loads(path.read_text(encoding="utf-8"))["kernel"]
            for path in (out / "results").iterdir()
        } == {kind}


def test_what_a_submission_writes_and_patches_is_not_there_for_the_next(kernels):
    first = kernels()
    left = run(first, f"SOCKETS = {str(first.sockets)!r}\n{LEAVE}")
    assert "/home/learner" in left and "/tmp" not in left, (
        "/tmp is where folders of this machine are"
    )
    run(
        first,
        "import kernel, builtins, sys; kernel.Result = None; builtins.left = 1; sys.path.insert(0, '/home/learner')",
    )
    assert "left-behind" in run(first, FIND)
    first.stop()
    second = kernels()
    assert run(second, FIND) == "[]\n"
    assert run(
        second,
        "import kernel, builtins, sys; print(kernel.Result.__name__, hasattr(builtins, 'left'), '/home/learner' in sys.path)",
    ) == ("Result False False\n")


def test_a_submission_sees_its_own_folder_only_and_nothing_of_other_processes_but_that_they_are_there(
    kernels, server
):
    (server.share / "gother").mkdir()
    (server.share / "gother" / "k.json").write_text("secret", encoding="utf-8")
    kernel = kernels()
    assert (
        run(kernel, f"import os; print(os.listdir({str(server.share)!r}))")
        == f"[{kernel.folder.name!r}]\n"
    )
    assert run(kernel, PRY) == "[]\n"


def test_a_submission_that_kills_itself_is_dead(kernels):
    """As with a kernel of its own: process 1 of a namespace could not."""
    outcome = kernels().run("import os; os.kill(os.getpid(), 9)", 20)
    assert outcome.ended == "killed" and "SIGKILL" in outcome.reason


@pytest.mark.parametrize(
    "code",
    [
        "import socket; socket.create_connection(('127.0.0.1', 22), 2)",
        "import socket; socket.create_connection(('192.0.2.1', 80), 2)",
        "import kernel; open(kernel.__file__, 'a')",
        "import sys; open(sys.prefix + '/x', 'w')",
        "open('/x', 'w')",
        "import ctypes; assert ctypes.CDLL(None).mount(b'none', b'/tmp', b'tmpfs', 0, None) == 0",
        "import ctypes; assert ctypes.CDLL(None).umount2(b'/tmp', 2) == 0",
        "import os; os.kill(1, 9); os.kill(-1, 9)",
    ],
)
def test_what_a_submission_may_not_do_is_refused(kernels, code):
    outcome = kernels().run(code, 20)
    assert outcome.ended == "error", outcome


def test_nothing_of_a_submission_is_alive_after_its_end(kernels, server):
    kernel = kernels()
    run(
        kernel,
        "import subprocess, sys; [subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(300)'], start_new_session=True) for _ in 'ab']",
    )
    family = {process.pid for process in server.family()}
    assert len(family) >= 3
    kernel.stop()
    until(lambda: not alive(family), "the end of all that it started")
    assert run(kernels(), "print(1)") == "1\n", "the server forks on"


def test_a_submission_that_kills_its_kernel_ends_nobody_elses(kernels):
    outcome = kernels().run("import os; os._exit(3)", 20)
    assert outcome.ended == "killed"
    assert run(kernels(), "print(2)") == "2\n"


def test_without_a_sandbox_it_is_refused_in_a_line(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(
        "classroom.grading.sandbox.missing", lambda: "the program bwrap is not installed"
    )
    assert command.main([str(tmp_path), "--out", str(tmp_path / "out"), "--fork"]) == 2
    output = capsys.readouterr().err
    assert (
        output.count("\n") == 1
        and "bwrap is not installed" in output
        and "--fork needs one" in output
        and not (tmp_path / "out").exists()
    )
