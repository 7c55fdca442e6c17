"""The official SDK, validating strictly, takes every kind of reply of the offline model."""

from __future__ import annotations

import pytest

anthropic = pytest.importorskip("anthropic", minversion="2.0")
pydantic = pytest.importorskip("pydantic")

from offline_model import Answer, Faults, OfflineAPI, Server  # noqa: E402
from tests.on_each import on_each  # noqa: E402

HAIKU, SONNET = "claude-haiku-5-5", "claude-sonnet-5-5"
SEARCH = {
    "name": "search",
    "description": "Search.",
    "input_schema": {
        "type": "object",
        "properties": {"query": {"type": "string"}},
        "required": ["query"],
    },
}
USER = {"role": "user", "content": "When was tea taxed?"}


class Verdict(pydantic.BaseModel):
    passed: bool
    score: int = pydantic.Field(ge=0, le=10)


def answer(request, temperament):
    """Searches once when it can, gives a verdict when one is asked for, and talks otherwise."""
    last = request["messages"][-1]["content"]
    if "format" in (request.get("output_config") or {}):
        return Answer(({"type": "text", "text": '{"passed": true, "score": 7}'},))
    if request.get("tools") and isinstance(last, str):
        use = {"type": "tool_use", "name": "search", "input": {"query": "tea tax"}}
        return Answer(
            ({"type": "text", "text": "Let me look."}, use, use), "The question needs a source."
        )
    return Answer(({"type": "text", "text": "In 1660, and until 1964."},), "The facts are there.")


@pytest.fixture(scope="module")
def url():
    with Server(OfflineAPI(answer=answer)) as url:
        yield url


def connect(url, **settings):
    settings = {"api_key": "offline", "max_retries": 0, **settings}
    return anthropic.Anthropic(base_url=url, _strict_response_validation=True, **settings)


def text(message):
    return "".join(block.text for block in message.content if block.type == "text")


def test_a_message(url):
    message = connect(url).messages.create(
        model=HAIKU, max_tokens=100, messages=[USER], system="Be brief."
    )
    assert text(message) == "In 1660, and until 1964." and message.stop_reason == "end_turn"
    assert message._request_id.startswith("req_") and message.usage.input_tokens > 0


@on_each("model", [HAIKU, SONNET])
def test_a_round_trip_with_tools_and_the_thinking_echoed(url, model):
    client = connect(url)
    request = {
        "model": model,
        "max_tokens": 500,
        "tools": [SEARCH],
        "thinking": {"type": "adaptive", "display": "summarized"},
    }
    first = client.messages.create(messages=[USER], **request)
    uses = [block for block in first.content if block.type == "tool_use"]
    assert (
        first.stop_reason == "tool_use" and len(uses) == 2 and first.content[0].type == "thinking"
    )
    results = [{"type": "tool_result", "tool_use_id": use.id, "content": "1660"} for use in uses]
    history = [USER, first.to_param(), {"role": "user", "content": results}]
    assert client.messages.create(messages=history, **request).stop_reason == "end_turn"
    with pytest.raises(anthropic.BadRequestError, match="Invalid `signature` in `thinking` block"):
        client.messages.create(messages=history, system="Another role.", **request)


def test_structured_output(url):
    message = connect(url).messages.parse(
        model=HAIKU, max_tokens=100, messages=[USER], output_format=Verdict
    )
    assert message.parsed_output == Verdict(passed=True, score=7)


@on_each("model", [HAIKU, SONNET])
def test_a_stream_adds_up_to_the_message(url, model):
    client = connect(url)
    request = {
        "model": model,
        "max_tokens": 500,
        "messages": [USER],
        "tools": [SEARCH],
        "thinking": {"type": "adaptive", "display": "summarized"},
    }
    with client.messages.stream(**request) as stream:
        kinds = {event.type for event in stream}
        streamed = stream.get_final_message()
    whole = client.messages.create(**request)
    assert {"message_start", "content_block_delta", "message_stop", "input_json"} <= kinds
    assert [block.model_dump(exclude_none=True) for block in streamed.content] == (
        [block.model_dump(exclude_none=True) for block in whole.content]
    )
    assert streamed.usage == whole.usage and streamed.stop_reason == whole.stop_reason == "tool_use"


def test_raw_events(url):
    events = connect(url).messages.create(model=HAIKU, max_tokens=100, messages=[USER], stream=True)
    assert [event.type for event in events][-2:] == ["message_delta", "message_stop"]


def test_the_token_counter(url):
    client = connect(url)
    counted = client.messages.count_tokens(model=HAIKU, messages=[USER], tools=[SEARCH])
    message = client.messages.create(model=HAIKU, max_tokens=100, messages=[USER], tools=[SEARCH])
    assert counted.input_tokens == message.usage.input_tokens


def test_the_list_of_models(url):
    client = connect(url)
    models = list(client.models.list())
    assert [model.line for model in models] == ["haiku", "sonnet", "opus"]
    assert (
        client.models.retrieve(HAIKU) == models[0]
        and models[0].display_name == "Claude Haiku 5.5 (offline)"
    )
    with pytest.raises(anthropic.NotFoundError):
        client.models.retrieve("claude-none")


def test_errors_are_of_the_right_class(url):
    request = {"model": HAIKU, "max_tokens": 100, "messages": [USER]}
    with pytest.raises(
        anthropic.BadRequestError, match="temperature: Extra inputs are not permitted"
    ):
        connect(url).messages.create(**request, extra_body={"temperature": 1})
    with pytest.raises(anthropic.AuthenticationError):
        connect(url, api_key="invalid").messages.create(**request)
    with pytest.raises(anthropic.NotFoundError, match="model: claude-none"):
        connect(url).messages.create(**{**request, "model": "claude-none"})


def test_faults_are_of_the_right_class_and_retried_away():
    request = {"model": HAIKU, "max_tokens": 100, "messages": [USER]}
    faults = Faults(
        first=("429", "500", "529", "disconnect", "cut", "refusal", "429", "529"),
        retry_after_s=0.01,
    )
    with Server(OfflineAPI(answer=answer, faults=faults)) as url:
        for kind in (
            anthropic.RateLimitError,
            anthropic.InternalServerError,
            anthropic.APIStatusError,
            anthropic.APIConnectionError,
        ):
            with pytest.raises(kind):
                connect(url).messages.create(**request)
        assert connect(url).messages.create(**request).stop_reason == "max_tokens"
        refused = connect(url).messages.create(**request)
        assert refused.stop_reason == "refusal" and refused.stop_details.type == "refusal"
        assert connect(url, max_retries=2).messages.create(**request).stop_reason == "end_turn"
