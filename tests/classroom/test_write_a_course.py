"""docs/write_a_course.md is followed to the letter: its commands run, its exercise works."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import nbformat
import pytest

from classroom.launcher.commands import NAMES
from tests.classroom.at_work import done, learner
from tests.classroom.grading.small_class import WITHOUT
from tests.places import ROOT

PAGE = (ROOT / "docs" / "write_a_course.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
COMMANDS = re.findall(r"^python -m classroom (.+)$", PAGE, re.MULTILINE)
ID, WORDS = "01.3", "01_words.ipynb"


def block(language: str, sign: str) -> str:
    """The one block of code on the page that holds a sign."""
    [text] = [text for kind, text in BLOCKS if kind == language and sign in text]
    return text


def cells_of_the_page() -> list[nbformat.NotebookNode]:
    """The three cells that it says to add."""
    cells = [
        nbformat.v4.new_markdown_cell("Write `initials`."),
        nbformat.v4.new_code_cell(block("python", "# end solution").rstrip()),
        nbformat.v4.new_code_cell(re.search(r"`(check\(.+?\))`\. The text", PAGE)[1]),
    ]
    for cell, role in zip(cells, ("text", "answer", "check"), strict=True):
        cell.metadata = nbformat.from_dict({"classroom": {"id": ID, "role": role}})
    return cells


def add_the_exercise(folder: Path) -> None:
    """What section 4 says."""
    path = folder / "solutions" / WORDS
    notebook = nbformat.read(path, as_version=4)
    place = [cell.source.startswith("## How far") for cell in notebook.cells].index(True)
    notebook.cells[place:place] = cells_of_the_page()
    nbformat.write(notebook, path)
    lesson = folder / "lessons" / "lesson_01"
    for name, sign, table in (
        ("inputs.py", "def names(", f'INPUTS = {{"{ID}": names, '),
        ("observe.py", "def initials(answer", f'OBSERVE = {{"{ID}": initials, '),
    ):
        text = (lesson / name).read_text(encoding="utf-8")
        before, begins, after = text.partition(table.partition('"')[0])
        assert begins and table.partition("{")[2].rstrip(", ") in PAGE
        whole = before + block("python", sign) + "\n\n" + table + after
        (lesson / name).write_text(whole, encoding="utf-8")
    with (lesson / "words.toml").open("a", encoding="utf-8") as file:
        file.write("\n" + block("toml", "[[exercise]]"))


def test_every_command_and_link_of_the_page_exists():
    assert len(COMMANDS) >= 8
    assert {command.split()[0] for command in COMMANDS} <= {"new", *NAMES}
    for link in re.findall(r"\]\((?!https?:)(\S+?)\)", PAGE):
        assert (ROOT / "docs" / link).exists(), link


def test_the_exercise_of_the_page_is_built_and_names_its_slips(tmp_path):
    folder = tmp_path / "my-course"
    done(tmp_path, "new", "my-course")
    add_the_exercise(folder)
    done(folder, "build", "--exercises", "01")
    with learner(folder / "exercises") as cell:
        cell("from classroom.checks import check")
        cell("def initials(name): return ''.join(word[0] for word in name.split()[:2]).upper()")
        assert "a name can have more" in cell(f"check('{ID}', initials)")
        cell("def initials(name): return ''.join(word[0] for word in name.title().split())")
        assert f"{ID} Initials: passed" in cell(f"check('{ID}', initials)")


@pytest.mark.exhaustive
def test_the_commands_of_the_page_do_what_it_says(tmp_path):
    """In its order; what opens JupyterLab and what makes the site has tests of its own."""
    folder = tmp_path / "my-course"
    for command in COMMANDS:
        words = shlex.split(command)
        if words[0] in ("lab", "site"):
            continue
        if "--exercises" in words:
            add_the_exercise(folder)
        if "SUBMISSIONS" in words:
            one = folder / "SUBMISSIONS" / "ada"
            one.mkdir(parents=True)
            (one / WORDS).write_bytes((folder / "solutions" / WORDS).read_bytes())
            words += WITHOUT
        printed = done(tmp_path if words[0] == "new" else folder, *words)
        if "--try" in words:
            assert "stubs: 0%, solutions: 100%" in PAGE and "stubs: 0%, solutions: 100%" in printed
        if "--out" in words and words[0] == "grade":
            assert "1 learner, 3 exercises, 100% of the points" in printed
