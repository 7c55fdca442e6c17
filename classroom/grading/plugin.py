"""Grading as a pytest plugin over nbval's own classes: one test for each graded check of a
submission.

`pytest -p classroom.grading --grade NOTEBOOK` for one's own look; the command `grade` runs
the same over a class. Nothing that a submission's kernel says is a verdict: a check passes when
what was seen of the answer agrees, aspect by aspect, with what was seen of our solution for the
same inputs, in a kernel of its own (`classroom.checks.compare`). nbval collects the notebooks, runs
their cells and reports.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from nbformat.v4 import new_code_cell, new_notebook
from nbval.plugin import IPyNbCell, IPyNbFile

from classroom.checks import Exercise, exercise
from classroom.observing import sight_of

from . import observed, open_copy, sandbox
from .check import Check, State
from .intake import documents, notebook_json
from .intake.answers import Master, Merged, master, merge, names
from .plan import TIMEOUT_S, GradingPlan, plan_of
from .sandbox import orphans
from .sandbox.forks import ForkServer
from .sandbox.sandboxed_kernel import KernelFailed, Outcome
from .staged import StagedNotebook
from .submission import Submission

SHOWN = 20_000
"""Characters of a compared line that a report keeps; a page shows where two begin to differ."""


PLAN = pytest.StashKey[GradingPlan]()
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
    group.addoption("--grade-plan", help="a plan of the command `grade`, with everything in it")


def pytest_configure(config: Any) -> None:
    option = config.option
    if not (option.grade or option.grade_plan):
        return
    if (option.grade_require_sandbox or option.grade_fork) and sandbox.missing():
        raise pytest.UsageError(f"no sandbox on this machine: {sandbox.missing()}")
    if option.grade_plan:
        orphans.end_with_parent()
        config.stash[PLAN] = plan_of(
            json.loads(Path(option.grade_plan).read_text(encoding="utf-8"))
        )
        return
    stack = contextlib.ExitStack()
    stack.enter_context(orphans.ended_in_order())
    config.add_cleanup(stack.close)
    folder = tempfile.TemporaryDirectory(prefix="course-")
    config.add_cleanup(folder.cleanup)
    seed = option.grade_seed if option.grade_seed is not None else secrets.randbelow(2**31)
    config.stash[PLAN] = GradingPlan(
        seed,
        option.grade_timeout,
        str(open_copy.prepare(Path(folder.name) / "course")),
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


def _checks(ours: Master) -> Iterator[Check]:
    """The graded checks of a notebook, not run yet."""
    for known in ours.exercises:
        for position, trial in enumerate(known.trials):
            yield Check(
                exercise=known.id,
                trial=position,
                title=trial.title,
                hidden=trial.hidden,
                points=trial.points,
            )


class GradedFile(IPyNbFile):
    """One submission: its answers in the master, in a kernel of its own, and a test for each graded
    check.
    """

    def collect(self) -> Iterator[GradedCell]:
        self.plan: GradingPlan = self.config.stash[PLAN]
        self.submission, content = self._read()
        self.master = master(self.submission.notebook)
        self.merged: Merged = merge(content, self.master)
        self.flags = list(self.submission.problems)
        if self.submission.readable:
            self.flags = list(dict.fromkeys((*self.flags, *self.merged.flags)))
        else:
            why = self.submission.problems[0]
            self.merged.missing = dict.fromkeys(self.merged.missing, why)
        if self.master.exercises[0].id not in self.plan.lines:
            self.plan.lines |= observed.reference(self.master, self.plan)
        self.checks = list(_checks(self.master))
        kernelspec = self.master.solutions.metadata.get("kernelspec", {})
        self.nb = new_notebook(metadata={"kernelspec": kernelspec})
        for number, check in enumerate(self.checks):
            cell = new_code_cell(execution_count=number + 1)
            self.nb.cells.append(cell)
            yield GradedCell.from_parent(
                self,
                name=f"{check.exercise} {check.title}",
                cell_num=number,
                cell=cell,
                options={"check": True},
                check=check,
            )

    def _read(self) -> tuple[Submission, dict[str, Any]]:
        """The submission, as the plan knows it, else by its content and its name; and the notebook,
        which is empty where the intake could not read it.

        Its bytes are not kept: all of a shard are collected before the first runs.
        """
        submission = self.plan.submissions.get(str(self.path))
        if submission is not None and not submission.readable:
            return submission, {"cells": []}
        data = self.path.read_bytes()
        try:
            content = notebook_json.read(data)
        except notebook_json.Unreadable as problem:
            raise self.CollectError(f"{self.path.name} cannot be graded: {problem}") from None
        return submission or self._of_ones_own(data, content), content

    def _of_ones_own(self, data: bytes, content: dict[str, Any]) -> Submission:
        """A notebook that no command has taken in before."""
        number = notebook_json.lesson(content, self.path.name)
        known = names()
        name = next((ours for ours in known if number and ours.startswith(number)), "")
        if not name:
            raise self.CollectError(
                f"{self.path.name} is not one of the exercise notebooks: {', '.join(known)}"
            )
        return Submission(
            learner=self.path.stem,
            notebook=name,
            file=self.path.name,
            path=self.path,
            sha256=hashlib.sha256(data).hexdigest(),
        )

    def setup(self) -> None:
        """Nothing yet: a kernel is started when the first check needs it."""
        self.began = time.monotonic()
        number = len(self.master.exercises)
        texts = documents.kept_beside(self.path) if self.plan.out else self._documents()
        self.staged = StagedNotebook(self.merged, self.plan, number, self._forks, texts)
        self.observations = observed.Observations(self.staged, self.plan)
        self.setup_sanitize_files()

    def _documents(self) -> dict[str, str]:
        """Returns the documents beside one's own notebook, which no command has looked at
        before.
        """
        if not documents.are_of(self.master.name):
            return {}
        found = documents.in_folder(self.path)
        self.flags += found.flags()
        return found.texts

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

        There is no report when the run was stopped in the middle, or when others had the
        processors while a cell ran out of time: such a submission is graded once more, alone.
        """
        whole = all(check.state != "not-run" or check.reason for check in self.checks)
        writes = bool(self.plan.out) and whole and (self.plan.alone or not self.staged.disturbed)
        try:
            feedback = self._explanations() if writes else {}
            self.flags += [flag for flag in self.merged.flags if flag not in self.flags]
        finally:
            self.staged.stop()
        if writes:
            self._report(feedback)

    def _explanations(self) -> dict[str, Any]:
        """Returns the explanations of the exercises' own checks for answers that did not get all
        points. Untrusted text, and no verdict.
        """
        found: dict[str, Any] = {}
        lost = {check.exercise for check in self.checks if check.earned < check.points}
        for known in self.master.exercises:
            id = known.id
            if id not in lost or id in self.staged.fatal or id not in self.merged.answers:
                continue
            if not self.staged.again(id):
                continue
            assert self.staged.kernel is not None
            found |= self.observations.explained(known)
        return found

    def _report(self, feedback: dict[str, Any]) -> None:
        report = {
            "learner": self.submission.learner,
            "notebook": self.master.name,
            "file": self.submission.file,
            "sha256": self.submission.sha256,
            "older": list(self.submission.older),
            "flags": self.flags,
            "submitted": self.submission.when,
            "graded": datetime.now(UTC).isoformat(timespec="seconds"),
            "seed": self.plan.seed,
            "sandbox": sandbox.name(),
            "course": self.submission.course,
            "kernel": "forked" if self.plan.fork else "plain",
            "seconds": round(time.monotonic() - self.began, 2),
            "results": [asdict(check) for check in self.checks],
            "feedback": feedback,
            "answers": self.merged.answers,
        }
        target = Path(self.plan.out) / f"{self.submission.key}.json"
        part = target.with_suffix(".part")
        part.write_text(
            json.dumps(report, ensure_ascii=False, indent=1), encoding="utf-8", errors="replace"
        )  # half a character
        os.replace(part, target)


class GradedCell(IPyNbCell):
    """One graded check. Whatever happens in the kernel, it ends in one of the states."""

    parent: GradedFile

    def __init__(self, check: Check, **facts: Any) -> None:
        super().__init__(**facts)
        self.check = check

    def setup(self) -> None:
        """In place of nbval's, which excuses whatever follows a timeout."""

    def runtest(self) -> None:
        began = time.monotonic()
        try:
            check = self._checked()
        except KernelFailed as problem:
            # this machine's fault: no verdict and no report, so that it is tried again
            self.raise_cell_error(str(problem))
        check = replace(check, seconds=round(time.monotonic() - began, 3))
        self.check = self.parent.checks[self.cell_num] = check
        self.user_properties += [
            ("exercise", check.exercise),
            ("points", check.points),
            ("earned", check.earned),
            ("state", check.state),
        ]
        if check.state != "passed":
            self.raise_cell_error(f"{check.state}: {check.reason}")

    def _checked(self) -> Check:
        """The check with its state: that of its first case that is not right."""
        missing = self.parent.merged.missing.get(self.check.exercise)
        if missing is not None:
            return self._ended("missing", missing)
        known = exercise(self.check.exercise)
        trial = known.trials[self.check.trial]
        cases = self.parent.observations.of(known)
        mine = [tried for tried in cases if tried.case.trial == trial.name]
        for tried in sorted(
            mine, key=lambda tried: tried.outcome is None
        ):  # not run says the least
            wrong = self._wrong(known, tried)
            if wrong is not None:
                return wrong
        return replace(self.check, state="passed", earned=self.check.points)

    def _wrong(self, known: Exercise, tried: observed.Shown) -> Check | None:
        """The check as this case makes it fail; None when the case is right."""
        if tried.outcome is None:
            return self._ended("not-run", tried.reason)
        if tried.outcome.ended != "ok":
            return self._ended(_bad(tried.outcome), tried.reason + self._before())
        if not tried.line:
            return self._ended("tampered", "the check's output was tampered with")
        difference = observed.first_difference(known, tried.line, tried.ours)
        if difference is None:
            return None
        actual, expected = difference
        if self.check.hidden:
            actual = expected = ""
        crash = sight_of(tried.line).crash
        if crash:
            reason = crash.text.partition("\n")[0][:300] + self._before()
            return self._ended("error", reason, actual, expected)
        reason = "not what the solution does with the same inputs"
        return self._ended("failed", reason, actual, expected)

    def _ended(self, state: State, reason: str, actual: str = "", expected: str = "") -> Check:
        return replace(
            self.check,
            state=state,
            reason=reason,
            came=actual[:SHOWN],
            expected=expected[:SHOWN],
        )

    def _before(self) -> str:
        """Returns the error with which the answer's own cell ended, in parentheses; empty
        for none.
        """
        error = self.parent.staged.errors.get(self.check.exercise)
        return f" (its cell ended with {error})" if error else ""

    def repr_failure(self, excinfo: Any) -> str:
        """Two lines, without the code of the check."""
        return f"{self.check.exercise} {self.check.title}\n{excinfo.value}"

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"{self.parent.submission.learner}: {self.name}"


def _bad(outcome: Outcome) -> State:
    return (
        "killed"
        if outcome.ended == "killed"
        else "timeout"
        if outcome.ended == "timeout"
        else "error"
    )
