"""Writes the course without anything that is right: what an instructor gives to learners.

`handout --out ZIP` holds lessons, exercises, the course's packages, checks and hints; no solutions,
no slips, no tests and no grader.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from classroom.course import active

AUTHORS = ("right", "others.toml")
"""In the folder of each lesson: right answers, and wrong ones without words."""
DATE = (2026, 1, 1, 0, 0, 0)
"""Of every entry, so that the same course gives the same archive."""


def main(argv: list[str]) -> int:
    """Writes the archive; returns 0. Raises SystemExit for a path that cannot be written."""
    parser = argparse.ArgumentParser(
        prog=f"{active().command} handout",
        description="The course without solutions, as a zip to give to learners.",
    )
    parser.add_argument("--out", required=True, metavar="ZIP", type=Path)
    target = parser.parse_args(argv).out
    if target.suffix != ".zip":
        raise SystemExit(f"--out is {target}; expected the name of a file that ends in .zip")
    stale = list(missing_tables())
    if stale:
        raise SystemExit(f"the table of {stale[0]} is missing; `{active().command} build` makes it")
    if untracked := list(left_out()):
        raise SystemExit(
            f"git does not track {untracked[0]}, so learners would not get it; `git add` it first"
        )
    try:
        count = write(target)
    except OSError as problem:
        raise SystemExit(f"{target} cannot be written: {problem.strerror}") from None
    print(
        f"{target}: {count} files, without solutions. Learners unpack it and run "
        f"`{active().command} lab`."
    )
    return 0


def write(target: Path) -> int:
    """Writes the archive whole or not at all; returns the number of files."""
    course = active()
    part = target.with_suffix(".part")
    count = 0
    try:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in files():
                name = f"{course.name}/{path.relative_to(course.root).as_posix()}"
                entry = zipfile.ZipInfo(name, DATE)
                entry.external_attr = 0o644 << 16
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, content(path))
                count += 1
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    return count


def files() -> Iterator[Path]:
    """The files that a learner needs, sorted; of those that git tracks, where there is git."""
    course = active()
    exercises = course.exercises.replace(".", "/")
    given = ("notebooks", "exercises", exercises, *course.handout)
    for path in sorted(tracked()):
        name = path.relative_to(course.root).as_posix()
        for_authors = _is_in(name, (exercises,)) and {*path.parts} & {*AUTHORS}
        if _is_in(name, given) and not for_authors and not _is_in(name, course.not_for_learners):
            yield path


def _is_in(name: str, places: Iterable[str]) -> bool:
    """True if a path is one of these files, or lies in one of these folders."""
    return any(name == place or name.startswith(f"{place}/") for place in places)


def content(path: Path) -> bytes:
    """Returns a file as a learner gets it: words of a lesson without the changes that make
    slips.
    """
    whole = path.read_bytes()
    if path.name != "words.toml":
        return whole
    lines = []
    is_change = False
    for line in whole.decode("utf-8").splitlines(keepends=True):
        if line.startswith("change = "):
            is_change = True  # the last entry of its table
        elif line.startswith(("[[exercise", "[exercise", "[[turn")):
            is_change = False
        if not is_change:
            lines.append(line)
    return "".join(lines).encode("utf-8")


def missing_tables() -> Iterator[str]:
    """The exercises whose table has not been built."""
    from classroom.checks import exercises, turns
    from classroom.checks.tables import path_of

    return (
        exercise.id for exercise in (*exercises(), *turns()) if not path_of(exercise.id).exists()
    )


def left_out() -> Iterator[str]:
    """The notebooks, and the files of exercises, that learners need and git does not track."""
    from classroom.checks.register import exercises, turns
    from classroom.checks.tables import path_of

    course, given = active(), {*files()}
    needed = {path_of(exercise.id) for exercise in (*exercises(), *turns())}
    for folder in (course.notebooks, course.stubs):
        needed.update(active().books(folder))
    for path in sorted(needed - given):
        yield path.relative_to(course.root).as_posix()


def tracked() -> list[Path]:
    """The files of the course: those that git tracks; where there is no git, those in no hidden
    folder.
    """
    root = active().root
    try:
        command = ["git", "-C", str(root), "ls-files", "-z"]
        listed = subprocess.run(
            command, capture_output=True, check=True, text=True, encoding="utf-8"
        )
        paths = [root / name for name in listed.stdout.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        paths = [path for path in root.rglob("*") if "__pycache__" not in path.parts]
        paths = [
            path
            for path in paths
            if not any(part.startswith(".") for part in path.relative_to(root).parts[:-1])
        ]
    return [path for path in paths if path.is_file()]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
