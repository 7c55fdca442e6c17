"""Lesson 21 in a real browser: every cell runs, the spans are drawn, and all of them come back."""

from __future__ import annotations

import re

import nbformat

from .lab import ROOT

LESSON = "notebooks/21_trace_it.ipynb"
PICTURED = re.compile(r'alt="(The spans of a run[^"]*)"')


def stored_bills():
    """What the stored pictures say of spans, calls and dollars, in order."""
    cells = nbformat.read(ROOT / LESSON, as_version=4).cells
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    return PICTURED.findall("\n".join(str(output.get("data", {})) for output in outputs))


def test_the_lesson_runs_top_to_bottom_and_draws_its_spans(open_notebook):
    with open_notebook(LESSON) as notebook:
        notebook.run_all()
        assert not notebook.failures() and not notebook.errors
        shown = "\n".join(notebook.outputs())
        assert "17 spans sent, 17 read back" in shown
        assert "changed on the way: 0 of 17" in shown
        assert "17 spans could not be sent to http://127.0.0.1:9/v1/traces" in shown
        pictures = notebook.page.locator('img[alt^="The spans of a run"]')
        bills = [picture.get_attribute("alt") for picture in pictures.all()]
        assert len(bills) == 5 and bills == stored_bills()
        for number in range(len(bills)):
            assert pictures.nth(number).evaluate("it => it.complete && it.naturalWidth > 600")
        notebook.screenshot("lesson-21")
