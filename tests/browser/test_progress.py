"""The board of progress as a learner uses it: read, asked before a reset, and by the keyboard alone."""

from __future__ import annotations

import json

import nbformat

from workshop.build import KERNELSPEC

from .lab import Lab

CELLS = ['from workshop.checks import check, hint, progress',
         'check("00.1", lambda sent_back: ["researcher"] + ["writer", "reviewer"] * (sent_back + 1))',
         'check("00.2", lambda first, second: [])', 'hint("01.1")', 'progress("00")', 'progress()']


def test_the_board_asks_before_it_forgets_and_needs_no_mouse(tmp_path):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(it) for it in CELLS], metadata={"kernelspec": KERNELSPEC})
    nbformat.write(notebook, tmp_path / "far.ipynb")
    kept = tmp_path / "progress.json"

    def known():
        return set(json.loads(kept.read_text(encoding="utf-8"))["exercises"])

    with Lab(tmp_path, theme="dark", environ={"WORKSHOP_PROGRESS": str(kept)}) as lab, lab.open("far.ipynb") as notebook:
        notebook.run_all()
        one, every = notebook.cell(5), notebook.cell(6)
        one.get_by_text("tried 1 time").wait_for()
        notebook.screenshot("progress-dark", of=one)
        every.get_by_text("00 Start here").click()
        every.get_by_text("What another topic changes").wait_for()
        notebook.screenshot("progress-all-dark", of=every)

        one.get_by_role("button", name="Reset 00.1").focus()
        notebook.page.keyboard.press("Enter")
        one.get_by_text("Reset 00.1 Who gets work, and when?").wait_for()
        keep = one.get_by_role("button", name="Keep it")
        notebook.page.wait_for_function("() => document.activeElement.textContent === 'Keep it'")
        notebook.screenshot("progress-asked-dark", of=one)
        assert keep.is_visible() and known() == {"00.1", "00.2", "01.1"}
        notebook.page.keyboard.press("Shift+Tab")
        notebook.page.keyboard.press("Enter")
        one.get_by_text("forgotten; tries and hints start anew").wait_for()
        assert known() == {"00.2", "01.1"} and one.get_by_role("button", name="Reset 00.1").count() == 0
        notebook.page.wait_for_function("() => document.activeElement.textContent === 'Reset 00.2'")
        notebook.screenshot("progress-after-dark", of=one)
        assert notebook.failures() == [] and notebook.errors == []
