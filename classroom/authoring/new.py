"""Makes a small course in a new folder: one lesson, two exercises, on plain Python."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

SMALL_COURSE = Path(__file__).resolve().parent / "small_course"
"""The files of the course, as they are copied."""
NEXT = """{folder}: {count} files. Now, in that folder:

  python -m classroom build         make exercises, tables and the map
  python -m classroom grade --try   our answers earn everything, stubs nothing
  python -m classroom lab           look at it

docs/write_a_course.md says how to make it your own.
"""


def main(argv: list[str]) -> int:
    """Writes the course; returns 0. Raises SystemExit for a folder that cannot be used."""
    parser = argparse.ArgumentParser(
        prog="python -m classroom new", description="Make a small course to begin with."
    )
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="a new or an empty folder")
    folder = parser.parse_args(argv).folder
    if problem := refusal(folder):
        raise SystemExit(problem)
    try:
        count = write(folder)
    except OSError as error:
        raise SystemExit(f"{folder} cannot be written: {error.strerror}") from None
    print(NEXT.format(folder=folder, count=count), end="")
    return 0


def refusal(folder: Path) -> str:
    """Returns the reason that no course can be made in a folder; empty when one can."""
    if folder.exists() and not folder.is_dir():
        return f"{folder} is a file; expected a new or an empty folder"
    if folder.is_dir() and any(folder.iterdir()):
        return f"{folder} is not empty; expected a new or an empty folder"
    return ""


def write(folder: Path) -> int:
    """Copies the small course into a folder; returns the number of files."""
    compiled = shutil.ignore_patterns("__pycache__")
    shutil.copytree(SMALL_COURSE, folder, ignore=compiled, dirs_exist_ok=True)
    return sum(path.is_file() for path in folder.rglob("*"))
