"""An interrupted run keeps what it has, and the same command does the rest."""

from __future__ import annotations

import contextlib
import csv
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import psutil
import pytest

from classroom.grading import command, out_folder, sandbox
from classroom.grading.sandbox import orphans
from tests.places import ROOT

from .small_class import (
    LEARNERS,
    alive,
    graded,
    hand_in,
    heeds_signals,
    interrupt,
    marks,
    shards_of,
    started,
    until,
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals as POSIX has them")


def test_what_was_finished_stays_and_the_same_command_grades_only_the_rest(tmp_path):
    submissions, out = (
        hand_in(tmp_path / "class", {name: LEARNERS["ada"] for name in ("a", "b", "c", "d")}),
        tmp_path / "out",
    )
    process = started(submissions, out, "--workers", 1)
    until(lambda: list((out / "results").glob("*.json")), "the first report")
    output, errors = interrupt(process)
    assert process.returncode == 130 and "The same command goes on from here" in errors, (
        output + errors
    )
    assert not list((out / "results").glob("*.part")) and not (out / "work").exists()
    before = {path.name: path.read_bytes() for path in (out / "results").iterdir()}
    assert 1 <= len(before) < 4
    for text in before.values():
        assert [result["state"] for result in json.loads(text)["results"]] == ["passed"] * 12, (
            "half a verdict was reported"
        )
    with (out / "gradebook.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = {row["learner"]: row for row in csv.DictReader(file)}
    waiting = [row for row in rows.values() if row["percent"] == ""]
    assert len(waiting) == 4 - len(before), "who was not reached has no mark"
    assert all("stopped before its turn" in row["flags"] for row in waiting)
    assert {row["percent"] for row in rows.values()} == {"", "100.0"}
    assert "100% of the points on average" in output and "nothing handed in" not in str(rows)
    output = graded(submissions, out, "--workers", 1)
    done, todo = map(int, re.search(r"(\d) graded before, (\d) to do", output).groups())
    assert (done, todo) == (len(before), 4 - len(before))
    assert {name: (out / "results" / name).read_bytes() for name in before} == before
    assert {mark[0] for mark in marks(out).values()} == {1} and len(marks(out)) == 48


def test_a_second_grading_into_the_same_folder_waits_for_no_one_and_harms_nothing(tmp_path, capsys):
    submissions, out = hand_in(tmp_path / "class", {"ada": LEARNERS["ada"]}), tmp_path / "out"
    process = started(submissions, out, "--workers", 1)
    until(lambda: shards_of(process.pid), "a shard")
    assert command.main([str(submissions), "--out", str(out)]) == 2
    assert f"Another grading (process {process.pid}) is at work in {out}" in capsys.readouterr().err
    interrupt(process)
    (out / "work").mkdir()
    (out / "work" / out_folder.OWNER).write_text(
        f"{process.pid} {platform.node()}", encoding="utf-8"
    )  # as one that was killed leaves it
    assert "1 to do" in graded(submissions, out, "--workers", 1)


def kernels_of(shard):
    """By the number of its process, the folder of each kernel of a shard."""
    found = {}
    family = []
    with contextlib.suppress(psutil.Error):  # it is being started
        family = psutil.Process(shard).children(recursive=True)
    for process in family:
        with contextlib.suppress(psutil.Error):
            if any("kernel_start.py" in word for word in process.cmdline()):
                found[process.pid] = Path(process.cmdline()[-1]).parent.parent
    return found


def forks_of(number):
    """The processes that fork kernels, of a shard."""
    found = set()
    with contextlib.suppress(psutil.Error):
        for process in psutil.Process(number).children(recursive=True):
            with contextlib.suppress(psutil.Error):
                if any("forkserver.py" in word for word in process.cmdline()):
                    found.add(process.pid)
    return found


HANGUP = pytest.param(signal.SIGHUP, marks=pytest.mark.exhaustive)
"""The end of the terminal: taken as the other request to end is, so `--all` shows it."""


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, HANGUP, signal.SIGKILL])
def test_nothing_goes_on_when_the_command_has_ended_however_it_ended(tmp_path, sign):
    process = started(
        hand_in(tmp_path / "class", {"ada": LEARNERS["ada"]}), tmp_path / "out", "--workers", 1
    )
    shards = until(lambda: shards_of(process.pid), "a shard")
    (number,) = shards
    family = until(lambda: kernels_of(number), "the shard's kernel")
    process.send_signal(sign)
    process.wait(60)
    until(lambda: not alive(shards | family.keys()), "the end of the shard and of its kernel")
    left = [folder for folder in family.values() if folder.exists()]
    assert not left, "the folders of kernels are removed"
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


@pytest.mark.parametrize("sign", [signal.SIGTERM, HANGUP])
@pytest.mark.parametrize("way", ["our own solution", "--try", "pytest", "pytest, forked"])
def test_who_is_asked_to_end_leaves_no_process_and_no_folder(tmp_path, scratch, sign, way):
    """In the middle of the first kernel, where our own solution shows what is right."""
    out = tmp_path / "out"
    submissions = hand_in(tmp_path / "class", {"ada": LEARNERS["ada"]})
    grade = ["-m", "workshop.grading"]
    plugin = ["-m", "pytest", "-p", "workshop.grading", "-p", "no:cacheprovider", "--grade"]
    if way.endswith("forked") and sandbox.missing():
        pytest.skip(f"needs the sandbox: {sandbox.missing()}")
    words = {
        "our own solution": [*grade, submissions, "--out", out],
        "--try": [*grade, "--try", "--exercise", "03"],
        "pytest": [*plugin, *submissions.glob("*/*.ipynb")],
        "pytest, forked": [*plugin, "--grade-fork", *submissions.glob("*/*.ipynb")],
    }[way]
    process = begun(scratch, *words)
    family = until(lambda: kernels_of(process.pid) or forks_of(process.pid), "a kernel")
    process.send_signal(sign)
    output, _ = process.communicate(timeout=120)
    assert process.returncode in (2, 130), output
    until(lambda: not alive(set(family)), "the end of the kernel")
    assert not list(scratch.iterdir()), output
    assert not (out / "work").exists()


def test_a_shard_that_is_stopped_in_the_middle_of_a_notebook_reports_no_half_verdict(tmp_path):
    process = started(
        hand_in(tmp_path / "class", {"ada": LEARNERS["ada"]}), tmp_path / "out", "--workers", 1
    )
    (number,) = until(lambda: shards_of(process.pid), "a shard")
    until(lambda: psutil.Process(number).children(), "the shard's kernel")
    os.kill(number, signal.SIGINT)
    output = process.communicate()
    assert process.returncode == 0, output
    assert [mark[0] for mark in marks(tmp_path / "out").values()] == [1] * 12, (
        "graded by another, whole"
    )


def test_a_shard_that_does_not_end_when_it_is_asked_to_is_killed_with_what_it_started(monkeypatch):
    monkeypatch.setattr(orphans, "GRACE_S", 0.5)
    code = (
        "import signal, subprocess, sys, time; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(100)'], start_new_session=True); print(1, flush=True); time.sleep(100)"
    )
    shard = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    shard.stdout.read(1)
    family = {shard.pid, *(process.pid for process in psutil.Process(shard.pid).children())}
    orphans.end([shard])
    assert len(family) == 2
    until(lambda: not alive(family), "their end")
