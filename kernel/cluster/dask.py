"""A cluster of Dask: branches are its tasks; what a branch and its run say goes over its queues.

Each message is JSON. A worker puts its messages into the run's queue, and gets the answers from a
queue of its own. A branch ends as a future of JSON text. A worker that hears nothing of a run for
`SILENCE_S` ends its branches; the run hears of a lost worker, or scheduler, from Dask.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import pickle
import time
from collections.abc import AsyncIterator, Awaitable
from typing import Any, NoReturn
from uuid import uuid4

from pydantic import BaseModel, ConfigDict

from .._extras import Extra
from ..budget import NOTHING, Budget, Exhausted, Ledger, Spent
from ..connections import connect
from ..contract import Result
from ..events import Used
from ..run import Run
from ..texts import in_words
from ..wire import RequestSize
from .books import Attempt, BranchJob, Holds, NoCluster, WorkerLost, hold_in
from .branch import EncodedResult, packed, perform, restored, seconds_each, sent_back

EXTRA = Extra("cluster", "A cluster")

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
BEAT_S = 2.0
"""Seconds between two messages to each worker that say only that the run is there."""
SILENCE_S = 10.0
"""Seconds without a message from a run until a worker ends its branches."""
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
UNHEARD = "its run is gone, or does not answer"


# ── messages ──────────────────────────────────────────────────────────────────────────────────────


class Message(BaseModel):
    """The base of every message."""

    model_config = ConfigDict(defer_build=True, extra="forbid")


class ToRun(Message):
    """A message of a branch to its run: one of its fields, or a question that asks for nothing."""

    branch: str
    event: str | None = None
    """An event of the branch, as JSON."""
    question: int | None = None
    """The number of a question, which `ToBranch` answers."""
    answers: str = ""
    """The question whether the attempt may begin: the queue for this and all further answers."""
    size: RequestSize | None = None
    """The question for money: the size of a request that has not been booked yet."""
    again: int | None = None
    """The question for money once more: the booking of a request that is sent again."""
    withdrawn: int | None = None
    """A question whose answer is not waited for any longer: nothing is sent that it asked for."""
    settled: int | None = None
    """A booking whose cost is known, or is known to be unknown."""
    spent: Used | None = None
    """What it cost; None: nobody knows."""
    last: bool = False
    """True for the last message: of the branch, or the run's own behind those of a lost worker."""


class ToBranch(Message):
    """A message of a run: an answer, the order to stop, or only that it is there."""

    branch: str = ""
    """Empty for a message to all branches of the worker."""
    question: int | None = None
    number: int = 0
    """Of the booking."""
    booked: Used | None = None
    refused: str = ""
    lost: bool = False
    """True for a refusal to begin: the scheduler has given the branch to a second worker."""
    stop: bool = False


async def queue_at(name: str, dask: Any = None) -> Any:  # Any: of the extra
    """The queue of this name, as a client of Dask sees it; in a worker, as the worker does."""
    return await EXTRA.module("distributed").Queue(name, client=dask)


# ── in the run's process ──────────────────────────────────────────────────────────────────────────


class Outbox:
    """Sends texts into a queue of Dask, in order; those that wait go together."""

    def __init__(self, queue: Any) -> None:  # Any: a distributed.Queue, of the extra
        self.queue = queue
        self._texts: list[str] = []
        self._sending: asyncio.Task[None] | None = None

    def send(self, message: Message) -> None:
        """Sends a message soon. Where the scheduler is gone, it is dropped."""
        self._texts.append(message.model_dump_json(exclude_defaults=True))
        if self._sending is None or self._sending.done():
            self._sending = asyncio.ensure_future(self._send())

    async def _send(self) -> None:
        while self._texts:
            texts, self._texts = self._texts, []
            await self.queue.put(texts)

    async def sent(self) -> None:
        """Waits until all messages so far are in the queue. Raises OSError when they cannot be."""
        while self._sending is not None and not self._sending.done():
            await asyncio.shield(self._sending)
        if self._sending is not None:
            self._sending.result()

    def close(self) -> None:
        """Sends nothing any more, and leaves the queue."""
        if self._sending is not None:
            self._sending.cancel()
            self._sending.add_done_callback(_is_over)
        self.queue.close()


def _is_over(task: asyncio.Future[Any]) -> None:
    """Looks at the end of a task that nobody waits for, so that nothing is said of it."""
    if not task.cancelled():
        task.exception()


class Desk:
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

    async def take(self, said: ToRun) -> None:
        """Takes in a message of the branch."""
        try:
            await self._take(said)
        except (ValueError, Exhausted) as problem:
            if not self.broken.done():
                self.broken.set_result(in_words(problem))

    async def _take(self, said: ToRun) -> None:
        if said.last:
            if not self.drained.done():
                self.drained.set_result(None)
        elif said.event is not None:
            self.attempt.take_in(said.event)
        elif said.settled is not None:
            spent = None if said.spent is None else Spent(*said.spent)
            await self.attempt.settle(said.settled, spent)
        elif said.withdrawn is not None:
            await self._withdraw(said.withdrawn)
        elif self.attempt.leased is not None and not said.answers:
            await self._booked(said)  # it is booked in the slice already, and waits for no answer
        elif said.question is not None:
            # may wait for others
            self._open[said.question] = asyncio.ensure_future(self._answer(said))

    async def _withdraw(self, question: int) -> None:
        """Books nothing for a question; what it has booked already is free again."""
        answer = self._open.pop(question, None)
        if answer is not None and not answer.cancel():
            await self.attempt.settle(answer.result().number, NOTHING)

    async def _answer(self, said: ToRun) -> ToBranch:
        try:
            answer = await self._booked(said)
        except (Exhausted, WorkerLost) as problem:
            lost = isinstance(problem, WorkerLost)
            answer = ToBranch(question=said.question, refused=str(problem), lost=lost)
        self.send(answer)
        return answer

    def send(self, message: ToBranch) -> None:
        """Sends a message to the branch, if it has begun."""
        if self.answers is not None:
            self.answers.send(message.model_copy(update={"branch": self.branch}))

    async def _booked(self, said: ToRun) -> ToBranch:
        if said.answers:
            await self.attempt.begin()
        elif said.size is not None:
            number, booked = await self.attempt.book(said.size)
            return ToBranch(question=said.question, number=number, booked=booked)
        elif said.again is not None:
            await self.attempt.again(said.again)
        return ToBranch(question=said.question)

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
        self._desks: dict[str, Desk] = {}
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
        text = await self._given(attempt, _branch, packed(job), attempt.rest().model_dump_json())
        end = EncodedResult.model_validate_json(text)
        if end.bug:
            return attempt.run.end_early("failed", end.bug)
        return restored(end, attempt.run)

    async def seconds_a_question(self, questions: int = 100) -> float:
        """Returns the average seconds that a worker needs to ask its run a question."""
        attempt = Attempt(Run(connect("offline")))
        return float(await self._given(attempt, _measure, questions))

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
        desk = self._desks[branch] = Desk(branch, attempt)
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
            ending.add_done_callback(_is_over)
            if not future.done() and not self._is_lost:
                await asyncio.shield(self._forgotten(future))

    async def _forgotten(self, future: Any) -> None:
        with contextlib.suppress(Exception):
            await asyncio.wait_for(future.cancel(reason="not wanted any more"), STOP_S)

    async def _stopped(self, ending: asyncio.Task[str], desk: Desk) -> None:
        """Tells a branch to stop, and waits until it has."""
        desk.attempt.give_up()
        desk.send(ToBranch(stop=True))
        await asyncio.wait({ending}, timeout=STOP_S)
        if not ending.done():
            desk.attempt.cut_off = True
            desk.attempt.run.note("this branch did not stop in time; it can send nothing more")

    async def _end_of(self, future: Any, branch: str, desk: Desk) -> str:
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
            result.add_done_callback(_is_over)

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

    async def _drained(self, branch: str, desk: Desk, result: asyncio.Future[str]) -> None:
        """Waits for everything that a branch has said. A lost worker has said no last word: ours
        stands behind what it said."""
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
                    said = ToRun.model_validate_json(text)
                    desk = self._desks.get(said.branch)
                    if desk is None:
                        continue
                    if said.answers:
                        desk.answers = await self._way_to(said.answers)
                    await desk.take(said)
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
            task.add_done_callback(_is_over)
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
    if address is None:
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
        here = True
    else:
        here = False
    dask = distributed.Client(address, asynchronous=True, set_as_default=False, security=security)
    stack.push_async_callback(dask.close)  # also when it cannot be started
    await dask
    if here:
        await dask.register_plugin(_without_pages()())
    return dask


def _without_pages() -> type:
    """A plugin of Dask that ends a worker's pages."""

    class WithoutPages(EXTRA.module("distributed").WorkerPlugin):  # type: ignore[misc]  # an extra
        def setup(self, worker: Any) -> None:
            worker.http_server.stop()

    return WithoutPages


# ── in a worker ───────────────────────────────────────────────────────────────────────────────────


class LostAnswers(Exception):
    """No answer of the run can come any more."""


async def _branch(home: str, branch: str, content: bytes, rest: str) -> str:
    """Does a branch; returns its result as JSON, "" when its run is gone or says stop."""
    bank = RemoteBank(branch, await post_to(home))
    return await bank.open_during(_done(bank, content, Budget.model_validate_json(rest)))


async def _done(bank: RemoteBank, content: bytes, rest: Budget) -> str:
    """Does a job and returns its result as JSON; that of a bug says what went wrong."""
    try:
        job: BranchJob = pickle.loads(content)  # from the run
        asked = LeasedBank(bank, rest, job.unknown_price_ok) if job.leased else bank
        result = await perform(job, asked, bank.tell)
        return sent_back(result).model_dump_json()
    except LostAnswers:
        raise
    except Exception as bug:
        return EncodedResult(bug=f"{type(bug).__name__}: {in_words(bug)}").model_dump_json()


async def _measure(home: str, branch: str, questions: int) -> str:
    """Times questions; returns the seconds of one."""
    bank = RemoteBank(branch, await post_to(home))

    async def timed() -> str:
        await bank.begin()
        return str(await seconds_each(bank.hello, questions))

    return await bank.open_during(timed())


class Post:
    """A worker's ends of the queues to one run, for all branches that it does for it."""

    def __init__(self, home: Any, answers: Any) -> None:  # Any: queues of the extra
        self.home = Outbox(home)
        self.answers = answers
        self.banks: dict[str, RemoteBank] = {}
        self.listening = asyncio.ensure_future(self._listen())

    async def _listen(self) -> None:
        """Takes in answers, until there was nothing for too long, or the scheduler is gone."""
        try:
            while True:
                for text in await asyncio.wait_for(self.answers.get(), SILENCE_S):
                    self._take(ToBranch.model_validate_json(text))
        except (OSError, TimeoutError):
            pass
        finally:
            for bank in self.banks.values():
                bank.end()
            self.home.close()
            self.answers.close()

    def _take(self, answer: ToBranch) -> None:
        if bank := self.banks.get(answer.branch):
            bank.take(answer)


_posts: dict[str, asyncio.Future[Post]] = {}
"""The post to each run, by the name of the run's queue."""


async def post_to(home: str) -> Post:
    """This worker's post to a run; opened when there is none, or the one before has heard nothing
    for too long."""
    post = _posts.get(home)
    if post is None or (post.done() and post.result().listening.done()):
        post = _posts[home] = asyncio.ensure_future(_opened_post(home))
    return await asyncio.shield(post)


async def _opened_post(home: str) -> Post:
    return Post(await queue_at(home), await queue_at(f"{home}-{uuid4().hex}"))


class RemoteBank:
    """Bank client of a branch: sends each question to the run, and waits for its answer."""

    def __init__(self, branch: str, post: Post) -> None:
        self._branch = branch
        self._post = post
        self._asked: dict[int, asyncio.Future[ToBranch]] = {}
        self._questions = 0
        self._ended = asyncio.Event()
        post.banks[branch] = self

    async def open_during(self, work: Awaitable[str]) -> str:
        """Does work that asks this bank, and returns its text. When no more answers can come, the
        work is cancelled and the text is "": nobody can be left waiting for an answer."""
        ended = asyncio.ensure_future(self._ended.wait())
        doing = asyncio.ensure_future(work)
        both: set[asyncio.Future[Any]] = {doing, ended}
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            ended.cancel()
            doing.cancel()
            self.end()
            await asyncio.wait({doing})
            del self._post.banks[self._branch]
            self._say(last=True)
            with contextlib.suppress(OSError):
                await self._post.home.sent()
        if doing.cancelled() or isinstance(doing.exception(), LostAnswers):
            return ""
        return doing.result()

    def end(self) -> None:
        """Ends every question: no answer can come any more."""
        self._ended.set()
        for asked in self._asked.values():
            if not asked.done():
                asked.set_exception(LostAnswers(UNHEARD))
                asked.exception()  # read here: a task that could not send it does not

    def take(self, answer: ToBranch) -> None:
        """Takes in an answer, or the order to stop."""
        if answer.stop or answer.lost:
            self.end()
            return
        asked = self._asked.pop(answer.question or 0, None)
        if asked is not None and not asked.done():
            asked.set_result(answer)

    def _say(self, **fields: Any) -> None:  # Any: ToRun checks them
        self._post.home.send(ToRun(branch=self._branch, **fields))

    def tell(self, event: str) -> None:
        """Sends an event."""
        self._say(event=event)

    async def begin(self) -> None:
        """Asks whether the attempt may begin: a scheduler may have given it to another worker."""
        await self._ask(answers=self._post.answers.name)

    async def book(self, size: RequestSize) -> tuple[int, Spent]:
        answer = await self._ask(size=size)
        return answer.number, Spent(*answer.booked or ())

    async def again(self, number: int) -> None:
        await self._ask(again=number)

    async def settle(self, number: int, actual: Spent | None) -> None:
        self._say(settled=number, spent=actual)

    async def hello(self) -> None:
        """Asks for nothing: the question alone is timed."""
        await self._ask()

    async def report(self, **fields: Any) -> None:
        """Sends what a slice has booked, and waits until it is in the run's queue."""
        self._questions += 1
        self._say(question=self._questions, **fields)
        await self._post.home.sent()

    async def _ask(self, **fields: Any) -> ToBranch:
        """Sends a question and waits for the answer; when the wait is cancelled, withdraws the
        question. Raises Exhausted with the run's words, and LostAnswers when none can come."""
        if self._ended.is_set():
            raise LostAnswers(UNHEARD)
        self._questions += 1
        number = self._questions
        waiting: asyncio.Future[ToBranch] = asyncio.get_running_loop().create_future()
        self._asked[number] = waiting
        self._say(question=number, **fields)
        try:
            answer = await waiting
        except BaseException:
            self._asked.pop(number, None)
            self._say(withdrawn=number)
            raise
        if answer.refused:
            raise Exhausted(answer.refused)
        return answer


class LeasedBank:
    """Bank for a leased slice: decides locally and reports.

    It keeps the same books as the run, and reports each booking before the request is sent.
    """

    def __init__(self, bank: RemoteBank, rest: Budget, unknown_price_ok: bool) -> None:
        ledger = Ledger(rest, owner="the slice", unknown_price_ok=unknown_price_ok)
        self._holds = Holds(lambda size: hold_in(ledger, None, size))
        self._bank = bank

    async def begin(self) -> None:
        await self._bank.begin()

    async def book(self, size: RequestSize) -> tuple[int, Spent]:
        number, booked = await self._holds.book(size)
        try:
            await self._bank.report(size=size)
        except BaseException:  # the caller does not learn the number, and sends nothing
            await self.settle(number, NOTHING)
            raise
        return number, booked

    async def again(self, number: int) -> None:
        self._holds.again(number)
        await self._bank.report(again=number)

    async def settle(self, number: int, actual: Spent | None) -> None:
        self._holds.settle(number, actual)
        await self._bank.settle(number, actual)
