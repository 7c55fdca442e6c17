"""The results for people: gradebook, a page for each learner, the instructor's page, and files for
platforms and machines.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from classroom.checks import Exercise
from classroom.course import active
from classroom.grading import plain
from classroom.grading.late import LateRule
from classroom.grading.overrides import Override

from . import changes, pages, platforms, tables
from .by_hand import apply
from .marks import Gradebook, GradedWork, Handed, Mark, Person
from .own_class import OwnClass
from .reading import absent, waiting, works_of

__all__ = ["Gradebook", "GradedWork", "Handed", "Person", "read", "write"]

MARKER = ".grading.json"
"""The file in DIR that says that grading made the folder, and which files in it are grading's own.
"""


def read(
    results: Iterable[Path],
    *,
    learners: Iterable[str] = (),
    notebooks: Iterable[str] = (),
    unread: Iterable[tuple[str, str]] = (),
    aside: Iterable[tuple[str, str]] = (),
    rule: LateRule | None = None,
    handed: Mapping[tuple[str, str], Handed] | None = None,
    overrides: Sequence[Override] = (),
    own_class: OwnClass | None = None,
) -> Gradebook:
    """The reports as a gradebook. Never raises for a bad report.

    A learner who is named in `learners` and handed in nothing gets no points. A notebook that is
    named in `notebooks` (such as 03_deterministic_supervisor), or that others handed in, gives no
    points to those who did not hand it in. What is in `handed`, by learner and notebook, and has no
    report has no mark yet. `own_class` says what counts in this class. `overrides` are applied
    last.
    """
    handed, own_class = dict(handed or {}), own_class or OwnClass()
    works, problems = works_of(results, rule)
    for key, facts in handed.items():
        if key in works and not facts.pending:
            works[key] = replace(works[key], handed=facts)
        elif key not in works:
            works[key] = waiting(key[1], facts, rule)
    books = sorted({*notebooks, *(notebook for _, notebook in works)})
    books = [book for book in books if own_class.counted(book)]
    works = {key: own_class.of(work) for key, work in works.items()}
    empty = {book: own_class.of(absent(book, rule)) for book in books}
    names = {*learners, *(learner for learner, _ in works)}
    everybody = sorted(names, key=lambda name: (plain.by_letters(name), name))
    pages = _pages(everybody)
    labels = _labels(pages)
    people = []
    for name in everybody:
        own = tuple(works.get((name, book), empty[book]) for book in books)
        people.append(Person(learner=name, page=pages[name], works=own, label=labels[name]))
    graded = {exercise.id: exercise for book in books for exercise in own_class.counted(book)}
    changed, unused = apply(people, overrides)
    return Gradebook(
        exercises=tuple(exercise for _, exercise in sorted(graded.items(), key=_by_number)),
        people=tuple(map(_once, changed)),
        unread=tuple((*unread, *problems)),
        aside=tuple(aside),
        rule=rule,
        unused=tuple(unused),
        own_class=tuple(own_class.in_words()),
    )


def _by_number(item: tuple[str, Exercise]) -> tuple[str, int]:
    lesson, _, number = item[0].partition(".")
    return lesson, int(number)


def _once(person: Person) -> Person:
    """A learner with each exercise in one notebook: where it got the most points after lateness and
    what was changed by hand. An exercise of a sitting is one of a lesson, too.
    """
    best: dict[str, tuple[tuple[float, bool], GradedWork]] = {}
    for work in person.works:
        for mark in work.marks:
            worth = _worth(work, mark)
            if mark.exercise.id not in best or worth > best[mark.exercise.id][0]:
                best[mark.exercise.id] = worth, work
    works = []
    for work in person.works:
        own = tuple(mark for mark in work.marks if best[mark.exercise.id][1] is work)
        others = [mark for mark in work.marks if best[mark.exercise.id][1] is not work]
        elsewhere = tuple((mark, best[mark.exercise.id][1].notebook) for mark in others)
        works.append(replace(work, marks=own, elsewhere=elsewhere))
    return replace(person, works=tuple(works))


def _worth(work: GradedWork, mark: Mark) -> tuple[float, bool]:
    """Returns the worth of a mark beside that of the same exercise in another notebook: less than
    nothing where no file was handed in; of two that are worth nothing, one to come is worth more.
    """
    points = work.rule.after(mark.points, work.submitted) if work.rule else mark.points
    return (points if work.file else -1.0), mark.state == "pending"


def write(out: Path, results: Iterable[Path] | None = None, **facts: object) -> Gradebook:
    """Writes everything below `out` from the reports (by default all in `out/results`), and returns
    the gradebook.

    The other arguments are those of `read`. What an earlier run wrote is replaced, what is not
    grading's own stays; a file appears whole or not at all. Raises OSError when `out` cannot be
    written.
    """
    paths = sorted((out / "results").glob("*.json")) if results is None else results
    book = read(paths, **facts)  # type: ignore[arg-type]
    last = changes.last_gradebook(out / "gradebook.json")
    book = changes.noted(last, book)
    files: dict[str, str | bytes] = {
        "gradebook.csv": tables.as_csv(book),
        "gradebook.json": tables.as_json(book),
    }
    for person in book.people:
        files[f"learners/{person.page}.html"] = pages.of_learner(person, book)
    files |= platforms.files(book, files)
    usable = [file for file in sorted(files) if platforms.use(file, book.exercises)]
    files["index.html"] = pages.of_class(book, usable)
    (out / "learners").mkdir(parents=True, exist_ok=True)
    before = written(out)
    mark(out, sorted({*before, *files}))
    for name, content in files.items():
        _replace(out / name, content)
    for name in before - files.keys():
        (out / name).unlink(missing_ok=True)
    mark(out, sorted(files))
    return book


def written(out: Path) -> set[str]:
    """The files below `out` that grading wrote, by its own list; empty where there is none."""
    try:
        names = json.loads((out / MARKER).read_text(encoding="utf-8"))["files"]
        return {name for name in names if isinstance(name, str) and _is_inside(name)}
    except (OSError, ValueError, KeyError, TypeError):
        return set()


def mark(out: Path, files: Sequence[str] = ()) -> None:
    """Marks `out` as a folder that grading made, with the files that are its own."""
    facts = {"made by": f"{active().command} grade", "files": list(files)}
    _replace(out / MARKER, json.dumps(facts, indent=1) + "\n")


def _is_inside(name: str) -> bool:
    """True if a name of the list is one that grading gives, and leads nowhere else."""
    parts = name.split("/")
    if len(parts) == 1:
        return parts != [".."]
    return len(parts) == 2 and parts[0] == "learners" and parts[1] != ".."


def _replace(path: Path, content: str | bytes) -> None:
    part = path.with_name(f"{path.name}.part")
    if isinstance(content, str):
        part.write_text(content, encoding="utf-8", newline="")
    else:
        part.write_bytes(content)
    os.replace(part, path)


def _pages(learners: list[str]) -> dict[str, str]:
    """A file name for each learner, different also where a file system does not tell upper and
    lower case apart.
    """
    pages: dict[str, str] = {}
    taken: set[str] = set()
    for learner in learners:
        own_name = plain.file_name(learner)
        name = own_name
        number = 2
        while name in taken:
            name = f"{own_name}-{number}"
            number += 1
        pages[learner] = name
        taken.add(name)
    return pages


def _labels(pages: Mapping[str, str]) -> dict[str, str]:
    """Returns the label of each name: where two look alike, with the name of the page behind it."""
    looks = Counter(plain.looks(name) for name in pages)
    return {
        name: f"{name} ({page})" if looks[plain.looks(name)] > 1 else name
        for name, page in pages.items()
    }
