"""Observations of answers to lesson 26: the requests to workers, their number, the most at once,
and their results; the calls that a lease took, spent and gave back.
"""

from __future__ import annotations

import asyncio
import functools
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from classroom.observing import call, held, wait
from classroom.observing.canonical import name_of
from kernel import Budget, Handoff, Result, Run, models
from kernel.parts.cluster import WorkerLost
from workshop.course.desks import CALLS
from workshop.course.seen import ending, quiet_run
from workshop.course.wire import Wire

MOST = 60
"""Parcels; an answer that sends more never ends by itself."""

UNTIL_IT_WAITS = 400
"""Steps of the event loop after which a branch waits for its end."""

HALFWAY = 4
"""Steps of the event loop after which a fan-out is cancelled."""


class Broken(Exception):
    """The exception of a branch with a bug; nobody knows its name."""


@dataclass
class Workers:
    """Stands in for a cluster: begins at once whatever it is given, and ends it as the case says."""

    fates: dict[str, list[str]]
    steps: dict[str, int]
    """The turns of the event loop that each task takes."""
    sent: list[str] = field(default_factory=list)
    under_way: list[int] = field(default_factory=list)
    """For each parcel under way, the how manieth of its task it is."""
    peak: int = 0
    peak_again: int = 0
    """The most that were under way at once and not for the first time."""

    def submit(self, task: str) -> asyncio.Future[Result]:
        self.sent.append(task)
        if len(self.sent) > MOST:
            raise AssertionError(f"{MOST} parcels were sent; expected an end before that")
        return asyncio.ensure_future(self._do(task, self.sent.count(task)))

    async def _do(self, task: str, time: int) -> Result:
        self.under_way.append(time)
        self.peak = max(self.peak, len(self.under_way))
        self.peak_again = max(self.peak_again, sum(one > 1 for one in self.under_way))
        for _ in range(self.steps[task]):
            await asyncio.sleep(0)
        self.under_way.remove(time)
        fates = self.fates.get(task, [])
        fate = fates[min(time, len(fates)) - 1] if fates else "ok"
        if fate == "lost":
            raise WorkerLost(f"the process of {task!r} is gone")
        if fate == "failed":
            return Result(status="failed", output=f"half of {task}", reason="the source is closed")
        if fate != "ok":
            raise Broken(fate)
        return Result(status="ok", output=f"{task}, done at time {time}")


def moved(on_workers: Any, case: dict[str, Any]) -> dict[str, Any]:
    """A fan-out over workers that may be lost."""
    workers = Workers(case["fates"], case["steps"])
    answer = _cancelled(on_workers) if case.get("is_cancelled") else on_workers
    returned = call(answer, workers, case["tasks"], case["attempts"])
    quiet_run().note(f"{len(case['tasks'])} tasks, {len(workers.sent)} parcels")
    times = Counter(workers.sent)
    seen: dict[str, Any] = {
        "parcels of each task": {task: times[task] for task in case["tasks"]},
        "most under way at once": workers.peak,
        "most of those sent again": workers.peak_again,
    }
    if not isinstance(returned, (list, tuple)):
        return {**seen, "returned": returned}
    kinds = [name_of(type(each)) for each in returned if not isinstance(each, Result)]
    if kinds:
        return {**seen, "in the list beside Results": kinds}
    known = {fate for fates in case["fates"].values() for fate in fates}
    bugs = [*sorted(known - {"ok", "lost", "failed"}), "the source is closed"]
    return {
        **seen,
        "in the list beside Results": [],
        "outputs, in the order of the tasks": [_output(result) for result in returned],
        "statuses": [result.status for result in returned],
        "reason of a failure": [held(result.reason, *bugs) for result in returned],
        "failures with a reason": sum(bool(result.reason) for result in returned),
    }


def _output(result: Result) -> Any:
    """The output of a result; of one that is not ok, only what a worker has done of it."""
    text = str(result.output)
    return result.output if result.ok or text.startswith("half of") else "nothing"


def _cancelled(on_workers: Any) -> Any:
    """The fan-out, cancelled while its workers work; returns how it took that."""

    @functools.wraps(on_workers)
    async def halfway(*given: Any) -> str:
        fan_out = asyncio.ensure_future(on_workers(*given))
        for _ in range(HALFWAY):
            await asyncio.sleep(0)
        tasks = asyncio.all_tasks()
        fan_out.cancel()
        await asyncio.wait([fan_out])
        asked = [task for task in tasks if task.cancelling()]
        return "it ended" if all(task.cancelled() for task in asked) else "it was caught"

    return halfway


# ── a lease ───────────────────────────────────────────────────────────────────────────────────────


@dataclass
class Purse:
    """The calls that are left of one budget, and what was done with them."""

    left: int
    log: list[tuple[str, int]] = field(default_factory=list)

    def take(self, calls: int) -> int:
        part = max(0, min(calls, self.left))
        self.left -= part
        self.log.append(("taken", part))
        return part

    def give_back(self, calls: int) -> None:
        self.left += calls
        self.log.append(("given back", calls))


@dataclass
class Branch:
    """Asks a model so many times in each attempt, then ends as its case says."""

    attempts: list[dict[str, Any]]
    """For each attempt, the last one from then on: how many `calls`, and how it `ends`."""
    name: str = "researcher"
    description: str = "Finds facts."
    begun: int = 0

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        attempt = self.attempts[min(self.begun, len(self.attempts) - 1)]
        self.begun += 1
        if self.begun > CALLS:
            raise AssertionError(f"the branch was begun {self.begun} times; expected an end")
        await _asked(run, attempt["calls"])
        match attempt["ends"]:
            case "lost":
                raise WorkerLost(f"process {attempt['process']} is gone")
            case "bug":
                raise Broken("its own")
            case "waits":
                await asyncio.sleep(3600)
            case "failed":
                return Result(status="failed", output="half of it", reason="the source is closed")
        return Result(status="ok", output=f"facts, at attempt {self.begun}")


async def _asked(run: Run, times: int) -> None:
    for _ in range(times):
        messages = [{"role": "user", "content": "Go on."}]
        await run.ask(model=models.worker, max_tokens=200, messages=messages)


def leased(lease: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes the calls taken and given back, each attempt's limit, and the branch's result."""
    wire = Wire(["Done."] * MOST)
    run = wire.run(budget=Budget(calls=MOST))
    wait(_asked(run, case["before"]))
    branch, purse = Branch(case["attempts"]), Purse(case["left"])
    job = (branch, Handoff(intent=case["task"]))
    answer = _stopped(lease) if case["stops"] else lease
    returned = call(answer, run, purse, job, case["calls"], case["times"], meant=(purse,))
    begun = [work.limits.calls for work in run.trace().work.dispatches]
    amounts = Counter[str]()
    for kind, calls in purse.log:
        amounts[kind] += calls
    seen: dict[str, Any] = {
        "taken from the purse": amounts["taken"],
        "times that the branch was dispatched": len(begun),
        "calls of execute past the run": max(0, branch.begun - len(begun)),
        "calls that each attempt was allowed": begun,
        "calls sent": len(wire.exchanges) - case["before"],
        "given back": amounts["given back"],
        "left in the purse": purse.left,
        **ending(returned),
    }
    if isinstance(returned, Result):
        processes = [f"process {each['process']}" for each in case["attempts"]]
        seen["reason"] = held(returned.reason, "the source is closed", *processes)
        seen["a reason"] = returned.ok or bool(returned.reason.strip())
    return seen


def _stopped(lease: Any) -> Any:
    """The same function, cancelled when its branch waits."""

    @functools.wraps(lease)
    async def halfway(*given: Any) -> Any:
        task = asyncio.ensure_future(lease(*given))
        for _ in range(UNTIL_IT_WAITS):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        return ("it was cancelled",) if task.cancelled() else task.result()

    return halfway


OBSERVE = {"26.1": moved, "26.2": leased}
