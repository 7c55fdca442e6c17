"""What grading tests share: the small class, graded once; an engine that answers from a table; the kernel of a submission."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from classroom.grading import command, open_copy
from classroom.grading.sandbox.sandboxed_kernel import GradedKernel

from . import a_class
from .small_class import graders_of, hand_in, kernels_of, started, until


@pytest.fixture(scope="session")
def real_class(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """(its folder, its results): graded by the command, with everything real. A process of the pool is lost meanwhile,
    and takes no verdict along."""
    base = tmp_path_factory.mktemp("real")
    process = started(hand_in(base / "class"), base / "out", "--workers", 2)
    graders = until(lambda: graders_of(process.pid), "a process of the pool")
    lost = until(lambda: [number for number in graders if kernels_of(number)], "its kernel")
    psutil.Process(lost[0]).kill()
    output = process.communicate()
    assert process.returncode == 0, output
    return base / "class", base / "out"


@pytest.fixture
def table_engine(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Reports come from a table, in no time: all points. Called with a number, it is interrupted
    after so many."""
    left: list[int] = []

    def run(plan: Any, workers: int, address: str, take: Any) -> None:
        for submission in plan.submissions.values():
            if left and not left[0]:
                left.clear()
                raise KeyboardInterrupt
            left[:] = [number - 1 for number in left]
            facts = {"learner": submission.learner, "file": submission.file, "seed": plan.seed}
            facts |= {"sha256": submission.sha256, "submitted": submission.when}
            take(submission, json.dumps(a_class.report(**facts)), "")

    monkeypatch.setattr(command.sandbox, "missing", lambda: "")  # nothing of a submission runs
    monkeypatch.setattr(command.sandbox, "weakness", lambda: "")
    monkeypatch.setattr(command.pool, "run", run)
    monkeypatch.setattr(command.observed, "reference", lambda of, plan: {})
    monkeypatch.setattr(command.open_copy, "prepare", lambda folder: folder)
    return left.append


@pytest.fixture(scope="session")
def material(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The course as a submission's kernel may read it."""
    return open_copy.prepare(tmp_path_factory.mktemp("grading") / "course")


@pytest.fixture
def kernel(material: Path) -> Iterator[GradedKernel]:
    """A kernel of a submission, of which nothing is left after the test."""
    started = GradedKernel(material)
    yield started
    started.stop()
    assert not started.folder.exists()
