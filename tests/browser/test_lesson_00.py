"""Lesson 00 as a newcomer meets it: in JupyterLab, in a browser, with eyes and hands."""

from __future__ import annotations

import re

import nbformat
import pytest

from workshop.build import KERNELSPEC

from .lab import ROOT, Lab

LESSON = "notebooks/00_start_here.ipynb"
CODE = [cell for cell in nbformat.read(ROOT / LESSON, as_version=4).cells if cell.cell_type == "code"]
NUMBER = {cell["id"]: number for number, cell in enumerate(CODE, 1)}

COUNT_STATES = """
    const shown = new Set();
    window.pictures = shown;
    new MutationObserver(() => document.querySelectorAll('.jp-OutputArea svg[role=img]').forEach(it =>
        shown.add(it.getAttribute('aria-label')))).observe(document.body, {subtree: true, childList: true, attributes: true});
"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_lesson_runs_top_to_bottom_and_the_picture_moves(calm_folder, theme):
    with Lab(calm_folder, theme=theme) as lab, lab.open(LESSON) as notebook:
        notebook.screenshot(f"lesson-00-{theme}-as-stored")
        notebook.page.evaluate(COUNT_STATES)
        notebook.run_all()
        shown = notebook.page.evaluate("[...window.pictures]")
        assert "Nothing has happened yet." in shown and len(shown) >= 5
        notebook.screenshot(f"lesson-00-{theme}-as-run", of=notebook.cell(NUMBER["run"]))
        notebook.cell(NUMBER["brief"]).get_by_text("[mcp-").first.wait_for()
        assert notebook.failures() == [] and notebook.errors == []


def test_every_control_answers(folder):
    with Lab(folder) as lab, lab.open(LESSON) as notebook:
        notebook.run_all()
        prediction, switch, box = (notebook.cell(NUMBER[id]) for id in ("predict", "switch", "topic"))

        prediction.get_by_role("button", disabled=True).nth(3).wait_for()  # after the reveal there is nothing left to predict
        assert prediction.get_by_role("button").count() == 4
        switch.get_by_role("button", name="Live", exact=True).click()
        switch.get_by_text("ANTHROPIC_API_KEY is not set").first.wait_for()
        switch.get_by_role("button", name="Offline", exact=True).click()
        switch.get_by_text("Model: offline").wait_for()
        switch.get_by_role("spinbutton").first.fill("700")
        switch.get_by_role("spinbutton").first.press("Tab")

        topic, run, stop = box.get_by_role("textbox").last, *(box.get_by_role("button", name=it, exact=True) for it in ("Run", "Stop"))
        topic.fill("   ")
        run.click()
        box.get_by_text("The topic is empty").wait_for()
        topic.fill("Qdrant")
        topic.press("Enter")
        box.get_by_text("researcher").first.wait_for()
        stop.click()
        box.get_by_text("Stopped by you").wait_for()
        notebook.screenshot("lesson-00-stopped", of=box)
        run.click()
        box.get_by_text("Done.", exact=True).wait_for()
        box.get_by_text("[qdrant-").first.wait_for()
        box.get_by_text("Every handoff in full").click()
        notebook.screenshot("lesson-00-topic", of=box)
        assert notebook.errors == []


def test_a_prediction_is_kept_until_the_reveal(calm_folder):
    with Lab(calm_folder) as lab, lab.open(LESSON) as notebook:
        notebook.run_all()
        notebook.restart_and_run_all(wait=False)
        notebook.wait_until_run(cells=NUMBER["predict"])
        notebook.cell(NUMBER["predict"]).get_by_role("button", name="researcher → writer → reviewer", exact=True).click()
        notebook.cell(NUMBER["reveal"]).get_by_text("You predicted: researcher → writer → reviewer.").wait_for()
        notebook.wait_until_run()
        assert notebook.failures() == [] and notebook.errors == []


def test_a_human_checkpoint_waits_for_the_click_and_takes_the_edit(folder):
    cells = ["from workshop.controls import checkpoint",
             "decision = await checkpoint('Do the facts look right?', ('Proceed', 'Stop'), edit='- A fact. [d1]')",
             "print(decision.choice, decision.by, decision.text)"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(it) for it in cells], metadata={"kernelspec": KERNELSPEC})
    nbformat.write(notebook, folder / "ask.ipynb")
    with Lab(folder) as lab, lab.open("ask.ipynb") as notebook:
        notebook.run_all(wait=False)
        asked = notebook.cell(2)
        asked.locator("textarea").fill("- A better fact. [d2]")
        asked.locator("textarea").press("Tab")
        asked.get_by_role("button", name="Proceed").click()
        notebook.wait_until_run()
        notebook.cell(3).get_by_text("Proceed person - A better fact. [d2]").wait_for()
        assert notebook.errors == []


def test_the_launcher_opens_exactly_lesson_00_and_it_runs_there():
    with Lab.as_newcomer(ROOT) as lab:
        assert re.search(r"/lab/tree/notebooks/00_start_here\.ipynb", "".join(lab.written))
        with lab.open(LESSON) as notebook:
            assert notebook.page.locator(".jp-Dialog").count() == 0
            notebook.page.locator(".jp-RenderedSVG img, .jp-RenderedSVG svg").first.wait_for()  # the stored picture is shown before anything is run
            notebook.run_all()
            notebook.cell(NUMBER["brief"]).get_by_text("[mcp-").first.wait_for()
            assert notebook.failures() == [] and notebook.errors == []
