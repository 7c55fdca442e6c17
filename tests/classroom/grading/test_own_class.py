"""What differs for one class: exercises dropped, points of its own; in the gradebook, on the pages, and refused."""

from __future__ import annotations

import json

import pytest

from classroom.checks import exercises
from classroom.grading import options, reports
from classroom.grading.overrides import Unusable
from classroom.grading.reports.own_class import OwnClass, read

FIRST, SECOND, *_ = exercises("03")
NAME = "03_deterministic_supervisor"


def written(tmp_path, text):
    file = tmp_path / "class.toml"
    file.write_text(text, encoding="utf-8")
    return file


def report(tmp_path, learner, *, passed):
    """A report in which the first checks of the first exercise passed."""
    lines = [
        {"exercise": FIRST.id, "trial": number, "state": "passed", "earned": trial.points}
        for number, trial in enumerate(FIRST.trials[:passed])
    ]
    file = tmp_path / f"{learner}.json"
    facts = {"learner": learner, "notebook": NAME, "file": "a.ipynb", "results": lines}
    file.write_text(json.dumps(facts), encoding="utf-8")
    return file


def test_without_a_file_everything_counts_as_in_the_course():
    own = read(None)
    assert own.counted() == exercises() and own.in_words() == []


def test_points_keep_the_share_of_each_check_and_what_is_dropped_is_gone(tmp_path):
    own = read(
        written(tmp_path, f'drop = ["{SECOND.id}"]\n[points]\n"{FIRST.id}" = {FIRST.points * 2.5}')
    )
    files = [report(tmp_path, "ada", passed=len(FIRST.trials)), report(tmp_path, "bo", passed=1)]
    book = reports.write(tmp_path / "out", files, own_class=own)
    plain = reports.read(files)
    for person, ordinary in zip(book.people, plain.people, strict=True):
        marks, before = person.marks(), ordinary.marks()
        assert marks.keys() == before.keys() - {SECOND.id}
        assert marks[FIRST.id].points == before[FIRST.id].points * 2.5
        assert marks[FIRST.id].state == before[FIRST.id].state
    assert SECOND.id not in (tmp_path / "out" / "gradebook.csv").read_text(encoding="utf-8-sig")
    sentence = f"Not counted in this class: {SECOND.id}. Points of this class: {FIRST.id}"
    for page in ("index.html", "learners/ada.html"):
        assert sentence in (tmp_path / "out" / page).read_text(encoding="utf-8")
    assert "Not counted in this class" in (tmp_path / "out/learners/bo.md").read_text(
        encoding="utf-8"
    )
    assert sentence in book.summary()


def test_a_whole_lesson_can_be_dropped(tmp_path):
    book = reports.read(
        [report(tmp_path, "ada", passed=1)],
        notebooks=["02_first_agent"],
        own_class=OwnClass(drop=("02",)),
    )
    assert {exercise.lesson for exercise in book.exercises} == {"03"}
    assert [work.notebook for work in book.people[0].works] == [NAME]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('drop = ["99.9"]', "drop names '99.9', which is not there; expected one of 00"),
        ('[points]\n"99.9" = 1', "points names '99.9', which is not there"),
        (f'[points]\n"{FIRST.id}" = 0', f"points of {FIRST.id} are 0; expected a number above 0"),
        (f'[points]\n"{FIRST.id}" = "5"', "expected a number above 0"),
        (f'drop = ["03"]\n[points]\n"{FIRST.id}" = 2', "is dropped, and has points"),
        ('dropped = ["03"]', "there is no 'dropped'; expected drop or points"),
        ('drop = "03"', 'expected drop = ["04.3", "07"]'),
        ("drop = [", "is not TOML"),
        (
            f"drop = {json.dumps(sorted({each.lesson for each in exercises()}))}",
            "every exercise is dropped",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_sentence(tmp_path, text, message):
    with pytest.raises(Unusable) as refused:
        read(written(tmp_path, text))
    assert message in str(refused.value) and "class.toml" in str(refused.value)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(Unusable, match=r"class\.toml cannot be read"):
        read(tmp_path / "class.toml")


def test_the_command_takes_the_file(tmp_path, capsys):
    words = ["class", "--out", "marks", "--class", "class.toml"]
    assert options.read(words).own_class.name == "class.toml"
    with pytest.raises(SystemExit):
        options.read(["--try", "--class", "class.toml"])
    assert "--class does not go with --try" in capsys.readouterr().err
