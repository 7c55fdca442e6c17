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
        checked.get_by_text("further down in this notebook").first.wait_for()
        notebook.screenshot("exercise-01-2-passed", of=checked)
        assert notebook.failures() == [] and notebook.errors == []
    (facts,) = known("progress.json", "exercises")["01.2"]["notebooks"].values()
    assert facts["passed"] is True


LAST = {"answer-03-1": "03.1", "answer-03-2": "03.2", "answer-03-3": "03.3", "answer-03-4": "03.4"}
PADDING = (
    "    " + "\n    ".join(f"step_{number} = {number}" for number in range(8)) + "\n    # solution"
)


def test_a_pass_leads_on_to_the_next_lesson_and_says_where_ours_is_shorter(open_notebook):
    name = "03_deterministic_supervisor.ipynb"
    number = {cell["id"]: place for place, cell in enumerate(code_of(EXERCISES.with_name(name)), 1)}
    ours = {cell["id"]: cell.source for cell in code_of(SOLUTIONS.with_name(name))}
    with open_notebook(f"exercises/{name}") as notebook:
        notebook.run_all()
        for cell, id in LAST.items():
            notebook.cell(number[cell]).locator(".cm-content").click()
            notebook.page.keyboard.press("Control+a")
            notebook.page.keyboard.insert_text(ours[cell].replace("    # solution", PADDING))
            notebook.page.keyboard.press("Shift+Enter")
            notebook.page.keyboard.press("Shift+Enter")
            checked = notebook.cell(number[cell.replace("answer", "check")])
            checked.get_by_text(f"{id} ").first.wait_for()
            checked.get_by_text("ours is shorter").first.wait_for()
        notebook.screenshot("exercise-03-passed", of=checked)
        checked.get_by_role("link", name="04 Fan out").click()
        notebook.page.locator(".lm-TabBar-tab", has_text="04_fan_out.ipynb").wait_for()
        assert notebook.failures() == [] and notebook.errors == []
