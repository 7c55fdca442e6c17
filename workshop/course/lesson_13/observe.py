"""Observations of answers to lesson 13: branches that end, and a team on a bad day."""

from __future__ import annotations

import asyncio
import functools
from dataclasses import dataclass, field
from typing import Any

from classroom.observing import call, loop_of, wait
from classroom.observing.clock import WithoutWaiting
from kernel import ApiError, Executable, Handoff, Result, Run
from kernel.core.contract import Status
from kernel.parts.gates import Issue
from kernel.parts.planning.plan import Plan, Step
from workshop.course.desks import order_of
from workshop.course.seen import ending, quiet_run

MOST_TICKS = 500
"""The ticks that a branch works at most: an answer that never lets go must end all the same."""
MOST_S = 100_000.0
"""The seconds that a branch may clean up, by a clock that waits for nothing."""


@dataclass(eq=False)
class Branch:
    """Works for some ticks of the event loop; cleans up for some time when it is cancelled."""

    name: str
    ticks: int
    status: Status
    output: str
    tidy_s: float
    log: list[tuple[str, str]]
    description: str = "Works for a while."
    task: asyncio.Task[Any] | None = field(default=None, repr=False)

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        self.task = asyncio.current_task()
        self.log.append(("began", self.name))
        try:
            await ticks(self.ticks)
        except asyncio.CancelledError:
            await asyncio.sleep(self.tidy_s)
            self.log.append(("cleaned up", self.name))
            raise
        self.log.append(("ended", self.name))
        reason = "" if self.status == "ok" else f"{self.name} found nothing"
        return Result(status=self.status, output=self.output, reason=reason)


async def ticks(count: int) -> None:
    for _ in range(min(count, MOST_TICKS)):
        await asyncio.sleep(0)


def raced(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes the branches that began, ended and cleaned up before the answer was back."""
    log: list[tuple[str, str]] = []
    branches = [Branch(**facts, log=log) for facts in case["branches"]]
    jobs = []
    for branch in branches:
        handoff = Handoff(intent=f"Ask the {branch.name}")
        jobs.append((branch, handoff))
    run = quiet_run()
    if case["stop_after"]:
        answer = _stopped_after(answer, case["stop_after"])
    with loop_of(functools.partial(WithoutWaiting, MOST_S)):
        returned = call(answer, run, jobs)
        at_return = list(log)
        still: list[tuple[str, asyncio.Task[Any]]] = []
        for branch in branches:
            if branch.task and not _over(branch.name, at_return):
                still.append((branch.name, branch.task))
        cancelled = [name for name, task in still if task.cancelling()]
        for _, task in still:
            task.cancel()
    kinds = [kind for kind, _ in at_return]
    first_end = kinds.index("ended") if "ended" in kinds else len(kinds)
    return {
        "calls of execute past the run": max(0, kinds.count("began") - len(order_of(run))),
        "branches under way before the first one ended": kinds[:first_end].count("began"),
        "ended by themselves": _names("ended", at_return),
        "cancelled and cleaned up": _names("cleaned up", at_return),
        "still at work": sorted(name for name, _ in still),
        "of these, told to stop": sorted(cancelled),
        **ending(returned),
    }


def _stopped_after(answer: Any, count: int) -> Any:
    """The same function, cancelled after some ticks."""

    @functools.wraps(answer)
    async def stopped(*given: Any) -> Any:
        task = asyncio.ensure_future(answer(*given))
        await ticks(count)
        task.cancel()
        await asyncio.wait([task])
        return ("it was cancelled",) if task.cancelled() else task.result()

    return stopped


def _over(name: str, log: list[tuple[str, str]]) -> bool:
    return ("ended", name) in log or ("cleaned up", name) in log


def _names(kind: str, log: list[tuple[str, str]]) -> list[str]:
    return sorted(name for entry_kind, name in log if entry_kind == kind)


# ── a team on a bad day ───────────────────────────────────────────────────────────────────────────


@dataclass(eq=False)
class Worker:
    """Meets what its script says, one entry a call, the last one from then on: a text is its work.

    "busy" fails in a way that may pass, "broken" fails for good, "hangs" waits for an hour.
    """

    name: str
    script: list[str]
    log: list[str]
    description: str = "Works by a script."
    calls: int = 0
    calls_with_feedback: int = 0
    waited_s: float = 0.0

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        turn = self.script[min(self.calls, len(self.script) - 1)]
        self.calls += 1
        self.calls_with_feedback += "feedback" in handoff.artifacts
        self.log.append(self.name)
        if turn == "busy":
            raise ApiError("busy", type="overloaded_error", status=529, retryable=True)
        if turn == "broken":
            return Result(status="failed", reason=f"line {self.calls} is broken")
        if turn == "hangs":
            await self._hang()
        return Result(status="ok", output=turn)

    async def _hang(self) -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            await asyncio.sleep(3600)
        finally:
            self.waited_s = max(self.waited_s, loop.time() - began)


@dataclass(frozen=True)
class FixedPlanner:
    """Makes the plan of the case, whatever the task."""

    steps: list[dict[str, Any]]

    async def plan(self, task: str, registry: Any, run: Run, findings: Any = ()) -> Plan:
        return Plan(steps=[Step(**step) for step in self.steps])


@dataclass(eq=False)
class Combiner:
    """Puts together what it is given, by the names of the steps."""

    name: str = "combiner"
    description: str = "Combines the results."
    calls: int = 0

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        self.calls += 1
        return Result(status="ok", output=f"made of {', '.join(sorted(handoff.artifacts))}")


@dataclass(frozen=True)
class WordGate:
    """Refuses a text in which a word stands."""

    word: str
    name: str = "word"
    cost: float = 0.0

    async def check(self, draft: str, handoff: Handoff, run: Run) -> list[Issue]:
        if self.word not in draft:
            return []
        return [Issue(where="the text", problem=f"says {self.word}", remedy="leave it out")]


def assembled(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes the calls of each worker, the end of a hanging call, and the result of the whole."""
    log: list[str] = []
    workers = [Worker(name, list(script), log) for name, script in case["workers"].items()]
    gates = {name: [WordGate(word)] for name, word in case["gates"].items()}
    run = quiet_run()
    with loop_of(functools.partial(WithoutWaiting, MOST_S)):
        combiner = Combiner()
        team = call(answer, workers, FixedPlanner(case["steps"]), combiner, gates)
        if not isinstance(team, Executable) or isinstance(team, type):
            return {"returned": team}
        result = wait(run.dispatch(team, Handoff(intent=case["task"])))
        took_s = wait(_now())
    dispatched = sum(not work.wrapper for work in run.trace().work.dispatches)
    calls = sum(worker.calls for worker in workers) + combiner.calls
    seen: dict[str, Any] = {
        "calls of execute past the run": max(0, calls + 1 - dispatched),
        "calls of each worker": {worker.name: worker.calls for worker in workers},
        "calls that bring feedback": {
            worker.name: worker.calls_with_feedback for worker in workers
        },
        "calls before and between those of the last worker": _between(
            log, case["steps"][-1]["worker"]
        ),
        "seconds until a hanging call was ended": round(max(each.waited_s for each in workers)),
    }
    if not isinstance(result, Result):
        return {**seen, "the run": result}
    seen["minutes that the run took"] = round(took_s / 60)
    seen["calls of the combiner"] = combiner.calls
    missing = tuple(worker.name for worker in workers if worker.name in result.reason)
    return {
        **seen,
        "status": result.status,
        "output": result.output,
        "named as missing": missing,
        "work that is kept": {
            name: text.partition("; next trial")[0]
            for name, text in result.artifacts.items()
            if name in case["workers"]
        },
    }


async def _now() -> float:
    return asyncio.get_running_loop().time()


def _between(log: list[str], last: str) -> list[list[str]]:
    """Returns the workers called before, between and after the calls of one worker; workers of one
    batch have no order.
    """
    parts: list[list[str]] = [[]]
    for name in log:
        if name == last:
            parts.append([])
        else:
            parts[-1].append(name)
    return [sorted(part) for part in parts]


OBSERVE = {"13.1": raced, "13.2": assembled}
