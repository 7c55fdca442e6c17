"""The command line: what it refuses before anything is read or written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from nbformat.v4 import new_output

from classroom.grading import command, observed, options, pool, reports
from classroom.grading.plan import GradingPlan
from classroom.grading.sandbox.sandboxed_kernel import Outcome
from classroom.grading.submission import Submission
from classroom.observing import Sight, line_of
from tests.places import ROOT

from .small_class import STUB, hand_in, until

pytestmark = pytest.mark.usefixtures("table_engine")


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize(
    ("given", "out"),
    [
        ("learners", "."),
        ("work", "."),
        ("results/of mine", "."),
        ("class", "class"),
        ("class", "."),
        ("class", "marks"),
    ],
)
def test_folders_that_no_grading_made_are_left_alone(tmp_path, monkeypatch, capsys, given, out):
    """Submissions in a folder that grading would empty; a folder of that name with something else in it."""
    monkeypatch.chdir(tmp_path)
    hand_in(Path(given))
    if given == "class" and out != "class":
        Path(out, "learners").mkdir(parents=True)
        Path(out, "learners", "notes.txt").write_text("mine", encoding="utf-8")
    before = contents(tmp_path)
    assert command.main([given, "--out", out]) == 2
    assert "Nothing was changed" in capsys.readouterr().err
    assert contents(tmp_path) == before


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf"])
def test_a_limit_of_time_is_one(tmp_path, seconds):
    with pytest.raises(SystemExit):
        options.read([str(tmp_path), "--out", "x", "--timeout", seconds])


def test_a_million_lines_around_a_checks_line_are_not_parsed(monkeypatch):
    """Parsing is slow, and its time would be nobody's."""
    line = line_of(Sight({"returned": [1]}), "03.1/0")
    parsed = []
    monkeypatch.setattr(
        observed, "_sight", lambda text, real=observed._sight: parsed.append(text) or real(text)
    )
    flood = '{"case": "03.1/1"}\n{\n' * 1000
    outcome = Outcome(
        "ok", outputs=[new_output("stream", name="stdout", text=f"{flood}{line}\n{flood}")]
    )
    assert observed.printed(outcome, "03.1/0") == line and parsed == [line]


def test_an_empty_folder_of_the_right_name_is_no_sign_that_grading_made_it(tmp_path, capsys):
    hand_in(tmp_path / "class", {"ada": "{}"})
    (tmp_path / "out" / "results").mkdir(parents=True)
    (tmp_path / "out" / "learners").mkdir()
    (tmp_path / "out" / "learners" / "thesis.txt").write_text("mine", encoding="utf-8")
    before = contents(tmp_path)
    assert command.main([str(tmp_path / "class"), "--out", str(tmp_path / "out")]) == 2
    assert "no grading made it" in capsys.readouterr().err and contents(tmp_path) == before


def test_a_working_folder_that_is_somebody_elses_is_left_alone(tmp_path, capsys):
    hand_in(tmp_path / "class", {"ada": "{}"})
    reports.mark(out := tmp_path)
    (out / "work").mkdir()
    (out / "work" / "notes.txt").write_text("mine", encoding="utf-8")
    assert command.main([str(tmp_path / "class"), "--out", str(out)]) == 2
    assert "no grading made it" in capsys.readouterr().err
    assert (out / "work" / "notes.txt").exists()


def test_without_a_terminal_it_gives_a_sign_of_life(capsys, monkeypatch):
    monkeypatch.setattr(pool, "SIGN_OF_LIFE_S", 0.01)
    seen = ""

    def said() -> bool:
        nonlocal seen
        seen += capsys.readouterr().out
        return "1 of 2 graded." in seen

    with pool.SignsOfLife(2) as life:
        life.add(True)
        until(said, "a line")


def test_nothing_is_left_of_a_run_that_has_nothing_to_grade(tmp_path):
    (tmp_path / "class").mkdir()
    assert command.main([str(tmp_path / "class"), "--out", str(tmp_path / "out")]) == 2
    assert not (tmp_path / "out").exists()


def test_a_lesson_may_be_named_without_its_zero(tmp_path):
    assert options.read([str(tmp_path), "--out", "x", "--exercise", "3"]).exercise == "03"


@pytest.mark.parametrize("argv", [["--help"], ["x", "--out", "y", "--exercize", "3"], ["x"]])
def test_help_and_typing_errors_are_answered_before_anything_is_set_up(argv):
    """Without any package, as before the first set-up: `-S` hides those that are installed."""
    done = subprocess.run(
        [sys.executable, "-S", "-m", "workshop", "grade", *argv],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "WORKSHOP_NO_VENV": "", "PYTHONPATH": ""},
    )
    output = done.stdout + done.stderr
    assert "Setting up" not in output and done.returncode == (0 if argv == ["--help"] else 2), (
        output
    )
    assert "--help` lists the options" in output or "SUBMISSIONS" in output
    assert argv == ["--help"] or len(output.splitlines()) == 2


def test_a_notebook_whose_own_solution_does_not_run_is_not_graded_and_nobody_gets_a_zero(
    tmp_path, monkeypatch
):
    hand_in(tmp_path / "class", {"di": STUB})

    def broken(of, plan):
        raise RuntimeError("the master cannot be used")

    monkeypatch.setattr(command.observed, "reference", broken)
    out = tmp_path / "out"
    assert command.main([str(tmp_path / "class"), "--out", str(out)]) == 1
    [di] = json.loads((out / "gradebook.json").read_text(encoding="utf-8"))["learners"]
    assert di["total"] is None and "our own solution does not run" in di["flags"][0]


def test_a_relative_folder_for_results_takes_no_learner_away_from_a_submission(
    tmp_path, monkeypatch
):
    """A process of the pool finds what it grades by its whole path, as pytest names it."""
    monkeypatch.chdir(tmp_path)
    handed = Submission(
        learner="ada",
        notebook="03_deterministic_supervisor",
        file="a.ipynb",
        path=Path("work", "a.ipynb"),
        sha256="",
    )
    sent = json.loads(pool.job(GradingPlan(seed=0), handed))
    assert [*sent["submissions"]] == [str(tmp_path.resolve() / "work" / "a.ipynb")]
