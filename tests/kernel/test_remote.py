"""Facts about the border over plain HTTP: a specialist elsewhere, and one that is served."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import threading
from decimal import Decimal

import httpx
import pytest

from kernel import (
    Budget,
    Client,
    DeterministicSupervisor,
    Handoff,
    LLMSupervisor,
    Result,
    Run,
    connect,
)
from kernel.core.team import Verdict, specialists
from kernel.parts.elsewhere.remote import (
    MAX_BODY_BYTES,
    MOST_AT_ONCE,
    SECONDS,
    HandoffServer,
    RemoteSpecialist,
    serve_handoffs,
)
from kernel.parts.guards import Retry
from kernel.parts.journal.journal import Journal
from offline_model import Script
from tests.on_each import on_each
from tests.scripted import Worker, no_sleep

TOKEN = "a-token-of-this-test-and-no-other"
TASK = Handoff(intent="Write a brief on Qdrant")
CALLS = Budget(calls=12)


def offline():
    return connect("offline")


def served(executable, *, token=TOKEN, budget=CALLS):
    return serve_handoffs(executable, port=0, token=token, budget=budget, client=offline)


def far(url="http://127.0.0.1:9/", *, name="worker", token=TOKEN, **options):
    return RemoteSpecialist(name, "Works elsewhere.", url, token, **options)


def says(body, status=200, **headers):
    """A far side that answers each handoff with this."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return httpx.MockTransport(lambda _: httpx.Response(status, content=content, headers=headers))


async def given(executable, task=TASK, budget=CALLS):
    """The result of one handoff, and its run."""
    run = Run(offline(), budget=budget)
    return await run.dispatch(executable, task), run


async def answered(body, status=200, headers=None, **options):
    return await given(far(transport=says(body, status, **(headers or {})), **options))


def notes(run, about="elsewhere"):
    return [event.text for event in run.events if event.kind == "note" and event.about == about]


def post(url, content=b"{}", token=TOKEN, **headers):
    return httpx.post(url, content=content, headers={"authorization": f"Bearer {token}", **headers})


# ── what crosses ──────────────────────────────────────────────────────────────────────────────────


@on_each("team", [DeterministicSupervisor, lambda *three: LLMSupervisor(three)])
async def test_a_team_with_a_reviewer_elsewhere_writes_the_same_brief(team):
    researcher, writer, reviewer = specialists()
    budget = Budget(calls=20)
    with served(reviewer) as server:
        remote = far(server.url, name="reviewer", output=Verdict)
        result, run = await given(team(researcher, writer, remote), budget=budget)
        own, local = await given(team(researcher, writer, reviewer), budget=budget)
    assert result.ok, result.reason
    assert result.as_text() == own.as_text()
    reviews = len(notes(run, about="border"))
    assert reviews >= 1
    assert run.spent.calls == local.spent.calls - reviews
    assert all("says that it spent 1 call and $0." in text for text in notes(run))


async def test_a_reviewer_that_is_not_there_costs_neither_supervisor_its_draft():
    researcher, writer, _ = specialists()
    remote = far(name="reviewer", output=Verdict, transport=says(b"", 503))
    fixed, _ = await given(DeterministicSupervisor(researcher, writer, remote))
    assert (fixed.status, list(fixed.artifacts)) == ("failed", ["facts", "draft"])
    assert "it answered 503" in fixed.reason
    free, run = await given(LLMSupervisor([researcher, writer, remote]), budget=Budget(calls=20))
    assert {"researcher", "writer"} <= {*free.artifacts}
    answers = [event.content for event in run.events if event.kind == "tool_result"]
    assert any("it answered 503" in answer for answer in answers)


async def test_the_far_side_is_given_the_whole_handoff_and_its_output_is_what_was_agreed_on():
    worker = Worker(
        work=lambda handoff, run: Result(
            status="ok", output={"verdict": "PASS", "issues": []}, artifacts={"log": "read it"}
        )
    )
    with served(worker) as server:
        task = Handoff(intent="Review", context="briefly", artifacts={"draft": "Qdrant …"})
        result, _ = await given(far(server.url, output=Verdict), task)
    [seen] = worker.seen
    assert (seen.intent, seen.context, seen.artifacts) == ("Review", "briefly", task.artifacts)
    assert result.output == Verdict(verdict="PASS")
    assert result.artifacts == {"log": "read it"}


async def test_what_was_spent_there_is_a_note_and_in_no_ledger():
    result, run = await answered({"status": "ok", "output": "x", "calls": 3, "usd": "0.25"})
    assert result.ok
    assert run.spent.calls == 0
    assert run.spent.usd == 0
    assert notes(run) == ["worker says that it spent 3 calls and $0.2500 there"]


@on_each(
    ("claim", "words"),
    [
        ({"calls": 3, "usd": "0.25", "unpriced": 1}, "spent 3 calls and an unknown amount there"),
        ({"calls": 3}, "spent 3 calls and an unknown amount there"),
        ({"usd": 0}, "spent an unknown number of calls and $0.0000 there"),
        ({}, "spent an unknown number of calls and an unknown amount there"),
    ],
)
async def test_what_is_not_known_of_the_cost_there_is_said_to_be_unknown(claim, words):
    result, run = await answered({"status": "ok", "output": "x", **claim})
    assert result.ok
    assert notes(run) == [f"worker says that it {words}"]


async def test_a_far_side_of_ours_says_that_a_price_is_unknown():
    async def ask(handoff, run):
        message = {"role": "user", "content": handoff.intent}
        await run.ask(model="a-model-without-a-price", max_tokens=9, messages=[message])

    def client():
        return Client(Script(["x"], strict=False))

    with serve_handoffs(
        Worker(work=ask), port=0, token=TOKEN, budget=Budget(), client=client
    ) as server:
        _, run = await given(far(server.url))
    assert notes(run) == ["worker says that it spent 1 call and an unknown amount there"]


async def test_a_budget_of_the_server_holds_for_each_handoff():
    researcher, *_ = specialists()
    with served(researcher, budget=Budget(calls=1)) as server:
        result, run = await given(far(server.url, name="researcher"))
        again, _ = await given(far(server.url, name="researcher"))
    assert result.status == again.status == "exhausted"
    assert result.reason.startswith("researcher says: ")
    assert "1 call" in result.reason
    assert run.spent.calls == 0


async def test_only_so_many_handoffs_of_a_run_go_out():
    remote = far(transport=says({"status": "ok", "output": "x"}), handoffs=2)
    run = Run(offline())
    results = await run.fan_out([(remote, Handoff(intent=f"part {n}")) for n in range(4)])
    assert sorted(result.status for result in results) == ["exhausted"] * 2 + ["ok"] * 2
    assert "2 handoffs of this run went to worker elsewhere" in results[-1].reason


# ── time ──────────────────────────────────────────────────────────────────────────────────────────


async def test_a_deadline_ends_here_and_travels_and_a_far_side_of_ours_stops():
    ended = threading.Event()

    async def slow(handoff, run):
        try:
            await asyncio.sleep(30)
        finally:
            ended.set()

    with served(Worker(work=slow)) as server:
        result, run = await given(far(server.url), budget=Budget(seconds=1.5))
        assert result.status == "exhausted"
        assert result.transient
        assert await asyncio.to_thread(ended.wait, 10)
    assert "is not told to stop" in notes(run)[0]


def test_a_closed_server_leaves_no_thread():
    with served(Worker()):
        [*_, thread] = [one for one in threading.enumerate() if one.name == "handoffs"]
    thread.join(10)
    assert not thread.is_alive()


async def test_a_far_side_that_knows_no_deadline_works_to_its_end():
    gate, ended = threading.Event(), threading.Event()

    def answer(request):
        gate.wait(10)
        ended.set()
        return httpx.Response(200, json={"status": "ok"})

    async def handler(request):
        return await asyncio.shield(asyncio.to_thread(answer, request))

    remote = far(transport=httpx.MockTransport(handler))
    result, run = await given(remote, budget=Budget(seconds=0.1))
    assert result.status == "exhausted"
    gate.set()
    assert await asyncio.to_thread(ended.wait, 10)
    assert "it works to its end" in notes(run)[0]


async def test_the_shortest_deadline_above_is_the_one_that_travels():
    seconds = []

    def answer(request):
        seconds.append(float(request.headers[SECONDS]))
        return httpx.Response(200, json={"status": "ok"})

    remote = far(transport=httpx.MockTransport(answer), seconds=50)
    middle = Worker(
        "middle", lambda handoff, run: run.dispatch(remote, handoff, budget=Budget(seconds=90))
    )
    for budget in (Budget(seconds=20), Budget()):
        await given(middle, budget=budget)
    assert 19 < seconds[0] <= 20
    assert seconds[1] == 50


async def test_without_a_deadline_a_far_side_is_waited_for_so_long_and_no_longer():
    async def never(request):
        await asyncio.Event().wait()

    result, run = await given(far(transport=httpx.MockTransport(never), seconds=0.05))
    assert result.status == "failed"
    assert result.transient
    assert result.reason.endswith("no answer in 0.05 s")
    assert len(notes(run)) == 1


async def test_a_caller_that_gives_up_is_noted():
    async def never(request):
        await asyncio.Event().wait()

    run = Run(offline())
    work = asyncio.ensure_future(run.dispatch(far(transport=httpx.MockTransport(never)), TASK))
    while not notes(run, about="border"):
        await asyncio.sleep(0)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert "is not told to stop" in notes(run)[0]


# ── what goes wrong ───────────────────────────────────────────────────────────────────────────────


async def test_nobody_there_and_a_connection_that_breaks_are_transient():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    result, _ = await given(far(f"http://127.0.0.1:{port}/"))
    assert (result.status, result.transient) == ("failed", True)
    assert result.reason.startswith(f"worker at 127.0.0.1:{port}: ")

    async def half(reader, writer):
        await reader.readuntil(b"}")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{")
        writer.close()

    async with await asyncio.start_server(half, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        result, _ = await given(far(f"http://127.0.0.1:{port}/"))
    assert (result.status, result.transient) == ("failed", True)
    assert len(result.reason) > 40


async def test_a_wrong_token_is_refused_in_a_sentence_without_it():
    worker = Worker()
    with served(worker) as server:
        result, _ = await given(far(server.url, token="another-token-that-is-wrong"))
        assert post(server.url, token="ä".encode()).status_code == 401
        assert httpx.post(server.url).status_code == 401
    assert (result.status, result.transient) == ("failed", False)
    assert result.reason.endswith("it answered 401: the token is missing or wrong")
    assert not worker.seen


@on_each(
    ("content", "headers", "status", "sentence"),
    [
        (b"{", {}, 400, "the body is no handoff"),
        (b"\xff\xfe", {}, 400, "the body is no handoff"),
        (b'{"intent": "x", "more": 1}', {}, 400, "more: Extra inputs are not permitted"),
        (b'{"intent": "x", "artifacts": {"task": "y"}}', {}, 400, "an artifact is named 'task'"),
        (b'{"intent": "x"}', {SECONDS: "soon"}, 400, "is no number of seconds"),
        (b'{"intent": "x"}', {SECONDS: "nan"}, 400, "is no number of seconds"),
        (b'{"intent": "x"}', {SECONDS: "-1"}, 400, "is no number of seconds"),
        (b"x" * (MAX_BODY_BYTES + 1), {}, 413, "at most 1,000,000 are allowed"),
        (b"x" * 4 * MAX_BODY_BYTES, {}, 413, "it has 4000000 bytes"),
    ],
)
def test_what_is_no_handoff_is_refused_in_a_sentence(content, headers, status, sentence):
    worker = Worker()
    with served(worker) as server:
        response = post(server.url, content, **headers)
    assert response.status_code == status
    refused = Result.model_validate(response.json())
    assert refused.status == "failed"
    assert sentence in refused.reason
    assert not worker.seen


def test_a_body_without_a_length_and_other_methods_are_refused():
    with served(Worker()) as server:
        assert post(server.url, iter([b"{}"])).status_code == 411
        response = httpx.get(server.url)
    assert response.status_code == 501
    assert "GET" in response.json()["reason"]


async def test_a_bug_there_tells_nothing_of_it(capfd):
    def bug(handoff, run):
        raise RuntimeError("secret place")

    with served(Worker(work=bug)) as server:
        result, _ = await given(far(server.url))
    assert result.status == "failed"
    assert "it failed there by a bug" in result.reason
    assert "secret place" not in result.reason
    assert "secret place" in capfd.readouterr().err


async def test_a_server_takes_so_many_at_once_and_says_so(monkeypatch):
    with served(Worker()) as server:
        while server.places.acquire(blocking=False):
            pass
        result, _ = await given(far(server.url))
    assert (result.status, result.transient) == ("failed", True)
    assert "503" in result.reason


@pytest.mark.parametrize("output", ["x", "x" * 900_000], ids=["short", "long"])
@pytest.mark.parametrize("moment", ["at work", "while it is sent"])
async def test_a_caller_that_goes_away_leaves_the_server_as_it_was(capfd, output, moment):
    began, gone, done = threading.Event(), threading.Event(), threading.Event()

    def work(handoff, run):
        began.set()
        gone.wait(10)
        done.set()
        return output

    with served(Worker(work=work)) as server:
        caller = socket.create_connection(server.server_address)
        caller.sendall(
            b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 15\r\n"
            + f"authorization: Bearer {TOKEN}\r\n\r\n".encode()
            + b'{"intent": "x"}'
        )
        assert await asyncio.to_thread(began.wait, 10)
        if moment == "while it is sent":
            gone.set()
            assert await asyncio.to_thread(caller.recv, 10)
        caller.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        caller.close()  # with a reset, not with an end
        gone.set()
        assert await asyncio.to_thread(done.wait, 10)
        result, _ = await given(far(server.url))
        assert result.ok, result.reason
        for _ in range(MOST_AT_ONCE):
            assert server.places.acquire(timeout=10), "a place that was never given back"
    assert capfd.readouterr().err == ""


@on_each("field", ["output", "artifacts", "reason"])
async def test_a_text_that_cannot_be_encoded_costs_no_result(field):
    odd = "half \ud800"
    value = {"draft": odd} if field == "artifacts" else odd
    with served(Worker(work=Result(**{"status": "ok", field: value}))) as server:
        result, _ = await given(far(server.url))
    assert result.ok, result.reason


@on_each(
    ("status", "transient"),
    [(302, False), (403, False), (404, False), (429, True), (500, False), (503, True)],
)
async def test_other_answers_are_failures_and_a_redirect_is_not_followed(status, transient):
    result, _ = await answered(b"<html>", status, headers={"location": "http://192.0.2.1/"})
    assert (result.status, result.transient) == ("failed", transient)
    assert f"it answered {status}" in result.reason


# ── lies ──────────────────────────────────────────────────────────────────────────────────────────


@on_each(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b'{"output": "x"}',
        b'{"status": "splendid", "output": "x"}',
        b'{"status": "ok", "artifacts": ["x"]}',
        b'{"status": "ok", "artifacts": {"draft": 7}}',
        b'{"status": "ok", "usd": -1}',
        b'{"status": "ok", "usd": "NaN"}',
        b'{"status": "ok", "usd": NaN}',
        b'{"status": "ok", "usd": "1e999999"}',
        b'{"status": "ok", "usd": Infinity}',
        b'{"status": "ok", "calls": -5}',
        b'{"status": "ok", "calls": 1' + b"0" * 5000 + b"}",
        b'{"status": "failed", "retry_after_s": -1}',
        b'{"status": "failed", "retry_after_s": Infinity}',
        b'{"status": "ok", "output": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"status": "ok", "output": "\xff"}',
        b'{"status": "ok", "artifacts": {"task": "x"}}',
        b'{"status": "ok", "artifacts": {"../../x": "x"}}',
        json.dumps({"status": "ok", "artifacts": {f"a{n}": "x" for n in range(21)}}).encode(),
        json.dumps({"status": "ok", "output": ["x" * 30_000]}).encode(),
        b" " * (MAX_BODY_BYTES + 1),
    ],
    ids=map(str, range(23)),
)
async def test_what_is_no_result_is_a_failure_in_a_short_sentence(body):
    result, run = await answered(body)
    assert (result.status, result.transient) == ("failed", False)
    assert result.reason.startswith("worker at 127.0.0.1:9: ")
    assert len(result.reason) < 400
    assert not result.artifacts
    assert run.spent.usd == Decimal(0)


@on_each("output", ["PASS", {"verdict": "FINE"}, None, {"verdict": "PASS", "issues": 7}])
async def test_an_output_that_is_not_the_agreed_one_is_a_failure(output):
    result, _ = await answered({"status": "ok", "output": output}, output=Verdict)
    assert result.status == "failed"
    assert "is not what was agreed on" in result.reason


async def test_long_texts_are_cut_and_say_so():
    body = {"status": "ok", "output": "x" * 30_000, "artifacts": {"draft": "y" * 25_000}}
    result, _ = await answered(body)
    assert result.output.endswith("[cut: 20,000 of 30,000 characters]")
    assert result.artifacts["draft"].endswith("[cut: 20,000 of 25,000 characters]")


async def test_a_body_without_end_is_read_no_further_than_allowed():
    read = []

    async def endless():
        while True:
            read.append(1)
            yield b" " * 100_000

    transport = httpx.MockTransport(lambda _: httpx.Response(200, content=endless()))
    result, _ = await given(far(transport=transport))
    assert "more than 1,000,000 bytes" in result.reason
    assert len(read) < 20


@on_each(
    ("theirs", "ours"),
    [
        ("paused", "failed"),
        ("cancelled", "failed"),
        ("exhausted", "exhausted"),
        ("refused", "refused"),
    ],
)
async def test_a_status_of_the_far_side_is_said_as_its_own(theirs, ours):
    body = {
        "status": theirs,
        "reason": "z" * 900,
        "by": "the chief",
        "artifacts": {"draft": "half"},
    }
    result, _ = await answered(body)
    assert result.status == ours
    assert result.reason.startswith("worker says: zzz")
    assert len(result.reason) < 400
    assert result.by == "worker"
    assert result.artifacts == {"draft": "half"}


async def test_a_token_is_nowhere_in_what_is_kept(tmp_path):
    """Also when the far side sends it back, in its escaped form, too."""
    escaped = "".join(f"\\u{ord(sign):04x}" for sign in TOKEN)
    bodies = [
        f'{{"status": "ok", "output": "{TOKEN}", "artifacts": {{"draft": "{escaped}"}}}}'.encode(),
        f'{{"status": "failed", "reason": "{escaped}"}}'.encode(),
        f'{{"status": "ok", "artifacts": {{"task": "{TOKEN}", "{TOKEN}.": "x"}}}}'.encode(),
    ]
    kept = ""
    for body in bodies:
        result, run = await answered(body)
        kept += f"{result!r} {run.events!r} {run.trace()}"

    async def rude(reader, writer):
        await reader.readuntil(b"}")
        writer.write(f"{TOKEN} is what you sent\r\n\r\n".encode())
        writer.close()

    async with await asyncio.start_server(rude, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        remote = far(f"http://127.0.0.1:{port}/")
        result, run = await given(remote)
    kept += f"{result!r} {run.events!r} {remote!r} {remote}"
    assert TOKEN not in kept
    assert escaped not in kept
    assert "[the token]" in kept


@on_each("token", ["", "short", "a" * 15, "a" * 20 + "\n", "a" * 20 + " b", "ä" * 20])
def test_a_token_that_cannot_be_used_is_refused_without_naming_it(token):
    for make in (lambda: far(token=token), lambda: served(Worker(), token=token)):
        with pytest.raises(ValueError, match="the token cannot be used") as caught:
            make()
        assert not token or token not in str(caught.value)


@on_each(
    "url",
    [
        "",
        "ftp://x/",
        "http://",
        "127.0.0.1:80",
        "http://me:password@x/",
        "http://x/?key=password",
        "http://x:y/",
        "http://x:99999/",
        "http://x/#=password",
        "http://x x/",
        None,
    ],
)
def test_a_url_that_cannot_be_used_is_refused_without_its_password(url):
    with pytest.raises(ValueError, match="the url of worker cannot be used") as caught:
        far(url)
    assert "password@" not in str(caught.value)
    assert "=password" not in str(caught.value)


def test_token_and_budget_have_to_be_given():
    for missing in ("token", "budget"):
        options = {"port": 0, "token": TOKEN, "budget": CALLS}
        del options[missing]
        with pytest.raises(TypeError, match=missing):
            serve_handoffs(Worker(), **options)


def test_a_server_listens_on_this_machine_alone_and_a_closed_one_no_more():
    with served(Worker()) as server:
        assert isinstance(server, HandoffServer)
        assert server.server_address[0] == "127.0.0.1"
        url = server.url
    with pytest.raises(httpx.ConnectError):
        httpx.post(url)


# ── with the rest of the kernel ───────────────────────────────────────────────────────────────────


async def test_a_retry_gives_the_same_handoff_again():
    answers = [httpx.Response(503), httpx.Response(200, json={"status": "ok", "output": "done"})]
    remote = far(transport=httpx.MockTransport(lambda _: answers.pop(0)))
    result, run = await given(Retry(remote, sleep=no_sleep))
    assert result.ok, result.reason
    assert len(notes(run, about="border")) == 2


async def test_a_run_that_is_resumed_is_given_the_answer_of_the_far_side_once_more(tmp_path):
    researcher, writer, reviewer = specialists()
    asked = []
    with served(
        Worker("reviewer", lambda handoff, run: asked.append(1) or {"verdict": "PASS"})
    ) as server:
        team = DeterministicSupervisor(
            researcher, writer, far(server.url, name="reviewer", output=Verdict)
        )
        texts = []
        for _ in range(2):
            with Journal(tmp_path / "run.journal") as journal:
                result = await Run(journal.around(offline())).dispatch(team, TASK)
                texts.append(result.as_text())
    assert texts[0] == texts[1] != ""
    assert len(asked) == 1


async def test_a_fan_out_over_one_far_side_keeps_the_order():
    async def work(handoff, run):
        await asyncio.sleep(0.05 if "0" in handoff.intent else 0)
        return handoff.intent

    with served(Worker(work=work)) as server:
        remote = far(server.url)
        tasks = [Handoff(intent=f"part {n}") for n in range(6)]
        results = await Run(offline()).fan_out([(remote, task) for task in tasks])
    assert [result.output for result in results] == [task.intent for task in tasks]
