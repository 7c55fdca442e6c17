"""The exercises of a sitting: cells of the lessons' own notebooks, put together."""

from __future__ import annotations

import ast
import copy
import re
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import nbformat

from classroom.course import Sitting, active

from .answers import master

WIDTH = 66
"""Characters of the names that one line imports."""
FOREWORD = """\
# Exercises of the evening: {title}

The exercises of the [sitting](../notebooks/{name}.ipynb), in its order: {ids}.
They are those of the lessons; what you pass here counts there, too.

Each has a `check`. Run it as often as you like: it draws new inputs each time.
`hint("{first}")` gives the next of three hints; `solution("{first}")` opens
when you pass, or after three tries."""
HOW_FAR = """\
## How far you are

`progress` counts what you have passed, here or in the exercises of a lesson."""


def generated() -> Iterator[tuple[Path, nbformat.NotebookNode]]:
    """The notebook with the solutions of each sitting, without outputs."""
    for sitting in active().sittings:
        yield active().solutions / f"{sitting.name}.ipynb", solutions_of(sitting)


def solutions_of(sitting: Sitting) -> nbformat.NotebookNode:
    """Builds a sitting's notebook with solutions: from the lessons' solutions the cells of each
    exercise, from its text to its help.
    """
    ids = sitting.exercises
    words = FOREWORD.format(
        title=sitting.title, name=sitting.name, ids=", ".join(ids), first=ids[0]
    )
    part = once(cell for id in ids for cell in _part(id))
    imports = "\n".join(cell.source for id in ids for cell in _imports(id))
    code = [cell.source for cell in part if cell.cell_type == "code"]
    code.append("check, hint, progress, solution")
    cells = [
        nbformat.v4.new_markdown_cell(words, id="title"),
        nbformat.v4.new_code_cell(
            merged(imports, "\n".join(code)), id="imports", metadata=_given()
        ),
        *part,
        nbformat.v4.new_markdown_cell(HOW_FAR, id="how-far"),
        nbformat.v4.new_code_cell(f'progress("{sitting.name}")', id="progress"),
        nbformat.v4.new_markdown_cell("", id="on"),
    ]
    return nbformat.v4.new_notebook(cells=cells)


def _given() -> dict[str, dict[str, str]]:
    return {active().key: {"role": "given"}}


def _imports(id: str) -> list[nbformat.NotebookNode]:
    return [cell for cell in master(id[:2]).cells if cell.id == "imports"]


def _part(id: str) -> list[nbformat.NotebookNode]:
    """The cells of one exercise, and those that its lesson gives before it, to it or to all."""
    cells = master(id[:2]).cells
    facts = [cell.metadata.get(active().key, {}) for cell in cells]
    others = {fact["id"] for fact in facts if "id" in fact} - {id}
    of_others = tuple(f"-{other.replace('.', '-')}" for other in others)
    own = [place for place, fact in enumerate(facts) if fact.get("id") == id]
    before = [
        cell
        for cell, fact in zip(cells[: own[0]], facts, strict=False)
        if fact.get("role") == "given" and cell.id != "imports" and not cell.id.endswith(of_others)
    ]
    part = copy.deepcopy([*before, *cells[own[0] : own[-1] + 1]])
    for cell in part:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return part


def once(cells: Iterable[nbformat.NotebookNode]) -> list[nbformat.NotebookNode]:
    """Each cell where it first stands: what a lesson gives to several exercises is given once.

    Raises ValueError for two different cells of one id.
    """
    found: dict[str, nbformat.NotebookNode] = {}
    for cell in cells:
        if found.setdefault(cell.id, cell).source != cell.source:
            raise ValueError(
                f"two different cells of the lessons have the id {cell.id!r}; expected another id "
                "for one of them"
            )
    return [*found.values()]


def merged(source: str, code: str) -> str:
    """Import statements, each name once and only where it occurs in the code: the standard library,
    then the course's packages.
    """
    modules: dict[str, set[str]] = defaultdict(set)
    plain: set[str] = set()
    for node in ast.parse(source).body:
        if not isinstance(node, ast.Import | ast.ImportFrom):
            raise ValueError(f"an import cell holds {ast.unparse(node)!r}; expected imports only")
        names = {ast.unparse(name) for name in node.names if _occurs(name, code)}
        if isinstance(node, ast.ImportFrom):
            modules[node.module or ""] |= names
        else:
            plain |= names
    lines = {False: [f"import {name}" for name in sorted(plain)], True: []}
    for module in sorted(module for module, names in modules.items() if names):
        rows = textwrap.wrap(", ".join(sorted(modules[module])), WIDTH)
        is_ours = module.split(".")[0] in active().packages
        lines[is_ours] += [f"from {module} import {row.rstrip(',')}" for row in rows]
    return "\n\n".join("\n".join(block) for block in lines.values() if block)


def _occurs(name: ast.alias, code: str) -> bool:
    """True if the name that an import binds occurs in the code."""
    bound = name.asname or name.name.partition(".")[0]
    return re.search(rf"\b{re.escape(bound)}\b", code) is not None
