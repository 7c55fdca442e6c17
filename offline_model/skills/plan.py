"""Plan: fill a schema of steps with the workers that exist, in an order that their work asks for."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from ..answer import Answer
from ..reader.form import filled, value_for
from ..reader.schema import means, resolve
from ..reader.topics import subjects, topic
from ..reader.view import View
from ..reader.workers import KINDS, clause_for, kind_of, stage, team_for, without_others, workers_in

SAYS = "planner"
ROLES = ("plan", "write", "research")
WISHES = ("length", "unreviewed", "facts_only", "citations")
_LEAD = re.compile(r"^\W*(?:plan|decompose|break down|split)\b[^:\n]{0,40}:\s*", re.I)
_UNKNOWN = re.compile(r"(?:unknown|no|not an?|invalid)\s(?:\w+\s){0,2}[`'\"]([\w -]+)[`'\"]")


class _Shape(NamedTuple):
    """Where a schema wants the steps: the list's name, an item's fields, the one for the worker."""

    key: str
    item: dict
    fields: dict
    worker: str


def fits(view: View) -> bool:
    """The answer holds a list of steps that name workers, or a list of workers."""
    shape = _shape(view.schema, view.schema) if view.schema else None
    return shape is not None and not any(map(_is_tool_call, view.tools))


def _is_tool_call(tool: dict) -> bool:
    return kind_of(tool) == "research"


def _shape(schema: dict, root: dict) -> _Shape | None:
    """Where the steps are in a schema, or None."""
    for key, field in resolve(schema, root).get("properties", {}).items():
        field = resolve(field, root)
        item = resolve(field.get("items"), root)
        fields = {name: resolve(one, root) for name, one in item.get("properties", {}).items()}
        named = [name for name in fields if means(name, "worker")]
        needs = any(means(name, "needs") for name in fields)
        is_list = field.get("type") == "array" and (means(key, "steps") or needs)
        if is_list and (
            named or needs or (not fields and (means(key, "worker_list") or "enum" in item))
        ):
            chosen = [name for name in named if {"enum", "const"} & fields[name].keys()] or named
            return _Shape(key, item, fields, (chosen or [""])[0])
    return None


def read(view: View) -> str:
    """What the task is about, and its clauses for further workers."""
    clauses = (
        what
        for _, what in _steps(view, _workers(view, _shape(view.schema or {}, view.schema or {})))
    )
    return " ".join((topic(view.task), *subjects(view.task), *clauses))


def _workers(view: View, shape: _Shape | None) -> list[dict]:
    """The workers that exist: those of the schema's choice, else those that the prompts list."""
    field = shape.fields.get(shape.worker, shape.item) if shape else {}
    names = field.get("enum") or ([field["const"]] if "const" in field else [])
    refused = _UNKNOWN.findall("\n".join(view.later))
    listed = workers_in(f"{view.system}\n{view.first}", names)
    workers = [worker for worker in listed if worker["name"] not in refused]
    return workers or [{"name": kind, "description": ""} for kind in KINDS]


def _steps(view: View, workers: list[dict]) -> list[tuple[dict, str]]:
    """(worker, what to do) for each step that the task asks for, in order."""
    task = _LEAD.sub("", view.task or view.first)
    plain = without_others(task, [worker for worker in workers if kind_of(worker) not in KINDS])
    about = topic(plain) or plain
    steps = []
    for worker in team_for(view, task, workers):
        what = {"write": plain, "review": f"Review the draft on {about} against the facts"}
        if kind_of(worker) == "research":
            found = subjects(plain) or (about,)
            steps += [(worker, f"Find facts, with their sources, about {one}") for one in found]
        else:
            steps.append((worker, what.get(kind_of(worker)) or clause_for(worker, task)))
    return steps or [(worker, task) for worker in workers[:1]]


def reply(view: View) -> Answer:
    """The plan as the schema wants it: one step for each subject, what each needs by its kind of work."""
    root = view.schema or {}
    shape = _shape(root, root) or _Shape("steps", {}, {}, "")
    steps = _steps(view, _workers(view, shape))
    stages = [stage(worker) for worker, _ in steps]
    ids = _ids(shape, steps)
    made = []
    for place, (worker, what) in enumerate(steps):
        known: dict[str, Any] = {"task": what, "reason": f"{worker['name']} does this kind of work"}
        known |= {shape.worker: worker["name"], "parallel": stages.count(stages[place]) > 1}
        known |= {
            name: ids[place] for name in shape.fields if name != shape.worker and means(name, "id")
        }
        earlier = max((other for other in stages if other < stages[place]), default=-1)
        before = [ids[other] for other, turn in enumerate(stages) if turn == earlier]
        known |= {name: before for name in shape.fields if means(name, "needs")}
        made.append(value_for({**shape.item, "$defs": root.get("$defs", {})}, what, known))
    order = list(dict.fromkeys(worker["name"] for worker, _ in steps))
    why = f"The order follows what each step needs: {', then '.join(order)}."
    whole: dict[str, Any] = {
        "reason": why,
        "goal": view.task,
        "task": view.task,
        shape.key: made if shape.fields else order,
    }
    return filled(
        view, view.task, whole | {"parallel": len(steps) > 1 and len(set(stages)) == 1}, why
    )


def _ids(shape: _Shape, steps: list[tuple[dict, str]]) -> list:
    """What the steps are called: numbers where the schema wants those, else the worker and its place."""
    fields = (
        field for name, field in shape.fields.items() if name != shape.worker and means(name, "id")
    )
    numbered = any(field.get("type") in ("integer", "number") for field in fields)
    named = any(means(name, "id") for name in shape.fields if name != shape.worker)
    if numbered:
        return list(range(1, len(steps) + 1))
    return [
        f"{worker['name']} {n}" if named else worker["name"]
        for n, (worker, _) in enumerate(steps, 1)
    ]
