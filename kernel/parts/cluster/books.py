"""Money over processes: the run's own process decides what a fan-out's branches may spend."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, Protocol

from ...core.asking import keep_text
from ...core.budget import CAPS, NOTHING, Budget, Exhausted, Hold, Ledger, Spent
from ...core.contract import Executable, Handoff, Result, Status, Wrapper
from ...core.door import Assignment, below
from ...core.events import Event, Returned, from_json, placed
from ...core.run import Run
from ...core.wire import Reply, RequestSize
from ...plumbing.client import Client
from ...plumbing.connections import connect
from ...plumbing.models import demand_of
from ...plumbing.work import Delegation, Fold, ModelCall, Work

Books = Literal["bank", "lease"]
"""The way money is kept: a branch asks the bank before each request, or once for a slice."""

GIVEN_UP = "this branch was given up; it may not send any more"


class NoCluster(OSError):
    """The cluster is unusable or has no workers left; the message says why, and what to do."""


class WorkerLost(Exception):
    """The process that did a branch is gone, or cannot be reached; nobody knows what it had under
    way."""


class Bank(Protocol):
    """The questions that a branch asks its run, which may be in another process.

    `BankedClient` asks it. `Attempt` answers in the run's process; `RemoteBank` forwards to
    `Attempt`; `LeasedBank` decides alone from a slice. `Attempt` and `LeasedBank` track open
    requests in `Holds`.
    """

    async def begin(self) -> None:
        """Begins the branch."""
        ...

    async def book(self, size: RequestSize) -> tuple[int, Spent]:
        """Sets aside the most that a request may cost, before it is sent; returns its number and
        that amount. Raises Exhausted when there is no room for it. When it is cancelled, nothing
        stays set aside."""
        ...

    async def retry(self, number: int) -> None:
        """Sets aside as much for the next try of a request, after one that the service may have
        done. Raises Exhausted when there is no room for it."""
        ...

    async def settle(self, number: int, actual: Spent | None) -> None:
        """Replaces what was set aside by the cost; None: unknown, so all of it is charged."""
        ...

    async def hand_out(self, specialist: str, limit: int) -> int:
        """Counts a handoff to elsewhere, as `Run.hand_out` does."""
        ...


class Workers(Protocol):
    """A place where branches are done: a cluster, or this process."""

    async def do(self, job: BranchJob, attempt: Attempt) -> Result:
        """Does a job with `perform`. Raises WorkerLost when the worker is gone, NoCluster when no
        other is there, TypeError when something does not travel. Cancelling it stops the branch."""
        ...


@dataclass(frozen=True)
class BranchJob:
    """A branch as a worker gets it."""

    executable: Executable
    handoff: Handoff
    caller: str
    limits: Budget
    client: Callable[[], Client]
    journal: Path | None
    leased: bool
    unknown_price_ok: bool
    paid: bool
    """True if the run's own client counts what somebody is billed for."""


async def fan_out(
    run: Run,
    jobs: Iterable[Assignment],
    *,
    on: Workers,
    books: Books = "bank",
    journal: str | Path | None = None,
    client: Callable[[], Client] | None = None,
    attempts: int = 3,
    limit: int | None = None,
) -> list[Result]:
    """`Run.fan_out` on workers: (executable, handoff[, budget]) each; results in the order given.

    on:       where to: an open cluster, or `LocalWorkers()`.
    books:    "bank" asks before each request; "lease" gives every branch an equal slice of what the
              budgets have left: no round trip per request, but what a branch leaves unused stays
              locked until it ends. All attempts of a branch share its slice.
    journal:  a folder that all workers reach; each branch keeps its replies and errors in a file
              there, and one that is begun again replays them (see `Journal.try_again`). What is
              replayed is not booked again: where a run goes on after its own process ended, its
              bill and its budgets are those of the rest, not of the whole work.
    client:   makes the client in the worker, where a key is read from the worker's environment;
              by default `connect` with the mode of the run's client. A cap of its own holds in each
              branch. Where it may cost money and the run's client may not, nobody would count it:
              the branch fails and says so.
    attempts: how often a branch is begun when its worker is lost. A branch that fails by itself is
              not begun again.

    An output that is text, a pydantic model or another JSON value comes back as it was. A model's
    class has to be known by its name in this process; of any other output JSON's form comes back,
    with a note. A model that its class refuses in this process is a failed result.
    """
    dispatches = list(jobs)
    if books not in ("bank", "lease"):
        raise ValueError(f"books is {books!r}; expected 'bank' or 'lease'")
    if attempts < 1:
        raise ValueError(f"attempts is {attempts}; expected at least 1")
    options = FanOutOptions(
        client or partial(connect, run.client.mode),
        None if journal is None else Path(journal).absolute(),
        attempts,
        share(run, len(dispatches)) if books == "lease" else None,
    )
    if options.journal:
        options.journal.mkdir(parents=True, exist_ok=True)
    return await run.fan_out(
        [(Elsewhere(executable, on, options), *rest) for executable, *rest in dispatches],
        limit=limit,
    )


def share(run: Run, branches: int) -> Budget:
    """An equal part of what all budgets on the way up have left, for each of so many branches."""
    parts = max(branches, 1)
    left = tightest(*map(rest_of, ledger_of(run).lineage()))
    return Budget(
        calls=None if left.calls is None else left.calls // parts,
        tokens=None if left.tokens is None else left.tokens // parts,
        usd=None if left.usd is None else _part(left.usd, parts),
    )


def ledger_of(run: Run) -> Ledger:
    """A ledger for requests that a worker sends: the budgets of the run, and what its client is
    billed for, since they do not pass through that client."""
    return Ledger(parent=run.ledger, beside=run.client.billed, owner=run.name)


def _part(usd: Decimal, parts: int) -> Decimal:
    """An equal part, rounded down: the parts are never more than the whole."""
    return Decimal(int(usd * 10**12) // parts).scaleb(-12)


def rest_of(ledger: Ledger) -> Budget:
    """Returns the rest of each cap of one ledger."""
    used = ledger.spent + ledger.reserved
    left: dict[str, Any] = {}
    for cap in CAPS:
        allowed = getattr(ledger.budget, cap)
        if allowed is not None:
            left[cap] = max(allowed - getattr(used, cap), 0)
    return Budget(**left)


def tightest(*budgets: Budget) -> Budget:
    """The smallest of each cap on calls, tokens and dollars."""
    smallest: dict[str, Any] = {}
    for cap in CAPS:
        known = [getattr(budget, cap) for budget in budgets]
        smallest[cap] = min((amount for amount in known if amount is not None), default=None)
    return Budget(**smallest)


@dataclass(frozen=True)
class FanOutOptions:
    """The options that all branches of one fan-out share."""

    client: Callable[[], Client]
    journal: Path | None
    attempts: int
    slice: Budget | None
    """The limit of each branch, where money is leased."""


@dataclass(frozen=True)
class Elsewhere(Wrapper):
    """An executable whose work is done by a worker; a transparent wrapper of it."""

    wraps: Executable
    on: Workers
    options: FanOutOptions

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        """Runs the job on a worker, again if the worker is lost; returns its result.

        A slice is set aside once for all attempts, and settled once with what they used.
        """
        if self.options.slice is None:
            return await self._done(handoff, run, None)
        part = tightest(self.options.slice, run.budget)
        leased = Ledger(
            part, owner=f"{self.name}'s slice", unknown_price_ok=run.ledger.unknown_price_ok
        )
        with ledger_of(run).hold_slice(part) as hold:
            try:
                return await self._done(handoff, run, leased)
            finally:
                hold.settle(leased.spent)

    async def _done(self, handoff: Handoff, run: Run, leased: Ledger | None) -> Result:
        """One attempt after the other, until one ends by itself."""
        job = self._job(handoff, run)
        for number in range(1, self.options.attempts + 1):
            attempt = Attempt(run, leased, number)
            try:
                result = await self.on.do(job, attempt)
                attempt.close()
                return result
            except WorkerLost as loss:
                reason = f"attempt {number} of {self.options.attempts}: {loss}"
                run.note(reason, about="cluster", attempt=number, branch=run.id)
                attempt.close("failed", f"its worker was lost: {loss}")
            except NoCluster as nobody:
                attempt.close("failed", str(nobody))
                again = "" if self.options.journal else " (over a `journal`, nothing is paid twice)"
                return run.end_early("failed", f"{nobody}{again}", transient=True)
            finally:
                attempt.close("cancelled", "cancelled by its caller")
        return run.end_early("failed", f"its worker was lost; {reason}", transient=True)

    def _job(self, handoff: Handoff, run: Run) -> BranchJob:
        """Returns the job of a worker. The levels and turns that are left hold there too."""
        turns = [ledger.budget.turns for ledger in run.ledger.lineage()]
        known = [limit for limit in turns if limit is not None]
        return BranchJob(
            executable=self.wraps,
            handoff=handoff,
            caller=handoff.return_to or "user",
            limits=Budget(depth=run.levels, turns=min(known, default=None)),
            client=self.options.client,
            journal=self._journal(handoff, run),
            leased=self.options.slice is not None,
            unknown_price_ok=run.ledger.unknown_price_ok,
            paid=run.client.pays,
        )

    def _journal(self, handoff: Handoff, run: Run) -> Path | None:
        """The branch's file: the same after a crash, whatever finished first."""
        if self.options.journal is None:
            return None
        branch = f"{run.id} {self.name} {handoff.key()}"
        return self.options.journal / f"{sha256(branch.encode()).hexdigest()[:20]}.db"


class Holds:
    """The requests under way of one attempt, each by its number."""

    def __init__(self, hold: Callable[[RequestSize], Any]) -> None:
        self._hold = hold
        self._open: dict[int, Hold] = {}
        self._numbers = itertools.count(1)
        self.closed = False

    async def book(self, size: RequestSize) -> tuple[int, Spent]:
        """Sets aside what a request may cost, in turn: (its number, the amount). Raises Exhausted
        where there is no room for it."""
        if self.closed:
            raise Exhausted(GIVEN_UP)
        hold = await self._hold(size)
        if self.closed:  # while it waited
            hold.settle(NOTHING)
            raise Exhausted(GIVEN_UP)
        number = next(self._numbers)
        self._open[number] = hold
        return number, hold.amount

    def retry(self, number: int) -> None:
        """Charges a try that the service may have done all the same, and sets aside as much for the
        next one. Raises Exhausted where there is no room for it."""
        if self.closed or number not in self._open:
            raise Exhausted(GIVEN_UP)
        self._open[number].retry(billable=True)

    def settle(self, number: int, actual: Spent | None) -> None:
        """Replaces what was booked by what it cost; None: nobody knows, so all of it is charged."""
        hold = self._open.pop(number, None)
        if hold is not None:
            hold.settle(hold.amount if actual is None else actual)

    def close(self) -> None:
        """Books nothing any more; what is under way is charged in full."""
        self.closed = True
        for number in [*self._open]:
            self.settle(number, None)


class Attempt:
    """One attempt of a branch, in the run's process: its bookings and the events that it reports.

    leased:  the ledger of the branch's slice, where it has one; else the run's own ledgers.
    number:  of the attempt, from 1. It numbers the attempt's dispatches below the branch.
    """

    def __init__(self, run: Run, leased: Ledger | None = None, number: int = 1) -> None:
        self.run = run
        self.leased = leased
        self.cut_off = False
        """True if the worker may have done more than it reported, as when the network broke and not
        the process. Then all of a slice counts as used."""
        self._number = number
        self._begun = False
        hold = (
            partial(hold_in, ledger_of(run), run)
            if leased is None
            else partial(hold_in, leased, None)
        )
        self._holds = Holds(hold)
        self._events = AttemptEvents(run)

    async def begin(self) -> None:
        """Begins the attempt. Raises WorkerLost when it was begun before: a scheduler gave it to
        another worker by itself."""
        if self._holds.closed or self._begun:
            raise WorkerLost("this attempt was begun before, or is not wanted any more")
        self._begun = True

    def rest(self) -> Budget:
        """Returns what is left of the slice, which may be used without asking; empty without
        one."""
        return Budget() if self.leased is None else rest_of(self.leased)

    async def book(self, size: RequestSize) -> tuple[int, Spent]:
        """Books a request before it is sent, in turn: (its number, what is booked). Raises
        Exhausted as `Ledger.hold` does."""
        return await self._holds.book(size)

    async def retry(self, number: int) -> None:
        """Books the next try of a request, after one that may have been done all the same. Raises
        Exhausted where there is no room for it."""
        self._holds.retry(number)

    async def settle(self, number: int, actual: Spent | None) -> None:
        """Replaces what was booked by what it cost; None: nobody knows, so all of it is charged."""
        self._holds.settle(number, actual)

    async def hand_out(self, specialist: str, limit: int) -> int:
        """Counts a handoff to elsewhere, of whichever branch, in the run."""
        return await self.run.hand_out(specialist, limit)

    async def hello(self) -> None:
        """Does nothing: the call alone is timed."""

    def take_in(self, line: str | bytes) -> None:
        """Takes an event of the worker into the run's own stream, at its place in the tree."""
        content = line.encode("utf-8", "replace") if isinstance(line, str) else line
        self._events.take_in(placed(from_json(content), self._place))

    def _place(self, id: str) -> str:
        """A run's place below the branch: the worker's first dispatch, "1", has the number of the
        attempt, so that no two works share an id."""
        _, dot, below = id.partition(".")
        return f"{self._number}{dot}{below}" if id else ""

    def give_up(self) -> None:
        """Books nothing any more, from now on."""
        self._holds.close()

    def close(self, status: Status = "failed", reason: str = "") -> None:
        """Ends the attempt; a second time changes nothing.

        What is under way is charged in full, and every dispatch that did not return gets its
        return, with this status and reason.
        """
        self._holds.close()
        self._events.close(status, reason)
        if self.cut_off and self.leased is not None:
            with (
                contextlib.suppress(Exhausted),
                self.leased.hold_slice(rest_of(self.leased)) as rest,
            ):
                rest.begin()


async def hold_in(ledger: Ledger, run: Run | None, size: RequestSize) -> Hold:
    """Sets aside what a request may cost in a ledger, in turn; the wait for others is an event of
    the run."""
    on_wait = run.tell_wait if run else None
    return await ledger.hold_when_free(demand_of(size), on_wait=on_wait)


class AttemptEvents:
    """The events of one attempt, as they arrive: each dispatch gets its return, whatever ended
    it."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._fold = Fold()
        self.closed = False

    def take_in(self, event: Event) -> None:
        """Takes an event into the run's own stream; a late one is dropped."""
        if self.closed:
            return
        run = self._run
        moved = placed(event, partial(below, run.id))
        run.emit(moved, id=moved.run, agent=event.agent if event.run else run.name)
        for happening in self._fold.read(event):
            if happening.phase == "end":
                self._keep(happening.work)

    def _keep(self, work: Work) -> None:
        """Keeps the outcome of work in the other process as work so far."""
        match work:
            case ModelCall(reply=Reply() as reply):
                keep_text(reply, self._run)
            case Delegation(result=Result() as result):
                self._run.keep(**result.artifacts)

    def close(self, status: Status, reason: str) -> None:
        """Ends every open dispatch, the innermost first, with the replies that are known."""
        for work in reversed(self._fold.dispatches):
            if work.end is None:
                ended = Returned(
                    run=work.run,
                    agent=work.agent,
                    return_to=work.handoff.return_to,
                    result=Result(status=status, reason=reason, by=work.agent),
                    spent=work.spent,
                )
                self.take_in(ended)
        self.closed = True
