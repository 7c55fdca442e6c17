"""The board of progress: bars and states in words for a person, and a reset that asks first."""

from __future__ import annotations

import asyncio
import json
import sys

import ipywidgets
import pytest

from classroom.checks import check, exercises, hint, progress
from classroom.checks.board import Board
from classroom.paper import control as control_module
from tests.workshop.controls.test_controls import all_of, button, page

MODULES = [
    sys.modules[f"classroom.checks.{name}"] for name in ("engine", "progress", "hints", "board")
]
PROGRESS = MODULES[1]


@pytest.fixture
def file(monkeypatch, tmp_path):
    """A person sits there, and progress goes to a folder of the test's; returns its file."""
    for module in (*MODULES, control_module):
        monkeypatch.setattr(module, "interactive", lambda: True)
    monkeypatch.setattr(PROGRESS, "FILE", tmp_path / "progress.json")
    PROGRESS._in_memory.clear()
    return tmp_path / "progress.json"


def known(file):
    return json.loads(file.read_text(encoding="utf-8"))["exercises"]


def right(sent_back):
    return ["researcher"] + ["writer", "reviewer"] * (sent_back + 1)


def shown(lesson=None):
    board = Board(lesson)
    board._repr_mimebundle_()
    return board


def resets(board):
    return [widget.description for widget in board._row.children]


async def click(board, name):
    button(board.widget, name).click()
    await asyncio.sleep(0)


def displayed(widget):
    return widget.layout.display != "none"


def test_a_person_gets_the_board_and_everybody_else_the_table(file, monkeypatch):
    kind = "application/vnd.jupyter.widget-view+json"
    with_a_person = progress("00")._repr_mimebundle_()
    monkeypatch.setattr(MODULES[3], "interactive", lambda: False)
    without = progress("00")._repr_mimebundle_()
    assert kind in with_a_person and set(without) == {"text/html", "text/plain"}
    assert "0 of 2 exercises passed" in without["text/plain"] and "<table>" in without["text/html"]


async def test_each_lesson_has_a_bar_and_each_exercise_its_state_in_words(file):
    check("00.1", right)
    check("00.2", lambda first, second: [])
    output = page(shown().widget)
    assert output.count("<details") == len(
        {exercise.lesson for exercise in exercises()}
    ) and output.count('scope="col"') == 4 * output.count("<details")
    assert "1 of 2 passed · 2 of 4 points" in output and "0 of 3 passed" in output
    assert (
        "00 Start here" in output
        and "tried</td>" in output
        and "passed</td>" in output
        and "open</td>" in output
    )
    assert "width:50%" in output and 'aria-hidden="true"' in output
    assert "<details open" not in output and "<details open" in page(shown("00").widget)


async def test_a_reset_asks_first_and_forgets_one_exercise_only(file):
    check("00.1", right)
    hint("00.2")
    board = shown("00")
    assert resets(board) == ["Reset 00.1", "Reset 00.2"] and not displayed(board._answers)
    await click(board, "Reset 00.1")
    assert "Reset 00.1 Who gets work, and when?" in page(board.widget) and displayed(board._answers)
    assert not displayed(board._row) and set(known(file)) == {"00.1", "00.2"}, (
        "nothing is forgotten yet"
    )
    await click(board, "Keep it")
    assert (
        set(known(file)) == {"00.1", "00.2"}
        and "00.1 is unchanged" in page(board.widget)
        and not displayed(board._answers)
    )
    await click(board, "Reset 00.1")
    await click(board, "Forget it")
    assert set(known(file)) == {"00.2"} and resets(board) == ["Reset 00.2"]
    assert (
        "00.1 Who gets work, and when: forgotten" in page(board.widget)
        and "0 of 2 exercises passed" in board.text()
    )
    await click(board, "Forget it")
    assert set(known(file)) == {"00.2"}, "without a question there is no answer"


async def test_where_nothing_is_known_there_is_nothing_to_reset(file):
    board = shown()
    assert resets(board) == [] and not file.exists()


async def test_every_control_has_a_name_and_the_focus_goes_to_the_safe_answer(file, monkeypatch):
    check("00.1", right)
    focused = []
    monkeypatch.setattr(ipywidgets.Button, "focus", lambda self: focused.append(self.description))
    board = shown("00")
    await click(board, "Reset 00.1")
    await click(board, "Keep it")
    assert focused == ["Keep it", "Reset 00.1"]
    assert all(
        button.description and button.tooltip for button in all_of(ipywidgets.Button, board.widget)
    )
    assert 'role="status"' in board._status.value and 'role="status"' not in board._picture.value


async def test_a_click_works_in_the_context_of_the_cell(file, monkeypatch):
    """JupyterLab delivers a click in a context where nobody seems to be there."""
    import contextvars

    inside = contextvars.ContextVar("inside", default=False)
    for module in (*MODULES, control_module):
        monkeypatch.setattr(module, "interactive", inside.get)
    inside.set(True)
    check("00.1", right)
    board = shown("00")
    elsewhere = contextvars.Context()
    for name in ("Reset 00.1", "Forget it"):
        elsewhere.run(button(board.widget, name).click)
        await asyncio.sleep(0)
    assert known(file) == {}
