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
    "fix repair implement correct solve bug patch coding",
    "tell inform write note",
    "check verify review",
    "investigate search find",
    "many number count",
)
_READS = re.compile(r"search|read|count|research|find|look|hold|ask", re.I)
_NAMED = re.compile(r"^[-*•][ \t]*([\w-]+)", re.M)
_ENOUGH = 2
"""Points for being chosen: one for each shared word, two more when the clause begins with it."""


def fits(view: View) -> bool:
    """Executors to choose are asked for, and the message lists them."""
    return bool(_field(view)) and bool(_team(view))


def _field(view: View) -> str:
    """The field that takes the names; "" where something else is asked for."""
    fields = shape_of(view) - {"parallel"}
    return fields.pop() if fields in ({"executables"}, {"executors"}) else ""


def _team(view: View) -> dict[str, str]:
    """Name → description of each executable: those between tags, else a list under a label."""
    team = listed(parts_of(view).get("executables", ""))
    for name, text in view.labelled:
        if not team and re.search(r"\bexecut(?:ors|ables)\b", name, re.I):
            team = dict.fromkeys(_NAMED.findall(text), "")
    return team


def select(view: View) -> Answer:
    """The executables in the order of the clauses that ask for them; at once if all only read."""
    team = _team(view)
    chosen = []
    for clause in re.split(r"[,;.\n]|\b(?:and|then)\b", _task(view)):
        points = {name: _points(clause, f"{name}_{about}") for name, about in team.items()}
        best = max(points, key=lambda name: points[name])
        if points[best] >= _ENOUGH and best not in chosen:
            chosen.append(best)
    at_once = len(chosen) > 1 and all(_READS.match(team[name] or name) for name in chosen)
    answer: dict[str, object] = {_field(view): chosen}
    if "parallel" in shape_of(view):
        answer["parallel"] = at_once
    return answer_json(answer, "One executable for each clause of the task.")


def _task(view: View) -> str:
    """The task and its context, without the list of those who are to be chosen from."""
    return asked(view) if "executables" in parts_of(view) else view.task


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
