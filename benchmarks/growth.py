"""The growth of the cost of one piece with the number of pieces, for each operation done often.

An operation does its preparation, then returns its work: a function that does all the pieces. The
benchmark measures the work, and a test counts what it does.
"""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
import time
import warnings
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx

from kernel import Agent, Client, Handoff, Result, Run, models, tool
from kernel.core.budget import Budget, Ledger
from kernel.core.wire import ApiError, Reply, Request
from kernel.parts.context import Context
from kernel.parts.journal.journal import Journal, Once
from kernel.parts.memory import Memory
from kernel.plumbing.client import OnRetry, WrappedClient
from kernel.plumbing.models import demand_of

SIZES = (100, 1_000, 10_000)

Work = Callable[[], Awaitable[object]]
Operation = Callable[[int, Path, ExitStack], Coroutine[Any, Any, Work]]
"""Prepares so many pieces of work in a folder; what the stack holds is closed at the end."""


class OneRequest:
    """Work that is one request, so that a reply stands among the events."""

    name, description = "asks", "OneRequest once."

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        await asyncio.sleep(0)  # as a service would: the branches of a fan-out wait together
        reply = await run.ask(model=models.worker, messages=_messages(handoff.intent))
        return Result(status="ok", output=reply.text)


class Busy(WrappedClient):
    """A service that refuses so many requests, then answers."""

    def __init__(self, refused: int) -> None:
        super().__init__(_client())
        self._left = refused

    async def send(
        self, request: Request | dict[str, Any], *, on_retry: OnRetry | None = None
    ) -> Reply:
        self._left -= 1
        if self._left >= 0:
            raise ApiError("busy", type="overloaded_error", status=529, retryable=True)
        return await self.wrapped.send(request, on_retry=on_retry)


def _messages(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


def _client(turns: int = 0) -> Client:
    """A client whose model calls the tool `step` in so many turns, and then is done."""
    made = iter(range(1, turns + 1))

    def answer(request: httpx.Request) -> httpx.Response:
        number = next(made, 0)
        call = {"type": "tool_use", "id": f"toolu_{number}", "name": "step", "input": {}}
        content = call if number else {"type": "text", "text": "Done."}
        reply = {"content": [content], "stop_reason": "tool_use" if number else "end_turn"}
        usage = {"input_tokens": 1, "output_tokens": 1}
        return httpx.Response(200, json={**reply, "model": models.worker, "usage": usage})

    return Client(httpx.MockTransport(answer))


async def _dispatches(pieces: int, folder: Path, stack: ExitStack) -> Work:
    run, idle = Run(_client()), OneRequest()

    async def work() -> None:
        for number in range(pieces):
            await run.dispatch(idle, Handoff(intent=f"Job {number}"))

    return work


async def _branches(pieces: int, folder: Path, stack: ExitStack) -> Work:
    run = Run(_client())
    jobs = [(OneRequest(), Handoff(intent=f"Job {number}")) for number in range(pieces)]
    return lambda: run.fan_out(jobs)


async def _turns(pieces: int, folder: Path, stack: ExitStack) -> Work:
    @tool
    def step() -> str:
        """Do a step."""
        return "done"

    run = Run(_client(pieces - 1))
    agent = Agent("worker", "Works.", "Work.", models.worker, tools=(step,), max_turns=pieces)
    return lambda: run.dispatch(agent, Handoff(intent="Work"))


async def _effects(pieces: int, folder: Path, stack: ExitStack) -> Work:
    @tool
    def pay(payee: str) -> str:
        """Pay somebody."""
        return f"paid {payee}"

    run = Run(_client())
    once = Once(pay, stack.enter_context(Journal(folder / "effects.db", sync="normal")))

    async def work() -> None:
        for _ in range(pieces):
            run.note("one more event")
            await once.call({"payee": "Bob"}, run)

    return work


async def _replayed(pieces: int, folder: Path, stack: ExitStack) -> Work:
    journal = stack.enter_context(Journal(folder / "steps.db", sync="normal"))
    client = journal.around(_client())
    request = {"model": models.worker, "max_tokens": 100, "messages": _messages("Hello")}

    async def work() -> None:
        for _ in range(pieces):
            await client.send(request)

    await work()
    journal.replay()
    return work


async def _errors(pieces: int, folder: Path, stack: ExitStack) -> Work:
    journal = stack.enter_context(Journal(folder / "errors.db", sync="normal"))
    client = journal.around(Busy(pieces))
    request = {"model": models.worker, "max_tokens": 100, "messages": _messages("Hello")}

    async def work() -> None:
        for _ in range(pieces + 1):
            with contextlib.suppress(ApiError):
                await client.send(request)

    await work()
    journal.replay()
    return work


async def _clock(pieces: int, folder: Path, stack: ExitStack) -> Work:
    journal = stack.enter_context(Journal(folder / "clock.db", sync="normal"))

    async def work() -> None:
        for _ in range(pieces):
            journal.clock()

    return work


async def _stored(pieces: int, folder: Path, stack: ExitStack) -> Work:
    context = Context(max_tokens=100 * pieces)

    async def work() -> None:
        for number in range(pieces):
            context.store(f"text {number}", "A short text.")

    return work


async def _notes(pieces: int, folder: Path, stack: ExitStack) -> Work:
    memory = Memory(folder)

    async def work() -> None:
        for number in range(pieces):
            memory.write(f"Title {number}", "A text.", "a source")

    return work


async def _searched(pieces: int, folder: Path, stack: ExitStack) -> Work:
    await (await _notes(pieces, folder, stack))()
    return lambda: Memory(folder).search("text")


async def _held(pieces: int, folder: Path, stack: ExitStack) -> Work:
    ledger = Ledger(Budget(calls=pieces), Ledger(Budget(calls=pieces)))
    body = {"model": models.worker, "max_tokens": 100, "messages": _messages("Hello")}
    demand = demand_of(Request(body).size)

    async def work() -> None:
        for _ in range(pieces):  # all of them at once, as in a wide fan-out
            stack.enter_context(await ledger.hold_when_free(demand))

    return work


OPERATIONS: dict[str, Operation] = {
    "dispatch": _dispatches,
    "branch of a fan-out": _branches,
    "turn of an agent": _turns,
    "equal effect of Once": _effects,
    "replayed step": _replayed,
    "replayed error, answered": _errors,
    "journal.clock": _clock,
    "Context.store": _stored,
    "Memory.write": _notes,
    "Memory.search, a note": _searched,
    "reservation": _held,
}


@contextlib.contextmanager
def prepared(operation: Operation, pieces: int) -> Iterator[Callable[[], None]]:
    """The work of an operation, ready to be done once within the block."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        ExitStack() as stack,
        asyncio.Runner() as runner,
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        work = runner.run(operation(pieces, Path(folder), stack))

        async def done() -> None:
            await work()

        yield lambda: runner.run(done())


def milliseconds(operation: Operation, pieces: int) -> float:
    """Processor time of one piece."""
    with prepared(operation, pieces) as work:
        began = time.process_time()
        work()
        return 1000 * (time.process_time() - began) / pieces


def rows() -> Iterator[str]:
    """The processor time of one piece at each size, and how much more the last takes."""
    yield f"{'CPU of one piece, ms':<34}" + "".join(f"{size:>10,}" for size in SIZES)
    for name, operation in OPERATIONS.items():
        milliseconds(operation, 10)  # imports and caches, which a first piece pays once
        figures = [milliseconds(operation, size) for size in SIZES]
        cells = "".join(f"{figure:>10.3f}" for figure in figures)
        goal = "each request holds the whole conversation" if operation is _turns else "goal ≤ 2"
        yield f"{name:<34}{cells}  {figures[-1] / figures[0]:.1f} × the first ({goal})"
