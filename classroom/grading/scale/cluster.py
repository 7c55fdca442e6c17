"""Runs a plan on a Dask cluster: one task for each shard, each the same sandboxed command on
whatever machine has room.

Who can reach a Dask scheduler can run code on its workers: keep it on a network of your own, or use
`tls://`.
"""

from __future__ import annotations

import contextlib
import json
import logging
import secrets
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from ..plan import GradingPlan
from . import shard

ANSWER_S, WORKER_S = 10.0, 60.0
"""The seconds that a scheduler may take to answer, and a cluster to have a worker."""
RETRIES = 2
"""Of a task that ends with an error. A task whose worker is lost is given to another by Dask
itself.
"""


class NoGradingCluster(OSError):
    """The cluster cannot be used; the message says why, and what to do."""


def run(plan: GradingPlan, pieces: list[list[str]], address: str, workers: int) -> None:
    """Grades the pieces on the cluster at `address`, or on one of `workers` processes when it is
    `local`.

    Reports are written as each piece ends. A piece that fails for good is told on stderr and left
    without reports. Raises NoGradingCluster. When it is interrupted, nothing of it goes on.
    """
    with _client(address, workers) as client:
        name = secrets.token_hex(4)
        tasks = {
            client.submit(
                _task(),
                shard.pack(plan, piece),
                key=f"grade-{name}-{index}",
                pure=False,
                retries=RETRIES,
            ): piece
            for index, piece in enumerate(pieces)
        }
        try:
            for task in _ended(client, set(tasks)):
                if task.status != "finished":
                    print(
                        f"A task failed on the cluster; what it left of its {len(tasks[task])}"
                        f" submissions is graded here: {_said(task)}",
                        file=sys.stderr,
                    )
                    continue
                try:
                    shard.keep(task.result(), plan, tasks[task])
                except shard.Misfit as problem:
                    raise NoGradingCluster(
                        f"A worker cannot be used. {problem}. Reports that came before it are kept."
                    ) from None
        finally:
            with contextlib.suppress(Exception):  # the scheduler may be gone
                client.cancel(list(tasks), force=True)


def grade_task(job: bytes) -> bytes:
    """Grades a shard on a worker; ends early when the task is cancelled or the worker closes."""
    from distributed import get_worker

    worker = get_worker()
    key = worker.get_current_task()

    def unwanted() -> bool:
        task = worker.state.tasks.get(key)
        return task is None or task.state == "cancelled" or worker.status.name != "running"

    return shard.grade(job, unwanted)


def _task() -> Callable[[bytes], bytes]:
    """`grade_task` for a worker. Made in here so that Dask sends its code: a machine without this
    project can then say so.
    """

    def call(job: bytes) -> bytes:
        try:
            from classroom.grading.scale.cluster import grade_task
        except ImportError as problem:
            import platform

            message = (
                f"{platform.node()}: the toolkit cannot be imported there ({problem}); install the"
                " same commit on all workers (pip install -r requirements.txt in its folder), or"
                " start them with its folder in PYTHONPATH"
            )
            return json.dumps({"problem": message}).encode()
        return grade_task(job)

    return call


@contextlib.contextmanager
def _client(address: str, workers: int) -> Iterator[Any]:
    """A connection that takes a task's result as plain data only: a pickle in its place is
    refused.
    """
    from distributed import Client, LocalCluster

    logging.getLogger("distributed").setLevel(
        logging.CRITICAL
    )  # a lost worker is news here, and told in our words
    warnings.filterwarnings(
        "ignore", message="(?s).*Mismatched versions"
    )  # of packages that no mark depends on
    with contextlib.ExitStack() as stack:
        if address == "local":
            with _deaf_to_interrupts():
                cluster = LocalCluster(
                    n_workers=workers,
                    threads_per_worker=1,
                    silence_logs=logging.CRITICAL,
                    dashboard_address="127.0.0.1:0",
                )
            address = stack.enter_context(cluster).scheduler_address
        try:
            client = Client(address, timeout=ANSWER_S, deserializers=["dask", "msgpack"])
        except (OSError, ValueError) as problem:
            raise NoGradingCluster(
                f"No Dask scheduler answers at {address} ({problem or 'no answer'}). Start one with"
                f" `dask scheduler`, and workers with `dask worker {address}`, or use `--scheduler"
                " local`."
            ) from None
        yield stack.enter_context(client)


@contextlib.contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Hides Ctrl-C from processes started in here: this command hears it, and ends them in
    order.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _ended(client: Any, waiting: set[Any]) -> Iterator[Any]:
    """The tasks as they end. Raises NoGradingCluster when for some time there is nobody to work on
    them.
    """
    from distributed import wait

    seen = time.monotonic()
    while waiting:
        try:
            ended, waiting = wait(waiting, timeout=1, return_when="FIRST_COMPLETED")
            yield from ended
        except TimeoutError:
            pass
        if client.status == "running" and client.scheduler_info()["workers"]:
            seen = time.monotonic()
        elif time.monotonic() - seen > WORKER_S:
            raise NoGradingCluster(
                f"The cluster has had no worker for {WORKER_S:g} seconds. Start some with `dask"
                " worker ADDRESS`; the same command then goes on from here."
            )


def _said(task: Any) -> str:
    """Returns the reason that a task failed, in a line."""
    with contextlib.suppress(Exception):
        problem = task.exception(timeout=ANSWER_S)
        return f"{type(problem).__name__}: {problem}".split("\n")[0][:200]
    return task.status
