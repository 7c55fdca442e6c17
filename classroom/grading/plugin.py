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
from .plan import TIMEOUT_S, GradingPlan
from .sandbox import orphans
from .sandbox.sandboxed_kernel import KernelFailed, Outcome
from .staged import StagedNotebook
from .submission import Submission

BUSY = "this machine was too busy"
AGAIN = "it could not be finished while others were graded on this machine; graded again, alone"
SHOWN = 20_000
"""Characters of a compared line that a report keeps; a page shows where two begin to differ."""


PLAN = pytest.StashKey[GradingPlan]()


class PlanHandedIn:
    """A plugin of pytest that hands a plan in, and the report of its one submission out."""

    def __init__(self, plan: GradingPlan) -> None:
        self.plan = plan
        self.report = ""
        """JSON; empty where there is none."""
        self.why = ""
        """The reason why there is none."""

    def pytest_configure(self, config: Any) -> None:
        config.stash[PLAN] = self.plan
        config.stash[HANDED] = self

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.why = str(report.longrepr).strip().rpartition("\n")[2][:300]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: Any, call: Any) -> Any:
        if call.excinfo and call.when == "teardown":
            self.why = f"{call.excinfo.typename}: {call.excinfo.value}"[:300]
        return (yield)


HANDED = pytest.StashKey[PlanHandedIn]()


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
        "--grade-without-sandbox", action="store_true", help="run where there is no sandbox, too"
    )


def pytest_configure(config: Any) -> None:
    option = config.option
    if not option.grade:
        return
    if sandbox.missing() and not option.grade_without_sandbox:
        raise pytest.UsageError(sandbox.refusal("--grade-without-sandbox"))
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

        Its bytes are not kept: all of a session are collected before the first runs.
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
        self.trouble = ""
        """The thing that this machine could not do."""
        if self.plan.alone:
            self.flags.append(AGAIN)
        number = len(self.master.exercises)
        texts = documents.kept_beside(self.path) if self.plan.for_reports else self._documents()
        self.staged = StagedNotebook(self.merged, self.plan, number, texts)
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

    def teardown(self) -> None:
        """The explanations, the end of the kernel, the report.

        There is no report when the run was stopped in the middle, or when it ran out of time while
        others had the processors: such a submission is graded once more, alone.
        """
        whole = all(check.state != "not-run" or check.reason for check in self.checks)
        handed = self.config.stash.get(HANDED, None)
        writes = handed is not None and whole and not self.staged.disturbed
        try:
            feedback = self._explanations() if writes else {}
            self.flags += [flag for flag in self.merged.flags if flag not in self.flags]
        finally:
            self.staged.stop()
        if handed is not None:
            handed.why = self.trouble or (BUSY if self.staged.disturbed else "it was not run whole")
        if handed is not None and writes:
            handed.report = json.dumps(self._report(feedback), ensure_ascii=False, indent=1)

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

    def _report(self, feedback: dict[str, Any]) -> dict[str, Any]:
        return {
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
            "seconds": round(time.monotonic() - self.began, 2),
            "results": [asdict(check) for check in self.checks],
            "feedback": feedback,
            "answers": self.merged.answers,
        }


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
            self.parent.trouble = str(problem)
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
