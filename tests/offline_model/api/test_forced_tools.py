"""A forced `tool_choice` is answered with that tool; the official tool fields are accepted."""

from __future__ import annotations

import json

from offline_model import Answer, OfflineAPI
from tests.on_each import on_each

HEADERS = {"anthropic-version": "2026-10-21"}
HAIKU = "claude-haiku-5-5"
REVIEW = "You review a draft against the facts. Decide PASS or REVISE, with specific issues."
DRAFT = (
    "<task>\nReview the draft\n</task>\n\n<facts>\n- Tea was taxed in 1660. [tea-1]\n</facts>\n\n"
    "<draft>\nTea was taxed in {year} [tea-1].\n</draft>"
)
RECORD = {
    "name": "record",
    "description": "Record the verdict.",
    "input_schema": {
        "type": "object",
        "properties": {
            "verdict": {"type": "string", "enum": ["PASS", "REVISE"]},
            "issues": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["verdict", "issues"],
    },
}
SEARCH = {
    "name": "search",
    "description": "Search the library for documents on a topic.",
    "input_schema": {
        "type": "object",
        "properties": {"query": {"type": "string"}},
        "required": ["query"],
    },
}


def ask(text, tools, choice=None, **changes):
    message = {"role": "user", "content": text}
    request = {"model": HAIKU, "max_tokens": 500, "messages": [message], "tools": tools}
    return {**request, **({"tool_choice": choice} if choice else {}), **changes}


def send(request, server=None):
    body = json.dumps(request).encode()
    response = (server or OfflineAPI()).handle("POST", "/v1/messages", HEADERS, body)
    return response.status, json.loads(response.body)


def calls(request):
    status, reply = send(request)
    assert status == 200, reply
    assert reply["stop_reason"] == "tool_use"
    assert [block["type"] for block in reply["content"]] == ["tool_use"] * len(reply["content"])
    return [(block["name"], block["input"]) for block in reply["content"]]


def refusal(request):
    status, body = send(request)
    assert status == 400, body
    return body["error"]["message"]


@on_each("choice", [{"type": "any"}, {"type": "tool", "name": "record"}])
@on_each(("year", "verdict"), [("1660", "PASS"), ("1770", "REVISE")])
def test_a_review_is_recorded_by_the_tool_that_was_forced(choice, year, verdict):
    request = ask(DRAFT.format(year=year), [RECORD], choice, system=REVIEW)
    [(name, given)] = calls(request)
    assert (name, given["verdict"]) == ("record", verdict)
    assert bool(given["issues"]) == (verdict == "REVISE")


def test_small_talk_is_put_into_the_shape_of_the_tool_too():
    [(name, given)] = calls(ask("Say hello.", [SEARCH], {"type": "any"}))
    assert name == "search" and isinstance(given["query"], str)


def test_the_named_tool_is_called_and_no_other():
    tools = [RECORD, SEARCH]
    text = "What do the sources say about the tea tax? Search the library."
    named = calls(ask(text, tools, {"type": "tool", "name": "search"}))
    assert {name for name, _ in named} == {"search"}
    forced = ask(text, tools, {"type": "tool", "name": "record"})
    reply = send(forced)[1]
    assert reply["stop_reason"] == "refusal" and not reply["content"]
    assert "nothing in the text fills" in reply["stop_details"]["explanation"]


def test_a_forced_call_is_the_same_every_time_and_can_be_answered():
    request = ask(DRAFT.format(year="1660"), [RECORD], {"type": "any"}, system=REVIEW)
    first, second = send(request)[1], send(request)[1]
    assert first == second
    use = first["content"][0]
    result = {"type": "tool_result", "tool_use_id": use["id"], "content": "Recorded."}
    turns = [
        *request["messages"],
        {"role": "assistant", "content": first["content"]},
        {"role": "user", "content": [result]},
    ]
    assert send({**request, "messages": turns, "tool_choice": {"type": "auto"}})[0] == 200


@on_each(
    "schema",
    [
        {"type": "object"},
        {"type": "object", "properties": {}},
        {"type": "object", "properties": {"a": True, "b": {"type": ["string", "null"]}}},
        {
            "type": "object",
            "$defs": {"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}},
            "properties": {"node": {"$ref": "#/$defs/Node"}},
        },
    ],
)
def test_any_input_schema_is_answered_with_an_object(schema):
    tool = {"name": "odd", "input_schema": schema}
    [(name, given)] = calls(ask("Say hello.", [tool], {"type": "tool", "name": "odd"}))
    assert name == "odd" and isinstance(given, dict)


def test_a_choice_without_its_tool_is_refused():
    assert refusal(ask("Hi", [], {"type": "any"})) == (
        "tool_choice.any may only be specified while providing tools"
    )
    assert refusal(ask("Hi", [SEARCH], {"type": "tool", "name": "record"})) == (
        "Tool 'record' not found in provided tools"
    )


def test_thinking_and_a_forced_call_do_not_go_together(monkeypatch):
    monkeypatch.setenv("WORKSHOP_WORKER_MODEL", "local")
    thinking = {"type": "enabled", "budget_tokens": 1024}
    request = ask("Hi", [SEARCH], {"type": "any"}, model="local", thinking=thinking)
    assert refusal(request) == "Thinking may not be enabled when tool_choice forces tool use."


def test_an_answer_without_the_call_that_was_forced_is_a_bug_of_the_model():
    words = OfflineAPI(
        answer=lambda request, temperament: Answer(({"type": "text", "text": "No."},))
    )
    status, body = send(ask("Hi", [SEARCH], {"type": "any"}), words)
    assert (
        status == 500
        and "it calls no tool, and `tool_choice` forces a call" in body["error"]["message"]
    )


@on_each(
    "field",
    [
        {"eager_input_streaming": True},
        {"eager_input_streaming": None},
        {"defer_loading": False},
        {"allowed_callers": ["direct"]},
        {"input_examples": [{"query": "tea"}]},
        {"strict": False},
        {"type": "custom"},
        {"type": None},
    ],
)
def test_the_fields_of_the_official_tool_are_accepted(field):
    assert send(ask("Hi", [{**SEARCH, **field}]))[0] == 200


def test_the_fields_of_the_official_tool_have_types():
    assert refusal(ask("Hi", [{**SEARCH, "defer_loading": "no"}])) == (
        "tools.0.custom.defer_loading: Input should be a valid boolean"
    )
    assert refusal(ask("Hi", [{**SEARCH, "allowed_callers": ["me"]}])).startswith(
        "tools.0.custom.allowed_callers.0: Input should be 'direct',"
    )


def test_the_model_does_not_see_a_deferred_tool():
    text = "What do the sources say about the tea tax? Search the library."
    assert send(ask(text, [SEARCH]))[1]["stop_reason"] == "tool_use"
    deferred = {**SEARCH, "defer_loading": True}
    assert send(ask(text, [deferred]))[1]["stop_reason"] == "refusal"
    assert "provided tools" in refusal(ask(text, [deferred], {"type": "tool", "name": "search"}))
