"""Plan: fill a schema of steps with the workers that exist, in an order that their work asks for."""

from __future__ import annotations

import re

from ..answer import Answer
from ..asks import subjects, topic
from ..form import filled, value_for
from ..schema import resolve
from ..view import View
from ..workers import KINDS, PEOPLE, TO_WHOM, clause_for, kind_of, stage, team_for, without_others, workers_in

_STEPS = re.compile(r"step|task|plan|job|execut|assignment|worker|agent|action|dispatch|handoff|stage|specialist", re.I)
_PLANS = re.compile(rf"\bplan|decompos|break .{{0,20}}down|orchestrat|delegat|dispatch|{PEOPLE.pattern}", re.I)
_NEEDS = re.compile(r"depend|after|needs|require|prerequisite|blocked|waits", re.I)
_ID = re.compile(r"^(?:id|key|step_?id|task_?id|step|number|index|order|step_number|label|name|title)$", re.I)


def fits(view: View) -> bool:
    """The answer holds a list of steps that name workers, or a list of workers."""
    found = _find(view.schema, view.schema) if view.schema else None
    if not found:
        return False
    key, item, worker = found
    fields = item.get("properties", {})
    sure = any(_NEEDS.search(name) for name in fields) or (worker and resolve(fields[worker], view.schema).get("enum"))
    return bool(sure or PEOPLE.search(f"{worker} {key}") or _PLANS.search(f"{view.system}\n{view.task}"))


def _find(schema: dict, root: dict, depth: int = 0) -> tuple[str, dict, str] | None:
    """(the list's name, the shape of an item, the item's field for the worker or "") of a list of steps, or None."""
    for key, field in resolve(schema, root).get("properties", {}).items():
        field = resolve(field, root)
        item = resolve(field.get("items"), root)
        fields = item.get("properties", {})
        if field.get("type") == "array" and (_STEPS.search(key) or any(_NEEDS.search(name) for name in fields)):
            named = [("enum" not in resolve(fields[name], root), name == "name", name) for name in fields if TO_WHOM.match(name)]
            worker = min(named, default=("", "", ""))[2]
            steps = worker or any(_NEEDS.search(name) for name in fields)
            if steps or (not fields and ("enum" in item or PEOPLE.search(key))):
                return key, item, worker
        elif field.get("properties") and depth < 2 and (deeper := _find(field, root, depth + 1)):
            return deeper
    return None


def steps_for(view: View, workers: list[dict]) -> list[tuple[dict, str]]:
    """(worker, what to do) for each step that the task asks for, in order."""
    task = re.sub(r"^\W*(?:plan|decompose|break down|split)\b[^:\n]{0,40}:\s*", "", view.task or view.first, flags=re.I)
    plain = without_others(task, [worker for worker in workers if kind_of(worker) not in KINDS])
    about, steps = topic(plain) or plain, []
    for worker in team_for(view, task, workers):
        kind = kind_of(worker)
        if kind == "research":
            steps += [(worker, f"Find facts, with their sources, about {one}") for one in subjects(plain) or (about,)]
        else:
            what = {"write": plain, "review": f"Review the draft on {about} against the facts"}
            steps.append((worker, what.get(kind) or clause_for(worker, task)))
    return steps or [(worker, task) for worker in workers[:1]]


def plan(view: View) -> Answer:
    """The plan as the schema wants it: one step for each subject of a comparison, dependencies by kind of work."""
    root = view.schema or {}
    key, item, field = _find(root, root) or ("steps", {}, "")
    fields = {name: resolve(shape, root) for name, shape in item.get("properties", {}).items()}
    names = (fields[field] if field else item).get("enum", [])
    refused = re.findall(r"(?:unknown|no|not an?|invalid)\s(?:\w+\s){0,2}[`'\"]([\w -]+)[`'\"]", "\n".join(view.later))
    workers = [worker for worker in workers_in(f"{view.system}\n{view.first}", names) if worker["name"] not in refused]
    if not workers and not field:  # a plan without workers: the usual kinds of work
        workers = [{"name": kind, "description": ""} for kind in KINDS]
    steps = steps_for(view, workers)
    stages = [stage(worker) for worker, _ in steps]
    id_field = next((name for name in fields if name != field and _ID.match(name)), "")
    numbered = fields.get(id_field, {}).get("type") in ("integer", "number")
    ids = [place if numbered else f"{worker['name']} {place}" for place, (worker, _) in enumerate(steps, 1)]
    made = []
    for place, (worker, what) in enumerate(steps):
        earlier = max((other for other in stages if other < stages[place]), default=-1)
        before = [other for other, its_stage in enumerate(stages) if its_stage == earlier]
        known = {"task": what, "reason": f"{worker['name']} does this kind of work", "parallel": stages.count(stages[place]) > 1,
                 id_field: ids[place], field: worker["name"]}
        for needs in filter(_NEEDS.search, fields):
            whole = resolve(fields[needs].get("items"), root).get("type") == "integer"
            called = [other if whole else steps[other][0]["name"] for other in before]
            called = [ids[other] for other in before] if id_field and whole == isinstance(ids[0], int) else called
            known[needs] = list(dict.fromkeys(called))
        made.append(value_for({**item, "$defs": root.get("$defs", {})}, what, task=what, known=known))
    order = list(dict.fromkeys(worker["name"] for worker, _ in steps))
    why = f"The order follows what each step needs: {', then '.join(order)}."
    known = {"reason": why, "goal": view.task, "task": view.task, key: made if fields else order}
    return filled(view, view.task, known | {"parallel": len(steps) > 1 and len(set(stages)) == 1}, why)
