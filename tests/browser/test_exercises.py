"""An exercise as a learner meets it: the stub, a wrong answer, a hint, the right answer, and how far one is."""

from __future__ import annotations

import nbformat

from .lab import ROOT

EXERCISES, SOLUTIONS = (
    ROOT / folder / "01_agent_loop.ipynb" for folder in ("exercises", "solutions")
)


def code_of(path):
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


def test_an_exercise_answers_at_once_and_kindly(open_notebook, known):
    number = {cell["id"]: place for place, cell in enumerate(code_of(EXERCISES), 1)}
    ours = next(cell.source for cell in code_of(SOLUTIONS) if cell["id"] == "answer-01-2")
    wrong = ours.replace("raise ToolError(", "raise KeyError(")
    with open_notebook("exercises/01_agent_loop.ipynb") as notebook:

        def answer(source):
            notebook.cell(number["answer-01-2"]).locator(".cm-content").click()
            notebook.page.keyboard.press("Control+a")
            notebook.page.keyboard.insert_text(source)
            notebook.page.keyboard.press("Shift+Enter")
            notebook.page.keyboard.press("Shift+Enter")

        checked = notebook.cell(number["check-01-2"])
        notebook.run_all()
        checked.get_by_text("not attempted").first.wait_for()
        answer(wrong)
        checked.get_by_text("wrong", exact=False).first.wait_for()
        checked.get_by_text("ToolError").first.wait_for()
        notebook.screenshot("exercise-01-2-wrong", of=checked)
        answer(ours)
        checked.get_by_text("passed").first.wait_for()
        notebook.screenshot("exercise-01-2-passed", of=checked)
        assert notebook.failures() == [] and notebook.errors == []
    (facts,) = known("progress.json", "exercises")["01.2"]["notebooks"].values()
    assert facts["passed"] is True
