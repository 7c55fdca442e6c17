"""The cost of production wrappers: a step with a journal against one without, guarded work against
bare work. The sides take turns in one run, so the ratios hold on a busy machine too.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from statistics import median

from kernel import Executable, Handoff, Result, Run, connect
from kernel.parts.guards import CircuitBreaker, Deadline, Fallback, Limit, Retry
from kernel.parts.journal.journal import Journal

from .sides import Kernel

TURNS = 10
Row = tuple[str, str, str, str]
"""The subject of a comparison, the figures with and without it, and the ratio."""


class Journalled(Kernel):
    """The kernel's side with a new journal for each conversation."""

    def __init__(self, where: str, folder: Path, sync: str) -> None:
        super().__init__(where)
        self.bare = self.client
        self.sync = sync
        self.files = (folder / f"{sync} {number}.db" for number in count())

    async def converse(self, turns: int, at_tool: Callable[[], None]) -> None:
        with Journal(next(self.files), sync=self.sync) as journal:
            self.client = journal.around(self.bare)
            await super().converse(turns, at_tool)

    async def aclose(self) -> None:
        await self.bare.aclose()


async def journal(address: str, rounds: int = 15) -> list[Row]:
    """Wall clock of one step, with fsync at each ("full") and without ("normal")."""
    where = f"{address}/turns/{TURNS}"
    taken: dict[str, list[float]] = {"none": [], "full": [], "normal": []}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        sides: dict[str, Kernel] = {"none": Kernel(where)}
        for sync in ("full", "normal"):
            sides[sync] = Journalled(where, Path(folder), sync)
        for number in range(rounds + 1):
            for name, side in sides.items():
                began = time.perf_counter()
                await side.converse(TURNS, at_tool=lambda: None)
                if number:  # the first pays for connections and caches
                    taken[name].append(1000 * (time.perf_counter() - began) / (TURNS + 1))
        for side in sides.values():
            await side.aclose()
    rows = []
    for sync, words in (("full", "fsync"), ("normal", "no fsync")):
        rows.append(_row(f"a step with a journal, {words}", taken[sync], taken["none"], "ms"))
    return rows


class Idle:
    """Work that does nothing, so that only the door and the guard are measured."""

    name, description = "idle", "Does nothing."

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        return Result(status="ok", output="done")


def guarded() -> Iterator[tuple[str, Executable]]:
    """Each guard around the same work, then four of them in one another."""
    idle = Idle()
    yield "Retry", Retry(idle)
    yield "CircuitBreaker", CircuitBreaker(idle)
    yield "Deadline", Deadline(idle, 60)
    yield "Limit", Limit(idle, 8)
    yield "Fallback", Fallback(idle, Idle())
    yield "four guards", Retry(CircuitBreaker(Limit(Deadline(idle, 60), 8)))


async def guards(rounds: int = 15, repeats: int = 100) -> list[Row]:
    """CPU of one dispatch through each guard, beside the same dispatch without it."""
    executables = {"bare": Idle(), **dict(guarded())}
    taken: dict[str, list[float]] = {name: [] for name in executables}
    numbers = count()
    async with connect("offline") as client:
        for _ in range(rounds):
            for name, executable in executables.items():
                run = Run(client)
                handoffs = [Handoff(intent=f"Job {next(numbers)}") for _ in range(repeats)]
                began = time.process_time()
                for handoff in handoffs:
                    await run.dispatch(executable, handoff)
                taken[name].append(1e6 * (time.process_time() - began) / repeats)
    bare = taken.pop("bare")
    return [_row(f"a dispatch, {name}", figures, bare, "µs") for name, figures in taken.items()]


def _row(name: str, ours: list[float], bare: list[float], unit: str) -> Row:
    ratio = median(one / other for one, other in zip(ours, bare, strict=True))
    form = "{:.2f} {}" if unit == "ms" else "{:.0f} {}"
    figures = [form.format(median(each), unit) for each in (ours, bare)]
    return name, figures[0], figures[1], f"{ratio:.2f} × without"
