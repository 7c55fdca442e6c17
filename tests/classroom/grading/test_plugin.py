"""The command and the plugin, on small classes of real submissions."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys

import pytest

from classroom.authoring.answers import right
from classroom.checks import exercise
from classroom.grading import command, sandbox
from tests.places import EXERCISES, ROOT

from .small_class import NAME, solved


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A class, graded once: (status, marks by learner and exercise, lines by learner and exercise, the folder)."""
    base = tmp_path_factory.mktemp("class")
    learners = {
        "solved": solved(),
        "alternatives": solved(
            _1=right("03.1")[0],
            _2=right("03.2")[0],
            _3=right("03.3")[0],
        ),
        "stubs": (EXERCISES / f"{NAME}.ipynb").read_text(encoding="utf-8"),
        "endless": solved(
            _1="async def revise(run, desk, task, facts, draft):\n    while True: pass"
        ),
        "gone": solved(_3="import os; os._exit(0)"),
        "wrong": solved(
            _1="async def revise(run, desk, task, facts, draft):\n    return Result(status='ok', output=draft)"
        ),
    }
    for learner, text in learners.items():
        (base / "in" / learner).mkdir(parents=True)
        (base / "in" / learner / f"{NAME}.ipynb").write_text(text, encoding="utf-8")
    (base / "in" / "nobody").mkdir()
    (base / "in" / "nobody" / f"{NAME}.ipynb").write_text("{", encoding="utf-8")
    status = command.main(
        [str(base / "in"), "--out", str(base / "out"), "--timeout", "3", "--seed", "7"]
    )
    lines = {}
    for text in (base / "out" / "results.jsonl").read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        lines.setdefault((line["learner"], line["exercise"]), []).append(line)
    marks = {key: sum(entry["earned"] for entry in found) for key, found in lines.items()}
    return status, marks, lines, base


def test_every_submission_gets_a_verdict_and_the_status_says_so(graded):
    assert graded[0] == 0


@pytest.mark.parametrize(
    "learner, marks",
    [
        ("solved", [3, 3, 3]),
        ("alternatives", [3, 3, 3]),
        ("stubs", [0, 0, 0]),
        ("endless", [0, 3, 3]),
        ("gone", [3, 3, 0]),
        ("nobody", [0, 0, 0]),
    ],
)
def test_the_marks_are_what_the_answers_earn(graded, learner, marks):
    assert [graded[1][learner, id] for id in ("03.1", "03.2", "03.3")] == marks


def test_a_wrong_answer_loses_its_own_points_and_is_explained(graded):
    _, marks, lines, base = graded
    assert marks["wrong", "03.1"] < 3 and marks["wrong", "03.2"] == 3
    assert {line["state"] for line in lines["wrong", "03.1"]} <= {"failed", "passed"}
    report = next(
        stored
        for path in (base / "out" / "results").glob("*.json")
        if (stored := json.loads(path.read_text(encoding="utf-8")))["learner"] == "wrong"
    )
    assert report["feedback"]["03.1"]["misconception"] in exercise("03.1").misconceptions


def test_states_tell_what_happened(graded):
    states = {key: [entry["state"] for entry in found] for key, found in graded[2].items()}
    assert "timeout" in states["endless", "03.1"] and set(states["endless", "03.1"]) <= {
        "timeout",
        "not-run",
    }
    assert set(states["gone", "03.3"]) == {"killed"} and set(states["stubs", "03.1"]) == {"missing"}


def test_what_could_not_be_read_is_listed(graded):
    assert "no JSON" in (graded[3] / "out" / "index.html").read_text(encoding="utf-8")


def test_the_gradebook_has_a_row_for_everybody(graded):
    with (graded[3] / "out" / "gradebook.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = {row["learner"]: row for row in csv.DictReader(file)}
    assert len(rows) == 7 and rows["solved"]["total"] == "12" and rows["stubs"]["total"] == "0"


def test_a_second_run_grades_nothing_again_and_changes_no_mark(graded, capsys):
    base = graded[3]
    before = {path.name: path.stat().st_mtime_ns for path in (base / "out" / "results").iterdir()}
    book = (base / "out" / "gradebook.csv").read_bytes()
    assert (
        command.main(
            [str(base / "in"), "--out", str(base / "out"), "--timeout", "3", "--seed", "7"]
        )
        == 0
    )
    assert "7 graded before, 0 to do" in capsys.readouterr().out
    assert {
        path.name: path.stat().st_mtime_ns for path in (base / "out" / "results").iterdir()
    } == before
    assert (base / "out" / "gradebook.csv").read_bytes() == book


def test_only_what_changed_is_graded_again(graded, capsys):
    base = graded[3]
    (base / "in" / "stubs" / f"{NAME}.ipynb").write_text(solved(), encoding="utf-8")
    assert (
        command.main(
            [str(base / "in"), "--out", str(base / "out"), "--timeout", "3", "--seed", "7"]
        )
        == 0
    )
    assert "6 graded before, 1 to do" in capsys.readouterr().out


@pytest.mark.parametrize("lesson", ["03", pytest.param(None, marks=pytest.mark.exhaustive)])
def test_stubs_get_nothing_and_solutions_everything(lesson, capsys):
    """Of one lesson; of every lesson with `--all`. What is right comes from kernels that are started one by one; where it can be, the submissions' are forked."""
    chosen = ["--exercise", lesson] if lesson else []
    assert command.main(["--try", *chosen, *([] if sandbox.missing() else ["--fork"])]) == 0
    assert "stubs: 0%, solutions: 100%" in capsys.readouterr().out


def test_the_plugin_alone_shows_each_check_as_a_test(tmp_path):
    for name, text in (
        ("ada.ipynb", solved()),
        ("bob.ipynb", (EXERCISES / f"{NAME}.ipynb").read_text(encoding="utf-8")),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "workshop.grading",
            "--grade",
            "--noconftest",
            "-c",
            os.devnull,
            "-v",
            f"--junitxml={tmp_path / 'j.xml'}",
            "-p",
            "no:cacheprovider",
            "--rootdir",
            str(tmp_path),
            str(tmp_path / "ada.ipynb"),
            str(tmp_path / "bob.ipynb"),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert (
        "12 failed, 12 passed" in done.stdout and "missing: the stub was not changed" in done.stdout
    )
    assert 'name="earned" value="1"' in (tmp_path / "j.xml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "argv, message",
    [
        ([], "name the folder of submissions"),
        (["x", "--out", "y", "--exercise", "42"], "expected one of 00, 01"),
        (["x", "--out", "y", "--workers", "0"], "expected a whole number, 1 or more"),
        (["x", "--out", "y", "--late", "10% per day"], "belong together"),
    ],
)
def test_wrong_usage_is_one_clear_line_and_status_2(argv, message, capsys):
    with pytest.raises(SystemExit) as ended:
        command.main(argv)
    assert ended.value.code == 2 and message in capsys.readouterr().err


def test_a_folder_that_is_not_there_is_said_and_nothing_is_made(tmp_path, capsys):
    assert command.main([str(tmp_path / "nowhere"), "--out", str(tmp_path / "out")]) == 2
    assert "does not exist" in capsys.readouterr().err and not (tmp_path / "out").exists()


def test_without_a_sandbox_it_is_said_or_refused(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(
        "classroom.grading.sandbox.missing", lambda: "the program bwrap is not installed"
    )
    assert command.main([str(tmp_path), "--out", str(tmp_path / "out"), "--require-sandbox"]) == 2
    assert "Nothing was graded" in capsys.readouterr().err and not (tmp_path / "out").exists()
    command.main([str(tmp_path / "nowhere"), "--out", str(tmp_path / "out")])
    assert "NOT SANDBOXED" in capsys.readouterr().err
