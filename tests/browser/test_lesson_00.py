"""Lesson 00 as a newcomer meets it: in JupyterLab, in a browser, with eyes and hands."""

from __future__ import annotations

import re

import nbformat
import pytest

from .lab import ROOT

LESSON = "notebooks/00_start_here.ipynb"
CODE = [
    cell for cell in nbformat.read(ROOT / LESSON, as_version=4).cells if cell.cell_type == "code"
]
NUMBER = {cell["id"]: number for number, cell in enumerate(CODE, 1)}

COUNT_STATES = """
    const shown = new Set();
    window.pictures = shown;
    new MutationObserver(() => document.querySelectorAll('.jp-OutputArea svg[role=img]').forEach(it =>
        shown.add(it.getAttribute('aria-label')))).observe(document.body, {subtree: true, childList: true, attributes: true});
"""


@pytest.mark.parametrize("theme", [pytest.param("light", marks=pytest.mark.exhaustive), "dark"])
def test_the_lesson_runs_top_to_bottom_and_the_picture_moves(calm, open_notebook, theme):
    with open_notebook(LESSON, theme=theme) as notebook:
        notebook.screenshot(f"lesson-00-{theme}-as-stored")
        notebook.page.evaluate(COUNT_STATES)
        notebook.run_all()
        shown = notebook.page.evaluate("[...window.pictures]")
        assert "Nothing has happened yet." in shown and len(shown) >= 5
        notebook.screenshot(f"lesson-00-{theme}-as-run", of=notebook.cell(NUMBER["run"]))
        notebook.cell(NUMBER["brief"]).get_by_text("[mcp-").first.wait_for()
        assert notebook.failures() == [] and notebook.errors == []


def test_every_control_answers(open_notebook):
    with open_notebook(LESSON) as notebook:
        notebook.run_all()
        prediction, switch, box = (
            notebook.cell(NUMBER[id]) for id in ("predict", "switch", "topic")
        )

        prediction.get_by_role("radio", disabled=True).nth(3).wait_for()  # after the reveal
        assert prediction.get_by_role("radio").count() == 4
        switch.get_by_role("radio", name="Live").check()
        switch.get_by_text("ANTHROPIC_API_KEY is not set").first.wait_for()
        switch.get_by_role("radio", name="Offline").check()
        switch.get_by_text("Model: offline").wait_for()
        switch.get_by_role("spinbutton").first.fill("700")
        switch.get_by_role("spinbutton").first.press("Tab")

        topic, run, stop = (
            box.get_by_role("textbox").last,
            *(box.get_by_role("button", name=name, exact=True) for name in ("Run", "Stop")),
        )
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


def test_a_human_checkpoint_waits_for_the_click_and_takes_the_edit(written):
    cells = [
        "from workshop.controls import checkpoint",
        "decision = await checkpoint('Do the facts look right?', edit='- A fact. [d1]')",
        "print(decision.choice, decision.by, decision.text)",
    ]
    with written(cells) as notebook:
        notebook.run_all(wait=False)
        asked = notebook.cell(2)
        asked.locator("textarea").fill("- A better fact. [d2]")
        asked.locator("textarea").press("Tab")
        asked.get_by_role("button", name="Proceed").click()
        notebook.wait_until_run()
        notebook.cell(3).get_by_text("Proceed person - A better fact. [d2]").wait_for()
        assert notebook.errors == []


def test_the_launcher_opens_the_learners_copy_of_lesson_00_and_it_runs_there(lab):
    assert re.search(r"/lab/tree/my-work/notebooks/00_start_here\.ipynb", "".join(lab.written))
    with lab.open("my-work/notebooks/00_start_here.ipynb") as notebook:
        assert notebook.page.locator(".jp-Dialog").count() == 0
        assert not notebook.cell(NUMBER["reveal"]).locator(".jp-OutputArea-output").count()
        notebook.run_all()
        notebook.cell(NUMBER["brief"]).get_by_text("[mcp-").first.wait_for()
        assert notebook.failures() == [] and notebook.errors == []
    lab.end_kernels()


def test_a_copy_shows_its_stored_pictures_before_anything_is_run(lab):
    copies = sorted((lab.folder / "my-work" / "notebooks").glob("*.ipynb"))
    name = next(
        copy_file.name
        for copy_file in copies
        if "image/svg+xml" in copy_file.read_text(encoding="utf-8")
    )
    with lab.open(f"my-work/notebooks/{name}") as notebook:
        notebook.page.locator(".jp-OutputArea-output img").first.wait_for()
