"""The edition that runs in a tab: every lesson and every exercise, in Chromium without a network, in a subfolder.

The plain form runs two lessons and one exercise, where the packages that build the edition are installed; `--all` the rest.
Which cells run here is what their tags say, `needs-process` and so on; from these `build` writes the table of `docs/editions.md`.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import nbformat
import pytest

from classroom.authoring import extras, needs
from workshop.course.lessons import LESSONS
from workshop.launcher.commands import EDITION

from .edition import (
    CELLS,
    DONE,
    DOOR,
    READY,
    RUN,
    START_S,
    Tabs,
    built,
    first_brief,
    outcomes,
    printed,
    served,
    shown,
    solutions,
)
from .firefox import Firefox, firefox_path
from .lab import ROOT, browser_path

NEEDED = f"the edition for a tab: `python3 -m workshop test --all {EDITION}` installs its packages and runs these tests"
pytest.importorskip("pagefind", reason=NEEDED)
pytest.importorskip("jupyterlite_pyodide_kernel", reason=NEEDED)
LARGEST_MB, COLD_S, WARM_S, CPU_S = 40, 20, 12, 9
SMALL = ("00", "03")
"""The lessons of the plain form; of the exercises it is the first of these."""
BRIEF = "brief"
"""The cell of lesson 00 that shows the first brief."""
WITH_MATPLOTLIB = "check-07-4"
"""The check of the one exercise for which a tab lacks a package; the page on editions says so."""
HOW = "docs/maintain.md says how a cell is tagged that needs what a tab lacks"
OTHER = {
    ("04", "assert"),  # a tab has no threads, so one of the four counts is not there
    ("15", "links"),  # of Linux and macOS, as the cell says; elsewhere the two files are not there
    ("17", "person"),  # the checkpoint takes its headless answer, and says so
}
"""Cells that print something else in a tab than installed, each for a reason; beside them those that need an extra."""


def some(numbers, small):
    marked = pytest.mark.exhaustive
    return [pytest.param(each, marks=[] if each in small else [marked]) for each in numbers]


def name_of(number):
    [path] = (ROOT / "notebooks").glob(f"{number}_*.ipynb")
    return path.name


@pytest.fixture(scope="module")
def edition(tmp_path_factory):
    """The address of the site in its subfolder, the megabytes of what runs in a tab, and the folder."""
    if browser_path() is None:
        pytest.skip("no Chromium found; install it, or name it in BROWSER_PATH")
    folder = tmp_path_factory.mktemp("site")
    sizes = built(folder)
    with served(folder) as address:
        yield address, sizes, folder


@pytest.fixture(scope="module")
def address(edition):
    return edition[0]


@pytest.fixture
def tabs(playwright):
    """An empty profile for each test: the edition opens again what was open before, with a kernel each."""
    with Tabs(playwright) as tabs:
        yield tabs
    assert tabs.left == [], "a request left the machine"


@pytest.mark.exhaustive
def test_the_front_page_leads_into_the_first_lesson_which_has_a_cited_brief(tabs, address):
    """Nothing but clicks, in an empty profile, in a subfolder of the host, without a network."""
    with tabs.follow(f"{address}/index.html", DOOR) as tab:
        assert tab.path == f"notebooks/{name_of('00')}"
        tab.run_all()
        cells, errors = tab.cells, tab.errors
    assert "[mcp-" in shown(cells[BRIEF])
    assert errors == {} and tab.console == []
    asked = {url for url in tab.sent if url.startswith("http")}  # the rest is data: and blob:
    assert asked and {url for url in asked if not url.startswith(address)} == set()


@pytest.mark.exhaustive
def test_what_the_front_page_fetches_ahead_is_there(tabs, address):
    page = tabs.context.new_page()
    page.goto(f"{address}/index.html")
    ahead = page.eval_on_selector_all("link[rel=prefetch]", "links => links.map(it => it.href)")
    answers = [page.request.get(each) for each in ahead]
    assert len(answers) == 4 and all(answer.ok for answer in answers), ahead


@pytest.mark.exhaustive
@pytest.mark.skipif(firefox_path() is None, reason="no Firefox is installed: it was not tried")
def test_the_front_page_leads_to_the_brief_in_firefox(tmp_path, address):
    """The same way in the other browser that the page on editions names."""
    path = f"notebooks/{name_of('00')}"
    door = f"[...document.querySelectorAll('.doors a')].find(it => it.textContent === '{DOOR}')"
    with Firefox(tmp_path) as firefox:
        firefox.open(f"{address}/index.html")
        firefox.evaluate(f"{door}.click()")
        firefox.wait_for(f"({READY})('{path}')", START_S)
        firefox.evaluate(f"({RUN})(['{path}', {{}}])")
        firefox.wait_for(f"({DONE})('{path}')", 5 * START_S)
        cells = {cell["id"]: cell for cell in firefox.evaluate(f"({CELLS})('{path}')")}
    assert "[mcp-" in shown(cells[BRIEF])
    assert not [cell for cell in cells.values() if '"output_type": "error"' in shown(cell)]


@pytest.mark.parametrize("number", some([lesson.number for lesson in LESSONS], SMALL))
def test_a_lesson_runs_to_its_end_in_a_tab(tabs, address, number):
    """Opened by the link of its page; what cannot run is text there, and the rest prints what it prints installed."""
    name = name_of(number)
    with tabs.follow(f"{address}/notebooks/{Path(name).stem}.html") as tab:
        assert tab.path == f"notebooks/{name}"
        tab.run_all()
        cells, errors = tab.cells, tab.errors
    assert errors == {} and tab.console == [], HOW
    kept = {cell.id: cell for cell in nbformat.read(ROOT / "notebooks" / name, as_version=4).cells}
    code = {id for id, cell in kept.items() if cell.cell_type == "code"}
    assert code - set(cells) == set(needs.stored(kept.values()))
    other = {
        (number, id): printed(cell)
        for id, cell in cells.items()
        if "nbval-ignore-output" not in kept[id].metadata.get("tags", [])
        and not extras.needed(kept[id])
        and printed(cell) != printed(kept[id])
    }
    assert set(other) <= OTHER, other


@pytest.mark.parametrize("number", some([lesson.number for lesson in LESSONS], SMALL[:1]))
def test_every_exercise_fails_and_then_passes_in_a_tab(tabs, address, number):
    name = name_of(number)
    with tabs.follow(f"{address}/exercises/{Path(name).stem}.html") as tab:
        tab.run_all()
        stubs, errors = outcomes(tab.cells), tab.errors
        tab.run_all(solutions(name))
        ours, errors = outcomes(tab.cells), errors | tab.errors
    for outcome in (stubs, ours):
        outcome.pop(WITH_MATPLOTLIB, None)
    assert stubs and set(stubs.values()) == {"not attempted"}
    assert Counter(ours.values()) == {"passed": len(stubs)}
    assert errors == {} and tab.console == []


@pytest.mark.exhaustive
def test_an_endless_answer_ends_and_progress_stays_after_a_reload(tabs, address):
    name = "01_agent_loop.ipynb"
    page = f"{address}/exercises/{Path(name).stem}.html"
    endless = "def answer(client, question, tools, functions):\n    while True: pass"
    with tabs.follow(page) as tab:
        tab.run_all({"answer-01-1": endless})
        assert outcomes(tab.cells)["check-01-1"] == "timed out"
        tab.run_all(solutions(name))
        assert "3 of 3 exercises passed" in shown(tab.cells["progress"])
    with tabs.follow(page) as tab:  # another page, a new kernel
        tab.run_all()
        assert "3 of 3 exercises passed" in shown(tab.cells["progress"])


@pytest.mark.exhaustive
def test_a_phone_has_room_for_a_lesson_and_a_word_leads_to_the_glossary(playwright, address):
    with (
        Tabs(playwright, width=390, height=844) as tabs,
        tabs.follow(f"{address}/notebooks/{Path(name_of('00')).stem}.html") as tab,
    ):
        tab.page.wait_for_function("window.jupyterapp.shell.leftCollapsed")
        tab.page.locator(".jp-RenderedMarkdown a", has_text="specialists").first.click()
        tab.page.locator(".jp-MarkdownViewer").get_by_text("An agent with one job").wait_for()
        assert tab.console == [] and tabs.left == []


@pytest.mark.exhaustive
def test_megabytes_and_seconds_to_the_first_brief(playwright, edition, capsys):
    address, (whole, compressed), _ = edition
    page = f"{address}/notebooks/{Path(name_of('00')).stem}.html"
    seconds, sent = [], []
    with Tabs(playwright) as tabs:
        for _ in range(2):  # an empty profile, then one that has what it was sent
            with tabs.follow(page) as tab:
                tab.begin()
                seconds.append(tab.wait_for_text(BRIEF, "[mcp-"))
                sent.append(sum(tab.sent.values()) / 1e6)
    cold, warm = seconds
    with capsys.disabled():
        print(
            f"\nThe tab's edition: {whole:.1f} MB, {compressed:.1f} MB compressed (goal {LARGEST_MB}); "
            f"first brief {cold:.1f} s cold (goal {COLD_S}) after {sent[0]:.1f} MB, plain, "
            f"{warm:.1f} s warm (goal {WARM_S})."
        )
    assert compressed <= LARGEST_MB  # seconds are printed only: a busy machine would decide


@pytest.mark.exhaustive
def test_the_first_brief_in_node_and_its_cpu_seconds(edition, capsys):
    """The kernel's own steps without a browser; seconds are printed only: a busy machine would decide."""
    cells = nbformat.read(ROOT / "notebooks" / name_of("00"), as_version=4).cells
    code = [cell for cell in cells if cell.cell_type == "code"]
    ids = [cell.id for cell in code]
    seen = first_brief(edition[2], [cell.source for cell in code[: ids.index(BRIEF) + 1]])
    with capsys.disabled():
        phases = ", ".join(f"{name} {seconds:.1f}" for name, seconds in seen["seconds"].items())
        print(f"\nFirst brief in node: {seen['total']:.1f} CPU s (goal {CPU_S}): {phases}.")
    assert seen["brief"]


def test_the_pinned_wheels_have_a_hash_each():
    lines = (Path(ROOT) / "classroom/site/wheels.txt").read_text(encoding="utf-8").splitlines()
    assert len(lines) > 30 and all("==" in line and "--hash=sha256:" in line for line in lines)
