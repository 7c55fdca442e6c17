"""Grading as a pytest plugin over nbval's own classes: one test for each graded check of a submission.

`pytest -p workshop.grading --grade NOTEBOOK` for one's own look; `python3 -m workshop grade` runs the same over a class.
Nothing that a submission's kernel says is a verdict: a check passes when nbval finds the line that it printed equal to
the line that the master's own solution printed, for the same inputs, in a kernel of its own.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook, new_output
from nbval.plugin import IPyNbCell, IPyNbFile

from . import course, orphans, raw, sandbox
from .added_cells import explain_source, printed, reference, trial_source
from .forks import ForkServer
from .kernel import GradedKernel, KernelFailed, Outcome
from .merge import Cell, Merged, master, merge, names
from .plan import TIMEOUT_S, TIMEOUTS, Plan, notebook_s
from .trials import trials

State = Literal["passed", "failed", "error", "timeout", "killed", "missing", "tampered", "not-run"]
SHOWN = 20_000
"""Characters of a compared line that a report keeps; a page shows where two begin to differ."""


@dataclass
class Line:
    """One graded check of one submission, as it stands in a report."""

    exercise: str
    trial: int
    title: str
    hidden: bool
    points: int
    earned: int = 0
    state: State = "not-run"
    reason: str = ""
    came: str = ""
    expected: str = ""
    seconds: float = 0.0


PLAN = pytest.StashKey[Plan]()
FORKS = pytest.StashKey[ForkServer]()


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("grading", "Grading of exercise notebooks")
    group.addoption("--grade", action="store_true", help="grade the notebooks that are named, each in a sandbox")
    group.addoption("--grade-seed", type=int, default=None, help="draw the same inputs as another run")
    group.addoption("--grade-timeout", type=float, default=TIMEOUT_S, help="seconds for one cell (default: 10)")
    group.addoption("--grade-require-sandbox", action="store_true", help="refuse to run without a sandbox")
    group.addoption("--grade-fork", action="store_true", help="fork kernels from one that has everything loaded (Linux)")
    group.addoption("--grade-plan", help="a plan of `python3 -m workshop grade`, with everything in it")


def pytest_configure(config: Any) -> None:
    option = config.option
    if not (option.grade or option.grade_plan):
        return
    if (option.grade_require_sandbox or option.grade_fork) and sandbox.missing():
        raise pytest.UsageError(f"no sandbox on this machine: {sandbox.missing()}")
    if option.grade_plan:
        orphans.end_with_parent()
        config.stash[PLAN] = Plan(**json.loads(Path(option.grade_plan).read_text(encoding="utf-8")))
        return
    folder = tempfile.TemporaryDirectory(prefix="course-")
    config.add_cleanup(folder.cleanup)
    seed = option.grade_seed if option.grade_seed is not None else secrets.randbelow(2**31)
    config.stash[PLAN] = Plan(seed, option.grade_timeout, str(course.prepare(Path(folder.name) / "course")),
                              fork=option.grade_fork)


def pytest_report_header(config: Any) -> list[str]:
    if PLAN not in config.stash:
        return []
    missing = sandbox.missing()
    return [f"grading: seed {config.stash[PLAN].seed}, " + (f"NOT SANDBOXED: {missing}" if missing else "sandboxed by bwrap")]


def pytest_collect_file(file_path: Path, parent: Any) -> Any:
    if PLAN in parent.config.stash and file_path.suffix == ".ipynb":
        return GradedFile.from_parent(parent, path=file_path)
    return None


class GradedFile(IPyNbFile):
    """One submission: its answers in the master, in a kernel of its own, and a test for each graded check."""

    kernel: GradedKernel | None = None

    def collect(self) -> Iterator[GradedCell]:
        self.plan: Plan = self.config.stash[PLAN]
        self.about = self.plan.submissions.get(str(self.path), {"learner": self.path.stem, "file": self.path.name})
        data = self.path.read_bytes()
        self.digest = hashlib.sha256(data).hexdigest()  # the bytes are not kept: all of a shard are collected before the first runs
        self.flags: list[str] = list(self.about.get("flags", []))
        notebook, submitted, unreadable = self.about.get("notebook", ""), {"cells": []}, ""
        try:
            submitted = raw.read(data)
            number = raw.lesson(submitted, self.path.name)
            notebook = notebook or next((name for name in names() if number and name.startswith(number)), "")
        except raw.Unreadable as problem:
            unreadable = str(problem)
        if not notebook:
            raise self.CollectError(f"{self.path.name} is not one of the exercise notebooks: {', '.join(names())}")
        self.master = master(notebook)
        self.merged: Merged = merge(submitted, self.master)
        self.flags += [it for it in ([unreadable] if unreadable else self.merged.flags) if it not in self.flags]
        if unreadable:
            self.merged.missing = dict.fromkeys(self.merged.missing, unreadable)
        if self.master.exercises[0].id not in self.plan.lines:
            self.plan.lines |= reference(self.master, self.plan)
        self.lines = [Line(its.id, at, trial.title, trial.hidden, trial.points)
                      for its in self.master.exercises for at, trial in enumerate(trials(its.id))]
        self.nb = new_notebook(metadata={"kernelspec": self.master.solutions.metadata.get("kernelspec", {})})
        exercises = {its.id: its for its in self.master.exercises}
        for number, line in enumerate(self.lines):
            source = trial_source(exercises[line.exercise], line.trial, self.plan.seed)
            wanted = new_output("stream", name="stdout", text=self.plan.lines[line.exercise][line.trial] + "\n")
            cell = new_code_cell(source, outputs=[wanted], execution_count=number + 1)
            self.nb.cells.append(cell)
            yield GradedCell.from_parent(self, name=f"{line.exercise} {line.title}", cell_num=number, cell=cell,
                                         options={"check": True}, line=line)

    def setup(self) -> None:
        """Nothing yet: a kernel is started when the first check needs it."""
        self.began = time.monotonic()
        self.time_left = notebook_s(len(self.master.exercises), self.plan.timeout_s)
        self.ended: Counter[str] = Counter()
        self.fatal: dict[str, Outcome] = {}
        self.errors: dict[str, str] = {}
        self.setup_sanitize_files()

    def ready(self) -> bool:
        """A kernel in which all answers have run, but those that would end it; False when the time is used up.

        An answer that ends the kernel costs its own points only: the others get a new one without it.
        """
        while self.time_left > 0:
            if self.kernel is not None and self.kernel.is_alive():
                return True
            self.kernel = GradedKernel(Path(self.plan.course), self._forks())
            for cell in self.merged.cells:
                if cell.exercise not in self.fatal and not self._run(cell):
                    break
        return False

    def _forks(self) -> ForkServer | None:
        """The session's fork server, if it was asked for; a new one when the last has ended."""
        if not self.plan.fork:
            return None
        stash = self.config.stash
        if FORKS not in stash or stash[FORKS].process.poll() is not None:
            server = stash[FORKS] = ForkServer(Path(self.plan.course))
            self.config.add_cleanup(server.stop)
        return stash[FORKS]

    def run(self, source: str) -> Outcome:
        """Runs a cell; what it takes is taken from the time that the whole notebook has. Starting kernels is not."""
        assert self.kernel is not None
        outcome = self.kernel.run(source, self.plan.timeout_s)
        self.time_left -= outcome.seconds - outcome.lost
        return outcome

    def _run(self, cell: Cell) -> bool:
        """Runs a given cell or an answer; False when the kernel is gone."""
        outcome = self.run(cell.source)
        if cell.exercise and outcome.ended == "error":
            self.errors[cell.exercise] = outcome.reason
        if cell.exercise and outcome.ended in ("timeout", "killed"):
            self.fatal[cell.exercise] = outcome
        elif not cell.exercise and outcome.ended in ("timeout", "killed"):  # an answer before it has arranged that
            self.fatal |= {id: outcome for id in self.merged.answers if id not in self.fatal}
        return outcome.ended in ("ok", "error")

    def teardown(self) -> None:
        """The explanations, the end of the kernel, the report; no report when the run was stopped in the middle."""
        wanted = bool(self.plan.out) and all(line.state != "not-run" or line.reason for line in self.lines)
        try:
            feedback = self._explanations() if wanted else {}
        finally:
            if self.kernel is not None:
                self.kernel.stop()
        if wanted:
            self._report(feedback)

    def _explanations(self) -> dict[str, Any]:
        """What the exercises' own checks say about answers that did not get all points. Untrusted text, and no verdict."""
        told: dict[str, Any] = {}
        for its in self.master.exercises:
            lost = any(line.exercise == its.id and line.earned < line.points for line in self.lines)
            if not lost or its.id in self.fatal or its.id not in self.merged.answers or not self.ready():
                continue
            assert self.kernel is not None
            course.with_checks(self.kernel.later)
            outcome = self.run(explain_source(its, self.plan.seed, self.kernel.later))
            try:
                said = json.loads(outcome.stdout().rstrip().rsplit("\n", 1)[-1])
                if said["outcome"] == "passed":  # a graded check sees more than the friendly one, or the inputs differ
                    continue
                told[its.id] = {
                    "outcome": str(said["outcome"]), "headline": str(said["headline"])[:200],
                    "misconception": said["misconception"] if said["misconception"] in its.misconceptions else None,
                    "parts": [[str(label)[:40], str(text)[:2_000]] for label, text in said["parts"]][:8]}
            except (ValueError, TypeError, KeyError, RecursionError):
                continue
        return told

    def _report(self, feedback: dict[str, Any]) -> None:
        sandboxed = f"none: {sandbox.missing()}" if sandbox.missing() else "bwrap"
        report = {
            "learner": self.about["learner"], "notebook": self.master.name, "file": self.about["file"], "sha256": self.digest,
            "older": self.about.get("older", []), "flags": self.flags, "submitted": self.about.get("submitted"),
            "graded": datetime.now(UTC).isoformat(timespec="seconds"), "seed": self.plan.seed, "sandbox": sandboxed,
            "kernel": "forked" if self.plan.fork else "plain", "seconds": round(time.monotonic() - self.began, 2),
            "results": [asdict(line) for line in self.lines], "feedback": feedback, "answers": self.merged.answers}
        target = Path(self.plan.out) / f"{self.about.get('key') or self.digest}.json"
        part = target.with_suffix(".part")
        part.write_text(json.dumps(report, ensure_ascii=False, indent=1), encoding="utf-8", errors="replace")  # half a character
        os.replace(part, target)


class GradedCell(IPyNbCell):
    """One graded check. Whatever happens in the kernel, it ends in one of the states."""

    parent: GradedFile

    def __init__(self, line: Line, **facts: Any) -> None:
        super().__init__(**facts)
        self.line = line

    def setup(self) -> None:
        """In place of nbval's, which excuses whatever follows a timeout."""

    def runtest(self) -> None:
        line = self.line
        began = time.monotonic()
        try:
            line.state, line.reason = self._state()
        except KernelFailed as problem:  # this machine's fault: no verdict and no report, so that it is tried again
            self.raise_cell_error(str(problem))
        line.earned = line.points if line.state == "passed" else 0
        line.seconds = round(time.monotonic() - began, 3)
        self.user_properties += [("exercise", line.exercise), ("points", line.points), ("earned", line.earned),
                                 ("state", line.state)]
        if line.state != "passed":
            self.raise_cell_error(f"{line.state}: {line.reason}")

    def _state(self) -> tuple[State, str]:
        file, line = self.parent, self.line
        if line.exercise in file.merged.missing:
            return "missing", file.merged.missing[line.exercise]
        if file.ended[line.exercise] >= TIMEOUTS:
            return "not-run", f"{TIMEOUTS} checks of this exercise had to be stopped"
        if not file.ready():
            return "not-run", "the time for the whole notebook was used up"
        if line.exercise in file.fatal:
            outcome = file.fatal[line.exercise]
            return _bad(outcome), f"running the answer's cell: {outcome.reason}"
        outcome = file.run(self.cell.source)
        if outcome.ended != "ok":
            file.ended[line.exercise] += outcome.ended != "error"
            before = f" (its cell ended with {file.errors[line.exercise]})" if line.exercise in file.errors else ""
            return _bad(outcome), outcome.reason + before
        came, wanted = printed(outcome, f"{line.exercise}/{line.trial}"), file.plan.lines[line.exercise][line.trial]
        if not line.hidden:
            line.came, line.expected = came[:SHOWN], wanted[:SHOWN]
        if not came:
            return "tampered", "the check was made to print something else than what it saw"
        output = NotebookNode(output_type="stream", name="stdout", text=came + "\n")
        if self.compare_outputs([output], self.cell.outputs):
            return "passed", ""
        return "failed", "not what the solution does with the same inputs"

    def repr_failure(self, excinfo: Any) -> str:
        """Two lines; the code of a check is nobody's business."""
        return f"{self.line.exercise} {self.line.title}\n{excinfo.value}"

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"{self.parent.about['learner']}: {self.name}"


def _bad(outcome: Outcome) -> State:
    return "killed" if outcome.ended == "killed" else "timeout" if outcome.ended == "timeout" else "error"
