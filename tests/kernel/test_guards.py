"""Facts about guards: retries, deadlines, fallbacks, the circuit breaker and the bulkhead."""

from __future__ import annotations

import asyncio
import contextlib
import math
import threading
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from kernel import ApiError, Budget, Client, Handoff, Result, Run
from kernel.parts.guards import CircuitBreaker, Deadline, Fallback, Limit, Retry
from kernel.plumbing.backoff import before_next_try
from offline_model import Script
from tests.on_each import on_each

HANDOFF = Handoff(intent="look")


class Worker:
    """Ends as its script says: "ok", a Result, or an exception to raise; the last entry repeats."""

    description = "works"

    def __init__(self, *script, name="worker"):
        self.name = name
        self.script = list(script) or ["ok"]
        self.calls = 0

    async def execute(self, handoff, run):
        step = self.script[min(self.calls, len(self.script) - 1)]
        self.calls += 1
        if isinstance(step, BaseException):
            raise step
        return Result(status="ok", output="done") if step == "ok" else step


class Sleeper(Worker):
    """Works until it is stopped."""

    stopped = False

    async def execute(self, handoff, run):
        self.calls += 1
        run.keep(half="half of the work")
        try:
            await asyncio.Event().wait()
        finally:
            self.stopped = True


def overloaded(retry_after_s=None):
    return ApiError(
        "busy", type="overloaded_error", status=529, retryable=True, retry_after_s=retry_after_s
    )


REFUSED = ApiError("no such model", type="not_found_error", status=404)


class Waits:
    def __init__(self):
        self.seconds = []

    async def __call__(self, seconds):
        self.seconds.append(seconds)


def retry(worker, times=2, **options):
    waits = Waits()
    return Retry(worker, times, sleep=waits, jitter=lambda: 0.0, **options), waits


def new_run(**options):
    return Run(Client(Script()), **options)


def go(executable, run=None):
    return asyncio.run((run or new_run()).dispatch(executable, HANDOFF))


def notes(run, about):
    return [event for event in run.events if event.kind == "note" and event.about == about]


# ── retry ──────────────────────────────────────────────────────────────────────────────────────────────


def test_what_may_succeed_later_is_given_again_and_the_events_say_why():
    worker = Worker(overloaded(), overloaded(), "ok")
    guard, waits = retry(worker)
    run = new_run()
    assert go(guard, run).ok
    assert worker.calls == 3 and waits.seconds == [0.5, 1.0]
    assert [note.fields["number"] for note in notes(run, "retry")] == [1, 2]
    assert any("retry 1 of 2: HTTP 529" in getattr(event, "again", "") for event in run.events)


@on_each(
    "step", [REFUSED, Result(status="refused"), Result(status="paused"), Result(status="failed")]
)
def test_what_fails_the_same_way_again_is_tried_once(step):
    worker = Worker(step)
    guard, _ = retry(worker)
    assert not go(guard).ok and worker.calls == 1


def test_a_used_up_budget_is_not_worth_a_retry():
    from kernel import Agent, models

    guard, waits = retry(Agent("a", "d", "s", models.worker))
    run = new_run(budget=Budget(calls=0))
    assert go(guard, run).status == "exhausted" and waits.seconds == []


def test_on_decides_which_results_are_tried_again():
    worker = Worker(Result(status="failed"), "ok")
    guard, _ = retry(worker, on=lambda result: result.status == "failed")
    assert go(guard).ok and worker.calls == 2


def test_the_wait_is_what_the_service_asks_for_and_bounded():
    guard, waits = retry(Worker(overloaded(7), "ok"))
    assert go(guard).ok and waits.seconds == [7]
    worker = Worker(overloaded(3600), "ok")
    guard, waits = retry(worker)
    run = new_run()
    assert go(guard, run).status == "failed" and waits.seconds == [] and worker.calls == 1
    assert "3600" in notes(run, "retry")[0].text


@on_each("asked_for", [math.nan, -3.0, -math.inf])
def test_a_wait_that_is_none_counts_as_nothing_said(asked_for):
    guard, waits = retry(Worker(overloaded(asked_for), "ok"))
    assert go(guard).ok and waits.seconds == [0.5]


def test_an_endless_wait_ends_the_tries():
    worker = Worker(overloaded(math.inf))
    guard, waits = retry(worker)
    assert go(guard).status == "failed" and worker.calls == 1 and waits.seconds == []


def test_a_short_longest_wait_shortens_the_waits_that_nobody_asked_for():
    guard, waits = retry(Worker(overloaded(), overloaded(), "ok"), longest_wait_s=0.75)
    assert go(guard).ok and waits.seconds == [0.5, 0.75]


def test_a_wait_never_grows_beyond_its_bound_however_many_tries_there_were():
    guard, waits = retry(Worker(overloaded()), times=1100)
    go(guard)
    assert waits.seconds[:5] == [0.5, 1, 2, 4, 8] and {*waits.seconds[4:]} == {8.0}


@given(st.floats() | st.none(), st.integers(1, 10_000), st.floats(0, 1))
def test_every_wait_is_a_number_of_seconds_and_what_nobody_asked_for_is_short(
    asked, failed, chance
):
    wait_s = before_next_try(asked, failed, lambda: chance)
    assert wait_s > 0
    assert wait_s == asked or 0.375 <= wait_s <= 8


@on_each("seconds", [math.nan, -1.0])
@on_each(
    ("guard", "name"),
    [
        (lambda seconds: Retry(Worker(), longest_wait_s=seconds), "longest_wait_s"),
        (lambda seconds: CircuitBreaker(Worker(), cooldown_s=seconds), "cooldown_s"),
        (lambda seconds: Deadline(Worker(), seconds), "seconds"),
    ],
)
def test_a_time_that_is_none_is_refused_when_the_guard_is_made(guard, name, seconds):
    with pytest.raises(ValueError, match=f"{name} is {seconds}; expected 0 or more seconds"):
        guard(seconds)


def test_five_layers_of_retry_do_not_multiply():
    worker = Worker(overloaded())
    guard = worker
    for _ in range(5):
        guard, _ = retry(guard)
    go(guard)
    assert worker.calls == 3


def test_layers_that_retry_anything_do_multiply():
    worker = Worker(overloaded())
    guard = worker
    for _ in range(3):
        guard, _ = retry(guard, on=lambda result: not result.ok)
    go(guard)
    assert worker.calls == 27


def test_a_bug_is_not_tried_again():
    worker = Worker(KeyError("oops"), "ok")
    guard, _ = retry(worker)
    with pytest.raises(KeyError):
        go(guard)
    assert worker.calls == 1


def test_a_negative_number_of_tries_is_refused():
    with pytest.raises(ValueError, match="times is -1; expected 0 or more"):
        Retry(Worker(), -1)


# ── deadline and fallback ──────────────────────────────────────────────────────────────────────────────


def test_a_deadline_ends_the_work_and_keeps_what_there_is():
    worker = Sleeper()
    result = go(Deadline(worker, 0.01))
    assert result.status == "exhausted" and result.artifacts["half"] == "half of the work"
    assert worker.stopped


def test_each_try_under_a_retry_has_its_own_deadline():
    worker = Sleeper()
    guard, _ = retry(Deadline(worker, 0.01))
    assert go(guard).status == "exhausted" and worker.calls == 3


def test_a_deadline_around_a_retry_is_one_for_all_tries():
    worker = Worker(overloaded())

    async def for_ever(_):
        await asyncio.Event().wait()

    result = go(Deadline(Retry(worker, 5, sleep=for_ever), 0.01))
    assert result.status == "exhausted" and worker.calls == 1


def test_a_fallback_is_asked_when_the_first_does_not_deliver():
    run = new_run()
    result = go(Fallback(Worker(overloaded()), Worker(name="spare")), run)
    assert result.ok and result.by == "spare" and notes(run, "fallback")


def test_when_neither_delivers_both_reasons_and_all_work_come_back():
    first = Worker(Result(status="failed", reason="dry", artifacts={"facts": "three"}))
    then = Worker(Result(status="failed", reason="ill"), name="spare")
    result = go(Fallback(first, then))
    assert result.reason == "worker: dry; spare: ill" and result.artifacts == {"facts": "three"}


@on_each("status", ["paused", "cancelled"])
def test_a_pause_is_no_reason_to_fall_back(status):
    spare = Worker(name="spare")
    assert go(Fallback(Worker(Result(status=status)), spare)).status == status
    assert spare.calls == 0


# ── the breaker ────────────────────────────────────────────────────────────────────────────────────────


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def test_the_circuit_opens_turns_away_tries_once_and_closes():
    clock = Clock()
    worker = Worker(*[overloaded()] * 3, "ok")
    breaker = CircuitBreaker(worker, failures=3, cooldown_s=30, clock=clock)
    run = new_run()

    async def story():
        for number in range(5):
            last = await run.dispatch(breaker, Handoff(intent=f"look {number}"))
        assert worker.calls == 3 and breaker.state == "open" and "next trial in 30 s" in last.reason
        clock.now = 30
        assert breaker.state == "half-open"
        assert (await run.dispatch(breaker, Handoff(intent="trial"))).ok
        assert breaker.state == "closed"

    asyncio.run(story())
    assert [note.fields["state"] for note in notes(run, "breaker")] == [
        "open",
        "half-open",
        "closed",
    ]


def test_only_one_trial_passes_a_half_open_circuit():
    clock = Clock()
    gate = asyncio.Event()

    class Slow(Worker):
        async def execute(self, handoff, run):
            if self.calls:
                await gate.wait()
            return await super().execute(handoff, run)

    worker = Slow(overloaded(), "ok")
    breaker = CircuitBreaker(worker, failures=1, clock=clock)
    run = new_run()

    async def story():
        await run.dispatch(breaker, HANDOFF)
        clock.now = 31
        jobs = [(breaker, Handoff(intent=f"trial {number}")) for number in range(5)]
        trials = asyncio.ensure_future(run.fan_out(jobs))
        await asyncio.sleep(0)
        for _ in range(20):
            await asyncio.sleep(0)
        gate.set()
        return await trials

    results = asyncio.run(story())
    assert [result.ok for result in results].count(True) == 1 and worker.calls == 2
    assert sum("a trial is under way" in result.reason for result in results) == 4


def test_only_one_trial_passes_when_several_threads_come_at_once():
    both = threading.Barrier(2)

    class LooksSlowly(CircuitBreaker):
        """Lets another thread look, too, before it goes on."""

        trial = False

        @property
        def _on_trial(self):
            trial = self.trial
            with contextlib.suppress(threading.BrokenBarrierError):
                both.wait(0.1)
            return trial

        @_on_trial.setter
        def _on_trial(self, value):
            self.trial = value

    class Slow(Worker):
        async def execute(self, handoff, run):
            await asyncio.sleep(0.3)
            return await super().execute(handoff, run)

    worker = Slow("ok")
    breaker = LooksSlowly(worker, cooldown_s=0)
    breaker._opened_at = 0.0
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(go, [breaker, breaker]))
    assert [result.ok for result in results].count(True) == 1 and worker.calls == 1


def test_a_cancelled_trial_decides_nothing():
    clock = Clock()

    class Hangs(Sleeper):
        async def execute(self, handoff, run):
            if not self.calls:
                self.calls += 1
                raise overloaded()
            return await super().execute(handoff, run)

    breaker = CircuitBreaker(Hangs(), failures=1, clock=clock)
    run = new_run()

    async def story():
        await run.dispatch(breaker, HANDOFF)
        clock.now = 31
        trial = asyncio.ensure_future(run.dispatch(breaker, Handoff(intent="trial")))
        for _ in range(10):
            await asyncio.sleep(0)
        trial.cancel()
        with pytest.raises(asyncio.CancelledError):
            await trial
        assert breaker.state == "half-open" and not breaker._on_trial

    asyncio.run(story())


def test_a_bug_counts_as_a_failure_and_is_raised():
    breaker = CircuitBreaker(Worker(KeyError("oops")), failures=1)
    with pytest.raises(KeyError):
        go(breaker)
    assert breaker.state == "open"


@on_each("late", [overloaded(), KeyError("oops"), "ok"], ids=repr)
def test_a_call_that_began_before_the_circuit_opened_says_nothing_about_it(late):
    clock = Clock()

    class Slow(Worker):
        async def execute(self, handoff, run):
            if handoff.intent == "slow":
                await gate.wait()
            return await super().execute(handoff, run)

    breaker = CircuitBreaker(Slow(overloaded(), late), failures=1, cooldown_s=30, clock=clock)
    run = new_run()
    gate = asyncio.Event()

    async def story():
        slow = asyncio.ensure_future(run.fan_out([(breaker, Handoff(intent="slow"))]))
        await asyncio.sleep(0.01)
        await run.dispatch(breaker, HANDOFF)
        clock.now = 29
        gate.set()
        await slow
        assert breaker.state == "open"
        clock.now = 31
        assert breaker.state == "half-open"

    asyncio.run(story())
    assert [note.fields["state"] for note in notes(run, "breaker")] == ["open"]


def test_a_late_failure_says_nothing_after_a_good_trial_either():
    clock = Clock()

    class Slow(Worker):
        async def execute(self, handoff, run):
            if handoff.intent == "slow":
                await gate.wait()
            return await super().execute(handoff, run)

    breaker = CircuitBreaker(Slow(overloaded(), "ok", overloaded()), failures=1, clock=clock)
    run = new_run()
    gate = asyncio.Event()

    async def story():
        slow = asyncio.ensure_future(run.fan_out([(breaker, Handoff(intent="slow"))]))
        await asyncio.sleep(0.01)
        await run.dispatch(breaker, HANDOFF)
        clock.now = 31
        await run.dispatch(breaker, Handoff(intent="trial"))
        gate.set()
        await slow

    asyncio.run(story())
    assert breaker.state == "closed"


@on_each("end", [overloaded(), KeyError("oops"), "ok"], ids=repr)
def test_a_trial_decides_before_another_one_may_begin(end):
    seen = []

    class Looks(CircuitBreaker):
        """Looks at its state, as another thread may, whenever a trial ends."""

        trial = False

        @property
        def _on_trial(self):
            return self.trial

        @_on_trial.setter
        def _on_trial(self, value):
            if self.trial and not value:
                seen.append(self.state)
            self.trial = value

    clock = Clock()
    breaker = Looks(Worker(overloaded(), end), failures=1, clock=clock)
    go(breaker)
    clock.now = 31
    with contextlib.suppress(KeyError):
        go(breaker)
    assert seen == ["closed" if end == "ok" else "open"]


def test_who_saw_the_circuit_half_open_too_late_is_no_second_trial():
    """One thread reads the clock, the trial of another one fails, the first one goes on."""
    clock = Clock()
    worker = Worker(overloaded())
    breaker = CircuitBreaker(worker, failures=1, clock=clock)
    go(breaker)
    clock.now = 31
    with ThreadPoolExecutor(1) as pool:

        def read():
            now = clock.now
            if breaker.clock is read:  # once
                breaker.clock = clock
                with contextlib.suppress(FutureTimeout):
                    pool.submit(go, breaker).result(timeout=0.2)
            return now

        breaker.clock = read
        go(breaker)
    assert worker.calls == 2


@given(st.lists(st.floats(-1e6, 1e6), max_size=6), st.booleans())
def test_a_trial_comes_one_cooldown_after_a_look_however_the_clock_was_set(steps, executes):
    clock = Clock()
    breaker = CircuitBreaker(Worker(overloaded()), failures=1, cooldown_s=30, clock=clock)
    go(breaker)
    for step in steps:
        clock.now += step
        go(breaker) if executes else breaker.state
    clock.now += 30.001
    assert breaker.state == "half-open"


def test_a_refusal_does_not_open_the_circuit():
    breaker = CircuitBreaker(Worker(Result(status="refused")), failures=1)
    go(breaker)
    assert breaker.state == "closed"


class Breaker(RuleBasedStateMachine):
    """The breaker against the three sentences of its docstring."""

    def __init__(self):
        super().__init__()
        self.clock = Clock()
        self.worker = Worker()
        self.breaker = CircuitBreaker(self.worker, failures=3, cooldown_s=10, clock=self.clock)
        self.run_ = new_run()
        self.number = 0
        self.failed = 0
        self.opened = None

    def dispatch(self, step):
        self.worker.script = [step]
        self.number += 1
        before = self.worker.calls
        handoff = Handoff(intent=f"look {self.number}")
        asyncio.run(self.run_.dispatch(self.breaker, handoff))
        return self.worker.calls > before

    @property
    def expected(self):
        if self.opened is None:
            return "closed"
        return "half-open" if self.clock.now >= self.opened + 10 else "open"

    @rule()
    def succeed(self):
        passes = self.expected != "open"
        assert self.dispatch("ok") == passes
        if passes:
            self.failed = 0
            self.opened = None

    @rule()
    def fail(self):
        state = self.expected
        assert self.dispatch(overloaded()) == (state != "open")
        if state != "open":
            self.failed += 1
            if state == "half-open" or self.failed >= 3:
                self.opened = self.clock.now

    @precondition(lambda self: self.opened is not None)
    @rule(seconds=st.integers(1, 12))
    def wait(self, seconds):
        self.clock.now += seconds

    @invariant()
    def state_is_as_expected(self):
        assert self.breaker.state == self.expected


TestBreaker = Breaker.TestCase


# ── the bulkhead ───────────────────────────────────────────────────────────────────────────────────────


class Counts(Worker):
    """Counts how many of its calls are under way."""

    def __init__(self, name="worker"):
        super().__init__(name=name)
        self.inside = 0
        self.peak = 0

    async def execute(self, handoff, run):
        self.inside += 1
        self.peak = max(self.peak, self.inside)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        self.inside -= 1
        return await super().execute(handoff, run)


@given(at_once=st.integers(1, 5), branches=st.integers(1, 12))
def test_at_most_so_many_are_inside_and_all_get_their_turn(at_once, branches):
    worker = Counts()
    limit = Limit(worker, at_once)
    jobs = [(limit, Handoff(intent=f"look {number}")) for number in range(branches)]
    results = asyncio.run(new_run().fan_out(jobs))
    assert all(result.ok for result in results) and worker.peak == min(at_once, branches)
    assert limit._places._free == limit.at_once


class Asks(Worker):
    """Hands its work on to another executable."""

    def __init__(self, name):
        super().__init__(name=name)
        self.other = None

    async def execute(self, handoff, run):
        await asyncio.sleep(0)
        if self.other is None or handoff.intent.endswith("leaf"):
            return Result(status="ok", output=self.name)
        return await run.dispatch(self.other, Handoff(intent=f"{handoff.intent} leaf"))


def test_teams_that_wait_for_each_other_are_ended_by_a_deadline():
    one = Asks("one")
    two = Asks("two")
    limits = Limit(one, 1), Limit(two, 1)
    one.other = limits[1]
    two.other = limits[0]

    async def story():
        run = new_run(budget=Budget(seconds=0.1))
        results = await run.fan_out([(limit, HANDOFF) for limit in limits])
        assert {result.status for result in results} == {"exhausted"}
        assert all(limit._places._free == 1 for limit in limits)

    asyncio.run(asyncio.wait_for(story(), 10))


def test_one_limit_holds_in_all_threads_and_their_event_loops():
    """As in `serve_handoffs`, which works on each handoff in a thread with its own event loop."""

    class Rests(Counts):
        async def execute(self, handoff, run):
            self.inside += 1
            self.peak = max(self.peak, self.inside)
            await asyncio.sleep(0.02)
            self.inside -= 1
            return Result(status="ok", output="done")

    worker = Rests()
    limit = Limit(worker, 2)
    start = threading.Barrier(6)

    def in_a_thread(number):
        start.wait()
        dispatched = new_run().dispatch(limit, Handoff(intent=f"look {number}"))
        return asyncio.run(asyncio.wait_for(dispatched, 5))

    with ThreadPoolExecutor(6) as pool:
        results = list(pool.map(in_a_thread, range(6)))
    assert all(result.ok for result in results) and worker.peak == 2
    assert limit._places._free == limit.at_once


# ── all together ───────────────────────────────────────────────────────────────────────────────────────


def test_all_guards_stand_around_one_worker_at_the_default_depth():
    worker = Worker(overloaded(), "ok")
    guard, _ = retry(CircuitBreaker(Limit(Deadline(worker, 5), 2)))
    result = go(Fallback(guard, Worker(name="spare")))
    assert result.ok and result.by == "worker" and worker.calls == 2


@given(st.permutations(["retry", "deadline", "breaker", "limit", "fallback"]))
def test_guards_compose_in_any_order(order):
    worker = Worker(overloaded(), "ok")
    wrap = {
        "retry": lambda inner: retry(inner)[0],
        "deadline": lambda inner: Deadline(inner, 5),
        "breaker": CircuitBreaker,
        "limit": lambda inner: Limit(inner, 1),
        "fallback": lambda inner: Fallback(inner, Worker(name="spare")),
    }
    guarded = worker
    for name in order:
        guarded = wrap[name](guarded)
    assert go(guarded).ok and guarded.name == "worker"


def test_cancelling_reaches_a_worker_below_all_guards():
    worker = Sleeper()
    guarded = Retry(CircuitBreaker(Limit(Deadline(worker, 60), 1)))
    run = new_run()

    async def story():
        task = asyncio.ensure_future(run.dispatch(guarded, HANDOFF))
        while not worker.calls:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(story())
    assert worker.stopped


async def test_the_benchmark_of_guards_measures_each_of_them():
    from benchmarks import production

    rows = await production.guards(rounds=1, repeats=2)
    assert len(rows) == len(list(production.guarded())) and all("×" in ratio for *_, ratio in rows)
