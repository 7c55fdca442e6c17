"""A cluster of Dask: branches are its tasks; what a branch and its run say goes over its queues.

Each message is JSON. A worker puts its messages into the run's queue, and gets the answers from a
queue of its own. A branch ends as a future of JSON text. A worker that hears nothing of a run for
`SILENCE_S` ends its branches; the run hears of a lost worker, or scheduler, from Dask.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator
from typing import Any, NoReturn
from uuid import uuid4

from ...core.budget import NOTHING, Exhausted, Spent
from ...core.contract import Result
from ...core.run import Run
from ...plumbing.connections import connect
from ...plumbing.texts import in_words
from .books import Attempt, BranchJob, NoCluster, WorkerLost
from .branch import EncodedResult, packed, restored
from .queues import EXTRA, Outbox, ToBranch, ToRun, is_over, queue_at
from .worker import SILENCE_S, do_branch, measure

START_S = 60.0
"""Seconds until a cluster is up."""
STOP_S = 5.0
"""Seconds until a cancelled branch has stopped, and until the last messages of a branch are in."""
PATIENCE_S = 30.0
"""Seconds without any worker until a branch is given up."""
LOOK_S = 0.5
"""Seconds between two counts of the workers."""
STATUS_S = 0.1
"""Seconds between two looks at whether the scheduler is still there, while it is asked."""
BEAT_S = SILENCE_S / 5
"""Seconds between two messages to each worker that say only that the run is there."""
RESTART_S = 300.0
"""Seconds for a lost worker of this machine to restart. Dask's default of 15 s is too short on a
busy machine."""

SETTINGS = {
    # a branch whose worker dies comes back here, where the books are, and is not run again
    "distributed.scheduler.allowed-failures": 0,
    "distributed.deploy.lost-worker-timeout": RESTART_S,
}
"""Settings of Dask for the clusters of this machine."""

LOST = "the process that did this work is gone"


class BranchDesk:
    """The run's side of one attempt at a worker: books its requests, and takes in its events."""

    def __init__(self, branch: str, attempt: Attempt) -> None:
        self.branch = branch
        self.attempt = attempt
        self.answers: Outbox | None = None
        """Leads to the worker, once the branch has begun."""
        self.drained: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when everything is in that the branch has said."""
        self.broken: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        """Done with a sentence when the branch says what cannot be taken in."""
        self._open: dict[int, asyncio.Task[ToBranch]] = {}
        """The answer to each question, by its number: a worker may withdraw one that it has not got
        yet."""

    async def take(self, message: ToRun) -> None:
        """Takes in a message of the branch."""
        try:
            await self._take(message)
        except (ValueError, Exhausted) as problem:
            if not self.broken.done():
                self.broken.set_result(in_words(problem))

    async def _take(self, message: ToRun) -> None:
        if message.last:
            if not self.drained.done():
                self.drained.set_result(None)
        elif message.event is not None:
            self.attempt.take_in(message.event)
        elif message.settled is not None:
            spent = None if message.costs is None else Spent(*message.costs)
            await self.attempt.settle(message.settled, spent)
        elif message.withdrawn is not None:
            await self._withdraw(message.withdrawn)
        elif self.attempt.leased is not None and (message.size or message.retry is not None):
            await self._booked(message)  # in its slice already: it waits for no answer
        elif message.question is not None:
            # may wait for others
            self._open[message.question] = asyncio.ensure_future(self._answer(message))

    async def _withdraw(self, question: int) -> None:
        """Books nothing for a question; what it has booked already is free again."""
        answer = self._open.pop(question, None)
        if answer is not None and not answer.cancel() and answer.result().booked is not None:
            await self.attempt.settle(answer.result().number, NOTHING)

    async def _answer(self, message: ToRun) -> ToBranch:
        try:
            answer = await self._booked(message)
        except (Exhausted, WorkerLost) as problem:
            lost = isinstance(problem, WorkerLost)
            answer = ToBranch(question=message.question, refused=str(problem), lost=lost)
        self.send(answer)
        return answer

    def send(self, message: ToBranch) -> None:
        """Sends a message to the branch, if it has begun."""
        if self.answers is not None:
            self.answers.send(message.model_copy(update={"branch": self.branch}))

    async def _booked(self, message: ToRun) -> ToBranch:
        if message.answers:
            await self.attempt.begin()
        elif message.size is not None:
            number, booked = await self.attempt.book(message.size)
            return ToBranch(question=message.question, number=number, booked=booked)
        elif message.retry is not None:
            await self.attempt.retry(message.retry)
        elif message.specialist:
            number = await self.attempt.hand_out(message.specialist, message.limit)
            return ToBranch(question=message.question, number=number)
        return ToBranch(question=message.question)

    def close(self) -> None:
        """Answers nothing any more."""
        for answer in self._open.values():
            answer.cancel()
        self.attempt.give_up()


class Cluster:
    """An open Dask cluster; from `open_cluster`."""

    def __init__(self, dask: Any, queue: Any, patience_s: float) -> None:  # Any: of the extra
        self.dask = dask
        """The client of Dask, for whoever wants more of it."""
        self._queue = queue
        self._patience_s = patience_s
        self._desks: dict[str, BranchDesk] = {}
        self._workers: dict[str, Outbox] = {}
        """The way to each worker, by the name of its queue."""
        self._trouble = asyncio.Event()
        """Set while nobody is there to do a branch."""
        self._is_lost = False
        self._seen_at = time.monotonic()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Cluster stays in its process; open it by its address in the other one")

    @property
    def address(self) -> str:
        """The scheduler's address."""
        address: str = self.dask.scheduler.address
        return address

    async def do(self, job: BranchJob, attempt: Attempt) -> Result:
        """Runs a job on a worker of the cluster."""
        text = await self._given(attempt, do_branch, packed(job), attempt.rest().model_dump_json())
        end = EncodedResult.model_validate_json(text)
        if end.bug:
            return attempt.run.end_early("failed", end.bug)
        return restored(end, attempt.run)

    async def seconds_a_question(self, questions: int = 100) -> float:
        """Returns the average seconds that a worker needs to ask its run a question."""
        attempt = Attempt(Run(connect("offline")))
        return float(await self._given(attempt, measure, questions))

    async def ready(self, workers: int) -> None:
        """Waits until so many workers are up, as after the loss of one. Raises TimeoutError, or
        NoCluster when the scheduler is lost."""
        async with asyncio.timeout(START_S):
            while await self._look() < workers:
                if self._is_lost:
                    raise NoCluster(self._what_is_wrong())
                await asyncio.sleep(STATUS_S)

    async def _given(self, attempt: Attempt, work: Any, *arguments: Any) -> str:
        """Has a worker do `work`, and returns the text that it ends with."""
        if self._trouble.is_set():
            await self._look()  # a worker may have come
        if self._trouble.is_set():
            raise NoCluster(self._what_is_wrong())
        branch = f"branch-{uuid4().hex}"
        desk = self._desks[branch] = BranchDesk(branch, attempt)
        names = (self._queue.name, branch)
        future = self.dask.submit(work, *names, *arguments, key=branch, pure=False, retries=0)
        ending = asyncio.ensure_future(self._end_of(future, branch, desk))
        try:
            return await asyncio.shield(ending)
        except NoCluster:
            attempt.cut_off = True
            raise
        except asyncio.CancelledError:
            await self._stopped(ending, desk)
            raise
        finally:
            del self._desks[branch]
            desk.close()
            ending.cancel()
            ending.add_done_callback(is_over)
            if not future.done() and not self._is_lost:
                await asyncio.shield(self._forgotten(future))

    async def _forgotten(self, future: Any) -> None:
        with contextlib.suppress(Exception):
            await asyncio.wait_for(future.cancel(reason="not wanted any more"), STOP_S)

    async def _stopped(self, ending: asyncio.Task[str], desk: BranchDesk) -> None:
        """Tells a branch that has begun to stop, and waits until it has."""
        desk.attempt.give_up()
        if desk.answers is None:
            return
        desk.send(ToBranch(stop=True))
        await asyncio.wait({ending}, timeout=STOP_S)
        if not ending.done():
            desk.attempt.cut_off = True
            desk.attempt.run.note("this branch did not stop in time; it can send nothing more")

    async def _end_of(self, future: Any, branch: str, desk: BranchDesk) -> str:
        """Waits for the end of a branch, and for the last of its messages. Raises WorkerLost, or
        NoCluster when nobody is there who could bring it."""
        result: asyncio.Future[str] = asyncio.ensure_future(self._result_of(future))
        trouble: asyncio.Future[Any] = asyncio.ensure_future(self._trouble.wait())
        broken: asyncio.Future[Any] = desk.broken
        ends: set[asyncio.Future[Any]] = {result, trouble, broken}
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            if trouble.done() and not result.done():
                raise NoCluster(self._what_is_wrong())
            if not self._is_lost:
                await self._drained(branch, desk, result)
            if desk.broken.done():
                desk.attempt.cut_off = True
                raise WorkerLost(f"the worker said what cannot be: {desk.broken.result()}")
            return await result
        finally:
            trouble.cancel()
            result.cancel()
            result.add_done_callback(is_over)

    async def _result_of(self, future: Any) -> str:
        distributed = EXTRA.module("distributed")
        try:
            text: str = await future
        except distributed.scheduler.KilledWorker:
            raise WorkerLost(LOST) from None
        except distributed.client.FutureCancelledError as problem:
            if problem.reason == "scheduler-connection-lost":
                self._lose()
                raise NoCluster(self._what_is_wrong()) from None
            raise WorkerLost(f"the cluster dropped this work ({problem.reason})") from None
        except Exception as problem:  # as where a worker lacks a module
            bug = f"{type(problem).__name__}: {in_words(problem)}"
            return EncodedResult(bug=bug).model_dump_json()
        if not text:
            raise WorkerLost("its worker did not hear from the run any more, and stopped")
        return text

    async def _drained(self, branch: str, desk: BranchDesk, result: asyncio.Future[str]) -> None:
        """Waits for everything that a branch has said. A lost worker has sent no last message: ours
        stands behind those that it sent."""
        ends: set[asyncio.Future[Any]] = {desk.drained, desk.broken}
        with contextlib.suppress(OSError):
            if not result.done() or result.exception() is not None or not result.result():
                mark = ToRun(branch=branch, last=True).model_dump_json(exclude_defaults=True)
                await self._queue.put([mark])
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)

    # ── what goes on beside the branches ──

    async def listen(self) -> None:
        """Takes in what the branches say."""
        try:
            while True:
                batches = [await self._queue.get(), *await self._queue.get(batch=True)]
                for text in (text for batch in batches for text in batch):
                    message = ToRun.model_validate_json(text)
                    desk = self._desks.get(message.branch)
                    if desk is None:
                        continue
                    if message.answers:
                        desk.answers = await self._way_to(message.answers)
                    await desk.take(message)
        finally:
            self._lose()  # nobody hears the branches any more

    async def _way_to(self, name: str) -> Outbox:
        """The way to the worker whose queue has this name."""
        if name not in self._workers:
            self._workers[name] = Outbox(await queue_at(name, self.dask))
        return self._workers[name]

    async def beat(self) -> None:
        """Says to each worker that the run is there."""
        try:
            while True:
                for worker in self._workers.values():
                    worker.send(ToBranch())
                await asyncio.sleep(BEAT_S)
        finally:
            for worker in self._workers.values():
                worker.close()

    async def watch(self) -> None:
        """Counts the workers every `LOOK_S` seconds, until the scheduler is lost."""
        while not self._is_lost:
            await self._look()
            await asyncio.sleep(LOOK_S)

    def _lose(self) -> None:
        self._is_lost = True
        self._trouble.set()

    async def _look(self) -> int:
        """Counts the workers. Dask itself would wait for ever for a worker, or a scheduler."""
        asked = asyncio.ensure_future(self.dask.scheduler.identity())
        while not asked.done() and self.dask.status == "running":
            await asyncio.wait({asked}, timeout=STATUS_S)
        asked.cancel()
        workers = 0
        try:
            workers = len((await asked)["workers"])
        except (OSError, RuntimeError, asyncio.CancelledError):
            self._lose()
        if self.dask.status != "running":
            self._lose()
        if workers:
            self._seen_at = time.monotonic()
        if time.monotonic() - self._seen_at > self._patience_s:
            self._trouble.set()
        elif not self._is_lost:
            self._trouble.clear()
        return workers

    def _what_is_wrong(self) -> str:
        if self._is_lost:
            return (
                f"The scheduler at {self.address} was lost, and this branch with it. Start a"
                " scheduler and workers again, open the cluster anew, and give the work out again"
            )
        return (
            f"No worker has been at {self.address} for {self._patience_s:g} seconds, and this"
            f" branch needs one. Start one with `dask worker {self.address}` and give the work out"
            " again"
        )


@contextlib.asynccontextmanager
async def open_cluster(
    address: str | None = None,
    *,
    security: Any = None,  # Any: a distributed.Security, of the extra
    without_tls: bool = False,
    workers: int = 2,
    branches: int = 1,
    patience_s: float = PATIENCE_S,
    start_s: float = START_S,
) -> AsyncIterator[Cluster]:
    """A Dask cluster: new processes on this machine, or the scheduler at `address`.

    security:    a `distributed.Security` with the certificates of the cluster at `address`. The
                 processes of this machine get new ones, made for each cluster.
    without_tls: True for an address without TLS: whoever reaches it can run code on its workers,
                 and in this process.
    branches:    how many branches a new worker does at once. A branch mostly waits for the service.
    patience_s:  how long a branch waits while there is no worker at all. Then it ends as a failed
                 result with the work so far; so it does when the scheduler is lost.
    start_s:     how long the cluster may take to be up.

    All members of a cluster trust each other: what a worker says is believed, and its results are
    unpickled in this process. All workers need this project, in the same version.

    Raises ModuleNotFoundError with the line that installs what is missing, ValueError for an
    address without TLS, NoCluster when no scheduler answers or no process can be started.
    """
    EXTRA.check("distributed", "cloudpickle", "cryptography")
    if address is not None and not (address.startswith("tls://") or without_tls):
        raise ValueError(
            f"{address} has no TLS: whoever reaches it can run code there and here. Give a tls://"
            " address and `security`, or `without_tls=True` on a network of your own"
        )
    async with contextlib.AsyncExitStack() as stack:
        try:
            async with asyncio.timeout(start_s):
                dask = await _opened(stack, address, security, workers, branches)
                queue = await queue_at(f"run-{uuid4().hex}", dask)
        except (OSError, ValueError, RuntimeError) as problem:
            reason = in_words(problem)
            if isinstance(problem, TimeoutError):
                reason = f"no answer in {start_s:g} seconds; `start_s` allows more"
            raise NoCluster(
                f"No cluster at {address or 'this machine'} ({reason or 'no answer'})."
                " Start a scheduler with `dask scheduler` and workers with `dask worker ADDRESS`,"
                " or leave the address out for processes on this machine."
            ) from None
        cluster = Cluster(dask, queue, patience_s)
        beside = [cluster.listen(), cluster.beat(), cluster.watch()]
        tasks = [asyncio.ensure_future(task) for task in beside]
        for task in tasks:
            task.add_done_callback(is_over)
        try:
            yield cluster
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)


async def _opened(
    stack: contextlib.AsyncExitStack,
    address: str | None,
    security: Any,
    workers: int,
    branches: int,
) -> Any:
    """A client of Dask, on a cluster of this machine or at an address."""
    distributed = EXTRA.module("distributed")
    is_local = address is None
    if is_local:
        security = distributed.Security.temporary()
        stack.enter_context(EXTRA.module("dask").config.set(SETTINGS))
        local = distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=branches,
            host="127.0.0.1",
            protocol="tls://",
            security=security,
            asynchronous=True,
            silence_logs=logging.CRITICAL,
            dashboard_address="127.0.0.1:0",
            worker_dashboard_address="127.0.0.1:0",
        )
        await stack.enter_async_context(local)
        local.scheduler.http_server.stop()  # its pages know neither certificate nor password
        address = local.scheduler_address
    dask = distributed.Client(address, asynchronous=True, set_as_default=False, security=security)
    stack.push_async_callback(dask.close)  # also when it cannot be started
    await dask
    if is_local:
        await dask.register_plugin(_without_pages()())
    return dask


def _without_pages() -> type:
    """A plugin of Dask that ends a worker's pages."""

    class WithoutPages(EXTRA.module("distributed").WorkerPlugin):  # type: ignore[misc]  # an extra
        def setup(self, worker: Any) -> None:
            worker.http_server.stop()

    return WithoutPages
