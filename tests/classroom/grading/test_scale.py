"""The same marks from a cluster, from parts, and when a machine is lost in the middle."""

from __future__ import annotations

import importlib.util
import json
import multiprocessing
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from classroom.grading import command
from classroom.grading.plan import GradingPlan
from classroom.grading.scale import cluster, shard, workers
from classroom.grading.submission import Submission
from tests.places import ROOT

from . import small_class
from .small_class import NAME, alive, hand_in, interrupt, marks, shards_of, started, until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="ends processes as POSIX does")


@pytest.fixture
def plain(plain_class):
    """The class, and what it comes to on one machine: (its folder, marks)."""
    return plain_class[0], plain_class[2]


# ── Dask ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def dask(tmp_path_factory):
    """A scheduler and two workers, each a process: (its address, the workers)."""
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
                    env={**os.environ, "PYTHONPATH": str(ROOT)},
                )
            )

    try:
        start("scheduler", "--host", "127.0.0.1", "--port", "0")
        until(address.exists, "the scheduler")
        for _ in range(2):
            start("worker", "--nthreads", "1", "--no-nanny", "--local-directory", str(base))
        yield json.loads(address.read_text(encoding="utf-8"))["address"], processes[1:]
    finally:
        for process in processes:
            process.kill()
            process.wait()


def test_an_interrupt_ends_the_tasks_on_the_workers(dask, tmp_path):
    address, both = dask
    submissions = hand_in(
        tmp_path / "class", {"slow": small_class.solved(_1="import time\ntime.sleep(100)")}
    )
    process = started(submissions, tmp_path / "out", "--scheduler", address, "--timeout", 200)
    running = until(
        lambda: set().union(*(shards_of(worker.pid) for worker in both)), "a task on a worker"
    )
    output = interrupt(process)
    assert process.returncode == 130, output
    until(lambda: not alive(running), "the end of the task")
    assert all(worker.poll() is None for worker in both)


def test_a_lost_workers_shard_is_graded_by_another_and_marks_are_the_same(plain, dask, tmp_path):
    address, (lost, other) = dask
    process = started(plain[0], tmp_path, "--scheduler", address, "--workers", 2)
    by_other, by_command = set(), set()

    def look():
        by_other.update(shards_of(other.pid))
        by_command.update(shards_of(process.pid))
        return shards_of(lost.pid)

    orphans = until(
        look, "a task on the worker that will be lost"
    )  # the other may have begun, and ended, before
    lost.kill()
    until(lambda: look() is not None and process.poll() is not None, "the end of the command", 300)
    output = process.stdout.read() + process.stderr.read()
    assert process.returncode == 0 and "failed" not in output, output
    assert len(by_other) == 2 and not by_command, (
        "its own shard and that of the lost worker; nothing was left for this machine"
    )
    assert not alive(orphans), "what the lost worker had started went on"
    assert marks(tmp_path) == plain[1]


def test_a_result_is_data_and_no_pickle_is_opened(
    dask,
):
    with cluster._client(dask[0], 1) as client:
        assert client.submit(lambda: b"data", pure=False).result(timeout=60) == b"data"
        with pytest.raises(TypeError, match="only able to deserialize data with"):
            client.submit(lambda: object(), pure=False).result(timeout=60)


def test_a_cluster_of_this_machine_is_started_and_ended(plain, tmp_path, monkeypatch):
    left = []
    monkeypatch.setattr(
        workers, "on_this_machine", lambda file, plan, pieces, number: left.extend(pieces)
    )
    submissions = hand_in(tmp_path / "class", {"di": small_class.STUB})
    argv = [
        submissions,
        "--out",
        tmp_path / "out",
        "--seed",
        small_class.SEED,
        "--timeout",
        small_class.TIMEOUT_S,
        "--workers",
        1,
    ]
    assert command.main([*map(str, argv), "--scheduler", "local"]) == 0
    assert left == [], "the cluster did it"
    assert marks(tmp_path / "out") == {
        key: mark for key, mark in plain[1].items() if key[0] == "di"
    }
    until(lambda: not multiprocessing.active_children(), "the end of its workers")


def test_what_the_tests_run_is_what_instructors_are_told_to_install():
    asked = (
        Path(shard.__file__).with_name("requirements.txt").read_text(encoding="utf-8").splitlines()
    )
    assert (
        asked[-1] in (ROOT / "tests" / "requirements.txt").read_text(encoding="utf-8").splitlines()
    )


def test_an_address_that_means_nothing_is_refused(capsys, monkeypatch):
    with pytest.raises(SystemExit) as ended:
        command.main(["x", "--out", "y", "--scheduler", "here"])
    assert (
        ended.value.code == 2
        and "expected `local` or an address such as tcp://" in capsys.readouterr().err
    )
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SystemExit):
        command.main(["x", "--out", "y", "--scheduler", "local"])
    assert "pip install -r classroom/grading/scale/requirements.txt" in capsys.readouterr().err


def test_a_scheduler_that_does_not_answer_is_said_in_time(monkeypatch):
    monkeypatch.setattr(cluster, "ANSWER_S", 1)
    began = time.monotonic()
    with pytest.raises(
        cluster.NoGradingCluster, match=r"No Dask scheduler answers at tcp://127.0.0.1:9 "
    ):
        cluster.run(GradingPlan(1), [], "tcp://127.0.0.1:9", 1)
    assert time.monotonic() - began < 60


def test_a_cluster_without_a_worker_is_said_in_time(dask, monkeypatch):
    from distributed import LocalCluster

    monkeypatch.setattr(cluster, "WORKER_S", 1)
    with (
        LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0") as empty,
        pytest.raises(cluster.NoGradingCluster, match="no worker for 1 seconds"),
    ):
        cluster.run(GradingPlan(1), [[]], empty.scheduler_address, 1)


def test_a_machine_without_the_workshop_says_so():
    import cloudpickle

    site = Path(cloudpickle.__file__).parent.parent
    code = (
        f"import sys, pickle; sys.path = [it for it in sys.path if 'site-packages' not in it] + [{str(site)!r}]\n"
        "print(pickle.loads(sys.stdin.buffer.read())(b'{}').decode())"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code],
        input=cloudpickle.dumps(cluster._task()),
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr
    with pytest.raises(
        shard.Misfit,
        match="the toolkit cannot be imported there .*No module named 'classroom'.*pip install -r",
    ):
        shard.keep(done.stdout, GradingPlan(1), [])


@pytest.fixture
def packed(tmp_path):
    """A plan with one submission, and its shard."""
    path = hand_in(tmp_path / "class", {"di": small_class.STUB}) / "di" / f"{NAME}.ipynb"
    (tmp_path / "results").mkdir()
    plan = GradingPlan(
        1,
        submissions={
            str(path): Submission(
                learner="di", notebook=NAME, file="x", path=path, sha256="", key="k"
            )
        },
        out=str(tmp_path / "results"),
    )
    return plan, shard.pack(plan, [str(path)])


@pytest.mark.parametrize(
    "name, message",
    [
        ("Python", "Python 3.* and 2.7 where"),
        (NAME, f"another version of the course .*{NAME}.* same commit"),
    ],
)
def test_another_version_is_refused(packed, name, message):
    plan, job = packed
    sent = json.loads(job)
    sent["version"][name] = "2.7"
    with pytest.raises(shard.Misfit, match=message):
        shard.keep(shard.grade(json.dumps(sent).encode()), plan, list(plan.submissions))


def test_a_worker_without_a_sandbox_is_refused_when_there_is_one_here(packed, monkeypatch):
    plan, job = packed
    monkeypatch.setattr("classroom.grading.sandbox.missing", lambda: "bwrap is not installed")
    sent = {**json.loads(job), "sandbox": True}
    with pytest.raises(
        shard.Misfit,
        match="no sandbox, but there is one where the grading was started: bwrap is not installed",
    ):
        shard.keep(shard.grade(json.dumps(sent).encode()), plan, list(plan.submissions))


@pytest.mark.parametrize(
    "reports, kept",
    [
        ({"k": '{"results": []}'}, ["k.json"]),
        ({"../k": '{"results": []}', "other": '{"results": []}'}, []),
        ({"k": "[]"}, []),
        ({"k": "{"}, []),
        ({"k": None}, []),
        ({"k": '{"results": ' + "[" * 100_000}, []),
    ],
)
def test_only_reports_that_were_asked_for_are_kept(packed, reports, kept):
    plan, _ = packed
    shard.keep(json.dumps({"reports": reports}).encode(), plan, list(plan.submissions))
    assert [path.name for path in Path(plan.out).iterdir()] == kept and len(
        list(Path(plan.out).parent.iterdir())
    ) == 2


# ── parts ──────────────────────────────────────────────────────────────────────────────────────────────────


def _once(reference):
    """What our solutions print, run once for each notebook and seed."""
    known = {}

    def remembered(of, plan):
        if (of.name, plan.seed) not in known:
            known[of.name, plan.seed] = reference(of, plan)
        return known[of.name, plan.seed]

    return remembered


def test_parts_with_one_folder_come_to_the_same_marks(plain, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(
        command.observed, "reference", _once(command.observed.reference)
    )  # each machine has it anew; here it would be the same again
    out = tmp_path / "out"
    given = [plain[0], "--out", out, "--seed", small_class.SEED]
    given += ["--timeout", small_class.TIMEOUT_S, "--workers", 1]

    def run(*options):
        assert command.main([*map(str, given), *options]) == 0
        return capsys.readouterr().out

    for index in range(3):
        assert "; 0 graded before" in run("--shard", f"{index}/3")
        assert {path.name for path in out.iterdir()} == {"results", ".grading.json"}
    assert marks(out) == plain[1]
    assert "4 graded before, 0 to do" in run()
    assert (out / "gradebook.csv").exists()


@pytest.mark.parametrize(
    "options, message",
    [
        (["--shard", "0/2"], "--shard needs a --seed, the same for all parts"),
        (["--shard", "2/2", "--seed", "1"], "expected part/parts"),
        (["--shard", "first", "--seed", "1"], "expected part/parts"),
        (["--shard", "0/0", "--seed", "1"], "expected part/parts"),
    ],
)
def test_a_part_that_cannot_be_meant_is_refused(options, message, capsys):
    with pytest.raises(SystemExit) as ended:
        command.main(["x", "--out", "y", *options])
    assert ended.value.code == 2 and message in capsys.readouterr().err
