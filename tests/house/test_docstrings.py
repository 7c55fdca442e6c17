"""Docstrings of functions begin with a verb or a noun, never with a question word."""

from __future__ import annotations

import ast

import pytest

from tests.places import ROOT

ROOMS = ("kernel", "offline_model", "classroom", "workshop", "benchmarks")
QUESTION_WORDS = {"What", "How", "Where", "Who", "Why", "Which", "Those"}

# Lessons show the source of these as stored output.
SHOWN_IN_LESSONS = {("kernel/steps.py", "problems")}


def questions(source):
    """Yields the line and the name of each function whose docstring begins as a question."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            words = (ast.get_docstring(node) or "").split()
            if words and words[0].rstrip(",.:;") in QUESTION_WORDS:
                yield node.lineno, node.name


@pytest.mark.parametrize("room", ROOMS)
def test_no_docstring_of_a_function_begins_with_a_question_word(room):
    paths = sorted((ROOT / room).rglob("*.py"))
    assert paths
    found = []
    for path in paths:
        place = path.relative_to(ROOT).as_posix()
        for line, name in questions(path.read_text(encoding="utf-8")):
            if (place, name) not in SHOWN_IN_LESSONS:
                found.append(f"{place}:{line} {name}")
    assert not found, "\n".join(found)


def test_a_docstring_that_begins_as_a_question_is_found():
    source = 'class A:\n    def f(self):\n        """Where, and what."""\n'
    assert list(questions(source)) == [(2, "f")]
    assert not list(questions(source.replace("Where", "Whether")))
