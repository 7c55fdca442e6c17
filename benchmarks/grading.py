"""The cost of grading: 20 submissions of one exercise notebook, graded, beside plain nbval on the
same 20 and the floor.

`python -m benchmarks.grading` prints CPU seconds per submission and submissions per minute with two
workers, and ratios to plain nbval in the same run. CPU is read from each process while it lives,
since a kernel that is killed in its sandbox reports none afterwards; so at most a twentieth of a
second of each is missing, on every side alike.
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
from pathlib import Path
from typing import Any

import psutil
from jupyter_client.manager import start_new_kernel

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOK = "03_deterministic_supervisor"
COUNT, WORKERS = 20, 2


def submissions(folder: Path) -> list[Path]:
    """A class: the solved notebook, each with a comment of its own, so that no two files
    are equal.
    """
    solved = json.loads((ROOT / "solutions" / f"{NOTEBOOK}.ipynb").read_text(encoding="utf-8"))
    paths = []
    for number in range(COUNT):
        for cell in solved["cells"]:
            if cell["metadata"].get("workshop", {}).get("role") == "answer":
                cell["source"] = [*cell["source"], f"\n# learner {number}"]
        path = folder / f"learner{number:02}" / f"{NOTEBOOK}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(solved), encoding="utf-8")
        paths.append(path)
    return paths


class Meter:
    """CPU seconds of all processes below this one, while it is open: their clocks are read twenty
    times a second.
    """

    def __enter__(self) -> Meter:
        self.clocks: dict[tuple[int, float], float] = {}
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
            for process in me.children(recursive=True):
                with contextlib.suppress(psutil.Error):
                    times = process.cpu_times()
                    self.clocks[process.pid, process.create_time()] = times.user + times.system


def floor(paths: list[Path]) -> None:
    """A kernel's start and the notebook's first code cell, for each submission, two at a time."""
    code = next(
        cell
        for cell in json.loads(paths[0].read_text(encoding="utf-8"))["cells"]
        if cell["cell_type"] == "code"
    )
    program = (
        "import sys\nfrom benchmarks.grading import start\n"
        "for _ in range(int(sys.argv[1])): start(sys.argv[2])"
    )
    _together(
        [
            [sys.executable, "-c", program, str(COUNT // WORKERS), "".join(code["source"])]
            for _ in range(WORKERS)
        ]
    )


def start(code: str) -> None:
    manager, client = start_new_kernel(kernel_name="python3")
    client.execute_interactive(code)
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def plain(paths: list[Path]) -> None:
    """nbval as it is, the submissions split over two processes; each checks itself, and nothing is
    held against it.
    """
    _together(
        [
            [
                sys.executable,
                "-m",
                "pytest",
                "--nbval-lax",
                "-q",
                "-p",
                "no:cacheprovider",
                *map(str, paths[offset::WORKERS]),
            ]
            for offset in range(WORKERS)
        ]
    )


def graded(folder: Path, out: Path, *more: str) -> None:
    _together(
        [
            [
                sys.executable,
                "-m",
                "workshop.grading",
                str(folder),
                "--out",
                str(out),
                "--workers",
                str(WORKERS),
                *more,
            ]
        ]
    )


def _together(commands: list[list[str]]) -> None:
    environ = {
        **{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
        "PYTHONPATH": str(ROOT),
    }
    started = [
        subprocess.Popen(
            command,
            cwd=ROOT,
            env=environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for command in commands
    ]
    for process in started:
        output, _ = process.communicate()
        if process.returncode:
            raise SystemExit(
                f"a measured command failed with status {process.returncode}:\n{output[-3000:]}"
            )


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = submissions(folder / "class")
        print(f"{COUNT} submissions of {NOTEBOOK}, {WORKERS} workers\n")
        sides: dict[str, Callable[[], None]] = {
            "floor: kernel and imports": lambda: floor(paths),
            "plain nbval": lambda: plain(paths),
            "graded": lambda: graded(folder / "class", folder / "out"),
        }
        cost: dict[str, float] = {}
        print(f"{'':<28}{'CPU s each':>12}{'× plain':>10}{'per minute':>12}")
        for side, work in sides.items():
            with Meter() as meter:
                work()
            cost[side] = meter.cpu / COUNT
            ratio = f"{cost[side] / cost['plain nbval']:.2f}" if "plain nbval" in cost else ""
            print(
                f"{side:<28}{cost[side]:>12.2f}{ratio:>10}{COUNT / meter.wall * 60:>12.0f}",
                flush=True,
            )
        print("\ngoal: graded at most 1.3 × plain nbval")


if __name__ == "__main__":
    main()
