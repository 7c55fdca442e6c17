"""Facts about the agent's loop: every stop reason, tools, limits, structured output, append-only conversations."""

from __future__ import annotations

import asyncio
import functools
import json

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from kernel import Budget, Client, Handoff, Pause, Registry, Reply, Run, Tool, ToolError, tool
from kernel.core.agent import CheckedAnswer
from kernel.core.events import Note
from kernel.core.tools import definitions
from kernel.core.wire import NEXT_STEP
from tests.on_each import on_each
from tests.scripted import call, requests_of, scripted

TASK = Handoff(intent="add up")


@tool
def add(a: int, b: int) -> int:
    """Adds two whole numbers."""
    if a < 0:
        raise ToolError("a must not be negative; use 0 or more")
    return a + b


class Sum(BaseModel):
    total: int = Field(ge=0)


async def run_agent(agent, *answers, strict=True, **settings):
    client = scripted(*answers, strict=strict)
    run = Run(client, **settings)
    return await run.dispatch(agent, TASK), requests_of(client), run


async def test_an_answer_without_tools_ends_the_loop(agent):
    result, requests, _ = await run_agent(agent(), "hello")
    assert (result.status, result.output) == ("ok", "hello")
    assert requests[0]["messages"] == [{"role": "user", "content": "<task>\nadd up\n</task>"}]


async def test_parallel_calls_are_answered_in_one_message_in_their_order(agent):
    result, requests, _ = await run_agent(
        agent(tools=(add,)), [call("add", a=1, b=2), call("add", a=3, b=4)], "3 and 7"
    )
    answers = requests[1]["messages"][-1]["content"]
    ids = [
        block["id"]
        for block in requests[1]["messages"][1]["content"]
        if block["type"] == "tool_use"
    ]
    assert [(answered["tool_use_id"], answered["content"]) for answered in answers] == list(
        zip(ids, ["3", "7"], strict=True)
    )
    assert result.output == "3 and 7"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (call("add", a=-1, b=2), "a must not be negative"),
        (call("add", a="one", b=2), "a: Input should be a valid integer"),
        (call("add", a=1), "b: Field required"),
        (call("add", a=1, b=2, c=3), "c: Extra inputs are not permitted"),
        (call("subtract", a=1, b=2), "there is no tool 'subtract'; the tools are: add"),
    ],
)
async def test_what_the_model_can_mend_goes_back_to_it_as_an_error(agent, wrong, message):
    result, requests, _ = await run_agent(agent(tools=(add,)), wrong, "sorry", strict=False)
    answer = requests[1]["messages"][-1]["content"][0]
    assert answer["is_error"] is True and message in answer["content"]
    assert result.ok


async def test_a_bug_in_a_tool_propagates(agent):
    @tool
    def broken() -> str:
        """Breaks."""
        raise KeyError("a bug")

    with pytest.raises(KeyError, match="a bug"):
        await run_agent(agent(tools=(broken,)), call("broken"))


async def test_at_max_turns_the_agent_wraps_up_and_nothing_is_thrown_away(agent):
    result, requests, run = await run_agent(
        agent(tools=(add,), max_turns=2), call("add", a=1, b=2), call("add", a=3, b=4), "3, 7"
    )
    assert (result.status, result.output) == ("exhausted", "3, 7") and "2 turns" in result.reason
    assert (
        requests[2]["tool_choice"] == {"type": "none"}
        and requests[2]["tools"] == requests[0]["tools"]
    )
    assert "best final answer now" in requests[2]["messages"][-1]["content"]


async def test_a_budget_of_turns_is_a_limit_for_every_agent_below(agent):
    result, requests, _ = await run_agent(
        agent(tools=(add,)), call("add", a=1, b=2), "done", budget=Budget(turns=1)
    )
    assert result.status == "exhausted" and len(requests) == 2


async def test_a_budget_that_runs_out_between_turns_keeps_what_the_tools_brought(agent):
    result, _, _ = await run_agent(
        agent(tools=(add,)), call("add", a=20, b=22), budget=Budget(calls=1)
    )
    assert result.status == "exhausted" and "budget of 1 call is" in result.reason
    assert result.artifacts == {"tool_results": "42"}


def reply(stop_reason, *content):
    return {
        "content": list(content or [{"type": "text", "text": "so far"}]),
        "stop_reason": stop_reason,
    }


@pytest.mark.parametrize(
    ("stop_reason", "status", "reason"),
    [
        ("end_turn", "ok", ""),
        ("stop_sequence", "ok", ""),
        ("max_tokens", "exhausted", "cut"),
        ("model_context_window_exceeded", "exhausted", "cut"),
        ("refusal", "refused", "refused"),
        ("something_new", "failed", "unknown stop reason 'something_new'"),
    ],
)
async def test_every_stop_reason_ends_as_a_result_with_the_text_so_far(
    agent, stop_reason, status, reason
):
    result, _, _ = await run_agent(agent(), reply(stop_reason))
    assert (result.status, result.output) == (status, "so far") and reason in result.reason


@pytest.mark.parametrize(("kind", "more"), [("server_tool_use", 0), ("text", 1), ("tool_use", 1)])
async def test_a_paused_turn_goes_on_and_never_as_a_prefill(agent, kind, more):
    fields = {"text": "so far"}
    if kind != "text":
        fields = {"id": "t", "name": "add", "input": {"a": 1, "b": 2}}
    block = {"type": kind, **fields}
    result, requests, _ = await run_agent(agent(tools=(add,)), reply("pause_turn", block), "done")
    assert requests[1]["messages"][1] == {"role": "assistant", "content": [block]}
    assert len(requests[1]["messages"]) == 2 + more and result.output == "done"


async def test_the_tool_calls_of_a_cut_turn_are_never_run(agent):
    ran = []

    @tool
    def delete(path: str) -> str:
        """Deletes."""
        ran.append(path)

    result, requests, _ = await run_agent(
        agent(tools=(delete,)),
        reply(
            "max_tokens", {"type": "tool_use", "id": "t", "name": "delete", "input": {"path": "/"}}
        ),
    )
    assert result.status == "exhausted" and ran == [] and len(requests) == 1


async def test_an_empty_reply_is_a_failure_that_says_so(agent):
    result, _, _ = await run_agent(agent(), {"content": [], "stop_reason": "end_turn"})
    assert result.status == "failed" and "nothing to use" in result.reason


def test_the_table_of_stop_reasons_covers_the_official_type():
    from typing import get_args

    from anthropic.types import StopReason

    assert set(get_args(StopReason)) == set(NEXT_STEP)


async def test_thinking_and_unknown_blocks_are_echoed_untouched(agent):
    blocks = [
        {"type": "thinking", "thinking": "", "signature": "abc"},
        {"type": "novelty", "depth": {"a": [1, None]}},
        {
            "type": "tool_use",
            "id": "t1",
            "name": "add",
            "input": {"a": 1, "b": 2},
            "caller": {"type": "direct"},
        },
    ]
    _, requests, _ = await run_agent(
        agent(tools=(add,)), reply("tool_use", *blocks), "3", strict=False
    )
    assert requests[1]["messages"][1]["content"] == blocks


async def test_structured_output_is_validated_and_sent_back_once_it_does_not_fit(agent):
    result, requests, _ = await run_agent(
        agent(output=Sum), '{"total": -3}', '```json\n{"total": 3}\n```'
    )
    assert result.output == Sum(total=3)
    assert (
        "total: Input should be greater than or equal to 0; given -3"
        in requests[1]["messages"][-1]["content"]
    )
    assert requests[0]["output_config"]["format"]["schema"]["additionalProperties"] is False


async def test_a_correction_of_shape_carries_the_schema_and_one_of_a_check_does_not(agent):
    shaped = agent(
        output=Sum, check=lambda total, found: CheckedAnswer(SMALL if total.total < 9 else ())
    )
    result, requests, _ = await run_agent(shaped, "three", '{"total": 3}')
    corrections = [requests[1]["messages"][-1]["content"]]
    assert result.status == "failed" and "too small" in result.reason
    result, requests, _ = await run_agent(shaped, '{"total": 3}', '{"total": 9}')
    corrections.append(requests[1]["messages"][-1]["content"])
    assert result.output == Sum(total=9)
    assert ['"properties"' in correction for correction in corrections] == [True, False]
    assert "too small" in corrections[1]


SMALL = ("the total is too small",)


@on_each("answer", ["three", '{"total": 3}'])
async def test_a_wrong_answer_is_sent_back_once_and_then_is_failed_with_the_words(answer, agent):
    shaped = agent(output=Sum, check=lambda total, found: CheckedAnswer(SMALL))
    result, requests, run = await run_agent(shaped, answer, answer)
    assert (result.status, result.output, len(requests)) == ("failed", None, 2)
    assert result.artifacts["said"] == answer and "asked twice" in result.reason
    notes = [event.text for event in run.events if isinstance(event, Note)]
    assert [note.partition(":")[0] for note in notes] == ["sent back"]


def in_results(text, found):
    """Keeps the words of a text that a tool returned."""
    kept = [word for word in text.split() if word in found]
    lost = [f"{word} was returned by no tool" for word in text.split() if word not in found]
    return CheckedAnswer(lost, " ".join(kept) or None)


async def test_a_check_sees_the_results_of_the_loops_tools_and_leaves_what_can_be_used(agent):
    careful = agent(tools=(add,), check=in_results)
    sums = [call("add", a=1, b=2), call("add", a=-1, b=2)]
    result, requests, _ = await run_agent(careful, sums, "3 5", "3 5")
    assert (result.status, result.output) == ("ok", "3")
    assert result.reason == "left out: 5 was returned by no tool"
    assert requests[-1]["messages"][-1]["content"].endswith("Answer again.")
    result, _, _ = await run_agent(careful, "3", "3")
    assert (result.status, result.output) == ("failed", None)


@on_each(
    ("words", "expected"),
    [("3", ("exhausted", "3")), ("3 5", ("exhausted", "3")), ("5", ("failed", None))],
)
async def test_the_answer_at_a_limit_is_only_cut(words, expected, agent):
    careful = agent(tools=(add,), check=in_results, max_turns=1)
    for last in (
        words,
        {"content": [{"type": "text", "text": words}], "stop_reason": "max_tokens"},
    ):
        result, _, _ = await run_agent(careful, [call("add", a=1, b=2)], last)
        assert (result.status, result.output) == expected


async def test_an_answer_at_a_limit_that_has_no_shape_is_its_text(agent):
    result, _, _ = await run_agent(agent(output=Sum, max_turns=1), "three", "3!")
    assert (result.status, result.output) == ("exhausted", "3!")


async def test_one_agent_serves_many_calls_at_once(agent):
    shared = agent(tools=(add,))
    run = Run(scripted(*["answer"] * 5))
    results = await run.fan_out([(shared, Handoff(intent=f"task {i}")) for i in range(5)])
    assert all(result.ok for result in results)
    with pytest.raises(AttributeError):
        shared.name = "other"


calls = st.lists(
    st.lists(
        st.sampled_from(
            [call("add", a=1, b=1), call("add", a=-1, b=1), call("nothing"), call("add", a="x")]
        ),
        min_size=1,
        max_size=4,
    ),
    max_size=6,
)


@given(calls)
def test_every_tool_use_is_answered_in_the_next_message_and_history_only_grows(turns):
    from kernel import Agent

    agent = Agent("agent", "d", "s", "claude-haiku-5-5", tools=(add,), max_turns=9)
    client = scripted(*turns, "done", strict=False)
    result = asyncio.run(Run(client).dispatch(agent, TASK))
    requests = requests_of(client)
    assert result.output == "done" and len(requests) == len(turns) + 1
    for earlier, later in zip(requests, requests[1:], strict=False):
        assert later["messages"][: len(earlier["messages"])] == earlier["messages"]
        asked = [
            block["id"] for block in later["messages"][-2]["content"] if block["type"] == "tool_use"
        ]
        answered = [block["tool_use_id"] for block in later["messages"][-1]["content"]]
        assert asked == answered


# ── tools ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_tools_schema_comes_from_its_signature_and_its_docstring():
    assert isinstance(add, Tool) and add(2, 3) == 5
    definition = add.definition
    assert (definition["name"], definition["description"]) == ("add", "Adds two whole numbers.")
    assert definition["input_schema"]["properties"]["a"]["type"] == "integer"
    assert definition["input_schema"]["required"] == ["a", "b"]
    json.dumps(definition)


def test_a_tool_without_types_or_docstring_is_refused_with_the_remedy():
    with pytest.raises(TypeError, match="needs a docstring"):

        @tool
        def silent(x: int) -> int:
            return x

    with pytest.raises(TypeError, match="'x' needs a type"):

        @tool
        def untyped(x):
            """Says nothing of x."""

    with pytest.raises(TypeError, match="for example run: Run"):

        @tool
        def blind(run):
            """Does not say that it wants the run."""

    with pytest.raises(TypeError, match="cannot be described"):

        @tool
        def anything(*args: int):
            """Takes all."""

    with pytest.raises(TypeError, match="cannot be described"):

        @tool
        def hidden(_secret: int):
            """Takes what a schema cannot name."""


async def test_a_number_that_json_cannot_hold_goes_back_as_null(agent):
    @tool
    def half(x: float) -> float:
        """Halves a number."""
        return x / 2

    client = Client(
        httpx.MockTransport(lambda request: httpx.Response(200, content=replies.pop(0)))
    )
    replies = [
        b'{"content": [{"type": "tool_use", "id": "%d", "name": "half", "input": {"x": %s}}]}'
        % pair
        for pair in ((1, b"3"), (2, b"1e999"))
    ]
    replies.append(b'{"content": [{"type": "text", "text": "done"}]}')
    run = Run(client)
    result = await run.dispatch(agent(tools=(half,)), TASK)
    *_, last = [event.body["messages"] for event in run.events if event.kind == "request"]
    assert result.ok and last[0]["content"][0]["input"] == {"x": None}


async def test_what_is_not_a_tool_is_refused_with_the_remedy(agent):
    with pytest.raises(TypeError, match="agent got .* as a tool; expected a @tool"):
        await run_agent(agent(tools=(len,)))
    assert definitions((), "agent") == []


async def test_methods_and_partials_are_tools_too(agent):
    class Counter:
        start = 5

        def plus(self, x: int) -> int:
            """Adds to the start."""
            return self.start + x

    tools = (tool(Counter().plus), tool(functools.partial(add.function, b=1), name="next"))
    _, requests, _ = await run_agent(
        agent(tools=tools), [call("plus", x=2), call("next", a=3)], "done"
    )
    assert [block["content"] for block in requests[1]["messages"][-1]["content"]] == ["7", "4"]
    assert [definition["description"] for definition in requests[0]["tools"]] == [
        "Adds to the start.",
        "Adds two whole numbers.",
    ]


async def test_a_tool_keeps_the_contract_and_can_be_registered_and_dispatched():
    @tool
    def count(text: str, word: str = "a") -> int:
        """Counts a word."""
        return text.split().count(word)

    assert Registry().register(count, kind="tool") is count
    run = Run(scripted())
    done = await run.dispatch(count, Handoff(intent="a b a"))
    assert (done.status, done.output, done.by) == ("ok", "2", "count")
    assert (
        await run.dispatch(
            count, Handoff(intent="count it", artifacts={"text": "b b", "word": "b"})
        )
    ).output == "2"
    lost = await run.dispatch(count, Handoff(intent="a", artifacts={"colour": "red"}))
    assert lost.status == "failed" and "colour" in lost.reason


@on_each(
    ("numbers", "comes_back"),
    [
        ("[1, 2]", "ok: 3 for 3 months, 007"),
        ("[1, two]", "failed: arguments of total do not fit the schema. numbers: Input should be a valid"),
        ("1", "failed: arguments of total do not fit the schema. numbers: Input should be a valid list"),
    ],
)  # fmt: skip
async def test_an_argument_that_is_no_text_is_read_as_json_and_a_text_stays_text(
    numbers, comes_back
):
    @tool
    def total(months: int, numbers: list[int], order: str) -> str:
        """Adds numbers."""
        return f"{sum(numbers)} for {months} months, {order}"

    given = {"months": "3", "numbers": numbers, "order": "007"}
    result = await Run(scripted()).dispatch(total, Handoff(intent="add", artifacts=given))
    assert f"{result.status}: {result.as_text()}{result.reason}".startswith(comes_back)


async def test_an_intent_fills_an_argument_like_an_artifact():
    @tool
    def total(numbers: list[int]) -> int:
        """Adds numbers."""
        return sum(numbers)

    @tool
    def echo(text: str) -> str:
        """Gives the text back."""
        return text

    assert (await Run(scripted()).dispatch(total, Handoff(intent="[1, 2]"))).output == "3"
    assert (await Run(scripted()).dispatch(echo, Handoff(intent="[1, 2]"))).output == "[1, 2]"
    lost = await Run(scripted()).dispatch(total, Handoff(intent="add them"))
    assert lost.status == "failed" and "given 'add them'" in lost.reason


async def test_a_tool_may_ask_for_the_run_which_the_model_never_sees(agent):
    @tool
    async def introduce(run: Run, greeting: str = "I am") -> str:
        """Says who runs it."""
        return f"{greeting} {run.name}"

    assert list(introduce.definition["input_schema"]["properties"]) == ["greeting"]
    _, requests, _ = await run_agent(agent(tools=(introduce,)), call("introduce"), "done")
    assert requests[1]["messages"][-1]["content"][0]["content"] == "I am agent"


def test_a_reply_is_read_by_block_type_never_by_position():
    reply = Reply.model_validate(
        {
            "content": [
                {"type": "thinking", "thinking": "", "signature": "s"},
                {"type": "text", "text": "hi"},
            ]
        }
    )
    assert reply.text == "hi" and reply.next_step == "done"


async def test_what_a_call_brought_is_kept_when_its_sibling_pauses_or_runs_out_of_time(agent):
    @tool
    def good() -> str:
        """Gives a fact."""
        return "a fact"

    @tool
    def ask_a_person() -> str:
        """Asks."""
        raise Pause("a person must say")

    @tool
    async def slow() -> str:
        """Waits."""
        await asyncio.sleep(60)

    both = [
        {"type": "tool_use", "id": f"t{i}", "name": name, "input": {}}
        for i, name in enumerate(("good", "ask_a_person"))
    ]
    result, _, _ = await run_agent(agent(tools=(good, ask_a_person)), both)
    assert result.status == "paused" and result.artifacts == {"tool_results": "a fact"}
    late = [{**both[0]}, {**both[1], "name": "slow"}]
    result, _, _ = await run_agent(agent(tools=(good, slow)), late, budget=Budget(seconds=0.05))
    assert result.status == "exhausted" and result.artifacts == {"tool_results": "a fact"}


async def test_half_a_character_from_a_tool_can_be_sent_back(agent):
    @tool
    def list_files() -> str:
        """Lists files."""
        return "caf\udce9.txt"

    result, requests, _ = await run_agent(agent(tools=(list_files,)), call("list_files"), "done")
    assert result.ok and requests[-1]["messages"][-1]["content"][0]["content"] == "caf?.txt"
