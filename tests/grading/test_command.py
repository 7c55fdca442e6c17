"""The command line: what it refuses before anything is read or written."""

from __future__ import annotations

from pathlib import Path

import pytest
from nbformat.v4 import new_output

from workshop.grading import added_cells, command
from workshop.grading.kernel import Outcome
from workshop.grading.trials import canonical

from .small_class import hand_in


def contents(folder: Path) -> dict[str, bytes]:
    return {str(it.relative_to(folder)): it.read_bytes() for it in sorted(folder.rglob("*")) if it.is_file()}


@pytest.mark.parametrize(("given", "out"), [
    ("learners", "."), ("work", "."), ("results/of mine", "."), ("class", "class"), ("class", "."), ("class", "marks")])
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
        command.options([str(tmp_path), "--out", "x", "--timeout", seconds])


def test_a_million_lines_around_a_checks_line_are_not_parsed(monkeypatch):
    """Parsing is slow, and its time would be nobody's."""
    line = canonical({"trial": "03.1/0", "seen": [1]})
    parsed = []
    monkeypatch.setattr(added_cells, "_is_line", lambda text, trial, real=added_cells._is_line: parsed.append(text) or real(text, trial))
    flood = '{"trial": "03.1/1"}\n{\n' * 1000
    outcome = Outcome("ok", outputs=[new_output("stream", name="stdout", text=f"{flood}{line}\n{flood}")])
    assert added_cells.printed(outcome, "03.1/0") == line and parsed == [line]

