"""The official SDK as a client of the server: a loop of its own, the tool runner, streams."""

from __future__ import annotations

import asyncio

import pytest
from desk import RESEARCHER, REVIEWER, WORKER, WRITER, Verdict, message, search

from .conftest import needs

pytestmark = [pytest.mark.clients, needs("anthropic")]
TASK = "Write a brief on pgvector"
MAX_TOKENS = 4096


def is_a_brief(text):
    return "pgvector" in text and "[" in text and 20 < len(text.split()) < 220


def text_of(reply):
    return "".join(block.text for block in reply.content if block.type == "text")


async def test_a_loop_of_its_own_writes_the_brief(port, api):
    assert is_a_brief(await port("on_anthropic").team(TASK))
    assert api.refused == []


async def test_the_tool_runner_goes_on_without_threads_and_writes_the_same_brief(
    port, api, monkeypatch
):
    own = await port("on_anthropic").team(TASK)
    module = port("on_anthropic_runner")
    messages = module.client.beta.messages
    runner = messages.tool_runner

    def by_default(thread, **request):
        return runner(**request)

    monkeypatch.setattr(messages, "tool_runner", by_default)
    assert await module.team(TASK) == own
    assert api.refused and {error["details"]["error_code"] for error in api.refused} == {
        "thread_unsupported_request"
    }


async def test_the_tool_runner_without_threads_is_refused_nothing(port, api):
    assert is_a_brief(await port("on_anthropic_runner").team(TASK))
    assert api.refused == []


def test_a_streaming_tool_runner(url, api):
    import anthropic

    @anthropic.beta_tool
    def look(query: str) -> str:
        """Search the library for documents."""
        return asyncio.run(search(query))

    runner = anthropic.Anthropic(base_url=url).beta.messages.tool_runner(
        model=WORKER,
        max_tokens=MAX_TOKENS,
        system=RESEARCHER,
        tools=[look],
        max_iterations=8,
        messages=[{"role": "user", "content": message("Research pgvector")}],
        stream=True,
    )
    replies = [stream.get_final_message() for stream in runner]
    assert len(replies) > 1 and "pgvector" in text_of(replies[-1])


def test_a_stream_gives_the_words_one_after_the_other(url):
    import anthropic

    client = anthropic.Anthropic(base_url=url)
    request = {
        "model": WORKER,
        "max_tokens": MAX_TOKENS,
        "messages": [{"role": "user", "content": "Hello"}],
    }
    with client.messages.stream(**request) as stream:
        words = list(stream.text_stream)
    assert "".join(words) == text_of(client.messages.create(**request)) and len(words) > 1


def test_a_parsed_answer_and_a_forced_tool(url):
    import anthropic

    client = anthropic.Anthropic(base_url=url)
    text = message(
        "Review the draft",
        artifacts={
            "facts": "- Tea was taxed in 1660. [tea-1]",
            "draft": "Tea was taxed in 1770 [tea-1].",
        },
    )
    request = {
        "model": WORKER,
        "max_tokens": MAX_TOKENS,
        "system": REVIEWER,
        "messages": [{"role": "user", "content": text}],
    }
    parsed = client.messages.parse(**request, output_format=Verdict).parsed_output
    tool = {
        "name": "record",
        "description": "Record the verdict.",
        "input_schema": Verdict.model_json_schema(),
    }
    choice = {"type": "tool", "name": "record"}
    forced = client.messages.create(**request, tools=[tool], tool_choice=choice)
    assert parsed.verdict == "REVISE"
    assert Verdict.model_validate(forced.content[0].input) == parsed


def test_a_cached_prefix_is_read_at_the_second_call(url):
    import anthropic

    client = anthropic.Anthropic(base_url=url)
    system = [{"type": "text", "text": REVIEWER * 10, "cache_control": {"type": "ephemeral"}}]
    request = {
        "model": WORKER,
        "max_tokens": 100,
        "system": system,
        "messages": [{"role": "user", "content": "Hello"}],
    }
    first, second = (client.messages.create(**request).usage for _ in range(2))
    assert first.cache_creation_input_tokens == second.cache_read_input_tokens > 512
    assert first.cache_creation.ephemeral_5m_input_tokens == first.cache_creation_input_tokens


def test_the_account_is_in_the_headers(url):
    import anthropic

    client = anthropic.Anthropic(base_url=url)
    raw = client.messages.with_raw_response.create(
        model=WORKER,
        max_tokens=MAX_TOKENS,
        system=WRITER,
        messages=[
            {
                "role": "user",
                "content": message(
                    "Write a brief on tea", artifacts={"facts": "- Tea is old. [a]"}
                ),
            }
        ],
    )
    assert (
        raw.headers["offline-understood"].startswith("{") and raw.parse().stop_reason == "end_turn"
    )


async def test_exercise_24_is_answered_on_the_sdk_itself(url, api):
    """Its check uses a client of the same shape; here our solution meets the real one."""
    import anthropic

    from classroom.authoring import answers

    space = {}
    for cell in answers.master("24").cells:
        role = cell.metadata.get("workshop", {}).get("role")
        if cell.cell_type == "code" and role in ("given", "answer"):
            exec(cell.source, space)
    parts = {"facts": "- Tea was taxed in 1660. [tea-1]", "draft": "Tea was taxed in 1770 [tea-1]."}
    handoff = space["Handoff"](intent="Review the draft", artifacts=parts)
    client = anthropic.AsyncAnthropic(base_url=url, max_retries=0)
    result = await space["review"](client, handoff)
    assert result.status == "ok" and result.output.verdict == "REVISE" and api.refused == []

    api.calls.clear()
    space["Verdict"] = NeverFits
    result = await space["review"](client, handoff)
    assert result.status == "failed" and [status for _, status, _ in api.calls] == [200, 200]
    gone = anthropic.AsyncAnthropic(base_url="http://127.0.0.1:9", max_retries=0)
    with pytest.raises(anthropic.APIConnectionError):
        await space["review"](gone, handoff)


class NeverFits(Verdict):
    """A verdict that no answer fits, so that the second request, with the reply's blocks, is sent."""

    signed_by: int


def said(words):
    return {"role": "user", "content": words}


def test_what_the_service_refuses_is_an_error_of_its_own_kind(url):
    import anthropic

    hello = {"model": WORKER, "messages": [said("Hello!")], "max_tokens": 20}
    client = anthropic.Anthropic(base_url=url, api_key="k", max_retries=0)
    large = {**hello, "messages": [said("x" * (33 * 1024 * 1024))]}
    with pytest.raises(anthropic.APIStatusError) as problem:
        client.messages.create(**large)
    assert (problem.value.status_code, problem.value.type) == (413, "request_too_large")
    with pytest.raises(anthropic.BadRequestError, match="prompt is too long: .* maximum"):
        client.messages.create(**{**hello, "messages": [said("word " * 1_500_000)]})
    old = client.with_options(default_headers={"anthropic-version": "1999-01-01"})
    with pytest.raises(anthropic.BadRequestError, match="1999-01-01.* is not a valid version"):
        old.messages.create(**hello)
    with pytest.raises(
        anthropic.BadRequestError, match="The offline model's server has no built-in"
    ):
        client.messages.create(
            **hello, tools=[{"type": "web_search_20260318", "name": "web_search"}]
        )
    shown = [model.id for model in client.models.list(limit=1)]
    assert len(shown) == len(set(shown)) > 2  # each page of one, by itself


async def test_a_body_that_is_too_large_is_an_answer_for_a_client_that_is_still_sending(url):
    import anthropic

    async with anthropic.AsyncAnthropic(base_url=url, api_key="k", max_retries=0) as client:
        with pytest.raises(anthropic.APIStatusError) as problem:
            await client.messages.create(
                model=WORKER, messages=[said("x" * (33 * 1024 * 1024))], max_tokens=20
            )
    assert problem.value.status_code == 413


def test_128_000_tokens_are_a_matter_of_the_client(url):
    import anthropic

    hello = {"model": WORKER, "messages": [said("Hello!")], "max_tokens": 128_000}
    client = anthropic.Anthropic(base_url=url, api_key="k", max_retries=0)
    with pytest.raises(ValueError, match="Streaming is required"):
        client.messages.create(**hello)
    reply = client.with_options(timeout=600).messages.create(**hello)  # as LangChain calls it
    with client.messages.stream(**hello) as stream:
        assert text_of(stream.get_final_message()) == text_of(reply)
