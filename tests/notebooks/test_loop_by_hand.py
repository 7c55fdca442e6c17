"""The request, the loop and its limit of lesson 01 are a program of their own, which needs `httpx` and one changed line."""

from __future__ import annotations

import os
import subprocess
import sys

import nbformat

from classroom.authoring.your_turn import answer, of_cell
from kernel import models
from workshop.plain import local_server

from .test_ideas import ROOT

OF_THE_LESSON = ("one", "text-of", "ask", "definition", "results", "loop", "loop-run")
WITHOUT_THE_WORKSHOP = """\
import sys


class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("kernel", "workshop", "classroom", "offline_model"):
            raise ImportError(f"{name} is of the workshop")


sys.meta_path.insert(0, Absent())
"""


def cells():
    notebook = nbformat.read(ROOT / "notebooks" / "01_agent_loop.ipynb", as_version=4)
    ours = {cell.id: answer(cell.source) for cell in notebook.cells if of_cell(cell)}
    return {cell.id: cell.source for cell in notebook.cells} | ours


def test_the_cells_of_lesson_01_run_in_an_empty_file_with_one_line_changed(tmp_path):
    lesson = cells()
    line = f'ADDRESS, KEY, MODEL = "{local_server()}", "no key", "{models.worker}"'
    assert lesson["address"].count("\n") == 0 and lesson["address"].startswith(
        "ADDRESS, KEY, MODEL = "
    )
    question = "question = \"How many words has 'to be or not'?\""
    imports = "import json\n\nimport httpx\n"
    limit = (
        'print(*agent(ask, question, [count_tool], {"count_words": count}, max_turns=1), sep=": ")'
    )
    written = (imports, line, question, *(lesson[id] for id in OF_THE_LESSON), limit)
    file = tmp_path / "loop.py"
    file.write_text("\n\n\n".join((WITHOUT_THE_WORKSHOP, *written)), encoding="utf-8")
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "ANTHROPIC_", "WORKSHOP_"))
    }
    done = subprocess.run(
        [sys.executable, file.name],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.stderr == ""
    assert done.stdout.splitlines()[-2:] == [
        "done: 'to be or not' has 4 words.",
        "stopped at the limit: 'to be or not' has 4 words.",
    ]


def test_the_loop_is_about_thirty_lines():
    lesson = cells()
    parts = [lesson[id].partition("\n\n\n")[0] for id in ("text-of", "ask", "results", "loop")]
    assert 25 <= sum(len(part.splitlines()) for part in parts) <= 35
