"""No input makes the offline API fail, whatever its shape: a request is answered or refused with a reason."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from offline_model import Answer, OfflineAPI
from tests.on_each import on_each

HAIKU = "claude-haiku-5-5"
HEADERS = {"anthropic-version": "2026-10-21"}
THREADS = {**HEADERS, "anthropic-beta": "message-threads-2026-08-12"}
SEARCH = {"name": "search", "description": "Search.", "input_schema": {"type": "object"}}


def ask(text="When was tea taxed?", **changes):
    request = {"model": HAIKU, "max_tokens": 1000, "messages": [{"role": "user", "content": text}]}
    return {**request, **changes}


def post(request, headers=HEADERS, server=None):
    body = request if isinstance(request, bytes) else json.dumps(request).encode()
    return (server or OfflineAPI()).handle("POST", "/v1/messages", headers, body)


def refusal(request, **where):
    response = post(request, **where)
    error = json.loads(response.body)["error"]
    assert (response.status, error["type"]) == (400, "invalid_request_error")
    return error["message"]


def shaped(schema):
    return ask(output_config={"format": {"type": "json_schema", "schema": schema}})


def closed(**properties):
    return {"type": "object", "additionalProperties": False, "properties": properties}


NODE = closed(next={"$ref": "#/$defs/Node"})
PAIR = {"A": closed(b={"$ref": "#/$defs/B"}), "B": closed(a={"$ref": "#/$defs/A"})}


@on_each(
    ("schema", "problem"),
    [
        (
            {**closed(node={"$ref": "#/$defs/Node"}), "$defs": {"Node": NODE}},
            ": Circular reference detected in schema definitions: Node -> Node.",
        ),
        ({**closed(), "$defs": PAIR}, ": Circular reference detected in schema definitions: "),
        (closed(choice={"enum": []}), ".enum: List should have at least 1 item"),
        (closed(score={"type": "integer", "maximum": "x"}), ".maximum: Input should be a valid"),
        (
            closed(score={"type": "number", "multipleOf": 0}),
            ".multipleOf: Input should be greater than 0",
        ),
        (
            closed(name={"type": "string", "maxLength": "long"}),
            ".maxLength: Input should be a valid integer",
        ),
        (closed(name=True), ": Input should be a valid dictionary"),
        ({**closed(), "required": "all"}, ".required: Input should be a valid list"),
        (closed(name={"anyOf": "any"}), ".anyOf: Input should be a valid list"),
    ],
)
def test_a_schema_that_cannot_be_met_is_refused(schema, problem):
    assert refusal(shaped(schema)).startswith(f"output_config.format.schema{problem}")


@on_each(
    "schema",
    [
        {"type": "object", "properties": {"a": {"type": "nonsense"}}},
        {"type": "object", "properties": {"a": {"enum": []}}},
        {"type": "object", "properties": {"a": {"maximum": "x"}}},
        {"type": "object", "properties": {"a": {"items": {"pattern": 7}}}},
        {"type": "object", "properties": {"a": 7}},
    ],
)
def test_an_input_schema_that_is_none_is_refused(schema):
    tools = [{**SEARCH, "input_schema": schema}]
    assert refusal(ask(tools=tools)).startswith(
        "tools.0.custom.input_schema: JSON schema is invalid."
    )


@on_each("kind", ["image", "document", "search_result", "server_tool_use"])
def test_what_is_no_text_is_refused_with_a_reason(kind):
    block = {"type": kind, "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}
    message = refusal(ask([block]))
    assert message.startswith(f"messages.0.content.0.{kind}: The offline model reads text only.")
    use = {"type": "tool_use", "id": "toolu_1", "name": "search", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": [block]}
    turns = [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    request = ask(tools=[SEARCH])
    assert "reads text only" in refusal({**request, "messages": request["messages"] + turns})


def test_a_thread_is_refused_so_that_the_official_runner_goes_on_without():
    response = post(ask(thread={"type": "create"}), headers=THREADS)
    error = json.loads(response.body)["error"]
    assert response.status == 400 and error["message"].startswith(
        "thread: This server keeps no threads."
    )
    assert error["details"] == {
        "error_code": "thread_unsupported_request",
        "unsupported": ["thread"],
    }
    assert post(ask(), headers=THREADS).status == 200
    assert refusal(ask(thread={"type": "create"})) == "thread: Extra inputs are not permitted"


@on_each(
    "body",
    [
        b"",
        b"null",
        b'"text"',
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"messages":' * 50_000,
        json.dumps(ask()).replace("1000", "NaN").encode(),
        json.dumps(ask()).replace("1000", "1e999").encode(),
        json.dumps(ask()).replace("1000", "9" * 5000).encode(),
        json.dumps(ask("half \ud83d")).encode(),
        json.dumps(ask(metadata={"user_id": float("-inf")})).encode(),
    ],
)
def test_a_body_that_is_no_json_object_is_refused(body):
    response = post(body)
    assert response.status == 400 and json.loads(response.body)["error"]["message"]


NODE_SCHEMA = {
    "type": "object",
    "properties": {"next": {"$ref": "#/$defs/Node"}},
    "required": ["next"],
}


@on_each(
    "definition",
    [NODE_SCHEMA, {"allOf": [{"$ref": "#/$defs/Node"}]}, {"anyOf": [{"$ref": "#/$defs/Node"}]}],
)
def test_a_forced_input_that_requires_itself_is_refused_and_not_a_failure(definition):
    properties = {"properties": {"node": {"$ref": "#/$defs/Node"}}, "required": ["node"]}
    schema = {"type": "object", "$defs": {"Node": definition}, **properties}
    request = ask(tools=[{**SEARCH, "input_schema": schema}], tool_choice={"type": "any"})
    assert "a schema requires itself" in refusal(request)


@on_each("depth", [50, 150, 250, 350, 450, 900])
def test_deep_nesting_is_answered_or_refused(depth):
    deep = {}
    for _ in range(depth):
        deep = {"a": deep}
    use = {"type": "tool_use", "id": "toolu_1", "name": "search", "input": deep}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "1660"}
    turns = [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    request = ask(tools=[SEARCH])
    assert post({**request, "messages": request["messages"] + turns}).status in (200, 400)
    text = "[" * depth + "]" * depth
    assert post(ask(f"<task>\nAnswer\n</task>\n<notes>\n{text}\n</notes>")).status in (200, 400)


def test_a_long_error_is_cut():
    assert len(refusal(ask(**{"x" * 1_000_000: 1}))) < 11_000


def test_calls_of_one_turn_have_ids_of_their_own():
    use = {"type": "tool_use", "id": "toolu_1", "name": "search", "input": {}}
    turns = [{"role": "assistant", "content": [use, use]}]
    request = ask(tools=[SEARCH])
    assert refusal({**request, "messages": request["messages"] + turns}) == (
        "messages.1.content.1: `tool_use` ids must be unique"
    )


def test_ten_thousand_calls_with_their_results_are_checked_in_one_go():
    numbers = range(10_000)
    uses = [{"type": "tool_use", "id": f"t{n}", "name": "search", "input": {}} for n in numbers]
    results = [{"type": "tool_result", "tool_use_id": f"t{n}"} for n in reversed(numbers)]
    turns = [{"role": "assistant", "content": uses}, {"role": "user", "content": results}]
    request = ask(tools=[SEARCH])
    yes = OfflineAPI(answer=lambda *_: Answer(({"type": "text", "text": "Yes."},)))
    assert post({**request, "messages": request["messages"] + turns}, server=yes).status == 200


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    [
        "system",
        "tools",
        "tool_choice",
        "thinking",
        "output_config",
        "metadata",
        "stop_sequences",
        "stream",
        "max_tokens",
        "model",
        "messages",
        "cache_control",
        "service_tier",
        "thread",
    ]
)


@given(st.dictionaries(FIELDS, VALUES, min_size=1, max_size=3))
def test_odd_fields_are_refused_or_answered_but_never_fail(changes):
    yes = OfflineAPI(answer=lambda *_: Answer(({"type": "text", "text": "Yes."},)))
    response = post(json.dumps({**ask(), **changes}).encode(), server=yes)
    assert response.status in (200, 400, 404)


KEYWORDS = st.fixed_dictionaries(
    {
        "type": st.sampled_from(
            ["object", "array", "string", "number", "integer", "boolean", "null"]
        )
    },
    optional={
        "enum": st.lists(st.text(max_size=4) | st.integers() | st.none(), max_size=2),
        "const": VALUES,
        "minimum": VALUES,
        "maximum": st.integers() | st.text(max_size=2),
        "multipleOf": st.integers(-1, 3),
        "minItems": st.integers(-1, 3),
        "maxItems": st.integers(-1, 3),
        "minLength": st.integers(-1, 9),
        "maxLength": st.integers(-1, 9),
        "pattern": st.sampled_from(["^a", "(", "[0-9]{3}"]),
        "format": st.sampled_from(["date", "uuid", "nonsense"]),
        "description": st.text(max_size=8),
    },
)
SCHEMAS = st.recursive(
    KEYWORDS,
    lambda inner: (
        st.fixed_dictionaries({"type": st.just("array"), "items": inner})
        | st.builds(
            lambda parts: closed(**parts),
            st.dictionaries(st.sampled_from("abcd"), inner, max_size=3),
        ).map(lambda schema: {**schema, "required": list(schema["properties"])})
        | st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=3)})
    ),
    max_leaves=6,
)


@given(SCHEMAS, st.booleans())
def test_any_schema_is_filled_or_refused(schema, forced):
    if forced:
        tool = {**SEARCH, "input_schema": closed(value=schema)}
        request = ask("Say hello.", tools=[tool], tool_choice={"type": "any"})
    else:
        request = shaped(closed(value=schema))
    assert post(request).status in (200, 400)
