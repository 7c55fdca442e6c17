"""The board of progress as a learner uses it: read, asked before a reset, and by the keyboard alone."""

from __future__ import annotations

CELLS = [
    "from workshop.checks import check, hint, progress",
    'check("00.1", lambda sent_back: ["researcher"] + ["writer", "reviewer"] * (sent_back + 1))',
    'check("00.2", lambda first, second: [])',
    'hint("01.1")',
    'progress("00")',
    "progress()",
]


def test_the_board_asks_before_it_forgets_and_needs_no_mouse(written, known):
    def ids():
        return set(known("progress.json", "exercises"))

    with written(CELLS, theme="dark") as notebook:
        notebook.run_all()
        one, every = notebook.cell(5), notebook.cell(6)
        one.get_by_text("tried", exact=True).wait_for()
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
        assert keep.is_visible() and ids() == {"00.1", "00.2", "01.1"}
        notebook.page.keyboard.press("Shift+Tab")
        notebook.page.keyboard.press("Enter")
        one.get_by_text("forgotten; tries and hints start anew").wait_for()
        assert (
            ids() == {"00.2", "01.1"} and one.get_by_role("button", name="Reset 00.1").count() == 0
        )
        notebook.page.wait_for_function("() => document.activeElement.textContent === 'Reset 00.2'")
        notebook.screenshot("progress-after-dark", of=one)
        assert notebook.failures() == [] and notebook.errors == []
