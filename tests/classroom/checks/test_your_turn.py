"""A turn in its lesson: untouched, wrong, right, and our way, which never replaces what passed."""

from __future__ import annotations

import linecache
from collections.abc import Callable

import nbformat
import pytest

from classroom.authoring import answers, your_turn
from classroom.checks import CheckFailed, check, passed, turns
from classroom.checks.verdict import CheckVerdict

TURNS = turns()


class Kernel:
    """Cells run one after the other, each a file of its own, as a notebook's kernel has them."""

    def __init__(self, lesson: str) -> None:
        self.names: dict[str, object] = {}
        self.book = answers.lesson_book(lesson)
        self.cells = {cell.id: cell.source for cell in self.book.cells}

    def run(self, source: str) -> None:
        file = f"<cell {len(linecache.cache)}>"
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        exec(compile(source, file, "exec", dont_inherit=True), self.names)

    def turn(self, id: str, source: str) -> CheckVerdict:
        """Runs a cell of the learner's, the check, and our way."""
        self.names |= {"check": check, "passed": passed}
        for given in your_turn.given(self.book, id):
            self.run(given)
        self.run(source)
        line = self.cells[f"check-{id.replace('.', '-')}"]
        try:
            return eval(line, self.names)
        finally:
            self.run(next(c.source for c in self.book.cells if your_turn.of_cell(c) == id))


@pytest.fixture(params=TURNS, ids=lambda turn: turn.id)
def turn(request: pytest.FixtureRequest, patient: None):
    return request.param


def test_an_untouched_turn_raises_nothing_and_the_lesson_goes_on_with_ours(turn):
    kernel = Kernel(turn.lesson)
    stub = kernel.cells[f"turn-{turn.id.replace('.', '-')}"]
    assert stub == answers.stub(turn.id)
    assert kernel.turn(turn.id, stub).outcome == "not attempted"
    ours = kernel.names[turn.name]
    assert not passed_in(kernel, turn)
    again = check(turn.id, ours)
    assert again.outcome == "not attempted" and "our way" in again.text(), "ours is no pass"


def test_a_wrong_answer_raises_where_nobody_is_there(turn):
    kernel = Kernel(turn.lesson)
    with pytest.raises(CheckFailed, match=f"{turn.id} .*: wrong"):
        kernel.turn(turn.id, answers.slip(turn.id, next(iter(turn.slips))))
    assert not passed_in(kernel, turn)


def test_an_answer_that_passed_stays_until_its_name_holds_another(turn):
    kernel = Kernel(turn.lesson)
    right, *_ = answers.right(turn.id)
    assert kernel.turn(turn.id, right).passed
    theirs = kernel.names[turn.name]
    kernel.run(next(c.source for c in kernel.book.cells if your_turn.of_cell(c) == turn.id))
    assert kernel.names[turn.name] is theirs and passed_in(kernel, turn)
    kernel.run(right)
    assert not passed_in(kernel, turn), "it was changed, and not checked since"


def passed_in(kernel: Kernel, turn) -> bool:
    return eval(f'passed("{turn.id}")', kernel.names)


def book(*sources: str) -> nbformat.NotebookNode:
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    return nbformat.v4.new_notebook(cells=cells)


WAY = (
    'if not passed("03.t1"):\n    def until_it_passes(x):\n        """Say it."""\n        return x'
)


def test_build_writes_stub_and_check_from_our_way_once():
    made = your_turn.composed(your_turn.composed(book("x = 1", WAY)))
    sources = [cell.source for cell in made.cells]
    assert sources[1:3] == [
        'def until_it_passes(x):\n    """Say it."""\n    ...',
        'check("03.t1", until_it_passes)',
    ]
    assert len(sources) == 4 and your_turn.LABEL in sources[3].splitlines()[0]
    assert made.cells[3].metadata["tags"] == ["one-way"]


@pytest.mark.parametrize(
    "change",
    [
        lambda way: way.replace('"""Say it."""', "pass"),
        lambda way: f"{way}\n    x = 1",
        lambda way: way.replace("03.t1", "03.t9"),
    ],
    ids=["no docstring", "two things", "unknown"],
)
def test_a_cell_that_is_no_turn_is_named(change: Callable[[str], str]):
    with pytest.raises(ValueError, match=r"cell \w+: (our way of a turn is|there is no exercise)"):
        your_turn.composed(book(change(WAY)))
