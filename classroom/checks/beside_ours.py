"""The size of an answer and what its run needed, beside ours: a sentence where ours is smaller."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from classroom.course import active
from classroom.observing import source_of

from . import tables
from .hints import our_solution
from .register import Exercise
from .wording import counted

SHARE = 0.8
"""Ours is called smaller from this share on; a smaller gap is a matter of taste."""
AT_LEAST = {"statement": 3, "word": 10}
"""By how much it has to be smaller at least, where one more or less says nothing."""
SIZES = ("statement", "word")
"""The costs of an answer itself; all others are counted in its run."""


def measured(answer: Any, source: str, runs: list[Any]) -> dict[str, int]:
    """Returns the costs of an answer: of its run, as the course counts them; and its words if it is
    a text, else its statements.

    runs: what `observe` noted on the example.
    """
    counts = dict(active().costs_of(runs) or {})
    if isinstance(answer, str):
        return {**counts, "word": len(answer.split())}
    statements = _statements(source)
    return {**counts, "statement": statements} if statements else counts


def smaller(exercise: Exercise, answer: Any, runs: list[Any]) -> str:
    """One sentence on what ours needs less of; "" where it does not, or needs more of another, or
    where the two are not to be compared.
    """
    if not exercise.beside_ours:
        return ""
    theirs = measured(answer, source_of(answer), runs)
    ours = tables.measured(exercise.id)
    both = [thing for thing in theirs if thing in ours]
    if any(ours[thing] > theirs[thing] for thing in both):
        return ""
    less = [thing for thing in both if _is_less(thing, ours, theirs)]
    if not less:
        return ""
    look = f'; `solution("{exercise.id}")` shows it' if our_solution(exercise) else ""
    return f"{_sentence(less[0], ours, theirs)}{look}."


def _is_less(thing: str, ours: Mapping[str, int], theirs: Mapping[str, int]) -> bool:
    gap = theirs[thing] - ours[thing]
    return ours[thing] <= SHARE * theirs[thing] and gap >= AT_LEAST.get(thing, 1)


def _sentence(thing: str, ours: Mapping[str, int], theirs: Mapping[str, int]) -> str:
    numbers = f"{counted(ours[thing], thing)}, yours {theirs[thing]:,}"
    if thing in SIZES:
        return f"Yours is right, and ours is shorter: it has {numbers}"
    return f"Yours is right, and ours needs less: on the example {numbers}"


def _statements(source: str) -> int:
    """Counts the statements of a source, docstrings left out; 0 where it cannot be read.

    Layout, comments and blank lines do not count.
    """
    try:
        nodes = [*ast.walk(ast.parse(source))]
    except SyntaxError:
        return 0
    return sum(isinstance(node, ast.stmt) and not _is_text(node) for node in nodes)


def _is_text(node: ast.stmt) -> bool:
    """True if a statement is a text alone, such as a docstring."""
    alone = node.value if isinstance(node, ast.Expr) else None
    return isinstance(alone, ast.Constant) and isinstance(alone.value, str)
