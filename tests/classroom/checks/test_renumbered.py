"""Exercises that had other numbers: what an old answer, its progress, its copy, its submission and
its marks become.
"""

from __future__ import annotations

import json

import pytest

from classroom.checks import check, exercises, renumbered
from classroom.checks.register import UnknownExercise, exercise
from classroom.checks.renumbered import OldExercise, Table
from classroom.grading import intake, overrides
from classroom.grading.intake import answers, notebook_json
from classroom.grading.reports import changes
from tests.classroom.checks.test_board import PROGRESS, file  # noqa: F401
from tests.places import SOLUTIONS

OLD, NEW = "08_an_older_name", "00_start_here"
TABLE = Table(
    "abc1234",
    {OLD: NEW},
    (
        OldExercise("08.1", "sent_back_to", "Older title", "00.1"),
        OldExercise("08.2", "no_more", "Gone", ""),
    ),
)


@pytest.fixture
def table(monkeypatch):
    name = exercise("00.1").name
    rows = (TABLE.rows[0]._replace(name=name), TABLE.rows[1])
    made = Table(TABLE.commit, TABLE.notebooks, rows)
    monkeypatch.setattr(renumbered, "table", lambda: made)
    return made


def older():
    """The notebook of lesson 00 with our solutions, under the numbers of an earlier course."""
    [path] = SOLUTIONS.glob("00_*.ipynb")
    text = path.read_text(encoding="utf-8").replace("00.1", "08.1").replace("00-1", "08-1")
    return json.loads(text)


def today():
    [path] = SOLUTIONS.glob("00_*.ipynb")
    return json.loads(path.read_text(encoding="utf-8"))


# ── the table of this course ──────────────────────────────────────────────────────────────────────


def test_each_row_leads_to_an_exercise_and_no_row_is_one_of_today():
    known = {each.id: each.name for each in exercises()}
    table = renumbered.table()
    assert table.rows
    for row in table.rows:
        assert not row.now or known[row.now] == row.name, row
        assert known.get(row.was) != row.name, row
        assert not row.instead or (row.instead in known and not row.now), row
    stems = {path.stem for path in SOLUTIONS.glob("*.ipynb")}
    assert set(table.notebooks.values()) <= stems
    assert not set(table.notebooks) & stems


def test_an_id_that_stands_in_two_rows_has_two_names():
    pairs = [(row.was, row.name) for row in renumbered.table().rows]
    assert len(pairs) == len(set(pairs))


# ── notebooks ─────────────────────────────────────────────────────────────────────────────────────


def test_an_old_notebook_gets_the_ids_of_today_and_a_sentence(table):
    notebook = older()
    sentences = renumbered.bring_up(notebook)
    assert sentences == [
        "made for an earlier numbering of the exercises: 08.1 is 00.1 now",
    ]
    ids = [cell["id"] for cell in notebook["cells"]]
    assert ids == [cell["id"] for cell in today()["cells"]]
    facts = [cell["metadata"].get("workshop") for cell in notebook["cells"]]
    assert facts == [cell["metadata"].get("workshop") for cell in today()["cells"]]
    assert any('check("00.1", ' in "".join(cell["source"]) for cell in notebook["cells"])


def test_a_notebook_of_today_stays_as_it_is():
    for path in SOLUTIONS.glob("*.ipynb"):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        before = json.dumps(notebook)
        assert renumbered.bring_up(notebook) == []
        assert json.dumps(notebook) == before, path.name


def test_an_exercise_that_is_gone_keeps_its_cell_and_names_the_course_that_grades_it(table):
    cell = {
        "cell_type": "code",
        "id": "answer-08-2",
        "source": "def no_more():\n    return 1",
        "metadata": {"workshop": {"id": "08.2", "role": "answer"}},
    }
    [sentence] = renumbered.bring_up({"cells": [cell]})
    assert sentence == (
        "08.2 Gone is no longer part of this course; the course at commit abc1234 checks and grades it"
    )
    assert cell["source"].startswith("def no_more")
    assert notebook_json.ids({"cells": [cell]}) == []


@pytest.mark.parametrize(
    "cell",
    [
        None,
        {},
        {"id": 7, "metadata": []},
        {"id": "answer-08-1", "metadata": {"workshop": {"id": ["08.1"]}}, "source": {"a": 1}},
        {"id": "answer-08-1", "metadata": None, "source": ["def no_more", 7]},
    ],
)
def test_a_cell_of_any_shape_does_no_harm(table, cell):
    renumbered.bring_up({"cells": [cell]})


def test_a_cell_without_metadata_is_known_by_its_id(table):
    notebook = older()
    for cell in notebook["cells"]:
        cell["metadata"] = {}
    assert renumbered.bring_up(notebook)
    assert "answer-00-1" in [cell["id"] for cell in notebook["cells"]]


# ── a learner ─────────────────────────────────────────────────────────────────────────────────────


def test_a_check_with_an_old_id_is_one_of_the_exercise_of_today(table):
    space = {}
    source = next(
        "".join(cell["source"]) for cell in older()["cells"] if cell["id"] == "answer-08-1"
    )
    exec(source, space)
    verdict = check("08.1", space[exercise("00.1").name])
    assert verdict.passed
    assert verdict.text().startswith("00.1 ")


def test_an_exercise_that_is_gone_may_name_its_own_commit_and_the_one_on_its_subject():
    row = OldExercise("08.2", "no_more", "Gone", "", instead="00.1", commit="def5678")
    assert TABLE.gone(row) == (
        "08.2 Gone is no longer part of this course; the course at commit def5678 checks and grades it"
        "; 00.1 is on its subject now"
    )


def test_a_check_of_an_exercise_that_is_gone_says_so(table):
    def no_more():
        return 1

    with pytest.raises(
        UnknownExercise, match="no longer part of this course; the course at commit"
    ):
        check("08.2", no_more)


def test_progress_moves_along(table, file):  # noqa: F811
    answer = f"def {exercise('00.1').name}(log):\n    return []"
    facts = {
        "passed": True,
        "answer": answer,
        "notebooks": {f"/home/ada/{OLD}.ipynb": {"passed": True}},
    }
    other = {"passed": False, "answer": "def as_executable(f): ..."}
    file.write_text(
        json.dumps({"version": 1, "exercises": {"08.1": facts, "08.3": other}}), encoding="utf-8"
    )
    found = PROGRESS.what_counts()
    assert found["00.1"]["passed"] and "08.1" not in found
    assert found["00.1"]["notebooks"] == {f"/home/ada/{NEW}.ipynb": {"passed": True}}
    assert found["08.3"] == other


# ── grading ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", [f"ada_{OLD}.ipynb", "ada_08.ipynb", "ada.ipynb"])
def test_an_old_submission_is_graded_as_one_of_today(table, tmp_path, name):
    folder = tmp_path / "class"
    folder.mkdir()
    (folder / name).write_text(json.dumps(older()), encoding="utf-8")
    found = intake.read(folder, scratch=tmp_path / "scratch")
    [submission] = found.submissions
    assert (submission.learner, submission.notebook) == ("ada", NEW)
    assert any("08.1 is 00.1 now" in problem for problem in submission.problems)
    merged = answers.merge(notebook_json.read(submission.path.read_bytes()), answers.master(NEW))
    assert "00.1" in merged.answers


def book(**exercises):
    return {
        "exercises": [{"id": "08.1", "title": "Older title"}, {"id": "01.1", "title": "x"}],
        "learners": [
            {
                "learner": "ada",
                "exercises": {"08.1": {"points": 2}, "01.1": {"points": 1}},
                "notebooks": {OLD: {"sha256": "a"}},
            }
        ],
        "changes": [{"exercise": "08.1", "learner": "ada"}],
    }


def test_an_old_gradebook_is_compared_under_the_ids_of_today(table, tmp_path):
    path = tmp_path / "gradebook.json"
    path.write_text(json.dumps(book()), encoding="utf-8")
    last = changes.last_gradebook(path)
    [ada] = last["learners"]
    assert ada["exercises"] == {"00.1": {"points": 2}, "01.1": {"points": 1}}
    assert list(ada["notebooks"]) == [NEW]
    assert last["changes"] == [{"exercise": "00.1", "learner": "ada"}]


def test_rows_by_hand_get_the_ids_of_today_once_and_only_in_their_column(table, tmp_path):
    path = tmp_path / overrides.FILE
    path.write_text(
        "learner,exercise,points,due,reason,comment\nada,8.1,1,,08.1 was fine,\nbob,08,,,,8\ncy\n",
        encoding="utf-8",
    )
    sentence = overrides.bring_up(path, book())
    assert sentence.startswith("overrides.csv has the numbers that exercises have now")
    text = path.read_text(encoding="utf-8-sig")
    assert text.split() == [
        "learner,exercise,points,due,reason,comment",
        "ada,00.1,1,,08.1",
        "was",
        "fine,",
        "bob,00,,,,8",
        "cy",
    ]
    assert overrides.bring_up(path, book()) == ""
    assert path.read_text(encoding="utf-8-sig") == text


def test_a_row_by_hand_on_an_exercise_that_is_gone_is_refused_with_its_line(table, tmp_path):
    path = tmp_path / overrides.FILE
    path.write_text("learner,exercise,points,reason\nada,08.2,1,fine\n", encoding="utf-8")
    last = {**book(), "exercises": [{"id": "08.2", "title": "Gone"}]}
    with pytest.raises(overrides.Unusable, match="line 2: 08.2 Gone is no longer part"):
        overrides.bring_up(path, last)
    assert not path.with_name(overrides.KEPT).exists()
