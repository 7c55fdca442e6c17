"""One class of hostile and honest learners, graded by one call of the command, with everything noted that it did to this machine."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from tests.places import ROOT

from ..small_class import WITHOUT
from .ending import TIMEOUT_S
from .files import LINKED, NAMES
from .reaching import SECRET, listening
from .submission import Recipe, Submission

WORKERS = 2
LEFT_OUT = {
    "artefacts",
    ".git",
    ".venv",
    "__pycache__",
    ".hypothesis",
    ".ruff_cache",
    ".pytest_cache",
    ".jupyter",
}


@dataclass
class ClassRun:
    """What a run came to. Learners are known by their folders, folders by their recipes."""

    base: Path
    folders: dict[str, str] = field(default_factory=dict)
    """By recipe, the name of the learner's folder."""
    reports: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By learner."""
    status: int = -1
    output: str = ""
    seconds: float = 0.0
    memory: int = 0
    """Most bytes that the grader's own processes had together, kernels left out."""
    heard: list[object] = field(default_factory=list)
    before: dict[str, Any] = field(default_factory=dict)
    after: dict[str, Any] = field(default_factory=dict)
    alive: list[str] = field(default_factory=list)
    """Command lines of processes that were there after the end."""

    @property
    def out(self) -> Path:
        return self.base / "out"

    def report(self, recipe: Recipe) -> dict[str, Any]:
        """The report of a submission; of a file that was not read, the reason as a flag."""
        learner = self.folders[recipe.name]
        unread = [
            file["why"] for file in self.book()["unread"] if file["file"].startswith(f"{learner}/")
        ]
        return self.reports.get(learner) or {"results": [], "flags": unread}

    def book(self) -> dict[str, Any]:
        return json.loads((self.out / "gradebook.json").read_text(encoding="utf-8"))


@contextlib.contextmanager
def graded(recipes: list[Recipe], limit_s: float, *options: str) -> Iterator[ClassRun]:
    """Makes the class, grades it, and removes it when its facts have been looked at."""
    base = Path(tempfile.mkdtemp(prefix="hostile-"))
    run = ClassRun(base)
    try:
        for folder in ("class", "home", "tmp"):
            (base / folder).mkdir()
        names = iter(NAMES)
        with listening() as run.heard:
            for index, recipe in enumerate(
                random.Random(3).sample(recipes, len(recipes))
            ):  # the slow ones not all with one worker
                folder = next(names, None) if recipe.graded else None
                run.folders[recipe.name] = hand_in(
                    recipe, base / "class", folder or f"learner {index}"
                )
            grade(run, limit_s, "class", *options)
        for path in (base / "out" / "results").glob("*.json"):
            report = json.loads(path.read_text(encoding="utf-8"))
            run.reports[report["learner"]] = report
        yield run
    finally:
        shutil.rmtree(base, ignore_errors=True)


def hand_in(recipe: Recipe, folder: Path, name: str) -> str:
    """Puts a submission into the class; returns the name of its folder, as text."""
    submission = Submission(recipe.lesson)
    recipe.make(submission)
    (folder / name).mkdir()
    submission.write(folder / name)
    if recipe.name in LINKED:
        (folder / name / submission.name).unlink()
        (folder / name / submission.name).symlink_to(ROOT / "solutions" / submission.name)
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def grade(run: ClassRun, limit_s: float, submissions: str, *options: str) -> None:
    """Calls the command, watches it, and takes note of the machine before and after."""
    base = run.base
    environ = {
        **os.environ,
        "HOME": str(base / "home"),
        "TMPDIR": str(base / "tmp"),
        "PYTHONPATH": str(ROOT),
        "PYTHONUTF8": "1",
        "ANTHROPIC_API_KEY": SECRET,
        "MARKS_TOKEN": SECRET,
    }
    command = [
        sys.executable,
        "-P",
        "-m",
        "workshop.grading",
        str(base / submissions),
        "--out",
        str(run.out),
        "--workers",
        str(WORKERS),
        "--timeout",
        str(TIMEOUT_S),
        *WITHOUT,
        *options,
    ]
    run.before = snapshot(base)
    began = time.monotonic()
    process = subprocess.Popen(
        command, env=environ, cwd=base / "home", stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    watch = threading.Thread(target=_watch, args=(process.pid, run), daemon=True)
    watch.start()
    try:
        run.output = process.communicate(timeout=limit_s)[0].decode("utf-8", "replace")
    except subprocess.TimeoutExpired:
        for running in [*psutil.Process(process.pid).children(recursive=True), process]:
            with contextlib.suppress(psutil.Error):
                running.kill()
        run.output = (
            process.communicate()[0].decode("utf-8", "replace")
            + f"\nno end after {limit_s:g} seconds"
        )
    run.seconds, run.status = time.monotonic() - began, process.returncode
    deadline = time.monotonic() + 20
    while (
        alive := list(_alive(base))
    ) and time.monotonic() < deadline:  # a killed process is there until its parent has taken note
        time.sleep(0.2)
    run.alive = alive
    run.after = snapshot(base)


def snapshot(base: Path) -> dict[str, Any]:
    """Size and time of every file that grading has no business with: project, home, temporary folder, submissions."""
    found: dict[str, Any] = {}
    for root in (ROOT, base / "home", base / "tmp", base / "class"):
        for folder, folders, files in os.walk(root):
            folders[:] = [inner for inner in folders if inner not in LEFT_OUT]
            for name in [*files, *folders]:
                with contextlib.suppress(FileNotFoundError):
                    facts = os.lstat(path := os.path.join(folder, name))
                    found[path] = (facts.st_size, facts.st_mtime_ns) if name in files else "folder"
    return found


def _watch(pid: int, run: ClassRun) -> None:
    """Notes the most memory of the command and its workers, until they end."""
    with contextlib.suppress(psutil.Error):
        command = psutil.Process(pid)
        while command.is_running() and command.status() != psutil.STATUS_ZOMBIE:
            memory = 0
            for process in [command, *command.children()]:
                with contextlib.suppress(psutil.Error):
                    memory += process.memory_info().rss
            run.memory = max(run.memory, memory)
            time.sleep(0.1)


def _alive(base: Path) -> Iterator[str]:
    """What still runs with this class's course: whatever a submission starts inherits it."""
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            words = " ".join(process.cmdline())
            if process.pid != os.getpid() and (
                str(base) in words or str(base) in " ".join(process.environ().values())
            ):
                yield words or process.name()
