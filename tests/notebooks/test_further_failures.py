"""The table of failures that others found names tests that there are."""

from __future__ import annotations

import ast
import re

from tests.places import ROOT

HELD = ROOT / "tests" / "notebooks" / "held"
NAMED = re.compile(r"((?:`test_\w+`(?:, )?)+) \((\d\d)\)")


def test_each_test_that_the_table_names_stands_where_it_says():
    page = (ROOT / "docs" / "ideas.md").read_text(encoding="utf-8")
    table = page.partition("## Failures that others found")[2]
    found = NAMED.findall(table)
    assert sum(len(names.split(", ")) for names, _ in found) == table.count("`test_") >= 8
    for names, where in found:
        tree = ast.parse((HELD / f"{where}.py").read_text(encoding="utf-8"))
        defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        assert set(re.findall(r"test_\w+", names)) <= defined
