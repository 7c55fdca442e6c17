"""Facts about money and steps together: any mix of failures, crashes, lost workers and tight budgets.

Two machines draw the mix. In the first, the same work is begun again and again over one journal, in a process that is
killed or meets failures. In the second, a fan-out loses its workers. Whatever happens: no cap is passed, all that was
paid stands in the books, nothing finished is paid or done a second time, and work that may go on comes to its end.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import httpx
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from kernel import Budget, Client, Handoff, Result, Run, ToolError, models
from kernel.core.budget import NOTHING
from kernel.core.tools import tool
from kernel.parts.cluster import WorkerLost, fan_out, perform
from kernel.parts.guards import Retry
from kernel.parts.journal.journal import Journal, Once, current_step
from tests.scripted import no_sleep

LONG_ANSWER = 600
"""Tokens that an answer needs; with fewer it is cut."""


class Killed(BaseException):
    """The process died here."""


class Service(httpx.AsyncBaseTransport):
    """Answers each question with itself, fails when it is told to, and counts what it did."""

    def __init__(self):
        self.paid = Counter()
        """How often each question was answered in full."""
        self.cut = Counter()
        self.sent = 0
        self.tokens = 0
        self.failures = []
        """What becomes of the next requests: True for an overloaded service."""
        self.arrived = lambda question: None
        """Called when the work is done, before the answer leaves."""

    async def handle_async_request(self, request):
        body = json.loads(await request.aread())
        question = body["messages"][0]["content"]
        self.sent += 1
        if self.failures and self.failures.pop(0):
            error = {"type": "overloaded_error", "message": "overloaded"}
            return httpx.Response(529, json={"type": "error", "error": error})
        is_cut = body["max_tokens"] < LONG_ANSWER
        (self.cut if is_cut else self.paid)[question] += 1
        self.tokens += 20 + min(body["max_tokens"], LONG_ANSWER)
        self.arrived(question)
        answer = {
            "content": [{"type": "text", "text": f"answer to {question}"}],
            "stop_reason": "max_tokens" if is_cut else "end_turn",
            "usage": {"input_tokens": 20, "output_tokens": min(body["max_tokens"], LONG_ANSWER)},
        }
        return httpx.Response(200, json={"role": "assistant", "model": body["model"], **answer})

    def client(self):
        return Client(self, retries=0, sleep=no_sleep)


class Asks:
    """Asks one question; a cut answer is a result with the text so far."""

    description = "Asks a question."

    def __init__(self, name="asks", questions=1):
        self.name = name
        self.questions = questions

    async def execute(self, handoff, run):
        for number in range(self.questions):
            text = f"{handoff.intent} {number}" if self.questions > 1 else handoff.intent
            messages = [{"role": "user", "content": text}]
            reply = await run.ask(model=models.worker, max_tokens=1000, messages=messages)
            if reply.next_step == "cut":
                return Result(status="exhausted", output=reply.text, reason="cut")
        return Result(status="ok", output=reply.text)


# ── one process after the other, over one journal ─────────────────────────────────────────────────


class Outside:
    """What effects reach: it recognises the key of a step, as a bank or a mail server does."""

    def __init__(self):
        self.done = Counter()
        self.keys = {}
        self.failures = []
        self.arrived = lambda text: None

    def pay(self, text):
        if self.failures and self.failures.pop(0):
            raise ToolError("the line is busy")
        self.keys.setdefault(text, set()).add(current_step.get())
        self.done[text] += 1
        self.arrived(text)


class Work:
    """Asks, pays, asks: what a person would start again after a crash, unchanged."""

    name = "work"
    description = "Does the whole work."

    def __init__(self, outside, journal):
        @tool
        def pay(text: str) -> str:
            """Pay."""
            outside.pay(text)
            return f"paid {text}"

        self.pay = Once(pay, journal)

    async def execute(self, handoff, run):
        ask = Retry(Asks(), times=2, sleep=no_sleep)
        for number in (1, 2):
            asked = await run.dispatch(ask, Handoff(intent=f"question {number}"))
            if not asked.ok:
                return asked
            if not await self._paid(f"bill {number}", run):
                return Result(status="failed", reason="could not pay")
        return await run.dispatch(ask, Handoff(intent="question 3"))

    async def _paid(self, text, run):
        for _ in range(3):  # as a model would: the same call again
            try:
                await self.pay.call({"text": text}, run)
            except ToolError:
                continue
            return True
        return False


def kill_at(number):
    """A hook that kills the process when it is called for the n-th time; None: never."""
    calls = 0

    def hook(subject):
        nonlocal calls
        calls += 1
        if calls == number:
            raise Killed(subject)

    return hook


class Lives(RuleBasedStateMachine):
    """One piece of work in several lives of its process."""

    def __init__(self):
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.path = self.folder / "journal.db"
        self.service = Service()
        self.outside = Outside()
        self.under_way = Counter()
        """How often the process was killed while a question was answered or a bill was paid."""

    @rule(
        overloaded=st.lists(st.booleans(), max_size=4),
        busy=st.lists(st.booleans(), max_size=3),
        killed_in_request=st.none() | st.integers(1, 3),
        killed_in_effect=st.none() | st.integers(1, 2),
        tokens=st.sampled_from([None, None, 450, 1_100]),
        try_again=st.booleans(),
    )
    def live(self, overloaded, busy, killed_in_request, killed_in_effect, tokens, try_again):
        """Begins the work from the start, in a new process."""
        self.service.failures = overloaded
        self.outside.failures = busy
        self.service.arrived = self._killing(killed_in_request)
        self.outside.arrived = self._killing(killed_in_effect)
        self._begin(Budget(tokens=tokens), try_again=try_again)

    def _killing(self, number):
        hook = kill_at(number)

        def arrived(subject):
            try:
                hook(subject)
            except Killed:
                self.under_way[subject] += 1
                self._photograph()
                raise

        return arrived

    def _photograph(self):
        """Keeps the files of the moment: what a killed process still does, nobody sees."""
        self.photograph = tempfile.mkdtemp(dir=self.folder)
        for file in self.folder.glob("journal.db*"):
            shutil.copy(file, self.photograph)

    def _begin(self, budget, *, try_again=False):
        self.photograph = ""
        result = None
        tokens = self.service.tokens
        with Journal(self.path, sync="normal") as journal:
            if try_again:  # as a person does after the service was down
                journal.try_again()
            run = Run(journal.around(self.service.client()), budget=budget)
            try:
                result = asyncio.run(run.dispatch(Work(self.outside, journal), TASK))
            except Killed:
                pass
        if self.photograph:
            for file in self.folder.glob("journal.db*"):
                file.unlink()
            for file in Path(self.photograph).iterdir():
                shutil.copy(file, self.folder)
            return None
        assert run.ledger.reserved == NOTHING
        # replies that the journal gives cost nothing more, and are booked whatever is left
        assert budget.tokens is None or self.service.tokens - tokens <= budget.tokens
        return result

    @invariant()
    def nothing_finished_is_paid_again(self):
        for question, times in self.service.paid.items():
            assert times <= 1 + self.under_way[question], f"{question} was paid {times} times"

    @invariant()
    def an_effect_that_is_repeated_carries_its_key(self):
        for text, keys in self.outside.keys.items():
            assert len(keys) == 1, f"{text} was done under {len(keys)} keys"
            assert self.outside.done[text] <= 1 + self.under_way[text]

    def teardown(self):
        """Without a failure the work comes to its end; once more, and nothing is sent."""
        self.service.failures = []
        self.outside.failures = []
        self.service.arrived = self.outside.arrived = lambda subject: None
        result = self._begin(Budget(), try_again=True)
        assert result.ok, result.reason
        assert result.output == "answer to question 3"
        self.nothing_finished_is_paid_again()
        self.an_effect_that_is_repeated_carries_its_key()
        sent, done = self.service.sent, Counter(self.outside.done)
        assert self._begin(Budget()) == result
        assert (self.service.sent, self.outside.done) == (sent, done)
        shutil.rmtree(self.folder)


TASK = Handoff(intent="do the work")


# ── workers that are lost ─────────────────────────────────────────────────────────────────────────


class Line:
    """What a worker says to the run at home; once the worker is lost, it says nothing any more."""

    def __init__(self, attempt):
        self._attempt = attempt
        self.lost = False

    def __getattr__(self, name):
        method = getattr(self._attempt, name)

        async def said(*arguments):
            if self.lost:
                raise ConnectionError("nobody is there any more")
            return await method(*arguments)

        return said

    def tell(self, line):
        if not self.lost:
            self._attempt.take_in(line)


class Losing:
    """Workers in this process, each lost at the moment that was drawn for it."""

    def __init__(self, service, losses):
        self.service = service
        self.losses = losses
        """After how many requests the next workers are lost; None: never."""

    async def do(self, job, attempt):
        line = Line(attempt)
        loss = self.losses.pop(0) if self.losses else None
        lost = asyncio.Event()
        count = 0

        async def client_is_lost(request):
            nonlocal count
            count += 1
            if count == loss:
                line.lost = True
                lost.set()
                await asyncio.Event().wait()

        client = self.service.client()
        original = client.transport.handle_async_request

        class Mortal(httpx.AsyncBaseTransport):
            async def handle_async_request(self, request):
                response = await original(request)
                await client_is_lost(request)
                return response

        client.transport = Mortal()
        branch = asyncio.ensure_future(
            perform(replace(job, client=lambda: client), line, line.tell)
        )
        death = asyncio.ensure_future(lost.wait())
        await asyncio.wait({branch, death}, return_when=asyncio.FIRST_COMPLETED)
        death.cancel()
        if lost.is_set():
            branch.cancel()
            await asyncio.gather(branch, return_exceptions=True)
            raise WorkerLost("gone")
        return branch.result()


class Losses(RuleBasedStateMachine):
    """Fan-outs one after the other, under one run with a cap."""

    def __init__(self):
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.service = Service()
        self.run = Run(self.service.client(), budget=Budget(calls=12, usd=Decimal("0.05")))
        self.number = 0

    @rule(
        books=st.sampled_from(["bank", "lease"]),
        has_journal=st.booleans(),
        branches=st.integers(1, 4),
        questions=st.integers(1, 2),
        losses=st.lists(st.none() | st.integers(1, 2), max_size=8),
        overloaded=st.lists(st.booleans(), max_size=3),
    )
    def fan_out(self, books, has_journal, branches, questions, losses, overloaded):
        self.number += 1
        self.service.failures = overloaded
        jobs = []
        for branch in range(branches):
            task = Handoff(intent=f"fan-out {self.number}, branch {branch}")
            jobs.append((Retry(Asks(f"asks-{branch}", questions), times=1, sleep=no_sleep), task))
        before = self.run.spent.calls
        paid_before = sum(self.service.paid.values())
        results = asyncio.run(
            fan_out(
                self.run,
                jobs,
                on=Losing(self.service, losses),
                books=books,
                journal=self.folder / str(self.number) if has_journal else None,
            )
        )
        assert len(results) == branches
        paid = sum(self.service.paid.values()) - paid_before
        booked = self.run.spent.calls - before
        assert paid <= booked, f"{paid} requests were paid and {booked} are in the books"

    @invariant()
    def nothing_is_held_when_nothing_is_under_way(self):
        assert self.run.ledger.reserved == NOTHING

    @invariant()
    def no_cap_is_passed(self):
        assert self.run.spent.calls <= 12
        assert self.run.spent.usd <= Decimal("0.05")
        assert sum(self.service.paid.values()) <= 12

    def teardown(self):
        shutil.rmtree(self.folder)


TestLives = pytest.mark.filterwarnings("ignore:.*holds an error")(Lives.TestCase)
TestLives.settings = settings(max_examples=40, stateful_step_count=6, deadline=None)
TestLosses = Losses.TestCase
TestLosses.settings = settings(max_examples=40, stateful_step_count=4, deadline=None)
