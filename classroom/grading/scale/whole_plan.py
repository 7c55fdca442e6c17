"""Runs a whole plan: its submissions in pieces, on this machine or on a cluster, with a bar that
counts the reports.
"""

from __future__ import annotations

import argparse
import json
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

from tqdm.auto import tqdm

from ..plan import GradingPlan
from . import cluster, workers

SHARD = 25
"""Submissions to one process; a new process costs about as much as grading one of them."""


def shards(plan: GradingPlan, workers: int) -> list[list[str]]:
    """The submissions in pieces: enough for all workers, none too large."""
    paths = list(plan.submissions)
    rounds = -(
        -len(paths) // (SHARD * workers)
    )  # whole ones, so that no worker waits for the others in the last
    size = max(1, -(-len(paths) // (workers * max(1, rounds))))
    return [paths[start : start + size] for start in range(0, len(paths), size)]


def run(plan: GradingPlan, work: Path, chosen: argparse.Namespace) -> int:
    """Grades what is in the plan, on this machine or on a cluster; returns 0, or 130 when it was
    interrupted.

    A submission that ends its process takes no other along: what has no report after its shard is
    tried once more, with nothing else beside it.
    """
    pieces = shards(plan, chosen.workers)
    with ReportsBar(plan) as progress:
        try:
            if chosen.scheduler:
                cluster.run(plan, pieces, chosen.scheduler, chosen.workers)
            else:
                file = _written(plan, work / "plan.json")
                workers.on_this_machine(file, plan, pieces, chosen.workers)
            again = [[path] for path in plan.submissions if not progress.has(path)]
            alone = replace(plan, alone=True)
            workers.on_this_machine(_written(alone, work / "alone.json"), alone, again, 1)
        except KeyboardInterrupt:
            return 130
    return 0


def _written(plan: GradingPlan, file: Path) -> Path:
    """The plan as a file that shards read."""
    file = file.resolve()
    file.write_text(json.dumps(plan.facts(), ensure_ascii=False), encoding="utf-8")
    return file


class ReportsBar:
    """A bar that counts the reports as they appear."""

    def __init__(self, plan: GradingPlan) -> None:
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

    def __enter__(self) -> ReportsBar:
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
