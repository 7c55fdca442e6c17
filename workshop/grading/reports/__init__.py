"""The results for people: gradebook, a page for each learner, the instructor's page, and JUnit for machines."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from workshop.checks import Exercise, exercises
from workshop.grading.late import LateRule

from . import class_page, junit, learner_markdown, learner_page, plain, tables
from .marks import Gradebook, Person, Work
from .reading import absent, works_of

__all__ = ["Gradebook", "Person", "Work", "read", "write"]


def read(
    results: Iterable[Path],
    *,
    learners: Iterable[str] = (),
    notebooks: Iterable[str] = (),
    unread: Iterable[tuple[str, str]] = (),
    aside: Iterable[tuple[str, str]] = (),
    rule: LateRule | None = None,
) -> Gradebook:
    """The reports as a gradebook. Who is named in `learners` and has no report gets nothing; so does a notebook in
    `notebooks` (such as 03_deterministic_supervisor), or one that others handed in. Never raises for a bad report.
    """
    works, problems = works_of(results, rule)
    books = sorted({notebook for _, notebook in works} | set(notebooks))
    empty = {book: absent(book, rule) for book in books}
    everybody = sorted({learner for learner, _ in works} | set(learners), key=lambda it: (it.casefold(), it))
    pages = _pages(everybody)
    people = tuple(
        Person(learner=it, page=pages[it], works=tuple(works.get((it, book), empty[book]) for book in books)) for it in everybody
    )
    graded: list[Exercise] = [it for book in books for it in exercises(book[:2])]
    return Gradebook(exercises=tuple(graded), people=people, unread=tuple((*unread, *problems)), aside=tuple(aside), rule=rule)


def write(
    out: Path,
    results: Iterable[Path] | None = None,
    *,
    learners: Iterable[str] = (),
    notebooks: Iterable[str] = (),
    unread: Iterable[tuple[str, str]] = (),
    aside: Iterable[tuple[str, str]] = (),
    rule: LateRule | None = None,
) -> Gradebook:
    """Writes everything below `out` from the reports (by default all in `out/results`), and returns the gradebook.

    What an earlier run wrote is replaced; a file appears whole or not at all. Raises OSError when `out` cannot be written.
    """
    book = read(
        sorted((out / "results").glob("*.json")) if results is None else results,
        learners=learners,
        notebooks=notebooks,
        unread=unread,
        aside=aside,
        rule=rule,
    )
    shutil.rmtree(out / "learners", ignore_errors=True)
    files = {
        "gradebook.csv": tables.as_csv(book),
        "gradebook.json": tables.as_json(book),
        "results.jsonl": tables.as_lines(book),
        "junit.xml": junit.as_xml(book),
        "index.html": class_page.page(book),
    }
    for person in book.people:
        files[f"learners/{person.page}.md"] = learner_markdown.page(person, book)
        files[f"learners/{person.page}.html"] = learner_page.page(person, book)
    (out / "learners").mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        part = out / f"{name}.part"
        part.write_text(text, encoding="utf-8", newline="")
        os.replace(part, out / name)
    return book


def _pages(learners: list[str]) -> dict[str, str]:
    """A file name for each learner, different also where a file system does not tell upper and lower case apart."""
    pages: dict[str, str] = {}
    for learner in learners:
        name, number = plain.file_name(learner), 2
        while name in pages.values():
            name, number = f"{plain.file_name(learner)}-{number}", number + 1
        pages[learner] = name
    return pages
