"""Lesson 26: a specialist whose process dies once, and a cluster or a sentence."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from kernel import DeterministicSupervisor, Executable, Handoff, Result, Run, specialists
from kernel.cluster import Cluster, Here, NoCluster, WorkerLost, open_cluster
from kernel.contract import Wrapper
from workshop.material.service import Service

__all__ = ["DiesOnce", "Endless", "Service", "cluster_or_here", "fragile_desk"]

KILL = getattr(signal, "SIGKILL", signal.SIGTERM)
"""Windows has no SIGKILL; there SIGTERM ends a process as abruptly."""


@asynccontextmanager
async def cluster_or_here(workers: int = 2) -> AsyncIterator[Cluster | Here]:
    """A cluster on this machine; where it cannot be, a sentence, and this process in its place."""
    try:
        opening = open_cluster(workers=workers)
        cluster = await opening.__aenter__()
    except (ModuleNotFoundError, NoCluster) as problem:
        print(f"{problem}\nUntil then the branches are done in this process.")
        yield Here()
        return
    try:
        yield cluster
    finally:
        await opening.__aexit__(None, None, None)


@dataclass(frozen=True)
class DiesOnce(Wrapper):
    """A specialist whose process is killed, without a warning, when it is first given work.

    mark: a file that says that it happened; home: the process that must not die.
    """

    wraps: Executable
    mark: Path
    home: int

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        if not self.mark.exists():
            self.mark.touch()
            if os.getpid() == self.home:
                raise WorkerLost("this process would have died here")
            os.kill(os.getpid(), KILL)
        return await run.dispatch(self.wraps, handoff)


def fragile_desk(mark: Path) -> Executable:
    """The editorial desk; the process of its writer is killed once, after two calls were paid."""
    search, write, review = specialists()
    return DeterministicSupervisor(search, DiesOnce(write, mark, os.getpid()), review)


@dataclass(frozen=True)
class Endless:
    """Works until it is stopped; keeps in a file what became of it."""

    file: Path
    name: str = "endless"
    description: str = "Goes on until somebody stops it."

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        self.file.write_text("at work", encoding="utf-8")
        try:
            while True:
                run.note("at work")
                await asyncio.sleep(0.02)
        finally:
            self.file.write_text("stopped", encoding="utf-8")
