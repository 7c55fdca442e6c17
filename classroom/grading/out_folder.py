"""DIR, the folder of results: whether grading may write there, where it works, and that one grading
does at a time.
"""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
from pathlib import Path

import psutil

from . import reports
from .intake import NothingToGrade

OWNER = "process"
"""The file in a working folder that says which process works there."""
ROOMS = ("learners", "results", "work")


class OutFolder:
    """DIR while a grading is at work in it. Nothing in it that grading did not make is ever
    deleted.
    """

    def __init__(self, out: Path, submissions: Path) -> None:
        """Raises NothingToGrade, and changes nothing, where the folder is not ours or
        another grading's.
        """
        self.out = out
        self.results = out / "results"
        self.work = out / "work"
        if problem := _not_ours(out, submissions) or _busy(self.work):
            raise NothingToGrade(f"{problem} Nothing was changed.")
        self._made = [path for path in (out, self.results) if not path.exists()]
        self.results.mkdir(parents=True, exist_ok=True)
        if not (out / reports.MARKER).exists():
            reports.mark(out)
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir()
        owner = f"{os.getpid()} {platform.node()}"
        (self.work / OWNER).write_text(owner, encoding="utf-8")

    def undo(self) -> None:
        """Removes what was made for a grading that has nothing to grade."""
        self.close()
        if self.out in self._made:
            (self.out / reports.MARKER).unlink(missing_ok=True)
        for folder in reversed(self._made):
            with contextlib.suppress(OSError):  # there is something in it
                folder.rmdir()

    def close(self) -> None:
        """Removes the working folder."""
        shutil.rmtree(self.work, ignore_errors=True)


def _not_ours(out: Path, submissions: Path) -> str:
    """Returns the reason that `out` cannot be written to; empty when it can."""
    given = submissions.resolve()
    for room in ROOMS:
        if given.is_relative_to((out / room).resolve()):
            inside = f"{submissions} lies in {out / room}, which grading writes anew"
            return f"{inside}; give another folder for --out."
    if out.resolve() == given:
        other = out / "graded"
        return f"--out {out} is the folder of the submissions; give another, such as {other}."
    if (out / reports.MARKER).exists():
        return ""
    strange = next((out / room for room in ROOMS if (out / room).exists()), None)
    return (
        f"{strange} is there, and no grading made it; give a new folder for --out."
        if strange
        else ""
    )


def _busy(work: Path) -> str:
    """Returns the reason that `work` must be left alone: another grading has not ended, or the
    folder is not grading's.
    """
    if work.exists() and not (work / OWNER).exists() and any(work.iterdir()):
        return f"{work} is there, and no grading made it; give a new folder for --out."
    with contextlib.suppress(OSError, ValueError, psutil.Error):
        number, machine = (work / OWNER).read_text(encoding="utf-8").split(" ", 1)
        begun = psutil.Process(int(number)).create_time()
        same = begun <= (work / OWNER).stat().st_mtime  # and not a later process of its number
        if same and machine == platform.node() and int(number) != os.getpid():
            return (
                f"Another grading (process {number}) is at work in {work.parent}; wait for its end."
            )
    return ""
