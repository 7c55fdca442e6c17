"""The pages that a visitor and a contributor meet first: links lead somewhere, and CONTRIBUTING's three changes are made to the letter."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from random import Random

import nbformat
import pytest

import kernel
from classroom.observing import Session
from tests.places import ROOT
from workshop.launcher.findings import version

CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *(ROOT / "docs").glob("*.md"),
]
NOT_IN_A_COPY = (".git", ".venv", ".jupyter", "my-work", "artefacts", "build", "__pycache__")
BUG = ("used.calls >= cap.calls", "used.calls > cap.calls")
"""A line of kernel/core/budget.py, and a mistake in it."""


def section(title):
    """The text below a heading that begins with a title."""
    [text] = re.findall(rf"^## {title}.*?\n(.*?)(?=^## )", CONTRIBUTING, re.MULTILINE | re.DOTALL)
    return text


def blocks(text, language=""):
    """The blocks of code in a language; commands have none."""
    found = re.findall(r"^```(\w*)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [code for kind, code in found if kind == language]


def commands(text):
    """The command lines of a text, each as its words."""
    lines = "".join(blocks(text)).splitlines()
    return [words for line in lines if (words := shlex.split(line, comments=True))]


def ran(clone, words):
    """A command of the page in a clone, with this Python for the one of its environment."""
    assert words[0] in ("python3", ".venv/bin/python")
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    environ |= {"WORKSHOP_NO_VENV": "1", "PYTHONPATH": str(clone)}
    line = [sys.executable, *words[1:]]
    return subprocess.run(line, cwd=clone, env=environ, capture_output=True, text=True)


def followed(clone, lines):
    """Runs the commands in order, and holds each to its success; returns what they printed."""
    printed = ""
    for words in lines:
        if words[0] != "git" and words[:4] != ["python3", "-m", "workshop", "lab"]:
            done = ran(clone, words)
            assert done.returncode == 0, f"{words}: {done.stdout[-3000:]}{done.stderr[-3000:]}"
            printed += done.stdout
    return printed


def replaced(path, before, after):
    """Replaces a text that stands once in a file."""
    text = path.read_text(encoding="utf-8")
    assert text.count(before) == 1, f"{path.name}: {before}"
    path.write_text(text.replace(before, after), encoding="utf-8")


@pytest.fixture
def clone(tmp_path):
    """The project without what git ignores."""
    ignored = shutil.ignore_patterns(*NOT_IN_A_COPY)
    return Path(shutil.copytree(ROOT, tmp_path / "clone", ignore=ignored))


def test_links_of_the_pages_lead_to_files_and_headings():
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for target, heading in re.findall(r"\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]+))?\)", text):
            found = (page.parent / target).resolve() if target else page
            assert found.exists(), f"{page.name} links {target}"
            if heading and found.suffix == ".md":
                titles = re.findall(r"^#+ (.+)$", found.read_text(encoding="utf-8"), re.MULTILINE)
                anchors = {
                    re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles
                }
                assert heading in anchors, f"{page.name} links {target}#{heading}"


def test_files_that_a_command_names_are_there():
    named = re.findall(r"[\w./-]+/[\w./-]+\.(?:py|ipynb|toml|md)\b", CONTRIBUTING)
    assert len(named) > 10
    folders = [
        ROOT / name
        for name in ("docs", "notebooks", "kernel", "offline_model", "workshop", "tests")
    ]
    files = [path.as_posix() for folder in folders for path in folder.rglob("*.*")]
    assert [
        name
        for name in named
        if "NN" not in name and not any(path.endswith(f"/{name}") for path in files)
    ] == []


def test_the_index_names_every_page_of_docs():
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    pages = {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md"}
    assert {name for name in pages if f"({name})" not in index} == set()


def test_readme_shows_the_brief_that_lesson_00_writes():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    lines = re.findall(r"^> ?(.*)$", readme, re.MULTILINE)
    cells = nbformat.read(ROOT / "notebooks" / "00_start_here.ipynb", as_version=4).cells
    [brief] = [cell.outputs[0].data["text/markdown"] for cell in cells if cell.id == "brief"]
    assert " ".join(lines).replace("*", "").split() == brief.removeprefix("# ").split()


def test_the_citation_the_doctor_and_the_changelog_agree_on_the_version():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    [(number, date)] = re.findall(r"^## (\d\S+) \((\S+)\)$", changes, re.MULTILINE)[:1]
    assert f"version: {number}\ndate-released: {date}\n" in citation
    assert kernel.__version__ == number and version(ROOT).said.split(",")[0] == number


def test_the_code_of_the_page_on_exercises_sees_and_draws():
    page = (ROOT / "docs" / "write_an_exercise.md").read_text(encoding="utf-8")
    names = {}
    for code in blocks(page, "python"):
        exec(code, names)
    [(_, [case])] = names["INPUTS"]["09.1"](Random(1)).items()
    session = Session(names["OBSERVE"]["09.1"], "batches")
    sight = session.see(lambda steps: [[name] for name, _ in steps], case)
    session.close()
    assert sight.crash is None and sight.seen["number of batches"] == len(case["steps"])
    assert tomllib.loads(blocks(page, "toml")[0])["exercise"]["slip"][0]["change"]


@pytest.mark.exhaustive
def test_a_sentence_is_changed_as_the_page_says(clone):
    text = section("A sentence")
    [name] = {word for words in commands(text) for word in words if word.endswith(".ipynb")}
    lesson = nbformat.read(clone / name, as_version=4)
    lesson.cells[1].source += " One more sentence."
    lesson.metadata["widgets"] = {}  # as JupyterLab saves it
    nbformat.write(lesson, clone / name)
    followed(clone, commands(text))
    stored = nbformat.read(clone / name, as_version=4)
    assert stored.cells[1].source.endswith(" One more sentence.")
    assert "widgets" not in stored.metadata


@pytest.mark.exhaustive
def test_a_slip_is_added_as_the_page_says(clone):
    text = section("A slip")
    [slip] = blocks(text, "toml")
    lesson = clone / "workshop" / "course" / "lesson_03"
    replaced(
        lesson / "words.toml", '\n[[exercise]]\nid = "03.2"', f'\n{slip}\n[[exercise]]\nid = "03.2"'
    )
    change = slip[slip.index("change") :]
    replaced(lesson / "others.toml", f'[[other]]\nid = "03.1"\n{change}', "")
    assert "stubs: 0%, solutions: 100%" in followed(clone, commands(text)) and (
        "stubs: 0%, solutions: 100%" in text
    )


@pytest.mark.exhaustive
def test_a_bug_of_the_kernel_is_found_and_repaired_as_the_page_says(clone):
    """All but the tests of whole folders, which this run has anyway."""
    trial, *rest = commands(section("A bug"))
    *rest, house, notebooks = rest
    assert "tests/kernel" in house and "tests/notebooks/test_stored_outputs.py" in notebooks
    replaced(clone / "kernel" / "core" / "budget.py", *BUG)
    assert ran(clone, trial).returncode == 1
    replaced(clone / "kernel" / "core" / "budget.py", *reversed(BUG))
    followed(clone, [trial, *rest])
