"""What is seen of answers to lesson 18: what was sent to the workers, how often, how many at once, and what came of it."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from kernel import Result
from kernel.cluster import WorkerLost
from workshop.course.observing import call, held, quiet_run

MOST = 60
"""Parcels; an answer that sends more never ends by itself."""


@dataclass
class Workers:
    """Stands in for a cluster: begins at once whatever it is given, and ends it as the case says."""

    fates: dict[str, list[str]]
    steps: dict[str, int]
    """How long each task takes."""
    sent: list[str] = field(default_factory=list)
    under_way: int = 0
    peak: int = 0

    def submit(self, task: str) -> asyncio.Future[Result]:
        self.sent.append(task)
        if len(self.sent) > MOST:
            raise AssertionError(f"{MOST} parcels were sent; expected an end before that")
        return asyncio.ensure_future(self._do(task, self.sent.count(task)))

    async def _do(self, task: str, time: int) -> Result:
        self.under_way += 1
        self.peak = max(self.peak, self.under_way)
        for _ in range(self.steps[task]):
            await asyncio.sleep(0)
        self.under_way -= 1
        fates = self.fates.get(task, [])
        fate = fates[min(time, len(fates)) - 1] if fates else "ok"
        if fate == "lost":
            raise WorkerLost(f"the process of {task!r} is gone")
        if fate == "failed":
            return Result(status="failed", output=f"half of {task}", reason="the source is closed")
        if fate != "ok":
            raise ValueError(fate)
        return Result(status="ok", output=f"{task}, done at time {time}")


def moved(on_workers: Any, case: dict[str, Any]) -> dict[str, Any]:
    """A fan-out over workers that may be lost."""
    workers = Workers(case["fates"], case["steps"])
    returned = call(on_workers, workers, case["tasks"], case["attempts"])
    quiet_run().note(f"{len(case['tasks'])} tasks, {len(workers.sent)} parcels")
    times = Counter(workers.sent)
    seen: dict[str, Any] = {
        "parcels of each task": {task: times[task] for task in case["tasks"]},
        "most under way at once": workers.peak,
    }
    if not isinstance(returned, list) or not all(isinstance(each, Result) for each in returned):
        return {**seen, "returned": returned}
    known = {fate for fates in case["fates"].values() for fate in fates}
    bugs = [*sorted(known - {"ok", "lost", "failed"}), "the source is closed"]
    return {
        **seen,
        "outputs, in the order of the tasks": [result.output for result in returned],
        "statuses": [result.status for result in returned],
        "reason of a failure": [held(result.reason, *bugs) for result in returned],
        "failures with a reason": sum(bool(result.reason) for result in returned),
    }


OBSERVE = {"18.1": moved}
