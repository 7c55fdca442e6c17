"""Plan: fill a schema of steps with the workers that exist, in an order that their work asks for."""

from __future__ import annotations

import json
import re

from ..answer import Answer
from ..text import subjects, topic
from ..view import View
from .fill import tightened, value_for
from .shape import resolve
from .supervise import asked, clause_for, core, kind_of, on_a_desk, sorts_before, wishes

_WORKER = re.compile(
    r"^(?:assigned_|target_|responsible_|chosen_)?(?:worker|agent|executor|executable|specialist|assignee|assigned_to|assign_to|"
    r"who|owner|by|tool|role|skill|actor|name)(?:_(?:name|id))?$",
    re.I,
)
_STEPS = re.compile(r"step|task|plan|executor|executable|assignment|worker|agent|action|dispatch|handoff|stage|specialist", re.I)
_PLANS = re.compile(
    r"\b(?:plan(?:s|ning|ner)?|decompos\w*|break (?:it |this |the \w+ )?down|orchestrat\w*|delegat\w*|dispatch\w*|workers?|"
    r"agents?|executors?|specialists?)\b",
    re.I,
)
_NEEDS = re.compile(r"depend|after|needs|require|prerequisite|blocked|waits|upstream", re.I)
_ID = re.compile(r"^(?:id|key|step_?id|task_?id|step|number|no|n|index|order|step_number|label)$", re.I)
_WORDS = ("task", "intent", "instruction", "instructions", "description", "goal", "what", "objective", "title", "action",
          "question", "query", "prompt", "input", "request", "brief", "do", "work")  # fmt: skip
_WHY = (
    "reason",
    "reasoning",
    "rationale",
    "why",
    "explanation",
    "thought",
    "thoughts",
    "justification",
    "note",
    "notes",
    "strategy",
    "summary",
)


def fits(view: View) -> bool:
    """The answer holds a list of steps that name workers, or a list of workers."""
    found = _find(view.schema, view.schema) if view.schema else None
    if not found:
        return False
    key, item, worker = found
    fields = item.get("properties", {})
    sure = any(_NEEDS.search(name) for name in fields) or bool(worker and _options(fields[worker], view.schema))
    return sure or bool(
        re.search(r"worker|agent|executor|executable|specialist", f"{worker} {key}", re.I)
        or _PLANS.search(f"{view.system}\n{view.task}")
    )


def _find(schema: dict, root: dict, depth: int = 0) -> tuple[str, dict, str | None] | None:
    """(the list's name, the shape of an item, the item's field for the worker) or None."""
    schema = resolve(schema, root)
    for key, field in schema.get("properties", {}).items():
        field = _plain(field, root)
        if field.get("type") == "array" and _STEPS.search(key):
            item = _plain(field.get("items", {}), root)
            fields = item.get("properties", {})
            names = [name for name in fields if _WORKER.match(name)]
            named = next((n for n in names if _options(fields[n], root)), None) or next(
                (n for n in names if n != "name" or len(names) == 1), None
            )
            if fields and (named or any(_NEEDS.search(name) for name in fields)):
                return key, item, named
            if (
                not fields
                and (_options(item, root) or re.search(r"executor|worker|agent|specialist", key, re.I))
                and item.get("type", "string") == "string"
            ):
                return key, item, None
        elif field.get("properties") and depth < 2 and (deeper := _find(field, root, depth + 1)):
            return deeper
    return None


def _plain(schema: dict, root: dict) -> dict:
    """The schema itself, or its one branch that is not null."""
    schema = resolve(schema, root)
    branches = [b for b in (resolve(o, root) for o in schema.get("anyOf", schema.get("oneOf", []))) if b.get("type") != "null"]
    return branches[0] if len(branches) == 1 else schema


def _options(schema: dict, root: dict) -> list[str]:
    schema = _plain(schema, root)
    return [o for o in schema.get("enum", [schema["const"]] if "const" in schema else []) if isinstance(o, str)]


def workers_in(text: str, names: list[str]) -> list[dict]:
    """The workers with what is said of them: `names` where these are known, else those that the text lists."""
    told: dict[str, str] = {}
    for listed in re.findall(r"[\[{].*[\]}]", text, re.S):
        try:
            data = json.loads(listed)
        except ValueError:
            continue
        data = [{"name": k, "description": v} for k, v in data.items()] if isinstance(data, dict) else data
        told |= {str(d["name"]): str(d.get("description", "")) for d in data if isinstance(d, dict) and "name" in d}
    for name, said in re.findall(
        r"^[ \t]*(?:[-*•]|\d+[.)])[ \t]*[`*\"']*([A-Za-z][\w-]*(?: [a-z]+)?)[`*\"']*[ \t]*(?:\([^)]*\))?[ \t]*(?::|–|—|-|"
        r"=)[`*]*[ \t]+(.+)$",
        text,
        re.M,
    ):
        told.setdefault(name, said)
    listed = re.findall(r"\b([a-z][\w-]*) \(([^()\n]+)\)", text) if not told else []
    told |= dict(listed) if len(listed) > 1 else {}
    if (
        not names
        and not told
        and (
            line := re.search(
                r"\b(?:workers|agents|executors|specialists|team|executables|available)\b[^:\n]{0,30}:[ \t]*([^\n.]+)", text, re.I
            )
        )
    ):
        told = {
            name.strip(" `'\"*"): ""
            for name in re.split(r",\s*(?:and\s+)?|\s+and\s+", line[1])
            if re.fullmatch(r"[ `'\"*]*[\w -]+[ `'\"*]*", name)
        }
    for name in names:
        if name not in told and (
            said := re.search(
                rf"[`*\"']*\b{re.escape(name)}\b[`*\"']*\s*(?:\(([^)\n]+)\)|(?::|–|—| - |=)\s*([^;\n]+?)(?=[.;](?:\s|$)|\n|$)|"
                rf"\s((?:can |will )?[a-z]+s\b[^;.\n]+))",
                text,
            )
        ):
            told[name] = next(group for group in said.groups() if group)
    return [{"name": name, "description": told.get(name, "")} for name in names or told]


def _rank(worker: dict) -> int:
    """When a worker's turn comes; workers of one rank can work at the same time."""
    kind = kind_of(worker)
    return {"research": 1, "write": 3, "review": 4}.get(kind) or sorts_before(worker)


def steps_for(view: View, workers: list[dict]) -> list[tuple[int, dict, str]]:
    """(rank, worker, what to do) for each step that the task asks for."""
    others = [w for w in workers if kind_of(w) in ("other", "finalize")]
    task, steps = (
        re.sub(
            r"^\W*(?:please )?(?:plan|decompose|break down|split)\b[^:\n]{0,40}:\s*", "", view.task or view.first, flags=re.I
        ).strip("'\""),
        [],
    )
    plain = core(task, others)
    about, wish = topic(plain) or plain, wishes(view, bool(view.parts.get("draft")))
    desk = on_a_desk([w for w in others if asked(w, task)])  # other work than briefs: only who is asked for
    for kind in ("research", "write", "review"):
        group = [w for w in workers if kind_of(w) == kind]
        chosen = [w for w in group if asked(w, task)] if len(group) > 1 or desk else group
        if kind in wish:
            for worker in chosen or ([] if desk else group[:1]):
                for subject in (subjects(plain) or (about,)) if kind == "research" else (about,):
                    what = {
                        "research": f"Find facts, with their sources, about {subject}",
                        "write": plain,
                        "review": f"Review the draft on {about} against the facts",
                    }
                    steps.append((_rank(worker), worker, what[kind]))
    for worker in others:
        if asked(worker, task):
            steps.append((_rank(worker), worker, clause_for(worker, task)))
    if not steps and workers:
        steps = [(1, workers[0], task)]
    return sorted(steps, key=lambda step: step[0])


def plan(view: View) -> Answer:
    """The plan as the schema wants it: one step for each subject of a comparison, dependencies by kind of work."""
    schema = tightened(view.schema or {}, view.later)
    key, item, field = _find(schema, schema) or ("steps", {}, None)
    names = _options(item["properties"][field], schema) if field else _options(item, schema)
    refused = {
        name
        for text in view.later
        for name in re.findall(r"(?:unknown|no|not an?|invalid|such)\s(?:\w+\s){0,2}[`'\"]([\w -]+)[`'\"]", text)
    }
    workers = [w for w in workers_in(f"{view.system}\n{view.first}", names) if w["name"] not in refused]
    if not workers and not field:  # a plan without workers: the usual kinds of work
        workers = [{"name": kind, "description": ""} for kind in ("research", "write", "review")]
    steps = steps_for(view, workers)
    ranks = [rank for rank, _, _ in steps]
    root, fields, made = {"$defs": schema.get("$defs", {})}, item.get("properties", {}), []
    name_of = next((name for name in fields if _ID.match(name) and name != field), None)
    titled = next((name for name in ("name", "title") if name in fields and name != field), None) if not name_of else None
    name_of = name_of or titled
    whole = name_of and _plain(fields[name_of], schema).get("type") in ("integer", "number")
    for place, (rank, worker, what) in enumerate(steps):
        before = [i for i, r in enumerate(ranks) if r == max((r for r in ranks if r < rank), default=-1)]
        known: dict = (
            {word: what for word in _WORDS}
            | dict.fromkeys(_WHY, f"{worker['name']} does this kind of work")
            | {"parallel": ranks.count(rank) > 1}
        )
        ids = [i + 1 if whole else f"{w['name']} {i + 1}" if titled else f"s{i + 1}" for i, (_, w, _) in enumerate(steps)]
        known |= {name_of: ids[place]} if name_of else {}
        for needs in (name for name in fields if _NEEDS.search(name)):
            kind = _plain(_plain(fields[needs], schema).get("items", {}), schema).get("type", "string")
            base = 0 if re.search(r"\b(?:index|zero|0-based)", fields[needs].get("description", ""), re.I) else 1
            known[needs] = [
                i + base if kind == "integer" and not whole else ids[i] if name_of else steps[i][1]["name"] for i in before
            ]
            known[needs] = list(dict.fromkeys(known[needs]))
            known[needs] = (
                known[needs] if _plain(fields[needs], schema).get("type") == "array" else ", ".join(map(str, known[needs]))
            )
        known |= {field: worker["name"]} if field else {}
        made.append(value_for(item | root, what, task=what, known=known) if fields else worker["name"])
    made = made if fields else list(dict.fromkeys(made))
    known = {
        key: made,
        "parallel": len(made) > 1 and len(set(ranks)) == 1,
        **dict.fromkeys(_WHY, _reason(steps)),
        "goal": view.task,
        "task": view.task,
    }
    value = value_for(schema, view.task, task=view.task, known=known)
    return Answer(({"type": "text", "text": json.dumps(value, ensure_ascii=False)},), _reason(steps))


def _reason(steps: list[tuple[int, dict, str]]) -> str:
    order = [
        " and ".join(dict.fromkeys(w["name"] for r, w, _ in steps if r == rank)) for rank in sorted({rank for rank, _, _ in steps})
    ]
    return f"The order follows what each step needs: {', then '.join(order)}."
