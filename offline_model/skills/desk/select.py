"""Select who works: for each clause of a task the executable whose description offers it."""

from __future__ import annotations

import re

from ...answer import Answer
from ...reader.view import View
from ...reader.words import stem, stop_words, words
from .material import (
    answer_json,
    asked,
    listed,
    parts_of,
    shape_of,
)

_SAME = (  # words of a task and of a description that mean the same work
    "fix repair implement correct solve bug patch",
    "tell inform write note",
    "check verify review",
    "investigate search find",
    "many number count",
)
_READS = re.compile(r"search|read|count|research|find|look|hold|ask", re.I)
_ENOUGH = 2
"""Points for being chosen: one for each shared word, two more when the clause begins with it."""


def fits(view: View) -> bool:
    """Executors to choose are asked for, and the message lists them."""
    return shape_of(view) == {"executables", "parallel"} and bool(_team(view))


def _team(view: View) -> dict[str, str]:
    """Name → description of each executable."""
    return listed(parts_of(view).get("executables", ""))


def select(view: View) -> Answer:
    """The executables in the order of the clauses that ask for them; at once if all only read."""
    team = _team(view)
    chosen = []
    for clause in re.split(r"[,;.\n]|\b(?:and|then)\b", asked(view)):
        points = {name: _points(clause, f"{name}_{about}") for name, about in team.items()}
        best = max(points, key=lambda name: points[name])
        if points[best] >= _ENOUGH and best not in chosen:
            chosen.append(best)
    at_once = len(chosen) > 1 and all(_READS.match(team[name]) for name in chosen)
    answer = {"executables": chosen, "parallel": at_once}
    return answer_json(answer, "One executable for each clause of the task.")


def _points(clause: str, about: str) -> int:
    """Scores the match of a clause with a name and the first sentence of a description."""
    first_sentence = re.split(r"[.:;]", about.replace("_", " "))[0]
    offered = {*_stems(first_sentence)}
    wanted = _stems(clause)
    shared = [word for word in wanted if offered & _same_as(word)]
    begins = shared[:1] == wanted[:1]
    return len({*shared}) + 2 * bool(shared and begins)


def _same_as(word: str) -> set[str]:
    """The stems that mean the same work as one."""
    same = {word}
    for family in _SAME:
        stems = {*map(stem, family.split())}
        if word in stems:
            same |= stems
    return same


def _stems(text: str) -> list[str]:
    return [stem(word) for word in words(text) if word not in stop_words()]
