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
        checked.get_by_role("button", name="Hint 1 of 3").click()
        checked.get_by_text("hint 1 of 3").wait_for()
        checked.get_by_role("button", name="Our solution").click()
        checked.get_by_text("after 3 tries").first.wait_for()
        notebook.screenshot("exercise-01-2-wrong", of=checked)
        answer(ours)
        checked.get_by_text("passed").first.wait_for()
        checked.get_by_text("further down in this notebook").first.wait_for()
        notebook.screenshot("exercise-01-2-passed", of=checked)
        assert notebook.failures() == [] and notebook.errors == []
    (facts,) = known("progress.json", "exercises")["01.2"]["notebooks"].values()
    assert facts["passed"] is True


def test_a_lesson_runs_without_an_answer_to_its_turn_and_then_on_the_learners(open_notebook):
    name = "12_retry_and_break.ipynb"
    number = {cell["id"]: place for place, cell in enumerate(code_of(ROOT / "notebooks" / name), 1)}
    right = (ROOT / "workshop/course/lesson_12/right/12.t1.py").read_text(encoding="utf-8")
    with open_notebook(f"notebooks/{name}") as notebook:

        def answer(source):
            notebook.cell(number["turn-12-t1"]).locator(".cm-content").click()
            notebook.page.keyboard.press("Control+a")
            notebook.page.keyboard.insert_text(source)
            notebook.run_cell(number["turn-12-t1"])
            notebook.run_cell(number["check-12-t1"])

        checked = notebook.cell(number["check-12-t1"])
        notebook.run_all()
        assert notebook.failures() == []
        assert "not attempted" in checked.inner_text()
        answer(f"oops\n{right}")
        checked.get_by_text("The cell above ended in an error").wait_for()
        answer(right.replace("    own_waits", "    print('mine')\n    own_waits"))
        checked.get_by_text("Run on: the rest of the lesson").wait_for()
        notebook.run_all()
        outputs = notebook.outputs()
        assert "mine" in outputs[number["as-asked"] - 1]
        assert "asked 3 times" in outputs[number["give-up"] - 1]
        assert notebook.failures() == [] and notebook.errors == []


LAST = {"answer-03-1": "03.1", "answer-03-2": "03.2", "answer-03-3": "03.3", "answer-03-4": "03.4"}


def test_a_pass_leads_on_to_the_next_lesson(open_notebook):
    name = "03_deterministic_supervisor.ipynb"
    number = {cell["id"]: place for place, cell in enumerate(code_of(EXERCISES.with_name(name)), 1)}
    ours = {cell["id"]: cell.source for cell in code_of(SOLUTIONS.with_name(name))}
    with open_notebook(f"exercises/{name}") as notebook:
        notebook.run_all()
        for cell, id in LAST.items():
            notebook.cell(number[cell]).locator(".cm-content").click()
            notebook.page.keyboard.press("Control+a")
            notebook.page.keyboard.insert_text(ours[cell])
            notebook.page.keyboard.press("Shift+Enter")
            notebook.page.keyboard.press("Shift+Enter")
            checked = notebook.cell(number[cell.replace("answer", "check")])
            checked.get_by_text(f"{id} ").first.wait_for()
            checked.get_by_text("passed").first.wait_for()
        notebook.screenshot("exercise-03-passed", of=checked)
        checked.get_by_role("link", name="04 Fan out").click()
        notebook.page.locator(".lm-TabBar-tab", has_text="04_fan_out.ipynb").wait_for()
        assert notebook.failures() == [] and notebook.errors == []
