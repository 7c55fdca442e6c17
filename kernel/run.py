"""The run: one door to executables (`dispatch`), one way to a model (`ask`), one stream of events.

Depth, rings, repeats, budget, deadline, failure and record are handled here, once, for everything
that runs.
"""

from __future__ import annotations

import asyncio
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from . import events
from .budget import NOTHING, Budget, Exhausted, Hold, Ledger, Spent
from .client import Client
from .contract import Executable, Handoff, Pause, Question, Result, Status, in_lines
from .events import Event
from .labels import Label, label
from .models import demand_of, spent_on
from .readings import reading_of
from .texts import as_plain, as_text, in_words, place_of
from .trace import Trace
from .wire import ApiError, Conversation, Reply, Request, RequestSize

MAX_TOKENS = 4096
"""Tokens that one answer may have unless the request says otherwise."""

MAX_WRAPPERS = 10
"""The number of transparent wrappers that may stand around one executable."""

Assignment = tuple[Executable, Handoff] | tuple[Executable, Handoff, Budget | None]
"""Work that is given with others: an executable, its handoff and, where it has one, its budget."""

STATUS_OF: dict[type[Exception], Status] = {
    Exhausted: "exhausted",
    ApiError: "failed",
    Pause: "paused",
}
"""The exceptions that may stop a run; any other is a bug."""

_answering: ContextVar[tuple[Run, str] | None] = ContextVar("answering", default=None)
"""The tool call that is being answered, and the run whose model made it."""


class Tree:
    """The parts that all runs of one tree share: the client, the events, their readers, the
    clock."""

    def __init__(self, client: Client, clock: Callable[[], float]) -> None:
        self.client = client
        self.clock = clock
        self.origin = clock()
        self.events: list[Event] = []
        self.readers: list[Callable[[Event], None]] = []
        self.replies: defaultdict[str, list[Event]] = defaultdict(list)
        """Replies by the dispatch of the root that they belong to."""

    def add(self, event: Event) -> list[str]:
        """Records an event and tells every reader; returns a sentence for each that failed and was
        dropped."""
        self.events.append(event)
        if isinstance(event, events.Replied):
            self.replies[event.run.partition(".")[0]].append(event)
        dropped = []
        for reader in self.readers[:]:
            try:
                reader(event)
            except Exception as problem:
                self.readers = [other for other in self.readers if other is not reader]
                description = f"{type(problem).__name__}: {in_words(problem)}"
                dropped.append(f"a reader of events failed and was dropped: {description}")
        return dropped


@dataclass(frozen=True)
class Position:
    """The position of a run in its tree."""

    name: str = "user"
    id: str = ""
    path: tuple[str, ...] = ()
    """The labels of the executables from the first dispatch to this one, its own last."""
    again: str = ""
    """The reason why this work is given once more; empty the first time."""
    wrappers: int = 0
    """The number of transparent wrappers in a row that ends here; 0 if this run is no wrapper's."""
    waiting: tuple[Executable, ...] = ()
    """The executables that `path` names, and the transparent wrappers between them."""


@dataclass
class GivenHandoff:
    """One handoff that an executable was given, and its outcome."""

    executable: Executable
    status: str = "under way"


class Run:
    """A root, or one dispatch below it: its place in the tree, its ledger, its deadline, and its
    work so far.

    client:   where `ask` sends to; from `connect()`.
    budget:   limits on everything below this run.
    on_event: called with each Event as it happens; `subscribe` adds more.
    name:     on whose behalf work is handed over.
    """

    def __init__(
        self,
        client: Client,
        *,
        budget: Budget | None = None,
        on_event: Callable[[Event], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
        name: str = "user",
    ) -> None:
        budget = budget or Budget()
        self.parent: Run | None = None
        self.levels = budget.depth
        """The number of levels of dispatch that are left below."""
        self._begin(
            Tree(client, clock), Position(name), budget, Ledger(budget, client.ledger, "the run")
        )
        if on_event:
            self.subscribe(on_event)

    def _begin(self, tree: Tree, position: Position, budget: Budget, ledger: Ledger) -> None:
        """Sets up a run that has done no work yet."""
        self.budget = budget
        self.ledger = ledger
        self.began = tree.clock()
        self.output: Any = None  # Any: text, or a pydantic model
        """The best answer so far; a dispatch that a limit stops returns it."""
        self.artifacts: dict[str, str] = {}
        """Named work so far (facts, draft …); likewise."""
        self.taken_names: set[str] = set()
        """Names of work that has begun; see `take_name`."""
        self._paused: list[Result] = []
        """The paused results of work that this run handed over."""
        self.refusals: dict[str, str] = {}
        """The reasons of those who refused work and delivered none since; those of the door do not
        count."""
        self._tree = tree
        self._position = position
        self._result: Result | None = None
        self._task: asyncio.Task[Any] | None = None
        self._dispatched = 0
        self._given: dict[str, list[GivenHandoff]] = {}
        """Handoffs that the work of this run has given so far, by what they say."""
        self._uncollected: list[Run] = []
        """Dispatches below whose results the work of this run has not received yet."""
        self._conversation: Any = None
        self._messages_sent = 0
        self._requested = 0

    @property
    def name(self) -> str:
        """The name of the executable that this run was made for; of a root, its argument `name`."""
        return self._position.name

    @property
    def id(self) -> str:
        """The number of the dispatch: "2.1" is the first of the root's second; the root has ""."""
        return self._position.id

    @property
    def path(self) -> tuple[str, ...]:
        """The names of the executables from the first dispatch to this one, its own last."""
        return self._position.path

    @property
    def again(self) -> str:
        """The reason that this work is given once more; empty the first time."""
        return self._position.again

    def _start(self) -> None:
        """Restarts the clock of a root at its first work: it may be made long before it is used."""
        if self.parent is None and not self._dispatched and not self._messages_sent:
            self.began = self._tree.clock()

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the nearest deadline of this run and of all above it; None without one."""
        left = []
        run: Run | None = self
        while run:
            if run.budget.seconds is not None:
                left.append(run.began + run.budget.seconds - self._tree.clock())
            run = run.parent
        return max(0.0, min(left)) if left else None

    @property
    def _caller(self) -> Run:
        """The run that hands over: this one, or the one above the wrappers that this one belongs
        to."""
        run = self
        while run._position.wrappers and run.parent:
            run = run.parent
        return run

    @property
    def result(self) -> Result:
        """The result of this dispatch; while it is under way, its work so far."""
        return self._result or self.end_early("cancelled", "still under way")

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a Run stays in its process: its ledger, its events and its deadline would be copies,"
            " and a budget would hold twice; make a Run where the work is done, with a part of the"
            " budget"
        )

    # ── events ────────────────────────────────────────────────────────────────────────────────────

    @property
    def client(self) -> Client:
        """The client to which `ask` sends."""
        return self._tree.client

    @property
    def events(self) -> list[Event]:
        """Everything that happened in the whole tree so far."""
        return self._tree.events

    @property
    def spent(self) -> Spent:
        """The amount used by this run and everything below it."""
        return self.ledger.spent

    def subscribe(self, reader: Callable[[Event], None]) -> None:
        """Calls `reader` with each further event. One that fails is warned about and dropped; the
        run goes on."""
        self._tree.readers.append(reader)

    def emit(self, event: Event) -> None:
        """Records an event of this run.

        event: what happened. Its `seq`, `at`, `run` and `agent` become those of this run, now.
        """
        self._record(event, id=self.id, agent=self.name)

    def take_in(self, event: Event) -> None:
        """Records an event of a run in another process as an event below this run.

        event: of a run whose root stands for this run. Its position, time and ids become those of
               this tree; the work in it is kept as work so far.
        """
        if isinstance(event, events.Dispatched):
            event = replace(event, parent=_below(self.id, event.parent))
        agent = event.agent if event.run else self.name
        self._record(event, id=_below(self.id, event.run), agent=agent)
        if isinstance(event, events.Replied):
            self._keep_text(event.reply)
        elif isinstance(event, events.Returned):
            self.keep(**event.result.artifacts)

    def _record(self, event: Event, *, id: str, agent: str) -> None:
        seq = len(self._tree.events)
        seconds = self._tree.clock() - self._tree.origin
        recorded = replace(event, seq=seq, at=seconds, run=id, agent=agent)
        for sentence in self._tree.add(recorded):
            try:
                warnings.warn(sentence, stacklevel=4)
            except Warning:  # where warnings are errors
                self.note(sentence)

    def note(self, text: str, /, about: str = "", **fields: object) -> None:
        """Says something for the record: a stage, a round, a decision.

        about:  the topic, for readers that look for notes of one kind.
        fields: figures and names that belong to it.
        """
        self.emit(events.Note(text=as_text(text), about=about, fields=as_plain(fields)))

    def keep(self, /, **artifacts: str) -> None:
        """Keeps finished work: the result of a run that a limit or a failure ends carries it."""
        for name, text in artifacts.items():
            self.artifacts[name] = as_text(text)

    def take_name(self, name: str) -> Label:
        """Takes the next free name for somebody's work: "writer-1", "writer-2"."""
        taken = self.taken_names | set(self.artifacts)
        number = 1
        while (free := Label(f"{label(name)[:60]}-{number}")) in taken:
            number += 1
        self.taken_names.add(free)
        return free

    def trace(self) -> Trace:
        """The run so far, readable."""
        return Trace(self.events)

    @contextmanager
    def answering(self, call: str) -> Iterator[None]:
        """Ties what is dispatched within to this call of a tool; see `Dispatched.call`."""
        token = _answering.set((self, call))
        try:
            yield
        finally:
            _answering.reset(token)

    # ── the door ──────────────────────────────────────────────────────────────────────────────────

    async def dispatch(
        self,
        executable: Executable,
        handoff: Handoff,
        *,
        budget: Budget | None = None,
        again: str = "",
    ) -> Result:
        """Hands work to an executable and returns its result. Use this instead of `execute`, which
        knows no limits and leaves no record.

        again: why the same handoff is given once more, for example "retry 2: timed out"; without
        it, a handoff that this run has already given to the same executable is refused, unless it
        failed or was cancelled.

        An executable with the attribute `wraps` is a transparent wrapper of another one: it costs
        no level of depth and appears under the name of what it wraps. Limits, refusals and failures
        of the service come back as a Result that carries the work so far; so does the cancellation
        of something that the work waited for. Only bugs and the caller's own cancellation are
        raised.
        """
        child = self._child(executable, handoff, budget, again=again)
        bug = await self._hand_over(child, executable, handoff)
        if bug is not None:
            raise bug
        if self.parent is None or asyncio.current_task() is self._task:
            self._uncollected.remove(child)
        return child.result

    def _child(
        self,
        executable: Executable,
        handoff: Handoff,
        budget: Budget | None = None,
        *,
        again: str = "",
    ) -> Dispatch:
        """Returns the run of a new dispatch, whose work counts as uncollected from now on."""
        _check(executable, handoff)
        self._start()
        child = Dispatch(self, executable, budget or Budget(), again)
        self._uncollected.append(child)
        return child

    async def _hand_over(
        self, child: Dispatch, executable: Executable, handoff: Handoff
    ) -> Exception | None:
        """One dispatch, from its first event to its last; returns the bug that ended it."""
        caller = self._caller
        handoff = handoff.addressed(
            from_agent=caller.path[-1] if caller.path else handoff.from_agent,
            to_agent=child.name,
            return_to=caller.name,
        )
        given = GivenHandoff(executable)
        bug = None
        result = None
        try:
            child._emit_dispatch(handoff, type(executable).__name__)
            same_words = self._given.setdefault(handoff.key(), [])
            before = _latest(same_words, executable)
            reason = self._refusal(executable, child, before)
            if reason:
                result = Result(status="refused", reason=reason)
            else:
                same_words.append(given)
                result = await child._guarded(executable, handoff)
                self._hear(child.name, result)
        except asyncio.CancelledError:
            if _is_being_cancelled():
                raise
            result = child.end_early("cancelled", _who_cancelled())
        except Exception as problem:
            bug = problem
            result = child.end_early("failed", f"{type(problem).__name__}: {in_words(problem)}")
        finally:
            if result is None:
                result = child.end_early("cancelled", _who_cancelled())
            result = result.model_copy(update={"by": result.by or child.name})
            given.status = result.status
            if self.parent is None:
                result.reading = reading_of(self._tree.replies.get(child.id, ()))
            child._result = result
            shown = result.model_copy(
                update={"output": as_plain(result.output), "artifacts": dict(result.artifacts)}
            )
            child.emit(
                events.Returned(return_to=caller.name, result=shown, spent=child.ledger.spent)
            )
        return bug

    def _emit_dispatch(self, handoff: Handoff, class_name: str) -> None:
        answering = _answering.get()
        caused = answering is not None and answering[0] is self.parent
        first = self.parent is not None and self.parent.parent is None
        above = self.parent.budget if self.parent and first else Budget()
        self.emit(
            events.Dispatched(
                handoff=handoff.with_artifacts(),
                parent=self.parent.id if self.parent else "",
                limits=self.budget,
                limits_of_run=above if above != Budget() else None,
                again=self.again,
                wrapper=class_name if self._position.wrappers else "",
                call=answering[1] if answering and caused else "",
            )
        )

    def _hear(self, name: str, result: Result) -> None:
        """Remembers what work below waits for, and who refused it."""
        if result.status == "paused":
            self._paused.append(result)
        elif result.status == "refused":
            self.refusals[name] = result.reason
        elif result.ok:
            self.refusals.pop(name, None)

    def _refusal(self, executable: Executable, child: Dispatch, before: GivenHandoff | None) -> str:
        """Returns the reason that this dispatch must not happen; empty when it may."""
        way = " → ".join(child.path)
        if self.levels < 1:
            return f"too deep: {way} is more than the levels that the budget allows"
        if child._position.wrappers > MAX_WRAPPERS:
            return f"too deep: more than {MAX_WRAPPERS} wrappers around {child.name}"
        inner = innermost(executable)
        if any(
            same(waiting, executable) or same(waiting, inner) for waiting in self._position.waiting
        ):
            return f"a ring: {way}; {child.name} is already waiting for this work"
        if before and not child.is_repeat and before.status not in ("failed", "cancelled"):
            return (
                f"the same handoff was given to {child.name} before ({before.status}); "
                "change it, or use what came back"
            )
        return ""

    async def _guarded(self, executable: Executable, handoff: Handoff) -> Result:
        """Executes within the deadline; turns what may stop a run into a result with the work so
        far."""
        limit = self._time_limit()
        if limit and limit.left_s <= 0:
            return Result(status="exhausted", reason=limit.reason)
        self._task = asyncio.current_task()
        try:
            async with asyncio.timeout(limit.left_s if limit else None) as timer:
                result = await executable.execute(handoff, self)
        except Exception as problem:
            if isinstance(problem, TimeoutError) and limit and timer.expired():
                return self.end_early("exhausted", limit.reason, transient=True)
            stopped = _why_stopped(problem)
            if stopped is None:
                raise
            result = self.end_early(
                stopped.status,
                stopped.reason,
                transient=stopped.transient,
                retry_after_s=stopped.retry_after_s,
            )
            result.questions = stopped.questions
            return self._asked(result, handoff)
        if not isinstance(result, Result):
            raise TypeError(
                f"{self.name}.execute returned {type(result).__name__}; it must return a Result"
            )
        if result.ok:
            return result
        artifacts = {**self.artifacts, **result.artifacts}
        return self._asked(result.model_copy(update={"artifacts": artifacts}), handoff)

    def _asked(self, result: Result, handoff: Handoff) -> Result:
        """A result; a paused one with its questions as values. One that is handed on, be it only by
        the text of its reason, stays as it was asked below; any other is this work's own."""
        if result.status != "paused":
            return result
        below: dict[str, list[Result]] = {}
        for each in self._paused:
            below.setdefault(each.reason, []).append(each)
        asked: list[Question] = []
        for question in result.questions or Pause(result.reason).questions:
            if question.by:
                asked.append(question)
            elif below.get(question.words):
                asked += below[question.words].pop(0).questions
            else:
                asked.append(question.model_copy(update={"by": self.name, "task": handoff.intent}))
        return result.model_copy(update={"questions": tuple(asked), "reason": in_lines(asked)})

    def end_early(
        self,
        status: Status,
        reason: str,
        *,
        transient: bool = False,
        retry_after_s: float | None = None,
    ) -> Result:
        """The result of work that something stopped: what there is of it, here and below.

        An executable returns it; the other arguments are those of `Result`.
        """
        output = self.output
        artifacts = dict(self.artifacts)
        for child in self._uncollected:
            part = child.result
            if self._position.wrappers and output is None:
                output = part.output
            elif part.as_text() != as_text(output):
                _add(artifacts, child.name, part.as_text())
            for name, text in part.artifacts.items():
                _add(artifacts, name, text)
        return Result(
            status=status,
            output=output,
            reason=reason,
            artifacts=artifacts,
            transient=transient,
            retry_after_s=retry_after_s,
        )

    def _time_limit(self) -> TimeLimit | None:
        """The deadline that this run has to watch.

        Each ancestor enforces its own deadline. The root was never dispatched, so its children
        enforce its deadline.
        """
        own = self.budget.seconds
        now = self._tree.clock()
        limits = []
        if own is not None:
            limits.append(TimeLimit(self.began + own - now, own, self.name))
        root = self.parent
        if root and root.parent is None and root.budget.seconds is not None:
            seconds = root.budget.seconds
            limits.append(TimeLimit(root.began + seconds - now, seconds, self.name))
        return min(limits, key=lambda limit: limit.left_s, default=None)

    async def fan_out(
        self, dispatches: Iterable[Assignment], *, limit: int | None = None
    ) -> list[Result]:
        """Dispatches several (executable, handoff[, budget]) at once; results in the order given.

        A branch that fails, even by a bug, becomes a failed Result and leaves its siblings alone.
        `limit` is how many of *these* branches run at once; requests have their own limit in the
        client. Cancelling the fan-out cancels every branch.
        """
        if limit is not None and limit < 1:
            raise ValueError(
                f"limit is {limit}; expected at least 1 branch at once, or None for all"
            )
        jobs = list(dispatches)
        places = asyncio.Semaphore(limit or len(jobs) or 1)
        branches = [asyncio.ensure_future(self._branch(job, places)) for job in jobs]
        await _all_done(branches)
        results = [_outcome(branch, job) for branch, job in zip(branches, jobs, strict=True)]
        for branch in branches:
            if not branch.cancelled() and not branch.exception():
                self._uncollected.remove(branch.result())
        return results

    async def _branch(self, job: Assignment, places: asyncio.Semaphore) -> Run:
        """One dispatch of a fan-out. A bug ends the branch alone, and its place is noted: nobody
        sees its traceback."""
        executable, handoff, *budget = job
        async with places:
            child = self._child(executable, handoff, *budget)
            bug = await self._hand_over(child, executable, handoff)
            if bug is not None:
                self.note(f"{child.name} ended in a bug: {place_of(bug)}", about="bug")
        return child

    # ── the way to a model ────────────────────────────────────────────────────────────────────────

    async def ask(self, **body: Any) -> Reply:  # Any: JSON, which the service checks
        """Sends one request: reserve, send, settle, event. `body` is the API's.

        Raises Exhausted before sending when a budget does not allow it, ApiError when the service
        fails.
        """
        request = Request({"max_tokens": MAX_TOKENS, **body})
        limit = None
        if self.parent is None and self.budget.seconds is not None:
            self._start()
            limit = self._time_limit()
        if limit is None:
            return await self._reserve_and_send(request)
        try:
            async with asyncio.timeout(limit.left_s) as timer:
                return await self._reserve_and_send(request)
        except TimeoutError:
            if not timer.expired():
                raise
        raise Exhausted(limit.reason)

    async def hold(self, size: RequestSize) -> Hold:
        """Sets aside what a request may cost, as soon as there is room, here and in every ledger
        above.

        The wait for others is an event. Raises Exhausted when a budget does not allow the request.
        """
        return await self.ledger.hold_when_free(demand_of(size), on_wait=self.tell_wait)

    async def hand_out(self, specialist: str, limit: int) -> int:
        """Counts a handoff to elsewhere in all budgets above, before it goes; returns its number
        among those to the same specialist in this tree.

        specialist: its name.
        limit:      the number that may go to it. Raises Exhausted when that, or a budget, allows no
                    more.
        """
        number = await self.client.hand_out(specialist, limit)
        if number is not None:
            return number
        root: Run = self
        while root.parent:
            root = root.parent
        return self.ledger.hand_out(specialist, limit=limit, run=root.ledger)

    async def _reserve_and_send(self, request: Request) -> Reply:
        with await self.hold(request.size) as hold:
            if hold.tokens < request.max_tokens:
                request = request.with_max_tokens(hold.tokens)
            # the slot comes before the client's money: whoever has a slot may still need money for
            # another request than the reserved one, and must not wait for somebody without a slot
            async with self.client.slots:
                with await self.client.reserve(request, on_wait=self.tell_wait) as reserved:
                    request = reserved.request
                    number = self._emit_request(request)
                    asked_at = self._tree.clock()
                    reply = await self._send(request, hold, number)
            spent = spent_on(request.model, reply.usage)
            hold.settle(spent)
        self._keep_text(reply)
        seconds = self._tree.clock() - asked_at
        self.emit(
            events.Replied(
                model=request.model,
                reply=reply,
                spent=spent,
                seconds=seconds,
                request=number,
            )
        )
        return reply

    async def _send(self, request: Request, hold: Hold, number: int) -> Reply:
        """The reply; each try that fails is charged as far as it may have been done."""

        def on_retry(error: ApiError, wait_s: float) -> None:
            self.emit(
                events.Retried(error=str(error), type=error.type, wait_s=wait_s, request=number)
            )
            hold.again(billable=error.billable)

        hold.begin()
        try:
            return await self.client.send(request, on_retry=on_retry)
        except Exhausted as error:
            hold.settle(NOTHING)  # a client around the client did not send it
            self.emit(events.Failed(error=str(error), type="exhausted", request=number))
            raise
        except ApiError as error:
            hold.failed(billable=error.billable)
            self.emit(events.Failed(error=str(error), type=error.type, request=number))
            raise

    def _keep_text(self, reply: Reply) -> None:
        """The text of a reply is the best answer so far, unless it only goes with a tool call."""
        if reply.text and (self.output is None or not reply.tool_calls):
            self.output = reply.text

    def tell_wait(self, reason: str, at_once: int) -> None:
        """Records that a request waits until others have settled."""
        self.emit(events.Waited(reason=reason, at_once=at_once))

    def _emit_request(self, request: Request) -> int:
        """The number of the request in this run. The event holds only what is new since this
        conversation's last request: histories grow, logs need not."""
        messages = request.body["messages"]
        since = 0
        if isinstance(messages, Conversation) and messages is self._conversation:
            since = self._messages_sent
        self._conversation = messages
        self._messages_sent = len(messages)
        body = {**request.body, "messages": list(messages[since:])}
        self.emit(events.Requested(body=body, since=since))
        self._requested += 1
        return self._requested


class Dispatch(Run):
    """The run of one dispatch. Those of transparent wrappers cost no level and have no name of
    their own."""

    def __init__(self, parent: Run, executable: Executable, budget: Budget, again: str) -> None:
        parent._dispatched += 1
        above = parent._position
        inner = innermost(executable)
        name = label(inner.name)
        wraps = inner is not executable
        position = Position(
            name=name,
            id=_below(parent.id, str(parent._dispatched)),
            path=(*parent._caller.path, name),
            again=again or (above.again if above.wrappers else ""),
            wrappers=above.wrappers + 1 if wraps else 0,
            waiting=(*above.waiting, executable),
        )
        allowed = budget.depth + 1 if "depth" in budget.model_fields_set else parent.levels
        self.parent = parent
        self.levels = min(parent.levels, allowed) - (0 if wraps else 1)
        self._begin(parent._tree, position, budget, Ledger(budget, parent.ledger, name))
        self.is_repeat = bool(again)
        """True if the caller said why this handoff is given once more."""


@dataclass(frozen=True)
class TimeLimit:
    """A deadline: the seconds left until it, its length, and the name of what it stops."""

    left_s: float
    limit_s: float
    name: str

    @property
    def reason(self) -> str:
        return f"{self.name} was stopped at its deadline of {self.limit_s:g} s"


def innermost(executable: Executable) -> Executable:
    """The executable inside of all transparent wrappers; itself when it wraps nothing."""
    current = executable
    for _ in range(MAX_WRAPPERS + 1):
        inner = getattr(current, "wraps", None)
        if inner is None or not hasattr(inner, "execute"):
            return current
        current = inner
    raise ValueError(
        f"more than {MAX_WRAPPERS} wrappers stand around {executable.name!r}, or one wraps itself"
    )


def _latest(times: list[GivenHandoff], executable: Executable) -> GivenHandoff | None:
    """The latest of several times that was this executable's."""
    for given in reversed(times):
        if same(given.executable, executable):
            return given
    return None


def same(one: Executable, other: Executable) -> bool:
    """True if two executables are one; a comparison that raises says no."""
    try:
        return one is other or bool(one == other)
    except Exception:
        return False


def _check(executable: Any, handoff: Any) -> None:
    """Raises TypeError for what cannot be dispatched."""
    if not isinstance(getattr(executable, "name", None), str) or not hasattr(executable, "execute"):
        raise TypeError(
            f"{in_words(executable)} cannot be dispatched: it needs name, description and "
            "execute(handoff, run)"
        )
    if not isinstance(handoff, Handoff):
        raise TypeError(
            f"{executable.name} was given {in_words(handoff)[:80]}; expected a Handoff, for example"
            ' Handoff(intent="…")'
        )


def is_bug(problem: BaseException) -> bool:
    """True if an exception is not one that may stop a run; a group is a bug if it holds one."""
    if isinstance(problem, ExceptionGroup):
        return any(map(is_bug, problem.exceptions))
    return not isinstance(problem, tuple(STATUS_OF))


def _why_stopped(problem: Exception) -> Result | None:
    """The result, without its work, of something that may stop a run; None for a bug."""
    if is_bug(problem):
        return None
    if isinstance(problem, ExceptionGroup):  # as a TaskGroup raises them
        return _why_stopped(Pause.of([problem]) or problem.exceptions[0])
    for kind, status in STATUS_OF.items():
        if isinstance(problem, kind):
            return Result(
                status=status,
                reason=in_words(problem),
                transient=getattr(problem, "retryable", False),
                retry_after_s=getattr(problem, "retry_after_s", None),
                questions=getattr(problem, "questions", ()),
            )
    return None


def _is_being_cancelled() -> bool:
    """True if the current task itself was cancelled, and not only something that it waited for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _who_cancelled() -> str:
    if _is_being_cancelled():
        return "cancelled by its caller"
    return "cancelled by something that it waited for"


def _below(home: str, id: str) -> str:
    """The id of a run below another one: "2" and "1.3" become "2.1.3"."""
    return ".".join(part for part in (home, id) if part)


def _add(artifacts: dict[str, str], name: str, text: str) -> None:
    """Adds named work, under the next free number when the name is taken; what is there already is
    not repeated."""
    if not text.strip() or text in artifacts.values():
        return
    free, number = name, 1
    while free in artifacts:
        number += 1
        free = f"{name}-{number}"
    artifacts[free] = text


async def _all_done(branches: Iterable[asyncio.Task[Run]]) -> None:
    """Waits for all; when this is cancelled, cancels them, waits for their end and goes on being
    cancelled."""
    pending = set(branches)
    cancelled = None
    while pending:
        try:
            _, pending = await asyncio.wait(pending)
        except asyncio.CancelledError as cancellation:
            cancelled = cancellation
            for branch in pending:
                branch.cancel()
    if cancelled:
        raise cancelled


def _outcome(branch: asyncio.Task[Run], job: Any) -> Result:
    """The result of a branch of a fan-out, however it ended."""
    name = getattr(job[0], "name", "") if isinstance(job, tuple) and job else ""
    by = label(name) if name and isinstance(name, str) else ""
    if branch.cancelled():
        return Result(status="cancelled", reason="cancelled by something that it waited for", by=by)
    problem = branch.exception()
    if problem is None:
        return branch.result().result
    reason = f"{type(problem).__name__}: {in_words(problem)}"
    return Result(status="failed", reason=reason, by=by)
