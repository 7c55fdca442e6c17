"""Facts about docs/ARCHITECTURE.md: it names every file of the kernel, and the nine stand on what it says."""

from __future__ import annotations

import ast
import re

from tests.places import ROOT

KERNEL = ROOT / "kernel"
PAGE = (ROOT / "docs" / "ARCHITECTURE.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## The kernel\n")[2].partition("\n## ")[0]
NINE = re.findall(r"^\| \[`(\w+)`\]", SECTION, re.M)
BESIDE = re.findall(r"`(\w+)`", SECTION.partition("| those nine |")[2].partition("\n")[0])


def imported(name):
    """The modules of the kernel that a file imports when it is loaded or later, but for types."""
    tree = ast.parse((KERNEL / f"{name}.py").read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = []
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            found.update([node.module] if node.module else [alias.name for alias in node.names])
    return found


def test_every_file_of_the_kernel_is_named():
    named = set(re.findall(r"`(\w+)/?`", SECTION))
    files = {path.stem for path in KERNEL.rglob("*.py") if path.name != "__init__.py"}
    rooms = {path.name for path in KERNEL.iterdir() if (path / "__init__.py").is_file()}
    assert named == files | rooms


def test_the_nine_import_each_other_and_the_row_beside_them():
    assert len(NINE) == 9
    for name in NINE:
        assert imported(name) <= {*NINE, *BESIDE}, name
