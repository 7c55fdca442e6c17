"""Branches a second over processes, beside Dask's own `map`.

Each side does the same branches: one request to a service that takes 100 ms. Dask's own side does
them without a budget, without events and without a result that says how it ended.
"""

from __future__ import annotations

import asyncio
import os
import time
from dataclasses import dataclass
from typing import Any

from kernel import Handoff, Result, Run, connect
from kernel.parts.cluster import Cluster, fan_out, open_cluster

BRANCHES = 200
AT_ONCE = 8
"""Branches that a worker does at once."""
LATENCY_S = 0.1
EMPTY = 1_000
"""Branches that ask for nothing, to see what one scheduler takes."""


@dataclass(frozen=True)
class AsksOnce:
    """A branch of one request, which takes `seconds`."""

    seconds: float
    name: str = "asker"
    description: str = "AsksOnce once."

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        if self.seconds:
            await asyncio.sleep(self.seconds)
            message = {"role": "user", "content": handoff.intent}
            await run.ask(model="claude-haiku-5-5", max_tokens=300, messages=[message])
        return Result(status="ok", output=handoff.intent)


async def bare(seconds: float, number: int) -> int:
    """The same wait, as a task of Dask."""
    await asyncio.sleep(seconds)
    return number


def processor_s() -> float:
    """Processor seconds of this process, where the scheduler and the run are."""
    return sum(os.times()[:2])


async def ours(cluster: Cluster, branches: int, seconds: float) -> tuple[float, float]:
    """Branches a second, and processor milliseconds a branch in the run's process."""
    began, used = time.perf_counter(), processor_s()
    jobs = [(AsksOnce(seconds), Handoff(intent=f"branch {number}")) for number in range(branches)]
    results = await fan_out(Run(connect("offline")), jobs, on=cluster)
    assert all(result.ok for result in results)
    return branches / (time.perf_counter() - began), 1000 * (processor_s() - used) / branches


async def dasks(dask: Any, branches: int, seconds: float) -> tuple[float, float]:
    """The same of Dask's own `map`. dask: a `distributed.Client`, of the extra."""
    began, used = time.perf_counter(), processor_s()
    await dask.gather(dask.map(bare, [seconds] * branches, range(branches), pure=False))
    return branches / (time.perf_counter() - began), 1000 * (processor_s() - used) / branches


async def main() -> None:
    print(f"{'':<34}{'kernel':>20}{'Dask':>20}   time of a branch, × Dask's")
    for workers in (1, 2, 4):
        async with open_cluster(workers=workers, branches=AT_ONCE) as cluster:
            for name, branches, seconds in (
                ("100 ms", BRANCHES, LATENCY_S),
                ("nothing", EMPTY, 0.0),
            ):
                await ours(cluster, workers * AT_ONCE, seconds)  # the first imports
                rate, used = await ours(cluster, branches, seconds)
                floor, least = await dasks(cluster.dask, branches, seconds)
                print(
                    f"{workers} workers, branches of {name:<9}{rate:>9,.0f}/s {used:>5.1f} ms"
                    f"{floor:>9,.0f}/s {least:>5.1f} ms{floor / rate:>10.2f}",
                    flush=True,
                )


if __name__ == "__main__":
    asyncio.run(main())
