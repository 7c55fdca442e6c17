"""What is seen of answers to lesson 13: branches that end."""

from __future__ import annotations

import asyncio
import functools
from dataclasses import dataclass, field
from typing import Any

from classroom.observing import call, loop_of
from classroom.observing.clock import WithoutWaiting
from kernel import Handoff, Result, Run
from workshop.course.desks import order_of
from workshop.course.seen import ending, quiet_run

MOST_TICKS = 500
"""How long a branch works at most: an answer that never lets go must end all the same."""
MOST_S = 100_000.0
"""How long a branch may clean up, by a clock that waits for nothing."""


@dataclass(eq=False)
class Branch:
    """Works for some ticks of the event loop; cleans up for some time when it is cancelled."""

    name: str
    ticks: int
    status: str
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
    """Which branches began, ended and cleaned up by the time that the answer was back."""
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
        still = [branch for branch in branches if branch.task and not _over(branch.name, at_return)]
        cancelled = [branch.name for branch in still if branch.task.cancelling()]
        for branch in still:
            branch.task.cancel()
    kinds = [kind for kind, _ in at_return]
    first_end = kinds.index("ended") if "ended" in kinds else len(kinds)
    return {
        "calls of execute past the run": max(0, kinds.count("began") - len(order_of(run))),
        "branches under way before the first one ended": kinds[:first_end].count("began"),
        "ended by themselves": _names("ended", at_return),
        "cancelled and cleaned up": _names("cleaned up", at_return),
        "still at work": sorted(branch.name for branch in still),
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


OBSERVE = {"13.1": raced}
