"""A browser's tab, tried without a browser: what it lacks is named, and the desk's programs run in place."""

from __future__ import annotations

import asyncio
import itertools
import linecache
import re
from types import SimpleNamespace

import pytest

from classroom.authoring import answers
from classroom.checks import deadline, engine, exercise, in_turn
from classroom.notebook import tab
from workshop import in_place
from workshop.course import COURSE
from workshop.desks import checkout, incidents

ROOT = COURSE.root
HANDLES = """
def answer():
    for _ in range(2):
        try:
            raise ValueError("no")
        except ValueError as problem:
            why = problem
    return "handled"
"""


def test_what_a_tab_lacks_is_named_behind_other_errors():
    refused = OSError("[Errno 138] emscripten does not support processes.")
    wrapped = RuntimeError("the desk failed")
    wrapped.__cause__ = ExceptionGroup("branches", [refused])
    for error, words in (
        (wrapped, "another process"),
        (RuntimeError("can't start new thread"), "threads"),
        (OSError(138, "Not supported"), "a port to listen on"),
    ):
        assert f"needs {words}," in tab.explained(error)
    assert tab.explained(ValueError("no")) == ""


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    made = incidents.make("T-21", tmp_path_factory.mktemp("incident") / "T-21")
    return made.incident.folder


def test_the_desks_programs_end_in_place_as_they_end_in_a_process(shop, monkeypatch):
    source = (shop / "shop" / "cart.py").read_text(encoding="utf-8").split("\n")
    line = next(n for n, text in enumerate(source, 1) if text.strip().startswith("return"))
    indent = " " * (len(source[line - 1]) - len(source[line - 1].lstrip()))
    texts = [f"{indent}while True: pass", source[line - 1], f"{indent}return 0", "return ("]
    edits = [(line, text) for text in texts]
    project = checkout.Checkout(shop, trial_seconds=6)  # a loaded machine starts a process slowly

    async def seen():
        tried = await project.trials("shop/cart.py", edits, [], 2)
        report = await project.tests()
        return tried, report.rpartition(" in ")[0]

    in_a_process = asyncio.run(seen())
    monkeypatch.delenv("CI", raising=False)  # pytest's lines are longer with it; a tab has none
    monkeypatch.setattr(checkout, "python", in_place.InPlace)
    in_place_of_it = asyncio.run(seen())
    assert in_place_of_it == in_a_process and in_place_of_it[0][0] == "does not end"
    assert "1 failed" in in_place_of_it[1]


def test_an_answer_that_handles_an_exception_is_not_disturbed_by_the_clock():
    """What Python does at the end of an `except` belongs to no line."""
    given = {}
    exec(compile(HANDLES, "<answer>", "exec"), given)
    clock, seen = in_turn.Clock(5, TimeoutError), []
    work = in_turn.InTurn(given["answer"], lambda: seen.append(given["answer"]()), list, clock)
    assert work.run() is None and seen == ["handled"]


def test_a_check_while_the_page_has_a_loop_is_one_in_a_task_of_it_or_in_none():
    def checked():
        work = in_turn.InTurn(checked, lambda: asyncio.run(asyncio.sleep(0)), list, clock)
        problems.append(work.run())

    async def page():
        task = asyncio.current_task()
        checked()
        assert asyncio.current_task() is task
        asyncio.get_running_loop().call_soon(checked)
        await asyncio.sleep(0)

    clock, problems = in_turn.Clock(5, TimeoutError), []
    asyncio.run(page())
    assert problems == [None, None]


@pytest.fixture
def in_a_tab(monkeypatch):
    """Checks as a tab runs them; each look at the clock on the wall is an hour later."""
    wall = itertools.count(0.0, 3600.0)
    monkeypatch.setattr(engine, "IN_BROWSER", True)
    monkeypatch.setattr(in_turn, "time", SimpleNamespace(monotonic=lambda: next(wall)))


@pytest.mark.parametrize("id", ["01.1", "02.1", "04.3", "05.3"])
def test_a_check_in_a_tab_counts_work_and_not_the_clock_on_the_wall(id, in_a_tab, monkeypatch):
    clocks = []
    monkeypatch.setattr(in_turn.Clock, "end_soon", lambda clock: clocks.append(clock))
    known = exercise(id)
    verdict = engine.judge(known, answers.made(id, known.name, answers.ours(id)), seed=1)
    assert verdict.passed, verdict.text()
    assert 5 * clocks[0].steps < in_turn.MOST_STEPS


@pytest.mark.parametrize(
    ("body", "after"),
    [
        ("while True: pass", r"[\d,]+ steps of Python; it was at line 2: while True: pass"),
        ("while True: str(1)", r"[\d,]+ steps of Python; it was at line 2: while True: str\(1\)"),
        ("await asyncio.sleep(1e6)", r"0\.2 seconds of waiting; it was at line 2: await"),
        ("while True: await asyncio.sleep(0)", r"[\d,]+ steps of Python; it was at line 2: while"),
    ],
)
def test_an_endless_answer_ends_in_a_tab(body, after, monkeypatch):
    monkeypatch.setattr(engine, "IN_BROWSER", True)
    monkeypatch.setattr(in_turn, "MOST_STEPS", 200_000)
    monkeypatch.setattr(deadline, "TIME_LIMIT_S", 0.2)
    known = exercise("04.1")
    source = f"async def {known.name}(*given):\n    {body}\n"
    names = {"asyncio": asyncio}
    exec(compile(source, "<endless>", "exec"), names)
    linecache.cache["<endless>"] = (
        len(source),
        None,
        source.splitlines(keepends=True),
        "<endless>",
    )
    verdict = engine.judge(known, names[known.name], seed=1)
    assert verdict.outcome == "timed out"
    assert re.search(f"nothing after {after}", verdict.text())
