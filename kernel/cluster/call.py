"""The run's side of one branch at a worker: the job goes out, its questions and events come in."""

from __future__ import annotations

import asyncio
import contextlib
from base64 import b64encode
from collections.abc import Awaitable, Callable

from ..budget import NOTHING, Budget, Exhausted
from ..connections import connect
from ..contract import Result
from ..run import Run
from .books import Attempt, WorkerLost
from .line import MAX_LINE, Line, LineLost, TooLong
from .messages import (
    BankAnswer,
    BankQuestion,
    BranchSent,
    Bug,
    Measured,
    QuestionWithdrawn,
    RequestSettled,
)
from .parcel import EncodedResult, restored

LOST = "the process that did this work is gone"
MAX_PARCEL = MAX_LINE - 10_000
"""Bytes of an executable and its handoff, packed; what is around them needs a few more."""
DRAIN_S = 5.0
"""Seconds to wait for messages still on their way once the process is gone."""


class WorkerCall:
    """Runs one branch on a worker: `outcome` is its result, or WorkerLost.

    If the line ends first, the run counts the worker as lost, and the worker stops.
    """

    def __init__(self, attempt: Attempt, parcel: bytes) -> None:
        self.outcome: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self.ended = asyncio.Event()
        """Set when nothing more comes from this worker."""
        self._attempt = attempt
        self._parcel = parcel
        self._line: Line | None = None
        self._answers: dict[int, asyncio.Task[BankAnswer]] = {}
        """The answer to each question, by its id: a worker may withdraw one that it has not got
        yet."""
        self._take: dict[str, Callable[[bytes], Awaitable[None]]] = {
            "event": self._event,
            "question": self._question,
            "withdrawn": self._withdrawn,
            "settled": self._settled,
            "done": self._done,
            "bug": self._bug,
        }

    async def serve(self, line: Line) -> None:
        """Speaks with the worker that called, until it is done or gone."""
        self._line = line
        try:
            await self._attempt.begin()
            line.send(*self._opening(self._attempt.rest()))
            while (message := await line.receive()) is not None:
                verb, body = message
                if verb not in self._take:
                    raise LineLost(f"it said {verb[:20]!r}")
                await self._take[verb](body)
        except WorkerLost as problem:
            self._lost(str(problem))
        except TooLong as problem:
            self._attempt.cut_off = True
            self.fail(f"this branch cannot cross the wire: {problem}")
        except (OSError, ValueError) as problem:  # the line broke, or brought no message of ours
            self._attempt.cut_off = not self.outcome.done()
            self._lost(f"the line to its worker broke ({problem})")
        finally:
            for answer in self._answers.values():
                answer.cancel()
            self._attempt.give_up()
            self._lost(LOST)
            self.ended.set()

    def _opening(self, rest: Budget) -> tuple[str, str]:
        """The first message to the worker."""
        parcel = b64encode(self._parcel).decode()
        if len(parcel) > MAX_PARCEL:
            raise TooLong(f"the parcel is longer than {MAX_PARCEL:,} bytes")
        return "work", BranchSent(parcel=parcel, rest=rest).model_dump_json()

    async def _event(self, body: bytes) -> None:
        self._attempt.take_in(body)

    async def _question(self, body: bytes) -> None:
        asked = BankQuestion.model_validate_json(body)
        if self._attempt.leased is not None:
            await self._note(asked)
            return
        self._answers[asked.id] = asyncio.ensure_future(self._answer(asked))  # may wait for others

    async def _withdrawn(self, body: bytes) -> None:
        """Books nothing for this question; what it has booked already is free again."""
        withdrawn = QuestionWithdrawn.model_validate_json(body)
        answer = self._answers.pop(withdrawn.id, None)
        if answer is not None and not answer.cancel():
            await self._attempt.settle(answer.result().number, NOTHING)

    async def _note(self, asked: BankQuestion) -> None:
        """Books what the worker has booked in its slice already; it waits for no answer."""
        try:
            await self._booked(asked)
        except Exhausted as problem:
            raise LineLost(f"it used more than its slice: {problem}") from None

    async def _answer(self, asked: BankQuestion) -> BankAnswer:
        try:
            answer = await self._booked(asked)
        except Exhausted as problem:
            answer = BankAnswer(id=asked.id, refused=str(problem))
        if self._line is not None:
            self._line.send("answer", answer.model_dump_json())
        return answer

    async def _booked(self, asked: BankQuestion) -> BankAnswer:
        if asked.size is not None:
            number, booked = await self._attempt.book(asked.size)
            return BankAnswer(id=asked.id, number=number, booked=booked)
        if asked.number is not None:
            await self._attempt.again(asked.number)
        return BankAnswer(id=asked.id)

    async def _settled(self, body: bytes) -> None:
        cost = RequestSettled.model_validate_json(body)
        await self._attempt.settle(cost.number, cost.spent)

    async def _done(self, body: bytes) -> None:
        self._end(restored(EncodedResult.model_validate_json(body), self._attempt.run))

    async def _bug(self, body: bytes) -> None:
        bug = Bug.model_validate_json(body)
        self._end(self._attempt.run.end_early("failed", f"{bug.type}: {bug.text}"))

    def _end(self, result: Result) -> None:
        if not self.outcome.done():
            self.outcome.set_result(result)

    def _lost(self, reason: str) -> None:
        if not self.outcome.done():
            self.outcome.set_exception(WorkerLost(reason))
            self.outcome.exception()  # read here: a caller that was cancelled does not

    def fail(self, reason: str) -> None:
        """Ends a call whose worker cannot even call: a bug, which is the same on every worker."""
        self._end(self._attempt.run.end_early("failed", reason))
        self.ended.set()

    async def gone(self, reason: str) -> None:
        """The worker is known to be gone: waits for what it still told, then ends the line."""
        if self._line is None:
            self._lost(reason or LOST)
            self.ended.set()
            return
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.ended.wait(), DRAIN_S)
        self.cut()

    async def stop(self, patience_s: float) -> bool:
        """Asks the worker to stop, and waits for its last words; returns whether it did."""
        self._attempt.give_up()
        if self._line is None:
            return True
        self._line.send("stop")
        try:
            await asyncio.wait_for(self.ended.wait(), patience_s)
        except TimeoutError:
            self.cut()
            return False
        return True

    def cut(self) -> None:
        """Ends the line, whatever the worker is doing."""
        if self._line is not None and not self.ended.is_set():
            self._attempt.cut_off = not self.outcome.done()
            self._line.cut()


class Measure(WorkerCall):
    """A worker's call that only times its questions; `outcome` has the seconds of one as its
    output."""

    def __init__(self, questions: int) -> None:
        super().__init__(Attempt(Run(connect("offline"))), b"")
        self._questions = questions
        self._take["measured"] = self._measured

    def _opening(self, rest: Budget) -> tuple[str, str]:
        return "measure", str(self._questions)

    async def _measured(self, body: bytes) -> None:
        self._end(Result(status="ok", output=Measured.model_validate_json(body).seconds))
