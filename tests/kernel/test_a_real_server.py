"""Facts about live runs, against servers on this machine: same team, another address, a cap that holds, no key in sight."""

from __future__ import annotations

import json
import os
import socket
import struct
import threading
from contextlib import contextmanager
from dataclasses import asdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from kernel import (
    Corpus,
    DeterministicSupervisor,
    Handoff,
    LLMSupervisor,
    Run,
    connect,
    models,
    researcher,
    reviewer,
    writer,
)
from kernel.__main__ import main
from offline_model import Faults, OfflineAPI, Server

KEY = "sk-ant-very-secret"
TASK = Handoff(intent="Write a brief on pgvector")


def desk():
    return DeterministicSupervisor(researcher(Corpus()), writer(), reviewer())


@pytest.fixture(autouse=True)
def settings(monkeypatch):
    for name in ("WORKSHOP_MODEL", "ANTHROPIC_AUTH_TOKEN", "HTTP_PROXY", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)


@contextmanager
def other_server(answer):
    """A server of another dialect: `answer(request dict)` gives (status, content type, text)."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            status, kind, text = answer(json.loads(body))
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(text.encode("utf-8"))))
            self.end_headers()
            self.wfile.write(text.encode("utf-8"))

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


async def test_the_same_team_over_a_socket_writes_the_same_brief(monkeypatch):
    offline = await Run(connect()).dispatch(desk(), TASK)
    with Server(OfflineAPI()) as url:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        async with connect("live") as client:
            run = Run(client)
            live = await run.dispatch(desk(), TASK)
    assert live == offline
    assert KEY not in json.dumps(
        [asdict(event) for event in run.events], default=str
    ) and KEY not in repr(vars(client))


async def test_the_dollar_cap_of_a_live_client_holds_for_all_its_runs_together(monkeypatch):
    with Server(OfflineAPI()) as url:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        async with connect("live", max_usd="0.06") as client:
            team = (researcher(Corpus()), writer(), reviewer())
            results = [
                await Run(client).dispatch(
                    LLMSupervisor(team), Handoff(intent=f"Write a brief on {topic}")
                )
                for topic in ("pgvector", "Qdrant", "Pinecone", "Milvus")
            ]
    assert results[-1].status == "exhausted" and "budget of $0.06" in results[-1].reason
    assert 0 < client.ledger.spent.usd <= client.ledger.budget.usd


async def test_faults_on_the_way_are_retried_and_the_brief_is_the_same(monkeypatch):
    offline = await Run(connect()).dispatch(desk(), TASK)
    with Server(OfflineAPI(faults=Faults(first=("529", "", "429", "500")))) as url:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        async with connect("live") as client:
            client._sleep = _no_sleep
            run = Run(client)
            assert await run.dispatch(desk(), TASK) == offline
    assert sum(event.kind == "retry" for event in run.events) == 3


async def _no_sleep(seconds):
    pass


async def test_an_older_dialect_that_ignores_schemas_and_calls_no_tools_ends_as_a_result(
    monkeypatch,
):
    def answer(request):
        text = "[x] is a fact." if "tools" in request else "not JSON"
        body = {"content": [{"type": "text", "text": text}], "model": request["model"]}
        return 200, "application/json", json.dumps(body)

    with other_server(answer) as url:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        monkeypatch.setenv("WORKSHOP_WORKER_MODEL", "llama3.2")
        async with connect("local") as client:
            run = Run(client)
            unsearched = await run.dispatch(desk(), TASK)
            facts = Handoff(intent="Review the draft", artifacts={"facts": "f", "draft": "d"})
            unfit = await run.dispatch(reviewer(), facts)
    assert unsearched.status == "failed" and "research" in unsearched.reason
    assert unfit.status == "failed" and unfit.artifacts["said"] == "not JSON"
    assert run.spent.cost is None, "nobody knows what a local model costs"


@pytest.mark.parametrize(
    ("status", "kind", "text", "message"),
    [
        (
            401,
            "application/json",
            json.dumps(
                {
                    "type": "error",
                    "error": {"type": "authentication_error", "message": f"bad key {KEY}"},
                }
            ),
            "authentication_error: bad key [key]",
        ),
        (502, "text/html", "<html>Bad gateway</html>", "HTTP 502, api_error"),
        (200, "text/html", "<html>A portal's login page</html>", "check the base URL"),
    ],
)
def test_a_server_that_is_not_the_service_is_said_plainly_in_the_terminal(
    monkeypatch, capsys, status, kind, text, message
):
    monkeypatch.setattr("kernel.plumbing.client.asyncio.sleep", _no_sleep)
    with other_server(lambda request: (status, kind, text)) as url:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        monkeypatch.setenv("WORKSHOP_WORKER_MODEL", "llama3.2")
        assert main(["pgvector", "--live"]) == 1
    shown = "".join(capsys.readouterr())
    assert message in shown and KEY not in shown and "Traceback" not in shown


def test_a_server_that_is_not_there_is_said_plainly(monkeypatch, capsys):
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("WORKSHOP_WORKER_MODEL", "llama3.2")
    assert main(["pgvector", "--live"]) == 1
    assert "connection_error" in capsys.readouterr().out


def test_a_server_of_this_machine_is_asked_nothing_before_its_model_is_named(monkeypatch, capsys):
    asked = []
    with other_server(lambda request: asked.append(request)) as url:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        assert main(["pgvector", "--live"]) == 2
    assert "set WORKSHOP_WORKER_MODEL" in capsys.readouterr().err and not asked


def test_a_plain_client_speaks_to_the_chosen_model_and_its_cap_holds_before_sending(monkeypatch):
    from kernel import Exhausted
    from workshop.plain import plain_http

    body = {
        "model": models.supervisor,
        "max_tokens": 1000,
        "messages": [{"role": "user", "content": "Hello"}],
    }
    assert plain_http().post("/v1/messages", json=body).json()["stop_reason"] == "end_turn"
    assert plain_http().post("/v1/messages", json={"model": models.worker}).status_code == 400
    api = OfflineAPI()
    with Server(api) as url:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        with plain_http("live", max_usd="0.012") as client:
            assert client.post("/v1/messages", json=body).status_code == 200
            with pytest.raises(Exhausted):
                for _ in range(100):
                    client.post("/v1/messages", json=body)


# ── clients that go away, and requests that are not what they seem ────────────────────────────────


LINGER = "hh" if os.name == "nt" else "ii"


def raw(url, sent):
    """All that the server answers to these bytes on one connection."""
    host, _, port = url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        connection.sendall(sent)
        answered = b""
        while piece := connection.recv(65536):
            answered += piece
    return answered


@pytest.mark.parametrize("second", [b"5", b"200", b"x"])
def test_two_content_lengths_are_refused_and_nothing_is_read_after_them(second):
    """Else a proxy that takes the other one reads where one request ends differently (RFC 9112, 6.3)."""
    smuggled = b"GET /v1/models HTTP/1.1\r\n\r\n"
    heads = b"content-length: 5\r\ncontent-length: " + second
    with Server(OfflineAPI()) as url:
        answered = raw(url, b"POST /v1/messages HTTP/1.1\r\n" + heads + b"\r\n\r\n12345" + smuggled)
    assert answered.startswith(b"HTTP/1.1 400") and answered.count(b"HTTP/1.1") == 1
    assert b"2 content-length heads; send one" in answered


def test_a_client_that_goes_away_while_it_is_answered_leaves_no_traceback(capfd):
    """Its answer is written when nobody reads any more, at the latest when the connection is closed."""
    long = json.dumps(
        {
            "model": models.worker,
            "max_tokens": 1000,
            "messages": [{"role": "user", "content": "Hello"}],
            "stream": True,
        }
    ).encode()
    head = b"POST /v1/messages HTTP/1.1\r\nanthropic-version: 2023-06-01\r\nx-api-key: k\r\n"
    request = head + b"content-length: %d\r\n\r\n" % len(long) + long
    served = Server(OfflineAPI(latency_ms=50))
    closed = threading.Semaphore(0)
    shut = served.shutdown_request
    served.shutdown_request = lambda request: (shut(request), closed.release())
    with served as url:
        host, _, port = url.removeprefix("http://").partition(":")
        for sent in (request, request[:-20], b"GET / HTTP/1.1\r\n\r\n" * 50):
            connection = socket.create_connection((host, int(port)), timeout=10)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack(LINGER, 1, 0))
            connection.sendall(sent)
            connection.close()  # with a reset, as when a process is killed
            assert closed.acquire(timeout=30)
    assert "Traceback" not in "".join(capfd.readouterr())
