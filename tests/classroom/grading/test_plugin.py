"""The command and the plugin, on small classes of real submissions."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys

import pytest

from classroom.checks import exercise
from classroom.grading import command
from tests.places import EXERCISES, ROOT

from .small_class import NAME, STUB, hand_in, solved


@pytest.fixture(scope="module")
def graded(real_class):
    """The class, graded once: (marks by learner and exercise, lines by learner and exercise, the results)."""
    out = real_class[1]
    lines = {}
    for path in (out / "results").glob("*.json"):
        report = json.loads(path.read_text(encoding="utf-8"))
        for line in report["results"]:
            lines.setdefault((report["learner"], line["exercise"]), []).append(line)
    marks = {key: sum(entry["earned"] for entry in found) for key, found in lines.items()}
    return marks, lines, out


def test_the_marks_are_what_the_answers_earn(graded):
    expected = {
        "ada": [3, 3, 3],
        "alternatives": [3, 3, 3],
        "di": [0, 0, 0],
        "ed": [0, 0, 0],
        "endless": [0, 3, 3],
        "gone": [3, 3, 0],
    }
    for learner, marks in expected.items():
        assert [graded[0][learner, id] for id in ("03.1", "03.2", "03.3")] == marks, learner


def test_a_wrong_answer_loses_its_own_points_and_is_explained(graded):
    marks, lines, out = graded
    assert marks["cy", "03.1"] < 3 and marks["cy", "03.2"] == 3
    assert {line["state"] for line in lines["cy", "03.1"]} <= {"failed", "passed"}
    [report] = [
        stored
        for path in (out / "results").glob("*.json")
        if (stored := json.loads(path.read_text(encoding="utf-8")))["learner"] == "cy"
    ]
    assert report["feedback"]["03.1"]["misconception"] in exercise("03.1").misconceptions


def test_states_tell_what_happened(graded):
    states = {key: [entry["state"] for entry in found] for key, found in graded[1].items()}
    endless = states["endless", "03.1"]
    assert "timeout" in endless and set(endless) <= {"timeout", "not-run"}
    assert set(states["gone", "03.3"]) == {"killed"} and set(states["di", "03.1"]) == {"missing"}


def test_what_could_not_be_read_is_listed_and_the_gradebook_has_a_row_for_everybody(graded):
    out = graded[2]
    assert "no JSON" in (out / "index.html").read_text(encoding="utf-8")
    with (out / "gradebook.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = {row["learner"]: row for row in csv.DictReader(file)}
    assert len(rows) == 7 and rows["ada"]["total"] == "12" and rows["di"]["total"] == "0"


def test_a_second_run_grades_nothing_again_and_only_what_changed(tmp_path, table_engine, capsys):
    given = hand_in(tmp_path / "class", dict.fromkeys("abc", STUB))
    out = tmp_path / "out"
    assert command.main([str(given), "--out", str(out)]) == 0
    before = {path.name: path.stat().st_mtime_ns for path in (out / "results").iterdir()}
    book = (out / "gradebook.csv").read_bytes()
    assert command.main([str(given), "--out", str(out)]) == 0
    assert "3 graded before, 0 to do" in capsys.readouterr().out
    after = {path.name: path.stat().st_mtime_ns for path in (out / "results").iterdir()}
    assert after == before and (out / "gradebook.csv").read_bytes() == book
    (given / "a" / f"{NAME}.ipynb").write_text(solved(), encoding="utf-8")
    assert command.main([str(given), "--out", str(out)]) == 0
    assert "2 graded before, 1 to do" in capsys.readouterr().out


@pytest.mark.exhaustive
def test_stubs_get_nothing_and_solutions_everything(capsys):
    """Of every lesson; the small class has both of one."""
    assert command.main(["--try"]) == 0
    assert "stubs: 0%, solutions: 100%" in capsys.readouterr().out


def test_a_stub_that_earns_anything_is_told(capsys, table_engine):
    assert command.main(["--try", "--exercise", "03"]) == 1
    assert "stubs: 100%, solutions: 100%" in capsys.readouterr().out


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
            "--grade-without-sandbox",
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


def test_a_folder_that_is_not_there_is_said_and_nothing_is_made(tmp_path, capsys, table_engine):
    assert command.main([str(tmp_path / "nowhere"), "--out", str(tmp_path / "out")]) == 2
    assert "does not exist" in capsys.readouterr().err and not (tmp_path / "out").exists()


def test_without_a_sandbox_it_refuses_and_says_what_would_be_open(
    monkeypatch, tmp_path, capsys, table_engine
):
    monkeypatch.setattr(command.sandbox, "missing", lambda: "bwrap is not installed")
    given, out = hand_in(tmp_path / "class", dict.fromkeys("ab", STUB)), tmp_path / "out"
    argv = [str(given), "--out", str(out)]
    assert command.main(argv) == 2
    sentence = capsys.readouterr().err
    assert all(word in sentence for word in ("Nothing was graded", "keys", "marks", "solutions"))
    assert "--without-sandbox goes on" in sentence and not out.exists()
    assert command.main([*argv, "--without-sandbox"]) == 0
    assert "NOT SANDBOXED" in capsys.readouterr().err


def test_what_a_submission_writes_without_a_sandbox_is_never_read_as_the_instructors(
    monkeypatch, tmp_path, capsys, table_engine
):
    monkeypatch.setattr(command.sandbox, "missing", lambda: "bwrap is not installed")
    given, out = hand_in(tmp_path / "class", {"a": STUB}), tmp_path / "out"
    argv = [str(given), "--out", str(out), "--without-sandbox"]
    assert command.main(argv) == 0
    [before] = (out / "results").iterdir()
    kept, changes = before.read_bytes(), (out / "overrides.csv").read_bytes()
    hand_in(given, {"b": STUB})
    honest = command.pool.run

    def hostile(*given):
        honest(*given)
        for path in (out / "results").iterdir():
            path.write_text("forged", encoding="utf-8")
        (out / "results" / "forged.json").write_text("{}", encoding="utf-8")
        with (out / "overrides.csv").open("a", encoding="utf-8") as file:
            file.write("b,03.1,3,,given by himself,\n")

    monkeypatch.setattr(command.pool, "run", hostile)
    assert command.main(argv) == 0
    assert "was it you?" in capsys.readouterr().err
    assert before.read_bytes() == kept and (out / "overrides.csv").read_bytes() == changes
    assert len(list((out / "results").iterdir())) == 2
    assert "given by himself" in (out / "overrides.changed").read_text(encoding="utf-8")


def test_the_grader_starts_anew_without_keys():
    code = (
        "import os, sys; sys.orig_argv = [sys.executable, '-c', 'import os; print(sorted(os.environ))']\n"
        "import workshop; from classroom.grading import anew; anew.begin()"
    )
    environ = {**os.environ, "ANTHROPIC_API_KEY": "k", "WORKSHOP_TOKEN": "t", "AWS_ID": "x"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environ, cwd=ROOT, capture_output=True, text=True
    )
    names = eval(done.stdout)
    assert "PATH" in names and not {"ANTHROPIC_API_KEY", "WORKSHOP_TOKEN", "AWS_ID"} & set(names)
