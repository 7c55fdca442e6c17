"""Plan: fill a schema of steps with the workers that exist, in an order that their work asks for.

A desk's workers get what a ticket speaks of, all others the usual kinds of work.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import takewhile
from typing import Any, NamedTuple

from ..answer import Answer
from ..reader.form import filled
from ..reader.schema import means, resolve
from ..reader.topics import named, subjects, topic
from ..reader.view import View
from ..reader.words import words
from ..reader.workers import (
    KINDS,
    TURNS,
    clause_for,
    in_order,
    kind_of,
    stage,
    team_for,
    without_others,
    workers_in,
)
from .desk.material import expected, findings_of, ticket_in
from .desk.tickets import is_desk, work_on

_CLAUSE = re.compile(r"[,;]\s|(?<=[.!?])\s")
_KEEPS_OUT = re.compile(r"\b(?:no|not|never|without|skip|leave|except|instead)\b|n['’]t\b", re.I)


class _Shape(NamedTuple):
    """The place of steps in a schema: the list's name, a step's fields, the one for the worker."""

    key: str
    fields: dict[str, dict[str, Any]]
    worker: str


class _Step(NamedTuple):
    """One step: who works, what on, and in which turn; what it is called, where it is not numbered."""

    worker: str
    task: str
    turn: int
    id: str = ""


def fits(view: View) -> bool:
    """The answer holds a list of steps that name workers."""
    kinds = map(kind_of, view.tools)
    if "research" in kinds:
        return False
    return _shape(view.schema or {}) is not None


def _shape(schema: dict[str, Any]) -> _Shape | None:
    """Returns the place of the steps in a schema, or None."""
    lists = resolve(schema, schema).get("properties", {})
    for key, field in lists.items():
        field = resolve(field, schema)
        item = resolve(field.get("items"), schema)
        properties = item.get("properties", {})
        fields = {name: resolve(one, schema) for name, one in properties.items()}
        named = [name for name in fields if means(name, "worker")]
        if named and means(key, "steps"):
            closed = [name for name in named if fields[name].keys() & {"enum", "const"}]
            worker = (closed or named)[0]
            return _Shape(key, fields, worker)
    return None


def read(view: View) -> str:
    """Returns the task's topic and clauses for further workers; for a desk's task, the ticket."""
    if is_desk(view):
        return ticket_in(view)
    used = [topic(view.task), *subjects(view.task)]
    shape = _shape(view.schema or {})
    if shape:
        steps = _steps(view, shape)
        used += [_handed_on(step, {other.worker for other in steps}) for step in steps]
    return " ".join(used)


def _handed_on(step: _Step, workers: set[str]) -> str:
    """The task of a step without the clauses that would keep another worker out of the plan."""
    others = workers - {step.worker}
    clauses = _CLAUSE.split(step.task)
    return " ".join(
        clause
        for clause in clauses
        if others.isdisjoint(words(clause)) or not _KEEPS_OUT.search(clause)
    )


def _workers(view: View, shape: _Shape) -> list[dict[str, Any]]:
    """The workers that exist: those of the schema's choice, else those that the prompts list."""
    choice = shape.fields[shape.worker]
    names = choice.get("enum", [])
    if "const" in choice:
        names = [choice["const"]]
    text = f"{view.system}\n{view.first}"
    return workers_in(text, names) or workers_in(text, list(KINDS))


def _steps(view: View, shape: _Shape) -> list[_Step]:
    """The steps that the task asks for, in order, at most as many as there may be."""
    steps = _of_ticket(view) if is_desk(view) else []
    steps = steps or _of_task(view, _workers(view, shape))
    return _within(view.limit("steps"), steps)


def _of_ticket(view: View) -> list[_Step]:
    """A step for each worker of a desk that is needed; those who write wait for those who look."""
    steps = []
    for worker, task, writes in work_on(view):
        turn = TURNS["write" if writes else "research"]
        steps.append(_Step(worker, task, turn, worker))
    return steps


def _of_task(view: View, workers: list[dict[str, Any]]) -> list[_Step]:
    """A step for each subject, and one for each other worker that the task or a finding asks for."""
    task = view.task or view.first
    others = [worker for worker in workers if kind_of(worker) == "other"]
    plain = without_others(task, others)
    about = topic(plain) or plain
    steps = []
    for worker in _team(view, task, workers):
        name = worker["name"]
        kind = kind_of(worker)
        turn = stage(worker)
        if kind == "research":
            for subject in subjects(plain) or (about,):
                intent = f"Find facts, with their sources, about {subject}"
                steps.append(_Step(name, intent, turn))
        elif kind == "write":
            steps.append(_Step(name, plain, turn))
        elif kind == "review":
            intent = f"Review the draft on {about} against the facts"
            steps.append(_Step(name, intent, turn))
        else:
            clause = clause_for(worker, task)
            steps.append(_Step(name, clause, turn))
    first = workers[0]
    return steps or [_Step(first["name"], task, stage(first))]


def _team(view: View, task: str, workers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The workers that the task asks for, and those that findings suggest, in their turns."""
    team = team_for(view, task, workers)
    if view.wish("no_review"):
        team = [one for one in team if kind_of(one) != "review"]
    suggested = {finding.suggests for finding in findings_of(view)}
    team += [one for one in workers if one["name"] in suggested and one not in team]
    return sorted(team, key=stage)


def _within(most: int | None, steps: list[_Step]) -> list[_Step]:
    """At most so many steps: those of one worker become one, then the last of several in one turn
    goes, then the last one."""
    if most is None or len(steps) <= most:
        return steps
    joined: dict[str, _Step] = {}
    for step in steps:
        first = joined.get(step.worker)
        joined[step.worker] = step if first is None else _both(first, step)
    left = list(joined.values())
    while len(left) > most:
        turns = Counter(step.turn for step in left)
        crowded = [step for step in left if turns[step.turn] > 1]
        left.remove((crowded or left)[-1])
    return left


def _both(first: _Step, second: _Step) -> _Step:
    """One step for the work of two, whose tasks may begin alike."""
    others = second.task.split()
    pairs = zip(first.task.split(), others, strict=False)
    alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    further = " ".join(others[alike:])
    return first._replace(task=f"{first.task} and {further}" if further else first.task)


def about(view: View) -> str:
    """Returns the behaviour that a ticket expects, else the task's topic or compared subjects."""
    return expected(view) if is_desk(view) else named(view.task)


def reply(view: View) -> Answer:
    """The plan as the schema wants it; a step needs those of the turn before its own."""
    shape = _shape(view.schema or {})
    assert shape is not None  # as `fits` says
    steps = _steps(view, shape)
    fields = [name for name in shape.fields if name != shape.worker]
    stages = [step.turn for step in steps]
    ids = _ids(shape, steps)
    rows: list[dict[str, Any]] = []
    for key, step, turn in zip(ids, steps, stages, strict=True):
        before = max((other for other in stages if other < turn), default=None)
        needed = [one for one, other in zip(ids, stages, strict=True) if other == before]
        needed = in_order(view, needed, ids[: len(rows)])
        row: dict[str, Any] = {"task": step.task}
        row[shape.worker] = step.worker
        for name in fields:
            if means(name, "id"):
                row[name] = key
            if means(name, "needs"):
                row[name] = needed
        rows.append(row)
    why = _reason(steps)
    known = {shape.key: rows, "reason": why}
    return filled(view, view.task, known, why)


def _reason(steps: list[_Step]) -> str:
    """Explains the choice and order of the steps; those of one turn are at once."""
    if any(step.id for step in steps):
        return "By what the ticket speaks of."
    turns: dict[int, dict[str, None]] = {}
    for step in steps:
        turns.setdefault(step.turn, {})[step.worker] = None
    order = ", then ".join(map(" and ".join, turns.values()))
    return f"The order follows what each step needs: {order}."


def _ids(shape: _Shape, steps: list[_Step]) -> list[Any]:
    """Returns the ids of the steps: each worker with its place, where there is a field for it."""
    fields = [field for name, field in shape.fields.items() if means(name, "id")]
    if not fields:
        return [step.worker for step in steps]
    if any(field.get("type") == "integer" for field in fields):
        return list(range(1, len(steps) + 1))
    return [step.id or f"{step.worker}-{place}" for place, step in enumerate(steps, 1)]
