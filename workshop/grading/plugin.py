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
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook, new_output
from nbval.plugin import IPyNbCell, IPyNbFile

from workshop.checks import exercise
from workshop.course.observing import sight_of

from . import course, observed, sandbox
from .intake import notebook_json
from .intake.answers import Merged, master, merge, names
from .plan import TIMEOUT_S, Plan
from .sandbox import orphans
from .sandbox.forks import ForkServer
from .sandbox.sandboxed_kernel import KernelFailed, Outcome
from .staged import StagedNotebook

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
    group.addoption(
        "--grade", action="store_true", help="grade the notebooks that are named, each in a sandbox"
    )
    group.addoption(
        "--grade-seed", type=int, default=None, help="draw the same inputs as another run"
    )
    group.addoption(
        "--grade-timeout", type=float, default=TIMEOUT_S, help="seconds for one cell (default: 10)"
    )
    group.addoption(
        "--grade-require-sandbox", action="store_true", help="refuse to run without a sandbox"
    )
    group.addoption(
        "--grade-fork",
        action="store_true",
        help="fork kernels from one that has everything loaded (Linux)",
    )
    group.addoption(
        "--grade-plan", help="a plan of `python3 -m workshop grade`, with everything in it"
    )


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
    config.stash[PLAN] = Plan(
        seed,
        option.grade_timeout,
        str(course.prepare(Path(folder.name) / "course")),
        fork=option.grade_fork,
    )


def pytest_report_header(config: Any) -> list[str]:
    if PLAN not in config.stash:
        return []
    missing = sandbox.missing()
    return [
        f"grading: seed {config.stash[PLAN].seed}, "
        + (f"NOT SANDBOXED: {missing}" if missing else "sandboxed by bwrap")
    ]


def pytest_collect_file(file_path: Path, parent: Any) -> Any:
    if PLAN in parent.config.stash and file_path.suffix == ".ipynb":
        return GradedFile.from_parent(parent, path=file_path)
    return None


class GradedFile(IPyNbFile):
    """One submission: its answers in the master, in a kernel of its own, and a test for each graded check."""

    def collect(self) -> Iterator[GradedCell]:
        self.plan: Plan = self.config.stash[PLAN]
        self.about = self.plan.submissions.get(
            str(self.path), {"learner": self.path.stem, "file": self.path.name}
        )
        data = self.path.read_bytes()
        self.digest = hashlib.sha256(
            data
        ).hexdigest()  # the bytes are not kept: all of a shard are collected before the first runs
        self.flags: list[str] = list(self.about.get("flags", []))
        notebook, submitted, unreadable = self.about.get("notebook", ""), {"cells": []}, ""
        try:
            submitted = notebook_json.read(data)
            number = notebook_json.lesson(submitted, self.path.name)
            notebook = notebook or next(
                (name for name in names() if number and name.startswith(number)), ""
            )
        except notebook_json.Unreadable as problem:
            unreadable = str(problem)
        if not notebook:
            raise self.CollectError(
                f"{self.path.name} is not one of the exercise notebooks: {', '.join(names())}"
            )
        self.master = master(notebook)
        self.merged: Merged = merge(submitted, self.master)
        self.flags += [
            it for it in ([unreadable] if unreadable else self.merged.flags) if it not in self.flags
        ]
        if unreadable:
            self.merged.missing = dict.fromkeys(self.merged.missing, unreadable)
        if self.master.exercises[0].id not in self.plan.lines:
            self.plan.lines |= observed.reference(self.master, self.plan)
        self.lines = [
            Line(its.id, at, trial.title, trial.hidden, trial.points)
            for its in self.master.exercises
            for at, trial in enumerate(its.trials)
        ]
        self.nb = new_notebook(
            metadata={"kernelspec": self.master.solutions.metadata.get("kernelspec", {})}
        )
        for number, line in enumerate(self.lines):
            cell = new_code_cell(execution_count=number + 1)
            self.nb.cells.append(cell)
            yield GradedCell.from_parent(
                self,
                name=f"{line.exercise} {line.title}",
                cell_num=number,
                cell=cell,
                options={"check": True},
                line=line,
            )

    def setup(self) -> None:
        """Nothing yet: a kernel is started when the first check needs it."""
        self.began = time.monotonic()
        number = len(self.master.exercises)
        self.staged = StagedNotebook(self.merged, self.plan, number, self._forks)
        self.observations = observed.Observations(self.staged, self.plan)
        self.setup_sanitize_files()

    def _forks(self) -> ForkServer | None:
        """The session's fork server, if it was asked for; a new one when the last has ended."""
        if not self.plan.fork:
            return None
        stash = self.config.stash
        if FORKS not in stash or stash[FORKS].process.poll() is not None:
            server = stash[FORKS] = ForkServer(Path(self.plan.course))
            self.config.add_cleanup(server.stop)
        return stash[FORKS]

    def teardown(self) -> None:
        """The explanations, the end of the kernel, the report.

        There is no report when the run was stopped in the middle, nor when others had the processors while a cell ran
        out of time: such a submission is graded once more, alone.
        """
        whole = all(line.state != "not-run" or line.reason for line in self.lines)
        wanted = bool(self.plan.out) and whole and (self.plan.alone or not self.staged.disturbed)
        try:
            feedback = self._explanations() if wanted else {}
        finally:
            self.staged.stop()
        if wanted:
            self._report(feedback)

    def _explanations(self) -> dict[str, Any]:
        """What the exercises' own checks say about answers that did not get all points. Untrusted text, and no verdict."""
        found: dict[str, Any] = {}
        for its in self.master.exercises:
            lost = any(line.exercise == its.id and line.earned < line.points for line in self.lines)
            if not lost or its.id in self.staged.fatal or its.id not in self.merged.answers:
                continue
            if not self.staged.again(its.id):
                continue
            assert self.staged.kernel is not None
            found |= self.observations.explained(its)
        return found

    def _report(self, feedback: dict[str, Any]) -> None:
        report = {
            "learner": self.about["learner"],
            "notebook": self.master.name,
            "file": self.about["file"],
            "sha256": self.digest,
            "older": self.about.get("older", []),
            "flags": self.flags,
            "submitted": self.about.get("submitted"),
            "graded": datetime.now(UTC).isoformat(timespec="seconds"),
            "seed": self.plan.seed,
            "sandbox": sandbox.name(),
            "kernel": "forked" if self.plan.fork else "plain",
            "seconds": round(time.monotonic() - self.began, 2),
            "results": [asdict(line) for line in self.lines],
            "feedback": feedback,
            "answers": self.merged.answers,
        }
        target = Path(self.plan.out) / f"{self.about.get('key') or self.digest}.json"
        part = target.with_suffix(".part")
        part.write_text(
            json.dumps(report, ensure_ascii=False, indent=1), encoding="utf-8", errors="replace"
        )  # half a character
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
        except (
            KernelFailed
        ) as problem:  # this machine's fault: no verdict and no report, so that it is tried again
            self.raise_cell_error(str(problem))
        line.earned = line.points if line.state == "passed" else 0
        line.seconds = round(time.monotonic() - began, 3)
        self.user_properties += [
            ("exercise", line.exercise),
            ("points", line.points),
            ("earned", line.earned),
            ("state", line.state),
        ]
        if line.state != "passed":
            self.raise_cell_error(f"{line.state}: {line.reason}")

    def _state(self) -> tuple[State, str]:
        missing = self.parent.merged.missing.get(self.line.exercise)
        return ("missing", missing) if missing is not None else self._observed()

    def _observed(self) -> tuple[State, str]:
        """The state of a trial: that of its first case that is not right."""
        line = self.line
        known = exercise(line.exercise)
        trial = known.trials[line.trial]
        seen = self.parent.observations.of(known)
        mine = [view for view in seen if view.case.trial == trial.name]
        for view in sorted(mine, key=lambda view: view.outcome is None):  # not run says the least
            if view.outcome is None:
                return "not-run", view.reason
            if view.outcome.ended != "ok":
                return _bad(view.outcome), view.reason + self._before()
            if not view.line:
                return "tampered", "the check was made to print something else than what it saw"
            came, wanted = observed.agreed(known, view.line, view.ours)
            if came == wanted and self._same(came, wanted):
                continue
            if not line.hidden:
                line.came, line.expected = came[:SHOWN], wanted[:SHOWN]
            crash = sight_of(view.line).crash
            if crash:
                return "error", crash.text.partition("\n")[0][:300] + self._before()
            return "failed", "not what the solution does with the same inputs"
        return "passed", ""

    def _same(self, came: str, wanted: str) -> bool:
        """nbval's own comparison of what was printed with what the master's solution printed."""
        self.cell.outputs = [new_output("stream", name="stdout", text=wanted + "\n")]
        output = NotebookNode(output_type="stream", name="stdout", text=came + "\n")
        return bool(self.compare_outputs([output], self.cell.outputs))

    def _before(self) -> str:
        """What happened when the answer's own cell ran, where that was an error."""
        error = self.parent.staged.errors.get(self.line.exercise)
        return f" (its cell ended with {error})" if error else ""

    def repr_failure(self, excinfo: Any) -> str:
        """Two lines; the code of a check is nobody's business."""
        return f"{self.line.exercise} {self.line.title}\n{excinfo.value}"

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"{self.parent.about['learner']}: {self.name}"


def _bad(outcome: Outcome) -> State:
    return (
        "killed"
        if outcome.ended == "killed"
        else "timeout"
        if outcome.ended == "timeout"
        else "error"
    )
