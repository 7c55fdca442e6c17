"""The cost of grading beside `pytest --nbval` of the same notebook, a process each.

`python -m benchmarks.grading` grades 30 submissions with two workers; `--cluster` grades 1,000
small ones (one answer each) on a Dask cluster of this machine. Printed are processor seconds and
peak memory for one submission, and ratios to nbval in the same run. Both are read from each process
while it lives, since a kernel that is killed in its sandbox reports none afterwards; so at most a
twentieth of a second of each is missing, on every side alike.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOK = "03_deterministic_supervisor"
COUNT, SMALL, PLAIN, WORKERS = 30, 1_000, 10, 2
"""Submissions here and on the cluster, those that nbval runs, and how many at a time."""
GOAL = 1 / 3


def submissions(folder: Path, count: int, *, answered: int | None) -> list[Path]:
    """A class: our answers, so many of them, each with a comment of its own, so that no two files
    are equal.
    """
    solved = json.loads((ROOT / "solutions" / f"{NOTEBOOK}.ipynb").read_text(encoding="utf-8"))
    answers = [cell for cell in solved["cells"] if role(cell) == "answer"]
    left_out = answers[answered:] if answered else []
    checked = {cell["metadata"]["workshop"]["id"] for cell in left_out}
    solved["cells"] = [
        cell
        for cell in solved["cells"]
        if cell["metadata"].get("workshop", {}).get("id") not in checked
    ]
    paths = []
    for number in range(count):
        for cell in solved["cells"]:
            if role(cell) == "answer":
                cell["source"] = [*cell["source"], f"\n# learner {number}"]
        path = folder / f"learner{number:04}" / f"{NOTEBOOK}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(solved), encoding="utf-8")
        paths.append(path)
    return paths


def role(cell: dict[str, Any]) -> str:
    """The role of a cell: `answer`, `check` and others."""
    return str(cell["metadata"].get("workshop", {}).get("role", ""))


class Meter:
    """Processor seconds of all processes below this one, and the most memory that they had
    together, while it is open: looked at twenty times a second.
    """

    def __enter__(self) -> Meter:
        self.clocks: dict[tuple[int, float], float] = {}
        self.peak = 0
        self.ended = threading.Event()
        self.began = time.monotonic()
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.wall = time.monotonic() - self.began
        self.ended.set()
        self.thread.join()
        self.cpu = sum(self.clocks.values())

    def _read(self) -> None:
        me = psutil.Process()
        while not self.ended.wait(0.05):
            memory = 0
            for process in me.children(recursive=True):
                with contextlib.suppress(psutil.Error):
                    times = process.cpu_times()
                    self.clocks[process.pid, process.create_time()] = times.user + times.system
                    memory += process.memory_info().rss
            self.peak = max(self.peak, memory)


def plain(paths: list[Path]) -> None:
    """nbval as it is, a process each; a check that is not passed is not held against it."""
    options = ["--nbval-lax", "-q", "-p", "no:cacheprovider"]
    with ThreadPoolExecutor(WORKERS) as several:
        list(several.map(lambda path: done(["pytest", *options, str(path)]), paths[:PLAIN]))


def graded(folder: Path, out: Path, *more: str) -> None:
    """The command, with its own words."""
    done(["workshop.grading", str(folder), "--out", str(out), "--workers", str(WORKERS), *more])


def on_cluster(folder: Path, out: Path) -> None:
    """The same on a Dask cluster: a scheduler and workers, each a process of this machine."""
    from distributed import LocalCluster

    with LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=None) as local:
        graded(folder, out, "--scheduler", local.scheduler_address)


def done(words: list[str]) -> None:
    """Runs a module to its end."""
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    environ.pop("PYTHONDONTWRITEBYTECODE", None)
    process = subprocess.run(
        [sys.executable, "-m", *words], cwd=ROOT, env=environ, capture_output=True, text=True
    )
    if process.returncode:
        text = f"{process.stdout}\n{process.stderr}"[-3000:]
        raise SystemExit(f"a measured command failed with status {process.returncode}:\n{text}")


def main() -> None:
    small = "--cluster" in sys.argv
    count = SMALL if small else COUNT
    with tempfile.TemporaryDirectory() as name:
        given, out = Path(name) / "class", Path(name) / "out"
        paths = submissions(given, count, answered=1 if small else None)
        print(f"{count:,} submissions of {NOTEBOOK}, {WORKERS} at a time\n")
        print(f"{'':<28}{'CPU s each':>12}{'× nbval':>10}{'MiB each':>10}{'per minute':>12}")
        way = on_cluster if small else graded
        sides: dict[str, tuple[int, Callable[[], None]]] = {
            "pytest --nbval, a process": (min(PLAIN, count), lambda: plain(paths)),
            "graded on a cluster" if small else "graded": (count, lambda: way(given, out)),
        }
        base = 0.0
        for side, (number, work) in sides.items():
            with Meter() as meter:
                work()
            cost, memory = meter.cpu / number, meter.peak / WORKERS / 2**20
            base = base or cost
            pace = number / meter.wall * 60
            print(
                f"{side:<28}{cost:>12.2f}{cost / base:>10.2f}{memory:>10.0f}{pace:>12.0f}",
                flush=True,
            )
        verdict = "met" if cost < GOAL * base else "NOT MET"
        print(f"\ngoal: graded at most {GOAL:.2f} × nbval; {verdict}")


if __name__ == "__main__":
    main()
