"""Facts about the money and the events of branches whose workers are lost: in this process, also over queues like Dask's."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections import defaultdict
from contextvars import ContextVar
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from typing import ClassVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, model_validator

from kernel import Agent, Budget, Client, Handoff, Pause, Result, Run, connect, models
from kernel.core.budget import CAPS, NOTHING, Ledger, Spent
from kernel.core.events import Dispatched, Replied, Returned
from kernel.core.wire import RequestSize
from kernel.parts.cluster import (
    Attempt,
    BranchJob,
    Cluster,
    LocalWorkers,
    WorkerLost,
    dask,
    fan_out,
    perform,
    share,
    worker,
)
from kernel.parts.cluster.branch import packed
from kernel.parts.cluster.dask import BranchDesk
from kernel.parts.cluster.queues import Outbox, ToBranch, ToRun
from kernel.parts.cluster.worker import LeasedBank, Post, RemoteBank
from kernel.parts.guards import Deadline, Fallback
from offline_model import Faults, OfflineAPI, OfflineTransport

distributed = pytest.importorskip("distributed")

BOOKS = ["bank", "lease"]
SIZE = RequestSize("claude-haiku-5-5", 10, 300, "")
FREE = itertools.count()
SENT: dict[int, list[bytes]] = defaultdict(list)
"""What each service of this file was sent: a client travels as its number."""


class Counted(OfflineTransport):
    def __init__(self, number, **faults):
        super().__init__(OfflineAPI(**faults))
        self.number = number

    def respond(self, request, body):
        SENT[self.number].append(body)
        return super().respond(request, body)


async def at_once(seconds):
    await asyncio.sleep(0)


def counted(number, **faults):
    return Client(Counted(number, **faults), sleep=at_once)


@dataclass(frozen=True)
class Asks:
    """Asks so many times, so many at once."""

    times: int = 1
    at_once: int = 1
    cache: str = ""
    pause: str = ""
    name: str = "asker"
    description: str = "Asks."

    async def execute(self, handoff, run):
        for first in range(0, self.times, self.at_once):
            numbers = range(first, min(first + self.at_once, self.times))
            await asyncio.gather(*[self._ask(run, handoff, number) for number in numbers])
        if self.pause:
            raise Pause(self.pause)
        return Result(status="ok", output=f"{handoff.intent}: done")

    async def _ask(self, run, handoff, number):
        words = "many words " * 600 if self.cache else ""
        text = {"type": "text", "text": f"{handoff.intent} {number} {words}"}
        if self.cache:
            text["cache_control"] = {"type": "ephemeral", "ttl": self.cache}
        message = {"role": "user", "content": [text]}
        await run.ask(model=models.worker, max_tokens=300, messages=[message])


def jobs(executable, branches=1):
    return [(executable, Handoff(intent=f"branch {number}")) for number in range(branches)]


# ── two kinds of workers that die at a certain word ───────────────────────────────────────────────


@dataclass
class Deaths:
    """With which of its words home each attempt's process dies, in the order of the attempts; None: it lives.

    The words of one who asks: dispatch, request, its booking, its cost, reply; request, its booking …
    """

    after: list[int | None] = field(default_factory=list)
    attempts: int = 0

    def next(self):
        self.attempts += 1
        return self.after.pop(0) if self.after else None


class Mortal(LocalWorkers):
    """Works in this process. A dead one says nothing more and sends nothing more."""

    def __init__(self, deaths):
        self.deaths = deaths

    async def do(self, job, attempt):
        wire = Wire(attempt, self.deaths.next())
        doing = asyncio.ensure_future(perform(job, wire, wire.tell))
        dead = asyncio.ensure_future(wire.dead.wait())
        await asyncio.wait({doing, dead}, return_when=asyncio.FIRST_COMPLETED)
        dead.cancel()
        if wire.dead.is_set():
            doing.cancel()
            await asyncio.wait({doing})
            raise WorkerLost("its process died")
        return doing.result()


class Wire:
    """All that such a worker says, until it is dead."""

    def __init__(self, attempt, after):
        self._attempt = attempt
        self._left = after
        self.dead = asyncio.Event()

    async def begin(self):
        return await self._attempt.begin()

    def tell(self, event):
        if not self.dead.is_set():
            self._attempt.take_in(event)
            self._word()

    def _word(self):
        if self._left is not None:
            self._left -= 1
            if self._left == 0:
                self.dead.set()

    def __getattr__(self, name):
        async def asked(*arguments):
            if not self.dead.is_set():
                answer = await getattr(self._attempt, name)(*arguments)
                self._word()
            if self.dead.is_set():
                await asyncio.Event().wait()
            return answer

        return asked


QUEUES: dict[str, asyncio.Queue] = {}
HOME: ContextVar[Queue] = ContextVar("home")
"""A worker's end of its run's queue."""


@pytest.fixture(autouse=True)
def queues_here(monkeypatch):
    async def queue_at(name, client):
        return Queue(name)

    async def post_to(home):
        return Post(HOME.get(), Queue(f"answers {next(FREE)}"))

    monkeypatch.setattr(dask, "queue_at", queue_at)
    monkeypatch.setattr(worker, "post_to", post_to)
    QUEUES.clear()


class Queue:
    """One end of a queue, as Dask has them. left: with so many words its process dies."""

    def __init__(self, name, left=None):
        self.name, self._left = name, left
        self.dead = asyncio.Event()
        self._texts = QUEUES.setdefault(name, asyncio.Queue())

    async def put(self, texts):
        await asyncio.sleep(0)
        if self._left is not None:
            texts, self._left = texts[: self._left], self._left - len(texts)
        self._texts.put_nowait(texts)
        if self._left is not None and self._left <= 0:
            self.dead.set()
            await asyncio.Event().wait()

    async def get(self, timeout=None, batch=False):
        if batch:
            return [self._texts.get_nowait() for _ in range(self._texts.qsize())]
        return await asyncio.wait_for(self._texts.get(), timeout)

    def close(self):
        pass


class Future:
    """The future of a task that may die."""

    def __init__(self, doing):
        self.doing = doing

    def __await__(self):
        return asyncio.shield(self.doing).__await__()

    def done(self):
        return self.doing.done()

    async def cancel(self, reason):
        self.doing.cancel()
        await asyncio.wait({self.doing})


class DaskHere:
    """A client of a cluster whose workers are tasks of this process, and die as they are told."""

    status = "running"

    def __init__(self, deaths):
        self.deaths, self.scheduler = deaths, self
        self.address = "tcp://here:1"

    async def identity(self):
        return {"workers": {"here": {}}}

    def submit(self, work, home, branch, *arguments, **_):
        return Future(asyncio.ensure_future(self._work(work, home, branch, arguments)))

    async def _work(self, work, home, branch, arguments):
        after = self.deaths.next()
        voice = Queue(
            home, None if after is None else after + 1
        )  # its first word is that it begins
        HOME.set(voice)
        doing = asyncio.ensure_future(work(home, branch, *arguments))
        dead = asyncio.ensure_future(voice.dead.wait())
        await asyncio.wait({doing, dead}, return_when=asyncio.FIRST_COMPLETED)
        dead.cancel()
        if voice.dead.is_set():
            doing.cancel()
            raise distributed.client.FutureCancelledError(branch, "its process died")
        return await doing


class Callers:
    """A cluster whose workers are tasks of this process."""

    def __init__(self, deaths):
        self.deaths, self.cluster = deaths, None

    async def do(self, job, attempt):
        if self.cluster is None:
            self.cluster = Cluster(DaskHere(self.deaths), Queue(f"home {next(FREE)}"), 5.0)
            self.listening = asyncio.ensure_future(self.cluster.listen())
        return await self.cluster.do(job, attempt)


WORKERS = {"here": Mortal, "queues": Callers}


@pytest.fixture(params=WORKERS)
def workers(request):
    return WORKERS[request.param]


@dataclass
class Tried:
    run: Run
    results: list
    sent: int


async def tried(on, executable, *, branches=1, budget=None, books="bank", **terms):
    number = next(FREE)
    client = partial(counted, number, **terms.pop("faults", {}))
    run = Run(connect(), budget=budget)
    results = await fan_out(
        run, jobs(executable, branches), on=on, books=books, client=client, **terms
    )
    return Tried(run, results, len(SENT.pop(number, [])))


def in_order(done):
    """What holds whatever was lost."""
    run, cap = done.run, done.run.budget
    assert run.ledger.reserved == (0, 0, 0, 0, 0)
    for name in CAPS:
        allowed = getattr(cap, name)
        assert allowed is None or getattr(run.spent, name) <= allowed, (name, run.spent)
    assert done.sent <= run.spent.calls, "paid, and in no book"
    assert cap.calls is None or done.sent <= cap.calls
    dispatched = [event.run for event in run.events if isinstance(event, Dispatched)]
    returned = [event.run for event in run.events if isinstance(event, Returned)]
    assert len({*dispatched}) == len(dispatched), "two works with one id"
    assert sorted(dispatched) == sorted(returned), "each dispatch has one return"


# ── caps ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("books", BOOKS)
async def test_attempts_of_a_branch_share_its_money(workers, books):
    deaths = Deaths([6] * 12)  # with the request that follows the first reply
    done = await tried(workers(deaths), Asks(5), branches=4, budget=Budget(calls=4), books=books)
    assert done.sent <= 4 and deaths.attempts > 4
    in_order(done)


losses = st.lists(st.none() | st.integers(1, 15), max_size=12)
caps = st.fixed_dictionaries(
    {},
    optional={
        "calls": st.integers(0, 14),
        "tokens": st.integers(0, 4_000),
        "usd": st.decimals(0, "0.002", places=5),
    },
)


@pytest.mark.parametrize("books", BOOKS)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(1, 5), st.integers(0, 4), st.integers(1, 3), caps, losses, st.booleans())
def test_no_fan_out_passes_a_cap_whatever_is_lost(
    tmp_path_factory, books, branches, times, at_once, budget, after, with_journal
):
    journal = tmp_path_factory.mktemp("journal") if with_journal else None
    on = Mortal(Deaths(after))
    done = asyncio.run(
        tried(
            on,
            Asks(times, at_once),
            branches=branches,
            budget=Budget(**budget),
            books=books,
            journal=journal,
        )
    )
    in_order(done)


@pytest.mark.parametrize("books", BOOKS)
async def test_no_branch_over_queues_passes_a_cap_wherever_it_breaks(books):
    for after in range(1, 11):
        deaths = Deaths([after, None, after + 1, after])
        done = await tried(
            Callers(deaths), Asks(3, 2), branches=3, budget=Budget(calls=7), books=books
        )
        in_order(done)


@pytest.mark.parametrize("books", BOOKS)
async def test_a_branch_has_its_own_cap_beside_its_share(workers, books):
    run = Run(connect(), budget=Budget(calls=12))
    own = [(*job, Budget(calls=1)) for job in jobs(Asks(3), 3)]
    results = await fan_out(run, own, on=workers(Deaths()), books=books)
    assert run.spent.calls == 3 and run.ledger.reserved.calls == 0
    assert {result.status for result in results} == {"exhausted"}


@dataclass(frozen=True)
class HandsOut:
    """Hands work to a specialist elsewhere, as `RemoteSpecialist` counts it."""

    limit: int
    name: str = "hands out"
    description: str = "Hands out."

    async def execute(self, handoff, run):
        return Result(status="ok", output=await run.hand_out("far", self.limit))


@pytest.mark.parametrize("books", BOOKS)
async def test_handoffs_to_elsewhere_are_counted_in_the_run_for_all_branches(workers, books):
    for budget, limit in ((Budget(), 3), (Budget(handoffs=3), 20)):
        on = workers(Deaths())
        done = await tried(on, HandsOut(limit), branches=8, budget=budget, books=books)
        numbers = [result.output for result in done.results if result.ok]
        assert sorted(numbers) == [1, 2, 3]
        assert [result.status for result in done.results].count("exhausted") == 5
        in_order(done)


def test_shares_are_together_at_most_the_whole():
    for usd, parts in itertools.product(("2", "0.01", "1e-7", "1e30"), (3, 7, 40)):
        part = share(Run(connect(), budget=Budget(usd=Decimal(usd))), parts).usd
        assert part * parts <= Decimal(usd)
    run = Run(connect(), budget=Budget(usd=Decimal(2)))
    holds = [run.ledger.hold_slice(share(run, 3)) for _ in [None]]
    assert holds[0].amount.usd <= Decimal(2) / 3


@pytest.mark.parametrize("books", BOOKS)
async def test_tries_that_the_service_may_have_done_hold_the_cap_too(workers, books):
    """A reply that breaks off may have been paid: its next try needs money of its own."""
    faults = {"faults": Faults(rate_disconnect=1)}
    done = await tried(
        workers(Deaths()), Asks(4), budget=Budget(calls=2), books=books, faults=faults
    )
    assert done.sent == 2 == done.run.spent.calls
    in_order(done)


async def test_a_slice_is_taken_whole_or_not_at_all():
    run = Run(connect(), budget=Budget(calls=4))

    class Spends(LocalWorkers):
        async def do(self, job, attempt):
            run.ledger.hold_slice(Budget(calls=2)).settle(Spent(calls=2))  # others use it meanwhile
            return await super().do(job, attempt)

    first, second = await fan_out(run, jobs(Asks(1), 2), on=Spends(), books="lease", limit=1)
    assert first.ok
    assert second.status == "exhausted" and "no room for a slice of 2 calls" in second.reason
    assert run.spent.calls == 3 and run.ledger.reserved.calls == 0


# ── requests that are cancelled before they are sent ──────────────────────────────────────────────


@contextlib.asynccontextmanager
async def called(attempt):
    """A worker's bank, and the run's desk at the other end of its queues."""
    desk = BranchDesk("branch", attempt)
    desk.answers = Outbox(Queue("answers"))
    post = Post(Queue("home"), Queue("answers"))
    bank = RemoteBank("branch", post)

    async def listen():
        while True:
            for text in await Queue("home").get():
                await desk.take(ToRun.model_validate_json(text))

    listening = asyncio.ensure_future(listen())
    yield bank
    await post.home.sent()
    await asyncio.sleep(0.01)
    listening.cancel()
    desk.close()
    attempt.close()


async def cancelled(task):
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def asks_again(bank):
    """Asks for what the cancelled request left."""
    number, _ = await asyncio.wait_for(bank.book(SIZE), 5)
    await bank.settle(number, NOTHING)


@pytest.mark.parametrize("again", [True, False])
@pytest.mark.parametrize("moment", ["it waits", "it is booked", "its answer is there"])
async def test_a_request_that_is_cancelled_when_it_is_not_sent_costs_nothing(moment, again):
    run = Run(connect(), budget=Budget(calls=1))
    sibling = await run.hold(SIZE)
    async with called(Attempt(run)) as bank:
        booking = asyncio.ensure_future(bank.book(SIZE))
        while not any(event.kind == "wait" for event in run.events):
            await asyncio.sleep(0.01)
        if moment == "it waits":
            await cancelled(booking)
        take = bank.take
        if moment == "its answer is there":
            bank.take = lambda answer: take(answer) or booking.cancel()
        sibling.settle(NOTHING)
        if moment == "it is booked":
            while not run.ledger.reserved.calls:
                await asyncio.sleep(0)
            await cancelled(booking)
        with pytest.raises(asyncio.CancelledError):
            await booking
        bank.take = take
        if again:
            await asks_again(bank)
    assert run.spent == run.ledger.reserved == NOTHING


@pytest.mark.parametrize("again", [True, False])
async def test_a_leased_request_that_is_cancelled_when_it_is_not_sent_costs_nothing(
    monkeypatch, again
):
    part = Budget(calls=1)
    leased = Ledger(part)
    async with called(Attempt(Run(connect()), leased)) as remote:
        bank = LeasedBank(remote, part, True)
        with monkeypatch.context() as full:
            full.setattr(remote._post.home, "sent", asyncio.Event().wait)
            booking = asyncio.ensure_future(bank.book(SIZE))
            await asyncio.sleep(0)
            await cancelled(booking)
        if again:
            await asks_again(bank)
    assert leased.spent == leased.reserved == NOTHING


async def test_after_a_deadline_a_branch_does_not_wait_for_its_own_money(workers):
    run = Run(connect(), budget=Budget(calls=1))
    sibling = await run.hold(SIZE)
    asyncio.get_running_loop().call_later(0.3, sibling.settle, NOTHING)
    executable = Fallback(Deadline(Asks(name="first"), 0.1), Asks())
    async with asyncio.timeout(5):
        (result,) = await fan_out(run, jobs(executable), on=workers(Deaths()))
    assert result.ok and run.spent.calls == 1
    assert run.ledger.reserved == NOTHING


# ── what is known after a loss ────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("books", BOOKS)
@pytest.mark.parametrize("journal", [True, False])
async def test_what_was_paid_is_booked_also_when_the_last_attempt_is_lost(
    workers, books, journal, tmp_path
):
    deaths = Deaths([6, 6])
    folder = tmp_path if journal else None
    done = await tried(
        workers(deaths), Asks(3), budget=Budget(calls=8), books=books, journal=folder, attempts=2
    )
    (result,) = done.results
    assert result.status == "failed" and result.transient and "attempt 2 of 2" in result.reason
    assert done.sent == done.run.spent.calls == 2
    in_order(done)


@pytest.mark.parametrize("books", BOOKS)
async def test_what_was_under_way_is_charged_in_full(workers, books):
    done = await tried(workers(Deaths([3])), Asks(1), books=books, attempts=1)
    (booked,) = [event for event in done.run.events if event.kind == "request"]
    assert done.run.spent.calls == 1 and done.run.spent.output_tokens == 300
    assert done.sent == 0, "it died before it sent: nobody at home knows"
    in_order(done)


async def test_a_worker_that_is_cut_off_may_have_used_all_of_its_slice():
    class CutOff(LocalWorkers):
        async def do(self, job, attempt):
            await attempt.begin()
            attempt.cut_off = True
            raise WorkerLost("the network broke")

    done = await tried(CutOff(), Asks(1), budget=Budget(calls=6, tokens=900), books="lease")
    assert done.run.spent.calls == 6 and done.run.spent.tokens == 900
    in_order(done)


@pytest.mark.parametrize("books", BOOKS)
async def test_attempts_are_two_works_and_each_dispatch_returns(workers, books):
    done = await tried(workers(Deaths([4])), Asks(2), books=books)
    assert done.results[0].ok
    lost, fine = [event for event in done.run.events if isinstance(event, Returned)][:2]
    assert (lost.run, fine.run) == ("1.1", "1.2")
    assert lost.result.status == "failed" and "its worker was lost" in lost.result.reason
    replies = [event for event in done.run.events if isinstance(event, Replied)]
    assert lost.spent.calls == sum(event.run == "1.1" for event in replies)
    in_order(done)


# ── pairs: each kind of books with a journal, caching, a pause ────────────────────────────────────


@pytest.mark.parametrize("books", BOOKS)
async def test_with_a_journal_nothing_that_was_finished_is_paid_again(workers, books, tmp_path):
    done = await tried(workers(Deaths([6, 7])), Asks(3), books=books, journal=tmp_path)
    assert done.results[0].ok
    assert 3 <= done.sent <= 5 and done.run.spent.calls <= 5
    in_order(done)


@pytest.mark.parametrize("books", BOOKS)
@pytest.mark.parametrize("ttl", ["5m", "1h"])
async def test_a_dollar_cap_holds_with_caching(workers, books, ttl):
    done = await tried(
        workers(Deaths()), Asks(6, 2, cache=ttl), budget=Budget(usd=Decimal("0.003")), books=books
    )
    assert done.sent, "a cap that allows nothing shows nothing"
    assert any(
        event.reply.usage.cache_creation_input_tokens
        for event in done.run.events
        if isinstance(event, Replied)
    )
    in_order(done)


@pytest.mark.parametrize("books", BOOKS)
@pytest.mark.parametrize("ttl", ["5m", "1h"])
async def test_a_request_is_booked_at_the_price_of_writing_a_cache(workers, books, ttl):
    done = await tried(workers(Deaths([3])), Asks(1, cache=ttl), books=books, attempts=1)
    booked = done.run.spent  # in full, since nobody knows
    plain, written = (
        models.price_of(models.worker, writes)(booked.input_tokens, booked.output_tokens)
        for writes in ("", ttl)
    )
    assert booked.usd == written > plain


@pytest.mark.parametrize("books", BOOKS)
@pytest.mark.parametrize("after", [None, 4])
async def test_a_paused_branch_is_a_paused_result_with_its_question(workers, books, after):
    question = "May I send 500 euros to Bob?"
    done = await tried(workers(Deaths([after])), Asks(1, pause=question), books=books)
    (result,) = done.results
    assert result.status == "paused" and result.reason == question
    assert done.run.spent.calls == 1 + (after is not None)
    in_order(done)


# ── what comes back ───────────────────────────────────────────────────────────────────────────────


class Finding(BaseModel):
    claim: str
    marks: tuple[int, ...] = ()


@dataclass(frozen=True)
class Returns:
    output: object
    status: str = "ok"
    name: str = "returner"
    description: str = "Returns."

    async def execute(self, handoff, run):
        reason = "" if self.status == "ok" else "its own reason"
        artifacts = {"draft": "d"}
        return Result(status=self.status, output=self.output, reason=reason, artifacts=artifacts)


@pytest.mark.parametrize(
    "output",
    [
        "text",
        None,
        3,
        [1, {"a": True}],
        Finding(claim="x", marks=(1, 2)),
        "half \ud800".encode("utf-8", "replace").decode(),
    ],
)
async def test_text_json_and_models_come_back_as_they_were(output):
    done = await tried(Callers(Deaths()), Returns(output))
    (result,) = done.results
    assert result.output == output and type(result.output) is type(output)
    assert result.artifacts == {"draft": "d"} and result.by == "returner"
    assert not [event for event in done.run.events if event.kind == "note"]


async def test_what_json_cannot_hold_comes_back_as_json_shows_it_with_a_note():
    class Local(BaseModel):
        claim: str

    for output, plain in (
        ((1, 2), [1, 2]),
        ({3: "x"}, {"3": "x"}),
        (Local(claim="x"), {"claim": "x"}),
    ):
        done = await tried(Callers(Deaths()), Returns(output))
        assert done.results[0].output == plain
        (note,) = [event for event in done.run.events if event.kind == "note"]
        assert "as JSON shows it" in note.text


class Refused(BaseModel):
    """A model that its class accepts while its worker looks, and then not any more."""

    LEFT: ClassVar[list[int]] = []
    RAISES: ClassVar[list[type[Exception]]] = []
    claim: str

    @model_validator(mode="after")
    def _here(self):
        if not self.LEFT:
            raise self.RAISES[0]("no such file here")
        self.LEFT.pop()
        return self


@pytest.mark.parametrize("raises", [ValueError, TypeError, KeyError, OSError, WorkerLost])
@pytest.mark.parametrize("books", BOOKS)
async def test_an_output_that_its_class_refuses_here_fails_once_and_loses_no_worker(books, raises):
    Refused.RAISES[:] = [raises]
    Refused.LEFT[:] = [1, 1]  # made, and checked by its worker
    deaths = Deaths()
    output = Refused(claim="x")
    done = await tried(Callers(deaths), Returns(output), budget=Budget(calls=6), books=books)
    (result,) = done.results
    assert result.status == "failed" and not result.transient
    assert "Refused could not be restored" in result.reason
    assert "no such file here" in result.reason
    assert result.output == {"claim": "x"} and result.artifacts == {"draft": "d"}
    assert deaths.attempts == 1 and done.run.spent == NOTHING
    in_order(done)


async def test_a_result_that_was_not_ok_keeps_its_status_without_its_model():
    Refused.RAISES[:] = [ValueError]
    Refused.LEFT[:] = [1, 1]
    done = await tried(Callers(Deaths()), Returns(Refused(claim="x"), "refused"))
    (result,) = done.results
    assert (result.status, result.reason) == ("refused", "its own reason")
    assert result.output == {"claim": "x"}
    (note,) = [event for event in done.run.events if event.kind == "note"]
    assert "Refused could not be restored here" in note.text


async def test_a_bug_elsewhere_has_the_words_that_it_has_here():
    for on in (Callers(Deaths()), LocalWorkers()):
        done = await tried(on, Agent("agent", "d", "s", models.worker, tools=("no tool",)))
        assert (
            done.results[0].status == "failed" and "TypeError: agent got" in done.results[0].reason
        )


@dataclass(frozen=True)
class AsksOn:
    """Asks again when it is cancelled."""

    name: str = "asker"
    description: str = "Asks."

    async def execute(self, handoff, run):
        message = {"role": "user", "content": handoff.intent}
        request = {"model": models.worker, "max_tokens": 300, "messages": [message]}
        try:
            await run.ask(**request)
        except asyncio.CancelledError:
            await run.ask(**request)


@pytest.mark.parametrize("work", ["measure", "branch", "branch that asks on"])
@pytest.mark.parametrize("end", ["silence", "stop", "a second worker"])
async def test_no_question_outlives_its_run(monkeypatch, work, end):
    """The run goes away, or has enough, while a question waits for its answer."""
    monkeypatch.setattr(worker, "SILENCE_S", 0.2)
    HOME.set(Queue("home"))
    executable = AsksOn() if work == "branch that asks on" else Asks()
    (assignment,) = jobs(executable)
    offline = partial(connect, "offline")
    job = BranchJob(*assignment, "user", Budget(), offline, None, False, False, False)
    if work == "measure":
        working = asyncio.ensure_future(worker.measure("home", "branch", 5))
    else:
        rest = Budget().model_dump_json()
        working = asyncio.ensure_future(worker.do_branch("home", "branch", packed(job), rest))
    [text] = await Queue("home").get()
    asked = ToRun.model_validate_json(text)
    answers = Outbox(Queue(asked.answers))
    if end == "a second worker":
        answers.send(
            ToBranch(question=asked.question, refused="begun before", lost=True, branch="branch")
        )
    else:
        answers.send(ToBranch(branch="branch", question=asked.question))
        booked = work == "measure"
        while not booked:
            texts = await Queue("home").get()
            booked = any(ToRun.model_validate_json(text).size for text in texts)
    if end == "stop":
        answers.send(ToBranch(branch="branch", stop=True))
    assert await asyncio.wait_for(working, 5) == "", "it waits for an answer that nobody gives"
    await answers.sent()
