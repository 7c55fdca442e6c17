"""A build report as a person meets it: moments of the run are chosen by key, a citation opens its source, and
all of it holds without scripts, on a phone and in the dark too."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from kernel import Corpus
from workshop.material.shipping import example
from workshop.report import Report

TAKEN_OVER = "</script><script>document.title = 'taken over'</script>"


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    async def work():
        return await example()

    with ThreadPoolExecutor(1) as thread:  # Playwright has an event loop in this one
        run, alone = thread.submit(asyncio.run, work()).result()
    made = Report(run, baseline=alone, note=TAKEN_OVER, documents=Corpus().documents)
    return made.save(tmp_path_factory.mktemp("report") / "report.html")[0]


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 390)])
def test_the_arrow_keys_replay_the_run_and_the_page_fits(lab, report, theme, width):
    page = lab.page(report, theme=theme, width=width)
    try:
        problems = []
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.reload()
        shown = page.locator(".stage > .frame:visible")
        caption = shown.locator(".caption")
        assert "Done:" in shown.inner_text() and "supervisor → user" in caption.inner_text()

        first = page.get_by_role("radio").first
        first.check()
        assert "1 of " in caption.inner_text() and "user → supervisor" in caption.inner_text()
        assert "Done:" not in shown.inner_text() and shown.count() == 1
        assert first.get_attribute("aria-label") == caption.inner_text()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        assert caption.inner_text().startswith("3 of ") and shown.count() == 1

        assert not page.locator(".handoffs pre").first.is_visible()
        page.locator(".handoffs summary").first.click()
        assert page.locator(".handoffs pre").first.is_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.title().startswith("Build report") and problems == []
    finally:
        page.context.close()


def opens_its_sentence(page, frame, link):
    place = link.get_attribute("href")
    assert place.startswith("#document-")
    link.click()
    target = frame.locator(place)
    assert target.is_visible() and target.evaluate("one => one.matches(':target')")
    top = target.evaluate("one => one.getBoundingClientRect().top")
    assert 0 <= top <= page.viewport_size["height"]


def test_a_citation_opens_its_document_at_the_sentence(lab, report):
    page = lab.page(report)
    try:
        opens_its_sentence(page, page, page.locator(".card.text a").first)
        page.locator("details.text summary").first.click()
        opens_its_sentence(page, page, page.locator("details.text a").first)
    finally:
        page.context.close()


def test_the_viewer_of_jupyterlab_shows_all_of_it_without_trust(lab, report):
    """JupyterLab opens a page in a sandbox without scripts."""
    (lab.folder / "my_report.html").write_bytes(report.read_bytes())
    page = lab.page(report)
    page.context.set_offline(False)
    try:
        page.goto(lab.url("my_report.html"))
        frame = page.frame_locator("iframe.jp-HTMLViewer, .jp-HTMLViewer iframe").first
        shown = frame.locator(".stage > .frame:visible")
        assert "Done:" in shown.inner_text()
        frame.get_by_role("radio").first.check()
        assert "Done:" not in shown.inner_text()
        opens_its_sentence(page, frame, frame.locator(".card.text a").first)
    finally:
        page.context.close()
