"""Facts about money on real models: one limit and one total in a process, whoever makes a connection, against a server
on this machine that sends bills like the service."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from decimal import Decimal
from functools import partial

import httpx
import pytest

from kernel import (
    Budget,
    Client,
    Exhausted,
    Handoff,
    LLMSupervisor,
    Result,
    Run,
    SetupError,
    Usage,
    connect,
    models,
    specialists,
    spending,
)
from kernel.core.budget import NOTHING, Demand, Ledger
from kernel.core.events import Waited
from kernel.core.wire import Request
from kernel.parts.cluster import LocalWorkers, fan_out
from kernel.parts.journal.journal import Journal
from kernel.plumbing.client import WrappedClient
from kernel.plumbing.models import cost, demand_of
from kernel.plumbing.network import pool_for
from offline_model import Faults, OfflineAPI, OfflineTransport, Server
from tests.scripted import Worker, no_sleep
from workshop.plain import plain_http

KEY = "sk-ant-very-secret"
QUESTION = {
    "model": models.worker,
    "max_tokens": 300,
    "messages": [{"role": "user", "content": "Hello"}],
}

ROOM = Decimal("0.0002")
"""Dollars for a few questions: each costs 0.00001, and 0.00015 have to be set aside for it."""


class Billing(OfflineAPI):
    """The offline model behind a port, which adds up what the service would ask to be paid."""

    def __init__(self, **settings):
        super().__init__(**settings)
        self.usd = Decimal(0)
        self.sent = 0
        self._adding = threading.Lock()

    def handle(self, method, path, headers, body=b""):
        response = super().handle(method, path, headers, body)
        if method == "POST" and response.status == 200:
            usage = Usage.model_validate(json.loads(response.body)["usage"])
            with self._adding:
                self.sent += 1
                self.usd += cost(json.loads(body)["model"], usage)
        return response


@pytest.fixture
def service(monkeypatch, no_settings):
    """A service on this machine; `connect("live")` goes there with a key."""
    api = Billing()
    with Server(api) as url:
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        yield api


async def asked(client, **changes):
    async with client:
        return await Run(client).ask(**{**QUESTION, **changes})


async def ask_once(handoff, run):
    return Result(status="ok", output=(await run.ask(**QUESTION)).text)


async def test_two_connections_have_one_total_and_one_limit(service):
    await asked(connect("live"))
    first = spending.spent()
    await asked(connect("live"))
    assert first.calls == 1 and spending.spent() == first + first
    assert spending.spent().usd == service.usd > 0

    spending.allow(service.usd)
    with pytest.raises(Exhausted, match=r"this process's budget of .* `kernel.spending.allow"):
        await asked(connect("live"))
    assert service.sent == 2
    spending.allow("0.10")
    await asked(connect("live"))
    assert service.sent == 3


async def test_at_the_limit_a_run_ends_as_a_result_with_the_work_so_far(service):
    team = LLMSupervisor(specialists())
    async with connect("live") as client:
        whole = await Run(client).dispatch(team, Handoff(intent="Write a brief on Qdrant"))
    spending.allow(spending.spent().usd + service.usd / 2)
    async with connect("live") as client:
        run = Run(client)
        half = await run.dispatch(team, Handoff(intent="Write a brief on pgvector"))
    assert whole.ok and half.status == "exhausted" and "this process's budget" in half.reason
    assert any("pgvector" in text for text in half.artifacts.values())
    assert service.usd == spending.spent().usd <= spending.limit()
    assert client.ledger.reserved == spending.ledger().reserved == NOTHING
    assert run.trace().totals()["calls"] == run.spent.calls, "a refused request is not recorded"


async def test_a_fan_out_waits_for_its_siblings_and_stays_below_the_limit(service):
    async def ask(handoff, run):
        reply = await run.ask(**QUESTION)
        return Result(status="ok", output=reply.text)

    await asked(connect("live"))
    spending.allow(service.usd + ROOM)
    async with connect("live") as client:
        run = Run(client)
        jobs = [(Worker(f"asker {n}", ask), Handoff(intent=f"Ask {n}")) for n in range(12)]
        results = await run.fan_out(jobs)
    done = [result.ok for result in results]
    assert 0 < done.count(True) < 12 and {r.status for r in results} == {"ok", "exhausted"}
    assert any(isinstance(event, Waited) for event in run.events)
    assert service.sent == 1 + done.count(True)
    assert service.usd == spending.spent().usd <= spending.limit()
    assert spending.ledger().reserved == NOTHING


def test_threads_with_event_loops_of_their_own_share_the_limit(service):
    asyncio.run(asked(connect("live")))
    spending.allow(service.usd + ROOM)
    refused = []

    def work():
        for _ in range(4):
            try:
                asyncio.run(asked(connect("live")))
            except Exhausted as problem:
                refused.append(problem)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    assert refused and service.sent + len(refused) == 25
    assert service.usd == spending.spent().usd <= spending.limit()
    assert spending.ledger().reserved == NOTHING


def test_who_waits_in_one_event_loop_is_woken_by_a_settlement_in_another():
    ledger = Ledger(Budget(calls=2))
    demand = Demand(10, 10, lambda *tokens: None)
    first = ledger.hold(demand)
    ledger.hold(demand).settle(NOTHING)
    waits = threading.Event()
    second = ledger.hold(demand)

    def wait():
        asyncio.run(ledger.hold_when_free(demand, on_wait=lambda *_: waits.set()))

    thread = threading.Thread(target=wait)
    thread.start()
    assert waits.wait(30)
    first.settle(NOTHING)
    thread.join(30)
    assert not thread.is_alive() and ledger.reserved.calls == 2
    second.settle(NOTHING)


async def test_no_way_to_the_service_passes_the_account_by(service):
    ways = 0
    async with connect("live") as client:
        await client.send(QUESTION)
        ways += 1
    with plain_http("live") as client:
        assert client.post("/v1/messages", json=QUESTION).status_code == 200
        ways += 1
    url = os.environ["ANTHROPIC_BASE_URL"]
    for settings in ({"api_key": KEY}, {"auth_token": KEY}, {"mode": "live"}):
        async with Client(pool_for(httpx.URL(url)), base_url=url, **settings) as client:
            if "api_key" not in settings and "auth_token" not in settings:
                client._secrets = connect("live")._secrets  # the service wants one
            await client.send(QUESTION)
        ways += 1
    assert spending.spent().calls == service.sent == ways
    assert spending.spent().usd == service.usd


class Broken(httpx.BaseTransport):
    """A way to the service on which something goes wrong."""

    def __init__(self, problem):
        self.problem = problem

    def handle_request(self, request):
        raise self.problem


@pytest.mark.parametrize(
    "problem, paid",
    [
        (httpx.ConnectError("nobody is there"), False),
        (httpx.ReadError("the connection was lost"), True),
        (KeyboardInterrupt(), True),
    ],
    ids=["not sent", "lost", "interrupted"],
)
async def test_a_plain_request_that_gets_no_reply_keeps_nothing_set_aside(
    service, monkeypatch, problem, paid
):
    await asked(connect("live"))
    before = spending.spent()
    monkeypatch.setattr("workshop.plain._Keyed", lambda client: Broken(problem))
    with plain_http("live") as client, pytest.raises(type(problem)):
        client.post("/v1/messages", json=QUESTION)
    assert spending.ledger().reserved == NOTHING
    lost = spending.spent() - before
    assert lost.calls == 1 and (lost.usd > 0) is paid, "nobody knows what was done"
    await asyncio.wait_for(asked(connect("live")), 30)


def test_a_plain_request_to_a_closed_port_leaves_room_for_the_next_one(monkeypatch, no_settings):
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    spending.allow(ROOM)
    for _ in range(3):
        with plain_http("live") as client, pytest.raises(httpx.ConnectError):
            client.post("/v1/messages", json=QUESTION)
    assert spending.ledger().reserved == NOTHING and spending.spent().usd == 0


@pytest.mark.parametrize("body", [b"<html>", b"[]", b"{}", b"null"])
def test_a_plain_reply_that_cannot_be_read_comes_through_and_is_charged_in_full(
    service, monkeypatch, body
):
    odd = httpx.MockTransport(lambda request: httpx.Response(200, content=body))
    monkeypatch.setattr("workshop.plain._Keyed", lambda client: odd)
    with plain_http("live") as client:
        response = client.post("/v1/messages", json=QUESTION)
    assert response.content == body and response.elapsed
    assert spending.ledger().reserved == NOTHING and spending.spent().usd > 0


async def test_a_client_around_a_client_that_sends_more_or_something_else_is_charged_for_it(
    service,
):
    class Twice(WrappedClient):
        async def send(self, request, *, on_retry=None):
            await self.wrapped.send(request)
            return await self.wrapped.send(request)

    class Dearer(WrappedClient):
        def prepare(self, request):
            return Request.of({**request.body, "model": models.supervisor})

    for wrapper in (Twice, Dearer):
        await asked(wrapper(connect("live")))
    assert spending.spent().calls == service.sent == 3
    assert spending.spent().usd == service.usd
    spending.allow(service.usd)
    for wrapper in (Twice, Dearer):
        with pytest.raises(Exhausted):
            await asked(wrapper(connect("live")))
    assert service.sent == 3


@pytest.mark.parametrize("nested", [False, True], ids=["sends another", "asks on the way"])
async def test_a_client_that_sends_another_request_never_waits_for_itself(service, nested):
    """Between the price of one request and that of two there is no room for both."""

    class Changes(WrappedClient):
        async def send(self, request, *, on_retry=None):
            if nested:
                await Run(self.wrapped).ask(**QUESTION)
            else:
                request = request.body | {"system": "Be brief."}
            return await self.wrapped.send(request, on_retry=on_retry)

    spending.allow("0.00025")
    async with connect("live") as client:
        with pytest.raises(Exhausted):
            await asyncio.wait_for(Run(Changes(client)).ask(**QUESTION), 30)
        assert service.sent == 0
        spending.allow("0.01")
        await asyncio.wait_for(Run(Changes(client)).ask(**QUESTION), 30)
    assert service.usd <= spending.spent().usd
    assert client.billed.reserved == spending.ledger().reserved == NOTHING


async def test_a_client_that_changes_the_request_does_not_wait_for_one_without_a_slot(service):
    """One slot, and money for two requests as they are asked: the first is longer when it is sent."""

    class Longer(WrappedClient):
        def prepare(self, request):
            return Request.of(request.body | {"system": "Be brief. " * 40})

    spending.allow(2 * demand_of(Request.of(QUESTION).size).ceiling)
    async with connect("live", concurrency=1) as client:
        run = Run(Longer(client))
        both = asyncio.gather(run.ask(**QUESTION), run.ask(**QUESTION))
        await asyncio.wait_for(both, 30)
    assert service.sent == 2 and spending.ledger().reserved == NOTHING


async def test_what_is_set_aside_at_one_client_does_not_pay_for_another(service):
    class Falls(WrappedClient):
        async def send(self, request, *, on_retry=None):
            return await other.send(request)

    async with connect("live") as client, connect("live", max_usd="0.0001") as other:
        with pytest.raises(Exhausted, match="the client's budget"):
            await Run(Falls(client)).ask(**QUESTION)
    assert service.sent == 0 and spending.ledger().reserved == NOTHING


async def test_what_a_journal_gives_back_needs_no_money(service, tmp_path):
    class Outside(WrappedClient):
        pass

    team = LLMSupervisor(specialists())
    results = []
    for _ in range(2):
        with Journal(tmp_path / "run.db") as journal:
            async with connect("live") as client:
                run = Run(Outside(journal.around(client)))
                results.append(await run.dispatch(team, Handoff(intent="Write a brief on Qdrant")))
        spending.allow(spending.spent().usd)
    assert results[0].ok and results[1] == results[0]
    assert service.sent == spending.spent().calls and spending.ledger().reserved == NOTHING


async def test_an_answer_that_a_limit_cut_is_asked_for_again_with_money_set_aside(
    service, tmp_path
):
    with Journal(tmp_path / "run.db") as journal:
        cut = await asked(journal.around(connect("live")), max_tokens=10)
        spending.allow(spending.spent().usd)
        for _ in range(2):
            journal.replay()
            with pytest.raises(Exhausted, match="this process's budget"):
                await asked(journal.around(connect("live")))
        journal.replay()
        assert await asked(journal.around(connect("live")), max_tokens=10) == cut
        journal.replay()
        spending.allow("0.10")
        whole = await asked(journal.around(connect("live")))
    assert (cut.stop_reason, whole.stop_reason) == ("max_tokens", "end_turn")
    assert service.sent == spending.spent().calls == 2


async def test_what_a_journal_gives_back_is_booked_in_the_work_and_not_paid_again(
    service, tmp_path
):
    with Journal(tmp_path / "run.db") as journal:
        for _ in range(2):
            journal.replay()
            client = journal.around(connect("live"))
            await asked(client)
            assert client.ledger.spent.calls == 1
    assert spending.spent().calls == service.sent == 1
    assert spending.ledger().reserved == NOTHING


@pytest.mark.parametrize("books", ["bank", "lease"])
async def test_work_that_is_done_elsewhere_is_booked_at_home_once(service, books):
    await asked(connect("live"))
    one = service.usd
    run = Run(connect("live"))
    jobs = [(Worker(f"asker {n}", ask_once), Handoff(intent=f"Ask {n}")) for n in range(3)]
    results = await fan_out(run, jobs, on=LocalWorkers(), books=books)
    assert all(result.ok for result in results)
    assert spending.spent().calls == service.sent == 4 and spending.spent().usd == service.usd
    spending.allow(service.usd + one / 2)
    jobs = [(Worker(f"later {n}", ask_once), Handoff(intent=f"Ask {n}")) for n in range(3)]
    results = await fan_out(run, jobs, on=LocalWorkers(), books=books)
    assert {result.status for result in results} == {"exhausted"}
    assert service.sent == 4 and spending.ledger().reserved == NOTHING


@pytest.mark.parametrize("books", ["bank", "lease"])
async def test_no_branch_spends_what_nobody_at_home_counts(service, books):
    spending.allow(0)
    run = Run(connect("offline"))
    jobs = [(Worker("asker", ask_once), Handoff(intent="Ask"))]
    [refused] = await fan_out(
        run, jobs, on=LocalWorkers(), books=books, client=partial(connect, "live")
    )
    assert refused.status == "failed"
    assert "is live and may cost money, which the run's client at home does not count" in (
        refused.reason
    )
    assert service.sent == 0 and spending.spent() == NOTHING

    spending.allow(ROOM)
    run = Run(connect("live"))
    [result] = await fan_out(
        run, jobs, on=LocalWorkers(), books=books, client=partial(connect, "live")
    )
    assert result.ok and service.sent == spending.spent().calls == 1
    [free] = await fan_out(
        run, jobs, on=LocalWorkers(), books=books, client=partial(connect, "offline")
    )
    assert free.ok and service.sent == 1


@pytest.mark.parametrize("books", ["bank", "lease"])
async def test_the_cap_of_a_branchs_own_client_holds(service, books):
    run = Run(connect("live"))
    jobs = [(Worker("asker", ask_once), Handoff(intent="Ask"))]
    tight = partial(connect, "live", max_usd="0.0001")
    [result] = await fan_out(run, jobs, on=LocalWorkers(), books=books, client=tight)
    assert result.status == "exhausted" and "the worker's client's budget of" in result.reason
    assert service.sent == 0 and spending.ledger().reserved == NOTHING


async def test_a_try_that_may_have_been_done_is_paid_and_one_that_was_turned_away_is_not(
    monkeypatch, no_settings
):
    for faults, calls in ((Faults(first=("529",)), 1), (Faults(first=("timeout",)), 2)):
        monkeypatch.setattr(spending, "_ledger", None)
        client = Client(OfflineTransport(faults=faults), mode="live", sleep=no_sleep)
        await asked(client)
        assert spending.spent().calls == calls


async def test_offline_nothing_is_spent_whatever_the_limit(no_settings):
    spending.allow(0)
    await asked(connect())
    assert spending.spent() == NOTHING


def test_a_limit_is_an_amount_of_dollars_or_none(monkeypatch, no_settings):
    assert spending.limit() == Decimal("0.50")
    spending.allow(None)
    assert spending.limit() is None
    spending.allow(2)
    for odd in ("much", -1, "nan", ""):
        with pytest.raises(ValueError, match="the limit is .*; expected an amount in dollars"):
            spending.allow(odd)
    assert spending.limit() == 2
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    with pytest.raises(SetupError, match=r"may spend 2 dollars in all; call kernel.spending.al"):
        connect("live", max_usd=3)


def test_the_environment_sets_the_limit_and_a_bad_one_is_said(monkeypatch, no_settings):
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("WORKSHOP_MAX_USD", "1.25")
    assert spending.limit() == Decimal("1.25")
    monkeypatch.setattr(spending, "_ledger", None)
    monkeypatch.setenv("WORKSHOP_MAX_USD", "a lot")
    with pytest.raises(SetupError, match="WORKSHOP_MAX_USD is 'a lot'; expected an amount"):
        connect("live")
    connect("offline")
    assert spending.spent() == NOTHING


async def test_a_model_without_a_price_is_refused_with_what_can_be_done(monkeypatch, no_settings):
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    with pytest.raises(Exhausted) as refused:
        await asked(connect("live"), model="a new model")
    assert "this process's budget of $0.50 cannot hold" in str(refused.value)
    assert "`kernel.spending.allow(amount)`, or --max-usd, sets" in str(refused.value)
    client = Client(OfflineTransport(), unknown_price_ok=False)
    with pytest.raises(Exhausted) as refused:
        await Run(client, budget=Budget(usd="1")).ask(**{**QUESTION, "model": "a new model"})
    assert "a budget without dollars" in str(refused.value)
    assert "kernel.plumbing.spending" not in str(refused.value), (
        "that would not lift the cap of this run"
    )


def test_a_new_process_counts_from_nothing(service):
    asyncio.run(asked(connect("live")))
    code = "from kernel import spending; print(spending.spent().calls, spending.limit())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", "0.50"] and spending.spent().calls == 1
