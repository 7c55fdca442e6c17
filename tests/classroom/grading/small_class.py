"""A small class: one lesson, marks from nothing to everything."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from classroom.authoring.answers import right
from classroom.grading import sandbox
from tests.places import EXERCISES, ROOT, SOLUTIONS

NAME = "03_deterministic_supervisor"
STUB = (EXERCISES / f"{NAME}.ipynb").read_text(encoding="utf-8")
SEED, TIMEOUT_S = 7, 3
WITHOUT = ["--without-sandbox"] if sandbox.missing() else []


def solved(**answers: str) -> str:
    """The solved notebook with other answers, by number: `_1="def …"`."""
    notebook = json.loads((SOLUTIONS / f"{NAME}.ipynb").read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        facts = cell["metadata"].get("workshop", {})
        if facts.get("role") == "answer" and f"_{facts['id'][-1]}" in answers:
            cell["source"] = answers[f"_{facts['id'][-1]}"]
    return json.dumps(notebook)


WRONG = (
    "async def revise(run, desk, task, facts, draft):\n    return Result(status='ok', output=draft)"
)
LEARNERS = {
    "ada": solved(),
    "alternatives": solved(_1=right("03.1")[0], _2=right("03.2")[0], _3=right("03.3")[0]),
    "cy": solved(_1=WRONG, _2=right("03.2")[0]),
    "di": STUB,
    "ed": "{",
    "endless": solved(_1="async def revise(run, desk, task, facts, draft):\n    while True: pass"),
    "gone": solved(_3="import os; os._exit(0)"),
}


def hand_in(folder: Path, learners: dict[str, str] = LEARNERS) -> Path:
    """A folder for each learner."""
    for learner, text in learners.items():
        (folder / learner).mkdir(parents=True)
        (folder / learner / f"{NAME}.ipynb").write_text(text, encoding="utf-8")
    return folder


def heeds_signals() -> None:
    """A shell that puts its work into the background has it ignore Ctrl-C, `nohup` the end of the terminal, and so would all
    that it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def started(submissions: Path, out: Path, *options: Any, **facts: Any) -> subprocess.Popen[str]:
    """The command, on its way, in a process group of its own as in a terminal."""
    argv = [submissions, "--out", out, "--seed", SEED, "--timeout", TIMEOUT_S, *options]
    argv += WITHOUT
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "workshop.grading", *map(str, argv)],
        cwd=ROOT,
        start_new_session=True,
        preexec_fn=heeds_signals,
        text=True,
        encoding="utf-8",
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        **facts,
    )


def marks(out: Path) -> dict[tuple[str, str, int], Any]:
    """By learner, exercise and check: points, state and what was compared. Nothing that tells time."""
    found = {}
    for path in (out / "results").glob("*.json"):
        report = json.loads(path.read_text(encoding="utf-8"))
        for line in report["results"]:
            found[report["learner"], line["exercise"], line["trial"]] = [
                line[field] for field in ("earned", "state", "reason", "came", "expected")
            ]
    return found


def graders_of(number: int) -> set[int]:
    """The processes of the pool below a command."""
    found = set()
    with contextlib.suppress(psutil.Error):
        for process in psutil.Process(number).children():
            with contextlib.suppress(psutil.Error):
                if "spawn_main" in " ".join(process.cmdline()):
                    found.add(process.pid)
    return found


def kernels_of(number: int) -> dict[int, Path]:
    """By the number of its process, the folder of each kernel below another."""
    found = {}
    family: list[psutil.Process] = []
    with contextlib.suppress(psutil.Error):  # it is being started
        family = psutil.Process(number).children(recursive=True)
    for process in family:
        with contextlib.suppress(psutil.Error):
            if any("kernel_start.py" in word for word in process.cmdline()):
                found[process.pid] = Path(process.cmdline()[-1]).parent.parent
    return found


def alive(numbers: set[int]) -> set[int]:
    return {
        number
        for number in numbers
        if psutil.pid_exists(number) and psutil.Process(number).status() != psutil.STATUS_ZOMBIE
    }


def until(happened: Callable[[], Any], event: str, seconds: float = 60) -> Any:
    """Waits; returns what `happened` returned once it is true."""
    deadline = time.monotonic() + seconds
    while not (seen := happened()):
        assert time.monotonic() < deadline, f"not within {seconds:g} s: {event}"
        time.sleep(0.02)
    return seen


def interrupt(process: subprocess.Popen[str]) -> tuple[str, str]:
    """Ctrl-C, as a terminal sends it: to the whole group. Returns what the command said."""
    os.killpg(process.pid, signal.SIGINT)
    return process.communicate(timeout=60)
