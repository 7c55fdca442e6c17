"""The offline API: what it refuses, what it answers, how it fails, and that it does the same every time."""

from __future__ import annotations

import asyncio
import errno
import http.client
import json
import re
import socket
import subprocess
import sys

import httpx
import pytest

from offline_model import (
    Account,
    Answer,
    Faults,
    OfflineAPI,
    OfflineTransport,
    Script,
    Server,
    Temperament,
    estimate_tokens,
)
from tests.on_each import on_each

HEADERS = {"anthropic-version": "2026-10-21"}
HAIKU, SONNET, OPUS = "claude-haiku-5-5", "claude-sonnet-5-5", "claude-opus-5-5"
SEARCH = {
    "name": "search",
    "description": "Search.",
    "input_schema": {
        "type": "object",
        "properties": {"query": {"type": "string"}},
        "required": ["query"],
    },
}
TEXT = {"type": "text", "text": "Tea was first taxed in 1660, and the tax was lifted in 1964."}
USE = {"type": "tool_use", "name": "search", "input": {"query": "tea tax"}}


def ask(text="When was tea taxed?", **changes):
    request = {
        "model": HAIKU,
        "max_tokens": 1000,
        "messages": [{"role": "user", "content": text}],
        **changes,
    }
    return {name: value for name, value in request.items() if value is not None}


def api(*content, thinking="Because.", **settings):
    return OfflineAPI(
        answer=lambda request, temperament: Answer(content or (TEXT,), thinking), **settings
    )


def post(server, request, path="/v1/messages", headers=HEADERS):
    return server.handle("POST", path, headers, json.dumps(request).encode())


def send(server, request, **where):
    response = post(server, request, **where)
    return response.status, json.loads(response.body)


def refusal(request, server=None, **where):
    status, body = send(server or api(), request, **where)
    assert body["type"] == "error" and body["request_id"].startswith("req_"), body
    return status, body["error"]["type"], body["error"]["message"]


def say(request, *content, **settings):
    status, body = send(api(*content, **settings), request)
    assert status == 200, body
    return body


def kinds(reply):
    return [block["type"] for block in reply["content"]]


def with_tool_turn(results, model=HAIKU, **changes):
    first = ask(tools=[SEARCH], model=model, **changes)
    reply = say(first, USE, {**USE, "input": {"query": "tea"}})
    ids = [block["id"] for block in reply["content"] if block["type"] == "tool_use"]
    turn = [
        {"role": "assistant", "content": reply["content"]},
        {"role": "user", "content": results(ids)},
    ]
    return {**first, "messages": first["messages"] + turn}, ids


def result(identifier, content="1660"):
    return {"type": "tool_result", "tool_use_id": identifier, "content": content}


# ---- what is refused, and how --------------------

BLOCK = [{"type": "text", "text": "Hi"}]
CLOSED = {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False}


def shaped(schema):
    return ask(output_config={"format": {"type": "json_schema", "schema": schema}})


@on_each(
    ("request_", "message"),
    [
        (ask(temperature=1), "temperature: Extra inputs are not permitted"),
        (ask(top_k=4), "top_k: Extra inputs are not permitted"),
        (ask(max_tokens=None), "max_tokens: Field required"),
        (ask(model=None), "model: Field required"),
        (ask(max_tokens="many"), "max_tokens: Input should be a valid integer"),
        (ask(max_tokens=True), "max_tokens: Input should be a valid integer"),
        (ask(max_tokens=-1), "max_tokens: Input should be greater than or equal to 0"),
        (ask(max_tokens=200_000, stream=True), "max_tokens: 200000 > 128000"),
        (ask(stream="yes"), "stream: Input should be a valid boolean"),
        (ask(messages=[]), "messages: at least one message is required"),
        (ask(messages="Hi"), "messages: Input should be a valid list"),
        (ask(""), "messages.0: user messages must have non-empty content"),
        (ask([]), "messages.0: user messages must have non-empty content"),
        (ask(7), "messages.0.content: Input should be a valid list"),
        (
            ask([{"type": "text", "text": ""}]),
            "messages.0.content.0: text content blocks must be non-empty",
        ),
        (
            ask([{"type": "text", "text": " \n"}]),
            "messages.0.content.0: text content blocks must contain non-whitespace",
        ),
        (ask([{"type": "text"}]), "messages.0.content.0.text.text: Field required"),
        (
            ask([{"type": "text", "text": "Hi", "bold": True}]),
            "messages.0.content.0.text.bold: Extra inputs",
        ),
        (
            ask([{"type": "poem", "text": "Hi"}]),
            "messages.0.content.0: Input tag 'poem' found using 'type'",
        ),
        (ask([{"text": "Hi"}]), "messages.0.content.0.type: Field required"),
        (
            ask(messages=[{"role": "tool", "content": "Hi"}]),
            "messages.0.role: Input should be 'user', 'assistant' or",
        ),
        (
            ask(messages=[{"role": "user", "content": "Hi", "name": "Ann"}]),
            "messages.0.name: Extra inputs",
        ),
        (
            ask(messages=[{"role": "assistant", "content": "Hi"}]),
            'messages: first message must use the "user" role',
        ),
        (ask(system=3), "system: Input should be a valid string"),
        (
            ask(system=[{"type": "text", "text": ""}]),
            "system.0: text content blocks must be non-empty",
        ),
        (
            ask(tools=[{**SEARCH, "name": "look up"}]),
            "tools.0.custom.name: String should match pattern",
        ),
        (ask(tools=[{"name": "search"}]), "tools.0.custom.input_schema: Field required"),
        (
            ask(tools=[{**SEARCH, "input_schema": {}}]),
            "tools.0.custom.input_schema.type: Field required",
        ),
        (
            ask(tools=[{**SEARCH, "input_schema": {"type": "array"}}]),
            "tools.0.custom.input_schema.type: Input should be",
        ),
        (
            ask(tools=[{**SEARCH, "parameters": {}}]),
            "tools.0.custom.parameters: Extra inputs are not permitted",
        ),
        (ask(tools=[SEARCH, SEARCH]), "tools: Tool names must be unique"),
        (
            ask(tools=[{**SEARCH, "strict": True}]),
            "tools.0.custom: For 'object' type, 'additionalProperties' must be",
        ),
        (
            ask(tools=[{"type": "web_search_20260318", "name": "web"}]),
            "tools.0: The offline model's server has no built-in tool web_search_20260318",
        ),
        (
            ask(tool_choice={"type": "all"}),
            "tool_choice: Input tag 'all' found using 'type' does not match",
        ),
        (
            ask(thinking={"type": "enabled", "budget_tokens": 2000}),
            '"thinking.type.enabled" is not supported for this',
        ),
        (
            ask(model=SONNET, thinking={"type": "disabled"}),
            '"thinking.type.disabled" is not supported for this model. Use "thinking.type.between_tools"',
        ),
        (
            ask(model=OPUS, thinking={"type": "disabled"}),
            '"thinking.type.disabled" is not supported for this model.',
        ),
        (ask(thinking={"type": "deep"}), "thinking: Input tag 'deep' found using 'type'"),
        (
            ask(stop_sequences=[" "]),
            "stop_sequences.0: each stop sequence must contain non-whitespace",
        ),
        (
            ask(output_config={"effort": "huge"}),
            "output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or",
        ),
        (
            shaped({"type": "object", "properties": {}}),
            "output_config.format.schema: For 'object' type, 'additional",
        ),
        (
            shaped({**CLOSED, "properties": {"a": {"type": "object"}}}),
            "output_config.format.schema: For 'object' type",
        ),
        (shaped({"oneOf": [CLOSED]}), "output_config.format.schema: 'oneOf' is not supported"),
        (
            shaped({"$ref": "#/$defs/Plan"}),
            "output_config.format.schema: '$ref' must name an entry",
        ),
        (
            shaped({"type": "array", "items": CLOSED, "minItems": 3}),
            "output_config.format.schema: For 'array' type",
        ),
        (
            shaped({"type": "text"}),
            "output_config.format.schema: Schema type 'text' is not supported",
        ),
        (ask(metadata={"user": "7"}), "metadata.user: Extra inputs are not permitted"),
        (ask(cache_control={"type": "forever"}), "cache_control: Input tag 'forever'"),
    ],
)
def test_a_mistake_is_refused_with_the_place_and_the_reason(request_, message):
    assert refusal(request_)[:2] == (400, "invalid_request_error")
    assert refusal(request_)[2].startswith(message)


@on_each(
    "request_",
    [
        ask(BLOCK),
        ask(system="Be brief."),
        ask(system=[{**BLOCK[0], "cache_control": {"type": "ephemeral", "ttl": "1h"}}]),
        ask(max_tokens=100_000, stream=True),
        ask(model=HAIKU + "-20261001"),
        ask(thinking={"type": "disabled"}),
        ask(model=SONNET, thinking={"type": "between_tools"}),
        ask(model=OPUS, thinking={"type": "adaptive"}),
        ask(tools=[SEARCH], tool_choice={"type": "auto", "disable_parallel_tool_use": True}),
        ask(tool_choice={"type": "none"}),
        shaped(
            {
                "type": "object",
                "additionalProperties": False,
                "$defs": {"A": {"type": "integer", "minimum": 3}},
                "properties": {
                    "a": {"$ref": "#/$defs/A"},
                    "b": {"anyOf": [{"type": "null"}, {"enum": ["x"]}]},
                    "c": {"type": "string", "pattern": "^x", "maxLength": 4, "format": "date"},
                },
            }
        ),
        ask(messages=[{"role": "user", "content": "Hi"}, {"role": "user", "content": "Anyone?"}]),
        ask(
            messages=[{"role": "user", "content": "Hi"}, {"role": "system", "content": "Be brief."}]
        ),
        ask(
            metadata={"user_id": "7"},
            service_tier="auto",
            stop_sequences=["END"],
            cache_control={"type": "ephemeral"},
        ),
    ],
)
def test_what_the_service_takes_is_taken(request_):
    assert post(api(), request_).status == 200


def test_the_conversation_must_end_with_the_user():
    request = ask(
        messages=[
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "The answer is"},
        ]
    )
    assert refusal(request)[2] == (
        "This model does not support assistant message prefill. The conversation must end with a user message."
    )


@on_each("model", [SONNET, OPUS])
@on_each("choice", [{"type": "any"}, {"type": "tool", "name": "search"}])
def test_a_tool_cannot_be_forced_on_the_larger_models(model, choice):
    assert refusal(ask(model=model, tools=[SEARCH], tool_choice=choice))[2] == (
        'tool_choice: type "tool" and "any" are not supported for this model.'
    )


def test_an_orphaned_tool_call_is_named():
    request, ids = with_tool_turn(lambda ids: "And?")
    assert refusal(request)[2] == (
        f"messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: {ids[0]}, {ids[1]}. "
        "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
    )
    half, _ = with_tool_turn(lambda ids: [result(ids[0])])
    assert refusal(half)[2].startswith(
        f"messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: {ids[1]}. Each"
    )
    last = {**request, "messages": request["messages"][:2]}
    assert refusal(last)[2].startswith("messages.1: `tool_use` ids were found")


def test_a_result_without_its_call_is_named():
    request, _ = with_tool_turn(lambda ids: [result(ids[0]), result(ids[1]), result("toolu_other")])
    assert refusal(request)[2] == (
        "messages.2.content.2: unexpected `tool_use_id` found in `tool_result` blocks: toolu_other. Each `tool_result` "
        "block must have a corresponding `tool_use` block in the previous message."
    )
    assert "toolu_1" in refusal(ask([result("toolu_1")]))[2]


def test_results_come_first_and_once():
    late, _ = with_tool_turn(lambda ids: [result(ids[0]), BLOCK[0], result(ids[1])])
    assert "The results come first in that message" in refusal(late)[2]
    twice, ids = with_tool_turn(lambda ids: [result(ids[0]), result(ids[0]), result(ids[1])])
    assert (
        refusal(twice)[2].startswith("messages.2.content.1: unexpected `tool_use_id`")
        and ids[0] in refusal(twice)[2]
    )


def test_results_may_be_followed_by_words_and_be_spread_over_messages_of_one_turn():
    request, ids = with_tool_turn(lambda ids: [result(ids[0])])
    request["messages"].append({"role": "user", "content": [result(ids[1], BLOCK), *BLOCK]})
    assert send(api(), request)[0] == 200


def test_a_request_beyond_the_context_window_is_refused():
    status, kind, message = refusal(ask("word " * 1_500_000))
    assert (status, kind) == (400, "invalid_request_error")
    assert re.fullmatch(r"prompt is too long: \d+ tokens > 1000000 maximum", message)


def test_many_tokens_without_a_stream_are_a_limit_of_clients_and_not_of_the_service():
    assert send(api(), ask(max_tokens=128_000))[0] == 200


def test_what_this_server_lacks_is_refused_in_its_own_voice():
    servers = [{"type": "url", "url": "https://example.com", "name": "a"}]
    assert "has no MCP connector" in refusal(ask(mcp_servers=servers))[2]
    toolset = [{"type": "mcp_toolset", "mcp_server_name": "a"}]
    assert (
        "tools.0: The offline model's server has no MCP connector" in refusal(ask(tools=toolset))[2]
    )


def test_other_errors_have_the_services_status_and_type():
    server = api()
    status, kind, message = refusal(ask(model="gpt-9"))
    assert (status, kind) == (404, "not_found_error") and message.startswith("model: gpt-9 (")
    assert refusal(ask(), headers={**HEADERS, "x-api-key": "invalid"})[:2] == (
        401,
        "authentication_error",
    )
    assert refusal(ask(), headers={**HEADERS, "authorization": "Bearer invalid"})[0] == 401
    assert refusal(ask(), headers={})[2] == "anthropic-version: header is required"
    assert refusal(ask(), headers={"anthropic-version": "new"})[0] == 400
    assert refusal(ask(), path="/v1/complete")[:2] == (404, "not_found_error")
    assert server.handle("GET", "/v1/messages", HEADERS).status == 405
    for version in ("1999-01-01", "2023-99-99", "9999-12-31"):
        assert refusal(ask(), headers={"anthropic-version": version})[0] == 400
    large = server.handle("POST", "/v1/messages", HEADERS, b" " * (32 * 1024 * 1024 + 1))
    assert large.status == 413
    assert json.loads(large.body)["error"]["type"] == "request_too_large"
    for body in (b"{", b"\xff", b"[]", b'{"model": NaN}', b'{"messages":' + b"[" * 100_000):
        assert server.handle("POST", "/v1/messages", HEADERS, body).status == 400


@on_each(
    "headers",
    [
        HEADERS,
        {**HEADERS, "x-api-key": ""},
        {"Anthropic-Version": "2023-06-01", "Authorization": "Bearer any"},
    ],
)
def test_any_key_will_do_and_none(headers):
    assert send(api(), ask(), headers=headers)[0] == 200


# ---- thinking --------------------


def test_a_reply_begins_with_a_thinking_block_that_may_be_empty():
    assert kinds(say(ask())) == kinds(say(ask(), thinking="")) == ["thinking", "text"]
    assert say(ask())["content"][0]["thinking"] == ""
    shown = say(ask(thinking={"type": "adaptive", "display": "summarized"}))
    assert shown["content"][0]["thinking"] == "Because."
    assert kinds(say(ask(thinking={"type": "disabled"}))) == ["text"]


def test_another_model_takes_a_thinking_budget(monkeypatch):
    monkeypatch.setenv("WORKSHOP_WORKER_MODEL", "local")
    request = ask(
        model="local", max_tokens=4000, thinking={"type": "enabled", "budget_tokens": 2000}
    )
    assert say(request)["content"][0]["thinking"] == "Because."
    request["thinking"]["budget_tokens"] = 1000
    assert "greater than or equal to 1024" in refusal(request)[2]


def test_words_between_tool_calls_come_back_as_thoughts_on_the_larger_models():
    note = {"type": "text", "text": "Let me look."}
    assert kinds(say(ask(tools=[SEARCH]), note, USE)) == ["thinking", "text", "tool_use"]
    hidden = say(ask(model=SONNET, tools=[SEARCH]), note, USE)
    assert kinds(hidden) == ["thinking", "tool_use"] and hidden["content"][0]["thinking"] == ""
    shown = say(ask(model=SONNET, tools=[SEARCH], thinking={"type": "between_tools"}), note, USE)
    assert shown["content"][0]["thinking"] == "Let me look."


def answered(**changes):
    request, _ = with_tool_turn(lambda ids: [result(identifier) for identifier in ids])
    return {**request, **changes}


@on_each(
    ("changes", "first"),
    [
        ({"system": "Another role."}, None),
        ({"model": HAIKU + "-20261001"}, None),
        ({"tools": [{**SEARCH, "description": "Find."}]}, None),
        ({}, [{"role": "user", "content": "Edited"}]),
        ({}, [{"role": "user", "content": "Before"}, *ask()["messages"]]),
    ],
)
def test_a_thinking_block_is_bound_to_all_that_came_before(changes, first):
    assert send(api(), answered())[0] == 200
    request = answered(**changes)
    request["messages"][:1] = first or request["messages"][:1]
    status, _, message = refusal(request)
    assert status == 400 and message.startswith(
        f"messages.{len(request['messages']) - 2}.content.0: Invalid `signature` in `thinking` block. The block is "
        "bound to a different conversation."
    )


def test_a_thinking_block_does_not_mind_the_spelling_of_the_same_conversation():
    same = answered(max_tokens=7)
    marked = [
        {"type": "text", "text": "When was tea taxed?", "cache_control": {"type": "ephemeral"}}
    ]
    same["messages"][0] = {"content": marked, "role": "user"}
    assert send(api(), same)[0] == 200


def test_a_thinking_block_cannot_be_edited():
    request = answered()
    request["messages"][1]["content"][0]["thinking"] = "I never thought this."
    assert "Invalid `signature`" in refusal(request)[2]


BINDING = {**HEADERS, "anthropic-beta": "other-beta, thinking-binding-controls-2026-08-01"}
DROP = {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"}}


def test_foreign_thinking_blocks_are_dropped_where_the_beta_asks_for_it():
    seen = []
    server = OfflineAPI(answer=lambda request, _: seen.append(request) or Answer((TEXT,)))
    status, reply = send(server, answered(system="Another role.", thinking=DROP), headers=BINDING)
    assert status == 200
    assert reply["input_transformations"] == [
        {
            "type": "thinking_dropped",
            "path": "messages.1.content.0",
            "reason": "prefix_binding_mismatch",
        }
    ]
    kept = [block["type"] for block in seen[0]["messages"][1]["content"]]
    assert kept == ["tool_use", "tool_use"], "the model does not see what was dropped"
    status, reply = send(server, answered(thinking=DROP), headers=BINDING)
    assert status == 200 and "input_transformations" not in reply, "its own blocks stay"


def test_without_the_beta_or_its_setting_foreign_thinking_is_refused():
    place = "thinking.adaptive.block_binding: Extra inputs are not permitted"
    assert refusal(answered(thinking=DROP))[2] == place
    error = {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "error"}}
    request = answered(system="Another role.", thinking=error)
    assert "Invalid `signature`" in refusal(request, headers=BINDING)[2]


# ---- the reply --------------------


def test_the_stop_reason_follows_from_the_content():
    assert say(ask())["stop_reason"] == "end_turn"
    assert say(ask(tools=[SEARCH]), TEXT, USE)["stop_reason"] == "tool_use"


def test_what_was_thought_and_said_is_billed_and_no_id():
    usage = say(ask(tools=[SEARCH]), USE)["usage"]
    assert usage["output_tokens"] == estimate_tokens("Because.") + estimate_tokens(USE)


def test_a_stop_sequence_ends_the_reply_before_it():
    reply = say(ask(stop_sequences=["1964", " and the"]))
    assert (reply["stop_reason"], reply["stop_sequence"]) == ("stop_sequence", " and the")
    assert reply["content"][-1]["text"] == "Tea was first taxed in 1660,"


@on_each("max_tokens", [1, 2, 5, 9])
def test_a_reply_longer_than_max_tokens_is_cut(max_tokens):
    reply = say(ask(max_tokens=max_tokens))
    assert reply["stop_reason"] == "max_tokens" and reply["usage"]["output_tokens"] <= max_tokens
    assert TEXT["text"].startswith(reply["content"][-1]["text"])


def test_a_cut_tool_call_has_no_input():
    reply = say(ask(tools=[SEARCH], max_tokens=3, thinking={"type": "disabled"}), USE)
    assert reply["stop_reason"] == "max_tokens" and reply["content"][-1]["input"] == {}


def test_parallel_calls_can_be_switched_off():
    request = ask(tools=[SEARCH], tool_choice={"type": "auto", "disable_parallel_tool_use": True})
    assert kinds(say(request, TEXT, USE, USE)) == ["thinking", "text", "tool_use"]


def test_an_answer_that_breaks_the_rules_is_a_500():
    for request in (ask(tools=[SEARCH], tool_choice={"type": "none"}), ask()):
        status, body = send(api(USE), request)
        assert status == 500 and "broke a rule" in body["error"]["message"]


def test_the_answer_sees_the_request_and_the_temperament():
    seen = []
    record = OfflineAPI(
        answer=lambda *given: seen.append(given) or Answer((TEXT,)),
        temperament=Temperament(attention=9),
    )
    send(record, ask())
    assert seen == [(ask(), Temperament(attention=9))]


def test_same_request_same_reply_and_another_request_id():
    server = api(USE)
    first, second = (post(server, ask(tools=[SEARCH])) for _ in range(2))
    assert first.body == second.body and first.headers["request-id"] != second.headers["request-id"]
    assert json.loads(first.body)["id"] == "msg_97fd68028200a1c844237389"  # on every platform


def test_the_counter_counts_what_the_reply_bills():
    request = ask(tools=[SEARCH], system="Be brief.")
    path = "/v1/messages/count_tokens"
    status, counted = send(
        api(), {k: v for k, v in request.items() if k != "max_tokens"}, path=path
    )
    assert status == 200
    assert (
        counted["input_tokens"] == say(request)["usage"]["input_tokens"] == estimate_tokens(request)
    )
    assert refusal(request, path=path)[2] == "max_tokens: Extra inputs are not permitted"
    assert estimate_tokens("eight ch") == 2 and estimate_tokens("") == 0


def test_models_are_the_three_lines_and_what_the_environment_names(monkeypatch):
    monkeypatch.setenv("WORKSHOP_WORKER_MODEL", "qwen3:8b")
    listed = json.loads(api().handle("GET", "/v1/models?limit=20", HEADERS).body)
    assert [model["id"] for model in listed["data"]] == [HAIKU, SONNET, OPUS, "qwen3:8b"]
    assert listed["has_more"] is False
    assert send(api(), ask(model="qwen3:8b"))[0] == 200


def sse(response):
    return [json.loads(event.decode().partition("data: ")[2]) for event in response.body]


def test_a_stream_tells_the_same_as_the_reply():
    request = ask(
        tools=[SEARCH], stream=True, thinking={"type": "adaptive", "display": "summarized"}
    )
    server = api(TEXT, USE)
    stream = sse(post(server, request))
    assert [event["type"] for event in stream][:3] == [
        "message_start",
        "ping",
        "content_block_start",
    ]
    assert [event["type"] for event in stream][-2:] == ["message_delta", "message_stop"]
    parts = [
        [event["delta"] for event in stream if event.get("index") == i and "delta" in event]
        for i in range(3)
    ]
    reply = say({**request, "stream": False}, TEXT, USE)
    assert "".join(delta.get("thinking", "") for delta in parts[0]) == "Because."
    assert parts[0][-1]["signature"] == reply["content"][0]["signature"]
    assert "".join(delta["text"] for delta in parts[1]) == TEXT["text"] and len(parts[1]) > 2
    assert json.loads("".join(delta["partial_json"] for delta in parts[2])) == USE["input"]
    assert stream[-2]["usage"]["output_tokens"] == reply["usage"]["output_tokens"]


# ---- faults and latency --------------------


def faulty(*first, **settings):
    return api(TEXT, USE, faults=Faults(first=first, **settings))


def test_the_first_faults_come_in_order():
    server = faulty("429", "", "529", "500", retry_after_s=2)
    statuses = [post(server, ask(tools=[SEARCH])) for _ in range(5)]
    assert [response.status for response in statuses] == [429, 200, 529, 500, 200]
    assert statuses[0].headers["retry-after"] == "2" and "retry-after" not in statuses[3].headers
    assert json.loads(statuses[2].body)["error"] == {
        "type": "overloaded_error",
        "message": "Overloaded",
    }


def test_a_refusal_a_cut_and_a_malformed_call():
    server = faulty("refusal", "cut", "malformed", "html")
    replies = [post(server, ask(tools=[SEARCH])) for _ in range(4)]
    refused, cut, malformed = (json.loads(reply.body) for reply in replies[:3])
    assert (refused["stop_reason"], refused["content"]) == ("refusal", [])
    assert refused["stop_details"]["type"] == "refusal"
    assert cut["stop_reason"] == "max_tokens" and cut["content"][1:] == [TEXT]
    assert malformed["content"][-1]["input"] == {"query": {"value": None}}
    assert replies[3].headers["content-type"].startswith("text/html")


def test_a_bad_request_is_refused_before_any_fault():
    server = faulty("529")
    assert refusal(ask(temperature=0), server)[0] == 400
    assert refusal(ask(), server)[0] == 529


def test_rates_follow_the_seed_and_not_the_order():
    requests = [ask(f"Question {n}", tools=[SEARCH]) for n in range(400)]

    def outcomes(order, seed=3):
        server = api(faults=Faults(rate_429=0.2, rate_500=0.1), seed=seed)
        statuses = {n: send(server, requests[n])[0] for n in order}
        return [statuses[n] for n in range(400)]

    assert outcomes(range(400)) == outcomes(reversed(range(400))) != outcomes(range(400), seed=4)
    assert 50 < outcomes(range(400)).count(429) < 110 and 20 < outcomes(range(400)).count(500) < 65
    server = api(faults=Faults(rate_529=0.5))
    assert len({send(server, requests[0])[0] for _ in range(20)}) == 2  # a retry is a new draw


def test_impossible_faults_are_refused():
    with pytest.raises(ValueError, match="'418'"):
        Faults(first=("418",))
    with pytest.raises(ValueError, match="together at most 1"):
        Faults(rate_429=0.7, rate_500=0.7)


def test_latency_is_drawn_from_its_range():
    server = api(latency_ms=(100, 300))
    drawn = [post(server, ask(str(n))).latency_s for n in range(50)]
    assert 0.1 <= min(drawn) < 0.15 and 0.25 < max(drawn) <= 0.3


# ---- the transport --------------------


def client(transport, **settings):
    return httpx.Client(transport=transport, base_url="http://offline", headers=HEADERS, **settings)


def test_the_transport_serves_both_kinds_of_client():
    reply = client(OfflineTransport(api())).post("/v1/messages", json=ask()).json()

    async def asynchronously():
        async with httpx.AsyncClient(
            transport=OfflineTransport(api()), base_url="http://offline", headers=HEADERS
        ) as c:
            async with c.stream("POST", "/v1/messages", json=ask(stream=True)) as response:
                lines = [line async for line in response.aiter_lines()]
            return (await c.post("/v1/messages", json=ask())).json(), lines

    again, lines = asyncio.run(asynchronously())
    assert reply == again and reply["content"][-1] == TEXT
    assert lines[0] == "event: message_start" and lines[-3] == "event: message_stop"


def test_latency_longer_than_the_read_timeout_is_a_timeout():
    with pytest.raises(httpx.ReadTimeout):
        client(OfflineTransport(api(latency_ms=60_000)), timeout=0.01).post(
            "/v1/messages", json=ask()
        )


def test_broken_connections_look_as_they_do_on_a_network():
    broken = client(
        OfflineTransport(faulty("timeout", "disconnect")), timeout=httpx.Timeout(5, read=0.01)
    )
    with pytest.raises(httpx.ReadTimeout):
        broken.post("/v1/messages", json=ask())
    with pytest.raises(
        httpx.RemoteProtocolError, match="Server disconnected without sending a response"
    ):
        broken.post("/v1/messages", json=ask())


def test_a_transport_takes_an_api_or_its_settings():
    with pytest.raises(TypeError, match="seed"):
        OfflineTransport(api(), seed=3)


# ---- the script --------------------


def test_a_script_gives_each_kind_of_answer_in_order():
    whole = {"content": BLOCK, "stop_reason": "pause_turn"}
    script = Script(
        ["Hello", Answer((TEXT,)), USE, [TEXT, USE], whole, 429, lambda request: request["system"]]
    )
    with script, client(script) as c:
        replies = [
            c.post("/v1/messages", json=ask(tools=[SEARCH], system="Echo")) for _ in range(7)
        ]
    assert [reply.status_code for reply in replies] == [200] * 5 + [429, 200]
    bodies = [reply.json() for reply in replies]
    assert (
        bodies[0]["content"] == [{"type": "text", "text": "Hello"}]
        and bodies[6]["content"][0]["text"] == "Echo"
    )
    assert [body.get("stop_reason") for body in bodies[1:5]] == [
        "end_turn",
        "tool_use",
        "tool_use",
        "pause_turn",
    ]
    assert len(script.requests) == 7 and script.requests[0]["system"] == "Echo"


def test_a_script_fails_on_an_unexpected_call():
    script = Script(["Hello"])
    client(script).post("/v1/messages", json=ask())
    with pytest.raises(AssertionError, match=r"request 2 was not expected: .* 1 answers.*And then"):
        client(script).post("/v1/messages", json=ask("And then?"))


def test_a_script_fails_on_unused_answers():
    with (
        pytest.raises(AssertionError, match=r"2 of 3 answers left over.*'Two'"),
        Script(["One", "Two", "Three"]) as script,
    ):
        client(script).post("/v1/messages", json=ask())


def test_a_script_raises_what_it_is_given():
    with pytest.raises(httpx.ConnectError):
        client(Script([httpx.ConnectError("down")])).post("/v1/messages", json=ask())


def test_a_script_is_as_strict_as_the_service():
    script = Script(["Hello"])
    assert client(script).post("/v1/messages", json=ask(top_p=1)).status_code == 400
    assert (
        client(Script(["Hello"], strict=False)).post("/v1/messages", json=ask(top_p=1)).status_code
        == 200
    )
    with pytest.raises(AssertionError):
        script.done()


def test_blocks_that_a_script_made_up_may_come_back():
    odd = [
        {"type": "thinking", "thinking": "", "signature": "mine"},
        {"type": "novelty", "data": 1},
        TEXT,
    ]
    script = Script([odd, "Done"])
    turn = [{"role": "assistant", "content": odd}, {"role": "user", "content": "And?"}]
    client(script).post("/v1/messages", json=ask())
    assert (
        client(script).post("/v1/messages", json=ask(messages=ask()["messages"] + turn)).status_code
        == 200
    )


# ---- the server --------------------


def test_the_server_speaks_plain_http_on_one_connection():
    with Server(api()) as url:
        connection = http.client.HTTPConnection(url.removeprefix("http://"))
        for method, path, status in (
            ("GET", "/", 200),
            ("HEAD", "/", 200),
            ("GET", "/v1/models", 200),
            ("GET", "/x", 404),
        ):
            connection.request(method, path, headers=HEADERS)
            response = connection.getresponse()
            assert response.status == status and bool(response.read()) == (method == "GET")
        connection.request(
            "POST", "/v1/messages", json.dumps(ask()), {**HEADERS, "Expect": "100-continue"}
        )
        assert json.loads(connection.getresponse().read())["content"][-1] == TEXT


def test_the_server_streams_and_outlives_bad_clients_and_bugs():
    def buggy(request, temperament):
        if "bug" in str(request):
            raise ZeroDivisionError
        return Answer((TEXT,))

    with (
        Server(OfflineAPI(answer=buggy, faults=Faults(first=("disconnect",)))) as url,
        httpx.Client(base_url=url, headers=HEADERS) as c,
    ):
        with pytest.raises(httpx.RemoteProtocolError):
            c.post("/v1/messages", json=ask())
        for head in (
            b"NONSENSE\r\n\r\n",
            b"GET / HTTP/1.1\r\ncontent-length: -1\r\n\r\n",
            b"GET / HTTP/9\r\n\r\n",
        ):
            assert b" 400 " in raw(url, head).split(b"\r\n")[0]
        assert c.post("/v1/messages", json=ask("a bug")).status_code == 500
        with c.stream("POST", "/v1/messages", json=ask(stream=True)) as response:
            assert list(response.iter_lines())[-2] == 'data: {"type":"message_stop"}'


def test_the_server_names_a_wrong_method_and_a_body_that_is_too_large():
    with Server(api()) as url:
        for method in ("PUT", "PATCH", "DELETE", "OPTIONS", "GET", "HEAD"):
            answer = httpx.request(method, f"{url}/v1/messages", headers=HEADERS, trust_env=False)
            assert answer.status_code == 405 and (
                method == "HEAD" or answer.json()["error"]["type"] == "invalid_request_error"
            )
        for length in (b"33554433", b"9" * 5000):
            assert (
                b" 413 "
                in raw(
                    url, b"POST /v1/messages HTTP/1.1\r\nContent-Length: " + length + b"\r\n\r\n"
                ).split(b"\r\n")[0]
            )


@on_each(
    "settings",
    [
        {"latency_ms": -1},
        {"latency_ms": "slow"},
        {"seed": "a"},
        {"faults": "429"},
        {"temperament": "wild"},
    ],
)
def test_a_setting_that_cannot_be_is_refused_when_it_is_given_not_at_the_first_request(settings):
    with pytest.raises((ValueError, TypeError), match="expected"):
        OfflineAPI(**settings)


def raw(url, data):
    host, port = url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=5) as connection:
        connection.sendall(data)
        return connection.recv(4096)


def test_serve_prints_its_address_first():
    code = "from offline_model import serve, OfflineAPI, Answer; serve(api=OfflineAPI(answer=lambda r, t: Answer(())))"
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, encoding="utf-8"
    )
    try:
        url = process.stdout.readline().strip()
        assert httpx.get(url, headers=HEADERS).status_code == 200 and url.startswith(
            "http://127.0.0.1:"
        )
    finally:
        process.kill()
        process.communicate()


def test_importing_the_package_loads_neither_the_api_nor_httpx():
    code = "import sys, offline_model; print(*(f'offline_model.{name}' in sys.modules for name in ('api.service', 'reader.reader')))"
    printed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert printed.split() == ["False", "False"]


# ---- the account --------------------


def with_account(account, **settings):
    return OfflineAPI(
        answer=lambda request, temperament: Answer((TEXT,), account=account), **settings
    )


def test_the_account_travels_in_a_header_and_never_in_the_body():
    account = Account(
        "writer",
        topic="tea — “hot”",
        arguments=("pour(cups=2)",),
        wishes=("at most 180 words",),
        parts=("task", "facts"),
        not_understood=("like a pirate — “arr”",),
    )
    response = post(with_account(account), ask())
    assert Account.from_header(response.headers["offline-understood"]) == account
    assert response.headers["offline-understood"].isascii()
    assert response.body == post(with_account(None), ask()).body
    assert "offline-understood" not in post(with_account(None), ask()).headers
    streamed = post(with_account(account), ask(stream=True))
    assert Account.from_header(streamed.headers["offline-understood"]) == account


def test_an_account_that_is_too_long_is_cut_with_a_count_and_keeps_what_was_not_understood():
    wishes = tuple(f"wish {number} é" for number in range(500))
    account = Account("writer", wishes=wishes, not_understood=("like a pirate",))
    header = post(with_account(account), ask()).headers["offline-understood"]
    cut = Account.from_header(header)
    assert len(header) <= 4096
    assert cut.not_understood == ("like a pirate",)
    assert cut.left_out == 500 - len(cut.wishes) > 0 and "more" in cut.as_text()


@on_each("name", ["x-api-key", "authorization"])
def test_a_key_never_gets_into_the_account(name):
    account = Account("writer", not_understood=("use key-0123456789 and sk-ant-9876543210",))
    headers = {
        **HEADERS,
        name: "key-0123456789" if name == "x-api-key" else "Bearer key-0123456789",
    }
    response = post(with_account(account), ask(), headers=headers)
    assert Account.from_header(response.headers["offline-understood"]).not_understood == (
        "use [key] and [key]",
    )


@on_each("text", [None, "", "[]", "{", "[" * 9000, '"writer"'])
def test_a_header_that_is_no_account_is_none(text):
    assert Account.from_header(text) is None


def test_odd_values_in_an_account_are_left_out():
    odd = '{"read_as": 7, "wishes": "cite", "parts": [1], "left_out": true, "unknown": 1}'
    assert Account.from_header(odd) == Account()


# ---- a server among odd clients --------------------


def test_a_client_of_http_1_0_gets_a_stream_in_one_piece():
    body = json.dumps(ask(stream=True)).encode()
    head = f"POST /v1/messages HTTP/1.0\r\nanthropic-version: 2026-10-21\r\ncontent-length: {len(body)}\r\n\r\n"
    with Server(api()) as url:
        reply = b""
        host, port = url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=5) as connection:
            connection.sendall(head.encode() + body)
            while piece := connection.recv(65536):
                reply += piece
    headers, _, content = reply.partition(b"\r\n\r\n")
    assert b"transfer-encoding" not in headers.lower() and b"content-length" in headers.lower()
    assert content.startswith(b"event: message_start") and content.endswith(
        b'{"type":"message_stop"}\n\n'
    )


def test_a_connection_that_says_nothing_is_closed(monkeypatch):
    monkeypatch.setattr("offline_model.api.server._Connection.timeout", 0.05)
    with Server(api()) as url:
        host, port = url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=5) as connection:
            assert connection.recv(1) == b""


def test_without_a_file_to_open_the_server_pauses_instead_of_asking_again(monkeypatch):
    pauses = []
    monkeypatch.setattr("offline_model.api.server.time.sleep", pauses.append)

    def full(self):
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr("socketserver.TCPServer.get_request", full)
    server = Server(api())
    try:
        with pytest.raises(OSError):
            server.get_request()
    finally:
        server.server_close()
    assert len(pauses) == 1 and pauses[0] > 0


def test_only_so_many_requests_are_remembered(monkeypatch):
    monkeypatch.setattr("offline_model.api.service.REMEMBERED_BODIES", 10)
    server = api()
    for number in range(50):
        post(server, ask(str(number)))
    assert len(server._seen) == 10
