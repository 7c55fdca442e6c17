"""Plain nbval, without the grader: it runs on the folder of lessons, and changes nobody's progress."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.places import ROOT

from .small_class import NAME, WRONG, solved


def nbval(*options: object, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *map(str, options)],
        cwd=ROOT,
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )


def test_the_folder_of_lessons_can_be_given_to_nbval_as_a_whole():
    done = nbval("--nbval", "notebooks", "--collect-only")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(".ipynb") >= 20 and "test_shop" not in done.stdout


@pytest.mark.exhaustive  # tests/classroom/checks has the fact, for a notebook of a check each
def test_a_class_graded_by_plain_nbval_changes_nobodys_progress(tmp_path: Path):
    progress = tmp_path / "progress.json"
    kept = json.dumps({"format": 1, "exercises": {"03.1": {"tries": 2, "passed": False}}})
    progress.write_text(kept, encoding="utf-8")
    for learner, text in {"right": solved(), "wrong": solved(_1=WRONG)}.items():
        (tmp_path / learner).mkdir()
        (tmp_path / learner / f"{NAME}.ipynb").write_text(text, encoding="utf-8")
    before = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*"))
    done = nbval("--nbval-lax", tmp_path, WORKSHOP_PROGRESS=str(progress), HOME=str(tmp_path))
    assert "1 failed" in done.stdout, "the wrong answer is seen:\n" + done.stdout
    assert progress.read_text(encoding="utf-8") == kept
    after = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*"))
    assert [path for path in after if path.suffix == ".json"] == [
        path for path in before if path.suffix == ".json"
    ]
