"""`python -m benchmarks`: each cost of the kernel beside its floor, as ratios measured in one run.

The two sides take turns, so that a busy machine slows both; each figure is the median of its
rounds. CPU is the process's own: the server is another process. What the floor is stands in
`benchmarks/sides.py`.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from importlib.util import find_spec
from statistics import median

from kernel import (
    LIBRARY,
    Corpus,
    DeterministicSupervisor,
    Handoff,
    LLMSupervisor,
    Run,
    connect,
    researcher,
    reviewer,
    specialists,
    writer,
)
from kernel.parts.telemetry import MOST_WAITING, Spans

from . import cluster, inputs, production, server, streaming
from . import growth as pieces
from .sides import Floor, Kernel

TURNS = 10
LATENCY_MS = 200
GROWTH_TURNS = (10, 50, 200)
NEAR = 5
"""A turn's cost is the median of this many turns before and after it."""

Sides = dict[type, list[float]]


def row(
    name: str, kernel: str, floor: str, ratio: str, goal: str = "", met: bool | None = None
) -> None:
    verdict = "" if met is None else "met" if met else "NOT MET"
    print(f"{name:<34}{kernel:>10}{floor:>10}  {ratio:<30}{goal:<9}{verdict}".rstrip(), flush=True)


@asynccontextmanager
async def both(where: str) -> AsyncIterator[tuple[Floor, Kernel]]:
    sides = Floor(where), Kernel(where)
    try:
        yield sides
    finally:
        for side in sides:
            await side.aclose()


async def taken(work: Awaitable[object]) -> tuple[float, float]:
    """Seconds of CPU and of wall clock that `work` takes."""
    cpu, wall = time.process_time(), time.perf_counter()
    await work
    return time.process_time() - cpu, time.perf_counter() - wall


async def turns(address: str, rounds: int = 15, conversations: int = 8) -> None:
    """The kernel's loop against the bare one: the same turns, tool and replies."""

    async def converse(side: Floor | Kernel) -> None:
        for _ in range(conversations):
            await side.converse(TURNS, at_tool=lambda: None)

    cpu: Sides = {Floor: [], Kernel: []}
    wall: Sides = {Floor: [], Kernel: []}
    async with both(f"{address}/turns/{TURNS}") as sides:
        for side in sides:
            await converse(side)  # imports, connections and caches, which a first turn pays once
        for _ in range(rounds):
            for side in sides:
                seconds = await taken(converse(side))
                for figures, figure in zip((cpu, wall), seconds, strict=True):
                    figures[type(side)].append(1000 * figure / conversations / (TURNS + 1))
    for name, figures, goal in (("CPU per turn", cpu, 1.1), ("wall per turn", wall, None)):
        ratio = median(
            kernel / floor for kernel, floor in zip(figures[Kernel], figures[Floor], strict=True)
        )
        row(
            name,
            f"{median(figures[Kernel]):.2f} ms",
            f"{median(figures[Floor]):.2f} ms",
            f"{ratio:.2f} × the bare loop",
            *((f"≤ {goal}", round(ratio, 2) <= goal) if goal else ()),
        )


async def fan_out(address: str, width: int, rounds: int, goal: float | None = None) -> None:
    """Dispatches at once against a server that takes 200 ms for each; every round begins without
    connections.

    Most of a branch is its connection: of 500, httpx and httpcore take about two thirds, and the
    kernel's own code (reservation, events, typed reply) under a fifth. httpcore looks through all
    connections of a pool at each request, so the kernel spreads a crowd over several pools.
    """
    wall: Sides = {Floor: [], Kernel: []}
    cpu: Sides = {Floor: [], Kernel: []}
    for _ in range(rounds):
        async with both(f"{address}/latency/{LATENCY_MS}") as sides:
            for side in sides:
                processor_s, seconds = await taken(side.fan_out(width))
                wall[type(side)].append(seconds)
                cpu[type(side)].append(processor_s)
    kernel, floor = (median(wall[side]) for side in (Kernel, Floor))
    ideal = LATENCY_MS / 1000
    row(
        f"fan-out of {width}, wall",
        f"{kernel:.2f} s",
        f"{floor:.2f} s",
        f"{kernel / ideal:.1f} × ideal (floor {floor / ideal:.1f})",
        *((f"≤ {goal:g}", kernel / ideal <= goal) if goal else ()),
    )
    kernel, floor = (1000 * median(cpu[side]) / width for side in (Kernel, Floor))
    ratio = f"{kernel / floor:.2f} × gather"
    row(f"fan-out of {width}, CPU a branch", f"{kernel:.2f} ms", f"{floor:.2f} ms", ratio)


async def growth(address: str, rounds: int = 9, goal: float = 1.2) -> None:
    """Measures one more turn, late in a conversation against early in the same one."""
    first, *later = GROWTH_TURNS
    last = max(later) + NEAR
    near: dict[tuple[type, int], list[float]] = {
        (side, turn): [] for side in (Floor, Kernel) for turn in GROWTH_TURNS
    }
    async with both(f"{address}/turns/{last}") as sides:
        for _ in range(rounds):
            for side in sides:
                marks: list[float] = []

                def mark(marks: list[float] = marks) -> None:
                    marks.append(1000 * time.process_time())

                await side.converse(last, at_tool=mark)
                for turn in GROWTH_TURNS:
                    around = range(turn - NEAR, turn + NEAR)
                    near[type(side), turn].append(
                        median(marks[index] - marks[index - 1] for index in around)
                    )
    cost = {key: median(figures) for key, figures in near.items()}
    row(f"CPU of turn {first}", f"{cost[Kernel, first]:.2f} ms", f"{cost[Floor, first]:.2f} ms", "")
    for turn in later:
        kernel, floor = (
            median(
                late / early
                for late, early in zip(near[side, turn], near[side, first], strict=True)
            )
            for side in (Kernel, Floor)
        )
        row(
            f"CPU of turn {turn}",
            f"{cost[Kernel, turn]:.2f} ms",
            f"{cost[Floor, turn]:.2f} ms",
            f"{kernel:.2f} × turn {first} (floor {floor:.2f})",
            f"≤ {goal}",
            round(kernel, 2) <= goal,
        )


def imports(rounds: int = 9, goal_ms: float = 60) -> None:
    """`import kernel` against its two libraries, each in a fresh process, all of it compiled
    before.

    `import pydantic` alone loads next to nothing: what whoever uses it pays comes with `BaseModel`.
    Both are shown.
    """
    with tempfile.TemporaryDirectory() as compiled:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": compiled, "PYTHONDONTWRITEBYTECODE": ""}

        def import_ms(statement: str) -> float:
            code = (
                f"import time; began = time.perf_counter(); {statement}; "
                "print(1000 * (time.perf_counter() - began))"
            )
            command = [sys.executable, "-c", code]
            return float(
                subprocess.run(
                    command, env=environment, check=True, capture_output=True, text=True
                ).stdout
            )

        statements = (
            "import kernel",
            "import httpx, pydantic",
            "import httpx; from pydantic import BaseModel",
        )
        taken_ms = [[import_ms(statement) for statement in statements] for _ in range(rounds + 1)][
            1:
        ]  # the first compiles
    kernel, bare, used = (median(figures) for figures in zip(*taken_ms, strict=True))
    more = [median(ours - theirs[which] for ours, *theirs in taken_ms) for which in (0, 1)]
    row(
        "import kernel (httpx, pydantic)",
        f"{kernel:.0f} ms",
        f"{bare:.0f} ms",
        f"{more[0]:+.0f} ms",
        f"≤ +{goal_ms:g} ms",
        more[0] <= goal_ms,
    )
    row(
        "import kernel (httpx, BaseModel)",
        f"{kernel:.0f} ms",
        f"{used:.0f} ms",
        f"{more[1]:+.0f} ms",
    )


async def desk(rounds: int = 5) -> None:
    """The whole desk in this process, the model included: CPU for each call, which is mostly the
    offline model's.
    """
    title = "offline desk, CPU per call"
    try:
        client = connect("offline")
    except ImportError as missing:
        return row(title, "–", "–", f"skipped: {missing}")
    team = DeterministicSupervisor(researcher(Corpus(LIBRARY)), writer(), reviewer())
    figures: list[float] = []
    async with client:
        for _ in range(rounds + 1):
            run = Run(client)
            cpu, _ = await taken(
                run.dispatch(team, Handoff(intent="Write a brief on vector stores."))
            )
            figures.append(1000 * cpu / max(run.spent.calls, 1))
    row(title, f"{median(figures[1:]):.2f} ms", "–", f"{run.spent.calls} calls a brief")


def hard_inputs(goal_ms: float = 200) -> None:
    """CPU for the worst of the inputs that are hard to read, 24 KB each, each read once."""
    title = "worst of 24 KB, CPU"
    try:
        from offline_model.reader.reader import answer
    except ImportError as missing:
        return row(title, "–", "–", f"skipped: {missing}")
    base = {"model": "offline", "max_tokens": 4000}
    for _, request in inputs.requests("Hello."):
        answer({**base, **request})
    figures: list[tuple[float, str]] = []
    for piece in inputs.PIECES:
        for where, request in inputs.requests(inputs.text_of(piece)):
            began = time.process_time()
            answer({**base, **request})
            figures.append((1000 * (time.process_time() - began), f"{piece!r} as {where}"))
    worst, which = max(figures)
    goal = f"≤ {goal_ms:g} ms"
    row(title, f"{worst:.0f} ms", "–", which, goal, worst <= goal_ms)


async def spans(rounds: int = 15, repeats: int = 200, goal: float = 5) -> None:
    """CPU for each span of a run, with OpenTelemetry recording it against a tracer that does not.

    Both read the same events. What is recorded goes to the processor that `sending_to` uses, and
    from there nowhere: encoding and network are the exporter's own.
    """
    title = "a span, CPU"
    try:
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
        from opentelemetry.trace import NoOpTracer

        client = connect("offline")
    except ImportError as missing:
        return row(title, "–", "–", f"skipped: {missing}")
    run = Run(client)
    team = LLMSupervisor(specialists())
    async with client:
        await run.dispatch(team, Handoff(intent="Write a brief on vector stores."))
    provider = TracerProvider(shutdown_on_exit=False)
    nowhere = BatchSpanProcessor(SpanExporter(), max_queue_size=MOST_WAITING)
    provider.add_span_processor(nowhere)
    tracers = (provider.get_tracer("benchmarks"), NoOpTracer())
    taken_us: list[list[float]] = []
    for _ in range(rounds + 1):
        both_us = []
        for tracer in tracers:
            cpu = time.process_time()
            for _ in range(repeats):
                count = len(Spans(tracer).read(run, began=1.0).spans)
            both_us.append(1e6 * (time.process_time() - cpu) / repeats / count)
            nowhere.force_flush()
        taken_us.append(both_us)
    recorded, unrecorded = (median(column) for column in zip(*taken_us[1:], strict=True))
    ratio = median(one / other for one, other in taken_us[1:])
    row(
        title,
        f"{recorded:.1f} µs",
        f"{unrecorded:.1f} µs",
        f"{ratio:.2f} × with a no-op tracer",
        f"≤ {goal:g}",
        round(ratio, 2) <= goal,
    )


async def main() -> None:
    began = time.perf_counter()
    if time.get_clock_info("process_time").resolution > 0.001:
        print("This system's clock of CPU time is coarse: believe the wall-clock rows only.")
    row("", "kernel", "floor", "ratio", "goal")
    imports()
    with server.running() as address:
        await turns(address)
        row(*await streaming.deltas(address))
        await growth(address)
        await fan_out(address, 10, rounds=5)
        await fan_out(address, 100, rounds=5)
        await fan_out(address, 500, rounds=5, goal=8)
        for figures in await production.journal(address):
            row(*figures)
    for figures in await production.guards():
        row(*figures)
    await desk()
    hard_inputs()
    await spans()
    for line in await asyncio.to_thread(list, pieces.rows()):
        print(line)
    if find_spec("distributed"):
        await cluster.main()
    print(f"{time.perf_counter() - began:.0f} s in all")


if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    asyncio.run(main())
