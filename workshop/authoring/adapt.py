"""Runs inside of a copy of the course with documents of somebody's own: builds what follows from
them, and writes down what depends on documents and what does not work with these.

    python -m workshop.authoring.adapt NOTE …

The notes stand at the top of the page that it writes.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from classroom.authoring import answers, build, lessons, tables
from classroom.checks import Exercise, exercises
from classroom.checks.compare import Row, differing
from classroom.checks.draws import draw_of
from classroom.checks.tables import as_json, path_of
from kernel import LIBRARY
from workshop.root import ROOT

PAGE = "YOUR_DOCUMENTS.md"
CLASS = "class.toml"
ABOUT_OURS = (
    "`notebooks/data/golden.jsonl`, the cases of the lesson on evaluation: write your own there",
    "`notebooks/data/ports/results.json`, what other frameworks did with our documents",
    "the cents that a lesson costs on a real model, in the lessons and in `README.md`",
    "the picture and the brief at the head of `README.md`",
)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
AT = re.compile(r"^-+> *\d+ +(.*)", re.MULTILINE)
"""The line that failed, in a traceback of IPython's."""
LONGEST_REASON = 200


@dataclass
class Found:
    """The things that depend on the documents, found by a run with them."""

    anew: list[str] = field(default_factory=list)
    """Notebooks whose outputs are others now."""
    stopped: dict[str, str] = field(default_factory=dict)
    """Notebooks that do not run with these documents, with the reason; they are as they were."""
    read_by: list[str] = field(default_factory=list)
    """Exercises that read documents, and are checked with these now."""
    unfit: dict[str, str] = field(default_factory=dict)
    """Exercises that cannot be graded with these documents, with the reason."""


def main(notes: list[str]) -> int:
    """Builds, writes the page and the file of the class, says what was found; returns 0."""
    if sys.platform == "win32":
        asyncio.set_event_loop_policy(asyncio.WindowsSelectorEventLoopPolicy())
    found = Found()
    for exercise in reading(exercises()):
        print(f"exercise {exercise.id} reads documents; its table is made anew", flush=True)
        found.read_by.append(exercise.id)
        if why := unfit(exercise):
            found.unfit[exercise.id] = why
    for path in build.notebooks([]):
        _execute(path, found)
    with contextlib.redirect_stdout(io.StringIO()):
        build.main(["--words"])
    text = page(notes, found)
    (ROOT / PAGE).write_text(text, encoding="utf-8", newline="\n")
    if found.unfit:
        dropped = ", ".join(f'"{id}"' for id in found.unfit)
        (ROOT / CLASS).write_text(f"drop = [{dropped}]\n", encoding="utf-8", newline="\n")
    print(f"\n{text}\nThis is also in {ROOT / PAGE}.")
    return 0


def reading(known: list[Exercise]) -> Iterator[Exercise]:
    """The exercises in which our answer, or a known wrong one, opens a document."""
    folder, opened, looking = str(LIBRARY), 0, True

    def note(event: str, given: tuple[object, ...]) -> None:
        nonlocal opened
        if looking and event == "open":
            opened += str(given[0]).startswith(folder)

    sys.addaudithook(note)  # stays to the end of the process
    try:
        for exercise in known:
            opened = 0
            tables.row_of(exercise, draw_of(exercise.id, 0))
            if opened:
                yield exercise
    finally:
        looking = False


def unfit(exercise: Exercise) -> str:
    """Writes the table of an exercise for these documents; returns why answers cannot be told apart
    by it, "" when they can.
    """
    rows = [tables.row_of(exercise, draw_of(exercise.id, number)) for number in range(tables.DRAWS)]
    path_of(exercise.id).write_text(
        as_json(rows, [*exercise.slips]),
        encoding="utf-8",
        newline="\n",
    )
    if passing := _passing(exercise, rows):
        return passing
    return next((_refused(exercise, source, rows[0]) for source in answers.right(exercise.id)), "")


def _passing(exercise: Exercise, rows: list[Row]) -> str:
    """Names a known wrong answer that would pass, in words; empty when none would."""
    for name in exercise.slips:
        if not any(name in case.slips for row in rows for case in row):
            return f"the wrong answer {name!r} would pass"
    return ""


def _refused(exercise: Exercise, source: str, row: Row) -> str:
    """Returns the reason that a right answer in other words would be refused; else empty."""
    seen = tables.observed(exercise, source, row)
    wrong = [
        aspect
        for one, case in zip(seen, row, strict=True)
        for aspect in differing(one, case.ours, exercise.rules)
    ]
    return f"a right answer would be refused, for its {wrong[0]!r}" if wrong else ""


def _execute(path: Path, found: Found) -> None:
    """Executes a notebook and stores it; one that fails stays as it was."""
    name = path.relative_to(ROOT).as_posix()
    stored = path.read_text(encoding="utf-8")
    try:
        built = build.text_of(lessons.waymarked(build.normalise(build.execute(path)), path))
    except (RuntimeError, ValueError) as problem:
        found.stopped[name] = reason(str(problem))
        print(f"stops    {name}", flush=True)
        return
    same = build.comparable(built) == build.comparable(stored)
    if not same:
        found.anew.append(name)
        path.write_text(built, encoding="utf-8", newline="\n")
    print(f"{'same    ' if same else 'anew    '} {name}", flush=True)


def reason(failure: str) -> str:
    """Returns the reason that a notebook stops, in a line: the error, and the last line that it
    passed through.
    """
    text = COLOUR.sub("", failure)
    error = [line.strip() for line in text.splitlines() if line.strip()][-1]
    if len(error) > LONGEST_REASON:
        error = f"{error[:LONGEST_REASON]} …"
    places = AT.findall(text)
    return f"{error} (at `{places[-1].strip()}`)" if places else error


def page(notes: list[str], found: Found) -> str:
    """Returns the findings for the instructor, as Markdown."""
    unfit = [f"{id}: {why}" for id, why in found.unfit.items()]
    fit = [id for id in found.read_by if id not in found.unfit]
    stopped = [f"`{name}`: {why}" for name, why in found.stopped.items()]
    parts = [
        "# The course with your documents\n",
        _listed("", notes),
        _listed(
            "These exercises read documents, and are checked and graded with yours; their text was "
            "written for ours. All others read none:",
            fit or ["none"],
        ),
        _listed(
            f"Not graded, since right and wrong cannot be told apart with your documents; "
            f"`{CLASS}` in this folder drops them:",
            unfit,
        ),
        _listed(
            "Other outputs than with our documents; their text was written for ours, so read them "
            "before you hand out:",
            [f"`{name}`" for name in found.anew],
        ),
        _listed(
            "Stop with your documents; they hold our outputs, and need a change before you hand "
            "out:",
            stopped,
        ),
        _listed("Still about our documents:", [*ABOUT_OURS]),
    ]
    return "\n".join(filter(None, parts))


def _listed(head: str, points: list[str]) -> str:
    if not points:
        return ""
    above = f"{head}\n\n" if head else ""
    return above + "".join(f"- {point}\n" for point in points)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
