"""The list of lessons, and what `build` writes from it: minutes, the ways back and on, the map, README's table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "notebooks"
MAP = "00_start_here.ipynb"
"""The lesson whose last cell holds the map."""


class Lesson(NamedTuple):
    """One lesson of the curriculum; it is there as soon as its notebook is, `NN_name.ipynb`."""

    number: str
    title: str
    minutes: int
    """To read, to run, and to do its exercises."""
    sees: str
    """What the learner gets to see, for the README."""


LESSONS = (
    Lesson("00", "Start here", 8, "a team of three write a cited brief"),
    Lesson("01", "The agent loop", 15, "an agent in thirty lines of plain HTTP"),
    Lesson("02", "Three specialists", 12, "three small contexts against one large one"),
    Lesson("03", "The deterministic supervisor", 15, "research, write, review, revise, in plain Python"),
    Lesson("04", "Fan out", 12, "three researchers at once, measured against the ideal"),
    Lesson("05", "The LLM-driven supervisor", 15, "a model that chooses who works next"),
    Lesson("06", "Break it", 20, "four failures: provoked, measured, repaired, guarded by a test"),
    Lesson("07", "Was it worth it?", 12, "the team against one agent, in calls, dollars and quality"),
)


def written(folder: Path = FOLDER) -> dict[Lesson, Path]:
    """The lessons whose notebook exists, in order. Raises ValueError for a notebook that is on no list."""
    known = {lesson.number: lesson for lesson in LESSONS}
    found = {path.name[:2]: path for path in sorted(folder.glob("[0-9][0-9]_*.ipynb"))}
    if unknown := [path.name for number, path in found.items() if number not in known]:
        raise ValueError(f"notebooks/{unknown[0]} is in no list; add its number, title and minutes to LESSONS")
    return {known[number]: path for number, path in found.items()}


def to_read(lesson: Lesson) -> int:
    """The minutes that the exercises leave for reading and running."""
    return lesson.minutes - sum(_exercises(lesson))


def minutes(lesson: Lesson, path: Path) -> str:
    """How long a lesson takes, and for what."""
    parts = _exercises(lesson)
    if not parts:
        return f"**{lesson.minutes} minutes** to read and run."
    return (f"**{lesson.minutes} minutes**: {to_read(lesson)} to read and run, {sum(parts)} for the "
            f"[exercises](../exercises/{path.name}) ({' + '.join(map(str, parts))}).")


def ways(lesson: Lesson, there: dict[Lesson, Path]) -> str:
    """The links back, to the map, and on."""
    order = list(there)
    at = order.index(lesson)
    links = [f"[map]({'' if there[lesson].name == MAP else MAP}#The-way-on)"]
    if at:
        links.insert(0, f"[← {order[at - 1].number} {order[at - 1].title}]({there[order[at - 1]].name})")
    if at + 1 < len(order):
        links.append(f"[{order[at + 1].number} {order[at + 1].title} →]({there[order[at + 1]].name})")
    return " · ".join(links)


def waymarked(notebook: Any, path: Path) -> Any:
    """The notebook with its minutes and ways in the first cell, its ways (and the map) in the last one, in place.

    What is no lesson stays as it is.
    """
    there = written() if path.resolve().parent == FOLDER else {}
    lesson = next((it for it, its in there.items() if its.name == path.name), None)
    if lesson is None:
        return notebook
    first, last = notebook.cells[0], notebook.cells[-1]
    first.source = "\n\n".join([*_own(first.source), minutes(lesson, path), ways(lesson, there)])
    last.source = "\n\n".join([*_own(last.source), ways(lesson, there)])
    if path.name == MAP:
        others = {it: its for it, its in there.items() if it != lesson}
        rows = [f"| {it.number} | {_link(it, others)} | {it.minutes} |" for it in LESSONS]
        last.source = _with_table(last.source, "| | lesson | minutes |", rows)
        last.source = re.sub(r"in (about )?\d+ minutes", f"in {sum(it.minutes for it in LESSONS)} minutes", last.source)
    return notebook


def pages() -> Iterator[tuple[Path, str]]:
    """README and the instructors' page with what they say of the lessons, as it has to be."""
    there = written()
    rows = [f"| {it.number} | {_link(it, there, 'notebooks/')} | {it.minutes} | {it.sees} |" for it in there]
    readme = ROOT / "README.md"
    yield readme, _with_table(readme.read_text(encoding="utf-8"), "| | lesson | minutes | you see |", rows)
    page = FOLDER / "INSTRUCTORS.md"
    text = page.read_text(encoding="utf-8")
    for it in there:
        text = re.sub(rf"^## {it.number} .*$", f"## {it.number} {it.title} ({it.minutes} minutes)", text, flags=re.MULTILINE)
    yield page, text


def _exercises(lesson: Lesson) -> list[int]:
    """The minutes of each exercise."""
    from workshop.checks import exercises  # not at the top: it imports the kernel

    return [it.minutes for it in exercises(lesson.number)]


def _own(source: str) -> list[str]:
    """The paragraphs that a person wrote: all but the minutes and the ways."""
    return [it for it in source.split("\n\n") if not re.match(r"\*\*\d+ minutes\*\*|.*\[map\]\(", it)]


def _link(lesson: Lesson, there: dict[Lesson, Path], folder: str = "") -> str:
    return f"[{lesson.title}]({folder}{there[lesson].name})" if lesson in there else lesson.title


def _with_table(text: str, head: str, rows: list[str]) -> str:
    """The text with the rows of the table that has this head replaced. Raises ValueError when there is no such table."""
    table = re.compile(rf"(^{re.escape(head)}\n\|[-|]+\|\n)(?:\|.*(?:\n|\Z))*", re.MULTILINE)
    if not table.search(text):
        raise ValueError(f"there is no table with the head {head!r}; put it back, its rows are written by `build`")
    end = "" if text.rstrip("\n") == text and table.search(text).end() == len(text) else "\n"
    return table.sub(lambda found: found[1] + "\n".join(rows) + end, text, count=1)
