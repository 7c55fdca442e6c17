"""Small facts kept on this machine: JSON tables in the course's own folder, such as `.workshop/`,
written whole or not at all.

An environment variable, such as WORKSHOP_PROGRESS, names another file for the progress, and with it
another folder, for those who share one.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from classroom.course import active
from classroom.notebook.presence import IN_BROWSER


def root() -> Path:
    """The course's folder; in a browser, the part of its storage that survives a reload."""
    return Path("/drive") if IN_BROWSER else active().root


def place(name: str) -> Path:
    """Returns the path of the kept file of this name."""
    course = active()
    given = os.environ.get(course.variable("PROGRESS"))
    return Path(given).parent / name if given else root() / f".{course.key}" / name


def read(file: Path, table: str, thing: str) -> dict[str, Any] | None:
    """The table of this name in a file; {} where there is none, None where the file cannot be read.

    thing: what the file holds, for the sentence that reports a problem.
    A damaged file is set aside, not lost.
    """
    try:
        rows = json.loads(file.read_text(encoding="utf-8"))[table]
        if not isinstance(rows, dict):
            raise ValueError("not a table")
        return rows
    except FileNotFoundError:
        return {}
    except OSError as problem:
        _report(f"Your {thing} cannot be read ({problem.strerror}); nothing else is affected.")
        return None
    except (ValueError, KeyError, TypeError):
        set_aside(file, thing)
        return {}


def write(file: Path, table: str, rows: dict[str, Any], thing: str) -> None:
    """Replaces the file in one step: a kernel that dies in the middle leaves the old one."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=file.parent, suffix=".part")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as part:
                json.dump({"version": 1, table: rows}, part, indent=1, ensure_ascii=False)
            Path(name).replace(file)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as problem:
        _report(f"Your {thing} could not be saved ({problem.strerror}); nothing else is affected.")


def set_aside(file: Path, thing: str) -> None:
    """Renames a file that cannot be understood, so that a new one can begin."""
    names = (file.with_name(f"{file.stem}.unreadable-{number}.json") for number in range(1, 10_000))
    aside = next(path for path in names if not path.exists())
    try:
        file.replace(aside)
    except OSError:
        _report(f"Your {thing} file could not be read or moved aside; a new one begins.")
        return
    _report(
        f"Your {thing} file could not be read. "
        f"It is kept as {file.parent.name}/{aside.name}; a new one begins."
    )


def _report(sentence: str) -> None:
    print(sentence, file=sys.stderr)
