"""What differs for one class: exercises dropped, points of its own; in the gradebook, on the pages, and refused."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from classroom.checks import exercises
from classroom.grading import options, reports
from classroom.grading.overrides import Unusable
from classroom.grading.reports import own_class, platforms
from classroom.grading.reports.own_class import OwnClass, read
from tests.places import COURSE

from . import a_class

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
    [file] = a_class.write(tmp_path / learner, a_class.report(learner, results=lines))
    return file


def test_without_a_file_everything_counts_as_in_the_course():
    own = read(None)
    assert own.counted() == exercises() and own.in_words() == []


def test_without_a_file_the_one_in_the_courses_folder_counts(tmp_path, monkeypatch):
    monkeypatch.setattr(own_class, "active", lambda: replace(COURSE, root=tmp_path))
    assert read(None) == OwnClass()
    named = tmp_path / "other.toml"
    named.write_text(f'drop = ["{FIRST.id}"]', encoding="utf-8")
    written(tmp_path, f'drop = ["{SECOND.id}"]')
    assert read(None).drop == (SECOND.id,) and read(named).drop == (FIRST.id,)


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
    assert sentence in book.summary()


def test_a_whole_lesson_can_be_dropped(tmp_path):
    book = reports.read(
        [report(tmp_path, "ada", passed=1)],
        notebooks=["02_first_agent"],
        own_class=OwnClass(drop=("02",)),
    )
    assert {exercise.lesson for exercise in book.exercises} == {"03"}
    assert [work.notebook for work in book.people[0].works] == [NAME]


def test_a_sitting_can_be_dropped_and_its_exercises_count_in_their_lessons(tmp_path):
    own = read(written(tmp_path, 'drop = ["the_sitting"]'))
    assert own.counted() == exercises() and own.counted("the_sitting") == []
    book = reports.read(
        [report(tmp_path, "ada", passed=1)], notebooks=["the_sitting"], own_class=own
    )
    assert [work.notebook for work in book.people[0].works] == [NAME]
    assert book.own_class == ("Not counted in this class: the_sitting.",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('drop = ["99.9"]', "there is no '99.9', but 00"),
        ('[points]\n"99.9" = 1', "there is no '99.9'"),
        (f'[points]\n"{FIRST.id}" = 0', f"points of {FIRST.id} are 0, and not above 0"),
        (f'[points]\n"{FIRST.id}" = "5"', "'5', and not above 0"),
        (f'drop = ["03"]\n[points]\n"{FIRST.id}" = 2', "is dropped, and has points"),
        (f'[points]\n"{FIRST.id}" = 0.125', "are 0.125, and not above 0 with two decimals"),
        ('dropped = ["03"]', "class.toml holds dropped; expected drop"),
        ('drop = "03"', 'expected drop = ["04.3", "07"]'),
        ("drop = [", "cannot be read"),
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


def test_points_that_are_not_whole_print_to_a_hundredth_in_every_report(tmp_path):
    worth = {FIRST.id: 0.1, SECOND.id: 0.2}  # their sum as floats is 0.30000000000000004
    rest = ", ".join(f'"{each.id}"' for each in exercises("03")[2:])
    table = "\n".join(f'"{id}" = {points}' for id, points in worth.items())
    own = read(written(tmp_path, f"drop = [{rest}]\n[points]\n{table}"))
    lines = [
        {"exercise": each.id, "trial": number, "state": "passed", "earned": trial.points}
        for each in (FIRST, SECOND)
        for number, trial in enumerate(each.trials)
    ]
    platforms_know = {
        ("ada", NAME): reports.Handed(
            file="a.ipynb", platform="moodle", number="40", upload="a_40_"
        )
    }
    files = a_class.write(tmp_path / "ada", a_class.report("ada", results=lines))
    book = reports.write(tmp_path / "out", files, own_class=own, handed=platforms_know)
    assert (tmp_path / "out" / "moodle-03.csv").exists()
    assert book.people[0].of == book.people[0].total == 0.3
    assert {mark.state for mark in book.people[0].marks().values()} == {"passed"}
    read_by_people = [
        path for path in (tmp_path / "out").rglob("*") if path.suffix in (".html", ".csv")
    ]
    assert {path.suffix for path in read_by_people} == {".html", ".csv"}
    for path in read_by_people:
        content = path.read_text(encoding="utf-8")
        assert not re.search(
            r"(?<![\d.])\d\.\d{3,}(?!\d* ?s)",
            re.sub(r"<style.*?</style>|time=\S+", "", content, flags=re.S),
        ), path


def test_whole_points_written_as_a_fraction_stay_whole(tmp_path):
    own = read(written(tmp_path, f'[points]\n"{FIRST.id}" = 7.0'))
    assert own.in_words() == [f"Points of this class: {FIRST.id} 7."]
    assert repr(own.counted("03")[0].points) == "7"


def test_moodles_maximum_grade_is_that_of_the_class():
    """The assignment is set by this sentence, so it has to agree with the worksheet."""
    own = OwnClass(drop=(SECOND.id,), points={FIRST.id: 2.5})
    ours = sum(each.points for each in exercises("03")[2:]) + 2.5
    assert platforms.use("moodle-03.csv", own.counted()).endswith(f"maximum grade: {ours})")
