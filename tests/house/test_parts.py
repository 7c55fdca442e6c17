"""`test --all` in parts: each test runs once, what failed or is left runs at the next start, a changed file begins anew."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from tests.parts import part_of
from tests.places import ROOT

CODE = """
import pytest

@pytest.mark.parametrize("number", range(4))
def test_it(number, pytestconfig):
    kept = pytestconfig.rootpath / ".workshop"
    with open(kept / "ran", "a") as file:
        file.write(str(number))
    assert number != 2 or (kept / "good").exists()
"""


@pytest.fixture
def project(tmp_path):
    (tmp_path / "tests").mkdir()
    for name in "abcd":
        (tmp_path / "tests" / f"test_{name}.py").write_text(CODE, encoding="utf-8")
    (tmp_path / ".gitignore").write_text(
        ".workshop/\n.pytest_cache/\n__pycache__/\n", encoding="utf-8"
    )
    (tmp_path / ".workshop").mkdir()
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    return tmp_path


def run(project, *options):
    """How many tests a start has run, and what it says is left."""
    ran = project / ".workshop" / "ran"
    ran.unlink(missing_ok=True)
    plugins = ["-p", "tests.conftest", "-p", "tests.parts"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *plugins, "--all", str(project / "tests"), *options],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
    )
    [sentence] = [
        line for line in done.stdout.splitlines() if " left, " in line or "have passed" in line
    ]
    return len(ran.read_text(encoding="utf-8")), sentence.split(";")[0]


def test_parts_add_up_and_what_failed_runs_again(project):
    assert run(project, "--part", "1/2") == (8, "10 of 16 tests are left, 2 of them failed")
    (project / ".workshop" / "good").touch()
    assert run(project) == (10, "All 16 tests have passed on these files.")


def test_a_changed_file_begins_anew(project):
    assert run(project) == (16, "4 of 16 tests are left, 4 of them failed")
    (project / "tests" / "test_a.py").write_text(CODE + "\n", encoding="utf-8")
    assert run(project, "--part", "1/2") == (8, "10 of 16 tests are left, 2 of them failed")


def test_a_part_that_is_none_is_refused():
    for words in ("0/4", "5/4", "x", "1", "2/"):
        with pytest.raises(pytest.UsageError, match="like 2/4"):
            part_of(words)
