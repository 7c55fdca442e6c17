"""A branch in a worker: its work, and the bank that it asks over the queues of Dask."""

from __future__ import annotations

import asyncio
import contextlib
import pickle
from collections.abc import Awaitable
from typing import Any
from uuid import uuid4

from ...core.budget import NOTHING, Budget, Exhausted, Ledger, Spent
from ...core.wire import RequestSize
from ...plumbing.texts import in_words
from .books import BranchJob, Holds, hold_in
from .branch import EncodedResult, perform, seconds_each, sent_back
from .queues import Outbox, ToBranch, ToRun, queue_at

SILENCE_S = 30.0
"""Seconds without a message from a run until a worker ends its branches."""
UNHEARD = "its run is gone, or does not answer"


class LostAnswers(Exception):
    """No answer of the run can come any more."""


async def do_branch(home: str, branch: str, content: bytes, rest: str) -> str:
    """Does a branch; returns its result as JSON, "" when its run is gone or says stop."""
    bank = RemoteBank(branch, await post_to(home))
    return await bank.open_during(_done(bank, content, Budget.model_validate_json(rest)))


async def _done(bank: RemoteBank, content: bytes, rest: Budget) -> str:
    """Does a job and returns its result as JSON; that of a bug says what went wrong."""
    try:
        job: BranchJob = pickle.loads(content)  # from the run
        asked = LeasedBank(bank, rest, job.unknown_price_ok) if job.leased else bank
        result = await perform(job, asked, bank.tell)
        return sent_back(result).model_dump_json()
    except LostAnswers:
        raise
    except Exception as bug:
        return EncodedResult(bug=f"{type(bug).__name__}: {in_words(bug)}").model_dump_json()


async def measure(home: str, branch: str, questions: int) -> str:
    """Times questions; returns the seconds of one."""
    bank = RemoteBank(branch, await post_to(home))

    async def timed() -> str:
        await bank.begin()
        return str(await seconds_each(bank.hello, questions))

    return await bank.open_during(timed())


class Post:
    """A worker's ends of the queues to one run, for all branches that it does for it."""

    def __init__(self, home: Any, answers: Any) -> None:  # Any: queues of the extra
        self.home = Outbox(home)
        self.answers = answers
        self.banks: dict[str, RemoteBank] = {}
        self.listening = asyncio.ensure_future(self._listen())

    async def _listen(self) -> None:
        """Takes in answers, until there was nothing for too long, or the scheduler is gone."""
        try:
            while True:
                for text in await asyncio.wait_for(self.answers.get(), SILENCE_S):
                    self._take(ToBranch.model_validate_json(text))
        except (OSError, TimeoutError):
            pass
        finally:
            for bank in self.banks.values():
                bank.end()
            self.home.close()
            self.answers.close()

    def _take(self, answer: ToBranch) -> None:
        if bank := self.banks.get(answer.branch):
            bank.take(answer)


_posts: dict[str, asyncio.Future[Post]] = {}
"""The post to each run, by the name of the run's queue."""


async def post_to(home: str) -> Post:
    """This worker's post to a run; opened when there is none, or the one before has heard nothing
    for too long."""
    post = _posts.get(home)
    if post is None or (post.done() and post.result().listening.done()):
        post = _posts[home] = asyncio.ensure_future(_opened_post(home))
    return await asyncio.shield(post)


async def _opened_post(home: str) -> Post:
    return Post(await queue_at(home), await queue_at(f"{home}-{uuid4().hex}"))


class RemoteBank:
    """Bank client of a branch: sends each question to the run, and waits for its answer."""

    def __init__(self, branch: str, post: Post) -> None:
        self._branch = branch
        self._post = post
        self._asked: dict[int, asyncio.Future[ToBranch]] = {}
        self._questions = 0
        self._ended = asyncio.Event()
        post.banks[branch] = self

    async def open_during(self, work: Awaitable[str]) -> str:
        """Does work that asks this bank, and returns its text. When no more answers can come, the
        work is cancelled and the text is "": nobody can be left waiting for an answer."""
        ended = asyncio.ensure_future(self._ended.wait())
        doing = asyncio.ensure_future(work)
        both: set[asyncio.Future[Any]] = {doing, ended}
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            ended.cancel()
            doing.cancel()
            self.end()
            await asyncio.wait({doing})
            del self._post.banks[self._branch]
            self._say(last=True)
            with contextlib.suppress(Exception):  # where the run is gone, nobody needs it
                await self._post.home.sent()
        if doing.cancelled() or isinstance(doing.exception(), LostAnswers):
            return ""
        return doing.result()

    def end(self) -> None:
        """Ends every question: no answer can come any more."""
        self._ended.set()
        for asked in self._asked.values():
            if not asked.done():
                asked.set_exception(LostAnswers(UNHEARD))
                asked.exception()  # read here: a task that could not send it does not

    def take(self, answer: ToBranch) -> None:
        """Takes in an answer, or the order to stop."""
        if answer.stop or answer.lost:
            self.end()
            return
        asked = self._asked.pop(answer.question or 0, None)
        if asked is not None and not asked.done():
            asked.set_result(answer)

    def _say(self, **fields: Any) -> None:  # Any: ToRun checks them
        self._post.home.send(ToRun(branch=self._branch, **fields))

    def tell(self, event: str) -> None:
        """Sends an event."""
        self._say(event=event)

    async def begin(self) -> None:
        """Asks whether the attempt may begin: a scheduler may have given it to another worker."""
        await self._ask(answers=self._post.answers.name)

    async def book(self, size: RequestSize) -> tuple[int, Spent]:
        answer = await self._ask(size=size)
        return answer.number, Spent(*answer.booked or ())

    async def retry(self, number: int) -> None:
        await self._ask(retry=number)

    async def settle(self, number: int, actual: Spent | None) -> None:
        self._say(settled=number, costs=actual)

    async def hand_out(self, specialist: str, limit: int) -> int:
        return (await self._ask(specialist=specialist, limit=limit)).number

    async def hello(self) -> None:
        """Asks for nothing: the question alone is timed."""
        await self._ask()

    async def report(self, **fields: Any) -> None:  # Any: ToRun checks them
        """Sends what a slice has booked, and waits until it is in the run's queue."""
        self._questions += 1
        self._say(question=self._questions, **fields)
        await self._post.home.sent()

    async def _ask(self, **fields: Any) -> ToBranch:
        """Sends a question and waits for the answer; when the wait is cancelled, withdraws the
        question. Raises Exhausted with the run's words, and LostAnswers when none can come."""
        if self._ended.is_set():
            raise LostAnswers(UNHEARD)
        self._questions += 1
        number = self._questions
        waiting: asyncio.Future[ToBranch] = asyncio.get_running_loop().create_future()
        self._asked[number] = waiting
        self._say(question=number, **fields)
        try:
            answer = await waiting
        except BaseException:
            self._asked.pop(number, None)
            self._say(withdrawn=number)
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
        await self._bank.begin()

    async def hand_out(self, specialist: str, limit: int) -> int:
        return await self._bank.hand_out(specialist, limit)

    async def book(self, size: RequestSize) -> tuple[int, Spent]:
        number, booked = await self._holds.book(size)
        try:
            await self._bank.report(size=size)
        except BaseException:  # the caller does not learn the number, and sends nothing
            await self.settle(number, NOTHING)
            raise
        return number, booked

    async def retry(self, number: int) -> None:
        self._holds.retry(number)
        await self._bank.report(retry=number)

    async def settle(self, number: int, actual: Spent | None) -> None:
        self._holds.settle(number, actual)
        await self._bank.settle(number, actual)
