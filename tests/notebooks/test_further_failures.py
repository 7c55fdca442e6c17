"""The table of further failures in lesson 06 names tests that there are."""

from __future__ import annotations

import ast
import re

import nbformat

from tests.places import ROOT

HELD = ROOT / "tests" / "notebooks" / "held"
NAMED = re.compile(r"((?:`test_\w+`(?:, )?)+) \((this lesson|\d\d)\)")


def test_each_test_that_the_table_names_stands_where_it_says():
    lesson = nbformat.read(ROOT / "notebooks" / "06_break_it.ipynb", as_version=4)
    [table] = [cell.source for cell in lesson.cells if cell.id == "further"]
    found = NAMED.findall(table)
    assert sum(len(names.split(", ")) for names, _ in found) == table.count("`test_") >= 8
    for names, where in found:
        number = "06" if where == "this lesson" else where
        tree = ast.parse((HELD / f"{number}.py").read_text(encoding="utf-8"))
        defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        assert set(re.findall(r"test_\w+", names)) <= defined
