"""Prints the folders of tests that a change concerns: `python3 .ci/concerned.py BASE`."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
IN_LESSONS = ("kernel", "offline_model", "notebooks", "solutions", "exercises", "workshop/course")
"""What these hold is run by the tests of the notebooks."""


def folders_of(changed: str) -> set[str]:
    """The folders of tests for one file; those of `kernel/core/run.py` are
    `tests/kernel` and the notebooks."""
    parts = Path(changed).parent.parts
    place = parts[1:] if parts[:1] == ("tests",) else parts
    own = [Path("tests", *place[:depth]) for depth in (2, 1) if place[:depth]]
    found = [folder.as_posix() for folder in own if (ROOT / folder).is_dir()]
    return {*found[:1], *(["tests/notebooks"] if changed.startswith(IN_LESSONS) else [])}


def concerned_by(changes: list[str]) -> list[str]:
    """The folders for all changed files, none of them inside another."""
    folders = {folder for changed in changes for folder in folders_of(changed)}
    inside = {name for name in folders for other in folders if name.startswith(f"{other}/")}
    return sorted(folders - inside)


if __name__ == "__main__":
    command = ["git", "diff", "--name-only", sys.argv[1], "HEAD"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    print(*concerned_by(listed.stdout.splitlines()))
