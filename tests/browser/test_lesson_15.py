"""Lesson 15 in a real browser: every cell runs, the spans are drawn, and all of them come back."""

from __future__ import annotations

import re


def test_the_lesson_runs_top_to_bottom_and_draws_its_spans(open_notebook):
    with open_notebook("notebooks/15_trace_it.ipynb") as notebook:
        notebook.run_all()
        assert not notebook.failures() and not notebook.errors
        assert any(
            "17 spans sent, 17 read back, unchanged: True" in output
            for output in notebook.outputs()
        )
        pictures = notebook.page.locator('img[alt^="The spans of a run"]')
        assert pictures.count() == 2
        bill = re.search(
            r"\$(\S+), of which \$(\S+) for the supervisor", pictures.first.get_attribute("alt")
        )
        assert bill and 0 < float(bill[2]) < float(bill[1])
        for number in range(2):
            assert pictures.nth(number).evaluate("it => it.complete && it.naturalWidth > 600")
        notebook.screenshot("lesson-15")
