"""`python -m classroom new`: the small course is built, learned, handed out and graded."""

from __future__ import annotations

import csv
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.classroom.at_work import done, environment, ran
from tests.classroom.grading.small_class import WITHOUT

NAME = "01_words.ipynb"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A small course, built."""
    folder = tmp_path_factory.mktemp("new") / "course"
    printed = done(folder.parent, "new", folder)
    assert "python -m classroom build" in printed
    done(folder, "build")
    return folder


def test_build_makes_exercises_tables_the_map_and_what_readme_says(made):
    stub = (made / "exercises" / NAME).read_text(encoding="utf-8")
    assert "best = word" not in stub and "Difficulty ●" in stub
    assert (made / "lessons" / "lesson_01" / "built" / "01.2.json").is_file()
    assert f"]({NAME})" in (made / "notebooks" / "MAP.md").read_text(encoding="utf-8")
    assert f"(notebooks/{NAME})" in (made / "README.md").read_text(encoding="utf-8")
    assert '"output_type": "execute_result"' in (made / "notebooks" / NAME).read_text(
        encoding="utf-8"
    )


def test_what_is_wrong_is_a_sentence(made, tmp_path):
    again = ran(tmp_path, "new", made)
    assert again.returncode == 1 and "is not empty; expected a new or an empty" in again.stderr
    nowhere = ran(tmp_path, "build")
    assert nowhere.returncode == 1 and "there is no course.py in" in nowhere.stderr
    broken = tmp_path / "broken"
    done(tmp_path, "new", broken)
    (broken / "solutions" / NAME).unlink()
    lost = ran(broken, "build")
    assert lost.returncode == 1
    assert "expected one notebook solutions/01_NAME.ipynb, found none" in lost.stderr
    assert not [text for text in (again, nowhere, lost) if "Traceback" in text.stderr]


def test_a_handout_lacks_nothing_that_git_does_not_track(made, tmp_path):
    folder = tmp_path / "course"
    shutil.copytree(made, folder)
    for words in (["init", "-q"], ["add", "course.py", "lessons", "notebooks"]):
        subprocess.run(["git", *words], cwd=folder, check=True)
    refused = ran(folder, "handout", "--out", tmp_path / "course.zip")
    assert refused.returncode == 1
    assert f"git does not track exercises/{NAME}" in refused.stderr


@pytest.mark.exhaustive
def test_the_wheel_is_all_it_takes(installed, tmp_path):
    """In an empty environment: the small course is made, built, tried, learned and graded."""
    without_the_clone = environment()
    del without_the_clone["PYTHONPATH"]
    alone = {"python": str(installed / "python"), "env": without_the_clone}
    folder = tmp_path / "course"
    done(tmp_path, "new", folder, **alone)
    done(folder, "build", **alone)
    assert "differs" not in done(folder, "build", "--check", **alone)
    assert "stubs: 0%, solutions: 100%" in done(folder, "grade", "--try", **alone)
    assert "this machine is ready" in done(folder, "doctor", "--deep", **alone)
    assert graded(folder, tmp_path, **alone) == {"ada": "8", "bob": "0", "cy": "7"}


def graded(folder: Path, place: Path, **alone) -> dict[str, str]:
    """The points of three learners: all right, a stub, one slip."""
    solved = (folder / "solutions" / NAME).read_text(encoding="utf-8")
    stub = (folder / "exercises" / NAME).read_text(encoding="utf-8")
    slip = solved.replace("len(word) > len(best)", "len(word) >= len(best)")
    for name, text in {"ada": solved, "bob": stub, "cy": slip}.items():
        (place / "class" / name).mkdir(parents=True)
        (place / "class" / name / NAME).write_text(text, encoding="utf-8")
    done(folder, "grade", place / "class", "--out", place / "marks", *WITHOUT, **alone)
    with (place / "marks" / "gradebook.csv").open(encoding="utf-8-sig", newline="") as file:
        return {row["learner"]: row["points"] for row in csv.DictReader(file)}
