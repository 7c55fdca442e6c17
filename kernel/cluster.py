"""A fan-out on several processes or machines: branches go out as parcels, their events come back
live, and the run's budgets hold exactly.

    async with open_cluster(workers=2) as cluster:         # or open_cluster("tcp://…:8786")
        results = await fan_out(run, [(agent, handoff), …], on=cluster)

What travels is the executable and its handoff. The run stays, with its ledgers: before a worker
sends a request, it asks the bank, which is an actor of Dask in the process of the run and books in
the run's own ledgers. A branch whose worker dies is given to another one. What the dead worker
had under way counts as spent, since nobody knows what the service did; with a journal
(`kernel.journal`) nothing that was finished is asked or paid again.

Dask is an optional extra, imported when a cluster is opened: pip install -e ".[cluster]".
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import pickle
import secrets
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, NoReturn, Protocol

from .budget import NOTHING, Budget, Exhausted, Hold, Ledger, Spent, spent_on_failure
from .client import Client, WrappedClient, connect
from .contract import Executable, Handoff, Result, Wrapper, in_words
from .events import Event, from_json, to_json
from .journal import Journal, JournalError
from .models import spent_on
from .run import Run
from .wire import ApiError, Reply, Request, RequestSize

INSTALL = 'pip install -e ".[cluster]"'
EVENTS = "kernel-events"
"""The topic on which workers report events."""

START_S, STOP_S, LATE_S = 60.0, 5.0, 5.0
"""Seconds: until a cluster is up, until a cancelled branch has stopped, until its last event is
here."""
PATIENCE_S, LOOK_S = 30.0, 0.5
"""Seconds: without any worker, until a branch is given up; between two looks at who is there."""
RESTART_S = 300.0
"""Seconds that a lost process of this machine has to be up again. After Dask's own 15 a busy
machine's process that is only slow to come back would be given up."""

SETTINGS = {
    # a branch whose worker dies comes back here, where the books are, and is not run again
    "distributed.scheduler.allowed-failures": 0,
    "distributed.deploy.lost-worker-timeout": RESTART_S,
}
"""Settings of Dask while a cluster is open."""
DESK = "bank-"
"""The prefix of the names of workers that only hold a bank."""

Books = Literal["bank", "lease"]
"""How money is kept: the bank is asked before each request, or once a branch for a slice."""


class NoCluster(OSError):
    """The cluster cannot be used, or nobody is left in it; the message says why, and what to do."""


class WorkerLost(Exception):
    """The process that did a branch is gone; nobody knows what it had under way."""


class Bank(Protocol):
    """What a branch asks of the run at home, from wherever it is."""

    async def begin(self) -> Budget: ...

    async def book(self, size: RequestSize) -> tuple[int, Spent]: ...

    async def settle(self, number: int, actual: Spent | None) -> None: ...


class Workers(Protocol):
    """Where branches are done: a cluster, or this process."""

    async def do(self, job: Job, account: Account) -> Done:
        """Does a job with `perform`. Raises WorkerLost when the worker is gone, NoCluster when no
        other is there, TypeError when something does not travel. Cancelling it stops the branch."""
        ...


# ── at home: the books and the door ───────────────────────────────────────────────────────────────


async def fan_out(
    run: Run,
    jobs: Iterable[tuple[Any, ...]],
    *,
    on: Workers,
    books: Books = "bank",
    journal: str | Path | None = None,
    client: Callable[[], Client] | None = None,
    attempts: int = 3,
    limit: int | None = None,
) -> list[Result]:
    """`Run.fan_out` on workers: (executable, handoff[, budget]) each; results in the order given.

    on:       where to: an open cluster, or `Here()`.
    books:    "bank" asks before each request; "lease" gives every branch an equal slice of what the
              budgets have left, which costs no further question and wastes what a branch
              does not use.
    journal:  a folder that all workers reach; each branch keeps its replies in a file there, and
              one that is begun again replays them.
    client:   makes the client in the worker, where a key is read from the worker's environment;
              by default `connect` with the mode of the run's client.
    attempts: how often a branch is begun when its worker is lost. A branch that fails by itself is
              not begun again.

    A reply's tries that the service may have done all the same are charged once it is known how
    many there were; only these can pass a cap.
    """
    dispatches = list(jobs)
    if books not in ("bank", "lease"):
        raise ValueError(f"books is {books!r}; expected 'bank' or 'lease'")
    if attempts < 1:
        raise ValueError(f"attempts is {attempts}; expected at least 1")
    terms = Terms(
        client or partial(connect, run.client.mode, max_usd=None),
        None if journal is None else Path(journal).absolute(),
        attempts,
        share(run, len(dispatches)) if books == "lease" else None,
    )
    if terms.journal:
        terms.journal.mkdir(parents=True, exist_ok=True)
    return await run.fan_out(
        [(Elsewhere(executable, on, terms), *rest) for executable, *rest in dispatches],
        limit=limit,
    )


def share(run: Run, branches: int) -> Budget:
    """An equal part of what all budgets on the way up have left, for each of so many branches."""
    left: dict[str, Any] = {}
    for ledger in run.ledger.lineage():
        used = ledger.spent + ledger.reserved
        for name in ("calls", "tokens", "usd"):
            cap = getattr(ledger.budget, name)
            if cap is not None:
                rest = max(cap - getattr(used, name), 0)
                left[name] = min(left.get(name, rest), rest)
    parts = max(branches, 1)
    return Budget(
        **{
            name: amount / parts if name == "usd" else amount // parts
            for name, amount in left.items()
        }
    )


@dataclass(frozen=True)
class Terms:
    """On what terms all branches of one fan-out are done."""

    client: Callable[[], Client]
    journal: Path | None
    attempts: int
    slice: Budget | None
    """What each branch may use, where money is leased."""


@dataclass(frozen=True)
class Elsewhere(Wrapper):
    """An executable whose work is done by a worker; a transparent wrapper of it."""

    wraps: Executable
    on: Workers
    terms: Terms

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        """Sends a parcel out, again where its worker is lost; returns what came of it."""
        job = self._job(handoff, run)
        for attempt in range(1, self.terms.attempts + 1):
            account = Account(run, self.terms.slice)
            try:
                done = await self.on.do(job, account)
                await account.heard(done.events)
                account.close(done.spent)
                return done.result
            except WorkerLost as loss:
                reason = f"attempt {attempt} of {self.terms.attempts}: {loss}"
                run.note(reason, about="cluster", attempt=attempt, branch=run.id)
                replayed = self.terms.slice is not None and self.terms.journal is not None
                account.close(NOTHING if replayed else None)
            except NoCluster as nobody:
                again = "" if self.terms.journal else " (over a `journal`, nothing is paid twice)"
                return run.end_early("failed", f"{nobody}{again}", transient=True)
            finally:
                account.close(None)
        return run.end_early("failed", f"its worker was lost; {reason}", transient=True)

    def _job(self, handoff: Handoff, run: Run) -> Job:
        """What a worker is told. The levels and turns that are left hold there too."""
        turns = [ledger.budget.turns for ledger in run.ledger.lineage()]
        known = [limit for limit in turns if limit is not None]
        return Job(
            executable=self.wraps,
            handoff=handoff,
            caller=handoff.return_to or "user",
            limits=Budget(depth=run.levels, turns=min(known, default=None)),
            client=self.terms.client,
            journal=self._journal(handoff, run),
            leased=self.terms.slice is not None,
        )

    def _journal(self, handoff: Handoff, run: Run) -> Path | None:
        """The branch's file: the same after a crash, whatever finished first."""
        if self.terms.journal is None:
            return None
        branch = f"{run.id} {self.name} {handoff.key()}"
        return self.terms.journal / f"{sha256(branch.encode()).hexdigest()[:20]}.db"


class Account:
    """What one attempt of a branch books in the ledgers of its run, and the events it reports."""

    def __init__(self, run: Run, slice: Budget | None = None) -> None:
        self.id = f"branch-{secrets.token_hex(6)}"
        self.closed = False
        self._run = run
        self._slice = slice
        self._begun = False
        self._open: dict[int, Hold] = {}
        self._numbers = itertools.count(1)
        self._events = 0
        self._arrived = asyncio.Event()

    async def begin(self) -> Budget:
        """The attempt begins; returns what it may use without asking. Raises WorkerLost when it was
        begun before: a scheduler gave it to another worker by itself."""
        if self.closed or self._begun:
            raise WorkerLost("this attempt was begun before, or is not wanted any more")
        self._begun = True
        if self._slice is None:
            return Budget()
        self._open[0] = self._run.ledger.hold_slice(self._slice)
        return self._slice

    async def book(self, size: RequestSize) -> tuple[int, Spent]:
        """Books a request before it is sent, in turn: (its number, what is booked). Raises
        Exhausted as `Ledger.hold` does."""
        if self.closed:
            raise Exhausted("this branch was given up; it may not send any more")
        hold = await self._run.hold(size)
        if self.closed:  # while it waited
            hold.settle(NOTHING)
            raise Exhausted("this branch was given up; it may not send any more")
        number = next(self._numbers)
        self._open[number] = hold
        return number, hold.amount

    async def hello(self) -> None:
        """A question without an answer, to measure what one costs."""

    async def settle(self, number: int, actual: Spent | None) -> None:
        """Replaces what was booked by what it cost; None: nobody knows, so all of it is charged."""
        hold = self._open.pop(number, None)
        if hold is not None:
            hold.settle(hold.amount if actual is None else actual)

    def close(self, slice_spent: Spent | None) -> None:
        """Ends the attempt; what is still booked is charged in full, a slice as far as is known."""
        self.closed = True
        for number, hold in list(self._open.items()):
            actual = slice_spent if number == 0 else None
            del self._open[number]
            hold.settle(hold.amount if actual is None else actual)

    def told(self, line: str) -> None:
        """Takes an event of the worker into the run's own stream, at its place in the tree."""
        self._events += 1
        self._arrived.set()
        if not self.closed:
            self._run.take_in(from_json(line.encode()))

    async def heard(self, events: int) -> None:
        """Waits until so many events have arrived; notes how many are missing."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LATE_S):
                while self._events < events:
                    self._arrived.clear()
                    await self._arrived.wait()
        if self._events < events:
            missing = events - self._events
            self._run.note(f"{missing} events of this branch did not arrive", about="cluster")


# ── at the worker ─────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Job:
    """All that a worker is told."""

    executable: Executable
    handoff: Handoff
    caller: str
    limits: Budget
    client: Callable[[], Client]
    journal: Path | None
    leased: bool


@dataclass(frozen=True)
class Done:
    """All that it returns; the events came on their own."""

    result: Result
    spent: Spent
    """What a leased slice was used for."""
    events: int


def packed(job: Job) -> bytes:
    """What crosses the wire. Raises TypeError that says what does not travel."""
    cloudpickle = optional("cloudpickle")
    try:
        return cloudpickle.dumps(job)
    except Exception as problem:
        name = job.executable.name
        raise TypeError(f"{name} cannot travel to a worker: {in_words(problem)}") from None


async def perform(job: Job, bank: Bank, tell: Callable[[str], None]) -> Done:
    """Does one branch in a run of its own, and reports each event with `tell`."""
    slice = await bank.begin()
    events = 0

    def report(event: Event) -> None:
        nonlocal events
        events += 1
        tell(to_json(event))

    async with contextlib.AsyncExitStack() as stack:
        client = await stack.enter_async_context(job.client())
        if not job.leased:
            client = BankedClient(client, bank)
        if job.journal:
            journal = stack.enter_context(await _opened(job.journal))
            client = journal.around(client)
        limits = {**slice.model_dump(exclude_none=True), **job.limits.model_dump(exclude_none=True)}
        run = Run(client, budget=Budget(**limits), on_event=report, name=job.caller)
        result = await run.dispatch(job.executable, job.handoff)
    return Done(result, run.spent, events)


async def _opened(path: Path) -> Journal:
    """The branch's journal. A process that was killed a moment ago may still hold it: waits."""
    until = time.monotonic() + LATE_S
    while True:
        try:
            return Journal(path)
        except JournalError as problem:
            if "in use" not in str(problem) or time.monotonic() > until:
                raise
        await asyncio.sleep(0.05)


class BankedClient(WrappedClient):
    """A client around a client: it asks the bank before each request, and tells it the cost."""

    def __init__(self, client: Client, bank: Bank) -> None:
        super().__init__(client)
        self._bank = bank
        # the bank keeps the books; those of the worker only count
        self.ledger = Ledger(Budget(), owner="the worker")

    async def send(
        self,
        request: Request | dict[str, Any],
        *,
        on_retry: Callable[[ApiError, float], None] | None = None,
    ) -> Reply:
        if not isinstance(request, Request):
            request = Request(request)
        number, booked = await self._bank.book(request.size)
        if booked.output_tokens < request.max_tokens:
            request = request.with_max_tokens(booked.output_tokens)
        lost = NOTHING
        """Tries that the service may have done all the same."""

        def again(error: ApiError, wait_s: float) -> None:
            nonlocal lost
            lost += spent_on_failure(booked, billable=error.billable, again=True)
            if on_retry:
                on_retry(error, wait_s)

        actual = booked
        try:
            reply = await self.wrapped.send(request, on_retry=again)
            actual = spent_on(request.model, reply.usage)
            return reply
        except ApiError as error:
            actual = spent_on_failure(booked, billable=error.billable)
            raise
        finally:
            await asyncio.shield(self._bank.settle(number, lost + actual))


# ── workers ───────────────────────────────────────────────────────────────────────────────────────


class Here:
    """The same work in this process: for a machine that can start no other one.

    Where Dask's cloudpickle is installed, each job is packed and unpacked, so that what does not
    travel is seen here too.
    """

    async def do(self, job: Job, account: Account) -> Done:
        with contextlib.suppress(ModuleNotFoundError):
            job = pickle.loads(packed(job))
        return await perform(job, account, account.told)

    async def seconds_a_question(self, questions: int = 100) -> float:
        """What asking the bank costs without a wire, on average.

        Asks more often where the clock is too coarse to see it, as in a browser's tab.
        """
        account = Account(Run(connect("offline")))
        while not (seconds := await _ask(account, questions)):
            questions *= 10
        return seconds


class Cluster:
    """An open Dask cluster; from `open_cluster`."""

    def __init__(self, dask: Any, bank: Any, accounts: dict[str, Account], watch: _Watch) -> None:
        self.dask = dask
        """The client of Dask itself, for whatever else it can do."""
        self._bank = bank
        self._accounts = accounts
        self._watch = watch

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Cluster stays in its process; open it by its address in the other one")

    async def do(self, job: Job, account: Account) -> Done:
        distributed = optional("distributed")
        parcel = packed(job)
        await self._watch.look_again()
        self._accounts[account.id] = account
        stop = distributed.Event(account.id, client=self.dask)
        future = self.dask.submit(
            _work, parcel, account.id, self._bank, key=f"{account.id}-work", pure=False, retries=0
        )
        try:
            return pickle.loads(await self._watch.result_of(future))
        except distributed.scheduler.KilledWorker:
            raise WorkerLost("the process that did this work is gone") from None
        except distributed.client.FutureCancelledError as problem:
            self._watch.check(lost=problem.reason == "scheduler-connection-lost")
            raise WorkerLost(f"the cluster dropped this work ({problem.reason})") from None
        except NoCluster:
            account.close(None)
            await _in_time(future.cancel(reason="nobody is there to do it"))
            raise
        except asyncio.CancelledError:
            account.close(None)
            await self._stopped(stop, future, account)
            raise
        finally:
            self._accounts.pop(account.id, None)

    async def _stopped(self, stop: Any, future: Any, account: Account) -> None:
        """Stops a branch. `future.cancel` alone does not: a coroutine that runs goes on."""
        if not await _in_time(stop.set()):
            return  # nobody answers there
        try:
            await asyncio.wait_for(asyncio.shield(future), STOP_S)
        except TimeoutError:
            account._run.note("this branch did not stop in time; it can send nothing any more")
        except Exception:
            pass  # it ended with an error, which nobody waits for
        await _in_time(future.cancel(reason="cancelled at home"))
        await _in_time(stop.clear())

    async def seconds_a_question(self, questions: int = 100) -> float:
        """What asking the bank costs a worker, on average."""
        return await self.dask.submit(_ask, self._bank, questions, pure=False)

    async def ready(self, workers: int) -> None:
        """Waits until so many workers are up, as after the loss of one. Raises TimeoutError."""
        async with asyncio.timeout(START_S):
            while len(await self._watch.workers()) < workers:
                await asyncio.sleep(0.05)


class _Watch:
    """Notices when no worker is left, or the scheduler is lost: Dask itself would wait forever."""

    def __init__(self, dask: Any, address: str, patience_s: float) -> None:
        self._dask = dask
        self._address = address
        self._patience_s = patience_s
        self._seen = time.monotonic()
        self._nobody = asyncio.Event()
        self._lost = False
        """Whether the scheduler is gone, and the bank's actor with it."""

    async def look(self) -> None:
        """Looks every `LOOK_S` seconds, until the scheduler is lost."""
        while not self._lost:
            try:
                async with asyncio.timeout(max(self._patience_s, START_S)):
                    await self.workers()
                self._lost = self._dask.status != "running"
            except (OSError, RuntimeError):  # a TimeoutError is an OSError
                self._lost = True
            if self._lost or time.monotonic() - self._seen > self._patience_s:
                self._nobody.set()
            await asyncio.sleep(LOOK_S)

    async def look_again(self) -> None:
        """Raises NoCluster as `check` does, unless a worker has come since the last look."""
        if self._nobody.is_set() and not self._lost:
            await _in_time(self.workers())
        self.check()

    async def workers(self) -> list[str]:
        """The names of the workers that branches are given to; those that hold a bank are not."""
        known = await self._dask.scheduler.identity()
        names = [str(worker["name"]) for worker in known["workers"].values()]
        ready = [name for name in names if not name.startswith(DESK)]
        if ready:
            self._seen = time.monotonic()
            self._nobody.clear()
        return ready

    def check(self, *, lost: bool = False) -> None:
        """Raises NoCluster when nobody is there, or the scheduler is not."""
        self._lost = self._lost or lost or self._dask.status != "running"
        if self._lost:
            self._nobody.set()
            raise NoCluster(
                f"The scheduler at {self._address} was lost, and this branch with it. Start a"
                " scheduler and workers again, open the cluster anew, and give the work out again"
            )
        if self._nobody.is_set():
            raise NoCluster(
                f"No worker has been at {self._address} for {self._patience_s:g} seconds, and this"
                f" branch needs one. Start one with `dask worker {self._address}` and give the work"
                " out again"
            )

    async def result_of(self, future: Any) -> bytes:
        """What a worker returns. Raises NoCluster when there is none to wait for."""
        work = asyncio.ensure_future(future)
        try:
            while not work.done():
                nobody = asyncio.ensure_future(self._nobody.wait())
                try:
                    await asyncio.wait({work, nobody}, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    nobody.cancel()
                if not work.done():
                    self.check()
            return await work
        finally:
            work.cancel()


async def _in_time(request: Awaitable[Any]) -> bool:
    """Waits for a request to the scheduler, at most `STOP_S` seconds; returns whether it was
    answered."""
    with contextlib.suppress(OSError, RuntimeError):
        await asyncio.wait_for(request, STOP_S)
        return True
    return False


@contextlib.asynccontextmanager
async def open_cluster(
    address: str | None = None,
    *,
    workers: int = 2,
    branches: int = 1,
    patience_s: float = PATIENCE_S,
    **options: Any,
) -> AsyncIterator[Cluster]:
    """A Dask cluster: new processes on this machine, or the scheduler at `address`.

    branches:   how many branches a new worker does at once. A branch mostly waits for the service.
    patience_s: how long a branch waits while there is no worker at all. Then it ends as a failed
                result with the work so far; so it does when the scheduler is lost.
    options:    further ones for `distributed.Client`, such as `security`.

    Who can reach a scheduler can run code on its workers: without an address it listens to this
    machine only; with one, keep it on a network of your own, or use `tls://`. All workers need this
    project, in the same version. Raises ModuleNotFoundError with the line that installs Dask
    when it is missing, NoCluster when no scheduler answers or no process can be started.
    """
    distributed = optional("distributed")
    dask_config = optional("dask").config
    accounts: dict[str, Account] = {}
    async with contextlib.AsyncExitStack() as stack:
        stack.enter_context(_quiet())
        stack.enter_context(dask_config.set(SETTINGS))
        try:
            async with asyncio.timeout(START_S):
                if address is None:
                    local = distributed.LocalCluster(
                        n_workers=workers,
                        threads_per_worker=branches,
                        host="127.0.0.1",
                        asynchronous=True,
                        silence_logs=logging.CRITICAL,
                        dashboard_address="127.0.0.1:0",
                    )
                    address = (await stack.enter_async_context(local)).scheduler_address
                client = distributed.Client(
                    address, asynchronous=True, set_as_default=False, **options
                )
                stack.push_async_callback(client.close)  # also when it cannot be started
                dask = await client
                bank = await _open_bank(stack, dask, address, accounts, options)
        except (OSError, RuntimeError, ValueError) as problem:
            raise NoCluster(
                f"No cluster at {address or 'this machine'} ({in_words(problem) or 'no answer'})."
                " Start a scheduler with `dask scheduler` and workers with `dask worker ADDRESS`,"
                " or leave the address out for processes on this machine."
            ) from None

        def take(event: tuple[float, dict[str, str]]) -> None:
            account = accounts.get(event[1]["account"])
            if account is not None:
                account.told(event[1]["line"])

        dask.subscribe_topic(EVENTS, take)
        watch = _Watch(dask, address, patience_s)
        looking = asyncio.ensure_future(watch.look())
        stack.callback(looking.cancel)
        yield Cluster(dask, bank, accounts, watch)


async def _open_bank(
    stack: contextlib.AsyncExitStack,
    dask: Any,
    address: str,
    accounts: dict[str, Account],
    options: dict[str, Any],
) -> Any:
    """The bank's actor, on a worker in this process that does nothing else."""
    distributed = optional("distributed")
    number = secrets.token_hex(6)
    security = {name: options[name] for name in ("security",) if name in options}
    paths = sys.path[:]
    desk = distributed.Worker(
        address,
        nthreads=1,
        name=f"{DESK}{number}",
        dashboard=False,
        memory_limit=0,
        **({"host": "127.0.0.1"} if "127.0.0.1" in address else {}),
        **security,
    )
    await stack.enter_async_context(desk)
    sys.path[:] = paths  # a worker puts its own folder there
    _BANKS[number] = accounts
    stack.callback(_BANKS.pop, number)
    opened = dask.submit(
        Desk, number, actor=True, workers=[desk.address], key=f"{DESK}{number}", pure=False
    )
    stack.callback(opened.release)  # the actor lives as long as this future is held
    bank = await opened
    desk.status = distributed.core.Status.paused  # it answers questions, and is given no branch
    while (await dask.scheduler.identity())["workers"][desk.address]["status"] != "paused":
        await asyncio.sleep(0.01)  # until the scheduler knows
    return bank


_BANKS: dict[str, dict[str, Account]] = {}
"""The accounts of each open cluster of this process, where its actor finds them."""


class Desk:
    """The bank as Dask's actor: it passes each question on to the account that it is about."""

    def __init__(self, number: str) -> None:
        self._accounts = _BANKS[number]

    async def begin(self, account: str) -> Budget:
        if account not in self._accounts:
            raise WorkerLost("this attempt is not wanted any more")
        return await self._accounts[account].begin()

    async def book(self, account: str, size: RequestSize) -> tuple[int, Spent]:
        if account not in self._accounts:
            raise Exhausted("this branch was given up; it may not send any more")
        return await self._accounts[account].book(size)

    async def settle(self, account: str, number: int, actual: Spent | None) -> None:
        if account in self._accounts:
            await self._accounts[account].settle(number, actual)

    async def hello(self) -> None:
        """A question without an answer, to measure what one costs."""


@dataclass(frozen=True)
class _AtTheBank:
    """A branch's line to the bank, from the worker."""

    desk: Any
    account: str

    async def begin(self) -> Budget:
        return await self.desk.begin(self.account)

    async def book(self, size: RequestSize) -> tuple[int, Spent]:
        return await self.desk.book(self.account, size)

    async def settle(self, number: int, actual: Spent | None) -> None:
        await self.desk.settle(self.account, number, actual)


async def _work(parcel: bytes, account: str, desk: Any) -> bytes:
    """What a worker does: the branch, until it is done or stopped."""
    distributed = optional("distributed")
    worker = distributed.get_worker()

    def tell(line: str) -> None:
        worker.log_event(EVENTS, {"account": account, "line": line})

    branch = asyncio.ensure_future(perform(pickle.loads(parcel), _AtTheBank(desk, account), tell))
    stop = asyncio.ensure_future(distributed.Event(account).wait())
    try:
        await asyncio.wait({branch, stop}, return_when=asyncio.FIRST_COMPLETED)
        if branch.done():
            return optional("cloudpickle").dumps(branch.result())
        branch.cancel()
        await asyncio.wait({branch})
        return b""
    finally:
        stop.cancel()


async def _ask(desk: Any, questions: int) -> float:
    began = time.perf_counter()
    for _ in range(questions):
        await desk.hello()
    return (time.perf_counter() - began) / questions


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Dask reports a lost worker in its log; here a note of the run says it."""
    log = logging.getLogger("distributed")
    before = log.level
    log.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        log.setLevel(before)


def optional(module: str) -> Any:
    """A module of the optional extra. Raises ModuleNotFoundError with the line that installs it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as problem:
        raise ModuleNotFoundError(
            f"Dask is not installed for {sys.executable or 'this Python'} ({problem.name} is"
            f" missing). In the folder of the project: {INSTALL}",
            name=problem.name,
        ) from None
