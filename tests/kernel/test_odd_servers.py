"""Facts about servers that misbehave: odd charsets, keys that come back, endless and packed replies, odd waits."""

from __future__ import annotations

import asyncio
import gzip
import traceback

import httpx
import pytest

from kernel import Agent, ApiError, Budget, Client, Handoff, Run, SetupError, connect, models
from kernel.core.wire import Request
from kernel.plumbing import client as client_module
from tests.on_each import on_each

KEY = "sk-ant-0123456789abcdefghij"
BODY = {"model": "m", "max_tokens": 10, "messages": [{"role": "user", "content": "hi"}]}
AGENT = Agent("a", "d", "s", models.worker)
REPLY = {
    "content": [{"type": "text", "text": "hi"}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 3, "output_tokens": 1},
}


def client_of(answer, **settings):
    """A client of a server that always gives this answer, or raises it."""

    def serve(request):
        if isinstance(answer, Exception):
            raise answer
        return answer

    return Client(httpx.MockTransport(serve), **{"api_key": KEY, "retries": 0, **settings})


def dispatched(client):
    run = Run(client)
    result = asyncio.run(run.dispatch(AGENT, Handoff(intent="x")))
    return result, run


def error_of(client):
    with pytest.raises(ApiError) as caught:
        asyncio.run(client.send(BODY))
    return caught.value


# ── words that cannot be read ──────────────────────────────────────────────────────────────────────────────


@on_each("status", [200, 404, 500])
@on_each("charset", ["utf-16", "zlib", "hex", "rot13", "undefined", "idna", "no such"])
def test_a_page_in_an_odd_charset_ends_as_a_result(status, charset):
    headers = {"content-type": f"text/html; charset={charset}"}
    page = httpx.Response(status, content=b"<p>no \xff\xfe", headers=headers)
    result, run = dispatched(client_of(page))
    assert result.status == "failed" and "<p>no" in result.reason
    assert run.events[-1].kind == "return"


@on_each("body", [b"[" * 100_000, b"\xff\xfe", b'{"error": 3}', b'{"error": null}', b"[]", b""])
def test_an_error_page_of_any_kind_is_an_error_with_its_status(body):
    error = error_of(client_of(httpx.Response(404, content=body)))
    assert (error.status, error.type) == (404, "not_found_error")


def test_what_a_server_says_went_wrong_is_kept_up_to_a_bound():
    answer = httpx.Response(400, json={"error": {"type": "x" * 9_000, "message": "y" * 90_000}})
    error = error_of(client_of(answer))
    assert len(error.message) == len(error.type) == client_module.MAX_MESSAGE


# ── the key comes back ─────────────────────────────────────────────────────────────────────────────────────


def pages():
    for before in range(60, 130, 7):
        yield httpx.Response(502, content=b"<html>" + b"." * before + b"x-api-key: " + KEY.encode())
        yield httpx.Response(200, content=b"." * before + KEY.encode())
    yield httpx.Response(400, json={"error": {"type": KEY, "message": KEY}, "request_id": KEY})
    yield httpx.Response(400, json={"error": "no"}, headers={"request-id": KEY})
    yield httpx.Response(400, json={"error": {"message": "no"}, "request_id": {"key": KEY}})
    yield httpx.Response(200, content=b"x", headers={"content-type": f"text/{KEY}"})
    yield httpx.Response(200, content=b"x", headers={"content-encoding": KEY})
    yield httpx.Response(500, content=KEY.encode("utf-16"))
    yield httpx.Response(200, json={**REPLY, "more": {"x-api-key": KEY}, "id": KEY})
    yield httpx.Response(
        200, json={**REPLY, "content": [{"type": "text", "text": f"your key: {KEY}"}]}
    )
    yield httpx.Response(200, json=REPLY, headers={"offline-understood": f'{{"read_as": "{KEY}"}}'})
    yield httpx.ConnectError(f"cannot send {KEY!r}")


@pytest.mark.parametrize("answer", list(pages()))
def test_no_part_of_the_key_is_in_a_result_an_event_a_log_or_an_error(tmp_path, answer):
    result, run = dispatched(client_of(answer))
    run.trace().save(tmp_path / "run.jsonl")
    log = (tmp_path / "run.jsonl").read_text(encoding="utf-8")
    for text in (str(result), str(run.events), log, log.replace("\\u0000", "")):
        assert KEY[:14] not in text, text


def test_a_key_that_a_library_quotes_is_replaced_too():
    odd = "sk-ant-\\backslash-and-blank "
    client = client_of(httpx.LocalProtocolError(f"illegal value {odd.encode()!r}"), api_key=odd)
    assert "backslash" not in str(error_of(client))


def test_nothing_leads_from_an_error_back_to_the_raw_reply_or_to_the_key():
    error = error_of(client_of(httpx.Response(200, content=KEY.encode() + b" is no reply")))
    assert error.__context__ is error.__cause__ is None


def test_no_frame_of_a_transports_own_bug_holds_the_key():
    with pytest.raises(RuntimeError) as caught:
        asyncio.run(client_of(RuntimeError("a bug")).send(BODY))
    frames = frames_of(caught.value)
    assert not any(KEY in str(frame.locals) for frame in frames)
    assert not any("request" in (frame.locals or {}) and frame.name == "serve" for frame in frames)


def test_no_frame_behind_a_transports_own_bug_holds_the_key():
    class Transport(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request):
            try:
                raise KeyError(dict(request.headers) and "inner")
            except KeyError:
                raise RuntimeError("a bug")  # noqa: B904  # the chain is what is tested

    with pytest.raises(RuntimeError) as caught:
        asyncio.run(Client(Transport(), api_key=KEY).send(BODY))
    behind = caught.value.__context__
    assert isinstance(behind, KeyError) and not list(frames_of(behind))


def frames_of(error):
    return traceback.StackSummary.extract(
        traceback.walk_tb(error.__traceback__), capture_locals=True
    )


def test_a_made_up_key_is_no_secret_and_garbles_no_reply():
    client = client_of(httpx.Response(200, json=REPLY), api_key="hi")
    assert asyncio.run(client.send(BODY)).text == "hi"


# ── size, packing, speed ───────────────────────────────────────────────────────────────────────────────────


class Stream(httpx.AsyncByteStream):
    def __init__(self, chunks):
        self.chunks = chunks
        self.given = 0

    async def __aiter__(self):
        for chunk in self.chunks:
            self.given += len(chunk)
            yield chunk


def streamed(stream, status=200, **headers):
    class Transport(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request):
            return httpx.Response(status, stream=stream, headers=headers)

    return Client(Transport(), retries=0)


def test_a_reply_without_end_is_not_read_to_its_end(monkeypatch):
    monkeypatch.setattr(client_module, "MAX_REPLY_BYTES", 1_000_000)
    stream = Stream(b" " * 100_000 for _ in range(1_000))
    error = error_of(streamed(stream))
    assert (error.type, error.billable, error.status) == ("invalid_reply", True, 200)
    assert "longer than 1,000,000 bytes" in str(error) and stream.given <= 1_100_000


@on_each("status", [200, 503])
def test_a_packed_reply_is_refused_unread(status):
    stream = Stream([gzip.compress(b" " * 1_000_000)])
    error = error_of(streamed(stream, status, **{"content-encoding": "gzip"}))
    assert "packed its reply (gzip)" in str(error) and stream.given == 0
    assert (error.status, error.retryable) == (status, status == 503)


def test_no_server_is_asked_to_pack_its_reply():
    assert (
        Client(httpx.MockTransport(lambda request: None)).headers()["accept-encoding"] == "identity"
    )


def test_a_reply_that_drips_ends_as_a_time_out(monkeypatch):
    clock = iter(range(0, 10_000, 300))
    monkeypatch.setattr(client_module.time, "monotonic", lambda: next(clock))
    error = error_of(streamed(Stream([b"x"] * 20)))
    assert error.type == "timeout_error" and error.retryable


# ── waits ──────────────────────────────────────────────────────────────────────────────────────────────────


@on_each("asked", ["86400", "61", "1e300"])
def test_a_server_that_asks_for_a_long_wait_gets_no_second_try(asked):
    waits = []

    async def sleep(seconds):
        waits.append(seconds)

    answer = httpx.Response(
        429, json={"error": {"message": "later"}}, headers={"retry-after": asked}
    )
    error = error_of(client_of(answer, retries=2, sleep=sleep))
    assert waits == [] and error.retry_after_s == float(asked)


@on_each(
    "asked",
    [
        "1 Jan 99999999999999999999 00:00:00 GMT",
        "Mon, 99 Foo 2026",
        "nan",
        "-1",
        "",
        b"\xff",
        "inf",
    ],
)
def test_an_odd_wait_is_no_wait(asked):
    waits = []

    async def sleep(seconds):
        waits.append(seconds)

    answer = httpx.Response(529, json={"error": {"message": "x"}}, headers={"retry-after": asked})
    error_of(client_of(answer, retries=2, sleep=sleep, jitter=lambda: 0.0))
    assert waits == [0.5, 1.0]


# ── the account of the offline model ───────────────────────────────────────────────────────────────────────


def test_what_the_offline_model_read_comes_with_the_reply_and_stays_in_the_log(tmp_path):
    run = Run(connect())
    asyncio.run(run.dispatch(AGENT, Handoff(intent="Write a haiku")))
    run.trace().save(tmp_path / "run.jsonl")
    (replied,) = [
        event for event in run.trace().load(tmp_path / "run.jsonl").events if event.kind == "reply"
    ]
    assert replied.reply.account and replied.reply.understood.startswith("read as: ")
    assert "account" not in replied.reply.as_message()


@on_each("header", ["", "no json", "[1]", "3", "[" * 100_000])
def test_an_odd_account_is_none(header):
    answer = httpx.Response(200, json=REPLY, headers={"offline-understood": header})
    reply = asyncio.run(client_of(answer).send(BODY))
    assert reply.account is None and reply.understood == ""


@on_each("account", ["text", {"read_as": "writer"}, 3])
def test_a_body_cannot_bring_an_account(account):
    answer = httpx.Response(200, json={**REPLY, "account": account})
    assert asyncio.run(client_of(answer).send(BODY)).account is None


# ── whom the key goes to ───────────────────────────────────────────────────────────────────────────────────


def test_a_local_server_never_gets_the_key_of_the_service(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://classroom:11434")
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.delenv("ANTHROPIC_AUTH_TOKEN", raising=False)
    assert KEY not in str(connect("local").headers())
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "of-the-classroom")
    assert connect("local").headers()["authorization"] == "Bearer of-the-classroom"
    monkeypatch.delenv("ANTHROPIC_AUTH_TOKEN")
    assert connect("live").headers()["x-api-key"] == KEY


def test_a_model_that_is_none_is_refused_before_anything_else():
    with pytest.raises(SetupError, match="the model is 'moon'"):
        connect("moon")


# ── prices and requests ────────────────────────────────────────────────────────────────────────────────────


def test_a_model_without_a_price_for_the_cache_bills_it_as_input():
    from kernel import Usage

    plain = models.cost("claude-2", Usage(input_tokens=1_000))
    assert plain == models.cost("claude-2", Usage(cache_read_input_tokens=1_000))
    assert plain == models.cost("claude-2", Usage(cache_creation_input_tokens=1_000))


def test_a_request_is_encoded_once_and_another_length_of_answer_makes_another_request():
    request = Request(BODY)
    shorter = request.with_max_tokens(5)
    assert (request.max_tokens, shorter.max_tokens, shorter.model) == (10, 5, "m")
    assert b'"max_tokens":5' in shorter.content and b'"max_tokens":10' in request.content
    with pytest.raises(AttributeError):
        request.body = {}


def test_a_cap_of_calls_counts_a_request_that_was_turned_away_and_sent_again_once():
    answers = [httpx.Response(429, json={}), httpx.Response(200, json=REPLY)]
    client = Client(httpx.MockTransport(lambda request: answers.pop(0)), sleep=_no_sleep)
    run = Run(client, budget=Budget(calls=1))
    asyncio.run(run.ask(**BODY))
    assert run.spent.calls == 1 and not answers


async def _no_sleep(seconds):
    await asyncio.sleep(0)
