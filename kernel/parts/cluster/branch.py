"""Serialises jobs and results; runs a job in the worker."""

from __future__ import annotations

import asyncio
import contextlib
import json
import pickle
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from ...core.budget import Ledger, Spent, spent_on_failure
from ...core.contract import Result
from ...core.events import Event, to_json
from ...core.run import Run
from ...core.wire import ApiError, Reply, Request
from ...plumbing.client import (
    Client,
    OnRetry,
    SetupError,
    WrappedClient,
    paid,
)
from ...plumbing.connections import connect
from ...plumbing.models import spent_on
from ...plumbing.texts import as_plain, in_words
from ..journal.journal import Journal, JournalInUse
from .books import Attempt, Bank, BranchJob
from .queues import EXTRA

LATE_S = 5.0
"""Seconds until a worker that was killed has let go of its branch's journal."""


def packed(job: BranchJob) -> bytes:
    """Packs what goes out to a worker. Raises TypeError that says what does not travel."""
    cloudpickle = EXTRA.module("cloudpickle")
    try:
        content: bytes = cloudpickle.dumps(job)
        return content
    except Exception as problem:
        name = job.executable.name
        raise TypeError(f"{name} cannot travel to a worker: {in_words(problem)}") from None


async def perform(job: BranchJob, bank: Bank, tell: Callable[[str], None]) -> Result:
    """Does one branch in a run of its own, and reports each event with `tell`.

    Raises SetupError, before anything is asked, for a client whose cost nobody at home would count.
    """
    await bank.begin()

    def report(event: Event) -> None:
        tell(to_json(event))

    async with contextlib.AsyncExitStack() as stack:
        own = await stack.enter_async_context(job.client())
        if own.pays and not job.paid:
            raise SetupError(
                f"the branch's client is {own.mode} and may cost money, which the run's "
                f"client at home does not count; give the run such a client too, as in "
                f'Run(connect("live"))'
            )
        client: Client = BankedClient(own, bank)
        if job.journal:
            journal = stack.enter_context(await _opened(job.journal))
            client = journal.around(client)
        run = Run(client, budget=job.limits, on_event=report, name=job.caller)
        return await run.dispatch(job.executable, job.handoff)


async def _opened(path: Path) -> Journal:
    """The branch's journal. A process that was killed a moment ago may still hold it: waits."""
    until = time.monotonic() + LATE_S
    while True:
        try:
            return Journal(path)
        except JournalInUse:
            if time.monotonic() > until:
                raise
        await asyncio.sleep(0.05)


class BankedClient(WrappedClient):
    """A client around a client: it asks the bank before each request, and tells it the cost."""

    def __init__(self, client: Client, bank: Bank) -> None:
        super().__init__(client)
        self._bank = bank
        # the bank keeps the books; those of the worker count, and hold the cap of its client
        self.ledger = Ledger(
            client.ledger.budget,
            owner="the worker's client",
            unknown_price_ok=client.ledger.unknown_price_ok,
        )
        self.pays = False

    async def send(
        self,
        request: Request | dict[str, Any],
        *,
        on_retry: OnRetry | None = None,
    ) -> Reply:
        request = Request.of(request)
        number, booked = await self._bank.book(request.size)
        if booked.output_tokens < request.max_tokens:
            request = request.with_max_tokens(booked.output_tokens)

        async def charge(error: ApiError, wait_s: float) -> None:
            if on_retry and (asked := on_retry(error, wait_s)):
                await asked
            if error.billable:
                await self._bank.retry(number)

        actual: Spent | None = None
        try:
            with paid(request):
                reply = await self.wrapped.send(request, on_retry=charge)
            actual = spent_on(request.model, reply.usage)
            return reply
        except ApiError as error:
            actual = spent_on_failure(booked, billable=error.billable)
            raise
        finally:
            await asyncio.shield(self._bank.settle(number, actual))

    async def hand_out(self, specialist: str, limit: int) -> int:
        """Counts a handoff to elsewhere in the run, for all its branches."""
        return await self._bank.hand_out(specialist, limit)

    def bills(self, request: Request) -> bool:
        """False: the bank books it."""
        return False


class LocalWorkers:
    """Runs branches in this process, for a machine that can start no other one.

    Where Dask's cloudpickle is installed, each job is packed and unpacked, so that what does not
    travel is seen here too.
    """

    async def do(self, job: BranchJob, attempt: Attempt) -> Result:
        """Runs a job here; the attempt itself is its bank."""
        attempt.run.note("done in this process", about="here")
        with contextlib.suppress(ModuleNotFoundError):
            job = pickle.loads(packed(job))  # our own, packed a moment ago
        return await perform(job, attempt, attempt.take_in)

    async def seconds_a_question(self, questions: int = 100) -> float:
        """Returns the average seconds of a question to the bank without a wire.

        Asks more often where the clock is too coarse to see it, as in a browser's tab.
        """
        attempt = Attempt(Run(connect("offline")))
        while not (seconds := await seconds_each(attempt.hello, questions)):
            questions *= 10
        return seconds


async def seconds_each(question: Callable[[], Awaitable[None]], questions: int) -> float:
    """Seconds that one of so many questions takes, on average."""
    began = time.perf_counter()
    for _ in range(questions):
        await question()
    return (time.perf_counter() - began) / questions


# ── what comes back ───────────────────────────────────────────────────────────────────────────────


class EncodedResult(BaseModel):
    """A result on its way to the run, as JSON can hold it."""

    model_config = ConfigDict(defer_build=True)
    result: Result = Result(status="failed")
    model: str = ""
    """The class of an output that is a pydantic model: its module and its name."""
    plain: bool = False
    """True if the output lost something on its way through JSON, such as its type."""
    bug: str = ""
    """The error that the branch ended with in place of a result."""


def sent_back(result: Result) -> EncodedResult:
    """Returns a result as it is sent to the run."""
    output = result.output
    if isinstance(output, BaseModel):
        kind = type(output)
        with contextlib.suppress(Exception):  # for whatever reason, it does not survive JSON
            text = output.model_dump_json(by_alias=True, round_trip=True)
            if kind.model_validate_json(text) == output:
                shown = result.model_copy(update={"output": json.loads(text)})
                return EncodedResult(result=shown, model=f"{kind.__module__}:{kind.__qualname__}")
    plain = as_plain(output)
    same = False
    with contextlib.suppress(Exception):
        same = bool(plain == output)
    return EncodedResult(result=result.model_copy(update={"output": plain}), plain=not same)


def restored(back: EncodedResult, run: Run) -> Result:
    """Returns a result as it was, from what a worker sent.

    Where the output's model is not known here, the output is as JSON shows it, and a note says so.
    Where the model refuses it here, as with a path that exists only at the worker, it is no longer
    ok.
    """
    if back.model:
        try:
            kind = _known(back.model)
            if kind is not None:
                model = kind.model_validate_json(json.dumps(back.result.output))
                return back.result.model_copy(update={"output": model})
        except Exception as problem:  # the model's own code may raise anything
            return _not_restored(back, run, problem)
    if back.model or back.plain:
        of = f", since {back.model} is not known here" if back.model else ""
        run.note(f"the output came back as JSON shows it{of}", about="cluster")
    return back.result


def _not_restored(back: EncodedResult, run: Run, problem: Exception) -> Result:
    """Returns a result with its output as JSON shows it. One that was ok has failed; another one
    keeps its status, and a note says what it lost."""
    reason = f"the output {back.model} could not be restored here: {in_words(problem)}"
    if back.result.ok:
        return back.result.model_copy(update={"status": "failed", "reason": reason})
    run.note(reason, about="cluster")
    return back.result


def _known(name: str) -> type[BaseModel] | None:
    """A model's class that this process has loaded. Nothing is imported for a worker's word."""
    module, _, path = name.partition(":")
    found: Any = sys.modules.get(module)
    for part in path.split("."):
        found = getattr(found, part, None)
    return found if isinstance(found, type) and issubclass(found, BaseModel) else None
