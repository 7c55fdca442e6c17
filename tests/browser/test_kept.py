"""What a learner chose is still there: after Shift+Enter, after Run All, and when the notebook is opened tomorrow."""

from __future__ import annotations

import nbformat
import pytest

from .lab import ROOT

LESSON = "notebooks/00_start_here.ipynb"
CODE = [
    cell for cell in nbformat.read(ROOT / LESSON, as_version=4).cells if cell.cell_type == "code"
]
NUMBER = {cell["id"]: number for number, cell in enumerate(CODE, 1)}
CHOSEN = "researcher → writer → reviewer"
UNTIL_REVEAL = NUMBER["reveal"]


def chosen(cell):
    return [radio.get_attribute("value") for radio in cell.get_by_role("radio", checked=True).all()]


def test_a_prediction_is_kept_after_shift_enter_and_the_reveal_speaks_of_it(open_notebook):
    with open_notebook(LESSON) as notebook:
        asked = notebook.cell(NUMBER["predict"])
        for number in range(1, NUMBER["predict"] + 1):
            notebook.run_cell(number)
        asked.get_by_role("radio", name=CHOSEN, exact=True).click()
        asked.get_by_text("Noted and kept").wait_for()
        notebook.page.keyboard.press("Shift+Enter")  # the cell runs again, and the choice is kept
        asked.get_by_text("Noted and kept").wait_for()
        assert len(chosen(asked)) == 1
        for number in range(NUMBER["predict"] + 1, UNTIL_REVEAL + 1):
            notebook.run_cell(number)
        notebook.cell(UNTIL_REVEAL).get_by_text(f"You predicted: {CHOSEN}.").wait_for()
        asked.get_by_text(f"You predicted: {CHOSEN}.").wait_for()
        assert asked.get_by_text("Pick one").count() == 0
        assert notebook.failures() == [] and notebook.errors == []


def test_a_choice_survives_run_all_and_the_night(lab, open_notebook):
    with open_notebook(LESSON) as notebook:
        notebook.run_all()
        notebook.run_cell(NUMBER["predict"])
        asked = notebook.cell(NUMBER["predict"])
        asked.get_by_role("radio", name=CHOSEN, exact=True).click()
        asked.get_by_text("Noted and kept").wait_for()
        notebook.run_all(wait=False)
        notebook.wait_until_run(cells=UNTIL_REVEAL)
        notebook.cell(UNTIL_REVEAL).get_by_text(f"You predicted: {CHOSEN}.").wait_for()
        notebook.wait_until_run()
        notebook.save()
    lab.end_kernels()
    with open_notebook(LESSON, theme="dark") as notebook:
        asked, box = notebook.cell(NUMBER["predict"]), notebook.cell(NUMBER["topic"])
        asked.get_by_text("Not connected").wait_for()
        box.get_by_text("Not connected").wait_for()
        assert chosen(asked) and notebook.page.get_by_text("Error displaying widget").count() == 0
        assert not notebook.cell(UNTIL_REVEAL).get_by_text("Not connected").count()
        notebook.screenshot("reopened-dark", of=asked)
        notebook.run_all()
        notebook.cell(UNTIL_REVEAL).get_by_text(f"You predicted: {CHOSEN}.").wait_for()
        assert notebook.page.get_by_text("Not connected").locator("visible=true").count() == 0
        assert notebook.failures() == [] and notebook.errors == []


def test_controls_stay_when_a_notebook_is_saved_without_being_run(lab, open_notebook):
    with open_notebook(LESSON) as notebook:
        notebook.run_all()
        notebook.save()
    for _ in range(2):  # the next day, and the day after that
        lab.end_kernels()
        with open_notebook(LESSON) as notebook:
            notebook.cell(NUMBER["predict"]).get_by_text("Not connected").wait_for()
            assert notebook.page.get_by_text("Error displaying widget").count() == 0
            notebook.save()
            assert notebook.errors == []


def test_controls_that_were_lost_in_a_restart_before_the_first_save_are_text(lab, open_notebook):
    with open_notebook(LESSON) as notebook:
        notebook.run_all()
        notebook.restart()
        notebook.run_cell(1)
        notebook.save()
    lab.end_kernels()
    with open_notebook(LESSON) as notebook:
        notebook.cell(NUMBER["predict"]).get_by_text("Run this cell, and it is back").wait_for()
        notebook.cell(1).get_by_text("Not connected").wait_for()
        assert notebook.page.get_by_text("Error displaying widget").count() == 0
        assert notebook.errors == []


def test_a_control_says_so_when_its_kernel_is_restarted_and_runs_again_when_revived(open_notebook):
    with open_notebook(LESSON) as notebook:
        notebook.run_all()
        switch = notebook.cell(NUMBER["switch"])
        assert not switch.get_by_text("Not connected").is_visible()
        switch.get_by_role("spinbutton").first.fill("700")
        switch.get_by_role("spinbutton").first.press("Tab")
        notebook.run_cell(NUMBER["run"])  # the cell that makes the switch
        assert switch.get_by_role("spinbutton").first.input_value() == "700"
        notebook.restart()
        switch.get_by_text("Not connected").wait_for()
        notebook.run_all()
        switch.get_by_text("Not connected").wait_for(state="hidden")
        assert switch.get_by_role("spinbutton").first.input_value() == "700"


def test_options_are_a_group_for_the_keyboard_and_keep_its_keys(written):
    cells = [
        "from workshop.controls import predict\nasked = predict('Which `one`?', 'first', 'second', 'third')\nasked",
        "asked.chosen",
    ]
    with written(cells) as notebook:
        notebook.run_all()
        cell = notebook.cell(1)
        options = cell.get_by_role("radiogroup", name="Which one?").get_by_role("radio")
        options.first.focus()
        keys = notebook.page.keyboard
        keys.press("Space")
        for key, value in (("ArrowDown", "1"), ("ArrowDown", "2"), ("ArrowUp", "1")):
            keys.press(key)
            cell.locator(f"input[value='{value}']:checked:focus").wait_for()
        keys.press("x")  # in a notebook: cut this cell
        assert notebook.page.locator(".jp-Notebook .jp-CodeCell").count() >= 2
        keys.press("Tab")
        keys.press("Shift+Tab")
        assert cell.locator("input:checked:focus").count() == 1, "the group is one stop"
        cell.get_by_text("Noted and kept.").wait_for()  # the kernel knows
        notebook.run_cell(2)
        notebook.cell(2).get_by_text("'second'").wait_for()


def test_a_control_shown_twice_shows_its_choice_twice(open_notebook):
    with open_notebook(LESSON) as notebook:
        notebook.run_all()
        for id in ("imports", "switch"):
            shown = notebook.cell(NUMBER[id]).get_by_role("radio", checked=True)
            assert shown.count() == 1, id


def test_a_brief_stays_when_its_cell_runs_again(open_notebook):
    with open_notebook(LESSON) as notebook:
        notebook.run_all()
        box = notebook.cell(NUMBER["topic"])
        box.get_by_role("textbox").last.fill("Qdrant")
        box.get_by_role("button", name="Run", exact=True).click()
        box.get_by_text("Done.", exact=True).wait_for()
        notebook.page.keyboard.press("Shift+Enter")
        notebook.run_cell(NUMBER["topic"])
        box.get_by_text("[qdrant-").first.wait_for()
        assert box.get_by_role("textbox").last.input_value() == "Qdrant"
        assert notebook.failures() == [] and notebook.errors == []


@pytest.mark.parametrize("zoom", [1.0, 1.5])
def test_every_option_is_seen_in_full(open_notebook, zoom):
    with open_notebook(LESSON, theme="dark", zoom=zoom) as notebook:
        notebook.run_all()
        for id in ("predict", "predict-unknown"):
            cell = notebook.cell(NUMBER[id])
            area = cell.locator(".jp-OutputArea").first.bounding_box()
            tops = set()
            for label in cell.locator("[role=radiogroup] label").all():
                box = label.bounding_box()
                assert box["x"] + box["width"] <= area["x"] + area["width"]
                tops.add(box["y"])
            assert len(tops) == cell.get_by_role("radio").count(), "one option a line"
            notebook.screenshot(f"predict-{id}-dark-{zoom}", of=cell)
