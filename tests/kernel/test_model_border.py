"""Facts about the model's border: what a model says comes back as the API takes it, whatever it is."""

from __future__ import annotations

import asyncio
import codecs
import copy
import json
import pickle
import re
import shlex
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from typing import Literal

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, RootModel

from kernel import (
    Agent,
    Budget,
    Client,
    Conversation,
    Corpus,
    DeterministicSupervisor,
    Handoff,
    LLMSupervisor,
    Reply,
    Result,
    Run,
    Trace,
    Verdict,
    models,
    tool,
)
from kernel.__main__ import main
from kernel.core.team import researcher
from kernel.parts.gates import FactGate, LengthGate
from kernel.parts.guards import CircuitBreaker
from kernel.parts.planning.findings import Findings, Synthesis
from kernel.plumbing.labels import label
from kernel.plumbing.untrusted import citations
from offline_model import OfflineTransport
from tests.on_each import on_each
from tests.scripted import Worker, call, no_sleep, requests_of, scripted
from tests.streams import stream_of

numbers = st.integers() | st.floats()
json_values = st.recursive(
    st.none() | st.booleans() | numbers | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=3)
    ),
    max_leaves=8,
)
words = st.text(st.sampled_from(" \n\ta.{}é"), max_size=4)
ids = st.sampled_from(["", "call.0", "call_0", "call_0_2", "é", "a" * 200]) | words
texts = st.builds(lambda text: {"type": "text", "text": text}, words)
thoughts = st.builds(
    lambda thinking, signature: {
        "type": "thinking",
        "thinking": thinking,
        "signature": signature,
    },
    words,
    words,
)
calls = st.builds(
    lambda id, name, input: {"type": "tool_use", "id": id, "name": name, "input": input},
    ids,
    st.sampled_from(["ok", "no such tool", ""]),
    json_values | st.builds(json.dumps, json_values) | st.just({"x": "1"}),
)
others = st.builds(lambda more: {"type": "server_tool_use", "more": more}, json_values)
stops = st.sampled_from(["tool_use", "end_turn", "pause_turn", "max_tokens", None])
replies = st.builds(
    lambda content, stop: {"content": content, "stop_reason": stop},
    st.lists(texts | thoughts | calls | others, max_size=5),
    stops,
)


@tool
def ok(x: str = "") -> str:
    """Gives x."""
    return f"ok {x}"


AGENT = Agent("worker", "d", "s", models.worker, tools=(ok,), max_turns=3)


def ran(client, agent=AGENT, **settings):
    run = Run(client, **settings)
    return asyncio.run(run.dispatch(agent, Handoff(intent="x"))), run


def said(reply):
    """The reply as it comes over the wire, where JSON is Python's own and so has NaN."""
    return Reply.model_validate_json(json.dumps(reply))


@given(st.lists(replies, min_size=1, max_size=3))
def test_after_any_reply_the_next_request_passes_the_strict_edge(many):
    client = scripted(*many, "one more", "and one more", "done")
    client.transport.respond, respond = _noting_refusals(client.transport)
    _, run = ran(client)
    assert not respond.refused
    for event, reply in zip((e for e in run.events if e.kind == "reply"), many, strict=False):
        original = said(reply).content
        assert repr(event.reply.content) == repr(original)  # NaN is not equal to itself


def _noting_refusals(transport):
    """A transport's `respond` that keeps what it refuses, and itself."""
    inner = transport.respond

    def respond(request, body):
        response = inner(request, body)
        if response.status != 200:
            respond.refused.append(response.body)
        return response

    respond.refused = []
    return respond, respond


@given(replies)
def test_a_reply_is_taken_back_in_order_with_thoughts_untouched_and_calls_of_its_own_ids(reply):
    reply = said(reply)
    content = reply.as_message()["content"]
    kept = [block["type"] for block in content]
    assert kept == [
        block.type for block in reply.content if block.type != "text" or block.text.strip()
    ]
    thoughts = [block.model_dump() for block in reply.content if block.type == "thinking"]
    assert thoughts == [block for block in content if block["type"] == "thinking"]
    sent = [block["id"] for block in content if block["type"] == "tool_use"]
    assert sent == [call.id for call in reply.tool_calls] and len(sent) == len(set(sent))


def test_the_arguments_that_a_server_gives_as_text_are_read():
    given_as_text = {"type": "tool_use", "id": "t", "name": "ok", "input": '{"x": "1"}'}
    result, run = ran(scripted([given_as_text], "done"))
    assert result.ok and [e.content for e in run.events if e.kind == "tool_result"] == ["ok 1"]


def test_a_model_is_told_that_its_arguments_are_no_object():
    client = scripted([{"type": "tool_use", "id": "t", "name": "ok", "input": [1]}], "done")
    result, _ = ran(client)
    (answer,) = requests_of(client)[1]["messages"][-1]["content"]
    assert result.ok and answer["is_error"] and "given [1]" in answer["content"]


# ── an error at any status ────────────────────────────────────────────────────────────────────────

MAY_PASS = ("rate_limit_error", "api_error", "timeout_error", "overloaded_error", "conflict_error")
FINAL = ("invalid_request_error", "authentication_error", "billing_error", "not_found_error")


def served(status, content, **headers):
    """A client of a server that always answers so, with a key: what is sent may be billed."""
    asked = []

    def answer(request):
        asked.append(request)
        return httpx.Response(status, content=content, headers=headers)

    client = Client(httpx.MockTransport(answer), sleep=no_sleep, api_key="k", max_usd="0.01")
    return client, asked


def as_event(error, name="error"):
    return b': a comment\n\nevent: ping\ndata: {"type": "ping"}\n\nevent: %s\ndata: %s\n\n' % (
        name.encode(),
        json.dumps(error).encode(),
    )


@given(
    st.sampled_from([200, 202, 400, 404, 429, 500, 529]),
    st.sampled_from(MAY_PASS + FINAL),
    st.booleans(),
)
def test_an_error_is_that_error_by_its_type_at_any_status(status, kind, streamed):
    error = {"type": "error", "error": {"type": kind, "message": "Why"}}
    client, asked = served(status, as_event(error) if streamed else json.dumps(error).encode())
    result, run = ran(client, budget=Budget(usd="0.01"))
    assert f"{kind}: Why" in result.reason and result.transient == (kind in MAY_PASS)
    assert len(asked) == (3 if kind in MAY_PASS else 1)
    assert run.spent.cost == client.billed.spent.cost == 0


def test_another_dialects_error_under_200_is_the_error_that_its_code_names():
    client, asked = served(200, b'{"error": {"message": "no such model", "code": 404}}')
    result, run = ran(client)
    assert "not_found_error: no such model" in result.reason and run.spent.cost == 0
    assert len(asked) == 1


@on_each("content_type", ["text/event-stream", "application/json"])
def test_a_server_that_streams_unasked_is_read_all_the_same(content_type):
    client, asked = served(200, b"".join(stream_of("Hello.")), **{"content-type": content_type})
    result, run = ran(client)
    assert result.output == "Hello." and len(asked) == 1


# ── what is said, and what is sent ────────────────────────────────────────────────────────────────


def test_the_texts_of_a_reply_are_parts_of_one_text():
    reply = said({"content": [{"type": "text", "text": t} for t in ("The answer is", " 42.")]})
    assert reply.text == "The answer is 42."


def test_a_conversation_says_what_is_sent_whatever_is_done_to_its_messages():
    message = {"role": "user", "content": "Hello"}
    conversation = Conversation([message])
    message["content"] = conversation[0]["content"] = conversation[:1][0]["content"] = "Goodbye"
    for each in conversation:
        each["content"] = "Goodbye"
    assert json.loads(conversation.encode()) == [*conversation]
    assert [*conversation] == [{"role": "user", "content": "Hello"}]


# ── what no service can fill ──────────────────────────────────────────────────────────────────────


class Node(BaseModel):
    name: str
    children: list[Node] = []


class One(BaseModel):
    node: Node | None = None


class Scored(BaseModel):
    scores: dict[str, int]


class Marks(BaseModel):
    parts: list[Scored | None]


class Keyed(BaseModel):
    by_key: dict[Literal["a", "b"], int]


class Anything(BaseModel):
    pair: tuple[dict, int]


class Callback(BaseModel):
    call: Callable[[], int]


@on_each(
    ("output", "words"),
    [
        (Scored, "scores: an object of unknown keys cannot be asked for; use a list"),
        (Marks, "parts.scores: an object of unknown keys"),
        (Keyed, "by_key: an object of unknown keys"),
        (Anything, "pair: an object of unknown keys"),
        (RootModel[dict[str, int]], "the answer itself: an object of unknown keys"),
        (Node, "children: a Node in a Node cannot be asked for"),
        (One, "node.children: a Node in a Node"),
        (Callback, "the output Callback: "),
    ],
)
def test_an_output_that_no_service_can_fill_is_refused_when_the_agent_is_made(output, words):
    with pytest.raises(ValueError, match=f"worker: .*{re.escape(words)}"):
        replace(AGENT, output=output)


def test_an_output_that_is_open_beside_its_fields_or_has_none_is_taken():
    class Open(BaseModel, extra="allow"):
        name: str

    class Empty(BaseModel):
        pass

    class Twice(BaseModel):
        one: Empty
        other: Empty

    for output in (Open, Empty, Twice, Verdict, Synthesis, Findings):
        assert replace(AGENT, output=output).request["output_config"]


@given(st.integers(max_value=-1))
def test_limits_below_nothing_are_refused(limit):
    for make in (
        lambda: replace(AGENT, max_turns=limit),
        lambda: replace(AGENT, max_tokens=limit),
        lambda: DeterministicSupervisor(AGENT, AGENT, AGENT, max_revisions=limit),
        lambda: LLMSupervisor((AGENT,), max_turns=limit),
        lambda: LengthGate(limit),
    ):
        with pytest.raises(ValueError, match=f"is {limit}; expected at least"):
            make()


# ── tools, names, handoffs ────────────────────────────────────────────────────────────────────────


def test_a_tool_that_asks_oddly_for_its_run_is_refused():
    with pytest.raises(TypeError, match="always gets its run: write run: Run"):

        @tool
        def perhaps(text: str, run: Run | None = None) -> str:
            """Says something."""

    with pytest.raises(TypeError, match="asks for the run twice, as 'run' and 'again'"):

        @tool
        def twice(run: Run, again: Run) -> str:
            """Says something."""


@given(st.text(min_size=1, max_size=80))
def test_a_model_is_offered_each_specialist_under_the_name_that_it_has_in_the_run(name):
    worker = Worker(name)
    handoff = call("handoff_to_" + label(name), intent="go")
    result, run = ran(scripted(handoff, call("finalize", output="end")), LLMSupervisor((worker,)))
    assert result.ok and len(worker.seen) == 1
    assert run.events[-1].kind == "return"


def test_what_was_handed_over_does_not_change():
    handoff = Handoff(intent="x", artifacts={"facts": "true"})
    handoff.artifacts["task"] = handoff.artifacts["facts"] = "evil"
    assert handoff.artifacts == {"facts": "true"} and "evil" not in handoff.as_text()
    assert pickle.loads(pickle.dumps(handoff)) == handoff == copy.deepcopy(handoff)
    assert handoff.model_dump()["artifacts"] == handoff.artifacts


# ── citations ─────────────────────────────────────────────────────────────────────────────────────

sources = st.from_regex(r"[\w-]{1,9}", fullmatch=True)


@given(st.lists(sources, min_size=1, unique=True), st.sampled_from([", ", ",", "; ", "|", "] ["]))
def test_a_citation_of_several_sources_cites_each(ids, between):
    assert citations(f"A fact [{between.join(ids)}].") == ids


def test_words_in_brackets_and_links_cite_nothing():
    assert citations("See [the page](https://x.org), [not a source], [a](b) and [].") == []


# ── small ones ────────────────────────────────────────────────────────────────────────────────────


def test_a_group_that_the_draft_does_not_say_claims_nothing(tmp_path):
    database = tmp_path / "facts.db"
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE TABLE price (name, amount)")
        connection.execute("INSERT INTO price VALUES ('tea', 3)")
        connection.commit()
    gate = FactGate(
        database,
        {
            r"(tea|milk)( \w+)? costs(?: (\d+))?": "SELECT amount FROM price WHERE name = ? AND ? IS NULL"
        },
    )

    def issues(draft):
        return asyncio.run(gate.check(draft, Handoff(intent="x"), None))

    assert issues("tea costs much. tea costs 3.") == []
    assert len(issues("tea costs 4. milk costs 1.")) == 2


@given(st.floats(min_value=0, max_value=1e9))
def test_a_clock_that_goes_back_makes_no_wait_of_a_breaker_longer(back):
    now = [1e9]
    breaker = CircuitBreaker(
        Worker(work=Result(status="failed")), failures=1, cooldown_s=30, clock=lambda: now[0]
    )
    asyncio.run(Run(scripted()).dispatch(breaker, Handoff(intent="x")))
    now[0] -= back
    refused = asyncio.run(Run(scripted()).dispatch(breaker, Handoff(intent="x")))
    assert "next trial in 30 s" in refused.reason


def test_a_log_may_hold_blank_lines_and_be_joined_and_marked(tmp_path):
    _, run = ran(scripted("done"))
    path = tmp_path / "log"
    run.trace().save(path)
    log = path.read_bytes()
    path.write_bytes(codecs.BOM_UTF8 + log + b"\n \r\n" + codecs.BOM_UTF8 + log + b"\n")
    assert len(Trace.load(path).events) == 2 * len(run.events)


def test_commands_in_messages_can_be_typed(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["Qdrant", "--record", "my run"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert shlex.split(last.partition("python ")[2])[-1] == "my run"
    (tmp_path / "no journal").write_text("x" * 99)
    assert main(["replay", "no journal"]) == 2
    shown = capsys.readouterr().err
    assert "no journal" in shown and tempfile.gettempdir() not in shown
    assert main(["Qdrant", "--record", ""]) == 2


@given(st.dictionaries(st.sampled_from(["query", "id", "x"]), json_values))
def test_the_offline_model_reads_any_input_of_a_call(input):
    offline = OfflineTransport()
    agent = researcher(Corpus())
    ask = {"role": "user", "content": "Find facts on pgvector"}
    used = {"type": "tool_use", "id": "t", "name": "search", "input": input}
    answered = {"type": "tool_result", "tool_use_id": "t", "content": "[a] A\nfact"}
    messages = [
        ask,
        {"role": "assistant", "content": [used]},
        {"role": "user", "content": [answered]},
    ]
    body = json.loads(json.dumps({**agent.request, "messages": messages}).replace("NaN", "null"))
    body = json.loads(json.dumps(body).replace("-Infinity", "0").replace("Infinity", "0"))
    assert asyncio.run(Client(offline).send(body)).content
