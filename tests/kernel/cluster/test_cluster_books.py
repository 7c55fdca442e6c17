"""Facts about the money and the events of branches whose workers are lost: in this process, over real lines, without Dask."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from base64 import b64encode
from collections import defaultdict
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from functools import partial
from typing import ClassVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, model_validator

from kernel import Agent, Budget, Client, Handoff, Pause, Result, Run, connect, models
from kernel.budget import CAPS, NOTHING, Ledger, Spent
from kernel.cluster import (
    Attempt,
    BranchJob,
    LocalWorkers,
    NoCluster,
    WorkerLost,
    fan_out,
    perform,
    share,
    worker,
)
from kernel.cluster import call as calls
from kernel.cluster import line as lines
from kernel.cluster.call import WorkerCall
from kernel.cluster.dask import DaskProcessClient
from kernel.cluster.line import Line, LineLost, Listener, certificate, dial
from kernel.cluster.messages import BankAnswer, BankQuestion, BranchSent, Seen
from kernel.cluster.parcel import packed
from kernel.events import Dispatched, Note, Replied, Returned, to_json
from kernel.guards import Deadline, Fallback
from kernel.wire import RequestSize
from offline_model import Faults, OfflineAPI, OfflineTransport
from tests.scripted import Worker

BOOKS = ["bank", "lease"]
CERTIFICATE, _ = certificate()
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


class MortalLine(Line):
    """A line whose process dies after so many words: the system closes its end."""

    left = None

    def send(self, verb, body="{}"):
        super().send(verb, body)
        if self.left is not None:
            self.left -= 1
            if self.left == 0:
                self.cut()


class Callers:
    """Workers that call over real lines, as those of a cluster do."""

    def __init__(self, deaths):
        self.deaths = deaths

    async def do(self, job, attempt):
        async with Listener("127.0.0.1").open() as listener:
            call = WorkerCall(attempt, packed(job))
            ticket = listener.expect(call.serve)
            working = asyncio.ensure_future(
                worker.work({**asdict(ticket), "token": f"{self.deaths.next()}:{ticket.token}"})
            )
            try:
                return await call.outcome
            finally:
                await call.stop(5)
                await asyncio.wait({working}, timeout=5)


@pytest.fixture(autouse=True)
def mortal_lines(monkeypatch):
    async def opened(ticket):
        after, colon, token = ticket.token.partition(":")
        if not colon:
            return await dial(ticket)
        line = await dial(type(ticket)(**{**asdict(ticket), "token": token}))
        line.__class__ = MortalLine
        line.left = None if after == "None" else int(after)
        return line

    monkeypatch.setattr(worker, "dial", opened)


WORKERS = {"here": Mortal, "line": Callers}


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
async def test_no_branch_over_a_line_passes_a_cap_wherever_it_breaks(books):
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
    """A worker's end of a line to a run; at the end the worker has hung up."""
    call = WorkerCall(attempt, b"")
    async with Listener("127.0.0.1").open() as listener:
        line = await dial(listener.expect(call.serve))
        assert (await line.receive())[0] == "work"
        yield line
        await line.close()
        await asyncio.wait_for(call.ended.wait(), 5)
    attempt.close()


async def cancelled(task):
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def asks_again(bank, remote):
    """Asks for what the cancelled request left."""
    listening = asyncio.ensure_future(remote._listen())
    number, _ = await asyncio.wait_for(bank.book(SIZE), 5)
    await bank.settle(number, NOTHING)
    listening.cancel()


@pytest.mark.parametrize("again", [True, False])
@pytest.mark.parametrize("moment", ["it waits", "it is booked", "its answer is there"])
async def test_a_request_that_is_cancelled_when_it_is_not_sent_costs_nothing(moment, again):
    run = Run(connect(), budget=Budget(calls=1))
    sibling = await run.hold(SIZE)
    async with called(Attempt(run)) as line:
        bank = worker.RemoteBank(line)
        booking = asyncio.ensure_future(bank.book(SIZE))
        while not any(event.kind == "wait" for event in run.events):
            await asyncio.sleep(0.01)
        if moment == "it waits":
            await cancelled(booking)
        sibling.settle(NOTHING)
        if moment == "it is booked":
            while not run.ledger.reserved.calls:
                await asyncio.sleep(0)
            await cancelled(booking)
        if moment == "its answer is there":
            _, body = await line.receive()
            bank._asked[1].set_result(BankAnswer.model_validate_json(body))
            await cancelled(booking)
        if again:
            await asks_again(bank, bank)
    assert run.spent == run.ledger.reserved == NOTHING


@pytest.mark.parametrize("again", [True, False])
async def test_a_leased_request_that_is_cancelled_when_it_is_not_sent_costs_nothing(
    monkeypatch, again
):
    part = Budget(calls=1)
    leased = Ledger(part)
    async with called(Attempt(Run(connect()), leased)) as line:
        remote = worker.RemoteBank(line)
        bank = worker.LeasedBank(remote, part, True)
        with monkeypatch.context() as full:
            full.setattr(line, "sent", asyncio.Event().wait)
            booking = asyncio.ensure_future(bank.book(SIZE))
            await asyncio.sleep(0)
            await cancelled(booking)
        if again:
            await asks_again(bank, remote)
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


@pytest.mark.parametrize("raises", [ValueError, TypeError, KeyError, OSError, LineLost, WorkerLost])
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


async def test_a_bug_over_a_line_has_the_words_that_it_has_here():
    for on in (Callers(Deaths()), LocalWorkers()):
        done = await tried(on, Agent("agent", "d", "s", models.worker, tools=("no tool",)))
        assert (
            done.results[0].status == "failed" and "TypeError: agent got" in done.results[0].reason
        )


@dataclass(frozen=True)
class Endless:
    name: str = "endless"
    description: str = "Returns much."

    async def execute(self, handoff, run):
        return Result(status="ok", output="x" * 60_000)


@pytest.mark.parametrize(
    ("executable", "limit"),
    [(Endless(), (lines, "MAX_LINE")), (Returns("x" * 60_000), (calls, "MAX_PARCEL"))],
)
async def test_what_is_too_long_for_a_line_fails_and_is_not_begun_again(
    monkeypatch, executable, limit
):
    monkeypatch.setattr(*limit, 50_000)
    deaths = Deaths()
    done = await tried(Callers(deaths), executable, books="lease")
    (result,) = done.results
    assert result.status == "failed" and "longer than 50,000 bytes" in result.reason
    assert deaths.attempts == 1
    in_order(done)


async def test_a_worker_that_cannot_call_is_a_lost_one():
    class Unreachable(Callers):
        async def do(self, job, attempt):
            if self.deaths.next() is None:
                return await super().do(job, attempt)
            call = WorkerCall(attempt, packed(job))
            nowhere = {"host": "127.0.0.1", "port": 9, "certificate": CERTIFICATE, "token": "t"}
            await call.gone(await worker.work(nowhere))
            return await call.outcome

    done = await tried(Unreachable(Deaths([1])), Asks(1))
    assert done.results[0].ok
    (note,) = [event for event in done.run.events if getattr(event, "about", "") == "cluster"]
    assert "attempt 1 of 3: it could not call the run at 127.0.0.1:9" in note.text
    in_order(done)


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


def opening(work):
    """The first message of a run that wants this work."""
    if work == "measure":
        return "measure", "5"
    executable = Asks() if work == "branch" else AsksOn()
    (assignment,) = jobs(executable)
    offline = partial(connect, "offline")
    job = BranchJob(*assignment, "user", Budget(), offline, None, False, False, False)
    parcel = b64encode(packed(job)).decode()
    return "work", BranchSent(parcel=parcel, rest=Budget()).model_dump_json()


@pytest.mark.parametrize("work", ["measure", "branch", "branch that asks on"])
@pytest.mark.parametrize("end", ["close", "cut", "stop", "nonsense"])
async def test_no_question_outlives_its_line(work, end):
    """The run goes away, or has enough, while a question waits for its answer."""
    ended = asyncio.Event()

    async def serve(line):
        line.send(*opening(work))
        while (await line.receive())[0] != "question":
            pass
        if end == "close":
            await line.close()
        elif end == "cut":
            line.cut()
        else:
            line.send({"stop": "stop", "nonsense": "answer"}[end], "no JSON")
            await ended.wait()

    async with Listener("127.0.0.1").open() as listener:
        working = asyncio.ensure_future(worker.work(asdict(listener.expect(serve))))
        done, _ = await asyncio.wait({working}, timeout=5)
        ended.set()
        working.cancel()
    assert done, "it waits for an answer that nobody gives"
    assert isinstance(working.result(), str)


async def test_a_lost_dask_process_is_not_waited_for():
    dask = DaskProcessClient("tcp://nowhere:1", 1.0, {})
    async with Listener("127.0.0.1").open() as listener:
        line = await dial(listener.expect(dask.serve))
        line.send("seen", Seen(workers=1, nobody=False, lost=False).model_dump_json())
        await asyncio.wait_for(dask.ready(1), 5)
        waiting = asyncio.ensure_future(dask.ready(2))
        await asyncio.sleep(0)
        line.cut()
        async with asyncio.timeout(5):
            for question in (waiting, dask.ready(1), dask.look_again()):
                with pytest.raises(NoCluster, match="was lost"):
                    await question


# ── the port ──────────────────────────────────────────────────────────────────────────────────────


async def test_a_stranger_at_the_banks_port_gets_nothing():
    import ssl

    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    served = []

    async def serve(line):
        served.append(line)
        line.send("work")

    async with Listener("127.0.0.1").open() as listener:
        ticket = listener.expect(serve)
        for greeting in (b"x" * 65, b"0" * 64 + b"\n", b"GET / HTTP/1.1\r\n\r\n" * 9):
            for tls in (None, context):
                reader, writer = await asyncio.open_connection(
                    listener.host, listener.port, ssl=tls
                )
                writer.write(greeting)
                answer = b""
                with contextlib.suppress(OSError):
                    answer = await reader.read()
                # TLS itself may say that this is none
                assert (tls is None and len(answer) < 10) or answer == b""
                writer.transport.abort()
        assert served == []
        line = await dial(ticket)
        assert (await line.receive())[0] == "work"
        again = await dial(ticket)
        with contextlib.suppress(LineLost):
            assert await again.receive() is None, "a token counts once"
        assert len(served) == 1


def event(kind, run, **fields):
    return "event", to_json(kind(seq=0, at=0.0, run=run, agent="x", **fields))


def dispatched(run, parent=""):
    return event(Dispatched, run, parent=parent, handoff=Handoff(intent="x"), limits=Budget())


def returned(run, **spent):
    artifacts = {"facts": "FORGED"}
    result = Result(status="ok", output="FORGED", artifacts=artifacts)
    return event(Returned, run, return_to="user", result=result, spent=Spent(**spent))


FORGED = {
    "a return of the branch itself": [returned("")],
    "a return of nobody": [dispatched("1"), returned("1.5")],
    "a second return": [dispatched("1"), returned("1"), returned("1")],
    "a dispatch of the branch itself": [dispatched("")],
    "a dispatch below nobody": [dispatched("1"), dispatched("1.2.1", "1.2")],
    "a second dispatch of one id": [dispatched("1"), dispatched("1")],
    "a dispatch beside its parent": [dispatched("1"), dispatched("2", "1")],
    "an id that is none": [dispatched("1/../..")],
    "a note of nobody": [event(Note, "7", text="x")],
    "a return that refunds": [dispatched("1"), returned("1", calls=-5)],
    "a cost that refunds": [("settled", '{"number": 1, "spent": [-9, 0, 0, "-5", 0]}')],
    "a cost that is no number": [("settled", '{"number": 1, "spent": [1, 0, 0, "NaN", 0]}')],
    "a request that refunds": [
        ("question", '{"id": 2, "size": ["claude-haiku-5-5", -9000, 300, ""]}'),
    ],
}


@pytest.mark.parametrize("messages", FORGED.values(), ids=FORGED)
async def test_a_worker_that_makes_things_up_is_lost_and_what_it_booked_is_paid(messages):
    run = Run(connect(), budget=Budget(calls=3))

    async def work(handoff, below):
        call = WorkerCall(Attempt(below), b"")
        async with Listener("127.0.0.1").open() as listener:
            line = await dial(listener.expect(call.serve))
            assert (await line.receive())[0] == "work"
            line.send("question", BankQuestion(id=1, size=SIZE).model_dump_json())
            assert (await line.receive())[0] == "answer"
            for verb, body in messages:
                line.send(verb, body)
            with pytest.raises(WorkerLost, match="the line to its worker broke"):
                await asyncio.wait_for(call.outcome, 30)
            await call.ended.wait()
        call._attempt.close()
        return "done"

    result = await run.dispatch(Worker("branch", work), Handoff(intent="x"))
    assert result.output == "done" and "FORGED" not in str(result.artifacts)
    assert run.spent.calls == 1 and run.spent.usd > 0 and run.ledger.reserved.calls == 0
    ids = [
        [each.run for each in run.events if isinstance(each, kind)]
        for kind in (Dispatched, Returned)
    ]
    assert sorted(ids[0]) == sorted(ids[1]) == sorted({*ids[0]})


async def test_a_worker_does_not_talk_to_who_only_stands_at_the_port():
    async with Listener("127.0.0.1").open() as real, Listener("127.0.0.1").open() as other:
        ticket = real.expect(None)
        wrong = type(ticket)(**{**asdict(ticket), "port": other.port})
        with pytest.raises(OSError, match="certificate"):
            await dial(wrong)
        assert "could not call the run" in await worker.work(asdict(wrong))


def test_a_ticket_does_not_show_its_token():
    ticket = Listener("127.0.0.1").expect(None)
    assert ticket.token not in repr(ticket)
