"""Learners with the same answer, whatever its comments, spaces and docstrings: a list for the
instructor, and no verdict.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from classroom.authoring.answers import right
from classroom.checks import Exercise
from classroom.course import active
from classroom.grading.intake.answers import master, names

from .marks import Gradebook, Person

FEWEST = 40
"""Nodes of an answer's tree: shorter ones are equal by chance."""
MOST_SOURCE = 100_000


@dataclass(frozen=True)
class Same:
    """An answer that several learners gave."""

    exercise: Exercise
    people: tuple[Person, ...]
    ours: bool
    """True if it is our own solution, or the alternative shown with it."""


def groups(book: Gradebook) -> list[Same]:
    """The largest groups first."""
    found = []
    for position, exercise in enumerate(book.exercises):
        by_form: dict[str, list[int]] = {}
        for number, person in enumerate(book.people):
            form = normalised(person.marks()[exercise.id].answer)
            if form:
                by_form.setdefault(form, []).append(number)
        for form, numbers in by_form.items():
            if len(numbers) > 1:
                people = tuple(book.people[number] for number in numbers)
                same = Same(exercise, people, form in ours(exercise.id))
                found.append((-len(numbers), position, same))
    return [other[2] for other in sorted(found, key=lambda each: each[:2])]


@cache
def normalised(source: str) -> str:
    """The answer's tree as text, without docstrings; empty when it is too short, or no Python."""
    if not source.strip() or len(source) > MOST_SOURCE:
        return ""
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(source)
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                _drop_docstring(node)
        if sum(1 for _ in ast.walk(tree)) < FEWEST:
            return ""
        return ast.dump(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""


def _drop_docstring(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
    if ast.get_docstring(node, clean=False) is not None:
        node.body = node.body[1:] or [ast.Pass()]


@cache
def ours(id: str) -> frozenset[str]:
    """Our own answers to an exercise, normalised."""
    return frozenset(form for source in _our_sources(id) if (form := normalised(source)))


def _our_sources(id: str) -> Iterator[str]:
    notebook = next((name for name in names() if name.startswith(id[:2])), None)
    if notebook is not None:
        for cell in master(notebook).solutions.cells:
            facts = cell.metadata.get(active().key, {})
            if (facts.get("id"), facts.get("role")) == (id, "answer"):
                yield cell.source
    yield from right(id)
