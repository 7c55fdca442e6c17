"""Lesson 26: a cluster or a sentence, and processes that are killed."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from kernel.parts.cluster import Cluster, LocalWorkers, NoCluster, WorkerLost, open_cluster

KILL = getattr(signal, "SIGKILL", signal.SIGTERM)
"""Windows has no SIGKILL; there SIGTERM ends a process as abruptly."""


@asynccontextmanager
async def cluster_or_here(workers: int = 2) -> AsyncIterator[Cluster | LocalWorkers]:
    """A cluster on this machine; where it cannot be, a sentence, and this process in its place."""
    try:
        opening = open_cluster(workers=workers)
        cluster = await opening.__aenter__()
    except (ModuleNotFoundError, NoCluster) as problem:
        print(f"{problem}\nUntil then the branches are done in this process.")
        yield LocalWorkers()
        return
    try:
        yield cluster
    finally:
        await opening.__aexit__(None, None, None)


def kill(pid: int) -> None:
    """Ends another process of this machine without a warning; this one is left alone, with a
    sentence."""
    if pid == os.getpid():
        print(
            "There is no worker here: nothing was killed. The branch says that its worker was lost."
        )
        return
    os.kill(pid, KILL)


async def until_killed(home: int) -> None:
    """Waits for the end of its process. Where that is the process `home`, which must not die,
    raises WorkerLost instead.
    """
    if os.getpid() == home:
        await asyncio.sleep(0.1)  # until who looks for its note has found it
        raise WorkerLost("there is no other process that could die")
    await asyncio.sleep(600)
