"""An interrupted run keeps what it has, and the same command does the rest."""

from __future__ import annotations

import csv
import multiprocessing
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
import pytest

from classroom.grading import command, out_folder, reports, sandbox
from classroom.grading.sandbox import orphans
from tests.places import ROOT

from .small_class import (
    LEARNERS,
    alive,
    graders_of,
    hand_in,
    heeds_signals,
    interrupt,
    kernels_of,
    marks,
    started,
    until,
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals as POSIX has them")


def test_what_was_finished_stays_and_the_same_command_grades_only_the_rest(
    tmp_path, table_engine, capsys
):
    given = hand_in(tmp_path / "class", {name: LEARNERS["ada"] for name in ("a", "b", "c", "d")})
    out = tmp_path / "out"
    table_engine(2)
    assert command.main([str(given), "--out", str(out)]) == 130
    printed = capsys.readouterr()
    assert "The same command goes on from here" in printed.err
    assert not list((out / "results").glob("*.part")) and not (out / "work").exists()
    before = {path.name: path.read_bytes() for path in (out / "results").iterdir()}
    assert len(before) == 2
    with (out / "gradebook.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = {row["learner"]: row for row in csv.DictReader(file)}
    waiting = [row for row in rows.values() if row["percent"] == ""]
    assert len(waiting) == 2, "who was not reached has no mark"
    assert all("stopped before its turn" in row["flags"] for row in waiting)
    assert {row["percent"] for row in rows.values()} == {"", "100.0"}
    assert "100% of the points on average" in printed.out and "nothing handed in" not in str(rows)
    assert command.main([str(given), "--out", str(out)]) == 0
    assert "2 graded before, 2 to do" in capsys.readouterr().out
    assert {name: (out / "results" / name).read_bytes() for name in before} == before
    assert len(marks(out)) == 48


def test_a_second_grading_into_the_same_folder_waits_for_no_one_and_harms_nothing(
    tmp_path, table_engine, capsys
):
    given, out = hand_in(tmp_path / "class", {"ada": LEARNERS["ada"]}), tmp_path / "out"
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        owner = out / "work" / out_folder.OWNER
        owner.parent.mkdir(parents=True)
        owner.write_text(f"{other.pid} {platform.node()}", encoding="utf-8")
        reports.mark(out)
        assert command.main([str(given), "--out", str(out)]) == 2
        printed = capsys.readouterr().err
        assert f"Another grading (process {other.pid}) is at work in {out}" in printed
        other.kill()
    assert command.main([str(given), "--out", str(out)]) == 0  # as one that was killed leaves it


ALSO = pytest.mark.exhaustive
"""Taken as another request to end is, so `--all` shows it."""
SIGNS = [
    signal.SIGINT,
    signal.SIGKILL,
    pytest.param(signal.SIGTERM, marks=ALSO),
    pytest.param(signal.SIGHUP, marks=ALSO),
]


@pytest.mark.parametrize("sign", SIGNS)
def test_nothing_goes_on_when_the_command_has_ended_however_it_ended(tmp_path, sign):
    given = hand_in(tmp_path / "class", {"ada": LEARNERS["ada"]})
    process = started(given, tmp_path / "out", "--workers", 1)
    [number] = until(lambda: graders_of(process.pid), "a process of the pool")
    family = until(lambda: kernels_of(number), "its kernel")
    if sign == signal.SIGINT:
        interrupt(process)
    else:
        process.send_signal(sign)
        process.wait(60)
    until(lambda: not alive({number, *family}), "the end of both")
    until(lambda: not [folder for folder in family.values() if folder.exists()], "its folders' end")
    assert not list((tmp_path / "out" / "results").iterdir())


@pytest.fixture
def scratch():
    """A folder for temporary files with a short path, as sockets need it."""
    folder = Path(tempfile.mkdtemp(prefix="t", dir="/tmp"))
    yield folder
    shutil.rmtree(folder)


def begun(scratch, *words):
    """A command in a session of its own, with its temporary files in `scratch`."""
    return subprocess.Popen(
        [sys.executable, "-P", *map(str, words)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(scratch)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        preexec_fn=heeds_signals,
    )


@pytest.mark.parametrize("sign", [signal.SIGTERM, pytest.param(signal.SIGHUP, marks=ALSO)])
@pytest.mark.parametrize(
    "way", ["pytest", *(pytest.param(way, marks=ALSO) for way in ("our own solution", "--try"))]
)
def test_who_is_asked_to_end_leaves_no_process_and_no_folder(tmp_path, scratch, sign, way):
    """In the middle of the first kernel, where our own solution shows what is right."""
    out = tmp_path / "out"
    submissions = hand_in(tmp_path / "class", {"ada": LEARNERS["ada"]})
    grade = ["-m", "workshop.grading"]
    plugin = ["-m", "pytest", "-p", "workshop.grading", "-p", "no:cacheprovider", "--grade"]
    no_box = ["--without-sandbox"] if sandbox.missing() else []
    words = {
        "our own solution": [*grade, submissions, "--out", out, *no_box],
        "--try": [*grade, "--try", "--exercise", "03"],
        "pytest": [
            *plugin,
            *submissions.glob("*/*.ipynb"),
            *(f"--grade{option[1:]}" for option in no_box),
        ],
    }[way]
    process = begun(scratch, *words)
    family = until(lambda: kernels_of(process.pid), "a kernel")
    process.send_signal(sign)
    output, _ = process.communicate(timeout=120)
    assert process.returncode in (2, 130), output
    until(lambda: not alive(set(family)), "the end of the kernel")
    assert not list(scratch.iterdir()), output
    assert not (out / "work").exists()


KILLED = """
import sys, time
from pathlib import Path
from classroom.grading import sandbox
from classroom.grading.sandbox.sandboxed_kernel import GradedKernel
if sys.argv[2] == "bare":
    sandbox.missing = lambda: "none in this test"
kernel = GradedKernel(Path(sys.argv[1]))
kernel.run("import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'while 1: pass'])", 20)
print(kernel.folder, flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("box", ["boxed", "bare"])
def test_no_process_and_no_folder_outlives_a_grader_that_is_killed(box, material):
    """By SIGKILL, after which nothing of its own can clear up."""
    command = [sys.executable, "-c", KILLED, str(material), box]
    grader = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    folder = Path(grader.stdout.readline().strip())
    family = psutil.Process(grader.pid).children(recursive=True)
    assert folder.is_dir() and len(family) >= 2
    grader.kill()
    grader.communicate()
    until(lambda: not alive({child.pid for child in family}), "the end of the kernel")
    until(lambda: not folder.exists(), "the end of its folder")


STUBBORN = """
import signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
code = "import time; time.sleep(100)"
subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
"""


def stubborn(pipe):
    exec(STUBBORN)
    pipe.send(1)
    time.sleep(100)


def test_a_process_that_does_not_end_when_it_is_asked_to_is_killed_with_what_it_started(
    monkeypatch,
):
    monkeypatch.setattr(orphans, "GRACE_S", 0.5)
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=stubborn, args=[theirs])
    process.start()
    assert ours.recv()
    family = {process.pid, *(child.pid for child in psutil.Process(process.pid).children())}
    orphans.end([process])
    assert len(family) == 2
    until(lambda: not alive(family), "their end")
