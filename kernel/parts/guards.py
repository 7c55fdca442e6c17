"""Guards: transparent wrappers for work that fails, hangs, overloads its dependency or can be
replaced.

Each one keeps the contract, wraps one executable and goes through the door, so they can be nested
in any order; the order matters:

- `Retry(Deadline(x))`    each try has its own time; `Deadline(Retry(x))` gives all tries one.
- `Retry(CircuitBreaker(x))`  stops trying when the circuit opens; `CircuitBreaker(Retry(x))` counts
  only what no retry saved.
- `Fallback(Retry(x), y)` asks y when the retries end; `Retry(Fallback(x, y))` tries both again.
- `Limit(Retry(x), n)`    holds its place while it waits to retry; `Retry(Limit(x, n))` gives it
  back.

    worker = Retry(CircuitBreaker(Deadline(agent, seconds=60)), times=1)
    result = await run.dispatch(worker, handoff)     # appears under the agent's own name

What happens is a Note of the run (`about`: "retry", "breaker", "limit", "fallback").
"""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Literal

from ..core.budget import Budget
from ..core.contract import Executable, Handoff, Result, Wrapper
from ..core.run import Run
from ..plumbing.arguments import checked_s
from ..plumbing.backoff import LONGEST_S, before_next_try
from ..plumbing.trace import counted
from ..plumbing.waiters import Slots

State = Literal["closed", "open", "half-open"]

_SHARED = threading.RLock()
"""Held while the state of a guard is looked at and changed: no other thread comes between."""


def is_transient(result: Result) -> bool:
    """True if the same work may succeed later: an overloaded service, a lost connection, a
    deadline.
    """
    return result.transient


def is_failure(result: Result) -> bool:
    """True if a result counts as a worker failure: not a refusal, a pause, a cancellation, or an
    `exhausted` that is not transient.
    """
    return result.status == "failed" or (result.status == "exhausted" and result.transient)


@dataclass(eq=False)
class Guard(Wrapper):
    """A transparent wrapper of a worker."""

    wraps: Executable


@dataclass(eq=False)
class Retry(Guard):
    """Gives the same work again when it may succeed later.

    times:          how many more tries there are after the first.
    on:             which results are worth another try; `is_transient` unless you say otherwise. A
                    refusal, a used-up budget or a bad request fails the same way again and costs
                    again. A question for a person is never asked once more.
    sleep, jitter:  how it waits (seconds) and a source of numbers from 0 to 1; injected in tests.
    longest_wait_s: a `Retry-After` above this ends the tries, since nobody should wait for an hour
                    in silence.

    The wait is that of `kernel.plumbing.backoff.before_next_try`, as for a request: the one that
    the service asks for, else 0.5 · 2ⁿ seconds, at most 8. Retries that have ended are final: the
    result is no longer transient, so an outer Retry does not multiply them.
    """

    times: int = 2
    on: Callable[[Result], bool] = is_transient
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    jitter: Callable[[], float] = random.random
    longest_wait_s: float = 60.0

    def __post_init__(self) -> None:
        if self.times < 0:
            raise ValueError(f"times is {self.times}; expected 0 or more further tries")
        checked_s("longest_wait_s", self.longest_wait_s)

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        """Returns the first result that is not worth another try, or the last one."""
        longest_s = min(LONGEST_S, self.longest_wait_s)
        result = await run.dispatch(self.wraps, handoff)
        for number in range(1, self.times + 1):
            if result.ok or result.status == "paused" or not self.on(result):
                return result
            wait_s = before_next_try(result.retry_after_s, number, self.jitter, longest_s)
            if wait_s > self.longest_wait_s:
                run.note(
                    f"no retry: the service asks for {wait_s:g} s, and the longest wait is "
                    f"{self.longest_wait_s:g} s",
                    about="retry",
                    wait_s=wait_s,
                )
                break
            why = f"retry {number} of {self.times}: {result.reason}"
            run.note(f"{why}; waits {wait_s:.2f} s", about="retry", number=number, wait_s=wait_s)
            await self.sleep(wait_s)
            result = await run.dispatch(self.wraps, handoff, again=why)
        if result.ok:
            return result
        return result.model_copy(update={"transient": False})


@dataclass(eq=False)
class Deadline(Guard):
    """Ends work after `seconds` of wall clock.

    The result is then `exhausted` and transient, so a Retry may try it again; it holds the output
    and the artifacts that there were.
    """

    seconds: float = 60.0

    def __post_init__(self) -> None:
        checked_s("seconds", self.seconds)

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        """Returns the worker's result, or the work so far when the time is over."""
        return await run.dispatch(self.wraps, handoff, budget=Budget(seconds=self.seconds))


@dataclass(eq=False)
class Fallback(Guard):
    """Asks `then`, another executable, with the same handoff when `wraps` does not deliver.

    A pause or a cancellation is not a failure and comes back as it is. When neither delivers, the
    result is that of `then`, with both reasons; what `wraps` had is kept.
    """

    then: Executable

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        """Returns the result of `wraps`, or that of `then` when `wraps` does not deliver."""
        first = await run.dispatch(self.wraps, handoff)
        if first.ok or first.status in ("paused", "cancelled"):
            return first
        run.note(
            f"falls back from {self.wraps.name} to {self.then.name}: {first.reason}",
            about="fallback",
            to=self.then.name,
        )
        second = await run.dispatch(self.then, handoff)
        if second.ok:
            return second
        reason = f"{self.wraps.name}: {first.reason}; {self.then.name}: {second.reason}"
        if second.status == "paused":
            reason = second.reason  # the question, as it was asked
        output = second.output if second.output is not None else first.output
        artifacts = {**first.artifacts, **second.artifacts}
        update = {"reason": reason, "output": output, "artifacts": artifacts}
        return second.model_copy(update=update)


# ── the circuit breaker ───────────────────────────────────────────────────────────────────────────


@dataclass(eq=False)
class CircuitBreaker(Guard):
    """Leaves a worker alone for a while after several failures in a row.

    closed:    work passes; `failures` failures in a row open the circuit.
    open:      nothing passes for `cooldown_s` seconds; the answer is immediate.
    half-open: one trial passes, all others are turned away; it closes the circuit or opens it
               again.

    What is turned away is a result with status `failed` that is not transient.

    clock:  seconds, monotonic.
    counts: which results are failures; `is_failure` unless you say otherwise.

    A bug counts as a failure and is raised; a cancelled trial decides nothing. A late result, of a
    call that began before the circuit opened, is no news and counts neither way. A trial that hangs
    turns all others away for as long as it hangs, so a breaker wants a `Deadline` inside:
    `CircuitBreaker(Deadline(x))`. One breaker guards one worker: share the object, also between
    threads. Source of the idea: M. Nygard, "Release It!".
    """

    failures: int = 3
    cooldown_s: float = 30.0
    clock: Callable[[], float] = time.monotonic
    counts: Callable[[Result], bool] = is_failure
    _in_a_row: int = field(default=0, init=False)
    _opened_at: float | None = field(default=None, init=False)
    _on_trial: bool = field(default=False, init=False)
    _openings: int = field(default=0, init=False)
    """The number of times that failures in a row have opened the circuit."""

    def __post_init__(self) -> None:
        if self.failures < 1:
            raise ValueError(f"failures is {self.failures}; expected at least 1 in a row")
        checked_s("cooldown_s", self.cooldown_s)

    @property
    def state(self) -> State:
        wait_s = self._wait_s()
        if wait_s is None:
            return "closed"
        return "half-open" if wait_s <= 0 else "open"

    def _wait_s(self) -> float | None:
        """Seconds until the next trial; None while the circuit is closed."""
        opened_at = self._opened_at
        if opened_at is None:
            return None
        now = self.clock()
        if now < opened_at:  # the clock was set back: the cooldown begins again, and no longer one
            with _SHARED:
                if self._opened_at == opened_at:
                    self._opened_at = now
            return self.cooldown_s
        return opened_at + self.cooldown_s - now

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        """Returns the worker's result, or a failure at once while the circuit turns work away."""
        began = self._openings  # read first: what opens the circuit from here on makes this late
        wait_s = self._wait_s()
        if wait_s is None:
            return await self._pass(handoff, run, began)
        if wait_s > 0:
            return self._turned_away(f"next trial in {wait_s:.0f} s", "open")
        if not self._begin_trial():
            return self._turned_away("a trial is under way")
        return await self._try(handoff, run)

    def _begin_trial(self) -> bool:
        """Returns False when a trial is under way, or has ended since this call came."""
        with _SHARED:
            begins = not self._on_trial and self.state == "half-open"
            if begins:
                self._on_trial = True
        return begins

    async def _pass(self, handoff: Handoff, run: Run, began: int) -> Result:
        """Work in a closed circuit: failures in a row open it."""
        try:
            result = await run.dispatch(self.wraps, handoff)
        except Exception as bug:
            self._count_failure(run, began, f"a bug: {type(bug).__name__}")
            raise
        if result.ok:
            self._count_success(began)
        elif self.counts(result):
            self._count_failure(run, began, f"{counted(self.failures, 'failure')} in a row")
        return result

    async def _try(self, handoff: Handoff, run: Run) -> Result:
        """The trial: closes the circuit, or opens it for another cooldown."""
        try:
            self._say(run, "half-open", "one trial")
            try:
                result = await run.dispatch(self.wraps, handoff)
            except Exception as bug:
                self._open(run, f"a bug: {type(bug).__name__}")
                raise
            if self.counts(result):
                self._open(run, "the trial failed")
            elif result.ok:
                self._close(run)
            return result
        finally:
            self._on_trial = False  # last: the next trial begins only when this one has decided

    def _count_success(self, began: int) -> None:
        """Forgets the failures before; a call that began before the circuit opened says nothing."""
        with _SHARED:
            if began == self._openings:
                self._in_a_row = 0

    def _count_failure(self, run: Run, began: int, why: str) -> None:
        """Counts a failure, and opens the circuit when it is the last one allowed; a call that
        began before the circuit opened says nothing.
        """
        with _SHARED:
            if began != self._openings:
                return
            self._in_a_row += 1
            if self._in_a_row < self.failures:
                return
            self._opened_at = self.clock()
            self._openings += 1
        self._say(run, "open", why)

    def _open(self, run: Run, why: str) -> None:
        with _SHARED:
            self._opened_at = self.clock()
        self._say(run, "open", why)

    def _close(self, run: Run) -> None:
        with _SHARED:
            self._in_a_row = 0
            self._opened_at = None
        self._say(run, "closed", "the trial succeeded")

    def _turned_away(self, when: str, state: State = "half-open") -> Result:
        reason = f"the circuit of {self.name} is {state}: it failed too often; {when}"
        return Result(status="failed", reason=reason)

    def _say(self, run: Run, state: State, why: str) -> None:
        run.note(f"breaker of {self.name}: {state}, {why}", about="breaker", state=state, why=why)


# ── the bulkhead ──────────────────────────────────────────────────────────────────────────────────


@dataclass(eq=False)
class Limit(Guard):
    """Lets at most `at_once` pieces of work into one worker; the others wait (a bulkhead).

    One Limit guards one worker: share the object, also between threads and event loops. Workers
    behind limits that wait for each other wait until a deadline ends one of them. Source of the
    idea: M. Nygard, "Release It!".
    """

    at_once: int = 1
    _places: Slots = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.at_once < 1:
            raise ValueError(f"at_once is {self.at_once}; expected at least 1")
        self._places = Slots(self.at_once)

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        """Returns the worker's result, after a wait for a place."""
        if self._places.are_taken:
            run.note(f"waits for a place: {self.at_once} at once in {self.name}", about="limit")
        async with self._places:
            return await run.dispatch(self.wraps, handoff)
