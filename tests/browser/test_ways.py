"""The ways on: a cell run too early, a run that is stopped, the map, and the next lesson."""

from __future__ import annotations

import nbformat

from .lab import ROOT

LESSON = "notebooks/00_start_here.ipynb"
CODE = [
    cell for cell in nbformat.read(ROOT / LESSON, as_version=4).cells if cell.cell_type == "code"
]
NUMBER = {cell["id"]: number for number, cell in enumerate(CODE, 1)}


def test_a_cell_run_too_early_names_the_one_to_run_first(open_notebook):
    with open_notebook(LESSON) as notebook:
        notebook.run_cell(NUMBER["run"])
        [failure] = notebook.failures()
        assert "is not there yet" in failure and "Run All Above Selected Cell" in failure
        assert "Traceback" not in failure


def test_stop_in_the_toolbar_ends_with_one_sentence(calm, open_notebook):
    with open_notebook(LESSON) as notebook:
        for number in range(1, NUMBER["run"]):
            notebook.run_cell(number)
        cell = notebook.cell(NUMBER["run"])
        cell.locator(".cm-content").click()
        notebook.page.keyboard.press("Shift+Enter")
        cell.locator("svg[role=img]").first.wait_for()
        notebook.command("Kernel", "Interrupt Kernel")
        cell.get_by_text("Stopped by you before it was finished").wait_for()
        notebook.screenshot("stopped", of=cell)
        [failure] = notebook.failures()
        assert "CancelledError" not in failure and failure.count("\n") <= 1, failure


def test_map_lands_on_the_map_and_leads_to_the_learners_lessons(open_notebook):
    with open_notebook("notebooks/03_deterministic_supervisor.ipynb") as notebook:
        notebook.page.get_by_role("link", name="map", exact=True).first.click()
        page = notebook.page.locator(".jp-MarkdownViewer")
        page.get_by_role("heading", name="The map").wait_for()
        page.get_by_role("link", name="Fan out").click()
        title = notebook.page.get_by_role("heading", name="Fan out", exact=False).first
        title.wait_for()
        assert notebook.page.locator(".jp-Dialog").count() == 0
