"""One pool of processes grades a class, a submission at a time; with `--scheduler` a Dask cluster
does, by Dask's own client.

Who can reach a Dask scheduler can run code on its workers: keep it on a network of your own, or use
`tls://`.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import json
import logging
import multiprocessing
import os
import platform
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tqdm.auto import tqdm

from classroom.course import active, load, use

from . import open_copy, plugin, sandbox
from .intake import documents
from .intake.answers import master
from .plan import GradingPlan, notebook_s, plan_of
from .sandbox import leftovers, orphans
from .sandbox.spent import WIDE, WIDE_ALONE
from .submission import Submission

START_S, MOST_EXERCISES = 120.0, 5
"""Of a process and of the kernels of one notebook; of exercises in one notebook. For a limit that
nothing honest comes near.
"""
ANSWER_S, WORKER_S = 10.0, 60.0
"""The seconds that a Dask scheduler may take to answer, and a cluster to have a worker."""
RETRIES = 2
"""Of a task whose worker is lost."""
SIGN_OF_LIFE_S = 30.0
"""Between two lines where there is no terminal for a bar."""
OPTIONS = (
    *("-p", "classroom.grading", "-p", "nbval.plugin", "-p", "no:cacheprovider"),
    *(
        "--disable-plugin-autoload",
        "--noconftest",
        "--capture=no",
        "-q",
        "--tb=line",
        "--no-summary",
        "-c",
        os.devnull,
    ),
)
"""Of pytest: this plugin, nbval's, and no file or setting of anybody else's."""

Take = Callable[[Submission, str, str], None]
"""Takes a submission's report; if there is none, the reason."""


class NoGradingCluster(OSError):
    """The cluster cannot be used; the message says why, and what to do."""


def run(plan: GradingPlan, workers: int, address: str, take: Take) -> None:
    """Grades the plan's submissions, here or on the cluster at `address`.

    What gets no report is tried once more, with nothing else beside it. When it is interrupted,
    nothing of it goes on here. Raises NoGradingCluster.
    """
    known = list(plan.submissions.values())
    with SignsOfLife(len(known)) as life:

        def note(submission: Submission, report: str, why: str) -> None:
            take(submission, report, why)
            life.add(bool(report))

        left = _on_cluster(plan, known, address, note) if address else known
        left = _in_pools(plan, left, workers, note)
        _in_pools(replace(plan, alone=True), left, 1, note)


def _in_pools(
    plan: GradingPlan, submissions: list[Submission], workers: int, note: Take
) -> list[Submission]:
    """Grades here; returns those without a report. A pool that breaks takes along what was at work
    in it, and a new one goes on.
    """
    waiting, left = list(submissions), []
    while waiting:
        with pool(min(workers, len(waiting))) as executor:
            left += _round(plan, waiting, executor, workers, note)
    return left


def _round(
    plan: GradingPlan,
    submissions: list[Submission],
    executor: ProcessPoolExecutor,
    workers: int,
    note: Take,
) -> list[Submission]:
    """Grades until all is done or the pool breaks; takes what it begins from `submissions`, and
    returns what has no report.
    """
    running: dict[Future[bytes], tuple[Submission, float]] = {}
    left: list[Submission] = []
    waiting = deque(submissions)
    longest = START_S + (1 + (WIDE_ALONE if plan.alone else WIDE)) * notebook_s(
        MOST_EXERCISES, plan.timeout_s
    )
    try:
        while waiting or running:
            while waiting and len(running) < workers:
                submission = waiting.popleft()
                begun = executor.submit(grade_one, job(plan, submission))
                running[begun] = submission, time.monotonic() + longest
            done, _ = wait(running, timeout=1, return_when=FIRST_COMPLETED)
            for future in done:
                report, why = _answer(future.result)
                submission, _ = running.pop(future)
                note(submission, report, why)
                left += [] if report else [submission]
            if any(time.monotonic() > end for _, end in running.values()):
                raise BrokenProcessPool("a notebook came to no end")
    except BrokenProcessPool as problem:
        for submission, _ in running.values():
            note(submission, "", f"the process that graded it ended ({problem})")
            left.append(submission)
    submissions[:] = waiting
    return left


def _answer(result: Callable[[], bytes]) -> tuple[str, str]:
    """Returns a report, and why there is none. Raises NoGradingCluster and BrokenProcessPool."""
    try:
        answer = json.loads(result())
        if misfit := answer.get("misfit"):
            raise NoGradingCluster(f"A worker cannot be used. {misfit}.")
        report, why = str(answer["report"]), str(answer["why"])
        if not report or isinstance(json.loads(report)["results"], list):
            return report, why
        return "", "what came back is no report"
    except (BrokenProcessPool, NoGradingCluster):
        raise
    except Exception as problem:
        return "", f"{type(problem).__name__}: {problem}".partition("\n")[0][:200]


class SignsOfLife:
    """A bar that counts reports; without a terminal, a line now and then."""

    def __init__(self, number: int) -> None:
        self.bar = tqdm(total=number, unit="notebook", disable=None)
        self.number, self.done = number, 0
        self.next = time.monotonic() + SIGN_OF_LIFE_S
        self._ended = threading.Event()
        self._lines = threading.Thread(target=self._tell, daemon=True)

    def __enter__(self) -> SignsOfLife:
        if self.bar.disable:
            self._lines.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._ended.set()
        self.bar.close()

    def add(self, done: bool) -> None:
        self.done += done
        self.bar.update(done)

    def _tell(self) -> None:
        while not self._ended.wait(SIGN_OF_LIFE_S):
            print(f"{self.done} of {self.number} graded.", flush=True)


# ── here ──────────────────────────────────────────────────────────────────────────────────────────


@contextlib.contextmanager
def pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Processes of this machine, which end with the block, and with what they started."""
    executor = ProcessPoolExecutor(
        workers,
        multiprocessing.get_context("spawn"),
        _begin,
        (active().module, os.getpid()),
    )
    before = set(multiprocessing.active_children())
    try:
        yield executor
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
        orphans.end([each for each in multiprocessing.active_children() if each not in before])


def _begin(course: str, parent: int) -> None:
    """Prepares a process of the pool: it says nothing, and ends with the one that started it."""
    sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    use(load(course))
    for sign in orphans.SIGNALS:
        if signal.getsignal(sign) is not signal.SIG_IGN:
            signal.signal(sign, signal.default_int_handler)
    orphans.end_with(parent)


def job(plan: GradingPlan, submission: Submission) -> bytes:
    """All that grading one submission on this machine needs, as JSON."""
    known = [exercise.id for exercise in master(submission.notebook).exercises]
    lines = {id: plan.lines[id] for id in known if id in plan.lines}
    path = str(submission.path.resolve())  # as pytest names it
    one = replace(plan, lines=lines, submissions={path: submission})
    return json.dumps(one.facts()).encode()


def grade_one(sent: bytes) -> bytes:
    """Grades a submission: by pytest, with nbval, in this process. Returns its `report`, empty
    where there is none, and `why`.
    """
    os.environ.pop("PYTEST_ADDOPTS", None)
    plan = plan_of(json.loads(sent))
    [path] = plan.submissions
    handed = plugin.PlanHandedIn(plan)
    status = pytest.main([*OPTIONS, "--rootdir", str(Path(path).parent), path], plugins=[handed])
    if status == pytest.ExitCode.INTERRUPTED:
        os._exit(130)
    why = handed.why or f"pytest ended with status {status!r}"
    return json.dumps({"report": handed.report, "why": "" if handed.report else why}).encode()


# ── on a cluster ──────────────────────────────────────────────────────────────────────────────────

_one_at_a_time = threading.Lock()


def _on_cluster(
    plan: GradingPlan, submissions: list[Submission], address: str, note: Take
) -> list[Submission]:
    """Grades on the cluster; returns those without a report."""
    from distributed import as_completed

    left = []
    with cluster(address) as client:
        tasks = {
            client.submit(elsewhere, packed(plan, one), pure=False, retries=RETRIES): one
            for one in submissions
        }
        try:
            for task in as_completed(tasks):
                report, why = _answer(task.result)
                note(tasks[task], report, why)
                left += [] if report else [tasks[task]]
        finally:
            with contextlib.suppress(Exception):  # the scheduler may be gone
                client.cancel(list(tasks), force=True)
    return left


@contextlib.contextmanager
def cluster(address: str) -> Iterator[Any]:
    """Dask's own client. Takes a task's result as plain data only: a pickle in its place is
    refused.
    """
    from distributed import Client

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    warnings.filterwarnings("ignore", message="(?s).*Mismatched versions")
    try:
        client = Client(address, timeout=ANSWER_S, deserializers=["dask", "msgpack"])
    except (OSError, ValueError) as problem:
        raise NoGradingCluster(
            f"No Dask scheduler answers at {address} ({problem or 'no answer'}). Start one with"
            f" `dask scheduler`, and workers with `dask worker {address} --nthreads 1`."
        ) from None
    with client:
        try:
            client.wait_for_workers(1, timeout=WORKER_S)
        except TimeoutError:
            raise NoGradingCluster(
                f"The cluster has had no worker for {WORKER_S:g} seconds. Start some with `dask"
                f" worker {address} --nthreads 1`; the same command then goes on from here."
            ) from None
        yield client


def packed(plan: GradingPlan, submission: Submission) -> bytes:
    """All that another machine needs to grade a submission, as JSON."""
    path = submission.path
    return json.dumps(
        {
            "plan": json.loads(job(replace(plan, course=""), submission)),
            "notebook": base64.b64encode(path.read_bytes()).decode(),
            "documents": documents.kept_beside(path),
            "course": active().module,
            "sandbox": not sandbox.missing(),
            "version": _version(submission.notebook),
        }
    ).encode()


def elsewhere(sent: bytes) -> bytes:
    """Grades on a worker of a cluster what `packed` made: the same as `grade_one`."""
    facts = json.loads(sent)
    try:
        use(load(facts["course"]))
        if problem := _misfit(facts):
            raise ImportError(problem)
    except ImportError as problem:
        return json.dumps({"misfit": f"{platform.node()}: {problem}"}).encode()
    with _one_at_a_time, _own_folder() as folder:
        [(name, submission)] = facts["plan"]["submissions"].items()
        path = Path(folder).resolve() / "0" / Path(name).name
        path.parent.mkdir()
        path.write_bytes(base64.b64decode(facts["notebook"]))
        documents.Documents(facts["documents"]).keep(path)
        changed = {"submissions": {str(path): submission}, "course": str(_course_of_worker())}
        return grade_one(json.dumps({**facts["plan"], **changed}).encode())


@functools.cache
def _course_of_worker() -> Path:
    """The open copy, made once in a worker and removed at its end."""
    folder = Path(tempfile.mkdtemp(prefix="course-"))
    leftovers.note(folder)
    return open_copy.prepare(folder / "course")


@contextlib.contextmanager
def _own_folder() -> Iterator[str]:
    """A folder that is gone after the block, also when this process is killed in it."""
    with tempfile.TemporaryDirectory(prefix="grade-") as folder:
        leftovers.note(Path(folder))
        yield folder
    leftovers.forget(Path(folder))


def _version(notebook: str) -> dict[str, str]:
    """Returns the versions that must be equal on both machines, or marks would depend on them."""
    python = ".".join(platform.python_version_tuple()[:2])
    return {"Python": python, notebook: open_copy.fingerprint(notebook)}


def _misfit(sent: dict[str, Any]) -> str:
    """Returns the reason that this machine cannot grade as the one that sent it would."""
    expected = sent["version"]
    python = ".".join(platform.python_version_tuple()[:2])
    if python != expected["Python"]:
        asked = f"{expected['Python']} where the grading was started"
        return f"Python {python}, and {asked}; use the same on all machines"
    [notebook] = expected.keys() - {"Python"}
    if _version(notebook) != expected:
        return (
            "another version of the course or of its packages than where the grading was started;"
            " bring both to the same commit and the same requirements.txt"
        )
    if sent["sandbox"] and sandbox.missing():
        return f"no sandbox, but there is one where the grading was started: {sandbox.missing()}"
    return ""
