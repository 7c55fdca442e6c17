"""The door: every dispatch passes through here, once.

It enforces depth and deadlines, refuses rings and repeats, turns failures and cancellations into
results, and records each dispatch and its return.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..plumbing.labels import label
from ..plumbing.readings import reading_of
from ..plumbing.texts import as_plain, in_words, place_of, shortened
from . import events
from .budget import Budget, Exhausted
from .contract import Executable, Handoff, Pause, Question, Result, Status, in_lines
from .wire import ApiError

if TYPE_CHECKING:
    from .run import Run

MAX_WRAPPERS = 10
"""The number of transparent wrappers that may stand around one executable."""

Assignment = tuple[Executable, Handoff] | tuple[Executable, Handoff, Budget | None]
"""One branch of a fan-out: an executable, its handoff and, optionally, its budget."""

STATUS_OF: dict[type[Exception], Status] = {
    Exhausted: "exhausted",
    ApiError: "failed",
    Pause: "paused",
}
"""The exceptions that may stop a run; any other is a bug."""

_answering: ContextVar[tuple[Run, str] | None] = ContextVar("answering", default=None)
"""The run and the id of the tool call that is being executed."""


@dataclass
class GivenHandoff:
    """One handoff to an executable, and its status."""

    executable: Executable
    status: str = "under way"


class Door:
    """The door of one run: dispatches its handoffs, and holds its own result.

    run: the run that it belongs to.
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self.result: Result | None = None
        """The result of this run's own dispatch; None while it is under way."""
        self.dispatched = 0
        """The number of dispatches so far."""
        self.uncollected: list[Run] = []
        """Runs below whose results this run has not received yet."""
        self.refusals: dict[str, str] = {}
        """The reasons of executables that refused work and have not delivered since. Refusals by
        the door do not count."""
        self._given: dict[str, list[GivenHandoff]] = {}
        """The handoffs that this run has given so far, by `Handoff.key`."""
        self._paused: list[Result] = []
        """The paused results of this run's dispatches."""
        self._task: asyncio.Task[Any] | None = None

    async def dispatch(
        self, executable: Executable, handoff: Handoff, *, budget: Budget | None, again: str
    ) -> Result:
        """Hands work to an executable; see `Run.dispatch`."""
        child = self._child(executable, handoff, budget, again=again)
        bug = await self._hand_over(child, executable, handoff)
        if bug is not None:
            raise bug
        if self.run.parent is None or asyncio.current_task() is self._task:
            self.uncollected.remove(child)
        return child.result

    def _child(
        self,
        executable: Executable,
        handoff: Handoff,
        budget: Budget | None = None,
        *,
        again: str = "",
    ) -> Run:
        """Returns the run of a new dispatch and adds it to `uncollected`.

        A transparent wrapper costs no level and has no name of its own.
        """
        _check(executable, handoff)
        self.run.start()
        self.dispatched += 1
        budget = budget or Budget()
        above = self.run.position
        inner = innermost(executable)
        name = label(inner.name)
        wraps = inner is not executable
        position = replace(
            above,
            name=name,
            id=below(self.run.id, str(self.dispatched)),
            path=(*self.run.caller.path, name),
            again=again or (above.again if above.wrappers else ""),
            wrappers=above.wrappers + 1 if wraps else 0,
            is_repeat=bool(again),
            executables=(*above.executables, executable),
        )
        allowed = budget.depth + 1 if "depth" in budget.model_fields_set else self.run.levels
        levels = min(self.run.levels, allowed) - (0 if wraps else 1)
        child = self.run.below(position, budget, levels)
        self.uncollected.append(child)
        return child

    async def _hand_over(
        self, child: Run, executable: Executable, handoff: Handoff
    ) -> Exception | None:
        """Runs one dispatch, from its first event to its last; returns the bug that ended it."""
        caller = self.run.caller
        handoff = handoff.addressed(
            from_agent=caller.path[-1] if caller.path else handoff.from_agent,
            to_agent=child.name,
            return_to=caller.name,
        )
        given = GivenHandoff(executable)
        bug = None
        result = None
        try:
            child.door.emit_dispatch(handoff, type(executable).__name__)
            same_words = self._given.setdefault(handoff.key(), [])
            before = _latest(same_words, executable)
            reason = self._refusal(executable, child, before)
            if reason:
                result = Result(status="refused", reason=reason)
            else:
                same_words.append(given)
                result = await child.door.guarded(executable, handoff)
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
            if self.run.parent is None:
                result.reading = reading_of(self.run.tree.replies.get(child.id, ()))
            child.door.result = result
            shown = result.model_copy(
                update={"output": as_plain(result.output), "artifacts": dict(result.artifacts)}
            )
            child.emit(
                events.Returned(return_to=caller.name, result=shown, spent=child.ledger.spent)
            )
        return bug

    def emit_dispatch(self, handoff: Handoff, class_name: str) -> None:
        answering = _answering.get()
        caused = answering is not None and answering[0] is self.run.parent
        parent = self.run.parent
        first = parent is not None and parent.parent is None
        above = parent.budget if parent and first else Budget()
        self.run.emit(
            events.Dispatched(
                handoff=handoff.with_artifacts(),
                parent=parent.id if parent else "",
                limits=self.run.budget,
                limits_of_run=above if above != Budget() else None,
                again=self.run.again,
                wrapper=class_name if self.run.position.wrappers else "",
                call=answering[1] if answering and caused else "",
            )
        )

    def _hear(self, name: str, result: Result) -> None:
        """Notes a question or a refusal of work below."""
        if result.status == "paused":
            self._paused.append(result)
        elif result.status == "refused":
            self.refusals[name] = result.reason
        elif result.ok:
            self.refusals.pop(name, None)

    def _refusal(self, executable: Executable, child: Run, before: GivenHandoff | None) -> str:
        """Returns the reason to refuse this dispatch; empty if it is allowed."""
        way = " → ".join(child.path)
        if self.run.levels < 1:
            return f"too deep: {way} is more than the levels that the budget allows"
        if child.position.wrappers > MAX_WRAPPERS:
            return f"too deep: more than {MAX_WRAPPERS} wrappers around {child.name}"
        inner = innermost(executable)
        above = self.run.position.executables
        if any(same(each, executable) or same(each, inner) for each in above):
            return f"a ring: {way}; {child.name} is already waiting for this work"
        if before and not child.position.is_repeat and before.status not in ("failed", "cancelled"):
            return (
                f"the same handoff was given to {child.name} before ({before.status}); "
                "change it, or use what came back"
            )
        return ""

    async def guarded(self, executable: Executable, handoff: Handoff) -> Result:
        """Executes within the deadline; turns what may stop a run into a result with the work so
        far."""
        limit = time_limit(self.run)
        if limit and limit.left_s <= 0:
            return Result(status="exhausted", reason=limit.reason)
        self._task = asyncio.current_task()
        try:
            async with asyncio.timeout(limit.left_s if limit else None) as timer:
                result = await executable.execute(handoff, self.run)
        except Exception as problem:
            if isinstance(problem, TimeoutError) and limit and timer.expired():
                return self.run.end_early("exhausted", limit.reason, transient=True)
            stopped = _why_stopped(problem)
            if stopped is None:
                raise
            result = self.run.end_early(
                stopped.status,
                stopped.reason,
                transient=stopped.transient,
                retry_after_s=stopped.retry_after_s,
            )
            result.questions = stopped.questions
            return self._asked(result, handoff)
        if not isinstance(result, Result):
            raise TypeError(
                f"{self.run.name}.execute returned {type(result).__name__}; it must return a Result"
            )
        if result.ok:
            return result
        artifacts = {**self.run.artifacts, **result.artifacts}
        return self._asked(result.model_copy(update={"artifacts": artifacts}), handoff)

    def _asked(self, result: Result, handoff: Handoff) -> Result:
        """Fills in the questions of a paused result; any other is returned unchanged.

        A question that was passed on from below, even as text only, keeps its origin. Any other is
        this run's own.
        """
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
                origin = {"by": self.run.name, "task": handoff.intent}
                asked.append(question.model_copy(update=origin))
        return result.model_copy(update={"questions": tuple(asked), "reason": in_lines(asked)})

    async def fan_out(self, dispatches: Iterable[Assignment], limit: int | None) -> list[Result]:
        """Dispatches several handoffs at once; see `Run.fan_out`."""
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
                self.uncollected.remove(branch.result())
        return results

    async def _branch(self, job: Assignment, places: asyncio.Semaphore) -> Run:
        """One dispatch of a fan-out. A bug ends this branch only; a note records its line, since
        the traceback is lost."""
        executable, handoff, *budget = job
        async with places:
            child = self._child(executable, handoff, *budget)
            bug = await self._hand_over(child, executable, handoff)
            if bug is not None:
                self.run.note(f"{child.name} ended in a bug: {place_of(bug)}", about="bug")
        return child


@contextmanager
def answering(run: Run, call: str) -> Iterator[None]:
    """Marks dispatches within the block as caused by this tool call; see `Dispatched.call`."""
    token = _answering.set((run, call))
    try:
        yield
    finally:
        _answering.reset(token)


@dataclass(frozen=True)
class TimeLimit:
    """A deadline: the seconds left, its length, and the name of the executable that it stops."""

    left_s: float
    limit_s: float
    name: str

    @property
    def reason(self) -> str:
        return f"{self.name} was stopped at its deadline of {self.limit_s:g} s"


def time_limit(run: Run) -> TimeLimit | None:
    """Returns the deadline that a run enforces.

    Each ancestor enforces its own deadline. The root was never dispatched, so its children
    enforce its deadline.
    """
    own = run.budget.seconds
    now = run.tree.clock()
    limits = []
    if own is not None:
        limits.append(TimeLimit(run.began + own - now, own, run.name))
    root = run.parent
    if root and root.parent is None and root.budget.seconds is not None:
        seconds = root.budget.seconds
        limits.append(TimeLimit(root.began + seconds - now, seconds, run.name))
    return min(limits, key=lambda limit: limit.left_s, default=None)


def innermost(executable: Executable) -> Executable:
    """The executable inside all transparent wrappers; the executable itself if it wraps nothing."""
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
    """The latest of these handoffs that this executable was given."""
    for given in reversed(times):
        if same(given.executable, executable):
            return given
    return None


def same(one: Executable, other: Executable) -> bool:
    """True if two executables are the same. A comparison that raises counts as False."""
    try:
        return one is other or bool(one == other)
    except Exception:
        return False


def _check(executable: Any, handoff: Any) -> None:
    """Raises TypeError for an executable or a handoff that cannot be dispatched."""
    if not isinstance(getattr(executable, "name", None), str) or not hasattr(executable, "execute"):
        raise TypeError(
            f"{in_words(executable)} cannot be dispatched: it needs name, description and "
            "execute(handoff, run)"
        )
    if not isinstance(handoff, Handoff):
        raise TypeError(
            f"{executable.name} was given {shortened(in_words(handoff), 80)}; expected a Handoff,"
            ' for example Handoff(intent="…")'
        )


def is_bug(problem: BaseException) -> bool:
    """True unless the exception is one of `STATUS_OF`. A group is a bug if it contains one."""
    if isinstance(problem, ExceptionGroup):
        return any(map(is_bug, problem.exceptions))
    return not isinstance(problem, tuple(STATUS_OF))


def _why_stopped(problem: Exception) -> Result | None:
    """The result for an exception of `STATUS_OF`, without the work so far; None for a bug."""
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
    """True if the current task itself was cancelled, and not only something that it awaited."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _who_cancelled() -> str:
    if _is_being_cancelled():
        return "cancelled by its caller"
    return "cancelled by something that it waited for"


def below(home: str, id: str) -> str:
    """The id of a run below another one: "2" and "1.3" become "2.1.3"."""
    return ".".join(part for part in (home, id) if part)


async def _all_done(branches: Iterable[asyncio.Task[Run]]) -> None:
    """Waits for all branches. When cancelled, cancels them, waits for their end, and raises the
    cancellation."""
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
