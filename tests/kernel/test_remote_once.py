"""Facts about a handoff over HTTP that is asked twice: its answer is given again, not made again."""

from __future__ import annotations

import asyncio
import socket
import sys
import tempfile
import threading
import time
from pathlib import Path

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernel import Budget, Handoff, Result, Run, connect
from kernel.parts.elsewhere import remote as border
from kernel.parts.elsewhere.remote import HANDOFF_ID, KeptAnswers, RemoteSpecialist, serve_handoffs
from kernel.parts.guards import Deadline, Fallback, Retry
from kernel.parts.journal.journal import Journal
from tests.on_each import on_each
from tests.scripted import Worker, no_sleep

TOKEN = "a-token-of-this-test-and-no-other"
PAY = Handoff(intent="pay Bob 500")


def offline():
    return connect("offline")


def served(executable):
    budget = Budget(calls=12)
    return serve_handoffs(executable, port=0, token=TOKEN, budget=budget, client=offline)


def far(url, **options):
    return RemoteSpecialist("payer", "Pays.", url, TOKEN, **options)


def losing(lost):
    """A way on which the answers to some requests are lost, after the work was done."""
    lost = iter(lost)

    async def handle(request):
        async with httpx.AsyncClient(trust_env=False) as client:
            headers = {name: request.headers[name] for name in ("authorization", HANDOFF_ID)}
            response = await client.post(request.url, content=request.content, headers=headers)
        if next(lost, False):
            raise httpx.ReadError("the answer was lost")
        return httpx.Response(response.status_code, content=response.content)

    return httpx.MockTransport(handle)


GUARDS = {
    "retry": lambda one: Retry(one, times=3, sleep=no_sleep),
    "retry of a deadline": lambda one: Retry(Deadline(one), times=3, sleep=no_sleep),
    "deadline of a retry": lambda one: Deadline(Retry(one, times=3, sleep=no_sleep)),
    "fallback to itself": lambda one: Fallback(
        Retry(one, times=1, sleep=no_sleep), Retry(one, sleep=no_sleep)
    ),
}


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(sorted(GUARDS)),
    st.booleans(),
    st.lists(st.booleans(), max_size=3),
    st.integers(1, 2),
)
def test_each_handoff_is_done_once_whatever_is_lost(guard, journalled, lost, times):
    """Pairs: guards, a journal and a process that dies, answers that are lost, equal handoffs."""
    worker = Worker("payer", lambda handoff, run: f"paid, number {len(worker.seen)}")

    async def paid(client, server):
        team = GUARDS[guard](far(server.url, transport=losing(lost)))
        run = Run(client)
        results = [await run.dispatch(team, PAY, again="once more") for _ in range(times)]
        return [result.output for result in results if result.ok]

    with served(worker) as server, tempfile.TemporaryDirectory() as folder:
        if journalled:
            for _ in range(2):  # the second is a new process that goes on
                with Journal(Path(folder) / "run.journal") as journal:
                    outputs = asyncio.run(paid(journal.around(offline()), server))
        else:
            outputs = asyncio.run(paid(offline(), server))
    assert len(worker.seen) == times
    assert outputs == [f"paid, number {n + 1}" for n in range(times)]


def post(url, id="one", intent="pay Bob 500"):
    headers = {"authorization": f"Bearer {TOKEN}", HANDOFF_ID: id}
    return httpx.post(url, content=Handoff(intent=intent).model_dump_json(), headers=headers)


async def test_a_second_request_waits_for_the_first_and_other_ids_or_bodies_are_other_work():
    began, gate = threading.Event(), threading.Event()

    def work(handoff, run):
        began.set()
        assert gate.wait(20)
        return f"paid {len(worker.seen)}"

    worker = Worker("payer", work)
    with served(worker) as server:
        first = asyncio.ensure_future(asyncio.to_thread(post, server.url))
        await asyncio.to_thread(began.wait, 20)
        others = [asyncio.ensure_future(asyncio.to_thread(post, server.url)) for _ in range(3)]
        await asyncio.sleep(0.1)
        gate.set()
        answers = await asyncio.gather(first, *others)
        assert {answer.json()["output"] for answer in answers} == {"paid 1"}
        for id, intent in (("two", "pay Bob 500"), ("one", "pay Ann 500")):
            await asyncio.to_thread(post, server.url, id, intent)
        assert len(worker.seen) == 3
        assert (await asyncio.to_thread(post, server.url, "no id")).status_code == 400


@on_each(("transient", "times"), [(False, 1), (True, 2)])
def test_an_answer_that_may_be_another_one_later_is_not_given_again(transient, times):
    worker = Worker("payer", Result(status="failed", reason="closed", transient=transient))
    with served(worker) as server:
        for _ in range(2):
            assert post(server.url).json()["status"] == "failed"
    assert len(worker.seen) == times


def test_the_last_thousand_answers_are_kept_for_an_hour_and_so_many_bytes():
    now = [0.0]
    kept = KeptAnswers(lambda: now[0])

    def is_kept(key):
        _, is_new = kept.find(key)
        if is_new:
            kept.keep(key, (503, b""), stands=False)
        return not is_new

    for number in range(1_002):
        kept.find(str(number))
        kept.keep(str(number), (200, b"x"), stands=True)
    assert [is_kept(str(number)) for number in (0, 1, 2, 1_001)] == [False, False, True, True]
    kept.find("large")
    kept.keep("large", (200, b"x" * (border.MOST_KEPT_BYTES - 3)), stands=True)
    assert [is_kept(key) for key in ("998", "999", "1001", "large")] == [False, True, True, True]
    now[0] = border.KEPT_S + 1
    assert not is_kept("1001") and not is_kept("large")


async def test_an_executable_that_ends_the_process_answers_like_a_bug(capfd):
    with served(Worker("payer", lambda handoff, run: sys.exit(3))) as server:
        result = await Run(offline()).dispatch(far(server.url), PAY)
        assert server.places._value == border.MOST_AT_ONCE
    assert (result.status, result.transient) == ("failed", False)
    assert "it failed there by a bug" in result.reason
    assert "SystemExit" in capfd.readouterr().err


@pytest.mark.parametrize("sent", [b"P", b"POST / HTTP/1.1\r\nx", b"POST / HTTP/1.1\r\nbody"])
def test_a_caller_that_drips_bytes_comes_to_an_end(monkeypatch, sent):
    monkeypatch.setattr(border, "WHOLE_S", 0.3)
    if sent.endswith(b"body"):
        head = f"authorization: Bearer {TOKEN}\r\ncontent-length: 99999\r\n\r\n".encode()
        sent = sent.replace(b"body", head)
    with (
        served(Worker("payer")) as server,
        socket.create_connection(server.server_address) as caller,
    ):
        caller.sendall(sent)
        for _ in range(500):
            try:
                caller.sendall(b"x")
            except OSError:  # closed by the server
                break
            time.sleep(0.02)
        else:
            pytest.fail("the server still listens after ten seconds")


async def test_a_budget_of_handoffs_holds_for_all_that_go_elsewhere_at_every_level():
    says = httpx.MockTransport(lambda _: httpx.Response(200, json={"status": "ok"}))
    two = [RemoteSpecialist(name, "…", "http://h/", TOKEN, transport=says) for name in "ab"]

    async def all_out(handoff, run):
        tasks = [(one, Handoff(intent=f"part {n}")) for n in range(4) for one in two]
        results = await run.fan_out(tasks)
        return str(sum(result.ok for result in results))

    for budget, number in ((Budget(handoffs=3), 3), (Budget(handoffs=0), 0), (Budget(), 8)):
        below = await Run(offline()).dispatch(Worker("lead", all_out), PAY, budget=budget)
        above = await Run(offline(), budget=budget).dispatch(Worker("lead", all_out), PAY)
        assert below.output == above.output == str(number)
    one = await Run(offline(), budget=Budget(handoffs=0)).dispatch(two[0], PAY)
    assert one.status == "exhausted"
    assert one.reason == "the run's budget of 0 handoffs elsewhere is used up"
