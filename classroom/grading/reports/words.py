"""Words for a state, a notebook and a difference."""

from __future__ import annotations

import re

from classroom.course import active
from classroom.grading.check import Check

from .marks import Mark

STATES = {
    "passed": "passed",
    "partly": "partly",
    "failed": "not passed",
    "error": "ended by an error",
    "timeout": "took too long",
    "killed": "ended its process",
    "missing": "no answer",
    "tampered": "tampered with",
    "not-run": "not run",
    "pending": "not graded yet",
}
KINDS = {"passed": "passed", "partly": "partly", "pending": "pending"}
"""A state's colour: passed, partly, pending, or lost."""
ENVELOPE = re.compile(r'^\{"seen": |, "trial": "[\d./]+"\}$')
AROUND, LONGEST = 80, 420
"""Characters before the first difference, and of the whole excerpt."""


def state(of: Mark | Check) -> str:
    return STATES.get(of.state, "not run")


def kind(of: Mark | Check) -> str:
    return KINDS.get(of.state, "lost")


def notebook(name: str) -> str:
    """03_deterministic_supervisor as "03 Deterministic supervisor"; a sitting by its title."""
    if sitting := active().sitting(name):
        return sitting.title
    number, _, words = name.partition("_")
    words = words.replace("_", " ").replace("llm", "LLM")
    return f"{number} {words[:1].upper()}{words[1:]}"


def differing(actual: str, expected: str) -> tuple[tuple[str, str], tuple[str, str]]:
    """Returns the actual and the expected text, each as (the same, different), cut near the
    difference.

    All four are empty when there is no difference to be seen: where it lies beyond what the grader
    kept.
    """
    actual, expected = _seen(actual), _seen(expected)
    if actual == expected:
        return ("", ""), ("", "")
    index = next(
        (
            position
            for position, (one, other) in enumerate(zip(actual, expected, strict=False))
            if one != other
        ),
        min(len(actual), len(expected)),
    )
    start = max(0, index - AROUND) if max(len(actual), len(expected)) > LONGEST else 0

    def excerpt(text: str) -> tuple[str, str]:
        end = text[index : start + LONGEST]
        return ("… " if start else "") + text[start:index], end + (
            " …" if len(text) > start + LONGEST else ""
        )

    return excerpt(actual), excerpt(expected)


def _seen(text: str) -> str:
    """Returns the text that a check saw, without the envelope in which it was printed; the grader
    may have cut its end.
    """
    return ENVELOPE.sub("", text)
