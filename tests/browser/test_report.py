"""A build report as a person meets it: the slider replays the run, on a phone and in the dark too."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from kernel import DeterministicSupervisor, Handoff, Run, connect, specialists
from workshop.report import Report


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    async def work():
        run = Run(connect("offline"))
        desk = DeterministicSupervisor(*specialists())
        await run.dispatch(desk, Handoff(intent="Write a brief on pgvector"))
        return run

    with ThreadPoolExecutor(1) as thread:  # Playwright has an event loop in this one
        run = thread.submit(asyncio.run, work()).result()
    made = Report(run, note="</script><script>document.title = 'taken over'</script>")
    return made.save(tmp_path_factory.mktemp("report") / "report.html")[0]


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 390)])
def test_the_slider_replays_the_run_and_the_page_fits(lab, report, theme, width):
    page = lab.page(report, theme=theme, width=width)
    try:
        problems = []
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.reload()
        shown = page.locator(".stage > .now")
        caption = page.locator("#caption")
        assert "Done:" in shown.inner_text() and "supervisor → user" in caption.inner_text()

        page.focus("#moment")
        page.keyboard.press("Home")
        assert "1 of " in caption.inner_text() and "user → supervisor" in caption.inner_text()
        assert "Done:" not in shown.inner_text() and shown.count() == 1
        page.keyboard.press("ArrowRight")
        page.get_by_role("button", name="one step on").click()
        assert caption.inner_text().startswith("3 of ")
        assert page.get_by_role("slider").get_attribute("aria-valuetext") == caption.inner_text()

        assert not page.locator(".handoffs pre").first.is_visible()
        page.get_by_role("button", name="Open all").click()
        assert page.locator(".handoffs pre").first.is_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.title().startswith("Build report") and problems == []
    finally:
        page.context.close()


@pytest.mark.exhaustive
def test_the_lesson_that_makes_it_runs_from_top_to_bottom(open_notebook):
    with open_notebook("notebooks/27_ship_yours.ipynb") as notebook:
        notebook.run_all()
        assert notebook.failures() == [] and notebook.errors == []
        notebook.screenshot("lesson-27")
