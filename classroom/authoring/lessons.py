"""Text that `build` writes into lessons, and of them: minutes, links, the map, README's table."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from classroom.authoring import glossary, headers, needs, your_turn
from classroom.course import Lesson, Sitting, active

MAP = "MAP.md"
"""The page to which every way back leads, beside the lessons. The first lesson's last cell may
hold the same table.
"""
SITTINGS = "| across the lessons | minutes | you see |"
"""The head of the table of sittings in the map."""
WORDS_A_MINUTE = 200
CODE_LINE_S = 12
PREDICTION_S = 90


def written(folder: Path | None = None) -> dict[Lesson, Path]:
    """The lessons whose notebook exists in a folder (the course's own unless it is given), in
    order. Raises ValueError for a notebook that is on no list.
    """
    folder = folder or active().notebooks
    known = {lesson.number: lesson for lesson in active().lessons}
    found = {path.name[:2]: path for path in sorted(folder.glob("[0-9][0-9]_*.ipynb"))}
    if unknown := [path.name for number, path in found.items() if number not in known]:
        raise ValueError(
            f"notebooks/{unknown[0]} is in no list; add it to the lessons of the course"
        )
    return {known[number]: path for number, path in found.items()}


def to_read(notebook: Any) -> int:
    """The minutes to read and run a notebook, for somebody who reads every line and types nothing.

    Prose at 200 words a minute, what is folded away too; 12 s a line of code; a minute and a half
    a prediction. Code that is folded, and what cells print, is not counted.
    """
    words = code = predictions = 0
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            prose = re.sub(r"<[^>]+>|(?<=\])\([^)]*\)", "", "\n\n".join(_own(cell.source)))
            words += len(re.findall(r"\w[\w'’-]*", prose))
        elif cell.cell_type == "code":
            code += 0 if your_turn.is_folded(cell) else _lines(cell.source)
            predictions += your_turn.predictions(cell)
    seconds = words * 60 / WORDS_A_MINUTE + code * CODE_LINE_S + predictions * PREDICTION_S
    return math.ceil(seconds / 60)


def _lines(text: str) -> int:
    return sum(bool(line.strip()) for line in text.splitlines())


def total(lesson: Lesson | Sitting, notebook: Any) -> int:
    """The minutes of a lesson: to read, to run, to do its turns and its exercises."""
    return to_read(notebook) + sum(_turns(lesson)) + sum(_exercises(lesson))


def head(lesson: Lesson | Sitting, notebook: Any, name: str) -> str:
    """The minutes that a lesson takes, the course's own line, and what is not everywhere."""
    key = lesson.name if isinstance(lesson, Sitting) else lesson.number
    line = active().line_of(key)
    lines = [minutes(lesson, notebook, name), *([line] if line else []), *needs.sentences(notebook)]
    return "\n".join(lines)


def minutes(lesson: Lesson | Sitting, notebook: Any, name: str) -> str:
    """The minutes that a lesson takes, for reading, its turns and its exercises, in Markdown."""
    turns = _turns(lesson)
    kinds = (
        (turns, f"your turn{'s' * (len(turns) != 1)}"),
        (_exercises(lesson), f"the [exercises](../exercises/{name})"),
    )
    further = [
        f"{sum(parts)} for {kind} ({' + '.join(map(str, parts))})" for parts, kind in kinds if parts
    ]
    whole, read = _in_minutes(total(lesson, notebook)), to_read(notebook)
    if not further:
        return f"**{whole}** to read and run."
    return f"**{whole}**: {', '.join([f'{read} to read and run', *further])}."


def _all_of(times: dict[Lesson, int]) -> str:
    """The time of all lessons: in minutes below two hours, then in hours."""
    number = sum(times.values())
    return f"{number} minutes" if number < 120 else f"about {number / 60:.0f} hours"


def _in_minutes(number: int) -> str:
    return f"{number} minute{'s' * (number != 1)}"


def ways(lesson: Lesson, paths: dict[Lesson, Path], folder: str = "") -> str:
    """The links back, to the map, and on; `folder` leads to the lessons from where they stand."""
    order = list(paths)
    index = order.index(lesson)
    links = [f"[map]({folder}{MAP})"]
    if index:
        before = order[index - 1]
        links.insert(0, f"[← {before.number} {before.title}]({folder}{paths[before].name})")
    if index + 1 < len(order):
        after = order[index + 1]
        links.append(f"[{after.number} {after.title} →]({folder}{paths[after].name})")
    return " · ".join(links)


def waymarked(notebook: Any, path: Path) -> Any:
    """The notebook with its minutes, ways and links to the glossary, in place; another one stays.

    A lesson has minutes and ways in its first cell, and ways in its last one; a solution, and so
    the exercise that is made of it, has its ways in the last one and a header for each exercise.
    """
    folder = path.resolve().parent
    course = active()
    paths = written() if folder in (course.notebooks, course.solutions) else {}
    lesson = next(
        (other for other, other_path in paths.items() if other_path.name == path.name), None
    )
    if paths and (sitting := course.sitting(path.stem)):
        return _waymarked_sitting(notebook, sitting, folder)
    if lesson is None:
        return notebook
    if folder == course.solutions:
        _with_ways_on(notebook, ways(lesson, paths, "../notebooks/"))
        return headers.headed(notebook)
    first, last = notebook.cells[0], notebook.cells[-1]
    first.source = "\n\n".join(_own(first.source))
    glossary.link(your_turn.folded(notebook))
    promised = head(lesson, notebook, path.name)
    first.source = "\n\n".join([*_own(first.source), promised, ways(lesson, paths)])
    last.source = "\n\n".join([*_own(last.source), ways(lesson, paths)])
    if path.name == course.first_notebook:
        duration = f"in {_all_of({**_totals(paths), lesson: total(lesson, notebook)})}"
        last.source = re.sub(r"in (about )?\d+ (minutes|hours)", duration, last.source)
    return notebook


def _waymarked_sitting(notebook: Any, sitting: Sitting, folder: Path) -> Any:
    """A sitting has its minutes and the way to the map, its exercises the way back."""
    if folder == active().solutions:
        back = f"[← {sitting.title}](../notebooks/{sitting.name}.ipynb)"
        _with_ways_on(notebook, f"{back} · [map](../notebooks/{MAP})")
        return notebook
    glossary.link(your_turn.folded(notebook))
    first = notebook.cells[0]
    first.source = "\n\n".join(_own(first.source))
    promised = head(sitting, notebook, f"{sitting.name}.ipynb")
    first.source = "\n\n".join([first.source, promised, f"[map]({MAP})"])
    _with_ways_on(notebook, f"[map]({MAP})")
    return notebook


def _sittings() -> dict[Sitting, int]:
    """The sittings whose notebook exists, with their minutes."""
    import nbformat

    paths = {each: active().notebooks / f"{each.name}.ipynb" for each in active().sittings}
    return {
        sitting: total(sitting, nbformat.read(path, as_version=4))
        for sitting, path in paths.items()
        if path.is_file()
    }


def _sitting_rows(folder: str, entry: Callable[[str], str] | None = None) -> list[str]:
    rows = []
    for sitting, time in _sittings().items():
        further = f" {entry(sitting.name)} |" if entry else ""
        link = f"[{sitting.title}]({folder}{sitting.name}.ipynb)"
        rows.append(f"| {link} | {time} |{further} {sitting.sees} |")
    return rows


def _with_ways_on(notebook: Any, links: str) -> None:
    """Puts the ways into the last cell, a new one where that is code."""
    last = notebook.cells[-1]
    if last.cell_type != "markdown":
        import nbformat

        last = nbformat.v4.new_markdown_cell("", id="on")
        notebook.cells.append(last)
    last.source = "\n\n".join([*_own(last.source), links])


def pages() -> Iterator[tuple[Path, str]]:
    """The map, README and the instructors' page with what they say of the lessons; a page that the
    course does not have, or a table that it does not hold, is left out.
    """
    course, paths = active(), written()
    times = _totals(paths)
    yield course.notebooks / MAP, _map(paths, times)
    for page, write in (
        (course.root / "README.md", _readme),
        (course.root / "docs" / "INSTRUCTORS.md", _instructors),
        (course.root / needs.PAGE, _editions),
    ):
        if page.is_file():
            yield page, write(page.read_text(encoding="utf-8"), paths, times)


def _readme(text: str, paths: dict[Lesson, Path], times: dict[Lesson, int]) -> str:
    """README with the table of each track, and its "about N hours in all"."""
    title, entry = active().column or ("", None)
    text = re.sub(r"(about \d+ hours|\d+ minutes) in all", f"{_all_of(times)} in all", text)
    for name, track in (active().tracks or {"lesson": active().lessons}).items():
        rows = [
            f"| {lesson.number} | {_link(lesson, paths, 'notebooks/')} "
            f"| {times[lesson]} |{f' {entry(lesson.number)} |' if entry else ''} {lesson.sees} |"
            for lesson in track
            if lesson in paths
        ]
        further = f" {title} |" if title else ""
        text = _with_table(text, f"| | {name} | minutes |{further} you see |", rows)
    further = f"| across the lessons | minutes |{f' {title} |' if title else ''} you see |"
    return _with_table(text, further, _sitting_rows("notebooks/", entry))


def _instructors(text: str, paths: dict[Lesson, Path], times: dict[Lesson, int]) -> str:
    """The instructors' page with the minutes of each lesson, and of each plan."""
    for lesson in paths:
        text = re.sub(
            rf"^## {lesson.number} .*$",
            f"## {lesson.number} {lesson.title} ({times[lesson]} minutes)",
            text,
            flags=re.MULTILINE,
        )
    return _with_table(text, "| plan | lessons | alone | with a room |", _plans(times))


def _editions(text: str, paths: dict[Lesson, Path], times: dict[Lesson, int]) -> str:
    """The page on editions with the row of each lesson."""
    import nbformat

    rows = [
        needs.row(lesson.number, lesson.title, nbformat.read(path, as_version=4))
        for lesson, path in paths.items()
    ]
    return _with_table(text, needs.TABLE, rows)


def _plans(times: dict[Lesson, int]) -> list[str]:
    """A row for each plan: its lessons, their minutes alone, and half as much again in a room."""
    minutes = {lesson.number: time for lesson, time in times.items()}
    evenings = {sitting.name: (sitting, time) for sitting, time in _sittings().items()}
    minutes |= {name: time for name, (_, time) in evenings.items()}
    rows = []
    for name, numbers in active().plans.items():
        alone = sum(minutes.get(number, 0) for number in numbers)
        ours = [
            f"[{evenings[one][0].title}](../notebooks/{one}.ipynb)"
            for one in numbers
            if one in evenings
        ]
        numbered = tuple(one for one in numbers if one not in evenings)
        content = ", ".join([*ours, *([_ranges(numbered)] if numbered else [])])
        rows.append(f"| {name} | {content} | {alone} min | {alone * 3 // 2} min |")
    return rows


def _ranges(numbers: tuple[str, ...]) -> str:
    """Numbers in order, with what follows on each other joined: `00, 02–04`."""
    runs: list[list[str]] = []
    for number in numbers:
        if runs and int(runs[-1][-1]) + 1 == int(number):
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(run[0] if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs)


def _map(paths: dict[Lesson, Path], times: dict[Lesson, int]) -> str:
    """The page with every lesson, its exercises and its minutes."""
    rows = [
        f"| {lesson.number} | {_link(lesson, paths)} | {_exercise_link(lesson, paths)} "
        f"| {_minutes(lesson, times)} | {lesson.sees} |"
        for lesson in active().lessons
    ]
    sittings = _sitting_rows("")
    return "\n".join(
        [
            "# The map",
            "",
            f"Each lesson builds on the ones before it; all of them take {_all_of(times)}.",
            "",
            "| | lesson | exercises | minutes | you see |",
            "|---|---|---|---|---|",
            *rows,
            *(["", SITTINGS, "|---|---|---|", *sittings] if sittings else []),
            "",
            "How far you are: run `progress()` in the last cell of any exercise notebook.",
            "",
        ]
    )


def _exercise_link(lesson: Lesson, paths: dict[Lesson, Path]) -> str:
    if lesson not in paths or not (count := len(_exercises(lesson))):
        return ""
    turns = len(_turns(lesson))
    inside = f"{turns} turn{'s' * (turns != 1)}, " if turns else ""
    return f"{inside}[{count} exercise{'s' * (count != 1)}](../exercises/{paths[lesson].name})"


def _totals(paths: dict[Lesson, Path]) -> dict[Lesson, int]:
    import nbformat

    return {
        lesson: total(lesson, nbformat.read(path, as_version=4)) for lesson, path in paths.items()
    }


def _minutes(lesson: Lesson, times: dict[Lesson, int]) -> str:
    return str(times[lesson]) if lesson in times else ""


def _exercises(lesson: Lesson | Sitting) -> list[int]:
    """The minutes of each exercise."""
    from classroom.checks import exercises  # not at the top: that would be a circle

    name = lesson.name if isinstance(lesson, Sitting) else lesson.number
    return [exercise.minutes for exercise in exercises(name)]


def _turns(lesson: Lesson | Sitting) -> list[int]:
    """The minutes of each turn."""
    from classroom.checks.register import turns  # not at the top: that would be a circle

    return [] if isinstance(lesson, Sitting) else [turn.minutes for turn in turns(lesson.number)]


def _own(source: str) -> list[str]:
    """The paragraphs that a person wrote: all but the minutes and the ways."""
    return [
        part
        for part in source.split("\n\n")
        if part.strip() and not re.match(r"\*\*\d+ minutes?\*\*|\[← |.*\[map\]\(", part)
    ]


def _link(lesson: Lesson, paths: dict[Lesson, Path], folder: str = "") -> str:
    return f"[{lesson.title}]({folder}{paths[lesson].name})" if lesson in paths else lesson.title


def _with_table(text: str, head: str, rows: list[str]) -> str:
    """The text with the rows of the table that has this head replaced; a text without such a table
    stays.
    """
    table = re.compile(rf"(^{re.escape(head)}\n\|[-|]+\|\n)(?:\|.*(?:\n|\Z))*", re.MULTILINE)
    found = table.search(text)
    if not found:
        return text
    end = "" if text.rstrip("\n") == text and found.end() == len(text) else "\n"
    return table.sub(lambda found: found[1] + "\n".join(rows) + end, text, count=1)
