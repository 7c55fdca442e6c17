"""The table of ideas: each has a cell that runs it, and a later one that fails when it does not hold."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

from tests.places import ROOT

from . import books, held

PAGE = ROOT / "docs" / "ideas.md"
PLACE = r"\[[^\]]*\]\(\.\./((?:notebooks|solutions|tests/notebooks/held)/[\w.]+)\) `([\w-]+)`"
ROW = re.compile(rf"^\| (I\d\d) \| (.+) \| {PLACE} \| {PLACE} \|$", re.MULTILINE)
ROWS = ROW.findall(PAGE.read_text(encoding="utf-8"))
EVERYWHERE = {"connect", "print", "predict"}
"""Names that any cell may use; they tie no cell to another."""


def number_of(name):
    """The number of the lesson that a notebook is."""
    return Path(name).name[:2]


def code_cells(name):
    return books.sources(ROOT / name, "code")


@cache
def nodes_of(source):
    return list(ast.walk(ast.parse(source)))


@cache
def used(source):
    return {node.id for node in nodes_of(source) if isinstance(node, ast.Name)} - EVERYWHERE


@cache
def bound(source):
    stores = (ast.Store, ast.Del)
    nodes = nodes_of(source)
    names = {
        node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, stores)
    }
    defined = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return names | {node.name for node in nodes if isinstance(node, defined)}


def asserts(source, before):
    """Whether a cell fails when its claim does not hold: by itself, or by a test that it is handed."""
    held = {
        node.name
        for text in (*before, source)
        for node in nodes_of(text)
        if isinstance(node, ast.FunctionDef) and "assert " in ast.unparse(node)
    }
    inside = any(isinstance(node, ast.Assert) for node in nodes_of(source))
    return inside or bool(held & used(source))


def test_every_idea_has_a_row_and_every_row_is_read():
    written = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if "| I" in line]
    assert len(written) == len(ROWS), "a row is not of the form: id, idea, cell, cell"
    ideas = [f"I{n:02}" for n in range(1, 50)]
    assert list(dict.fromkeys(row[0] for row in ROWS)) == ideas, "add a row to docs/ideas.md"


def test_a_cell_runs_each_idea_and_a_later_one_asserts_it(subtests):
    for row in ROWS:
        with subtests.test(f"{row[0]} {row[3]} {row[5]}"):
            runs_and_asserts(row)


def runs_and_asserts(row):
    _, _, lesson, run, place, asserted = row
    cells = code_cells(lesson)
    assert cells.get(run), f"{lesson} has no code cell {run}"
    if place.startswith("tests/"):  # a held fact: it runs behind the last cell of the lesson
        assert place == f"tests/notebooks/held/{number_of(lesson)}.py"
        assert asserted in held.facts(number_of(lesson)), f"{place} has no {asserted}"
        return
    if place != lesson:  # the check of an exercise, which follows the lesson
        assert place == lesson.replace("notebooks/", "solutions/")
        number = asserted.removeprefix("check-").replace("-", ".")
        assert f'check("{number}", ' in code_cells(place)[asserted]
        return
    order = list(cells)
    assert order.index(run) < order.index(asserted), f"{asserted} does not follow {run}"
    between = order[order.index(run) + 1 : order.index(asserted)]
    own = {name for source in cells.values() for name in bound(source)} - EVERYWHERE
    touched = bound(cells[run]) | {
        name for name in used(cells[run]) if name in own or name.islower()
    }
    for name in between:
        if touched & used(cells[name]):
            touched |= bound(cells[name])
    before = [cells[name] for name in order[: order.index(asserted)]]
    assert asserts(cells[asserted], before), f"{asserted} asserts nothing"
    assert touched & used(cells[asserted]), f"{asserted} says nothing of what {run} made"


def test_every_lesson_has_an_exercise_that_answers():
    for path in sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb")):
        checks = [
            source for source in code_cells(f"solutions/{path.name}").values() if "check(" in source
        ]
        assert checks, f"{path.name} has no exercise"
