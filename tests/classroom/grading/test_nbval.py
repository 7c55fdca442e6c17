"""Plain nbval, without the grader: it runs on the folder of lessons, and changes nobody's progress."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.places import ROOT


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
