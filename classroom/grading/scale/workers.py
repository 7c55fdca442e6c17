"""Runs a plan on this machine: shards of submissions, each by the one command that grades, several
at a time.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from tqdm.auto import tqdm

from classroom.course import VARIABLE, active

from ..open_copy import TOOLKIT
from ..plan import Plan, notebook_s
from ..sandbox import orphans
from ..sandbox.sandboxed_kernel import MOST_LOST, MOST_LOST_ALONE

SHARD = 25
"""Submissions to one process; a new process costs about as much as grading one of them."""
START_S, MOST_EXERCISES = 60.0, 5
"""Of a process and of the kernels of one notebook; of exercises in one notebook. For a limit that
nothing honest comes near.
"""

OWN_GROUP: dict[str, Any] = (
    {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    if sys.platform == "win32"
    else {"start_new_session": True}
)
"""So that Ctrl-C reaches the command alone, which ends its shards; a shard that stops by itself
could report half a verdict.
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
    """What the command needs: this project, and none of the plugins that happen to be installed."""
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


def shards(plan: Plan, workers: int) -> list[list[str]]:
    """The submissions in pieces: enough for all workers, none too large."""
    paths = list(plan.submissions)
    rounds = -(
        -len(paths) // (SHARD * workers)
    )  # whole ones, so that no worker waits for the others in the last
    size = max(1, -(-len(paths) // (workers * max(1, rounds))))
    return [paths[start : start + size] for start in range(0, len(paths), size)]


def run(plan: Plan, work: Path, chosen: argparse.Namespace) -> int:
    """Grades what is in the plan, on this machine or on a cluster; returns 0, or 130 when it was
    interrupted.

    A submission that ends its process takes no other along: what has no report after its shard is
    tried once more, with nothing else beside it.
    """
    pieces = shards(plan, chosen.workers)
    with Progress(plan) as progress:
        try:
            if chosen.scheduler:
                from . import cluster

                cluster.run(plan, pieces, chosen.scheduler, chosen.workers)
            else:
                file = _written(plan, work / "plan.json")
                on_this_machine(file, plan, pieces, chosen.workers)
            again = [[path] for path in plan.submissions if not progress.has(path)]
            alone = replace(plan, alone=True)
            on_this_machine(_written(alone, work / "alone.json"), alone, again, 1)
        except KeyboardInterrupt:
            return 130
    return 0


def _written(plan: Plan, file: Path) -> Path:
    """The plan as a file that shards read."""
    file = file.resolve()
    file.write_text(json.dumps(plan.facts(), ensure_ascii=False), encoding="utf-8")
    return file


class Progress:
    """A bar that counts the reports as they appear."""

    def __init__(self, plan: Plan) -> None:
        self.reports = {
            path: Path(plan.out) / f"{submission.key}.json"
            for path, submission in plan.submissions.items()
        }
        for report in self.reports.values():
            report.unlink(missing_ok=True)
        self.bar = tqdm(total=len(self.reports), unit="notebook", disable=None)
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._follow, daemon=True)

    def has(self, path: str) -> bool:
        return self.reports[path].exists()

    def __enter__(self) -> Progress:
        self.thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.ended.set()
        self.thread.join()
        self.bar.update(sum(map(self.has, self.reports)) - self.bar.n)
        self.bar.close()

    def _follow(self) -> None:
        while not self.ended.wait(0.5):
            self.bar.update(sum(map(self.has, self.reports)) - self.bar.n)


def on_this_machine(
    plan_file: Path,
    plan: Plan,
    pieces: list[list[str]],
    workers: int,
    unwanted: Callable[[], bool] = lambda: False,
) -> None:
    """Runs the shards, `workers` at a time; when it is interrupted or they are `unwanted`, none of
    them goes on.
    """
    waiting, running = deque(enumerate(pieces)), []
    most_lost = MOST_LOST_ALONE if plan.alone else MOST_LOST
    try:
        while (waiting or running) and not unwanted():
            while waiting and len(running) < workers:
                _, piece = waiting.popleft()
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
                        **OWN_GROUP,
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
