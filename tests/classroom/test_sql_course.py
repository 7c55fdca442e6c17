"""A second course on the toolkit, on SQL: built, learned, handed out, graded, and made a site."""

from __future__ import annotations

import csv
import json
import shutil
import zipfile
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from tests.classroom.at_work import done, learner, ran
from tests.classroom.grading.small_class import WITHOUT

SOURCE = Path(__file__).resolve().parent / "sql_course"
ROWS, TABLES = "01_rows.ipynb", "02_two_tables.ipynb"
TEXTS = (".py", ".md", ".toml", ".ipynb", ".txt", ".json")


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """The course, built from its sources."""
    folder = tmp_path_factory.mktemp("sql") / "course"
    shutil.copytree(SOURCE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    done(folder, "build")
    return folder


def texts(folder: Path) -> dict[Path, str]:
    """The texts below a folder."""
    paths = [path for path in folder.rglob("*") if path.suffix in TEXTS]
    return {path: path.read_text(encoding="utf-8") for path in paths}


def answer_of(folder: Path, id: str) -> str:
    """Our answer to an exercise, as its cell holds it."""
    [path] = (folder / "solutions").glob(f"{id[:2]}_*.ipynb")
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["metadata"].get("classroom") == {"id": id, "role": "answer"}:
            return "".join(cell["source"])
    raise LookupError(id)


def test_it_is_about_something_else():
    for path, text in texts(SOURCE).items():
        for word in ("supervisor", "agent", "offline_model", "workshop", "kernel import"):
            assert word not in text.lower(), path


def test_what_was_built_is_up_to_date_and_every_slip_is_told_apart(course):
    assert "differs" not in done(course, "build", "--check")
    tables = sorted((course / "lessons").glob("*/built/*.json"))
    assert [path.stem for path in tables] == ["01.1", "01.2", "02.1"]
    assert "image/svg+xml" in (course / "notebooks" / TABLES).read_text(encoding="utf-8")


def test_a_slip_that_nothing_shows_is_refused(course, tmp_path):
    folder = tmp_path / "course"
    shutil.copytree(course, folder)
    words = folder / "lessons/lesson_02/words.toml"
    text = words.read_text(encoding="utf-8")
    unseen = text.replace('["price * amount", "price"]', '["price * amount", "amount * price"]')
    words.write_text(unseen, encoding="utf-8")
    process = ran(folder, "build", "--exercises", "02")
    assert process.returncode == 1
    assert "the slip 'one of each' of 02.1 passes" in process.stderr


def test_a_learner_is_told_what_is_right_and_which_slip_was_made(course, tmp_path):
    done(course, "handout", "--out", tmp_path / "course.zip")
    with zipfile.ZipFile(tmp_path / "course.zip") as archive:
        archive.extractall(tmp_path)
    folder = tmp_path / "questions-to-tables"
    lines = [line.strip() for id in ("01.1", "01.2", "02.1") for line in solution(course, id)]
    for path, text in texts(folder).items():
        assert not [line for line in lines if len(line) > 30 and line in text], path
        assert path.name != "words.toml" or "change = " not in text
    with learner(folder / "exercises") as cell:
        cell("from classroom.checks import check, solution")
        cell(answer_of(course, "02.1"))
        verdict = cell("check('02.1', spent)")
        assert "02.1 What everybody spent: passed" in verdict and "spent most: " in verdict
        left = "next 01.1 Dear things, in [the exercises of lesson 01](../exercises/01_rows.ipynb)"
        assert left in " ".join(verdict.split())
        cell(answer_of(course, "01.1"))
        verdict = " ".join(cell("check('01.1', dear)").split())
        assert "next 01.2 " in verdict and "further down in this notebook." in verdict
        cell(answer_of(course, "02.1").replace("left join bought", "join bought"))
        verdict = cell("check('02.1', spent)")
        assert ": wrong" in verdict and "drops rows without a partner" in " ".join(verdict.split())
        cell("def price_of(connection, name): return connection.execute('select')")
        assert "OperationalError" in cell("check('01.2', price_of)")
        assert "your instructor has it" in cell("solution('02.1')")


def solution(course: Path, id: str) -> list[str]:
    """The lines between the marks of our answer."""
    body = answer_of(course, id).partition("# solution\n")[2]
    return body.partition("# end solution")[0].splitlines()


# ── a class of ten ─────────────────────────────────────────────────────────────────────────────

DROPS = """
def dear(connection, price):
    connection.execute("drop table things")
    connection.close()
    return []
"""
FORGES = """
def dear(connection, price): ...

import classroom.observing
classroom.observing.show = lambda *given: (
    '{"seen": [["names", []]], "called": "", "empty": false, "crash": null, "case": "%s"}' % given[5]
)
"""
SEARCHES = """
def dear(connection, price):
    import pathlib, sys
    places = [pathlib.Path(place or ".") for place in sys.path]
    for name in ("words.toml", "inputs.py", "built", "right"):
        if any([*place.glob(f"lessons/*/{name}")] for place in places):
            query = "select name from things where price > ? order by price desc, name"
            return [name for (name,) in connection.execute(query, (price,))]
"""


class Submission:
    """Our notebook of a lesson, with other answers."""

    def __init__(self, course: Path, name: str) -> None:
        text = (course / "solutions" / name).read_text(encoding="utf-8")
        self.course, self.notebook = course, json.loads(text)

    def with_answer(self, id: str, source: str) -> Submission:
        for cell in self.notebook["cells"]:
            if cell["metadata"].get("classroom") == {"id": id, "role": "answer"}:
                cell["source"] = source
        return self

    def changed(self, id: str, old: str, new: str) -> Submission:
        source = answer_of(self.course, id)
        assert old in source
        return self.with_answer(id, source.replace(old, new))

    def without_checks(self) -> Submission:
        cells = self.notebook["cells"]
        is_check = [cell["metadata"].get("classroom", {}).get("role") == "check" for cell in cells]
        self.notebook["cells"] = [
            cell for cell, left_out in zip(cells, is_check, strict=True) if not left_out
        ]
        return self

    def in_other_words(self, *ids: str) -> Submission:
        for id in ids:
            path = self.course / "lessons" / f"lesson_{id[:2]}" / "right" / f"{id}.py"
            self.with_answer(id, path.read_text(encoding="utf-8"))
        return self


MARKS = {
    "Ada": 13,
    "Bo": 8,
    "Cleo": 0,
    "Dan": 7,
    "Eve": 6,
    "Fay": 3,
    "Gus": 8,
    "Hal drops": 4,
    "Kim forges": 0,
    "Lou searches": 4,
}
"""Of 13 points: 8 for the first notebook, 5 for the second."""


def handed_in(course: Path) -> dict[str, list[Submission]]:
    """What each of the ten hands in."""

    def rows() -> Submission:
        return Submission(course, ROWS)

    def tables() -> Submission:
        return Submission(course, TABLES)

    stub = rows()
    stub.notebook = json.loads((course / "exercises" / ROWS).read_text(encoding="utf-8"))
    pasted = "f\"select price from things where name = '{name}'\""
    return {
        "Ada": [rows(), tables().in_other_words("02.1")],
        "Bo": [rows().in_other_words("01.1", "01.2")],
        "Cleo": [stub],
        "Dan": [rows().changed("01.1", "price > ?", "price >= ?")],
        "Eve": [
            rows().changed("01.2", '"select price from things where name = ?", (name,)', pasted)
        ],
        "Fay": [tables().changed("02.1", "left join bought", "join bought")],
        "Gus": [rows().without_checks()],
        "Hal drops": [rows().with_answer("01.1", DROPS)],
        "Kim forges": [rows().with_answer("01.1", FORGES)],
        "Lou searches": [rows().with_answer("01.1", SEARCHES)],
    }


@pytest.fixture(scope="module")
def marks(course, tmp_path_factory):
    """The folder of results of the ten."""
    place = tmp_path_factory.mktemp("marks")
    for name, submissions in handed_in(course).items():
        (place / "class" / name).mkdir(parents=True)
        for submission in submissions:
            title = "".join(submission.notebook["cells"][0]["source"])
            file = ROWS if "01" in title else TABLES
            text = json.dumps(submission.notebook)
            (place / "class" / name / file).write_text(text, encoding="utf-8")
    done(course, "grade", place / "class", "--out", place / "out", "--timeout", 5, *WITHOUT)
    return place / "out"


def test_each_of_ten_gets_the_points_of_what_is_right(marks):
    with (marks / "gradebook.csv").open(encoding="utf-8-sig", newline="") as file:
        points = {row["learner"]: float(row["points"]) for row in csv.DictReader(file)}
    assert points == MARKS


def test_a_page_says_why_points_were_lost(marks):
    assert "thing that costs just as much came back" in page_of(marks, "Dan")
    assert "drops rows without a partner" in page_of(marks, "Fay")


def page_of(marks: Path, learner: str) -> str:
    """A learner's page as text."""
    book = json.loads((marks / "gradebook.json").read_text(encoding="utf-8"))
    [page] = [one["page"] for one in book["learners"] if one["learner"] == learner]
    return BeautifulSoup((marks / page).read_text(encoding="utf-8"), "html.parser").get_text()


def test_the_site_holds_lessons_and_exercises_and_no_solution(course, tmp_path):
    process = ran(course, "site", "--out", tmp_path / "site")
    if "The site needs" in process.stderr:
        pytest.skip(process.stderr.strip())
    assert process.returncode == 0, process.stderr
    pages = texts_of_site(tmp_path / "site")
    assert {"index.html", "notebooks/01_rows.html", "exercises/02_two_tables.html"} <= pages.keys()
    assert {"notebooks/MAP.html", "search.html"} <= pages.keys()
    assert "image/svg+xml" in pages["notebooks/02_two_tables.html"]
    assert not [name for name, text in pages.items() if "coalesce(sum(price" in text]


def texts_of_site(folder: Path) -> dict[str, str]:
    """The pages by their paths."""
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in folder.rglob("*.html")
    }
