"""Makes the exercises of the solutions: the same notebooks, with a stub where each answer stood.

In an answer cell (`role` of its metadata is "answer") the lines from `# solution` to `# end
solution` become the cell's `stub` (a list of lines, by default "..."); signature
and docstring stay. Outputs stay only in cells whose role is "given".
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path

import nbformat

from classroom.course import active

BEGIN, END = "# solution", "# end solution"


def generated() -> Iterator[tuple[Path, str]]:
    """Each exercise notebook with its text, as it has to be. Raises ValueError for a bad answer
    cell.
    """
    for path in sorted(active().solutions.glob("*.ipynb")):
        try:
            yield (
                active().stubs / path.name,
                nbformat.writes(exercises_of(nbformat.read(path, as_version=4)), version=4) + "\n",
            )
        except ValueError as problem:
            raise ValueError(f"solutions/{path.name}, {problem}") from None


def left_over() -> list[Path]:
    """Exercise notebooks without a master."""
    return [
        path
        for path in sorted(active().stubs.glob("*.ipynb"))
        if not (active().solutions / path.name).exists()
    ]


def exercises_of(solutions: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """The exercise notebook of a master; the master stays as it is. Raises ValueError that names
    the cell.
    """
    notebook = copy.deepcopy(solutions)
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        facts = cell.metadata.get(active().key, {})
        if facts.get("role") == "answer":
            try:
                cell.source = with_stub(cell.source, facts.pop("stub", ["..."]))
            except ValueError as problem:
                raise ValueError(f"cell {cell.id}: {problem}") from None
        if facts.get("role") != "given":
            cell.outputs = []
        cell.execution_count = None
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = None
    return notebook


def with_stub(source: str, stub: list[str]) -> str:
    """The source with its one solution region replaced by the lines of the stub, indented as the
    region was.

    Raises ValueError when there is no such region, more than one, or one that does not end.
    """
    lines = source.split("\n")
    marks = [line.strip() for line in lines if line.strip() in (BEGIN, END)]
    if marks != [BEGIN, END]:
        raise ValueError(
            f"an answer needs one region from {BEGIN!r} to {END!r}; found"
            f" {', '.join(marks) or 'none'}"
        )
    begin, end = (
        next(index for index, line in enumerate(lines) if line.strip() == mark)
        for mark in (BEGIN, END)
    )
    indent = lines[begin][: len(lines[begin]) - len(lines[begin].lstrip())]
    return "\n".join(
        [*lines[:begin], *((indent + line).rstrip() for line in stub), *lines[end + 1 :]]
    )
