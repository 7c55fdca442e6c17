"""The instructor's own changes: what a row may say, and that a wrong one is refused with its line before anything is graded."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classroom.grading import command, overrides

from .small_class import LEARNERS, SEED, hand_in

WORTH = {"03.1": 3, "03.2": 3}
HEAD = "learner,exercise,points,due,reason,comment\n"


@pytest.fixture
def read(tmp_path):
    def reading(text, **how):
        file = tmp_path / "overrides.csv"
        file.write_text(text, encoding=how.get("encoding", "utf-8"))
        return overrides.read(file, WORTH)

    return reading


def test_a_row_gives_points_a_due_time_or_a_comment(read):
    rows = read(
        HEAD
        + "ada,03.1,2,,good idea,see me\n\nbob,03,,2026-11-22T18:00Z,was ill,\neve,,,,,well done\n"
    )
    assert [(row.learner, row.exercise, row.points, row.row) for row in rows] == [
        ("ada", "03.1", 2, 2),
        ("bob", "03", None, 4),
        ("eve", "", None, 5),
    ]
    assert rows[1].due.isoformat() == "2026-11-22T18:00:00+00:00" and rows[2].comment == "well done"


def test_a_sitting_is_named_like_a_notebook(read):
    rows = read(HEAD + "ada,the_sitting,,2026-11-22T18:00Z,was ill,\n")
    assert [(row.exercise, row.due.day) for row in rows] == [("the_sitting", 22)]
    with pytest.raises(overrides.Unusable, match="points '2' need an exercise, such as 03"):
        read(HEAD + "ada,the_sitting,2,,why,\n")
    with pytest.raises(overrides.Unusable, match="a notebook such as 03 or the_sitting"):
        read(HEAD + "ada,sitting,,,,hello\n")


def test_what_spreadsheets_make_of_a_table_is_read(read):
    rows = read(
        "\ufeffReason;Learner;Points;Exercise\nwhy;'=ada;1,5;3.1\nwhy;bob;2;03.2\n",
    )
    assert [(row.learner, row.exercise, row.points) for row in rows] == [
        ("=ada", "03.1", 1.5),
        ("bob", "03.2", 2),
    ]


def test_there_need_not_be_a_file_and_the_one_that_is_begun_changes_nothing(tmp_path):
    file = tmp_path / "overrides.csv"
    assert overrides.read(file, WORTH) == ()
    overrides.begin(file)
    assert overrides.read(file, WORTH) == ()
    file.write_text(HEAD + "ada,,,,,hello\n", encoding="utf-8")
    overrides.begin(file)
    assert len(overrides.read(file, WORTH)) == 1, "it is the instructor's from then on"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD + "ada,03.1,4,,why,\n", "line 2: points '4': expected a number from 0 to 3"),
        (HEAD + "ada,03.1,-1,,why,\n", "expected a number from 0"),
        (HEAD + "ada,03.1,nan,,why,\n", "expected a number from 0"),
        (HEAD + "ada,03.1,two,,why,\n", "expected a number from 0"),
        (HEAD + "ada,03,2,,why,\n", "need an exercise"),
        (HEAD + "ada,3.9,2,,why,\n", "exercise '3.9'"),
        (HEAD + "ada,03.1,2,,,\n", "need a reason"),
        (HEAD + "ada,03.1,,,,\n", "changes nothing"),
        (HEAD + ",03.1,2,,why,\n", "names no learner"),
        (HEAD + "ada,03,,tomorrow,why,\n", "'tomorrow' is no time with its zone"),
        (HEAD + "ada,03.1,2,,why,\nADA,03.1,1,,why,\n", "line 3: line 2 gives"),
        ("learner,grade\n", "columns are learner, grade; expected learner"),
        ("points\n", "columns are points; expected learner"),
    ],
)
def test_what_makes_no_sense_is_refused_with_its_line(read, text, message):
    with pytest.raises(overrides.Unusable, match=message):
        read(text)


def test_another_encoding_is_refused_with_what_to_do(read):
    with pytest.raises(overrides.Unusable, match="CSV UTF-8"):
        read(HEAD + "André,,,,,hello\n", encoding="latin-1")


@given(st.text(alphabet='ab03.1,;"\n\r-\0é', max_size=80))
def test_a_file_is_read_or_refused_and_never_anything_else(tmp_path_factory, text):
    file = tmp_path_factory.mktemp("x") / "overrides.csv"
    file.write_text(HEAD + text, encoding="utf-8", newline="")
    try:
        overrides.read(file, WORTH)
    except overrides.Unusable as problem:
        assert str(file) in str(problem)


def test_a_wrong_row_stops_the_command_before_anything_is_changed(tmp_path, capsys, table_engine):
    hand_in(tmp_path / "class", {"ada": LEARNERS["di"]})
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "overrides.csv").write_text(HEAD + "ada,03.1,99,,why,\n", encoding="utf-8")
    assert command.main([str(tmp_path / "class"), "--out", str(tmp_path / "out")]) == 2
    assert "line 2: points '99'" in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["overrides.csv"]


def test_every_run_reads_the_file_and_grades_nothing_again_for_it(tmp_path, capsys, table_engine):
    hand_in(tmp_path / "class", {"ada": LEARNERS["di"]})
    out = tmp_path / "out"
    argv = [str(tmp_path / "class"), "--out", str(out), "--seed", str(SEED)]
    assert command.main(argv) == 0
    assert (out / "overrides.csv").read_text(encoding="utf-8-sig") == HEAD.replace("\n", "\n")
    with (out / "overrides.csv").open("a", encoding="utf-8") as file:
        file.write("ada,03.1,2,,handed in on paper,\nnobody,,,,,hello\n")
    assert command.main(argv) == 0
    output = capsys.readouterr()
    assert "1 graded before, 0 to do" in output.out and "nobody here has this name" in output.err
    [ada] = json.loads((out / "gradebook.json").read_text(encoding="utf-8"))["learners"]
    assert ada["total"] == 11 and "handed in on paper" in (out / "learners" / "ada.html").read_text(
        encoding="utf-8"
    )
