"""Facts about streams: the same reply as without one, words for whoever listens, and what is left when one breaks."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
from dataclasses import replace

import anthropic
import httpx
import httpx2
from hypothesis import given
from hypothesis import strategies as st

from kernel import (
    Agent,
    Budget,
    DeterministicSupervisor,
    Handoff,
    LLMSupervisor,
    Reply,
    Run,
    connect,
    models,
    specialists,
)
from kernel.core.budget import NOTHING
from kernel.core.events import Replied, Retried, Returned
from kernel.parts.journal.journal import Journal
from kernel.parts.journal.recording import kept
from kernel.plumbing import stream
from kernel.plumbing.stream import StreamedReply
from kernel.testing import CountingClient
from tests.on_each import on_each
from tests.streams import stream_of, streaming

ASK = {"model": models.worker, "messages": [{"role": "user", "content": "hi"}]}
TEXT = "Once upon a time there was a supervisor."
WHOLE = stream_of(TEXT)
MIDDLE = 6
"""Events of `WHOLE` after which some words, and not all, have come."""
CUT = httpx.RemoteProtocolError("peer closed connection")
WRITER = Agent("writer", "Writes.", "Write.", models.worker)


def event(kind, **fields):
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()


def words_in(events):
    """The text of these events."""
    reply = StreamedReply()
    reply.read(b"".join(events))
    return reply.text.strip()


SO_FAR = words_in(WHOLE[:MIDDLE])

# ── the same reply ────────────────────────────────────────────────────────────────────────────────

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | texts, st.lists, max_leaves=4
)
blocks = st.one_of(
    texts.map(lambda text: {"type": "text", "text": text}),
    texts.map(lambda text: {"type": "thinking", "thinking": text, "signature": "c2ln"}),
    st.dictionaries(texts, values, max_size=3).map(
        lambda given: {"type": "tool_use", "id": "toolu_1", "name": "add", "input": given}
    ),
)
others = st.sampled_from(
    [
        event("ping"),
        b": a comment\n\n",
        event("something_new", index=3, delta={"type": "text_delta", "text": "no"}),
        event("message_delta", delta={"stop_reason": None}, usage={"output_tokens": 5}),
        event("content_block_delta", index=0, delta={"type": "new_delta", "text": "no"}),
    ]
)


@st.composite
def streams(draw):
    """The events of any reply, with others between them."""
    content = draw(st.lists(blocks, min_size=1, max_size=4))
    whole = stream_of(*content, stop_reason=draw(st.sampled_from(["end_turn", "tool_use"])))
    first = 1 + next(i for i, each in enumerate(whole) if b"content_block_start" in each)
    between = {draw(st.integers(first, len(whole) - 3)): draw(others) for _ in range(3)}
    return [part for i, each in enumerate(whole) for part in (each, between.get(i, b"")) if part]


def without_nulls(value):
    if isinstance(value, dict):
        return {name: without_nulls(each) for name, each in value.items() if each is not None}
    return [without_nulls(each) for each in value] if isinstance(value, list) else value


def by_the_sdk(body):
    """The message that the official SDK makes of a stream."""

    def answer(request):
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=body)

    client = anthropic.Anthropic(
        api_key="key", http_client=httpx2.Client(transport=httpx2.MockTransport(answer))
    )
    with client.messages.stream(max_tokens=9, **ASK) as stream:
        return stream.get_final_message().to_dict(mode="json")


@given(streams(), st.lists(st.integers(0, 2_000), max_size=20), st.booleans())
def test_a_stream_cut_anywhere_is_the_message_of_the_official_sdk(events, cuts, crlf):
    body = b"".join(events)
    if crlf:
        body = body.replace(b"\n", b"\r\n")
    ends = sorted({0, len(body), *(cut % len(body) for cut in cuts)})
    reply = StreamedReply()
    for begin, end in itertools.pairwise(ends):
        reply.read(body[begin:end])
    ours = Reply.model_validate_json(reply.as_json())
    theirs = Reply.model_validate(without_nulls(by_the_sdk(body)))
    assert without_nulls(ours.model_dump()) == without_nulls(theirs.model_dump())
    assert reply.is_whole and reply.usage == ours.usage


class Seen(httpx.AsyncBaseTransport):
    """A transport around a transport: it notes what is sent."""

    def __init__(self, inner):
        self.inner = inner
        self.bodies = []

    async def handle_async_request(self, request):
        self.bodies.append(await request.aread())
        return await self.inner.handle_async_request(request)


@contextlib.contextmanager
def journalled(client, file):
    with Journal(file) as journal:
        yield journal.around(client)


AROUND = {
    "nothing": lambda client, file: contextlib.nullcontext(client),
    "a count": lambda client, file: contextlib.nullcontext(CountingClient(client)),
    "a journal": journalled,
    "a recording": lambda client, file: kept(file, client, "a brief", "deterministic"),
}


def told(run):
    """The events of a run, but for times."""
    return [
        replace(each, at=0, **({"seconds": 0} if isinstance(each, Replied) else {}))
        for each in run.events
    ]


@on_each("by_a_model", [False, True])
@on_each("around", AROUND)
async def test_a_streamed_run_records_what_an_unstreamed_one_does(by_a_model, around, tmp_path):
    runs = []
    for listens in (False, True):
        plain = connect("offline", pace_ms=0)
        plain.transport = Seen(plain.transport)
        team = (
            LLMSupervisor(specialists()) if by_a_model else DeterministicSupervisor(*specialists())
        )
        with AROUND[around](plain, tmp_path / f"{by_a_model}-{around}-{listens}") as client:
            run = Run(client)
            with run.listen() if listens else contextlib.nullcontext():
                await run.dispatch(team, Handoff(intent="Write a brief on pgvector"))
        assert not run.tree.speeches
        streamed = {b'"stream":true' in body for body in plain.transport.bodies}
        assert streamed == {listens}
        runs.append(run)
    assert told(runs[0]) == told(runs[1]) and runs[0].spent == runs[1].spent


async def test_what_was_streamed_is_resumed_without_a_request(tmp_path):
    for client in (streaming(WHOLE), streaming()):
        with Journal(tmp_path / "journal") as journal:
            run = Run(journal.around(client))
            with run.listen():
                assert (await run.dispatch(WRITER, Handoff(intent="x"))).output == TEXT


async def test_a_long_answer_is_a_stream_whoever_listens():
    client = streaming(WHOLE)
    reply = await Run(client).ask(**ASK, max_tokens=30_000)
    assert reply.text == TEXT and json.loads(client.transport.bodies[0])["stream"] is True


# ── words for whoever listens ─────────────────────────────────────────────────────────────────────


async def test_all_who_speak_at_once_are_heard_each_by_name():
    heard = []

    async def look():
        heard.append([(speech.agent, speech.text) for speech in speeches])

    half = (*WHOLE[:MIDDLE], lambda: barrier.wait(), look, *WHOLE[MIDDLE:])
    barrier = asyncio.Barrier(2)
    run = Run(streaming(half, half))
    with run.listen() as speeches:
        await run.fan_out([(WRITER, Handoff(intent=each)) for each in ("x", "y")])
    assert heard[0] == [("writer", SO_FAR)] * 2 and not speeches


async def test_words_of_a_try_that_broke_are_not_heard_beside_those_of_the_next():
    heard = []

    async def look():
        heard.append(speeches[0].text)

    broken = (*WHOLE[:MIDDLE], look, CUT)
    looked_at = [part for each in stream_of("Twice told.") for part in (each, look)]
    run = Run(streaming(broken, looked_at))
    with run.listen() as speeches:
        result = await run.dispatch(WRITER, Handoff(intent="x"))
    assert result.output == "Twice told." and heard[0] == SO_FAR
    assert all("Twice told.".startswith(text) for text in heard[1:])
    assert [each.type for each in run.events if isinstance(each, Retried)] == ["connection_error"]


async def test_a_reply_without_a_word_is_said_to_be_waited_for(monkeypatch):
    statuses = []

    async def look():
        statuses.append(speeches[0].status)

    async def wait():
        monkeypatch.setattr(stream, "LONG_WAIT_S", 0.0)

    run = Run(streaming((look, wait, look, *WHOLE[:MIDDLE], look, *WHOLE[MIDDLE:])))
    with run.listen() as speeches:
        await run.ask(**ASK)
    assert statuses == ["", "(waiting for a reply, 0 s)", SO_FAR]


async def test_nobody_waits_for_a_reader_that_does_not_look():
    run = Run(streaming(WHOLE, WHOLE))
    with run.listen() as speeches:
        for _ in range(2):
            await run.ask(**ASK)
    assert not speeches


async def test_a_key_that_comes_back_in_pieces_is_neither_shown_nor_kept():
    key = "sk-ant-0123456789abcdefghij"
    heard = []

    async def look():
        heard.append(speeches[0].text)

    pieces = [
        event("content_block_delta", index=0, delta={"type": "text_delta", "text": each})
        for each in (key[:5], key[5:15], key[15:22], key[22:])
    ]
    echo = [*stream_of("")[:3], *(part for each in pieces for part in (each, look)), CUT]
    run = Run(streaming(echo, api_key=key, retries=0))
    with run.listen() as speeches:
        result = await run.dispatch(WRITER, Handoff(intent="x"))
    assert heard == ["sk-an", "[key]", "[key]", "[key]"] and result.output == "[key]"


# ── a stream that ends early ──────────────────────────────────────────────────────────────────────


def error_event(kind):
    return event("error", error={"type": kind, "message": "Why"})


@on_each(
    ("end", "kind", "tries"),
    [
        ((), "connection_error", 3),
        ((CUT,), "connection_error", 3),
        ((httpx.ReadTimeout("stalled"),), "timeout_error", 3),
        ((error_event("overloaded_error"),), "overloaded_error", 3),
        ((error_event("invalid_request_error"),), "invalid_request_error", 1),
        (
            (event("content_block_delta", index=7, delta={"type": "text_delta"}),),
            "invalid_reply",
            1,
        ),
        ((WHOLE[2],), "invalid_reply", 1),
    ],
)
async def test_a_stream_that_breaks_is_an_error_like_any_other(end, kind, tries):
    client = streaming(*[(*WHOLE[:MIDDLE], *end)] * 3)
    run = Run(client)
    with run.listen():
        result = await run.dispatch(WRITER, Handoff(intent="x"))
    assert (result.status, result.output) == ("failed", SO_FAR) and kind in result.reason
    assert len(client.transport.bodies) == run.spent.calls == tries
    assert run.spent.output_tokens == tries * WRITER.max_tokens and run.ledger.reserved == NOTHING


@on_each("last", [-1, -2, -3])
async def test_a_reply_of_which_only_the_end_is_missing_is_whole_from_its_bill_on(last):
    run = Run(streaming((*WHOLE[:last], CUT), stream_of("again")))
    with run.listen():
        reply = await run.ask(**ASK)
    assert reply.text == (TEXT if last == -1 else "again")


async def hang():
    await asyncio.Event().wait()


@on_each("events", [MIDDLE, len(WHOLE) - 1], ids=["words", "the bill"])
@on_each("ended_by", ["cancel", "deadline of the run", "deadline of the work"])
async def test_whatever_ends_a_stream_the_words_so_far_stay_and_the_bill_is_the_last_one(
    events, ended_by
):
    limit = Budget(seconds=0.05) if "deadline" in ended_by else None
    of_run, of_work = (limit, None) if "run" in ended_by else (None, limit)
    run = Run(streaming((*WHOLE[:events], hang)), budget=of_run)
    with run.listen() as speeches:
        work = asyncio.ensure_future(run.dispatch(WRITER, Handoff(intent="x"), budget=of_work))
        while not (speeches and speeches[0].text):
            await asyncio.sleep(0)
        if ended_by == "cancel":
            for _ in range(20):
                await asyncio.sleep(0)
            work.cancel()
        await asyncio.gather(work, return_exceptions=True)
    (result,) = (each.result for each in run.events if isinstance(each, Returned))
    assert result.status == ("cancelled" if ended_by == "cancel" else "exhausted")
    assert result.output == (SO_FAR if events == MIDDLE else TEXT)
    billed = 70 if events > MIDDLE else WRITER.max_tokens
    assert run.spent.output_tokens == billed and run.ledger.reserved == NOTHING


async def test_streams_at_once_keep_within_a_budget():
    budget = Budget(calls=3)
    run = Run(streaming(*[WHOLE] * 8), budget=budget)
    with run.listen():
        results = await run.fan_out([(WRITER, Handoff(intent=str(n))) for n in range(8)])
    assert [each.output for each in results if each.ok] == [TEXT] * 3
    assert (run.spent.calls, run.spent.tokens) == (3, 300)
