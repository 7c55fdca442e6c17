"""A copy of the course around documents of an instructor's own: what is refused, what is said of the documents, what
depends on ours, and that the copy is a whole course."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from classroom.authoring import tables
from classroom.checks import exercises
from kernel.plumbing.search import LONGEST_TEXT, Corpus
from tests.places import ROOT
from workshop.authoring import adapt, own_documents

WHOLE = (
    "---\nid: {id}\ntitle: {id}\ndate: 2026-01-02\nurl: https://example.org/{id}\n---\n\n{text}\n"
)


@pytest.fixture
def documents(tmp_path):
    """Three documents of a garden, one of them in a folder below."""
    folder = tmp_path / "documents"
    (folder / "more").mkdir(parents=True)
    for id in ("roses", "tomatoes", "more/compost"):
        name = id.rpartition("/")[2]
        text = f"{name.capitalize()} were described in 1912. In 2021 a survey of 340 gardeners liked {name}."
        (folder / f"{id}.md").write_text(WHOLE.format(id=name, text=text), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "is empty; put at least one .md or .txt document into it"),
        ({"a.pdf": b"x"}, "is empty; put at least one .md or .txt document into it"),
    ],
)
def test_documents_that_cannot_be_used_are_refused_with_a_sentence(tmp_path, files, message):
    folder = tmp_path / "documents"
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    with pytest.raises(SystemExit) as refused:
        own_documents.main([str(folder), "--out", str(tmp_path / "copy")])
    assert message in str(refused.value) and not (tmp_path / "copy").exists()


def test_a_folder_that_is_in_use_or_inside_of_the_course_is_refused(tmp_path, documents):
    for folder, message in (
        (documents, "which is there already; expected a new or an empty folder"),
        (ROOT / "my-course", "inside of this course; expected a folder beside it"),
    ):
        with pytest.raises(SystemExit, match=message):
            own_documents.main([str(documents), "--out", str(folder)])


def test_what_documents_lack_is_said_with_their_names(documents):
    assert [*own_documents.remarks(documents)] == []
    (documents / "plan.pdf").write_bytes(b"x")
    (documents / "empty.md").write_text(WHOLE.format(id="empty", text=""), encoding="utf-8")
    (documents / "long.txt").write_text(f"# Long\n\n{'x' * (LONGEST_TEXT + 1)}\n", encoding="utf-8")
    for number in range(8):
        (documents / f"undated-{number}.txt").write_text("A sentence.\n", encoding="utf-8")
    remarks = [*own_documents.remarks(documents)]
    assert [remark.partition(":")[0] for remark in remarks] == [
        "Without any text, so nothing of it is ever found",
        "Without a date, so no brief says from when it is",
        "Without an address (url), so a brief names its id alone",
        "Longer than 20,000 characters",
        "Not read, since only .md and .txt are",
    ]
    assert remarks[0].endswith(": empty.md") and remarks[-1].endswith(": plan.pdf")
    assert remarks[1].endswith("undated-4.txt and 3 more")


def test_the_copy_is_the_course_with_these_documents_and_without_our_tests(documents, tmp_path):
    copy = tmp_path / "copy"
    own_documents.write(copy, documents)
    assert Corpus(copy / "notebooks/data/corpus").documents == Corpus(documents).documents
    assert (copy / "notebooks/data/corpus/more/compost.md").is_file()
    for name in ("kernel", "classroom", "solutions", "exercises", "workshop/course", "README.md"):
        assert (copy / name).exists(), name
    assert not (copy / "tests").exists()


def test_an_exercise_that_opens_documents_is_found_by_doing_it():
    """Lesson 05 has one whose researcher searches the library; its others have libraries of their own or none."""
    assert [each.id for each in adapt.reading(exercises("05"))] == ["05.3", "05.4"]


def test_a_table_is_written_and_a_wrong_answer_that_would_pass_is_named(tmp_path, monkeypatch):
    exercise = exercises("03")[0]
    monkeypatch.setattr(adapt, "path_of", lambda id: tmp_path / f"{id}.json")
    monkeypatch.setattr(tables, "DRAWS", 2)
    assert adapt.unfit(exercise) == ""
    assert '"draws"' in (tmp_path / f"{exercise.id}.json").read_text(encoding="utf-8")
    name = next(iter(exercise.slips))
    row_of = tables.row_of

    def without(exercise, draw):
        row = row_of(exercise, draw)
        for case in row:
            case.slips.pop(name, None)
        return row

    monkeypatch.setattr(tables, "row_of", without)
    assert adapt.unfit(exercise) == f"the wrong answer {name!r} would pass"


def test_a_right_answer_that_would_be_refused_is_named(tmp_path, monkeypatch):
    exercise = exercises("03")[0]
    monkeypatch.setattr(adapt, "path_of", lambda id: tmp_path / f"{id}.json")
    monkeypatch.setattr(tables, "DRAWS", 1)
    monkeypatch.setattr(adapt.answers, "right", lambda id: [adapt.answers.stub(id)])
    assert adapt.unfit(exercise).startswith("a right answer would be refused, for its '")


def test_the_page_names_what_depends_on_documents_and_what_does_not_work():
    found = adapt.Found(
        anew=["notebooks/00_start_here.ipynb"],
        stopped={"notebooks/02_three_specialists.ipynb": "KeyError: 'pgvector'"},
        read_by=["05.2", "05.3"],
        unfit={"05.3": "the wrong answer 'x' would pass"},
    )
    page = adapt.page(["3 documents of your own."], found)
    for line in (
        "- 3 documents of your own.",
        "- 05.2",
        "- 05.3: the wrong answer 'x' would pass",
        "- `notebooks/00_start_here.ipynb`",
        "- `notebooks/02_three_specialists.ipynb`: KeyError: 'pgvector'",
        "- the cents that a lesson costs on a real model, in the lessons and in `README.md`",
        "- the picture and the brief at the head of `README.md`",
    ):
        assert f"\n{line}\n" in page
    assert "Not graded" not in adapt.page([], adapt.Found()) and "none" in adapt.page(
        [], adapt.Found()
    )


def test_why_a_notebook_stops_is_one_line():
    failure = (
        "10_gates.ipynb fails:\nAn error occurred\n\x1b[31mKeyError\x1b[0m  Traceback\n"
        "\x1b[32m----> 3\x1b[0m print(found['feedback'])\n\nKeyError: 'feedback'\n"
    )
    assert adapt.reason(failure) == "KeyError: 'feedback' (at `print(found['feedback'])`)"
    assert len(adapt.reason("x fails:\n" + "E: " + "y" * 5000)) < 220


@pytest.mark.exhaustive
def test_the_whole_way_from_documents_to_marks(documents, tmp_path):
    """The command, and in the copy `handout` and `grade --try`."""
    copy = tmp_path / "copy"
    environ = {**os.environ, "WORKSHOP_NO_VENV": "1"}

    def run(*command, cwd):
        done = subprocess.run(
            [sys.executable, "-m", "workshop", *command],
            cwd=cwd,
            env={**environ, "PYTHONPATH": str(cwd)},
            capture_output=True,
            text=True,
            encoding="utf-8",
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    printed = run("corpus", str(documents), "--out", str(copy), cwd=ROOT)
    page = (copy / adapt.PAGE).read_text(encoding="utf-8")
    assert page in printed and "- 05.3" in page and "`notebooks/00_start_here.ipynb`" in page
    assert "files, without solutions" in run(
        "handout", "--out", str(tmp_path / "course.zip"), cwd=copy
    )
    assert "stubs: 0%, solutions: 100%" in run("grade", "--try", "--exercise", "05", cwd=copy)
