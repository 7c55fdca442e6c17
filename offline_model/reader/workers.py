"""Specialists: what kind of work each does, when its turn comes, and which of them a task asks for."""

from __future__ import annotations

import re
from functools import cache

from .lexicon import has, lines_in, table, words_in
from .topics import subjects
from .view import View
from .words import stem, stop_words, words

KINDS = ("research", "write", "review")
TURNS = {"research": 1, "write": 4, "review": 5}
LAST_TURN = 6
_CLAUSES = re.compile(r"(?<=[.;!?])\s+|,\s+|\b(?:and then|and|then)\b")
_MOST = 50  # workers
_PEOPLE = "workers?|agents?|executors?|executables?|specialists?|team"


@cache
def _verbs() -> dict[str, str]:
    """Stem of a verb → the kind of work that it names."""
    return {stem(word): kind for kind in KINDS for word in words_in("tools/hand_over", kind)}


def fields_of(tool: dict) -> dict:
    """A tool's parameters."""
    return (tool.get("input_schema") or {}).get("properties") or {}


def said_of(tool: dict) -> str:
    """A tool's name and description as one text."""
    return f"{tool.get('name', '').replace('_', ' ')}. {tool.get('description') or ''}"


def kind_of(tool: dict) -> str:
    """What a tool is for – research, write, review, finalize or other – by name, then description."""
    name, described = tool.get("name", ""), tool.get("description") or ""
    ends = words_in("tools/finish", "names")
    takes_work = fields_of(tool).keys() & {"intent", "task", "artifacts"}
    if (
        words(name.replace("_", " "))[:1]
        and words(name.replace("_", " "))[0] in ends
        and not takes_work
    ):
        return "finalize"
    people = {"agent", "specialist", "expert"}
    told = [w for w in words(described) if w not in stop_words() and stem(w) not in people]
    weights = [(word, 4.0) for word in words(re.sub(r"[_-]", " ", name))]
    weights += [(word, 0.5) for word in told] + [(word, 2.5) for word in told[:1]]
    weights += [
        (word, 2.5) for word in re.findall(r"\b(?:who|that|which) (\w+)", described.lower())
    ]
    scores = dict.fromkeys(KINDS, 0.0)
    for word, weight in weights:
        if kind := _verbs().get(stem(word)):
            scores[kind] += weight
    best = max(scores, key=lambda kind: scores[kind])
    if scores[best] >= 2:
        return best
    return "finalize" if has(described, "tools/finish") else "other"


def stage(tool: dict) -> int:
    """When a specialist's turn comes: 0 memory, 1 research, 3 findings, 4 writing, 5 review, 6 the end."""
    stages = table("tools/hand_over")["stages"]
    roots = {stem(word) for word in words(said_of(tool))}
    usual = TURNS.get(kind_of(tool))
    if usual:
        return usual
    named = (int(turn) for turn, verbs in stages.items() if roots & {*map(stem, verbs.split())})
    return next(named, 3)


def asked(tool: dict, text: str) -> bool:
    """Whether a clause of a text asks for what a tool's name and description say that it does."""
    vague = {*map(stem, words_in("tools/hand_over", "vague"))}
    own = {stem(word) for word in words(said_of(tool)) if word not in stop_words()} - vague
    for group in lines_in("tools/hand_over", "same"):
        alike = {*map(stem, group)}
        own |= alike if own & alike else set()
    clauses = re.split(r"[.;,\n]|\bbut\b|\band\b", text)
    refused = r"\b(?:no|not|never|without|skip|don't)\b"
    wished = (clause for clause in clauses if not re.search(refused, clause, re.I))
    spoken = {stem(word) for clause in wished for word in words(clause)}
    begins = any(len(b) > 6 and a.startswith(b) for a in own for b in spoken)
    return not own.isdisjoint(spoken) or begins


def wished_kinds(view: View) -> set[str]:
    """Which of the usual steps the task asks for: all of them, unless it asks for less."""
    task, orders = view.task.lower(), table("tools/hand_over")
    have = {*map(stem, words(task))}
    if view.draft:
        if have & {*map(stem, orders["changes"].split())}:
            return {"write", "review"}
        return {"review"} if have & {*map(stem, orders["checks"].split())} else set()
    begins = re.match(r"\W*(?:(?:please|just|only|now)\W+)*(\w+)", task)
    finds = begins is not None and _verbs().get(stem(begins[1])) == "research"
    if view.wish("facts_only") or (finds and not have & {*map(stem, orders["texts"].split())}):
        return {"research"}
    return {"research", "write"} | (set() if view.wish("unreviewed") else {"review"})


def team_for(view: View, task: str, tools: list[dict]) -> list[dict]:
    """The tools that a task asks for, in the order of their turns: one for each usual step that is
    wished, and every further one that the task (or an "always …" of the system prompt) asks for."""
    always = re.findall(r"[^.;\n]*\b(?:always|must|every)\b[^.;\n]*", view.system, re.I)
    rules = ". ".join([task, *always])
    team = [tool for tool in tools if kind_of(tool) not in KINDS and asked(tool, rules)]
    for kind in sorted(wished_kinds(view)):
        group = [tool for tool in tools if kind_of(tool) == kind]
        named = [tool for tool in group if asked(tool, task)]
        if kind == "review" and group:
            named = group[:1] + [tool for tool in named if tool != group[0]]
        team += named or group[:1]
    return sorted(team, key=stage)


def without_others(task: str, others: list[dict]) -> str:
    """The task without the clauses that ask for a further specialist ("… and translate it")."""
    pieces = re.split(r"((?:,|;)?\s+(?:and then|and|then)\s+|(?<=[.;!?])\s+|,\s+)", task)
    texts = {*map(stem, table("tools/hand_over")["texts"].split())}
    kept = ""
    for joint, piece in zip(["", *pieces[1::2]], pieces[::2], strict=True):
        writes = not kept and texts & {*map(stem, words(piece))}
        if writes or not any(asked(tool, piece) for tool in others):
            joint = " " if kept.endswith((".", "!", "?", ";")) else joint
            kept += joint + piece if kept or not joint else piece[:1].upper() + piece[1:]
    return kept or task


def clause_for(tool: dict, task: str) -> str:
    """The clause of the task that asks for this specialist, as a task of its own."""
    clauses = (clause.strip() for clause in _CLAUSES.split(task))
    clause = next((clause for clause in clauses if asked(tool, clause)), "") or task
    compared = subjects(task)
    if len(compared) > 1 and any(subject in clause for subject in compared):
        clause = task
    return clause[:1].upper() + clause[1:]


def workers_in(text: str, names: list[str]) -> list[dict]:
    """The workers with what is said of them: `names` where these are known, else those that the text
    lists: "Workers: a (does this), b (does that)" or a bullet each."""
    listed = re.findall(
        r"^[ \t]*(?:[-*•]|\d+[.)])[ \t]*[`*]*([A-Za-z][\w-]*)[`*]*\s*[(:–—-]", text, re.M
    )
    inline = re.findall(r"(?<![\w-])([a-z][\w-]*+)\s+\([^()\n]+\)", text)
    line = re.search(rf"\b(?:{_PEOPLE})\b[^:\n]{{0,30}}:[ \t]*([^\n]+)", text, re.I)
    items = re.split(r"[,;]\s+(?:and\s+)?|\s+and\s+", line[1]) if line else []
    single = [item.split()[0].strip("`'\"*.") for item in items if item.split()]
    found = names or next((way for way in (listed, inline) if len(way) > 1), single)
    behind = r"[`*\"']*\s*[(:–—-]\s*([^.;\n)\"]+)"
    told = {name: re.search(rf"\b{re.escape(name)}\b{behind}", text) for name in found[:_MOST]}
    return [{"name": name, "description": said[1] if said else ""} for name, said in told.items()]
