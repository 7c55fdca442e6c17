"""Reads a submitted file as raw JSON: within limits, without running or trusting anything in it."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

from classroom.course import active

MOST_BYTES = 20 * 2**20
MOST_NESTING = 100
"""Of brackets; a notebook needs about ten."""
MOST_VALUES = 1_000_000
"""Texts and brackets: each costs the grader some hundred bytes of memory."""
MOST_CELLS = 5_000
STRINGS_AND_BRACKETS = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)
"""A text that does not end goes to the file's end, so that each character is looked at once."""


class Unreadable(ValueError):
    """This file is no notebook that can be graded; the message says why, for its learner and the
    instructor.
    """


def read(data: bytes) -> dict[str, Any]:
    """The notebook as a dict with a list of cells. Raises Unreadable."""
    if len(data) > MOST_BYTES:
        raise Unreadable(
            f"the file has {len(data) / 2**20:.0f} MB; at most {MOST_BYTES // 2**20} MB are read"
            " (clear the outputs)"
        )
    if not data.strip():
        raise Unreadable("the file is empty")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise Unreadable(
            f"the file is not UTF-8 (byte {problem.start}); save it again in JupyterLab"
        ) from None
    if _nesting(text) > MOST_NESTING:
        raise Unreadable(f"the file is nested more than {MOST_NESTING} deep; no notebook is")
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise Unreadable(f"the file is no JSON: {str(problem)[:120]}") from None
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        old = isinstance(notebook, dict) and "worksheets" in notebook
        raise Unreadable(
            "the notebook has the old format 3; open it in JupyterLab and save it again"
            if old
            else "the file is JSON, but no notebook: it has no list of cells"
        )
    if len(notebook["cells"]) > MOST_CELLS:
        raise Unreadable(
            f"the notebook has {len(notebook['cells']):,} cells; at most {MOST_CELLS:,} are read"
        )
    return notebook


def ids(notebook: dict[str, Any]) -> list[str]:
    """The exercises' ids that its cells carry, such as 03.1, in order, with repetitions."""
    found = []
    for cell in notebook["cells"]:
        facts = cell.get("metadata") if isinstance(cell, dict) else None
        facts = facts.get(active().key) if isinstance(facts, dict) else None
        id = facts.get("id") if isinstance(facts, dict) else None
        if isinstance(id, str) and re.fullmatch(r"\d\d\.\d{1,2}", id):
            found.append(id)
    return found


def book_of(ids: list[str], named: str = "") -> str:
    """The lesson or the sitting that most of the cells belong to, by the ids that they carry; of
    equal ones the one that the file is named after, else a lesson. Empty without ids.
    """
    counts = Counter(id[:2] for id in ids)
    for sitting in active().sittings:
        counts[sitting.name] = sum(id in sitting.exercises for id in ids)
    highest = max(counts.values(), default=0)
    first = [book for book, count in counts.items() if count == highest > 0]
    return named if named in first else next(iter(first), "")


def lesson(notebook: dict[str, Any], file: str) -> str:
    """The lesson's number, or the sitting's name, by the ids that the cells carry, else by the
    file's name; empty when neither tells.
    """
    sittings = [sitting.name for sitting in active().sittings if sitting.name in file]
    if found := book_of(ids(notebook), next(iter(sittings), "")):
        return found
    if sittings:
        return sittings[0]
    named = re.findall(r"(?<!\d)(\d\d)_[a-z]", file)
    return named[-1] if named else ""


def _nesting(text: str) -> int:
    """Returns the depth of nested brackets outside of strings. Raises Unreadable for too many
    values.
    """
    depth = deepest = 0
    for count, found in enumerate(STRINGS_AND_BRACKETS.finditer(text)):
        if count > MOST_VALUES:
            raise Unreadable(
                f"the file holds more than {MOST_VALUES:,} texts and lists; clear the outputs"
            )
        sign = text[found.start()]
        if sign in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif sign in "]}":
            depth -= 1
    return deepest
