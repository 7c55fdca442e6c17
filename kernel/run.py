"""The run: one door to executables (`dispatch`), one way to a model (`ask`), one stream of events.

Depth, rings, repeats, budget, deadline, failure and record are handled here, once, for everything that runs.
"""

from __future__ import annotations

import asyncio
import copy
import time
import warnings
from collections.abc import Callable, Iterable
from typing import Any

from .budget import Budget, Exhausted, Ledger, Spent
from .client import Client
from .contract import Executable, Handoff, Pause, Result
from .events import Event, EventKind
from .models import price_of, spent_on
from .trace import Trace
from .wire import ApiError, Conversation, Reply, encode, most_tokens

MAX_TOKENS = 4096
"""Tokens that one answer may have unless the request says otherwise."""


STATUS_OF = {Exhausted: "exhausted", ApiError: "failed", Pause: "paused"}
"""What may stop a run; anything else is a bug."""


class Run:
    """One dispatch: its place in the tree, its ledger, its deadline, and the work done so far.

    client:   where `ask` sends to; from `connect()`.
    budget:   limits on everything below this run.
    on_event: called with each Event as it happens; `subscribe` adds more.
    """

    def __init__(self, client: Client, *, budget: Budget | None = None,
                 on_event: Callable[[Event], None] | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.client, self.budget, self.parent = client, budget or Budget(), None
        self.name, self.id, self.levels = "user", "", self.budget.depth
        self._waiting: tuple[Executable, ...] = ()
        self.ledger = Ledger(self.budget, client.ledger, "the run")
        self.events: list[Event] = []
        """Everything that happened in the whole tree so far."""
        self._readers = [on_event] if on_event else []
        self._handed_over: dict[str, str] = {}
        self._clock, self._origin = clock, clock()
        self._begin()

    def _begin(self) -> None:
        self.began = self._clock()
        self.output: Any = None
        """The best answer so far; a dispatch that a limit stops returns it."""
        self.artifacts: dict[str, str] = {}
        """Named work so far (facts, draft …); likewise."""
        self._children, self._sent = 0, (None, 0)

    def _child(self, executable: Executable, budget: Budget) -> Run:
        if not self._children:
            self.began = self._clock()  # a root may be made long before it is used
        self._children += 1
        child = copy.copy(self)  # events, readers and what was handed over are one for the whole tree
        child.parent, child.budget, child.name, child._waiting = self, budget, executable.name, (*self._waiting, executable)
        child.id = f"{self.id}.{self._children}".lstrip(".")
        chosen = "depth" in budget.model_fields_set
        child.levels = min(self.levels - 1, budget.depth if chosen else self.levels)
        child.ledger = Ledger(budget, self.ledger, child.name)
        child._begin()
        return child

    # ── events ─────────────────────────────────────────────────────────────────────────────────────────

    @property
    def path(self) -> tuple[str, ...]:
        """The names of the executables that wait for this run, from the first dispatch to this one."""
        return tuple(it.name for it in self._waiting)

    @property
    def spent(self) -> Spent:
        """What this run and everything below it used."""
        return self.ledger.spent

    def subscribe(self, reader: Callable[[Event], None]) -> None:
        """Calls `reader` with each further event. One that fails is warned about and dropped; the run goes on."""
        self._readers.append(reader)

    def emit(self, kind: EventKind, **data: Any) -> None:
        event = Event(len(self.events), self._clock() - self._origin, kind, self.id, self.name, data)
        self.events.append(event)
        for reader in self._readers[:]:
            try:
                reader(event)
            except Exception as error:
                self._readers.remove(reader)
                warnings.warn(f"a reader of events failed and was dropped: {error!r}", stacklevel=2)

    def note(self, text: str, **data: Any) -> None:
        """Says something for the record: a stage, a round, a decision."""
        self.emit("note", text=text, **data)

    def keep(self, **artifacts: str) -> None:
        """Puts finished work where a limit or a failure cannot lose it."""
        self.artifacts.update(artifacts)

    def trace(self) -> Trace:
        """The run so far, readable."""
        return Trace(self.events)

    # ── the door ───────────────────────────────────────────────────────────────────────────────────────

    async def dispatch(self, executable: Executable, handoff: Handoff, *, budget: Budget | None = None) -> Result:
        """Hands work to an executable and returns its result: the only way in which one is ever called.

        Limits, refusals and failures of the service come back as a Result that carries the work so far.
        Only bugs and cancellation are raised.
        """
        name = executable.name
        handoff = handoff.model_copy(update={"from_agent": self.path[-1] if self.path else handoff.from_agent,
                                             "to_agent": name, "return_to": self.name})
        child = self._child(executable, budget or Budget())
        child.emit("dispatch", handoff=handoff.model_dump(), parent=self.id, limits=child.budget.model_dump(mode="json"))
        key, reason = handoff.key(), self._refusal(executable, handoff)
        result = Result(status="cancelled", reason="cancelled by its caller")
        try:
            if reason:
                result = Result(status="refused", reason=reason)
            else:
                self._handed_over[key] = "under way"
                result = await child._guarded(executable, handoff)
        except Exception as bug:
            result = Result(status="failed", reason=f"{type(bug).__name__}: {bug}")
            raise
        finally:
            result = result.model_copy(update={"by": result.by or name})
            if not reason:
                self._handed_over[key] = result.status
            shown = result.model_dump(mode="json", fallback=str)
            child.emit("return", return_to=self.name, result=shown, spent=child.spent.figures())
        return result

    def _refusal(self, executable: Executable, handoff: Handoff) -> str:
        """Why this dispatch must not happen; empty when it may."""
        if self.levels < 1:
            return f"too deep: {' → '.join((*self.path, handoff.to_agent))} is more than the levels that the budget allows"
        if executable in self._waiting:
            return f"a ring: {' → '.join((*self.path, handoff.to_agent))}; {handoff.to_agent} is already waiting for this work"
        before = self._handed_over.get(handoff.key())
        if before and before not in ("failed", "cancelled"):
            return f"the same handoff was given to {handoff.to_agent} before ({before}); change it, or use what came back"
        return ""

    async def _guarded(self, executable: Executable, handoff: Handoff) -> Result:
        """Executes within the deadline; turns what may stop a run into a result with the work so far."""
        seconds_left, stopped = self._time_limit()
        if seconds_left is not None and seconds_left <= 0:
            return Result(status="exhausted", reason=stopped)
        try:
            async with asyncio.timeout(seconds_left) as deadline:
                result = await executable.execute(handoff, self)
            if not isinstance(result, Result):
                raise TypeError(f"{self.name}.execute returned {type(result).__name__}; it must return a Result")
            return result if result.ok else result.model_copy(update={"artifacts": {**self.artifacts, **result.artifacts}})
        except (*STATUS_OF, ExceptionGroup) as problem:
            if isinstance(problem, ExceptionGroup) and problem.split((*STATUS_OF,))[1]:
                raise  # a bug beside the limit
            while isinstance(problem, ExceptionGroup):  # as a TaskGroup raises them
                problem = problem.exceptions[0]
            status, reason = next(it for kind, it in STATUS_OF.items() if isinstance(problem, kind)), str(problem)
        except TimeoutError:
            if not deadline.expired():
                raise
            status, reason = "exhausted", stopped
        return Result(status=status, output=self.output, reason=reason, artifacts=self.artifacts)

    def _time_limit(self) -> tuple[float | None, str]:
        """(seconds left until the deadline that this dispatch has to watch, or None; what is said when it has passed).

        Those above watch over theirs; only the root, which nobody dispatched, leaves its own to the first level.
        """
        limits = [(it, it) for it in (self.budget.seconds,) if it is not None]
        if self.parent.parent is None and (root := self.parent.budget.seconds) is not None:
            limits.append((self.parent.began + root - self._clock(), root))
        left, limit = min(limits, default=(None, 0))
        return left, f"{self.name} was stopped at its deadline of {limit:g} s"

    async def fan_out(self, dispatches: Iterable[tuple[Any, ...]], *, limit: int | None = None) -> list[Result]:
        """Dispatches several (executable, handoff[, budget]) at once; results in the order given.

        A branch that fails, even by a bug, becomes a failed Result and leaves its siblings alone. `limit` is
        how many of *these* branches run at once; requests have their own limit in the client. Cancelling the
        fan-out cancels every branch.
        """
        if limit is not None and limit < 1:
            raise ValueError(f"limit is {limit}; expected at least 1 branch at once, or None for all")
        jobs = list(dispatches)
        places = asyncio.Semaphore(limit or len(jobs) or 1)

        async def branch(executable: Executable, handoff: Handoff, budget: Budget | None = None) -> Result:
            async with places:
                try:
                    return await self.dispatch(executable, handoff, budget=budget)
                except Exception as bug:
                    return Result(status="failed", reason=f"{type(bug).__name__}: {bug}", by=executable.name)
                except asyncio.CancelledError:
                    if asyncio.current_task().cancelling():
                        raise
                    return Result(status="cancelled", reason="cancelled by something that it waited for", by=executable.name)

        async with asyncio.TaskGroup() as group:
            branches = [group.create_task(branch(*job)) for job in jobs]
        return [it.result() for it in branches]

    # ── the way to a model ─────────────────────────────────────────────────────────────────────────────

    async def ask(self, **request: Any) -> Reply:
        """Sends one request: reserve, send, settle, event. `request` is the API's body.

        Raises Exhausted before sending when a budget does not allow it, ApiError when the service fails.
        """
        body = {"max_tokens": MAX_TOKENS, **request}
        model, content = body["model"], encode(body)
        most, price = most_tokens(content), price_of(model)
        actual, tries = None, [await self.ledger.reserve_in_turn(most, body["max_tokens"], price)]
        if tries[0].output_tokens < body["max_tokens"]:
            body["max_tokens"] = tries[0].output_tokens
            content = encode(body)

        def again(error: ApiError, wait_s: float) -> None:
            self.emit("retry", error=str(error), type=error.type, wait_s=wait_s)
            if error.billable:
                tries.append(self.ledger.reserve(most, body["max_tokens"], price, least=body["max_tokens"]))

        try:
            async with self.client.slots:
                self._emit_request(body)
                asked_at = self._clock()
                reply = await self.client.send(body, content=content, on_retry=again)
            actual = spent_on(model, reply.usage)
        except ApiError as error:
            actual = None if error.billable else Spent(calls=1)
            raise
        finally:  # where no answer came, the service may have done the work all the same
            for booked in tries:
                self.ledger.settle(booked, actual if actual and booked is tries[-1] else booked)
        if reply.text and (self.output is None or not reply.tool_calls):
            self.output = reply.text
        self.emit("reply", model=model, reply=reply.model_dump(), spent=actual.figures(), seconds=self._clock() - asked_at)
        return reply

    def _emit_request(self, body: dict[str, Any]) -> None:
        """The event holds only what is new since this conversation's last request: histories grow, logs need not."""
        messages = body["messages"]
        known, sent = self._sent
        since = sent if known is messages and isinstance(messages, Conversation) else 0
        self._sent = (messages, len(messages))
        self.emit("request", body={**body, "messages": list(messages[since:])}, since=since)
