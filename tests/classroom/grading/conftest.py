"""What grading tests share: the small class, graded once, and the kernel of a submission."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from classroom.grading import open_copy
from classroom.grading.sandbox.sandboxed_kernel import GradedKernel

from .small_class import graded, hand_in, marks


@pytest.fixture(scope="session")
def plain_class(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, Path, dict[tuple[str, str, int], Any]]:
    """(its folder, its results, its marks): one machine, one worker, a kernel for each submission."""
    base = tmp_path_factory.mktemp("plain")
    graded(hand_in(base / "class"), base / "out", "--workers", 1)
    found = marks(base / "out")
    assert (
        len({learner for learner, _, _ in found}) == 4
        and 0 < sum(value[0] for value in found.values()) < len(found) == 48
    )
    return base / "class", base / "out", found


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
