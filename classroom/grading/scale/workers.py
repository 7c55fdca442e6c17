"""Runs shards of submissions on this machine, each by the one command that grades, several at a
time.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

from classroom.course import VARIABLE, active

from ..open_copy import TOOLKIT
from ..plan import GradingPlan, notebook_s
from ..sandbox import orphans
from ..sandbox.sandboxed_kernel import MOST_LOST, MOST_LOST_ALONE, own_group

START_S, MOST_EXERCISES = 60.0, 5
"""Of a process and of the kernels of one notebook; of exercises in one notebook. For a limit that
nothing honest comes near.
"""


def command(plan: Path, submissions: list[str]) -> list[str]:
    """The command that grades a shard: pytest with this plugin, nbval's, and no file or setting of
    anybody else's.
    """
    return [
        sys.executable,
        "-P",
        "-m",
        "pytest",
        "-p",
        "classroom.grading",
        "-p",
        "nbval.plugin",
        "-p",
        "no:cacheprovider",
        "--noconftest",
        "--continue-on-collection-errors",
        "-c",
        os.devnull,
        "--rootdir",
        str(plan.parent),
        "--grade-plan",
        str(plan),
        "-q",
        "--tb=line",
        *submissions,
    ]


def environment() -> dict[str, str]:
    """Returns the environment of the command: this project, and no plugins of the machine."""
    course = active()
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTEST_", "ANTHROPIC_", course.variable("")))
    }
    return {
        **kept,
        VARIABLE: course.module,
        "PYTHONPATH": os.pathsep.join(map(str, (course.root, TOOLKIT.parent))),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        orphans.PARENT: str(os.getpid()),
    }


def on_this_machine(
    plan_file: Path,
    plan: GradingPlan,
    pieces: list[list[str]],
    workers: int,
    unwanted: Callable[[], bool] = lambda: False,
) -> None:
    """Runs the shards, `workers` at a time; when it is interrupted or they are `unwanted`, none of
    them goes on. Ctrl-C reaches the command alone, which ends them: a shard that stops by itself
    could report half a verdict.
    """
    waiting = deque(pieces)
    running: list[tuple[subprocess.Popen[bytes], float]] = []
    most_lost = MOST_LOST_ALONE if plan.alone else MOST_LOST
    try:
        while (waiting or running) and not unwanted():
            while waiting and len(running) < workers:
                piece = waiting.popleft()
                log = plan_file.with_name(f"{plan_file.stem}-{len(pieces)}-{len(waiting)}.log")
                limit = START_S + len(piece) * (
                    START_S + (1 + most_lost) * notebook_s(MOST_EXERCISES, plan.timeout_s)
                )
                with log.open("wb") as out:
                    process = subprocess.Popen(
                        command(plan_file, piece),
                        env=environment(),
                        cwd=plan_file.parent,
                        stdin=subprocess.DEVNULL,
                        stdout=out,
                        stderr=subprocess.STDOUT,
                        **own_group(),
                    )
                running.append((process, time.monotonic() + limit))
            time.sleep(0.05)
            for process, deadline in running[:]:
                if process.poll() is None and time.monotonic() > deadline:
                    orphans.end([process])
                if process.poll() is not None:
                    running.remove((process, deadline))
    finally:
        orphans.end([process for process, _ in running])
