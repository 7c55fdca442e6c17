"""The same marks from a Dask cluster, also when a machine is lost in the middle; what a machine that does not fit says."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from classroom.grading import command, options, pool
from classroom.grading.plan import GradingPlan
from classroom.grading.submission import Submission
from tests.places import ROOT

from . import small_class
from .small_class import NAME, alive, hand_in, marks, started, until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="ends processes as POSIX does")


@pytest.fixture(scope="module")
def dask(tmp_path_factory):
    """A scheduler and two workers that have joined it, each a process: (its address, the workers)."""
    base = tmp_path_factory.mktemp("dask")
    address, processes = base / "scheduler.json", []

    def start(kind, *options):
        argv = [
            sys.executable,
            "-m",
            f"distributed.cli.dask_{kind}",
            "--scheduler-file",
            str(address),
            "--no-dashboard",
            *options,
        ]
        with (base / f"{kind}-{len(processes)}.log").open("wb") as log:
            processes.append(
                subprocess.Popen(
                    argv,
                    cwd=base,
                    stdout=log,
                    stderr=log,
                    env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary(base))},
                )
            )

    try:
        start("scheduler", "--host", "127.0.0.1", "--port", "0")
        until(address.exists, "the scheduler")
        for _ in range(2):
            start("worker", "--nthreads", "1", "--no-nanny", "--local-directory", str(base))
        named = json.loads(address.read_text(encoding="utf-8"))["address"]
        with pool.cluster(named) as client:
            client.wait_for_workers(2)
        yield named, processes[1:], base
    finally:
        for process in processes:
            process.kill()
            process.wait()


def temporary(base):
    """The folder for temporary files of the scheduler and the workers."""
    (base / "temporary").mkdir(exist_ok=True)
    return base / "temporary"


def left_by(base, process):
    """The folders of a worker's grading, and the processes below it."""
    family = psutil.Process(process.pid).children(recursive=True)
    words = [word for child in family for word in cmdline(child) if word.endswith("/k.json")]
    own = [*temporary(base).glob("grade-*"), *temporary(base).glob("course-*")]
    return {*own, *(Path(word).parents[1] for word in words)}, family


def kernels_below(process):
    """Whether a kernel of a submission runs below a process."""
    found = psutil.Process(process.pid).children(recursive=True)
    return any("kernel_start.py" in " ".join(cmdline(child)) for child in found)


def cmdline(process):
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def test_marks_are_those_of_one_machine_though_a_worker_is_lost(real_class, dask, tmp_path):
    address, workers, base = dask
    given = hand_in(tmp_path / "class", {name: small_class.LEARNERS[name] for name in SOME})
    process = started(given, tmp_path / "out", "--scheduler", address)
    lost = until(lambda: next(filter(kernels_below, workers), None), "a task on a worker")
    [other] = [worker for worker in workers if worker is not lost]
    theirs, _ = left_by(base, other)
    folders, family = left_by(base, lost)
    lost.kill()
    lost.wait()
    until(lambda: not alive({child.pid for child in family}), "the end of its kernels")
    until(lambda: not any(map(Path.exists, folders - theirs)), "the end of its folders")
    output = process.communicate()
    assert process.returncode == 0, output
    ours = {key: mark for key, mark in marks(real_class[1]).items() if key[0] in SOME}
    assert marks(tmp_path / "out") == ours and len({learner for learner, *_ in ours}) == len(SOME)


SOME = ("cy", "di")


def test_a_result_is_data_and_no_pickle_is_opened(dask):
    with pool.cluster(dask[0]) as client:
        assert client.submit(lambda: b"data", pure=False).result(timeout=60) == b"data"
        with pytest.raises(TypeError, match="only able to deserialize data with"):
            client.submit(lambda: object(), pure=False).result(timeout=60)


def test_what_the_tests_run_is_what_instructors_are_told_to_install():
    listed = Path(pool.__file__).with_name("cluster-requirements.txt").read_text(encoding="utf-8")
    ours = (ROOT / "tests" / "requirements.txt").read_text(encoding="utf-8")
    assert listed.splitlines()[-1] in ours.splitlines()


def test_an_address_that_means_nothing_is_refused(capsys, monkeypatch):
    with pytest.raises(SystemExit) as ended:
        command.main(["x", "--out", "y", "--scheduler", "here"])
    assert ended.value.code == 2 and "an address such as tcp://" in capsys.readouterr().err
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SystemExit):
        command.main(["x", "--out", "y", "--scheduler", "tcp://127.0.0.1:9"])
    assert options.NO_DASK in capsys.readouterr().err


def test_a_cluster_that_does_not_answer_or_has_no_worker_is_said_in_time(monkeypatch):
    from distributed import LocalCluster

    monkeypatch.setattr(pool, "ANSWER_S", 1)
    monkeypatch.setattr(pool, "WORKER_S", 1)
    plan = GradingPlan(1)
    with pytest.raises(
        pool.NoGradingCluster, match=r"No Dask scheduler answers at tcp://127.0.0.1:9 "
    ):
        pool.run(plan, 1, "tcp://127.0.0.1:9", lambda *_: None)
    with (
        LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0") as empty,
        pytest.raises(pool.NoGradingCluster, match="no worker for 1 seconds"),
    ):
        pool.run(plan, 1, empty.scheduler_address, lambda *_: None)


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"version": {"Python": "2.7", NAME: ""}}, "Python 3.* and 2.7 where"),
        ({"version": {NAME: "another"}}, "another version of the course .* same commit"),
        ({"sandbox": True}, "no sandbox, but there is one where .*: bwrap is not installed"),
        ({"course": "nobody.course"}, "nobody"),
    ],
)
def test_a_machine_that_would_grade_otherwise_is_refused(tmp_path, monkeypatch, changes, message):
    path = hand_in(tmp_path / "class", {"di": small_class.STUB}) / "di" / f"{NAME}.ipynb"
    di = Submission(learner="di", notebook=NAME, file="x", path=path, sha256="", key="k")
    sent = json.loads(pool.packed(GradingPlan(1, submissions={str(path): di}), di))
    monkeypatch.setattr("classroom.grading.sandbox.missing", lambda: "bwrap is not installed")
    sent |= {**changes, "version": sent["version"] | changes.get("version", {})}
    answer = json.loads(pool.elsewhere(json.dumps(sent).encode()))
    assert re.search(message, answer["misfit"])
