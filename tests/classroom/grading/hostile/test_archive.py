"""A class that comes as a zip with ways out, a bomb, a link: who is honest in it gets what they earn, and nothing is unpacked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .class_run import ClassRun, grade
from .files import archive


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClassRun]:
    run = ClassRun(tmp_path_factory.mktemp("archive"))
    for folder in ("class", "home", "tmp"):
        (run.base / folder).mkdir()
    archive(run.base / "class.zip")
    grade(run, 300, "class.zip")
    yield run


def test_marks(run: ClassRun) -> None:
    """Of a name that stands twice, the last counts, as it does for whoever unpacks the archive."""
    assert run.status == 0, run.output
    assert {
        learner["learner"]: learner["total"]
        for learner in run.book()["learners"]
        if learner["total"]
    } == {
        "honest": 12,
        "doubled": 12,
    }


@pytest.mark.parametrize(
    ("part", "why"),
    [
        ("../../was-unpacked", "leads out"),
        ("/tmp/was-unpacked", "leads out"),
        ("slip/../..", "leads out"),
        ("bomb", "unpacks to more"),
        ("linked", "symbolic link"),
        ("doubled", "more than once"),
    ],
)
def test_refused(run: ClassRun, part: str, why: str) -> None:
    """What is not read is listed, with a reason."""
    assert [
        file
        for file in run.book()["unread"]
        if file["file"].startswith(part) and why in file["why"]
    ]


def test_whoever_handed_in_what_is_not_read_has_a_row_too(run: ClassRun) -> None:
    """And a name that leads out of the archive is nobody's."""
    assert {learner["learner"] for learner in run.book()["learners"]} == {
        "honest",
        "doubled",
        "bomb",
        "linked",
    }


def test_nothing_was_unpacked(run: ClassRun) -> None:
    assert run.before == run.after
    assert not Path("/tmp/was-unpacked").exists() and not list(
        run.base.parent.rglob("was-unpacked")
    )


def test_memory(run: ClassRun) -> None:
    """The bomb would have three hundred megabytes."""
    assert 0 < run.memory < 400 * 2**20, f"{run.memory / 2**20:.0f} MB"
