"""Facts about the door: depth, rings, repeats, deadlines, cancellation, isolation, order, records."""

from __future__ import annotations

import asyncio
from decimal import Decimal

import httpx
import pytest

from kernel import (
    ApiError,
    Budget,
    Client,
    Exhausted,
    Handoff,
    Pause,
    Result,
    Run,
    Trace,
    Usage,
    connect,
    models,
)
from kernel.core.budget import NOTHING
from offline_model import OfflineTransport, Script
from tests.on_each import on_each
from tests.scripted import Worker, no_sleep, requests_of, scripted

TASK = Handoff(intent="do it")


def run_of(client=None, **settings):
    return Run(client or scripted(), **settings)


async def test_a_dispatch_stamps_the_handoff_and_records_it_in_full():
    run, worker = run_of(), Worker()
    result = await run.dispatch(worker, Handoff(intent="do it", artifacts={"facts": "x" * 5000}))
    assert result == Result(status="ok", output="done", by="worker")
    assert (worker.seen[0].from_agent, worker.seen[0].to_agent, worker.seen[0].return_to) == (
        "user",
        "worker",
        "user",
    )
    assert run.trace().handoffs()[0]["artifacts"]["facts"] == "x" * 5000
    assert [event.kind for event in run.events] == ["dispatch", "return"]


async def test_a_result_of_any_kind_can_be_recorded(tmp_path):
    thing = object()
    run = run_of()
    result = await run.dispatch(Worker(work=thing), TASK)
    run.trace().save(tmp_path / "run.jsonl")
    assert result.output is thing and "object object" in run.events[-1].result.output


async def test_three_levels_and_no_fourth():
    def deeper(level):
        return Worker(f"level{level}", lambda handoff, run: run.dispatch(deeper(level + 1), TASK))

    result = await run_of().dispatch(deeper(1), TASK)
    assert result.status == "refused" and "too deep" in result.reason and "level4" in result.reason


async def test_a_run_that_is_allowed_more_levels_has_them_and_a_dispatch_may_have_fewer():
    def deeper(level):
        return Worker(f"level{level}", lambda handoff, run: run.dispatch(deeper(level + 1), TASK))

    result = await run_of(budget=Budget(depth=5)).dispatch(deeper(1), TASK, budget=Budget(calls=9))
    assert "too deep" in result.reason and "level6" in result.reason
    result = await run_of(budget=Budget(depth=5)).dispatch(deeper(1), TASK, budget=Budget(depth=1))
    assert "too deep" in result.reason and "level3" in result.reason


async def test_a_ring_of_agents_that_call_each_other_is_refused():
    first = Worker(
        "first", lambda handoff, run: run.dispatch(second, Handoff(intent=f"more {handoff.intent}"))
    )
    second = Worker(
        "second", lambda handoff, run: run.dispatch(first, Handoff(intent=f"more {handoff.intent}"))
    )
    result = await run_of(budget=Budget(depth=9)).dispatch(first, TASK)
    assert result.status == "refused" and "ring: first → second → first" in result.reason


async def test_the_same_handoff_to_the_same_agent_is_refused_the_second_time():
    run, worker = run_of(), Worker()
    await run.dispatch(worker, TASK)
    again = await run.dispatch(worker, TASK)
    assert again.status == "refused" and "the same handoff" in again.reason
    two = {"draft": "1", "facts": "2"}
    for artifacts, status in ((two, "ok"), (dict(reversed(two.items())), "refused")):
        result = await run.dispatch(worker, TASK.with_artifacts(artifacts))
        assert result.status == status, "artifacts have no order"
    assert (await run.dispatch(worker, Handoff(intent="something else"))).ok
    assert len(worker.seen) == 3


async def test_a_handoff_that_failed_may_be_given_again():
    run, outcomes = run_of(), [Result(status="failed"), Result(status="ok")]
    worker = Worker("worker", lambda handoff, run: outcomes.pop(0))
    assert [
        (await run.dispatch(worker, TASK)).status,
        (await run.dispatch(worker, TASK)).status,
    ] == ["failed", "ok"]


async def test_a_deadline_ends_as_a_result_with_the_work_so_far():
    async def slow(handoff, run):
        run.keep(facts="three facts")
        run.output = "half a brief"
        await asyncio.sleep(60)

    result = await run_of().dispatch(Worker("slow", slow), TASK, budget=Budget(seconds=0.01))
    assert result.status == "exhausted" and "deadline of 0.01 s" in result.reason
    assert result.output == "half a brief" and result.artifacts == {"facts": "three facts"}


@on_each(
    ("runs", "own", "named"),
    [(0.01, None, "0.01 s"), (0.01, 60, "0.01 s"), (60, 0.01, "0.01 s"), (0, None, "0 s")],
)
async def test_the_runs_own_deadline_holds_for_what_it_dispatches_and_the_tighter_one_counts(
    runs, own, named
):
    async def slow(handoff, run):
        await asyncio.sleep(60)

    boss = Worker("boss", lambda handoff, run: run.dispatch(Worker("slow", slow), TASK))
    result = await run_of(budget=Budget(seconds=runs)).dispatch(
        boss, TASK, budget=Budget(seconds=own)
    )
    assert (
        result.status == "exhausted"
        and f"boss was stopped at its deadline of {named}" in result.reason
    )


async def test_a_timeout_that_is_not_the_doors_own_is_a_bug_and_propagates():
    def bug(handoff, run):
        raise TimeoutError("of a library")

    with pytest.raises(TimeoutError, match="of a library"):
        await run_of().dispatch(Worker("worker", bug), TASK)


async def test_cancellation_reaches_the_children_and_is_never_swallowed():
    reached = []

    async def wait(handoff, run):
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            reached.append(handoff.intent)
            raise

    run = run_of()
    boss = Worker(
        "boss",
        lambda handoff, run: run.fan_out(
            [(Worker(f"w{i}", wait), Handoff(intent=f"{i}")) for i in range(3)]
        ),
    )
    task = asyncio.ensure_future(run.dispatch(boss, TASK))
    while sum(event.kind == "dispatch" for event in run.events) < 4:
        await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert sorted(reached) == ["0", "1", "2"]
    assert [e.result.status for e in run.events if e.kind == "return"] == ["cancelled"] * 4


async def test_a_branch_that_fails_does_not_take_its_siblings_along():
    def bug(handoff, run):
        raise ValueError("a bug")

    branches = [(Worker("a"), TASK), (Worker("b", bug), TASK), (Worker("c"), TASK)]
    results = await run_of().fan_out(branches)
    assert [result.status for result in results] == ["ok", "failed", "ok"]
    assert results[1].reason == "ValueError: a bug" and results[1].by == "b"


async def test_a_bug_in_a_single_dispatch_propagates_and_is_recorded():
    def bug(handoff, run):
        raise ValueError("a bug")

    run = run_of()
    with pytest.raises(ValueError, match="a bug"):
        await run.dispatch(Worker("worker", bug), TASK)
    assert run.events[-1].result.reason == "ValueError: a bug"


async def test_an_executable_that_returns_no_result_is_told_so():
    class Wrong(Worker):
        async def execute(self, handoff, run):
            return "text"

    with pytest.raises(TypeError, match="returned str; it must return a Result"):
        await run_of().dispatch(Wrong(), TASK)


async def test_results_come_in_the_order_asked_for_and_the_limit_holds():
    gates, running, peak = [asyncio.Event() for _ in range(5)], 0, 0

    async def work(handoff, run):
        nonlocal running, peak
        running, peak = running + 1, max(peak, running + 1)
        await gates[int(handoff.intent)].wait()
        running -= 1
        return handoff.intent

    async def open_backwards():
        for gate in reversed(gates):
            await asyncio.sleep(0)
            gate.set()

    results, _ = await asyncio.gather(
        run_of().fan_out(
            [(Worker(f"w{i}", work), Handoff(intent=str(i))) for i in range(5)], limit=2
        ),
        open_backwards(),
    )
    assert [result.output for result in results] == ["0", "1", "2", "3", "4"]
    assert peak == 2


async def test_a_fan_out_of_nothing_is_nothing_and_a_limit_of_none_at_all_is_refused():
    assert await run_of().fan_out([]) == []
    with pytest.raises(ValueError, match="limit is 0"):
        await run_of().fan_out([(Worker(), TASK)], limit=0)


async def test_a_cap_of_three_calls_sends_exactly_three_requests_for_eight_branches(agent):
    client = scripted(*["answer"] * 3)
    run = run_of(client, budget=Budget(calls=3))
    results = await run.fan_out([(agent(name=f"a{i}"), TASK) for i in range(8)])
    assert sorted(result.status for result in results) == ["exhausted"] * 5 + ["ok"] * 3
    assert len(requests_of(client)) == 3 and run.spent.calls == 3


async def test_a_specialists_own_budget_and_the_runs_both_hold(agent):
    run = run_of(scripted("one"), budget=Budget(calls=5))
    assert (await run.dispatch(agent(), TASK, budget=Budget(calls=0))).status == "exhausted"
    assert (
        await run.dispatch(agent(), Handoff(intent="next"), budget=Budget(calls=1))
    ).status == "ok"
    assert run.spent.calls == 1


async def test_the_concurrency_limit_is_around_requests_so_nested_teams_do_not_deadlock(agent):
    client = scripted(*["answer"] * 4, concurrency=1)
    teams = [
        (
            Worker(
                f"lead{i}",
                lambda handoff, run, i=i: run.fan_out(
                    [(agent(name=f"a{i}{j}"), TASK) for j in range(2)]
                ),
            ),
            TASK,
        )
        for i in range(2)
    ]
    results = await asyncio.wait_for(run_of(client).fan_out(teams), 10)
    assert all(result.status == "ok" for result in results)


async def test_a_pause_is_a_result_with_its_question():
    def ask(handoff, run):
        raise Pause("Do the facts look right?")

    result = await run_of().dispatch(Worker("worker", ask), TASK)
    assert (result.status, result.reason) == ("paused", "Do the facts look right?")


async def test_a_service_that_fails_is_a_result(agent):
    result = await run_of(scripted(400)).dispatch(agent(), TASK)
    assert result.status == "failed" and "400" in result.reason


async def test_when_no_answer_came_the_whole_reservation_is_charged_since_the_service_may_have_worked(
    agent,
):
    client = Client(Script([httpx.ReadTimeout("slow")]), retries=0)
    run = run_of(client)
    await run.dispatch(agent(), TASK)
    assert run.spent.calls == 1 and run.spent.output_tokens == 4096
    assert run.ledger.reserved.calls == 0


async def test_a_reader_that_fails_is_dropped_and_the_run_goes_on():
    seen = []

    def broken(event):
        raise RuntimeError("no screen")

    run = run_of(on_event=broken)
    run.subscribe(seen.append)
    with pytest.warns(UserWarning, match="no screen"):
        assert (await run.dispatch(Worker(), TASK)).ok
    assert seen == run.events


async def test_a_child_never_sees_its_parents_messages(agent):
    client = scripted({"type": "text", "text": "secret plan"}, "child's answer")
    run = run_of(client)
    await run.dispatch(agent(), Handoff(intent="think"))
    await run.dispatch(agent(name="child"), Handoff(intent="work"))
    assert len(requests_of(client)[1]["messages"]) == 1
    assert "secret plan" not in str(requests_of(client)[1])


async def test_events_are_numbered_and_nested_runs_have_nested_ids():
    boss = Worker("boss", lambda handoff, run: run.dispatch(Worker("child"), TASK))
    run = run_of()
    await run.dispatch(boss, TASK)
    assert [(event.seq, event.run, event.agent) for event in run.events] == [
        (0, "1", "boss"),
        (1, "1.1", "child"),
        (2, "1.1", "child"),
        (3, "1", "boss"),
    ]


def failing(*answers):
    """A client whose transport raises, or gives, one of these a try."""
    queue = list(answers)

    def serve(request):
        if isinstance(queue[0], Exception):
            raise queue.pop(0)
        return httpx.Response(200, json=queue.pop(0))

    return Client(httpx.MockTransport(serve), sleep=no_sleep), queue


REPLY = {
    "content": [{"type": "text", "text": "hi"}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 3, "output_tokens": 1},
}
ASK = {"model": "claude-haiku-5-5", "messages": [{"role": "user", "content": "hi"}]}


async def test_a_try_that_may_have_been_done_counts_and_one_that_never_left_does_not():
    client, left = failing(httpx.ReadTimeout("slow"), httpx.ReadTimeout("slow"), REPLY)
    run = Run(client, budget=Budget(calls=2))
    with pytest.raises(Exhausted):
        await run.ask(**ASK)
    assert (run.spent.calls, len(left)) == (2, 1) and run.ledger.reserved == NOTHING
    client, _ = failing(httpx.ConnectError("nobody there"), REPLY)
    run = Run(client, budget=Budget(calls=1))
    assert (await run.ask(**ASK)).text == "hi" and run.spent.tokens == 4


async def test_a_server_that_is_not_there_costs_nothing_and_the_bill_says_what_the_ledger_says():
    client, _ = failing(*[httpx.ConnectError("nobody there")] * 3)
    run = Run(client)
    with pytest.raises(ApiError):
        await run.ask(**ASK)
    assert (run.spent.calls, run.spent.tokens) == (1, 0)
    assert (run.trace().totals()["calls"], run.trace().totals()["usd"]) == (1, 0)


async def test_a_limit_that_a_task_group_wraps_is_a_limit_and_a_bug_beside_it_is_a_bug():
    async def grouped(handoff, run):
        async with asyncio.TaskGroup() as group:
            for number in range(3):
                group.create_task(
                    run.ask(**{**ASK, "messages": [{"role": "user", "content": f"{number}"}]})
                )

    result = await Run(connect(), budget=Budget(calls=1)).dispatch(Worker("boss", grouped), TASK)
    assert result.status == "exhausted" and "budget of 1 call" in result.reason

    async def broken(handoff, run):
        raise ExceptionGroup("both", [Exhausted("no more"), ValueError("a bug")])

    with pytest.raises(ExceptionGroup):
        await run_of().dispatch(Worker("boss", broken), TASK)


async def test_a_wrapper_may_have_the_name_of_what_it_wraps():
    inner = Worker("researcher")
    guard = Worker("researcher", lambda handoff, run: run.dispatch(inner, handoff))
    assert (await run_of().dispatch(guard, TASK)).ok and inner.seen


async def test_a_branch_whose_own_work_was_cancelled_does_not_take_its_siblings_along():
    async def wait(handoff, run):
        other = asyncio.ensure_future(asyncio.sleep(60))
        other.cancel()
        await other

    done, gone = await run_of().fan_out([(Worker("a"), TASK), (Worker("b", wait), TASK)])
    assert done.ok and gone.status == "cancelled" and gone.by == "b"


async def test_the_seconds_of_a_run_begin_with_its_first_work(agent):
    now = [0.0]
    run = Run(scripted("done"), budget=Budget(seconds=60), clock=lambda: now[0])
    now[0] = 3600.0
    assert (await run.dispatch(agent(), TASK)).ok


async def test_no_request_leaves_when_there_is_no_time(agent):
    run = Run(scripted("never asked"), budget=Budget(seconds=0))
    result = await run.dispatch(agent(), TASK)
    assert result.status == "exhausted" and "deadline of 0 s" in result.reason
    assert not [event for event in run.events if event.kind == "request"]


@pytest.mark.parametrize("output", [b"\xff", "half \ud800", {"name": b"\xff"}])
async def test_a_result_that_no_file_can_hold_is_recorded_all_the_same(tmp_path, output):
    run = run_of()
    result = await run.dispatch(Worker("worker", Result(status="ok", output=output)), TASK)
    assert result.output == output
    run.note("half \ud800")
    run.trace().save(tmp_path / "run.jsonl")
    assert Trace.load(tmp_path / "run.jsonl").events[-1].text == "half ?"


class Wrapper:
    """A transparent wrapper that adds nothing."""

    description = "Passes work on."

    def __init__(self, inner):
        self.wraps = inner
        self.name = f"{type(self).__name__} of {inner.name}"

    async def execute(self, handoff, run):
        return await run.dispatch(self.wraps, handoff)


class Retry(Wrapper):
    async def execute(self, handoff, run):
        result = await run.dispatch(self.wraps, handoff)
        for number in (2, 3):
            if result.ok:
                break
            result = await run.dispatch(
                self.wraps, handoff, again=f"retry {number}: {result.status}"
            )
        return result


class CircuitBreaker(Wrapper):
    is_open = False

    async def execute(self, handoff, run):
        if self.is_open:
            return Result(status="failed", reason="the circuit is open")
        return await run.dispatch(self.wraps, handoff)


class Deadline(Wrapper):
    async def execute(self, handoff, run):
        return await run.dispatch(self.wraps, handoff, budget=Budget(seconds=60))


class Gated(Wrapper):
    """Asks for a second draft, with feedback."""

    async def execute(self, handoff, run):
        first = await run.dispatch(self.wraps, handoff)
        if not first.ok:
            return first
        artifacts = {"draft": first.as_text(), "feedback": "cite your source"}
        return await run.dispatch(self.wraps, handoff.model_copy(update={"artifacts": artifacts}))


async def test_wrappers_cost_no_level_close_no_ring_and_keep_the_name_of_what_they_wrap():
    outcomes = [Result(status="exhausted", reason="slow"), "draft", "better draft"]
    agent = Worker("agent", lambda handoff, run: outcomes.pop(0))
    guarded = Retry(CircuitBreaker(Deadline(Gated(agent))))
    boss = Worker("boss", lambda handoff, run: run.dispatch(guarded, TASK))
    run = run_of()
    result = await run.dispatch(boss, TASK)
    assert (result.status, result.output, result.by) == ("ok", "better draft", "agent")
    assert {event.agent for event in run.events} == {"boss", "agent"}
    assert [(seen.from_agent, seen.to_agent, seen.return_to) for seen in agent.seen] == [
        ("boss", "agent", "boss")
    ] * 3
    assert "boss → agent through Retry: do it" in str(run.trace())
    assert "boss → agent through CircuitBreaker, again (retry 2: exhausted): do it" in str(
        run.trace()
    )


async def test_what_a_wrapper_stands_around_has_the_levels_it_would_have_without_it():
    def depth(wrap):
        def deeper(level):
            def work(handoff, run):
                return run.dispatch(wrap(deeper(level + 1)), TASK)

            return Worker(f"level{level}", work)

        return run_of().dispatch(wrap(deeper(1)), TASK, budget=Budget(depth=2))

    plain = await depth(lambda specialist: specialist)
    wrapped = await depth(lambda specialist: Wrapper(Wrapper(specialist)))
    assert plain.reason == wrapped.reason
    assert "level4 is more than the levels" in wrapped.reason


async def test_a_ring_through_wrappers_is_still_a_ring():
    first = Worker("first", lambda handoff, run: run.dispatch(Wrapper(second), TASK))
    second = Worker("second", lambda handoff, run: run.dispatch(Wrapper(first), TASK))
    result = await run_of(budget=Budget(depth=9)).dispatch(first, TASK)
    assert result.status == "refused" and "ring: first → second → first" in result.reason


async def test_wrappers_without_end_are_refused():
    class Fresh(Wrapper):
        async def execute(self, handoff, run):
            return await run.dispatch(Fresh(self.wraps), handoff)

    result = await run_of().dispatch(Fresh(Worker()), TASK)
    assert result.status == "refused" and "more than 10 wrappers around worker" in result.reason
    own = Wrapper(Worker("worker"))
    own.wraps = own
    with pytest.raises(ValueError, match="or one wraps itself"):
        await run_of().dispatch(own, TASK)


async def test_a_repeat_that_is_named_is_done_and_so_is_the_same_work_below_it():
    researcher = Worker("researcher", "facts")
    outcomes = [Result(status="exhausted", reason="slow"), Result(status="ok", output="brief")]

    async def work(handoff, run):
        found = await run.dispatch(researcher, handoff)
        assert found.output == "facts", found.reason
        return outcomes.pop(0)

    run, team = run_of(), Worker("team", work)
    assert (await run.dispatch(team, TASK)).status == "exhausted"
    assert "the same handoff" in (await run.dispatch(team, TASK)).reason
    assert (await run.dispatch(team, TASK, again="once more: slow")).output == "brief"
    assert len(researcher.seen) == 2
    assert "user → team, again (once more: slow): do it" in str(run.trace())


async def test_two_executables_of_one_name_are_two():
    first, second = Worker("researcher", "a"), Worker("researcher", "b")
    results = await run_of().fan_out([(first, TASK), (second, TASK)])
    assert [result.output for result in results] == ["a", "b"]


MARK = {"cache_control": {"type": "ephemeral"}}
HOUR = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}


@on_each(
    ("mark", "times"),
    [({}, "1"), (MARK, "1.25"), (HOUR, "2")],
    ids=["plain", "5 minutes", "1 hour"],
)
@on_each("place", ["request", "system", "messages"])
async def test_a_request_that_may_write_to_the_cache_is_booked_at_the_price_of_writing(
    mark, times, place
):
    body = {
        "model": models.worker,
        "max_tokens": 10,
        "messages": [{"role": "user", "content": "Hi"}],
    }
    block = {"type": "text", "text": 'A text that says {"cache_control": {"ttl": "1h"}}.', **mark}
    body["system"] = [block]
    if place == "messages":
        body["messages"] = [{"role": "user", "content": [block]}]
    elif place == "request":
        body["system"] = block["text"]
        body |= mark
    booked = []

    class Looking(Script):
        def respond(self, request, raw):
            booked.append(run.ledger.reserved)
            return super().respond(request, raw)

    run = Run(Client(Looking(["Yes."])))
    await run.ask(**body)
    counts = {"input_tokens": booked[0].input_tokens, "output_tokens": 0}
    plain = models.cost(models.worker, Usage(**counts))
    answer = models.cost(models.worker, Usage(output_tokens=10))
    assert booked[0].usd == plain * Decimal(times) + answer


@on_each("mark", [MARK, HOUR], ids=["5 minutes", "1 hour"])
async def test_what_writing_to_the_cache_costs_is_never_more_than_was_booked(mark):
    long = "The library holds briefs on vector databases and their history. " * 40
    booked = []

    class Looking(OfflineTransport):
        def respond(self, request, raw):
            booked.append(run.ledger.reserved)
            return super().respond(request, raw)

    run = Run(Client(Looking()), budget=Budget(usd="1"))
    system = [{"type": "text", "text": long, **mark}]
    messages = [{"role": "user", "content": "Hello"}]
    reply = await run.ask(model=models.worker, system=system, messages=messages, max_tokens=300)
    assert reply.usage.cache_creation_input_tokens > 600
    assert (reply.usage.cache_written_1h > 600) == (mark is HOUR)
    assert run.spent.usd == models.cost(models.worker, reply.usage) <= booked[0].usd
