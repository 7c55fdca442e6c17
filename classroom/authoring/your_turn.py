"""Writes the three cells of a turn from one: the author's own, which begins with `if not
passed("12.t1"):` and defines one function below it.

Before it come the stub, which is the function's signature and docstring, and the check. What a
learner need not read is folded: our way, and the questions of predictions.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from typing import Any

import nbformat

from classroom.checks.register import exercise
from classroom.course import active

from .stubs import BEGIN, END, with_stub

OUR_WAY = re.compile(r'if not passed\("(\d\d\.t\d)"\):.*\n')
"""The beginning of the author's cell."""
LABEL = "our way; it does nothing where yours has passed"
"""Heads the cell; of a folded one JupyterLab shows this line."""
TAG = "one-way"


def composed(notebook: Any) -> Any:
    """The notebook with a stub and a check before each of our ways, in place.

    Raises ValueError that names the cell for one that is no turn.
    """
    known = {cell.id: cell for cell in notebook.cells}
    made = {}
    for id, cell in ((id, cell) for cell in notebook.cells if (id := of_cell(cell))):
        body = cell.source.partition("\n")[2].strip("\n")
        cell.source = f'if not passed("{id}"):  # {LABEL}\n\n{body}'
        cell.metadata["tags"] = sorted({*cell.metadata.get("tags", []), TAG})
        made[cell.id] = [*_before(id, cell, known), cell]
    written = {cell.id for cells in made.values() for cell in cells}
    notebook.cells = [
        cell
        for old in notebook.cells
        if old.id in made or old.id not in written
        for cell in made.get(old.id, [old])
    ]
    return notebook


def _before(id: str, cell: Any, known: dict[str, Any]) -> Iterator[Any]:
    """The cells that come before our way, the stub and the check; as they are known, where they
    hold what they should.
    """
    try:
        sources = {
            "turn": with_stub(answer(cell.source), ["..."]),
            "check": f'check("{id}", {exercise(id).name})',
        }
    except ValueError as problem:
        raise ValueError(f"cell {cell.id}: {problem}") from None
    for kind, source in sources.items():
        new = nbformat.v4.new_code_cell(source, id=f"{kind}-{id.replace('.', '-')}")
        old = known.get(new.id, new)
        yield old if old.source == source else new


def of_cell(cell: Any) -> str:
    """The id of the turn whose one way a cell is; "" for any other cell."""
    found = OUR_WAY.match(cell.source) if cell.cell_type == "code" else None
    return found[1] if found else ""


def answer(source: str) -> str:
    """Our way as an answer cell of `solutions/` has it: without the condition, its body marked.

    Raises ValueError unless it is one function with a docstring.
    """
    text = textwrap.dedent(source.partition("\n")[2]).strip("\n")
    match ast.parse(text).body:
        case [ast.FunctionDef() | ast.AsyncFunctionDef() as function] if ast.get_docstring(
            function
        ):
            lines = text.split("\n")
            end = function.body[0].end_lineno or 0
            return "\n".join([*lines[:end], f"    {BEGIN}", *lines[end:], f"    {END}"])
    raise ValueError("our way of a turn is one function with a docstring, and a body below it")


def given(notebook: Any, id: str) -> Iterator[str]:
    """The imports and definitions that stand in the cells before a turn, as Python text."""
    for cell in notebook.cells:
        if of_cell(cell) == id:
            return
        if cell.cell_type == "code" and not of_cell(cell):
            kinds = (
                ast.Import,
                ast.ImportFrom,
                ast.FunctionDef,
                ast.AsyncFunctionDef,
                ast.ClassDef,
            )
            for node in ast.parse(cell.source).body:
                if isinstance(node, kinds):
                    yield ast.unparse(node)


def folded(notebook: Any) -> Any:
    """The notebook with our ways and predictions folded, in place."""
    for cell in notebook.cells:
        if is_folded(cell):
            cell.metadata["jupyter"] = {"source_hidden": True}
    return notebook


def is_folded(cell: Any) -> bool:
    """True if a learner need not read the source of a cell: our way, or a prediction."""
    return cell.cell_type == "code" and (bool(of_cell(cell)) or predictions(cell) > 0)


def predictions(cell: Any) -> int:
    """The number of predictions that a cell asks for."""
    return len(re.findall(r"\bpredict\(", cell.source))


def notebook_of(lesson: str) -> Any:
    """The notebook of a lesson. Raises LookupError when there is none, or more than one."""
    paths = sorted(active().notebooks.glob(f"{lesson}_*.ipynb"))
    if len(paths) != 1:
        raise LookupError(f"lesson {lesson} has turns; expected one notebooks/{lesson}_NAME.ipynb")
    return nbformat.read(paths[0], as_version=4)
