"""Plan: fill a schema of steps with the workers that exist, in an order that their work asks for."""

from __future__ import annotations

from itertools import takewhile
from typing import NamedTuple

from ..answer import Answer
from ..reader.form import filled
from ..reader.schema import means, resolve
from ..reader.topics import named, subjects, topic
from ..reader.view import View
from ..reader.workers import (
    KINDS,
    clause_for,
    in_order,
    kind_of,
    stage,
    team_for,
    without_others,
    workers_in,
)


class _Shape(NamedTuple):
    """Where a schema wants the steps: the list's name, a step's fields, the one for the worker."""

    key: str
    fields: dict[str, dict]
    worker: str


class _Step(NamedTuple):
    """One step: who works, and what on."""

    worker: dict
    task: str


def fits(view: View) -> bool:
    """The answer holds a list of steps that name workers."""
    kinds = map(kind_of, view.tools)
    if "research" in kinds:
        return False
    return _shape(view.schema or {}) is not None


def _shape(schema: dict) -> _Shape | None:
    """Where the steps are in a schema, or None."""
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
    """What the task is about, and its clauses for further workers."""
    used = [topic(view.task), *subjects(view.task)]
    shape = _shape(view.schema or {})
    if shape:
        used += [step.task for step in _steps(view, shape)]
    return " ".join(used)


def _workers(view: View, shape: _Shape) -> list[dict]:
    """The workers that exist: those of the schema's choice, else those that the prompts list."""
    choice = shape.fields[shape.worker]
    names = choice.get("enum", [])
    if "const" in choice:
        names = [choice["const"]]
    text = f"{view.system}\n{view.first}"
    return workers_in(text, names) or workers_in(text, list(KINDS))


def _steps(view: View, shape: _Shape) -> list[_Step]:
    """The steps that the task asks for, in order: one for each subject, one for each other worker."""
    task = view.task or view.first
    workers = _workers(view, shape)
    others = [worker for worker in workers if kind_of(worker) == "other"]
    plain = without_others(task, others)
    about = topic(plain) or plain
    steps = []
    for worker in team_for(view, task, workers):
        kind = kind_of(worker)
        if kind == "research":
            for subject in subjects(plain) or (about,):
                intent = f"Find facts, with their sources, about {subject}"
                steps.append(_Step(worker, intent))
        elif kind == "write":
            steps.append(_Step(worker, plain))
        elif kind == "review":
            intent = f"Review the draft on {about} against the facts"
            steps.append(_Step(worker, intent))
        else:
            clause = clause_for(worker, task)
            steps.append(_Step(worker, clause))
    return _within(view.limit("steps"), steps) or [_Step(workers[0], task)]


def _within(most: int | None, steps: list[_Step]) -> list[_Step]:
    """At most so many steps: those of one worker become one, then the last ones go."""
    if most is None or len(steps) <= most:
        return steps
    joined: dict[str, _Step] = {}
    for step in steps:
        name = step.worker["name"]
        first = joined.get(name)
        joined[name] = step if first is None else _both(first, step)
    return list(joined.values())[:most]


def _both(first: _Step, second: _Step) -> _Step:
    """One step for the work of two, whose tasks may begin alike."""
    others = second.task.split()
    pairs = zip(first.task.split(), others, strict=False)
    alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    further = " ".join(others[alike:])
    return _Step(first.worker, f"{first.task} and {further}" if further else first.task)


def about(view: View) -> str:
    """The topic of the task, or the subjects of a comparison."""
    return named(view.task)


def reply(view: View) -> Answer:
    """The plan as the schema wants it; a step needs those of the turn before its own."""
    shape = _shape(view.schema or {})
    assert shape is not None  # as `fits` says
    steps = _steps(view, shape)
    fields = [name for name in shape.fields if name != shape.worker]
    stages = [stage(step.worker) for step in steps]
    ids = _ids(shape, steps)
    rows: list[dict] = []
    for key, step, turn in zip(ids, steps, stages, strict=True):
        before = max((other for other in stages if other < turn), default=None)
        needed = [one for one, other in zip(ids, stages, strict=True) if other == before]
        needed = in_order(view, needed, ids[: len(rows)])
        row: dict = {"task": step.task}
        row[shape.worker] = step.worker["name"]
        for name in fields:
            if means(name, "id"):
                row[name] = key
            if means(name, "needs"):
                row[name] = needed
        rows.append(row)
    order = dict.fromkeys(step.worker["name"] for step in steps)
    why = f"The order follows what each step needs: {', then '.join(order)}."
    known = {shape.key: rows, "reason": why}
    return filled(view, view.task, known, why)


def _ids(shape: _Shape, steps: list[_Step]) -> list:
    """What the steps are called: the worker with its place, where there is a field for it."""
    workers = [step.worker["name"] for step in steps]
    fields = [field for name, field in shape.fields.items() if means(name, "id")]
    if not fields:
        return workers
    if any(field.get("type") == "integer" for field in fields):
        return list(range(1, len(steps) + 1))
    return [f"{worker}-{place}" for place, worker in enumerate(workers, 1)]
