"""Finished pictures as a person meets them: spoken, no wider than the window, and with their seconds."""

from __future__ import annotations

import pytest

SHOWN = [
    "from kernel import *\nfrom workshop.views import TeamPicture, Timeline, chart, watch",
    "run = Run(connect('offline', latency_ms=30))\n"
    "desk = DeterministicSupervisor(researcher(Corpus()), writer(), reviewer())\n"
    "with watch(run):\n"
    "    await run.dispatch(desk, Handoff(intent='Write a brief on Qdrant'))",
    "Timeline(run)",
    "chart.bars('Near', {'one': 2.9, 'two': 1.5}, axis='times', ideal=3)",
]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_picture_speaks_and_fits_at_150_percent(written, theme):
    with written(SHOWN, theme=theme, zoom=1.5) as notebook:
        notebook.run_all()
        for number in (2, 3, 4):
            cell = notebook.cell(number)
            image = cell.locator(".jp-OutputArea-output img")
            image.wait_for()
            assert len(image.get_attribute("alt")) > 3
            turned = image.evaluate("image => getComputedStyle(image).filter")
            assert (turned == "none") == (theme == "light"), turned
            area, box = cell.locator(".jp-OutputArea").first.bounding_box(), image.bounding_box()
            assert (
                box["width"] <= area["width"]
                and box["x"] + box["width"] <= area["x"] + area["width"]
            )
            notebook.screenshot(f"picture-{number}-{theme}-150", of=cell)
        page = notebook.page.evaluate(
            "atob(document.querySelectorAll('.jp-OutputArea-output img')[0].src.split(',')[1])"
        )
        assert ">seconds</text>" in page, (
            "the live picture counted them, the finished one keeps them"
        )
        assert notebook.failures() == [] and notebook.errors == []


SIDEWAYS = """() => [...document.querySelectorAll(
    '.jp-Notebook .cm-scroller, .jp-Notebook .jp-OutputArea-output, .jp-Notebook .jp-OutputArea-output pre')]
    .filter(it => it.scrollWidth > it.clientWidth + 1 && getComputedStyle(it).overflowX !== 'visible')
    .map(it => it.textContent.slice(0, 80))"""
MID_WORD = """() => [...document.querySelectorAll('.jp-Notebook .jp-OutputArea-output pre')]
    .map(it => getComputedStyle(it).wordBreak).filter(it => it !== 'normal')"""


@pytest.mark.parametrize("zoom", [1.0, 1.5])
def test_no_code_and_no_output_scrolls_sideways_or_breaks_in_mid_word(zoom, open_notebook):
    with open_notebook("notebooks/06_break_it.ipynb", theme="dark", zoom=zoom) as notebook:
        notebook.page.locator(".jp-OutputArea-output pre").first.wait_for()
        assert notebook.page.evaluate(SIDEWAYS) == []
        assert notebook.page.evaluate(MID_WORD) == []
