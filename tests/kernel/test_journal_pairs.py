"""Facts about the journal beside other things: retries, cuts, pauses, edits, effects, each with a
crash after it. A crash is a new journal over the same file and a new run.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import sqlite3
import sys
import threading
import warnings
from dataclasses import dataclass, field
from random import Random

import pytest

from kernel import Agent, ApiError, Budget, Client, Handoff, Pause, Registry, Run, ToolError, tool
from kernel.parts.gates import Issue
from kernel.parts.guards import CircuitBreaker, Deadline, Fallback, Retry
from kernel.parts.journal.journal import Journal, JournalError, Once, current_step
from kernel.parts.planning.plan import Plan, PlannedSupervisor, Step
from offline_model import Script
from tests.scripted import call, no_sleep

MODEL = "claude-haiku-5-5"
HELLO = {"model": MODEL, "max_tokens": 100, "messages": [{"role": "user", "content": "Hello"}]}
TASK = Handoff(intent="Pay Bob")

pytestmark = pytest.mark.filterwarnings("ignore:.*holds an error")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "work.db"


class Process:
    """One process: a journal over the file, a service that gives these answers, a run."""

    def __init__(self, path, *answers, budget=None, **client):
        self.path = path
        self.service = Script(answers, strict=False)
        self.client = Client(self.service, retries=0, sleep=no_sleep, **client)
        self.budget = budget

    async def __aenter__(self):
        self.journal = Journal(self.path)
        self.run = Run(self.journal.around(self.client), budget=self.budget)
        return self

    async def __aexit__(self, *_):
        self.journal.close()

    @property
    def sent(self):
        return len(self.service.requests)

    async def work(self, executable, task=TASK):
        return await self.run.dispatch(executable, task)


def agent(*tools, **changes):
    return Agent("payer", "Pays.", "Pay what the task says.", MODEL, tools, **changes)


def retried(inner, times=2):
    return Retry(inner, times=times, sleep=no_sleep)


@dataclass
class Bank:
    """Somebody else's bank: what it was asked to pay, under which key, and how often it is busy."""

    busy: int = 0
    paid: list = field(default_factory=list)
    stumbles: list = field(default_factory=list)

    def tool(self, journal):
        @tool
        async def pay(euros: int) -> str:
            """Pays."""
            if self.stumbles:
                raise self.stumbles.pop()
            if self.busy:
                self.busy -= 1
                raise ToolError("the bank is busy")
            self.paid.append((euros, current_step.get()))
            return f"receipt for {euros}"

        return Once(pay, journal)


PAY = call("pay", euros=500)


# ── errors ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("status", [400, 401, 429, 500, 529])
async def test_an_error_of_the_service_comes_back_as_it_was(path, status):
    errors = []
    for answers in ([status], []):
        async with Process(path, *answers) as process:
            with pytest.raises(ApiError) as caught:
                await process.run.ask(**HELLO)
            errors.append((type(caught.value), str(caught.value), vars(caught.value)))
            assert process.run.spent.calls == 1 and process.journal.steps() == (1, 0)
    assert errors[0] == errors[1]


async def test_every_fact_of_an_error_comes_back(path):
    error = ApiError(
        *["half \ud800 done"], type="timeout_error", status=408, request_id="r1", retryable=True,
        billable=True, retry_after_s=2.5,
    )  # fmt: skip
    spent = []
    for process in (Process(path), Process(path)):
        async with process:

            async def send(*_, **__):
                raise error

            process.client.send = send
            with pytest.raises(ApiError) as caught:
                await process.run.ask(**HELLO)
            assert vars(caught.value) == vars(error) and str(caught.value) == str(error)
            spent.append(process.run.spent)
    assert spent[0] == spent[1] and spent[0].usd > 0


async def test_a_reply_that_came_at_the_second_try_is_not_paid_twice(path):
    results = []
    for answers in ([529, "Done."], []):
        async with Process(path, *answers) as process:
            results.append((await process.work(retried(agent())), process.run.spent))
            assert process.sent == len(answers)
    assert results[0] == results[1]


async def test_a_crash_between_two_tries_goes_on_with_the_second(path):
    async with Process(path, 529) as process:
        with pytest.raises(ApiError):  # the process dies here
            await process.run.ask(**{**agent().request, "messages": _task_as_messages()})
    async with Process(path, "Done.") as process:
        result = await process.work(retried(agent()))
    assert (result.output, process.sent, process.run.spent.calls) == ("Done.", 1, 2)


def _task_as_messages():
    return [{"role": "user", "content": TASK.as_text()}]


async def test_guards_do_in_a_replay_what_they_did(path):
    seen = []
    for answers in ([529, 529, 529, "spare"], []):
        async with Process(path, *answers) as process:
            breaker = CircuitBreaker(retried(agent()), failures=1)
            spare = Agent("spare", "d", "Be brief.", MODEL)
            first = await process.work(Fallback(breaker, spare))
            second = await process.work(breaker, Handoff(intent="Pay Ann"))
            notes = [each.text for each in process.run.events if hasattr(each, "about")]
            words = [each.split("; waits")[0] for each in notes]
            seen.append((first, words, breaker.state, second.status, process.run.spent))
            assert process.sent == len(answers)
    assert seen[0] == seen[1] and seen[0][2] == "open" and seen[0][0].output == "spare"


async def test_a_failed_run_is_tried_again_on_request_and_the_person_is_told_how(path):
    async with Process(path, 529, 529, 529) as process:
        failed = await process.work(retried(agent()))
    async with Process(path, "Done.") as process:
        with pytest.warns(UserWarning, match=r"work\.db holds an error.*Call try_again\(\)"):
            assert await process.work(retried(agent())) == failed
        assert process.journal.try_again() == 3 and process.journal.steps() == (0, 3)
        process.run = Run(process.journal.around(process.client))
        result = await process.work(retried(agent()))
        assert (result.output, process.sent) == ("Done.", 1)
        assert process.journal.try_again() == 0


async def test_an_error_that_a_later_try_mended_is_neither_warned_about_nor_opened(path):
    async with Process(path, 529, "Done.") as process:
        await process.work(retried(agent()))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        async with Process(path) as process:
            await process.work(retried(agent()))
            assert process.journal.try_again() == 0 and process.journal.steps() == (2, 0)


# ── waiting ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.filterwarnings("default:.*holds an error")
async def test_an_error_beside_a_later_equal_step_that_is_open_is_warned_about_and_opened(path):
    async with Process(path, 529) as process:
        with pytest.raises(ApiError):
            await process.run.ask(**HELLO)
        process.client.transport.handle_async_request = _dies
        with pytest.raises(asyncio.CancelledError):
            await process.run.ask(**HELLO)
    async with Process(path) as process:
        with pytest.warns(UserWarning, match="Call try_again"), pytest.raises(ApiError):
            await process.run.ask(**HELLO)
        assert process.journal.try_again() == 1
        assert process.journal.try_again() == 0
    async with Process(path, "Hello.") as process:
        assert (await process.run.ask(**HELLO)).text == "Hello."


async def test_a_replay_waits_only_for_what_is_left_of_a_wait(path, monkeypatch):
    now, waits = [1000.0], []
    thread, really = threading.get_ident(), asyncio.sleep

    async def sleep(seconds):
        if threading.get_ident() != thread:  # a worker of another test, in a loop of its own
            await really(seconds)
        else:
            waits.append(round(seconds, 3))

    monkeypatch.setattr("kernel.parts.journal.journal.time.time", lambda: now[0])
    monkeypatch.setattr("kernel.parts.journal.journal.asyncio.sleep", sleep)
    for later in (0, 0.2, 100, -50):  # the last: the machine's clock was set back
        now[0] = 1000.0 + later
        async with Process(path, 529, "Done.") as process:
            work = Retry(agent(), sleep=process.journal.sleep, jitter=lambda: 0.0)
            assert (await process.work(work)).ok
    assert [each for each in waits if each] == [0.5, 0.3, -99.5, 0.5]  # -99.5: asyncio goes on


async def test_a_breaker_with_the_clock_of_the_journal_lets_pass_what_it_let_pass(
    path, monkeypatch
):
    now = [1000.0]
    monkeypatch.setattr("kernel.parts.journal.journal.time.time", lambda: now[0])
    outcomes = []
    for answers in ([529, "Done."], []):
        async with Process(path, *answers) as process:
            clock = process.journal.clock
            breaker = CircuitBreaker(agent(), failures=1, cooldown_s=30, clock=clock)
            first = await process.work(breaker)
            now[0] += 60 if answers else 0  # a replay is quicker than the first time
            second = await process.work(breaker)
            outcomes.append((first, second, breaker.state))
    assert outcomes[0] == outcomes[1] and outcomes[0][1].ok


# ── what was cut ──────────────────────────────────────────────────────────────────────────────────


def cut(text="Half a"):
    usage = {"input_tokens": 10, "output_tokens": 50}
    content = [{"type": "text", "text": text}]
    return {"content": content, "stop_reason": "max_tokens", "usage": usage}


async def test_a_reply_that_was_cut_is_asked_anew_when_more_is_allowed_and_only_then(path):
    async with Process(path, cut()) as process:
        assert (await process.work(agent(max_tokens=50))).status == "exhausted"
    for tokens in (50, 20):
        async with Process(path) as process:
            assert (await process.work(agent(max_tokens=tokens))).output == "Half a"
    async with Process(path, cut("A bit more"), "Whole.") as process:
        assert (await process.work(agent(max_tokens=80))).output == "A bit more"
        process.journal.replay()
        process.run = Run(process.journal.around(process.client))
        assert (await process.work(agent(max_tokens=400))).output == "Whole."
        assert process.journal.steps() == (1, 0)
    async with Process(path) as process:  # what is whole stays, however little is allowed
        assert (await process.work(agent(max_tokens=20))).output == "Whole."


async def test_a_reply_that_a_tight_budget_cut_is_asked_anew_without_it(path):
    tight = Budget(tokens=400)
    async with Process(path, cut(), budget=tight) as process:
        assert (await process.work(agent())).status == "exhausted"
    async with Process(path, budget=tight) as process:
        assert (await process.work(agent())).status == "exhausted"
    async with Process(path, "Whole.") as process:
        assert (await process.work(agent())).output == "Whole."


async def test_a_cut_reply_whose_second_try_dies_is_open(path):
    async with Process(path, cut()) as process:
        await process.work(agent(max_tokens=50))
    async with Process(path, KeyboardInterrupt()) as process:
        process.client.transport.handle_async_request = _dies
        assert (await process.work(agent())).status == "cancelled"
        assert process.journal.steps() == (0, 1)


async def _dies(*_):
    raise asyncio.CancelledError


async def test_a_cut_reply_whose_second_try_is_cancelled_is_the_same_step_for_who_asks_next(path):
    async with Process(path, cut()) as process:
        await process.run.ask(**HELLO | {"max_tokens": 50})
    async with Process(path, "Whole.") as process:
        responds = process.client.transport.handle_async_request
        process.client.transport.handle_async_request = _dies
        with pytest.raises(asyncio.CancelledError):
            await process.run.ask(**HELLO)
        process.client.transport.handle_async_request = responds
        assert (await process.run.ask(**HELLO)).text == "Whole."
        assert process.journal.steps() == (1, 0)
    async with Process(path) as process:
        assert (await process.run.ask(**HELLO)).text == "Whole."


@pytest.mark.parametrize("value", ["no JSON", "{}", "[1]", '"answer"'])
@pytest.mark.parametrize("kind", ["reply", "effect", "decision"])
async def test_a_step_that_cannot_be_read_is_the_same_step_for_who_asks_next(path, kind, value):
    """In one process: it is not skipped, and nothing is paid or done a second time."""
    bank = Bank()

    async def step(process):
        if kind == "reply":
            return await process.run.ask(**HELLO)
        if kind == "decision":
            return await process.journal.decision("May I?", ask=_yes)
        return await bank.tool(process.journal).call({"euros": 500}, process.run)

    async with Process(path, "Hello.") as process:
        await step(process)
    with contextlib.closing(sqlite3.connect(path)) as file:
        file.execute("UPDATE steps SET value = ?", [value])
        file.commit()
    async with Process(path, "Hello again.") as process:
        for _ in range(2):
            if kind == "decision" and value != "no JSON":
                assert await step(process) == json.loads(value)
                break
            with pytest.raises(JournalError, match=r"\.1 of .* cannot be read"):
                await step(process)
        assert process.sent == 0 and len(bank.paid) == (kind == "effect")


async def _yes():
    return "yes"


# ── what was cancelled or timed out ───────────────────────────────────────────────────────────────


def slow_once():
    """A transport's answer that hangs the first time."""
    tries = []

    async def respond(send, request):
        tries.append(1)
        if len(tries) == 1:
            await asyncio.Event().wait()
        return await send(request)

    return respond


async def test_a_request_that_timed_out_is_the_same_step_for_who_asks_next(path):
    async with Process(path, "Done.") as process:
        respond, send = slow_once(), process.service.handle_async_request
        process.service.handle_async_request = lambda request: respond(send, request)
        result = await process.work(retried(Deadline(agent(), 0.05)))
        assert (result.output, process.journal.steps()) == ("Done.", (1, 0))
    async with Process(path) as process:
        assert (await process.work(retried(Deadline(agent(), 60)))).output == "Done."


async def test_an_effect_that_timed_out_is_begun_again_under_the_same_key(path):
    keys, hangs = [], [True]

    @tool
    async def pay(euros: int) -> str:
        """Pays."""
        keys.append(current_step.get())
        if hangs.pop() if hangs else False:
            await asyncio.Event().wait()
        return "paid"

    async with Process(path, PAY, PAY, "Done.") as process:
        worker = agent(Once(pay, process.journal))
        result = await process.work(retried(Deadline(worker, 0.05)))
        assert result.output == "Done." and len(keys) == 2 and len({*keys}) == 1
        assert process.journal.steps()[1] == 0


async def test_of_two_that_ask_the_same_at_once_a_cancelled_one_costs_the_other_nothing(path):
    async with Process(path, "one", "two", "three") as process:
        respond, send = slow_once(), process.service.handle_async_request
        process.service.handle_async_request = lambda request: respond(send, request)
        hangs = asyncio.ensure_future(process.run.ask(**HELLO))
        await asyncio.sleep(0)
        other = await process.run.ask(**HELLO)
        hangs.cancel()
        with pytest.raises(asyncio.CancelledError):
            await hangs
        again = await process.run.ask(**HELLO)
        assert (other.text, again.text) == ("one", "two") and process.journal.steps() == (2, 0)
    async with Process(path) as process:
        assert {(await process.run.ask(**HELLO)).text for _ in range(2)} == {"one", "two"}


# ── effects ───────────────────────────────────────────────────────────────────────────────────────


async def test_an_effect_whose_first_try_failed_is_done_once_under_one_key(path):
    bank = Bank(busy=1)
    outcomes = []
    for answers in ([PAY, PAY, "Done."], []):
        async with Process(path, *answers) as process:
            outcomes.append(await process.work(agent(bank.tool(process.journal))))
            assert process.sent == len(answers)
    assert outcomes[0] == outcomes[1] and len(bank.paid) == 1


async def test_a_tool_error_comes_back_until_it_is_opened_for_a_new_try(path):
    bank = Bank(busy=1)
    async with Process(path, PAY, "The bank is busy.") as process:
        first = await process.work(agent(bank.tool(process.journal)))
    async with Process(path) as process:
        assert await process.work(agent(bank.tool(process.journal))) == first
        assert bank.paid == []
        assert process.journal.try_again() == 1
    async with Process(path, "Done.") as process:
        result = await process.work(agent(bank.tool(process.journal)))
        assert (result.output, len(bank.paid)) == ("Done.", 1)


async def test_an_effect_that_is_tried_anew_leaves_its_key_to_no_second_effect(path):
    """The key of a try that failed twice goes with the first one that is done."""
    bank = Bank(busy=2)
    for answers in ([PAY, PAY, "The bank is busy."], [PAY, "Done."], []):
        async with Process(path, *answers) as process:
            process.journal.try_again()
            result = await process.work(agent(bank.tool(process.journal)))
    assert result.output == "Done."
    assert len(bank.paid) == len({key for _, key in bank.paid}) == 2


async def test_a_bug_leaves_an_effect_open_and_the_next_try_has_its_key(path):
    bank = Bank(stumbles=[ConnectionError("no line")])
    async with Process(path, PAY, PAY, "Done.") as process:
        [failed] = await process.run.fan_out([(agent(bank.tool(process.journal)), TASK)])
        assert failed.status == "failed" and process.journal.steps() == (1, 1)
        result = await process.work(agent(bank.tool(process.journal)))
        assert result.ok and process.journal.steps() == (4, 0)
    assert len(bank.paid) == 1


@pytest.mark.parametrize("crash", [False, True])
async def test_a_retry_of_the_work_does_not_do_its_effect_again(path, crash):
    bank = Bank()
    async with Process(path, PAY, 529, PAY, "Done.") as process:
        result = await process.work(retried(agent(bank.tool(process.journal))))
        assert (result.output, len(bank.paid)) == ("Done.", 1)
    if crash:
        async with Process(path) as process:
            assert await process.work(retried(agent(bank.tool(process.journal)))) == result
    assert len(bank.paid) == 1


async def test_a_retry_after_a_tool_error_tries_the_effect_again(path):
    bank = Bank(busy=1)
    for answers in ([PAY, 529, PAY, "Done."], []):
        async with Process(path, *answers) as process:
            result = await process.work(retried(agent(bank.tool(process.journal))))
            assert (result.output, len(bank.paid)) == ("Done.", 1)


@pytest.mark.parametrize("crash", [False, True])
async def test_two_equal_effects_of_one_task_are_two(path, crash):
    bank = Bank()
    for answers in ([[PAY, PAY], "Done."], [])[: 1 + crash]:
        async with Process(path, *answers) as process:
            await process.work(agent(bank.tool(process.journal)))
    assert len(bank.paid) == len({key for _, key in bank.paid}) == 2


async def test_the_same_work_given_twice_in_one_process_is_done_twice(path):
    bank = Bank()
    async with Process(path, PAY, "Done.", PAY, "Done again.") as process:
        for _ in range(2):
            await process.work(agent(bank.tool(process.journal)))
            process.run = Run(process.journal.around(process.client))
    assert len(bank.paid) == 2


class Boss:
    """Hands the same words on, whatever it was told."""

    name, description = "boss", "Hands on."

    def __init__(self, inner):
        self.inner = inner

    async def execute(self, handoff, run):
        return await run.dispatch(self.inner, Handoff(intent="Pay as agreed"))


@pytest.mark.parametrize("above", [lambda inner: inner, Boss])
async def test_a_changed_task_with_equal_arguments_is_another_effect(path, above):
    bank = Bank()
    for whom, payments in (("Bob", 1), ("Ann", 2), ("Bob", 2)):
        answers = [PAY, f"{whom} is paid."]
        async with Process(path, *answers) as process:
            worker = above(agent(bank.tool(process.journal)))
            await process.work(worker, Handoff(intent=f"Pay {whom}"))
        assert len(bank.paid) == payments


async def test_a_changed_prompt_or_a_guard_around_is_the_same_effect(path):
    bank = Bank()
    async with Process(path, PAY, "Done.") as process:
        await process.work(agent(bank.tool(process.journal)))
    async with Process(path, PAY, "Done, kindly.") as process:
        kind = Agent("payer", "Pays.", "Pay kindly.", MODEL, (bank.tool(process.journal),))
        result = await process.work(retried(Deadline(kind, 60)))
    assert (result.output, len(bank.paid)) == ("Done, kindly.", 1)


class Odd:
    def __str__(self):
        return "odd"


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        *[(Odd(), '"odd"'), ({1, 2}, "[1,2]"), (b"ab", '"YWI="'), (float("nan"), "NaN")],
        *[((1, 2), [1, 2]), ("text \ud800", "text \ud800"), ([{"type": "text", "text": "x"}], ...)],
    ],
)
async def test_an_answer_that_is_no_json_is_kept_as_its_text_and_nothing_is_done_twice(
    path, answer, kept
):
    done = []

    class Tool:
        name, definition = "odd", {}

        async def call(self, arguments, run):
            done.append(arguments)
            return answer

    answers = []
    for _ in range(2):
        async with Process(path) as process:
            answers.append(await Once(Tool(), process.journal).call({"a": 1}, process.run))
    assert len(done) == 1 and answers[0] == answers[1] and json.dumps(answers[0])
    if kept is not ...:
        assert answers[0] == kept or isinstance(kept, str)


# ── decisions ─────────────────────────────────────────────────────────────────────────────────────


def careful(bank, journal):
    """A tool that pays when a person has agreed."""
    pay = bank.tool(journal)

    @tool
    async def pay_if_agreed(euros: int, run: Run) -> str:
        """Pays."""
        decided = await journal.decision(f"May I pay {euros} euros?", run=run)
        return await pay.call({"euros": euros}, run) if decided == "yes" else "nothing was paid"

    return pay_if_agreed


ASK = call("pay_if_agreed", euros=500)


@pytest.mark.parametrize(("decided", "payments"), [("yes", 1), ("no", 0)])
async def test_a_paused_run_goes_on_with_the_answer_and_nothing_is_paid_or_asked_twice(
    path, decided, payments
):
    bank = Bank()
    async with Process(path, ASK) as process:
        paused = await process.work(agent(careful(bank, process.journal)))
        assert (paused.status, paused.reason) == ("paused", "May I pay 500 euros?")
        assert process.journal.steps() == (1, 0)
    async with Process(path) as process:  # started again too early: it asks the same
        assert await process.work(agent(careful(bank, process.journal))) == paused
    async with Process(path) as process:  # the person, in a process of their own
        [question] = process.journal.questions()
        process.journal.answer(question, decided)
        assert process.journal.questions() == []
    async with Process(path, "Done.") as process:
        result = await process.work(agent(careful(bank, process.journal)))
        assert (result.output, process.sent, len(bank.paid)) == ("Done.", 1, payments)
    async with Process(path) as process:
        assert await process.work(agent(careful(bank, process.journal))) == result
    assert len(bank.paid) == payments


async def test_two_who_ask_at_once_are_two_questions_that_are_answered_one_by_one(path):
    bank = Bank()
    two = [ASK, call("pay_if_agreed", euros=900), ASK]
    async with Process(path, two) as process:
        paused = await process.work(agent(careful(bank, process.journal)))
        asked = process.journal.questions()
        assert (
            list(paused.questions) == asked and len(asked) == len({each.key for each in asked}) == 3
        )
        with pytest.raises(JournalError, match="2 questions 'May I pay 500 euros"):
            process.journal.answer(asked[0].words, "yes")
        process.journal.answer(asked[0], "yes")
        process.journal.answer(asked[1], "no")
        assert process.journal.questions() == [asked[2]]
    async with Process(path) as process:
        paused = await process.work(agent(careful(bank, process.journal)))
        assert paused.questions == (asked[2],) and len(bank.paid) == 1
        process.journal.answer(asked[2], "yes")
        with pytest.raises(JournalError, match=r"no question .* waits in .*; those .*: none"):
            process.journal.answer(asked[2], "yes")
    async with Process(path, "Done.") as process:
        assert (await process.work(agent(careful(bank, process.journal)))).ok
    assert [euros for euros, _ in bank.paid] == [500, 500]


async def test_a_yes_for_one_task_is_not_a_yes_for_another(path):
    bank = Bank()
    async with Process(path, ASK, "Done.", ASK) as process:
        await process.work(agent(careful(bank, process.journal)))
        process.journal.answer(*process.journal.questions(), "yes")
        process.journal.replay()
        await process.work(agent(careful(bank, process.journal)), TASK.model_copy())
    async with Process(path, ASK) as process:
        other = await process.work(agent(careful(bank, process.journal)), Handoff(intent="Pay Ann"))
    assert (other.status, len(bank.paid)) == ("paused", 1)


async def test_a_person_who_is_there_is_asked_once(path):
    asked = []

    async def person():
        asked.append(1)
        return {"choice": "Proceed", "text": "the facts"}

    for _ in range(2):
        async with Process(path) as process:
            decided = await process.journal.decision("Right?", about={"facts": "a"}, ask=person)
            assert decided == {"choice": "Proceed", "text": "the facts"}
            assert process.journal.steps() == (1, 0)
    async with Process(path) as process:
        await process.journal.decision("Right?", about={"facts": "b"}, ask=person)
        await process.journal.decision("Wrong?", about={"facts": "a"}, ask=person)
    assert len(asked) == 3


async def test_nobody_s_decision_is_not_kept(path):
    async def nobody():
        return None

    async def person():
        return "yes"

    async with Process(path) as process:
        assert await process.journal.decision("Right?", ask=nobody) is None
        assert process.journal.steps() == (0, 0) and process.journal.questions() == []
        assert await process.journal.decision("Right?", ask=person) == "yes"
        with pytest.raises(ValueError, match="the answer is None"):
            process.journal.answer("Right?", None)


async def test_a_retry_does_not_ask_the_person_again(path):
    bank = Bank()
    async with Process(path, ASK) as process:
        await process.work(retried(agent(careful(bank, process.journal))))
        process.journal.answer(*process.journal.questions(), "yes")
    async with Process(path, 529, ASK, "Done.") as process:
        result = await process.work(retried(agent(careful(bank, process.journal))))
        assert result.ok and process.journal.questions() == []
    assert len(bank.paid) == 1


async def test_a_pause_within_an_effect_leaves_it_open_for_the_next_run(path):
    async with Process(path, PAY) as process:
        asking = Bank(stumbles=[Pause("May I?")])
        result = await process.work(agent(asking.tool(process.journal)))
        assert (result.status, process.journal.steps()) == ("paused", (1, 1))
    bank = Bank()
    async with Process(path, "Done.") as process:
        assert (await process.work(agent(bank.tool(process.journal)))).ok
    assert len(bank.paid) == 1


# ── an edit ───────────────────────────────────────────────────────────────────────────────────────


async def test_what_an_edit_changes_is_asked_anew_with_its_errors_and_the_rest_is_kept(path):
    both = [Handoff(intent="Find"), Handoff(intent="Write")]
    async with Process(path, 529, "found", 529, "written") as process:
        for task in both:
            await process.work(retried(agent()), task)
    async with Process(path, "edited") as process:
        found = await process.work(retried(agent()), both[0])
        written = await process.work(retried(agent()), Handoff(intent="Write less"))
    assert (found.output, written.output, process.sent) == ("found", "edited", 1)


# ── killed between any two statements ─────────────────────────────────────────────────────────────


connect = sqlite3.connect


class Killed(KeyboardInterrupt):
    """The process dies: nothing that it does from here on reaches the file."""


class Life:
    """One task from its first process to its last: the service is overloaded once, the bank busy
    once, a person is asked; and it is killed at the n-th line of the journal's own code.
    """

    def __init__(self, path, kill_at=None):
        self.path = path
        self.kill_at = kill_at
        self.lines = 0
        self.sent = 0
        self.overloaded = True
        self.bank = Bank(busy=1)
        self.answers = 0
        self.open = []
        self.result = self.spent = None

    def model(self, request):
        """Pays, again when the bank was busy, and says so."""
        self.sent += 1
        if self.overloaded:
            self.overloaded = False
            return 529
        content = request["messages"][-1]["content"]
        receipt = isinstance(content, list) and "receipt" in str(content)
        return "Bob is paid." if receipt else ASK

    def traced(self, frame, event, _):
        if not frame.f_code.co_filename.endswith(("journal.py", "journal_file.py")):
            return None
        if event == "line":
            self.lines += 1
            if self.lines == self.kill_at:
                for connection in self.open:  # the system closes the files of a dead process
                    connection.close()
                raise Killed
        return self.traced

    def connected(self, *args, **options):
        connection = connect(*args, **options)
        self.open.append(connection)
        return connection

    async def process(self):
        service = Script([self.model] * 20, strict=False)
        with Journal(self.path) as journal:
            for question in journal.questions():
                self.answers += 1
                journal.answer(question, "yes")
            run = Run(journal.around(Client(service, retries=0)))
            result = await run.dispatch(retried(agent(careful(self.bank, journal))), TASK)
            self.spent = run.spent
        return result

    def lived(self, monkeypatch):
        """To its end, in as many processes as it takes; returns itself."""
        monkeypatch.setattr(sqlite3, "connect", self.connected)
        for _ in range(9):
            before = sys.gettrace()
            if self.kill_at is None or self.lines < self.kill_at:
                sys.settrace(self.traced)
            try:
                self.result = None
                self.result = asyncio.run(self.process())
            except Killed:
                pass
            finally:
                sys.settrace(before)
            if self.result is None:
                gc.collect()  # of a dead process nothing is left
            if self.result and self.result.status != "paused":
                return self
        raise AssertionError(f"killed at line {self.kill_at}: it does not end: {self.result}")


SOME_MOMENTS = 12
"""Of about 300, drawn anew for each quick run; `--all` takes every one."""


def moments(request, count):
    if request.config.getoption("--all", default=False):
        return range(1, count + 1)
    return sorted(Random().sample(range(1, count + 1), SOME_MOMENTS))


def kept_in(path):
    """How many requests and decisions a journal holds."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        kinds = [kind for (kind,) in db.execute("SELECT kind FROM steps")]
    return kinds.count("reply"), kinds.count("decision")


@pytest.fixture
def nothing_old():
    """What is collected of a dead process is its own: the rest of this one is not looked through."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def test_killed_between_any_two_statements_it_ends_as_if_nobody_had(
    tmp_path, request, monkeypatch, nothing_old
):
    whole = Life(tmp_path / "whole.db").lived(monkeypatch)
    assert whole.result.output == "Bob is paid." and len(whole.bank.paid) == 1
    assert (whole.sent, whole.answers) == (4, 2)  # the tool asks at each of its two calls
    assert whole.lines > 300
    for kill_at in moments(request, whole.lines):
        life = Life(tmp_path / f"{kill_at}.db", kill_at).lived(monkeypatch)
        words = f"killed at line {kill_at}"
        assert life.result == whole.result, words
        assert len({key for _, key in life.bank.paid}) == 1, words
        requests, decisions = kept_in(life.path)
        # what was under way is done again: one request, one effect or one question at most
        again = (life.sent - requests, len(life.bank.paid) - 1, life.answers - decisions)
        assert again in [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], words
        before = (life.sent, life.answers, life.bank, life.spent)
        assert life.lived(monkeypatch).result == whole.result, words
        assert (life.sent, life.answers, life.bank, life.spent) == before, words


async def test_an_edited_number_costs_the_other_errors_no_new_try(path):
    async with Process(path, 529, 529) as process:
        for intent in ("Pay Bob", "Pay Ann"):
            await process.work(agent(), Handoff(intent=intent))
    with contextlib.closing(sqlite3.connect(path)) as file:
        file.execute("UPDATE steps SET key = replace(key, '.1', '.x') WHERE rowid = 1")
        file.commit()
    async with Process(path) as process:
        assert process.journal.try_again() == 1


async def test_a_question_with_half_a_character_is_asked_and_answered(path):
    question = "Pay \ud800?"
    async with Process(path) as process:
        with pytest.raises(Pause):
            await process.journal.decision(question)
        assert [each.words for each in process.journal.questions()] == ["Pay ??"]
        process.journal.answer(question, "yes")
    async with Process(path) as process:
        assert await process.journal.decision(question) == "yes"


# ── validators of a plan's steps ──────────────────────────────────────────────────────────────────


class Dated:
    """A validator that wants a date; it hangs when `hangs`, so that the process can be ended."""

    name, cost = "dated", 0.0

    def __init__(self, hangs=False):
        self.hangs, self.asked = hangs, asyncio.Event()

    async def check(self, draft, handoff, run):
        self.asked.set()
        if self.hangs:
            await asyncio.Event().wait()
        return [] if "May" in draft else [Issue(where=draft, problem="has no date")]


class OneStep:
    async def plan(self, *_):
        return Plan(steps=[Step(id="pay", worker="payer", intent="Pay Bob")])


def validated(gate):
    registry = Registry()
    registry.register(agent())
    end = Agent("end", "Sums up.", "Sum up.", MODEL)
    return PlannedSupervisor(registry, OneStep(), end, validators={"payer": [gate]})


async def test_a_step_that_was_killed_in_its_validator_is_not_paid_again_nor_is_its_revision(path):
    async with Process(path, "Paid.") as process:
        gate = Dated(hangs=True)
        work = asyncio.create_task(process.work(validated(gate)))
        await gate.asked.wait()
        work.cancel()
        await asyncio.wait([work])
        assert (work.cancelled(), process.sent) == (True, 1)
    async with Process(path, "Paid in May.", "Bob was paid.") as process:
        result = await process.work(validated(Dated()))
        assert (result.status, result.output, process.sent) == ("ok", "Bob was paid.", 2)
        assert result.artifacts == {"pay": "Paid in May."}
    async with Process(path) as process:
        assert await process.work(validated(Dated())) == result
        assert process.sent == 0
