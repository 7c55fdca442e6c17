"""Lesson 06 as a learner meets it: four failures, then a lab whose limits are moved by keyboard and by mouse."""

from __future__ import annotations

import re

import nbformat

from .lab import ROOT

LESSON = "notebooks/06_break_it.ipynb"
CODE = [
    cell for cell in nbformat.read(ROOT / LESSON, as_version=4).cells if cell.cell_type == "code"
]
NUMBER = {cell["id"]: number for number, cell in enumerate(CODE, 1)}

LAB = """\
from workshop.controls import failure_lab
from workshop.material import broken

await failure_lab(broken.TEAMS, cap=8, local=8, calls=16)"""


def status(lab):
    return lab.locator('span[role="status"]').inner_text()


def test_the_lesson_runs_top_to_bottom(open_notebook):
    with open_notebook(LESSON, theme="dark") as notebook:
        notebook.run_all()
        for id in ("loop-fix", "lost-test", "runaway-fix", "ring-test"):
            output = notebook.cell(NUMBER[id])
            output.get_by_text("FAILS: ").first.wait_for()
            assert re.search(r"after .*\n.* passes", output.inner_text()), output.inner_text()
        for id in ("predict-loop", "loop", "lost-log", "runaway-fix", "ring", "plot", "lab"):
            notebook.screenshot(f"lesson-06-dark-{id}", of=notebook.cell(NUMBER[id]))
        assert notebook.failures() == [] and notebook.errors == []


def test_the_lab_is_used_by_keyboard_and_every_limit_has_a_name(written):
    with written([LAB]) as notebook:
        notebook.run_all()
        cell = notebook.cell(1)
        cell.get_by_text("exhausted: the run's budget of 16 calls").first.wait_for()
        timeline = cell.locator("svg[role=img]").last
        before = timeline.get_attribute("aria-label")

        cap, local, calls = (
            cell.get_by_role("spinbutton", name=name)
            for name in (
                "Cap: revisions or levels",
                "Local budget: calls of one specialist",
                "Global budget: calls of the run",
            )
        )
        cap.focus()
        for _ in range(6):
            notebook.page.keyboard.press("ArrowDown")
        cell.get_by_text("exhausted: no revision is left").first.wait_for()
        assert cap.input_value() == "2" and ": 8 calls, " in status(cell)
        assert timeline.get_attribute("aria-label") != before, "the picture is drawn anew"

        runaway = cell.get_by_role("radio", name="runaway specialist")
        runaway.focus()
        notebook.page.keyboard.press("Space")
        cell.get_by_text("Runaway specialist: 10 calls").first.wait_for()
        local.fill("4")
        local.press("Enter")
        cell.get_by_text("Runaway specialist: 6 calls").first.wait_for()
        calls.fill("99")
        calls.press("Tab")
        cell.get_by_text("6 of 40 calls").first.wait_for()
        assert calls.input_value() == "40", "what is out of range is put back into it"
        cell.get_by_role("slider").last.focus()
        for _ in range(3):
            notebook.page.keyboard.press("ArrowLeft")
        cell.get_by_text("6 of 37 calls").first.wait_for()
        assert calls.input_value() == "37", "the slider's handle takes the keys, too"
        notebook.screenshot("lesson-06-lab-runaway", of=cell)
        assert notebook.failures() == [] and notebook.errors == []


def test_the_lab_is_used_by_mouse_and_the_last_value_wins(written):
    with written([LAB]) as notebook:
        notebook.run_all()
        cell = notebook.cell(1)
        cell.get_by_role("radio", name="ring of agents").click()
        cell.get_by_text("Ring of agents: ").first.wait_for()
        handle = cell.get_by_role("slider").first
        box = handle.bounding_box()
        notebook.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        notebook.page.mouse.down()
        for step in range(1, 13):
            notebook.page.mouse.move(
                box["x"] + box["width"] / 2 - 25 * step, box["y"] + box["height"] / 2
            )
        notebook.page.mouse.up()
        cell.get_by_text("Ring of agents: 4 calls").first.wait_for()
        assert cell.get_by_role("spinbutton").first.input_value() == "0"
        cell.get_by_role("radio", name="lost handoff").click()
        cell.get_by_text("Lost handoff: 14 calls").first.wait_for()
        notebook.screenshot("lesson-06-lab-lost", of=cell)
        assert notebook.failures() == [] and notebook.errors == []
