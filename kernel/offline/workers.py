"""Specialists: what kind of work each does, when its turn comes, and which of them a task asks for."""

from __future__ import annotations

import re

from .asks import subjects
from .values import split_items
from .view import View
from .words import STOP, stem, with_kin, words

KINDS = {
    "research": "research search find look retrieve gather collect investigate fetch librarian library scout source",
    "write": "write draft compose author copywriter prose wordsmith scribe journalist rewrite revise",
    "review": "review check critic critique verify verifier verification proofread approve judge assess evaluate audit inspect"}
_KIND_OF = {stem(verb): kind for kind, verbs in KINDS.items() for verb in verbs.split()}
_ENDS = re.compile(r"^(?:finali[sz]e|finish|done|complete|submit|final|end|stop|deliver|respond|conclude|hand_in)", re.I)
_FINAL = re.compile(r"\b(?:ends?|finish\w*|complete) the (?:task|run|work)|final (?:answer|text|output|result)", re.I)
FINISHES = re.compile(r"translat|edit|polish|rewrit|simplif|format|shorten|proofread|style|tone|illustrat", re.I)
_STAGES = (  # (when a further specialist's turn comes, what it does); 1 is research, 3 anything else, 4 writing, 5 review
    (0, re.compile(r"memor|recall|remember|earlier (?:runs|briefs)", re.I)),
    (6, FINISHES), (6, re.compile(r"\b(?:publish|send|notif|ticket|count|email|post|announc|deploy)", re.I)),
    (2, re.compile(r"analy|inspect|\blogs?\b|\bquer|\breads?\b|diagnos|metric", re.I)))
_ON_FACTS = re.compile(r"calculat|statistic|comput|compar|\b(?:facts|findings|found|numbers)\b", re.I)
_VAGUE = frozenset(map(stem, (
    "agent specialist tool handoff hand transfer delegate give take return answer task work text draft fact brief source "
    "artifact feedback result pass revise issue specific cite write need user report language into desk team worker ask "
    "another first use help make new well short long complete topic document article").split()))
_WRITES = re.compile(r"\b(?:writ\w*|draft|brief|article|report|summar\w*|compar\w*|explain|essay|note)\b", re.I)

TO_WHOM = re.compile(r"^(?:\w+_)?(?:worker|agent|executor|executable|specialist|assignee|assigned_to|who|owner|tool|role|name)"
                     r"(?:_name|_id)?$", re.I)
PEOPLE = re.compile(r"workers?|agents?|executors?|executables?|specialists?|\bteam\b", re.I)


def workers_in(text: str, names: list[str]) -> list[dict]:
    """The workers with what is said of them: `names` where these are known, else those that the text lists."""
    text = re.sub(r"\([^()]{0,300}\)", lambda aside: " ".join(aside[0].split()), text)
    line = re.search(rf"\b(?:{PEOPLE.pattern})\b[^:\n]{{0,30}}:[ \t]*([^\n]+)", text, re.I)
    items = (line[1].split(";") if ";" in line[1] else split_items(line[1])) if line else []
    ways = (
        re.findall(r'"name":\s*"([^"]+)"', text),
        re.findall(r"^[ \t]*(?:[-*•]|\d+[.)])[ \t]*[`*\"']*([A-Za-z][\w-]*)[`*\"']*\s*[(:–—=-]", text, re.M),
        re.findall(r"\b([a-z][\w-]*)\s+\([^()\n]+\)", text),
        [item.split()[0].strip("`'\"*.") for item in items if item.split()])
    listed = names or next((way for way in ways if len(way) > 1), ways[-1])
    behind = r"[`*\"']*(?:,? ?\"description\": ?\"|\s*[(:–—=-]\s*|\s+(?=[a-z]+s\b))([^.;\n)\"]+)"
    told = {name: re.search(rf"\b{re.escape(name)}\b{behind}", text) for name in listed}
    return [{"name": name, "description": found[1] if found else ""} for name, found in told.items()]


def fields_of(tool: dict) -> dict:
    return (tool.get("input_schema") or {}).get("properties") or {}


def said_of(tool: dict) -> str:
    return f"{tool.get('name', '')} {tool.get('description') or ''}"


def kind_of(tool: dict) -> str:
    """What a tool is for – research, write, review, finalize or other – by its name, then its description."""
    name, said = tool.get("name", ""), tool.get("description") or ""
    if _ENDS.match(name) and not fields_of(tool).keys() & {"intent", "task", "artifacts"}:
        return "finalize"
    told = [word for word in words(said) if word not in STOP and stem(word) not in ("agent", "specialist", "expert")]
    weights = [(word, 4.0) for word in words(re.sub(r"[_-]", " ", name))] + [(word, 0.5) for word in told]
    weights += [(word, 2.5) for word in [*told[:1], *re.findall(r"\b(?:who|that|which) (\w+)", said.lower())]]
    scores = dict.fromkeys(KINDS, 0.0)
    for word, weight in weights:
        if stem(word) in _KIND_OF:
            scores[_KIND_OF[stem(word)]] += weight
    best = max(scores, key=lambda kind: scores[kind])
    return best if scores[best] >= 2 else "finalize" if _FINAL.search(said) else "other"


def stage(tool: dict) -> int:
    """When a specialist's turn comes: memory, research, what reads other things, work on findings, writing, review, and
    what is done to a finished text."""
    usual = {"research": 1, "write": 4, "review": 5}.get(kind_of(tool))
    return usual or next((turn for turn, does in _STAGES if does.search(said_of(tool))), 3)


def asked(tool: dict, text: str) -> bool:
    """Whether a clause of a text asks for what a tool's name and description say that it does."""
    own = {stem(word) for word in words(said_of(tool).replace("_", " ")) if word not in STOP} - _VAGUE
    clauses = re.split(r"[.;,\n]|\bbut\b|\band\b", text)
    wished = [clause for clause in clauses if not re.search(r"\b(?:no|not|never|without|skip|don't)\b", clause, re.I)]
    said = {stem(word) for clause in wished for word in words(clause)}
    return not with_kin(own).isdisjoint(said) or any(len(b) > 6 and a.startswith(b) for a in own for b in said)


def team_for(view: View, task: str, tools: list[dict], system: str = "") -> list[dict]:
    """The tools that a task asks for, in the order of their turns: one for each usual step that is wished, and every
    further one that the task (or an "always …" of the system prompt) asks for."""
    always = re.findall(r"[^.;\n]*\b(?:always|must|every)\b[^.;\n]*", system, re.I)
    team = [tool for tool in tools if kind_of(tool) not in KINDS and asked(tool, ". ".join([task, *always]))]
    desk = on_a_desk(team)
    for kind in sorted(wishes(view)):
        group = [tool for tool in tools if kind_of(tool) == kind]
        named = [tool for tool in group if asked(tool, task)]
        if kind == "review" and not desk:
            named = group[:1] + [tool for tool in named if tool != group[0]]
        team += named or ([] if desk else group[:1])
    return sorted(team, key=stage)


def on_a_desk(team: list[dict]) -> bool:
    """Whether a team does other work than briefs: then each gets its own clause of the task, and nobody else joins."""
    return any(stage(tool) in (2, 3) and not _ON_FACTS.search(said_of(tool)) for tool in team)


def without_others(task: str, others: list[dict]) -> str:
    """The task without the clauses that ask for a further specialist ("… and translate it into German")."""
    task_alone = re.sub(r"^\W*before\b[^,.]*,\s*", "", task, flags=re.I)
    pieces = re.split(r"((?:,|;)?\s+(?:and then|and|then)\s+|(?<=[.;!?])\s+|,\s+)", task_alone)
    kept = ""
    for joint, piece in zip(["", *pieces[1::2]], pieces[::2], strict=True):
        if not any(asked(tool, piece) for tool in others) or (not kept and _WRITES.search(piece)):
            joint = " " if kept.endswith((".", "!", "?", ";")) else joint
            kept += joint + piece if kept or not joint else piece[:1].upper() + piece[1:]
    return re.sub(r"\b(?:fact-?checked|reviewed|verified)\s+", "", kept, flags=re.I) or task


def clause_for(tool: dict, task: str) -> str:
    """The clause of the task that asks for this specialist, as a task of its own; the whole of a comparison."""
    clauses = [clause.strip() for clause in re.split(r"(?<=[.;!?])\s+|,\s+|\b(?:and then|and|then)\b", task)]
    clause = next((clause for clause in clauses if asked(tool, clause)), "") or task
    clause = task if len(subjects(task)) > 1 and any(one in clause for one in subjects(task)) else clause
    return clause[:1].upper() + clause[1:]


def given_draft(view: View) -> str:
    """The text that the message brings: a labelled draft, or a quotation behind an order to work on it."""
    quoted = re.search(r"[:\n]\s*[\"“](.{20,}?)[\"”]\s*$", view.task, re.S)
    works = re.match(r"\W*(?:review|check|translate|proofread|polish|edit|revise|improve|rewrite)\b", view.task, re.I)
    return view.parts.get("draft") or (quoted[1] if quoted and works else "")


def wishes(view: View) -> set[str]:
    """Which of the usual steps the task asks for: all of them, unless it asks for less."""
    task = view.task.lower()
    if given_draft(view):
        changes = re.search(r"\b(?:revis|rewrit|improv|fix|mend|shorten|correct)\w*", task)
        checks = re.search(r"\b(?:review|check|critique|proofread|verif|assess|judge)\w*", task)
        return {"write", "review"} if changes else {"review"} if checks else set()
    finds = re.match(r"\W*(?:(?:please|just|only|now)\W+)*(?:find|research|search|look|collect|gather|list)\b", task)
    only = re.search(r"\b(?:just|only)\b[^.]*\b(?:facts?|research|sources?)\b|\bno (?:brief|draft|text)\b", task)
    if only or (finds and not _WRITES.search(task)):
        return {"research"}
    unreviewed = re.search(r"\b(?:no|without|skip|not need)\b[^.]{0,20}\breview", f"{task}\n{view.system.lower()}")
    return {"research", "write"} if unreviewed else {"research", "write", "review"}
