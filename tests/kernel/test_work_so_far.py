"""Facts about what a run still has when something ends it: deadlines, refusals, odd outputs, bugs, readers."""

from __future__ import annotations

import asyncio
import threading

import httpx
import pytest

from kernel import (
    Budget,
    Client,
    DeterministicSupervisor,
    Exhausted,
    Handoff,
    Reply,
    Result,
    Run,
    Trace,
    tool,
)
from kernel.core.budget import NOTHING
from offline_model import Script
from tests.on_each import on_each
from tests.scripted import Worker, call, scripted

TASK = Handoff(intent="do it")
SHORT = Budget(seconds=0.25)


async def slow(handoff, run):
    await asyncio.sleep(60)


@tool
async def look(q: str) -> str:
    """Looks something up."""
    return "FOUND"


# ── a deadline, or a cancellation, above ───────────────────────────────────────────────────────────────────


async def test_branches_that_finished_before_the_deadline_of_their_parent_are_kept():
    async def team(handoff, run):
        jobs = [(Worker("done", "DONE"), handoff), (Worker("slow", slow), handoff)]
        return str(await run.fan_out(jobs))

    result = await Run(scripted()).dispatch(Worker("team", team), TASK, budget=SHORT)
    assert (result.status, result.artifacts) == ("exhausted", {"done": "DONE"})


async def test_what_two_branches_of_one_name_brought_is_kept_under_two_names():
    async def team(handoff, run):
        jobs = [(Worker("done", text), handoff) for text in ("one", "two")]
        await run.fan_out([*jobs, (Worker("slow", slow), handoff)])

    result = await Run(scripted()).dispatch(Worker("team", team), TASK, budget=SHORT)
    assert result.artifacts == {"done": "one", "done-2": "two"}


async def test_what_a_specialist_two_levels_below_has_when_time_is_up_is_kept():
    async def leaf(handoff, run):
        run.output = "half a draft"
        run.keep(notes="three notes")
        await slow(handoff, run)

    lead = Worker("lead", lambda handoff, run: run.dispatch(Worker("writer", leaf), handoff))
    boss = Worker("boss", lambda handoff, run: run.dispatch(lead, handoff))
    run = Run(scripted())
    result = await run.dispatch(boss, TASK, budget=SHORT)
    assert "half a draft" in result.artifacts.values()
    assert result.artifacts["notes"] == "three notes"
    cancelled = [event.result for event in run.events if event.kind == "return"][:2]
    assert [result.status for result in cancelled] == ["cancelled", "cancelled"]
    assert all("three notes" in result.artifacts.values() for result in cancelled)


async def test_what_the_tools_of_a_specialist_under_way_brought_is_kept(agent):
    @tool
    async def wait(q: str) -> str:
        """Waits."""
        await asyncio.sleep(60)
        return ""

    researcher = agent(name="researcher", tools=(look, wait))
    desk = DeterministicSupervisor(researcher, Worker("writer"), Worker("reviewer"))
    run = Run(scripted([call("look", q="a")], [call("wait", q="b")]))
    result = await run.dispatch(desk, TASK, budget=SHORT)
    assert result.artifacts["tool_results"] == "FOUND"


async def test_work_that_a_caller_gathered_by_hand_is_kept_too():
    async def team(handoff, run):
        first = run.dispatch(Worker("done", "DONE"), handoff)
        await asyncio.gather(first, run.dispatch(Worker("slow", slow), handoff))

    result = await Run(scripted()).dispatch(Worker("team", team), TASK, budget=SHORT)
    assert result.artifacts == {"done": "DONE"}


async def test_what_a_transparent_wrapper_waited_for_is_its_own_work():
    class Wrapper:
        name = description = "wrapper"

        def __init__(self, inner):
            self.wraps = inner

        async def execute(self, handoff, run):
            return await run.dispatch(self.wraps, handoff)

    async def draft(handoff, run):
        run.output = "half a draft"
        await slow(handoff, run)

    run = Run(scripted())
    result = await run.dispatch(Wrapper(Worker("writer", draft)), TASK, budget=SHORT)
    assert (result.output, result.artifacts) == ("half a draft", {})


async def test_a_branch_that_a_bug_ends_keeps_its_work():
    def bug(handoff, run):
        run.keep(facts="facts")
        raise ValueError("a bug")

    (result,) = await Run(scripted()).fan_out([(Worker("a", bug), TASK)])
    assert (result.status, result.artifacts) == ("failed", {"facts": "facts"})


async def test_a_bug_below_loses_no_work_below():
    async def bug(handoff, run):
        run.keep(facts="facts")
        run.output = "a draft"
        raise ValueError("a bug")

    async def outer(handoff, run):
        return await run.dispatch(Worker("inner", bug), handoff)

    (result,) = await Run(scripted()).fan_out([(Worker("outer", outer), TASK)])
    assert (result.status, result.reason) == ("failed", "ValueError: a bug")
    assert result.artifacts == {"facts": "facts", "inner": "a draft"}


async def test_a_branch_that_waits_for_something_cancelled_keeps_its_work():
    async def waits(handoff, run):
        run.keep(facts="facts")
        other = asyncio.ensure_future(asyncio.sleep(60))
        other.cancel()
        await other

    branches = [(Worker("waits", waits), TASK), (Worker("writer", "a draft"), TASK)]
    first, second = await Run(scripted()).fan_out(branches)
    assert (first.status, first.artifacts) == ("cancelled", {"facts": "facts"})
    assert first.reason == "cancelled by something that it waited for" and second.ok


# ── the last reply says nothing ────────────────────────────────────────────────────────────────────────────

INTERIM = [{"type": "text", "text": "INTERIM"}, call("look", q="x")]


@pytest.mark.parametrize(
    "last",
    [
        {"content": [], "stop_reason": "refusal"},
        {"content": [], "stop_reason": "end_turn"},
        {"content": [], "stop_reason": "something new"},
        {"content": [], "stop_reason": "model_context_window_exceeded"},
        {"content": [call("look", q="y")], "stop_reason": "max_tokens"},
    ],
    ids=lambda last: last["stop_reason"],
)
async def test_what_was_said_before_a_reply_without_text_is_the_output(agent, last):
    run = Run(scripted(INTERIM, last, strict=False))
    result = await run.dispatch(agent(tools=(look,)), TASK)
    assert not result.ok and result.output == "INTERIM"


async def test_what_was_said_before_an_empty_wrap_up_is_the_output(agent):
    run = Run(scripted(INTERIM, {"content": [], "stop_reason": "end_turn"}, strict=False))
    result = await run.dispatch(agent(tools=(look,), max_turns=1), TASK)
    assert (result.status, result.output) == ("exhausted", "INTERIM")


@pytest.mark.parametrize("details", [["x"], "x", 3, None])
async def test_a_refusal_with_odd_details_is_a_refusal(agent, details):
    refusal = {"content": [], "stop_reason": "refusal", "stop_details": details}
    result = await Run(scripted(refusal, strict=False)).dispatch(agent(), TASK)
    assert (result.status, result.reason) == ("refused", "the model refused: no reason given")


# ── outputs and names that no log can hold ─────────────────────────────────────────────────────────────────


class Unspeakable:
    def __str__(self):
        raise RuntimeError("no text")

    __repr__ = __str__


def without_end():
    endless = []
    endless.append(endless)
    return endless


def deep(levels):
    nested = []
    for _ in range(levels):
        nested = [nested]
    return nested


@pytest.mark.parametrize(
    "output",
    [
        without_end(),
        deep(10_000),
        Unspeakable(),
        {"a": Unspeakable()},
        threading.Lock(),
        {"\ud800": 1},
    ],
    ids=["in itself", "deep", "no text", "no text within", "a lock", "half a character as a key"],
)
async def test_an_output_that_json_cannot_hold_reaches_the_caller_and_the_log(tmp_path, output):
    run = Run(scripted())
    result = await run.dispatch(Worker(work=Result(status="ok", output=output)), TASK)
    assert result.ok and result.output is output
    assert [event.kind for event in run.events] == ["dispatch", "return"]
    run.trace().save(tmp_path / "run.jsonl")
    assert Trace.load(tmp_path / "run.jsonl").events == run.events


async def test_a_generator_is_not_used_up_by_its_record():
    numbers = (number for number in range(3))
    run = Run(scripted())
    result = await run.dispatch(Worker(work=Result(status="ok", output=numbers)), TASK)
    assert [*result.output] == [0, 1, 2]


async def test_an_executable_whose_comparison_raises_has_its_return():
    class Odd(Worker):
        def __eq__(self, other):
            raise RuntimeError("not comparable")

        __hash__ = None

    odd = Odd("odd", lambda handoff, run: run.dispatch(Odd("inner"), TASK))
    run = Run(scripted())
    assert (await run.dispatch(odd, TASK)).ok
    assert [event.kind for event in run.events] == ["dispatch", "dispatch", "return", "return"]


async def test_half_a_character_in_a_name_ends_as_a_result_with_a_return(tmp_path):
    run = Run(scripted())
    result = await run.dispatch(Worker("half \ud800"), TASK)
    assert result.ok and [event.kind for event in run.events] == ["dispatch", "return"]
    run.trace().save(tmp_path / "run.jsonl")
    assert len(Trace.load(tmp_path / "run.jsonl").events) == 2


async def test_fields_of_a_note_that_json_cannot_hold_do_not_lose_the_record(tmp_path):
    run = Run(scripted())
    run.note("a lock", about="locks", it=threading.Lock(), text="fields may have any name")
    run.trace().save(tmp_path / "run.jsonl")
    (note,) = Trace.load(tmp_path / "run.jsonl").events
    assert (note.text, note.about) == ("a lock", "locks") and "lock" in note.fields["it"]


async def test_work_is_kept_under_any_name_and_of_any_kind():
    async def work(handoff, run):
        run.keep(**{"self": "me", "x": 5})
        await slow(handoff, run)

    result = await Run(scripted()).dispatch(Worker(work=work), TASK, budget=SHORT)
    assert result.artifacts == {"self": "me", "x": "5"}


# ── records are not changed afterwards ─────────────────────────────────────────────────────────────────────


async def test_an_executable_that_changes_its_handoff_changes_nobody_elses():
    def work(handoff, run):
        handoff.artifacts["facts"] = "other facts"
        return "done"

    run = Run(scripted())
    handoff = Handoff(intent="x", artifacts={"facts": "facts"})
    second = Worker("b")
    await run.fan_out([(Worker("a", work), handoff), (second, handoff)])
    assert handoff.artifacts == second.seen[0].artifacts == {"facts": "facts"}
    assert all(handoff["artifacts"] == {"facts": "facts"} for handoff in run.trace().handoffs())


async def test_a_tool_that_changes_its_arguments_changes_no_record(agent):
    @tool
    def take(items: dict) -> str:
        """Takes all."""
        items.clear()
        return "taken"

    run = Run(scripted([call("take", items={"a": [1]})], "done"))
    await run.dispatch(agent(tools=(take,)), TASK)
    (called,) = [event for event in run.events if event.kind == "tool_call"]
    assert called.input == {"items": {"a": [1]}}
    replied = next(event for event in run.events if event.kind == "reply")
    assert replied.reply.tool_calls[0].input == {"items": {"a": [1]}}


def test_a_reply_is_frozen():
    reply = Reply.model_validate({"content": [{"type": "text", "text": "a"}]})
    with pytest.raises(ValueError, match="frozen"):
        reply.content[0].text = "b"


# ── branches that cannot run ───────────────────────────────────────────────────────────────────────────────


def generator_exit(handoff, run):
    raise GeneratorExit


def cancels_itself(handoff, run):
    asyncio.current_task().cancel()
    return asyncio.sleep(60)


@on_each(
    ("job", "status"),
    [
        ((None, TASK), "failed"),
        ((Worker, TASK), "failed"),
        ((Worker("b"),), "failed"),
        ((), "failed"),
        (None, "failed"),
        ((Worker("b"), "do it"), "failed"),
        ((Worker("b", generator_exit), TASK), "failed"),
        ((Worker("b", cancels_itself), TASK), "cancelled"),
    ],
    ids=["none", "class", "short", "empty", "nothing", "text", "generator exit", "own task"],
)
async def test_a_branch_that_cannot_run_leaves_its_siblings_alone(job, status):
    first, second, third = await Run(scripted()).fan_out(
        [(Worker("a"), TASK), job, (Worker("c"), TASK)]
    )
    assert (first.status, second.status, third.status) == ("ok", status, "ok")
    assert second.reason


async def test_what_cannot_be_dispatched_is_named():
    with pytest.raises(
        TypeError, match="None cannot be dispatched: it needs name, description and execute"
    ):
        await Run(scripted()).dispatch(None, TASK)
    with pytest.raises(TypeError, match="worker was given do it; expected a Handoff"):
        await Run(scripted()).dispatch(Worker(), "do it")


# ── readers ────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_reader_that_notes_and_then_fails_is_dropped_and_the_run_goes_on():
    run = Run(scripted())

    def broken(event):
        if event.kind != "note":
            run.note("I saw something")
        raise RuntimeError("no screen")

    run.subscribe(broken)
    with pytest.warns(UserWarning, match="no screen"):
        assert (await run.dispatch(Worker(), TASK)).ok


async def test_a_reader_whose_error_has_no_text_is_dropped_and_the_run_goes_on():
    class Wordless(Exception):
        __str__ = __repr__ = Unspeakable.__str__

    def broken(event):
        raise Wordless

    run = Run(scripted(), on_event=broken)
    with pytest.warns(UserWarning, match="a reader of events failed and was dropped: Wordless"):
        assert (await run.dispatch(Worker(), TASK)).ok


@pytest.mark.filterwarnings("error")
async def test_where_warnings_are_errors_a_dropped_reader_is_noted():
    def broken(event):
        raise RuntimeError("no screen")

    run = Run(scripted(), on_event=broken)
    assert (await run.dispatch(Worker(), TASK)).ok
    assert any(event.kind == "note" and "no screen" in event.text for event in run.events)


# ── money and time ─────────────────────────────────────────────────────────────────────────────────────────

ASK = {"model": "claude-haiku-5-5", "messages": [{"role": "user", "content": "hi"}]}


async def test_a_request_of_the_root_has_the_roots_deadline():
    class Silent(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request):
            await asyncio.sleep(60)

    run = Run(Client(Silent()), budget=SHORT)
    with pytest.raises(Exhausted, match="user was stopped at its deadline of 0.25 s"):
        await run.ask(**ASK)
    assert run.spent.calls == 1 and run.ledger.reserved == NOTHING


async def test_a_request_that_was_never_sent_costs_nothing():
    class Wrapped(Client):
        async def send(self, request, *, on_retry=None):
            raise Exhausted("the bank has no more")

    run = Run(Wrapped(Script([])))
    with pytest.raises(Exhausted, match="the bank"):
        await run.ask(**ASK)
    assert run.spent == NOTHING == run.ledger.reserved


async def test_a_request_that_is_cancelled_while_it_waits_for_a_place_costs_nothing():
    run = Run(scripted("never", concurrency=1))
    async with run.client.slots:
        asked = asyncio.ensure_future(run.ask(**ASK))
        await asyncio.sleep(0)
        asked.cancel()
        await asyncio.gather(asked, return_exceptions=True)
    assert run.spent == NOTHING == run.ledger.reserved


async def test_a_dollar_cap_of_a_run_holds_for_an_unknown_price_where_somebody_is_billed():
    client = Client(Script(["never"]), unknown_price_ok=False)
    run = Run(client, budget=Budget(usd="0.0001"))
    with pytest.raises(Exhausted, match="price of this model is not known"):
        await run.ask(**{**ASK, "model": "a new model"})
    assert not client.transport.requests


# ── a request that waits, and the call behind a dispatch ───────────────────────────────────────────────────


async def test_a_request_that_waits_for_a_budget_says_so(agent):
    reply = {"content": [{"type": "text", "text": "hi"}], "stop_reason": "end_turn"}
    run = Run(scripted(reply, reply, reply), budget=Budget(tokens=5_000))
    results = await run.fan_out([(agent(name=f"a{number}"), TASK) for number in range(3)])
    assert all(result.ok for result in results)
    waited = [event for event in run.events if event.kind == "wait"]
    assert waited and waited[0].at_once == 1
    assert waited[0].reason == "the run's budget of 5000 tokens has no room for more"
    assert "waits, 1 at once: the run's budget of 5000 tokens" in str(run.trace())


async def test_a_request_that_has_room_does_not_say_that_it_waits(agent):
    run = Run(scripted("hi"), budget=Budget(tokens=50_000, calls=1, usd="1"))
    await run.dispatch(agent(), TASK)
    assert not [event for event in run.events if event.kind == "wait"]


async def test_a_dispatch_names_the_tool_call_behind_it(agent):
    @tool
    async def ask_twice(q: str, run: Run) -> str:
        """Asks two."""
        results = await run.fan_out([(Worker(f"{q}{number}", deeper), TASK) for number in (1, 2)])
        return str(len(results))

    def deeper(handoff, run):
        return run.dispatch(Worker("leaf"), TASK)

    calls = [{**call("ask_twice", q=name), "id": f"toolu_{name}"} for name in ("a", "b")]
    run = Run(scripted(calls, "done"))
    await run.dispatch(agent(tools=(ask_twice,)), TASK)
    caused = {event.agent: event.call for event in run.events if event.kind == "dispatch"}
    assert {name: caused[name] for name in ("a1", "a2", "b1", "b2")} == {
        "a1": "toolu_a",
        "a2": "toolu_a",
        "b1": "toolu_b",
        "b2": "toolu_b",
    }
    assert caused["agent"] == caused["leaf"] == ""
