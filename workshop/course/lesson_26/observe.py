"""What is seen of answers to lesson 26: what was sent to the workers, how often, how many at once,
and what came of it.
"""

from __future__ import annotations

import asyncio
import functools
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from classroom.observing import call, held
from classroom.observing.canonical import name_of
from kernel import Result
from kernel.cluster import WorkerLost
from workshop.course.seen import quiet_run

MOST = 60
"""Parcels; an answer that sends more never ends by itself."""

HALFWAY = 4
"""Steps of the event loop after which a fan-out is cancelled."""


class Broken(Exception):
    """What a branch with a bug raises; nobody knows its name."""


@dataclass
class Workers:
    """Stands in for a cluster: begins at once whatever it is given, and ends it as the case says."""

    fates: dict[str, list[str]]
    steps: dict[str, int]
    """How long each task takes."""
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


OBSERVE = {"26.1": moved}
