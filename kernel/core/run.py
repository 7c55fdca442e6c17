"""The run: the place of work in its tree, its ledger, its record and its work so far.

Every executable receives a run. Through it, it dispatches work (`dispatch`, `fan_out`), sends
requests to a model (`ask`) and stores finished work (`keep`, `output`). Dispatching is in
`door.py`, requests are in `asking.py`.
"""

from __future__ import annotations

import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from ..plumbing.client import Client
from ..plumbing.labels import free_name
from ..plumbing.stream import Speech
from ..plumbing.texts import as_plain, as_text, in_words
from ..plumbing.trace import Trace
from . import events
from .asking import Asking
from .budget import Budget, Hold, Ledger, Spent
from .contract import Executable, Handoff, Result, Status
from .door import Assignment, Door
from .events import Event
from .wire import Reply, RequestSize


class Tree:
    """The state that all runs of a tree share: client, events, readers and clock."""

    def __init__(self, client: Client, clock: Callable[[], float]) -> None:
        self.client = client
        self.clock = clock
        self.origin = clock()
        self.events: list[Event] = []
        self.readers: list[Callable[[Event], None]] = []
        self.replies: defaultdict[str, list[Event]] = defaultdict(list)
        """Replies, by the root's dispatch that they belong to."""
        self.speeches: list[Speech] = []
        """The replies under way, in the order of their requests."""
        self.listeners = 0
        """The number of readers of the replies under way."""

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
    """The reason for repeating this work; empty the first time."""
    wrappers: int = 0
    """The number of nested transparent wrappers up to this run; 0 if it is not a wrapper's."""
    is_repeat: bool = False
    """True if the caller gave a reason for repeating this handoff."""
    executables: tuple[Executable, ...] = ()
    """The executables that `path` names, and the transparent wrappers between them."""


class Run:
    """A root, or one dispatch below it: its place in the tree, its ledger, its deadline, and its
    work so far.

    client:   sends the requests of `ask`; from `connect()`.
    budget:   limits on everything below this run.
    on_event: called with each Event as it happens; `subscribe` adds more.
    name:     the sender of this run's handoffs.
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

    def below(self, position: Position, budget: Budget, levels: int) -> Run:
        """Returns the run of a dispatch. levels: the levels of dispatch that are left below it."""
        return _Dispatch(self, position, budget, levels)

    def _begin(self, tree: Tree, position: Position, budget: Budget, ledger: Ledger) -> None:
        """Sets up a run that has done no work yet."""
        self.tree = tree
        self.position = position
        self.budget = budget
        self.ledger = ledger
        self.began = tree.clock()
        self.output: Any = None  # Any: text, or a pydantic model
        """The best answer so far; returned when a limit stops the dispatch."""
        self.artifacts: dict[str, str] = {}
        """Named work so far (facts, draft …); likewise."""
        self.door = Door(self)
        self._asking = Asking(self)

    @property
    def name(self) -> str:
        """The name of the executable; for a root, the argument `name`."""
        return self.position.name

    @property
    def id(self) -> str:
        """The number of the dispatch: "2.1" is the first of the root's second; the root has ""."""
        return self.position.id

    @property
    def path(self) -> tuple[str, ...]:
        """The names of the executables from the first dispatch to this one, its own last."""
        return self.position.path

    @property
    def again(self) -> str:
        """The reason for repeating this work; empty the first time."""
        return self.position.again

    def start(self) -> None:
        """Starts the clock of a root at its first work: it may be created long before that."""
        if self.parent is None and not self.door.dispatched and not self._asking.requested:
            self.began = self.tree.clock()

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the nearest deadline of this run and of all above it; None without one."""
        left = []
        run: Run | None = self
        while run:
            if run.budget.seconds is not None:
                left.append(run.began + run.budget.seconds - self.tree.clock())
            run = run.parent
        return max(0.0, min(left)) if left else None

    @property
    def caller(self) -> Run:
        """The sender of this run's handoffs: the run itself, or the run above its wrappers."""
        run = self
        while run.position.wrappers and run.parent:
            run = run.parent
        return run

    @property
    def result(self) -> Result:
        """The result of this dispatch; while it is under way, its work so far."""
        return self.door.result or self.end_early("cancelled", "still under way")

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
        return self.tree.client

    @property
    def events(self) -> list[Event]:
        """Everything that happened in the whole tree so far."""
        return self.tree.events

    @property
    def spent(self) -> Spent:
        """The usage of this run and everything below it."""
        return self.ledger.spent

    def subscribe(self, reader: Callable[[Event], None]) -> None:
        """Calls `reader` with every further event. A reader that raises is dropped with a warning;
        the run goes on."""
        self.tree.readers.append(reader)

    @contextmanager
    def listen(self) -> Iterator[Sequence[Speech]]:
        """Yields the replies under way in the whole tree, each with its text so far.

        Within the block, replies are streamed. Readers poll at their own pace and never block a
        request; a reply becomes an event when it is complete.
        """
        self.tree.listeners += 1
        try:
            yield self.tree.speeches
        finally:
            self.tree.listeners -= 1

    def emit(self, event: Event, *, id: str | None = None, agent: str | None = None) -> None:
        """Records an event of this run.

        event:     its `seq`, `at`, `run` and `agent` are filled in.
        id, agent: the id and the name of the run, if it is in another process.
        """
        recorded = replace(
            event,
            seq=len(self.tree.events),
            at=self.tree.clock() - self.tree.origin,
            run=self.id if id is None else id,
            agent=self.name if agent is None else agent,
        )
        for sentence in self.tree.add(recorded):
            try:
                warnings.warn(sentence, stacklevel=3)
            except Warning:  # where warnings are errors
                self.note(sentence)

    def note(self, text: str, /, about: str = "", **fields: object) -> None:
        """Records a remark: a stage, a round, a decision.

        about:  the topic, for readers that look for notes of one kind.
        fields: figures and names that belong to it.
        """
        self.emit(events.Note(text=as_text(text), about=about, fields=as_plain(fields)))

    def tell_wait(self, reason: str, at_once: int) -> None:
        """Records that a request waits for others to be settled."""
        self.emit(events.Waited(reason=reason, at_once=at_once))

    def keep(self, /, **artifacts: str) -> None:
        """Stores finished work. The result has it even if a limit or a failure ends the run."""
        for name, text in artifacts.items():
            self.artifacts[name] = as_text(text)

    def trace(self) -> Trace:
        """The run so far, readable."""
        return Trace(self.events)

    # ── handing on ────────────────────────────────────────────────────────────────────────────────

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

        again: the reason for repeating a handoff, for example "retry 2: timed out". Without one,
        a handoff that this run already gave to the same executable is refused, unless it failed or
        was cancelled.

        An executable with the attribute `wraps` is a transparent wrapper of another one: it costs
        no level of depth and has the name of the executable that it wraps. Limits, refusals and
        failures of the service become a Result with the work so far; so does the cancellation of
        something that the work awaited. Only bugs and the caller's own cancellation are raised.
        """
        return await self.door.dispatch(executable, handoff, budget=budget, again=again)

    async def fan_out(
        self, dispatches: Iterable[Assignment], *, limit: int | None = None
    ) -> list[Result]:
        """Dispatches several (executable, handoff[, budget]) at once; results in the order given.

        A branch that fails, even by a bug, becomes a failed Result and does not affect its
        siblings. `limit` is the number of *these* branches that run at once; the client has its own
        limit of requests. Cancelling the fan-out cancels every branch.
        """
        return await self.door.fan_out(dispatches, limit)

    async def hand_out(self, specialist: str, limit: int) -> int:
        """Counts a handoff to a specialist elsewhere, in all budgets above, before it is sent.
        Returns its number among the handoffs of this tree to that specialist.

        specialist: its name.
        limit:      the most handoffs to it. Raises Exhausted when it, or a budget, is reached.
        """
        number = await self.client.hand_out(specialist, limit)
        if number is not None:
            return number
        root: Run = self
        while root.parent:
            root = root.parent
        return self.ledger.hand_out(specialist, limit=limit, run=root.ledger)

    def end_early(
        self,
        status: Status,
        reason: str,
        *,
        transient: bool = False,
        retry_after_s: float | None = None,
    ) -> Result:
        """Builds the result of interrupted work from everything finished so far, in this run and
        below it.

        For an executable to return. The other arguments are those of `Result`.
        """
        output = self.output
        artifacts = dict(self.artifacts)
        for child in self.door.uncollected:
            part = child.result
            if self.position.wrappers and output is None:
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

    # ── the way to a model ────────────────────────────────────────────────────────────────────────

    async def ask(self, **body: Any) -> Reply:  # Any: JSON, which the service checks
        """Sends one request: reserve, send, settle, event. `body` is the API's.

        Raises Exhausted before sending when a budget does not allow it, ApiError when the service
        fails.
        """
        return await self._asking.ask(body)

    async def hold(self, size: RequestSize) -> Hold:
        """Reserves the most that a request may cost, here and in every ledger above. Waits until
        there is room, which is recorded as an event.

        Raises Exhausted when a budget does not allow the request.
        """
        return await self._asking.hold(size)


class _Dispatch(Run):
    """The run of one dispatch."""

    def __init__(self, parent: Run, position: Position, budget: Budget, levels: int) -> None:
        self.parent = parent
        self.levels = levels
        ledger = Ledger(budget, parent.ledger, position.name)
        self._begin(parent.tree, position, budget, ledger)


def _add(artifacts: dict[str, str], name: str, text: str) -> None:
    """Adds named work, with the next free number when the name is taken. Equal work is not added
    twice."""
    if text.strip() and text not in artifacts.values():
        artifacts[free_name(name, artifacts.__contains__)] = text
