"""Docstrings begin with a verb or a noun, never as a question or a clause."""

from __future__ import annotations

import ast
from itertools import pairwise

import pytest

from tests.places import ROOT

ROOMS = ("kernel", "offline_model", "classroom", "workshop", "benchmarks")
CLAUSES = {
    *("What", "How", "Where", "When", "Who", "Whom", "Whose", "Why", "Which", "Those"),
    *("Whether", "As", "If"),
}

# Lessons show the source of these as stored output.
SHOWN_IN_LESSONS = {("kernel/parts/planning/steps.py", "problems")}

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
ASSIGNMENTS = (ast.Assign, ast.AnnAssign)


def clauses(source):
    """Yields the line and the name of each docstring that begins as a question or a clause.

    A string below an assignment is the docstring of what is assigned.
    """
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, (ast.Module, ast.ClassDef, *FUNCTIONS)):
            continue
        if not _is_schema(node) and _begins_as_a_clause(ast.get_docstring(node)):
            yield getattr(node, "lineno", 1), getattr(node, "name", "the module")
        for assigned, text in pairwise(node.body):
            if isinstance(assigned, ASSIGNMENTS) and _begins_as_a_clause(_string(text)):
                yield text.lineno, ast.unparse(assigned).partition("\n")[0]


def _begins_as_a_clause(docstring):
    words = (docstring or "").split()
    return bool(words) and words[0].rstrip(",.:;") in CLAUSES


def _string(statement):
    """The text of a statement that is nothing but a string; else None."""
    value = statement.value if isinstance(statement, ast.Expr) else None
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else None


def _is_schema(node):
    """True if a class is a model of pydantic: a language model reads its docstring."""
    bases = getattr(node, "bases", [])
    return any(ast.unparse(base) == "BaseModel" for base in bases)


@pytest.mark.parametrize("room", ROOMS)
def test_no_docstring_begins_as_a_question_or_a_clause(room):
    paths = sorted((ROOT / room).rglob("*.py"))
    assert paths
    found = []
    for path in paths:
        place = path.relative_to(ROOT).as_posix()
        for line, name in clauses(path.read_text(encoding="utf-8")):
            if (place, name) not in SHOWN_IN_LESSONS:
                found.append(f"{place}:{line} {name}")
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "source",
    [
        '"""{}, and what."""\n',
        'class A:\n    """{}, and what."""\n',
        'class A:\n    async def f(self):\n        """{}, and what."""\n',
        'A: int = 1\n"""{}, and what."""\n',
        'class A:\n    def f(self):\n        self.a = 1\n        """{}, and what."""\n',
    ],
)
def test_a_docstring_that_begins_as_a_question_is_found(source):
    assert len(list(clauses(source.format("Where")))) == 1
    assert len(list(clauses(source.format("Whether")))) == 1
    assert not list(clauses(source.format("Places")))
