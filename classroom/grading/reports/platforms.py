"""Files that learning platforms import: grades for Moodle and Canvas, and feedback in the
platform's own folders.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Mapping
from html import escape

from classroom.checks import Exercise, exercises
from classroom.course import active
from classroom.grading.plain import cell, plain

from . import tables
from .marks import Gradebook, GradedWork, Person, tidy

MOODLE = [
    "Identifier",
    "Full name",
    "Grade",
    "Maximum Grade",
    "Grade can be changed",
    "Last modified (submission)",
    "Last modified (grade)",
    "Feedback comments",
]
CANVAS = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
WORKSHEET = re.compile(r"moodle-(?!feedback)(?P<book>\w+)\.csv")
WRITTEN = (1980, 1, 1, 0, 0, 0)
"""The time of an entry in a zip: the same marks make the same bytes."""


def use(name: str, counted: Iterable[Exercise]) -> str:
    """Returns the use of one of these files, in a few words; empty for any other file. `counted`
    has the exercises of the gradebook, with their points in this class.
    """
    uses = {
        "canvas.csv": "for Canvas: Grades, Import",
        "canvas-feedback.zip": "for Canvas: Upload submissions",
        "moodle-feedback.zip": "for Moodle: Upload multiple feedback files in a zip",
    }
    worksheet = WORKSHEET.fullmatch(name)
    if worksheet:
        ids = {each.id for each in exercises(worksheet["book"])}
        points = tidy(sum(each.points for each in counted if each.id in ids))
        return f"for Moodle: Upload grading worksheet (the assignment's maximum grade: {points})"
    return uses.get(name, "")


def files(book: Gradebook, pages: Mapping[str, str | bytes]) -> dict[str, str | bytes]:
    """The files by name; none for a platform that nobody's notebook came from. `pages` has the
    learners' pages.
    """
    found: dict[str, str | bytes] = {}
    platforms = {work.handed.platform for person in book.people for work in person.works}
    if "moodle" in platforms:
        lessons = sorted({active().lesson_of(work.notebook) for _, work in _of(book, "moodle")})
        found |= {f"moodle-{lesson}.csv": moodle(book, lesson) for lesson in lessons}
        found["moodle-feedback.zip"] = feedback(book, "moodle", pages)
    if "canvas" in platforms:
        found["canvas.csv"] = canvas(book)
        found["canvas-feedback.zip"] = feedback(book, "canvas", pages)
    return found


def moodle(book: Gradebook, lesson: str) -> str:
    """A grading worksheet for one notebook: Moodle gives people another number in each
    assignment.
    """
    rows = []
    for person, work in _of(book, "moodle"):
        if active().lesson_of(work.notebook) != lesson or work.open:
            continue
        rows.append(
            [
                cell(f"Participant {work.handed.number}"),
                cell(person.learner),
                work.total,
                work.of,
                "Yes",
                "-",
                "-",
                _comment(person, work),
            ]
        )
    return tables.table([MOODLE, *rows])


def canvas(book: Gradebook) -> str:
    """A gradebook with a column for each notebook; people are found by Canvas's own number."""
    works = {work.notebook: work for _, work in _of(book, "canvas")}
    notebooks = [*works]
    rows: dict[str, list[object]] = {}
    for person, work in _of(book, "canvas"):
        number = work.handed.number
        row = rows.setdefault(
            number, [cell(person.learner), cell(number), "", "", "", *[""] * len(notebooks)]
        )
        if not work.open:
            row[len(CANVAS) + notebooks.index(work.notebook)] = work.total
    names = [work.title for work in works.values()]
    points = ["    Points Possible", "", "", "", "", *(work.of for work in works.values())]
    return tables.table([[*CANVAS, *names], points, *rows.values()])


def feedback(book: Gradebook, platform: str, pages: Mapping[str, str | bytes]) -> bytes:
    """A zip with a learner's page in each of the platform's folders, or under the platform's file
    name.
    """
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for person, work in _of(book, platform):
            page = pages.get(f"learners/{person.page}.html")
            upload = work.handed.upload
            if page is None or work.open or not _is_one_name(upload):
                continue
            folder = platform == "moodle"
            name = f"{upload}/feedback.html" if folder else f"{upload}-feedback.html"
            info = zipfile.ZipInfo(name, WRITTEN)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, page)
    return out.getvalue()


def _of(book: Gradebook, platform: str) -> Iterable[tuple[Person, GradedWork]]:
    """Yields the work that came from a platform with a number: each notebook is an assignment."""
    for person in book.people:
        for work in person.works:
            if work.handed.platform == platform and work.handed.number:
                yield person, work.whole


def _is_one_name(name: str) -> bool:
    """True if a name from outside is a safe file name."""
    shown = name not in ("", ".", "..") and plain(name, len(name) + 1, 1) == name
    return shown and not any(each in name for each in "/\\:")


def _comment(person: Person, work: GradedWork) -> str:
    """Returns the comment on Moodle's grade. Moodle takes HTML, so nothing in it may be markup."""
    by_hand = [f"{override.exercise}: {override.reason}" for override in work.overrides]
    comments = [
        *by_hand,
        *(comment for mark in work.marks for comment in mark.comments),
        *work.comments,
    ]
    return cell(escape("; ".join([*comments, *person.comments])))
