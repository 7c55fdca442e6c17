"""The handout: everything a learner needs, nothing that is right, and the same messages as in the repository."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import nbformat
import pytest

from classroom.authoring import answers, handout
from classroom.checks import exercises
from tests.places import COURSE, EXERCISES, ROOT

SHOWN = (".py", ".md", ".toml", ".json", ".ipynb", ".txt", ".svg", ".css")
RUN = """
import json, linecache, sys
from classroom.checks import deadline, exercise
from classroom.checks.engine import judge
from classroom.checks.hints import our_solution
deadline.TIME_LIMIT_S = 60
for id, name, source, given in json.load(sys.stdin):
    names = {}
    exec(given, names)
    linecache.cache["<answer>"] = (len(source), None, source.splitlines(keepends=True), "<answer>")
    exec(compile(source, "<answer>", "exec"), names)
    known = exercise(id)
    verdict = judge(known, names[name], seed=3)
    told = [(label, text) for label, text in verdict.parts if label not in ("called", "came back")]
    print(json.dumps([id, verdict.outcome, verdict.misconception, told, our_solution(known)]))
"""


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    base = tmp_path_factory.mktemp("handout")
    assert handout.main(["--out", str(base / "course.zip")]) == 0
    with zipfile.ZipFile(base / "course.zip") as archive:
        archive.extractall(base)
    return base / COURSE.name


def texts(folder):
    for path in sorted(folder.rglob("*")):
        if path.suffix in SHOWN and path.is_file():
            yield path, path.read_text(encoding="utf-8", errors="replace")


def lines_of(text):
    """The lines of a text; those inside JSON and Python strings too."""
    text = text.replace("\\n", "\n").replace('\\"', '"')
    stripped = (line.strip().strip('",').strip() for line in text.splitlines())
    return [line for line in stripped if line]


def triples(text):
    lines = lines_of(text)
    return {tuple(lines[index : index + 3]) for index in range(len(lines) - 2)}


def test_nothing_that_is_right_is_in_it(unpacked):
    names = {
        path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*") if path.is_file()
    }
    assert not [
        name for name in names if name.startswith(("solutions/", "tests/", "classroom/grading/"))
    ]
    assert not [name for name in names if name.endswith("others.toml") or "/right/" in name]
    assert {f"exercises/{path.name}" for path in EXERCISES.glob("*.ipynb")} <= names


def test_no_three_lines_of_a_solution_are_in_it(unpacked):
    allowed = set()
    for folder in ("notebooks", "exercises", "kernel", "workshop/material"):
        for _, text in texts(unpacked / folder):
            allowed |= triples(text)
    solved = {}
    for exercise in exercises():
        source = answers.ours(exercise.id).partition("# solution")[2].partition("# end solution")[0]
        solved |= dict.fromkeys(triples(source) - allowed, exercise.id)
        for other in (*answers.right(exercise.id), *_slips(exercise)):
            solved |= dict.fromkeys(triples(other) - allowed, exercise.id)
    assert len(solved) > 300
    for path, text in texts(unpacked):
        assert not triples(text) & solved.keys(), path


def test_no_line_of_a_solution_is_in_what_a_check_reads(unpacked):
    allowed = set()
    for folder in ("notebooks", "exercises", "kernel", "offline_model"):
        for _, text in texts(unpacked / folder):
            allowed |= {*lines_of(text)}
    lines = set()
    for exercise in exercises():
        body = answers.ours(exercise.id).partition("# solution")[2]
        lines |= {*lines_of(body.partition("# end solution")[0])} - allowed
    solved = [line for line in lines if len(line) >= 30]
    assert len(solved) > 100
    for folder in (unpacked / "workshop" / "course").glob("lesson_*"):
        for path, text in texts(folder):
            text = text.replace('\\"', '"')
            assert not [line for line in solved if line in text], path


def _slips(exercise):
    return [answers.slip(exercise.id, name) for name in exercise.slips]


def test_its_checks_say_what_they_say_in_the_repository(unpacked, exhaustive):
    """Also with answers that crash; and `solution` finds none. One exercise of each lesson; all
    under `--all`.
    """
    tried = []
    known = {exercise.id if exhaustive else exercise.lesson: exercise for exercise in exercises()}
    for exercise in known.values():
        given = "\n".join(
            cell.source
            for cell in nbformat.read(
                next(EXERCISES.glob(f"{exercise.lesson}_*")), as_version=4
            ).cells
            if cell.cell_type == "code" and cell.metadata.get("workshop", {}).get("role") == "given"
        )
        name = next(iter(exercise.slips))
        for source in (
            answers.ours(exercise.id),
            answers.slip(exercise.id, name),
            answers.stub(exercise.id),
        ):
            tried.append((exercise.id, exercise.name, source, given))
    in_repository, in_handout = (outcomes(folder, tried) for folder in (ROOT, unpacked))
    assert [line[:4] for line in in_repository] == [line[:4] for line in in_handout]
    assert [line[1] for line in in_repository[::3]] == ["passed"] * len(known)
    assert [line[1] for line in in_repository[2::3]] == ["not attempted"] * len(known)
    assert all(line[2] for line in in_repository[1::3])
    assert all(line[4] for line in in_repository) and not any(line[4] for line in in_handout)


def outcomes(folder, tried):
    environ = {**os.environ, "PYTHONPATH": str(folder), "PYTHONHASHSEED": "0"}
    done = subprocess.run(
        [sys.executable, "-c", RUN],
        cwd=folder,
        env=environ,
        input=json.dumps(tried),
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]


def test_a_maintainers_command_is_refused_in_a_sentence(unpacked):
    done = subprocess.run(
        [sys.executable, "-m", "workshop", "grade", "x", "--out", "y"],
        cwd=unpacked,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 2 and "a handout for learners" in done.stderr


def test_it_is_the_same_archive_again(tmp_path):
    one, other = tmp_path / "one.zip", tmp_path / "other.zip"
    handout.write(one)
    handout.write(other)
    assert one.read_bytes() == other.read_bytes() and sorted(tmp_path.iterdir()) == [one, other]


def test_another_name_is_refused(tmp_path):
    with pytest.raises(SystemExit, match=r"ends in \.zip"):
        handout.main(["--out", str(tmp_path / "course")])
    assert not list(Path(tmp_path).iterdir())


def test_lab_sets_it_up(unpacked, request):
    """The whole set-up, from the package index; only with --all."""
    if not request.config.getoption("--all"):
        pytest.skip("with --all")
    code = "from classroom.launcher import environment; environment.settle(['doctor'], ('requirements.lock',))"
    environ = {name: value for name, value in os.environ.items() if name != "WORKSHOP_NO_VENV"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=unpacked, env=environ, capture_output=True, text=True
    )
    assert (unpacked / ".venv").is_dir(), done.stderr
