"""Facts about cells that need an extra: without it they run, are not compared, and are counted; `build` stores none."""

from __future__ import annotations

import shutil
import subprocess
import sys

import nbformat
import pytest

from classroom.authoring import build, extras

from ..places import ROOT
from . import held, strict
from .kernels import environment


def notebook(source, printed, *tags):
    stored = nbformat.v4.new_output("stream", name="stdout", text=printed)
    cell = nbformat.v4.new_code_cell(
        source, execution_count=1, outputs=[stored], metadata={"tags": list(tags)}
    )
    return nbformat.v4.new_notebook(cells=[cell])


ASKS = "try:\n    import opentelemetry\n    print('there')\nexcept ModuleNotFoundError:\n    print('not there')"
"""A cell that prints whether an extra is there."""


@pytest.fixture
def without(monkeypatch):
    monkeypatch.setenv(extras.WITHOUT, "telemetry")


def test_the_packages_of_every_extra_are_those_that_the_tests_install():
    installed = (ROOT / "tests" / "requirements.txt").read_text(encoding="utf-8").splitlines()
    assert {line for lines in extras.packages().values() for line in lines} <= {*installed}


def test_an_extra_is_missing_when_one_of_its_packages_is(monkeypatch):
    monkeypatch.setattr(extras, "packages", lambda: {"some": ["nbformat>=5", "no-such-package"]})
    assert extras.missing("some")
    monkeypatch.setattr(extras, "packages", lambda: {"some": ["nbformat>=5"]})
    assert not extras.missing("some")


def test_a_tag_that_names_no_extra_is_refused():
    with pytest.raises(ValueError, match="no extra 'telemetri'; it has .*telemetry"):
        extras.not_compared(notebook("1", "", "needs-telemetri"))


def test_cells_whose_extra_is_missing_are_counted(without):
    assert extras.not_compared(notebook("1", "", "needs-telemetry")) == {"telemetry": 1}
    assert extras.not_compared(notebook("1", "", "needs-cluster", "other")) == {}


@pytest.mark.parametrize(("tags", "failing"), [(["needs-telemetry"], 0), ([], 1)])
def test_without_its_extra_a_cell_runs_and_is_not_compared(
    request, tmp_path, monkeypatch, tags, failing
):
    nbformat.write(notebook(ASKS, "there\n", *tags), tmp_path / "some.ipynb")
    assert not strict.failures(request, tmp_path / "some.ipynb")
    monkeypatch.setenv(extras.WITHOUT, "telemetry")
    assert len(strict.failures(request, tmp_path / "some.ipynb")) == failing


def test_build_stores_nothing_without_the_extra_and_check_says_what_it_left_out(
    tmp_path, without, capsys
):
    path = tmp_path / "some.ipynb"
    stored = build.text_of(build.normalise(notebook("print(2)", "1\n", "needs-telemetry")))
    path.write_text(stored, encoding="utf-8")
    assert build.main([str(path)]) == 1
    assert 'pip install -e ".[telemetry]"' in capsys.readouterr().out
    assert path.read_text(encoding="utf-8") == stored
    assert build.main(["--check", str(path)]) == 0
    assert "1 cell not compared (without the extra telemetry)" in capsys.readouterr().out


async def test_a_held_fact_that_needs_an_extra_is_left_out_without_it(tmp_path, monkeypatch):
    monkeypatch.setattr(held, "FOLDER", tmp_path)
    (tmp_path / "98.py").write_text(
        "from tests.notebooks.held import needs\n\n\n"
        "@needs('telemetry')\ndef test_one(lesson):\n    assert not lesson.sent\n",
        encoding="utf-8",
    )
    with pytest.raises(AssertionError):
        await held.hold("98", {"sent": 1})
    monkeypatch.setenv(extras.WITHOUT, "telemetry")
    await held.hold("98", {"sent": 1})


def test_the_last_line_of_a_run_counts_the_cells_that_were_not_compared(tmp_path):
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path)
    (tmp_path / "test_some.py").write_text(
        "def test_one(record_property):\n    record_property('not compared', ['telemetry', 2])\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "pytest", "-q", str(tmp_path)]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, cwd=ROOT)
    assert "0 skipped, 2 cells not compared (without the extra telemetry).\n" in done.stdout
