"""The official SDK as a client of the server: a loop of its own, the tool runner, streams."""

from __future__ import annotations

import asyncio

import pytest

from .conftest import needs
from .desk import (
    ABOUT,
    BOSS,
    RESEARCHER,
    REVIEWER,
    SUPERVISE,
    WORKER,
    WRITER,
    Verdict,
    message,
    search,
)

pytestmark = [pytest.mark.clients, needs("anthropic")]
TASK = "Write a brief on pgvector"
MAX_TOKENS = 4096
HANDOFF = {
    "type": "object",
    "required": ["intent"],
    "properties": {
        "intent": {"type": "string"},
        "context": {"type": "string"},
        "artifacts": {"type": "object", "additionalProperties": {"type": "string"}},
    },
}
SEARCH = {
    "name": "search",
    "description": search.__doc__,
    "input_schema": {
        "type": "object",
        "properties": {"query": {"type": "string"}},
        "required": ["query"],
    },
}


def is_a_brief(text):
    return "pgvector" in text and "[" in text and 20 < len(text.split()) < 220


def text_of(reply):
    return "".join(block.text for block in reply.content if block.type == "text")


class OwnLoop:
    """The team with the SDK's `messages.create` and a loop of thirty lines."""

    def __init__(self, url):
        import anthropic

        self.client = anthropic.AsyncAnthropic(base_url=url)

    async def ask(self, model, system, text, tools=(), use=None, **more):
        messages = [{"role": "user", "content": text}]
        for _ in range(12):
            reply = await self.client.messages.create(
                model=model,
                max_tokens=MAX_TOKENS,
                system=system,
                messages=messages,
                tools=list(tools),
                **more,
            )
            if reply.stop_reason != "tool_use":
                return text_of(reply)
            calls = [block for block in reply.content if block.type == "tool_use"]
            results = [
                {
                    "type": "tool_result",
                    "tool_use_id": call.id,
                    "content": await use(call.name, call.input),
                }
                for call in calls
            ]
            messages += [
                {"role": "assistant", "content": reply.content},
                {"role": "user", "content": results},
            ]
        raise AssertionError("out of turns")

    async def specialist(self, name, arguments):
        from anthropic import transform_schema

        text = message(**arguments)
        if name == "search":
            return await search(**arguments)
        if name == "handoff_to_researcher":
            return await self.ask(
                WORKER, RESEARCHER, text, [SEARCH], lambda _, given: search(**given)
            )
        if name == "handoff_to_writer":
            return await self.ask(WORKER, WRITER, text)
        shape = {"format": {"type": "json_schema", "schema": transform_schema(Verdict)}}
        return await self.ask(WORKER, REVIEWER, text, output_config=shape)

    async def team(self, task):
        tools = [
            {"name": f"handoff_to_{name}", "description": about, "input_schema": HANDOFF}
            for name, about in ABOUT.items()
        ]
        return await self.ask(BOSS, SUPERVISE, message(task), tools, self.specialist)


async def runner_team(url, task, **settings):
    """The team with the SDK's tool runner, which runs the tools by itself."""
    import anthropic

    client = anthropic.AsyncAnthropic(base_url=url)

    async def agent(model, system, text, tools=(), **more):
        runner = client.beta.messages.tool_runner(
            model=model,
            max_tokens=MAX_TOKENS,
            system=system,
            tools=list(tools),
            max_iterations=12,
            messages=[{"role": "user", "content": text}],
            **more,
            **settings,
        )
        return text_of(await runner.until_done())

    look = anthropic.beta_async_tool(search)

    @anthropic.beta_async_tool(description=ABOUT["researcher"])
    async def handoff_to_researcher(
        intent: str, context: str = "", artifacts: dict[str, str] | None = None
    ) -> str:
        return await agent(WORKER, RESEARCHER, message(intent, context, artifacts), [look])

    @anthropic.beta_async_tool(description=ABOUT["writer"])
    async def handoff_to_writer(
        intent: str, context: str = "", artifacts: dict[str, str] | None = None
    ) -> str:
        return await agent(WORKER, WRITER, message(intent, context, artifacts))

    @anthropic.beta_async_tool(description=ABOUT["reviewer"])
    async def handoff_to_reviewer(
        intent: str, context: str = "", artifacts: dict[str, str] | None = None
    ) -> str:
        return await agent(
            WORKER, REVIEWER, message(intent, context, artifacts), output_format=Verdict
        )

    team = [handoff_to_researcher, handoff_to_writer, handoff_to_reviewer]
    return await agent(BOSS, SUPERVISE, message(task), team)


async def test_a_loop_of_its_own_writes_the_brief(url, api):
    assert is_a_brief(await OwnLoop(url).team(TASK))
    assert api.refused == []


async def test_the_tool_runner_goes_on_without_threads_and_writes_the_same_brief(url, api):
    own = await OwnLoop(url).team(TASK)
    assert await runner_team(url, TASK) == own
    assert api.refused and {error["details"]["error_code"] for error in api.refused} == {
        "thread_unsupported_request"
    }


async def test_the_tool_runner_without_threads_is_refused_nothing(url, api):
    assert is_a_brief(await runner_team(url, TASK, thread=False))
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
