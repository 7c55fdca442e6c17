"""Select who works: for each clause of a task the executor whose description offers it."""

from __future__ import annotations

import re

from ...answer import Answer
from ...reader.schema import resolve
from ...reader.view import View
from ...reader.words import stem, stop_words, words
from .material import answer_json, asked, fields_of, listed, parts_of

_SAME = (  # words of a task and of a description that mean the same work
    "fix repair implement correct solve bug patch",
    "tell inform write note",
    "check verify review",
    "investigate search find",
    "many number count",
)
_SAME_AS = {
    stem(word): {stem(other) for other in family.split()}
    for family in _SAME
    for word in family.split()
}
_READS = re.compile(r"^(?:search|read|count|research|find|look|hold|ask)", re.I)
_ENOUGH = 2
"""Points for being meant: one for each shared word, two more when the clause begins with it."""


def fits(view: View) -> bool:
    """A list of names is asked for, and the message lists executors."""
    return bool(_names(view)) and bool(listed(parts_of(view).get("executors", "")))


def _names(view: View) -> str:
    """The name of the answer's field that holds a list of names; "" when there is none."""
    fields = fields_of(view).items()
    lists = (name for name, field in fields if "enum" in resolve(field.get("items"), view.schema))
    return next(lists, "")


def select(view: View) -> Answer:
    """The executors in the order of the clauses that ask for them; at once if all only read."""
    team = listed(parts_of(view)["executors"])
    chosen = []
    for clause in re.split(r"[,;.\n]|\b(?:and|then)\b", asked(view)):
        points = {name: _points(clause, f"{name} {about}") for name, about in team.items()}
        best = max(points, key=lambda name: points[name])
        if points[best] >= _ENOUGH:
            chosen.append(best)
    names = list(dict.fromkeys(chosen))
    at_once = len(names) > 1 and all(_READS.match(team[name]) for name in names)
    answer = {_names(view): names, "parallel": at_once}
    return answer_json(answer, "One executor for each clause of the task.")


def _points(clause: str, about: str) -> int:
    """How much a clause asks for what a name and the first sentence of a description offer."""
    offered = set(_stems(re.split(r"[.:;]", about.replace("_", " "))[0]))
    wanted = _stems(clause)
    met = [word for word in wanted if offered & {word, *_SAME_AS.get(word, ())}]
    return len(set(met)) + (2 if met and met[0] == wanted[0] else 0)


def _stems(text: str) -> list[str]:
    return [stem(word) for word in words(text) if word not in stop_words()]
