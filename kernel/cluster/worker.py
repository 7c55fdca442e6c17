"""Runs one branch in a worker process."""

from __future__ import annotations

import asyncio
import contextlib
import pickle
from base64 import b64decode
from collections.abc import Awaitable
from typing import Any

from ..budget import NOTHING, Budget, Exhausted, Ledger, Spent
from ..texts import in_words
from ..wire import RequestSize
from .books import BranchJob, Holds, hold_in
from .line import Line, LineLost, Ticket, dial
from .messages import (
    BankAnswer,
    BankQuestion,
    BranchSent,
    Bug,
    Measured,
    QuestionWithdrawn,
    RequestSettled,
)
from .parcel import perform, seconds_each, sent_back


async def work(ticket: dict[str, Any]) -> str:
    """Does the run's work for this ticket. Returns '' when done, else why the run could not be
    reached."""
    try:
        line = await dial(Ticket(**ticket))
    except OSError as problem:
        return f"it could not call the run at {ticket['host']}:{ticket['port']}: {problem}"
    try:
        first = await line.receive()
        if first is None:
            return "the run did not want it any more"
        verb, body = first
        bank = RemoteBank(line)
        if verb == "measure":
            await bank.open_during(_measure(bank, int(body)))
        else:
            await bank.open_during(_branch(bank, BranchSent.model_validate_json(body)))
    except LineLost as problem:
        return f"its line to the run broke: {problem}"
    finally:
        await line.close()
    return ""


async def _branch(bank: RemoteBank, given: BranchSent) -> None:
    """Does a branch and sends its result."""
    try:
        job: BranchJob = pickle.loads(b64decode(given.parcel))  # from the run, over its own line
        asked = LeasedBank(bank, given.rest, job.unknown_price_ok) if job.leased else bank
        result = await perform(job, asked, bank.tell)
        bank.line.send("done", sent_back(result).model_dump_json())
    except LineLost:
        raise
    except Exception as bug:
        message = Bug(type=type(bug).__name__, text=in_words(bug))
        bank.line.send("bug", message.model_dump_json())
    await bank.line.sent()


async def _measure(bank: RemoteBank, questions: int) -> None:
    """Times questions and sends the seconds of one."""
    seconds = await seconds_each(bank.hello, questions)
    bank.line.send("measured", Measured(seconds=seconds).model_dump_json())
    await bank.line.sent()


class RemoteBank:
    """Bank client over the line: sends each question and waits for its answer."""

    def __init__(self, line: Line) -> None:
        self.line = line
        self._asked: dict[int, asyncio.Future[BankAnswer]] = {}
        self._questions = 0
        self._ended = False

    async def open_during(self, work: Awaitable[None]) -> None:
        """Does work that asks this bank. When no more answers can come, it cancels the work, and
        every question ends with LineLost: nobody can be left waiting for an answer."""
        listening = asyncio.ensure_future(self._listen())
        doing = asyncio.ensure_future(work)
        try:
            await asyncio.wait({doing, listening}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            listening.cancel()
            doing.cancel()
            self._end()
            await asyncio.wait({doing})
        if not doing.cancelled():
            doing.result()

    def _end(self) -> None:
        self._ended = True
        for asked in self._asked.values():
            if not asked.done():
                asked.set_exception(LineLost("the line has ended"))
                asked.exception()  # read here: a task that could not send it does not

    async def _listen(self) -> None:
        """Takes in answers, until the run says stop or the line ends."""
        try:
            while (message := await self.line.receive()) and message[0] == "answer":
                answer = BankAnswer.model_validate_json(message[1])
                asked = self._asked.pop(answer.id, None)
                if asked is not None and not asked.done():
                    asked.set_result(answer)
        except (LineLost, ValueError):
            pass  # what this branch says reaches nobody: it ends like a stopped one

    def tell(self, event: str) -> None:
        """Sends an event."""
        self.line.send("event", event)

    async def begin(self) -> None:
        """Does nothing: the attempt began when the run sent the branch."""

    async def book(self, size: RequestSize) -> tuple[int, Spent]:
        answer = await self._ask(size=size)
        return answer.number, Spent(*answer.booked or ())

    async def again(self, number: int) -> None:
        await self._ask(number=number)

    async def settle(self, number: int, actual: Spent | None) -> None:
        self.tell_settled(number, actual)
        with contextlib.suppress(LineLost):
            await self.line.sent()

    def tell_settled(self, number: int, actual: Spent | None) -> None:
        """Sends what a request cost."""
        cost = RequestSettled(number=number, spent=actual)
        self.line.send("settled", cost.model_dump_json())

    async def hello(self) -> None:
        await self._ask()

    def question(self, **about: Any) -> int:  # Any: BankQuestion checks them
        """Sends a question; returns its number."""
        self._questions += 1
        asked = BankQuestion(id=self._questions, **about)
        self.line.send("question", asked.model_dump_json())
        return asked.id

    async def _ask(self, **about: Any) -> BankAnswer:
        """Sends a question and waits for the answer; when the wait is cancelled, withdraws the
        question. Raises Exhausted with the run's words, and LineLost when no answer can come."""
        if self._ended:
            raise LineLost("the line has ended")
        id = self.question(**about)
        waiting: asyncio.Future[BankAnswer] = asyncio.get_running_loop().create_future()
        self._asked[id] = waiting
        try:
            await self.line.sent()
            answer = await waiting
        except BaseException:
            self._asked.pop(id, None)
            self.line.send("withdrawn", QuestionWithdrawn(id=id).model_dump_json())
            raise
        if answer.refused:
            raise Exhausted(answer.refused)
        return answer


class LeasedBank:
    """Bank for a leased slice: decides locally and reports.

    It keeps the same books as the run, and reports each booking before the request is sent.
    """

    def __init__(self, bank: RemoteBank, rest: Budget, unknown_price_ok: bool) -> None:
        ledger = Ledger(rest, owner="the slice", unknown_price_ok=unknown_price_ok)
        self._holds = Holds(lambda size: hold_in(ledger, None, size))
        self._bank = bank

    async def begin(self) -> None:
        """Does nothing: the attempt began when the run sent the branch."""

    async def book(self, size: RequestSize) -> tuple[int, Spent]:
        number, booked = await self._holds.book(size)
        self._bank.question(size=size)
        try:
            await self._bank.line.sent()
        except BaseException:  # the caller does not learn the number, and sends nothing
            self._holds.settle(number, NOTHING)
            self._bank.tell_settled(number, NOTHING)
            raise
        return number, booked

    async def again(self, number: int) -> None:
        self._holds.again(number)
        self._bank.question(number=number)
        await self._bank.line.sent()

    async def settle(self, number: int, actual: Spent | None) -> None:
        self._holds.settle(number, actual)
        await self._bank.settle(number, actual)
