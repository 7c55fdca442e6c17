"""Facts about the client: retries by the service's rules, secrets, odd servers, the choice of a model."""

from __future__ import annotations

import asyncio
import copy
import email.utils
import json
import threading
import time
import traceback
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import httpx
import pytest

from kernel import ApiError, Client, SetupError, connect, models, spending
from kernel.testing import CountingClient
from tests.on_each import on_each
from tests.places import ROOT

pytestmark = pytest.mark.usefixtures("no_settings")

BODY = {"model": "m", "max_tokens": 10, "messages": [{"role": "user", "content": "hi"}]}
REPLY = {
    "id": "msg",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [{"type": "text", "text": "hi"}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 3, "output_tokens": 1},
}


def error(kind, message="no", **more):
    return {
        "type": "error",
        "error": {"type": kind, "message": message, **more},
        "request_id": "req_1",
    }


def client_of(*answers, **settings):
    """A client of a server that gives these answers; `.waits` are the seconds that it would have slept."""
    queue, waits, seen = list(answers), [], []

    def serve(request):
        seen.append(request)
        answer = queue.pop(0)
        if isinstance(answer, Exception):
            raise answer
        status, content, headers = (*answer, {})[:3]
        return (
            httpx.Response(status, json=content, headers=headers)
            if not isinstance(content, bytes)
            else httpx.Response(status, content=content, headers=headers)
        )

    async def sleep(seconds):
        waits.append(seconds)

    client = Client(httpx.MockTransport(serve), sleep=sleep, jitter=lambda: 0.0, **settings)
    client.waits, client.seen = waits, seen
    return client


def send(client, body=BODY):
    return asyncio.run(client.send(body))


@on_each(
    ("status", "kind"),
    [
        (408, "timeout_error"),
        (409, "conflict_error"),
        (429, "rate_limit_error"),
        (500, "api_error"),
        (503, "api_error"),
        (504, "timeout_error"),
        (529, "overloaded_error"),
    ],
)
def test_what_may_pass_is_tried_again_with_growing_waits(status, kind):
    client = client_of((status, error(kind)), (status, error(kind)), (200, REPLY))
    assert send(client).text == "hi" and client.waits == [0.5, 1.0]


@on_each(
    ("status", "kind"),
    [
        (400, "invalid_request_error"),
        (401, "authentication_error"),
        (402, "billing_error"),
        (403, "permission_error"),
        (404, "not_found_error"),
        (413, "request_too_large"),
    ],
)
def test_what_will_not_pass_is_not_tried_again(status, kind):
    client = client_of((status, error(kind, "why")))
    with pytest.raises(ApiError, match=f"HTTP {status}, {kind}: why") as caught:
        send(client)
    assert (
        caught.value.status,
        caught.value.type,
        caught.value.request_id,
        caught.value.retryable,
    ) == (status, kind, "req_1", False)
    assert client.waits == []


def test_after_two_retries_the_error_is_raised():
    client = client_of(*[(529, error("overloaded_error"))] * 3)
    with pytest.raises(ApiError, match="overloaded"):
        send(client)
    assert len(client.waits) == 2


def test_many_tries_are_as_long_apart_as_the_longest_wait():
    client = client_of(*[(529, error("overloaded_error"))] * 1101, retries=1100)
    with pytest.raises(ApiError, match="overloaded"):
        send(client)
    assert len(client.waits) == 1100 and max(client.waits) <= 8


def test_fewer_than_no_further_tries_are_refused():
    with pytest.raises(ValueError, match="retries is -1; expected 0 or more"):
        client_of(retries=-1)


@on_each(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after-ms": "1250"}, 1.25),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after": "soon"}, 0.5),
        ({"retry-after": "0"}, 0.5),
        ({"retry-after": "inf"}, 0.5),
        ({"retry-after": "nan"}, 0.5),
    ],
)
def test_a_wait_that_the_service_asks_for_is_the_wait(headers, seconds):
    client = client_of((429, error("rate_limit_error"), headers), (200, REPLY))
    send(client)
    assert client.waits == [seconds]


def test_retry_after_may_be_a_date():
    client = client_of(
        (
            429,
            error("rate_limit_error"),
            {"retry-after": email.utils.formatdate(time.time() + 30, usegmt=True)},
        ),
        (200, REPLY),
    )
    send(client)
    assert 20 < client.waits[0] <= 30


def test_the_services_word_on_retrying_comes_before_the_table():
    with pytest.raises(ApiError):
        send(client_of((500, error("api_error"), {"x-should-retry": "false"})))
    assert (
        send(
            client_of(
                (400, error("invalid_request_error"), {"x-should-retry": "true"}), (200, REPLY)
            )
        ).text
        == "hi"
    )


def test_a_spend_limit_is_a_429_that_is_not_tried_again():
    with pytest.raises(ApiError):
        send(
            client_of(
                (429, error("rate_limit_error", details={"error_code": "spend_limit_reached"}))
            )
        )


@on_each(
    "trouble",
    [
        httpx.ConnectError("refused"),
        httpx.RemoteProtocolError("Server disconnected"),
        httpx.ReadTimeout("slow"),
        httpx.ReadError(""),
    ],
)
def test_a_connection_that_breaks_is_tried_again_and_then_told(trouble):
    assert send(client_of(trouble, (200, REPLY))).text == "hi"
    with pytest.raises(ApiError) as caught:
        send(client_of(trouble, trouble, trouble))
    assert (
        caught.value.type in ("connection_error", "timeout_error") and caught.value.status is None
    )


@on_each(
    "content",
    [
        b"<html>Bad gateway</html>",
        b"",
        b"{}",
        b'{"content": "hi"}',
        b"\xff\xfe",
        b"null",
        b'{"content": [{"type": "tool_use", "name": "x"}]}',
        b'{"content": [{"type": "text"}]}',
        b'{"content": [], "usage": {"output_tokens": -100000}}',
    ],
)
def test_something_that_is_not_a_reply_is_told_apart_and_shown(content):
    with pytest.raises(ApiError, match="not a reply.*check the base URL") as caught:
        send(client_of((200, content, {"content-type": "text/html"})))
    assert caught.value.type == "invalid_reply" and not caught.value.retryable


@on_each("content", [b"<html>", b"[]", b'{"error": "model not found"}', b'{"error": {}}', b"\xff"])
def test_an_error_in_another_format_is_still_an_api_error(content):
    with pytest.raises(ApiError) as caught:
        send(client_of((404, content)))
    assert caught.value.status == 404 and caught.value.type == "not_found_error"


def test_older_dialects_are_understood():
    ollama = {
        "model": "llama",
        "content": [{"type": "tool_use", "id": "call_1", "name": "add", "input": {"a": 1}}],
        "created": 1,
    }
    nulls = {
        "id": None,
        "role": None,
        "model": None,
        "content": [{"type": "text", "text": "hi"}],
        "stop_reason": None,
        "usage": None,
    }
    assert send(client_of((200, nulls))).text == "hi"
    reply = send(client_of((200, ollama)))
    assert (
        reply.next_step == "run_tools"
        and reply.usage.total_input == 0
        and reply.model_extra["created"] == 1
    )


def test_the_key_is_sent_and_never_shown():
    key = "sk-ant-very-secret"
    client = client_of((401, error("authentication_error", f"invalid key {key}")), api_key=key)
    with pytest.raises(ApiError) as caught:
        send(client)
    assert client.seen[0].headers["x-api-key"] == key
    echoed = {"error": {"type": key, "message": key}, "request_id": key}
    with pytest.raises(ApiError) as other:
        send(client_of((400, echoed, {"request-id": key}), api_key=key))
    assert key not in str(vars(other.value))
    shown = f"{client!r} {client} {caught.value} {caught.value!r} {vars(caught.value)} {caught.value.__cause__}"
    assert key not in shown and "[key]" in shown


def test_a_connection_error_does_not_carry_the_request_with_its_key():
    client = client_of(*[httpx.ConnectError("refused")] * 3, api_key="sk-ant-very-secret")
    with pytest.raises(ApiError) as caught:
        send(client)
    assert (
        caught.value.__cause__ is None and caught.value.__context__ is None
    )  # neither shown nor reachable


def test_the_headers_are_the_apis_own():
    client = client_of((200, REPLY), auth_token="token")
    send(client)
    headers = client.seen[0].headers
    assert (
        headers["anthropic-version"] == "2026-10-21" and headers["authorization"] == "Bearer token"
    )
    assert headers["content-type"] == "application/json" and str(client.seen[0].url).endswith(
        "/v1/messages"
    )
    assert json.loads(client.seen[0].content) == BODY


# ── connect ────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_key_in_the_shell_spends_nothing(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-key")
    assert connect().mode == "offline"


def test_live_needs_a_key_or_a_server_and_says_so():
    with pytest.raises(SetupError, match="ANTHROPIC_API_KEY is not set"):
        connect("live")
    with pytest.raises(SetupError, match="ANTHROPIC_BASE_URL is not set"):
        connect("local")
    with pytest.raises(SetupError, match="expected offline, live or local"):
        connect("cheap")


def test_live_has_a_hard_cap_of_half_a_dollar(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-key")
    monkeypatch.setenv("WORKSHOP_MODEL", "live")
    client = connect()
    assert client.mode == "live" and not client.ledger.unknown_price_ok
    assert str(spending.limit()) == "0.50" and spending.ledger() in client.billed.lineage()
    assert "sk-ant-key" not in repr(client)
    assert str(connect("live", max_usd=0.1).ledger.budget.usd) == "0.1"


def test_a_local_server_needs_no_key(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:11434/")
    for mode in ("live", "local"):
        client = connect(mode)
        assert client.base_url == "http://127.0.0.1:11434" and client.ledger.unknown_price_ok


def test_settings_of_the_offline_model_are_refused_elsewhere_and_a_base_url_must_be_one(
    monkeypatch,
):
    for wrong in (
        "localhost:11434",
        "http://",
        "http://[::1",
        "ftp://host",
        "http://host:port",
        "http://127.0.0.1:99999",
    ):
        monkeypatch.setenv("ANTHROPIC_BASE_URL", wrong)
        with pytest.raises(SetupError, match="expected an address"):
            connect("local")
    with pytest.raises(SetupError, match="latency_ms: only the offline model"):
        connect("live", latency_ms=5)


@pytest.mark.parametrize(
    "address",
    [
        "http://me:very-secret@127.0.0.1:11434",
        "me:very-secret@127.0.0.1:11434",
        "http://me:very-secret@[::1",
        "http://127.0.0.1:11434/?key=very-secret",
    ],
)
def test_a_secret_in_the_base_url_is_refused_and_not_shown(monkeypatch, address):
    monkeypatch.setenv("ANTHROPIC_BASE_URL", address)
    with pytest.raises(SetupError, match="ANTHROPIC_AUTH_TOKEN") as caught:
        connect("local")
    assert "very-secret" not in str(caught.value)


def test_a_key_in_the_place_of_the_address_is_not_shown(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "sk-ant-very-secret")
    with pytest.raises(SetupError, match="expected an address such as") as caught:
        connect("local")
    assert "very-secret" not in str(caught.value)


def test_an_empty_key_is_no_key(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "")
    with pytest.raises(SetupError, match="ANTHROPIC_API_KEY is not set"):
        connect("live")


@on_each("address", ["http://me:very-secret@host", "http://host?key=very-secret"])
def test_a_client_shows_no_secret_of_its_address(address):
    with pytest.raises(SetupError, match="the base URL holds") as caught:
        Client(connect("offline").transport, base_url=address)
    assert "very-secret" not in str(caught.value)


def test_a_client_without_a_slot_is_refused():
    with pytest.raises(ValueError, match="concurrency is 0; expected at least 1"):
        connect("offline", concurrency=0)


@pytest.mark.parametrize("cap", ["nan", "inf", "-1", "abc", "", float("nan"), -0.1])
def test_a_dollar_cap_that_is_no_amount_is_one_clear_line(monkeypatch, cap):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-key")
    with pytest.raises(
        SetupError,
        match=r"^max_usd \(--max-usd\) is .*; expected an amount in dollars, for example 0.50$",
    ):
        connect("live", max_usd=cap)


def test_plain_http_sends_the_key_and_does_not_keep_it_where_a_notebook_would_print_it(monkeypatch):
    from workshop.plain import plain_http

    key, sent = "sk-ant-very-secret", []

    class Service(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["content-length"]))
            sent.append(self.headers["x-api-key"])
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(REPLY).encode())

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Service)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    monkeypatch.setenv("ANTHROPIC_BASE_URL", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("ANTHROPIC_API_KEY", key)
    with plain_http("live") as client:
        response = client.post("/v1/messages", json=BODY)
    server.shutdown()
    server.server_close()
    assert sent == [key] and response.json()["content"] == REPLY["content"]
    assert key not in f"{client.headers} {response.request.headers} {response.request.headers.raw}"


def test_roles_name_models_and_the_environment_overrides_them(monkeypatch):
    assert models.worker != models.supervisor
    monkeypatch.setenv("WORKSHOP_WORKER_MODEL", "llama3.2")
    assert models.worker == "llama3.2"
    with pytest.raises(AttributeError, match="the roles are worker, supervisor, planner, judge"):
        models.manager  # noqa: B018


def test_prices_are_known_for_every_role_and_unknown_is_not_zero():
    from kernel import Usage

    usage = Usage(input_tokens=1_000_000, output_tokens=1_000_000)
    assert [models.cost(model, usage) for model in (models.supervisor, models.judge)] == [12, 24]
    assert models.cost(models.worker, Usage(input_tokens=10_000, output_tokens=1000)) == Decimal(
        "0.0015"
    )
    assert models.cost("llama3.2", usage) is None


@on_each("model", sorted(set(models.ROLES.values())))
@on_each(
    "tokens",
    [
        (0, 0, 0, 0),
        (1, 1, 0, 0),
        (99_999, 500, 0, 0),
        (100_000, 500, 0, 0),
        (100_001, 500, 0, 0),
        (90_000, 7, 20_000, 0),
        (10, 3, 2_000, 99_000),
        (5_000_000, 9, 1, 1),
    ],
)
def test_a_price_is_what_the_price_table_says_below_and_above_each_tier(model, tokens):
    from genai_prices import Usage as Priced
    from genai_prices import calc_price

    from kernel import Usage

    fresh, out, written, read = tokens
    usage = Usage(
        input_tokens=fresh,
        output_tokens=out,
        cache_creation_input_tokens=written,
        cache_read_input_tokens=read,
    )
    theirs = calc_price(
        Priced(
            input_tokens=fresh + written + read,
            output_tokens=out,
            cache_write_tokens=written,
            cache_read_tokens=read,
        ),
        model_ref=model,
        provider_id="anthropic",
    ).total_price
    assert models.cost(model, usage) == theirs


def counted(**fields):
    from kernel import Usage

    return Usage.model_validate(fields)


def hour(count):
    return {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": count}


@on_each("model", sorted(set(models.ROLES.values())))
@on_each("tokens", [1_000, 150_000], ids=["", "above the tier"])
def test_writing_to_the_cache_costs_a_quarter_more_and_twice_as_much_for_an_hour(model, tokens):
    plain = models.cost(model, counted(input_tokens=tokens))
    written = counted(cache_creation_input_tokens=tokens)
    kept = counted(cache_creation_input_tokens=tokens, cache_creation=hour(tokens))
    both = counted(cache_creation_input_tokens=tokens, cache_creation=hour(tokens // 2))
    assert models.cost(model, written) == plain * Decimal("1.25")
    assert models.cost(model, kept) == plain * 2
    assert models.cost(model, both) == plain * Decimal("1.625")


@on_each("split", [None, [], "x", {}, hour(None), hour("9"), hour(-9), hour(10**9)])
def test_a_split_of_the_cache_that_makes_no_sense_never_costs_less_than_its_sum(split):
    usage = counted(cache_creation_input_tokens=1_000, cache_creation=split)
    least = models.cost(models.worker, counted(cache_creation_input_tokens=1_000))
    highest = models.cost(
        models.worker, counted(cache_creation_input_tokens=1_000, cache_creation=hour(1_000))
    )
    assert least <= models.cost(models.worker, usage) <= highest


def frames_of(error):
    """What the kernel's frames of an error and of its causes hold, as a debugger or a crash report would show it."""
    shown, held = traceback.TracebackException.from_exception(error, capture_locals=True), ""
    while shown:
        held += "".join(
            f"{frame.name}: {frame.locals}\n"
            for frame in shown.stack
            if Path(frame.filename).is_relative_to(ROOT / "kernel")
        )
        shown = shown.__cause__ or shown.__context__
    return held


@on_each(
    "answer", [(401, error("authentication_error")), httpx.ReadError("reset"), (200, b"<html>")]
)
def test_no_frame_of_an_error_holds_the_key(answer):
    with pytest.raises(ApiError) as caught:
        send(client_of(*[answer] * 3, api_key="sk-ant-very-secret"))
    held = frames_of(caught.value)
    assert "send:" in held and "very-secret" not in held


@pytest.mark.parametrize(
    ("name", "value"),
    [("ANTHROPIC_API_KEY", "sk-very\nsecret"), ("ANTHROPIC_BASE_URL", "ftp://no")],
)
def test_no_frame_of_a_refused_setting_holds_the_key(monkeypatch, name, value):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-very-secret")
    monkeypatch.setenv(name, value)
    with pytest.raises(SetupError) as caught:
        connect("live")
    held = frames_of(caught.value)
    assert "connect" in held and "sk-very" not in held


def test_a_plain_client_that_reaches_nobody_holds_no_key_in_its_error(monkeypatch):
    from workshop.plain import plain_http

    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-very-secret")
    with plain_http("live") as client, pytest.raises(httpx.ConnectError) as caught:
        client.post("/v1/messages", json=BODY)
    assert "x-api-key" not in caught.value.request.headers and caught.value.__context__ is None


@on_each(
    ("answer", "message"),
    [
        (httpx.ReadError(""), "ReadError (http"),
        ((400, {"error": {}}), "the server did not say why"),
        ((400, {"error": {"message": None}}), "the server did not say why"),
        ((400, b"[" * 100_000), "not the API's error format"),
    ],
)
def test_an_error_without_words_gets_some(answer, message):
    with pytest.raises(ApiError) as caught:
        send(client_of(*[answer] * 3))
    assert message in str(caught.value)


async def test_a_client_around_a_client_is_asked_whatever_was_replaced_on_the_inner_one():
    client = connect()
    sent = []
    original = client.send

    async def counted(request, *, on_retry=None):
        sent.append(request)
        return await original(request, on_retry=on_retry)

    client.send = counted
    wrapper = CountingClient(client)
    await wrapper.send({**BODY, "model": models.worker})
    assert (wrapper.sent, len(sent)) == (1, 1)


async def test_a_client_around_a_client_shares_its_ledger_and_its_settings():
    client = connect("offline", concurrency=2)
    wrapper = CountingClient(CountingClient(client))
    assert wrapper.ledger is client.ledger
    assert wrapper.slots is client.slots
    assert (wrapper.mode, wrapper.headers()) == (client.mode, client.headers())
    client.mode = "local"
    assert wrapper.mode == "local", "a later change holds, too"
    with pytest.raises(AttributeError, match="no_such_thing"):
        getattr(wrapper, "no_such_thing")  # noqa: B009
    with pytest.raises(TypeError, match="stays in its process"):
        copy.copy(wrapper)
