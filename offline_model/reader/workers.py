"""Specialists: what kind of work each does, when its turn comes, and which of them a task asks for."""

from __future__ import annotations

import re
from collections.abc import Set
from functools import cache, lru_cache
from itertools import filterfalse
from typing import Any

from .lexicon import has, lines_in, table, words_in
from .listing import BULLET, PEOPLE
from .topics import subjects
from .view import View
from .words import stem, stop_words, words

KINDS = ("research", "write", "review")
TURNS = {"research": 1, "write": 4, "review": 5}
LAST_TURN = 6
_MOST = 50  # workers
_CLAUSES = re.compile(r"(?<=[.;!?])\s+|,\s+|\b(?:and then|and|then)\b")
_JOINTS = re.compile(r"((?:[,;]|(?<![\s,;]))\s++(?:and then|and|then)\s+|(?<=[.;!?])\s+|,\s+)")
_REFUSES = re.compile(r"\b(?:no|not|never|without|skip|don't)\b", re.I)
_ALWAYS = re.compile(r"\b(?:always|must|every)\b", re.I)
_WHO = re.compile(r"\b(?:who|that|which) (\w+)")
_FIRST_VERB = re.compile(r"\W*(?:(?:please|just|only|now)\W+)*(\w+)")
_BRACKETED = re.compile(r"(?<![\w-])([a-z][\w-]*+)\s+\([^()\n]+\)")


@cache
def _verbs() -> dict[str, str]:
    """Stem of a verb → the kind of work that it names."""
    kinds: dict[str, str] = {}
    for kind in KINDS:
        verbs = words_in("tools/hand_over", kind)
        kinds |= dict.fromkeys(map(stem, verbs), kind)
    return kinds


def _stems(text: str) -> set[str]:
    return set(map(stem, words(text)))


def fields_of(tool: dict[str, Any]) -> dict[str, Any]:
    """A tool's parameters."""
    schema = tool.get("input_schema") or {}
    return schema.get("properties") or {}


def said_of(tool: dict[str, Any]) -> str:
    """A tool's name and description as one text."""
    name = tool.get("name", "").replace("_", " ")
    return f"{name}. {tool.get('description') or ''}"


def kind_of(tool: dict[str, Any]) -> str:
    """Returns the kind of a tool, by name, then description: research, write, review, finalize or
    other.
    """
    takes_work = not fields_of(tool).keys().isdisjoint(("intent", "task", "artifacts"))
    description = tool.get("description") or ""
    return _kind(tool.get("name", ""), description, takes_work)


@lru_cache(maxsize=1_000)
def _kind(name: str, described: str, takes_work: bool) -> str:
    named = words(re.sub(r"[_-]", " ", name))
    if named and named[0] in words_in("tools/finish", "names") and not takes_work:
        return "finalize"
    people = words_in("tools/hand_over", "people")
    telling = [word for word in words(described) if word not in stop_words()]
    told = [word for word in telling if stem(word) not in people]
    weighed = (
        (4, named),
        (2.5, told[:1]),
        (2.5, _WHO.findall(described.lower())),
        (0.5, told),
    )
    scores = dict.fromkeys(KINDS, 0.0)
    for weight, group in weighed:
        for word in group:
            kind = _verbs().get(stem(word))
            if kind:
                scores[kind] += weight
    best = max(KINDS, key=lambda kind: scores[kind])
    if scores[best] >= 2:
        return best
    return "finalize" if has(described, "tools/finish") else "other"


def finished_with(view: View) -> str:
    """The text that the last call ended the work with; "" where it did not, or where that failed."""
    last = view.calls[-1] if view.calls else None
    if last is None or last.result is None or last.is_error:
        return ""
    tools = view.request.get("tools") or ()
    ending = [tool for tool in tools if isinstance(tool, dict) and tool.get("name") == last.name]
    if not any(kind_of(tool) == "finalize" for tool in ending):
        return ""
    texts = [value for value in last.input.values() if isinstance(value, str) and value.strip()]
    return texts[0] if texts else "The work is finished."


def stage(tool: dict[str, Any]) -> int:
    """Returns the turn of a specialist: 0 memory, 1 research, 3 findings, 4 writing, 5 review, 6
    the end.
    """
    kind = kind_of(tool)
    if kind in TURNS:
        return TURNS[kind]
    stems = _stems(said_of(tool))
    for turn, verbs in table("tools/hand_over")["stages"].items():
        if not stems.isdisjoint(map(stem, verbs.split())):
            return int(turn)
    return 3


def asked(tool: dict[str, Any], text: str) -> bool:
    """True if a clause of a text asks for what a tool's name and description say that it does."""
    return _meet(_abilities(said_of(tool)), _wanted(text))


@lru_cache(maxsize=20_000)
def _wanted(text: str) -> frozenset[str]:
    """The stems of a text, those of its clauses that refuse something left out."""
    clauses = re.split(r"[.;,\n]|\bbut\b|\band\b", text)
    return frozenset(_stems(" ".join(filterfalse(_REFUSES.search, clauses))))


def _meet(abilities: Set[str], wanted: Set[str]) -> bool:
    """True if abilities hold what is wanted, or a longer word that begins so."""
    if not abilities.isdisjoint(wanted):
        return True
    beginnings = tuple(word for word in wanted if len(word) > 6)
    return bool(beginnings) and any(word.startswith(beginnings) for word in abilities)


@lru_cache(maxsize=1_000)
def _abilities(text: str) -> frozenset[str]:
    """The stems that say what a tool does, and those that mean the same."""
    vague = map(stem, words_in("tools/hand_over", "vague"))
    own = {stem(word) for word in words(text) if word not in stop_words()}
    own.difference_update(vague)
    for group in lines_in("tools/hand_over", "same"):
        alike = set(map(stem, group))
        if not own.isdisjoint(alike):
            own |= alike
    return frozenset(own)


def wished_kinds(view: View) -> set[str]:
    """Returns the usual steps that the task asks for: all of them, unless it asks for less."""
    task = view.task.lower()
    first = _FIRST_VERB.match(task)
    finds = first is not None and _verbs().get(stem(first[1])) == "research"
    if view.draft:
        if _speaks_of("changes", task):
            return {"write", "review"}
        if not _speaks_of("checks", task):
            return set()
        return {"research", "review"} if finds else {"review"}
    if view.wish("facts_only") or (finds and not _speaks_of("texts", task)):
        return {"research"}
    return set(KINDS)


def _speaks_of(group: str, text: str) -> bool:
    """True if a text has a word of a group of the lexicon."""
    group_stems = map(stem, words_in("tools/hand_over", group))
    return not _stems(text).isdisjoint(group_stems)


def team_for(view: View, task: str, tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The tools that a task asks for, in the order of their turns: one for each usual step that is
    wished, and every further one that the task (or an "always …" of the system prompt) asks for."""
    told = re.split(r"[.;\n]", view.system)
    rules = ". ".join([task, *filter(_ALWAYS.search, told)])
    others = [tool for tool in tools if kind_of(tool) not in KINDS]
    team = [tool for tool in others if asked(tool, rules)]
    for kind in sorted(wished_kinds(view)):
        group = [tool for tool in tools if kind_of(tool) == kind]
        first = group[:1]
        named = [tool for tool in group if asked(tool, task)]
        if kind == "review":
            named = first + [tool for tool in named if tool not in first]
        team += named or first
    return sorted(team, key=stage)


def without_others(task: str, others: list[dict[str, Any]]) -> str:
    """The task without the clauses that ask for a further specialist ("… and translate it")."""
    return _without(task, frozenset().union(*(_abilities(said_of(tool)) for tool in others)))


@lru_cache(maxsize=100)
def _without(task: str, abilities: frozenset[str]) -> str:
    """The task without the clauses that ask for one of these abilities."""
    joint = ""
    kept = ""
    for place, piece in enumerate(_JOINTS.split(task)):
        if place % 2:
            joint = piece
            continue
        is_for_others = _meet(abilities, _wanted(piece))
        is_order = not kept and _speaks_of("texts", piece)
        if is_order or not is_for_others:
            kept = _joined(kept, joint, piece)
    return kept or task


def _joined(kept: str, joint: str, piece: str) -> str:
    if kept.endswith((".", "!", "?", ";")):
        joint = " "
    if kept or not joint:
        return kept + joint + piece
    return _capitalized(piece)


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]


def clause_for(tool: dict[str, Any], task: str) -> str:
    """The clause of the task that asks for this specialist, as a task of its own."""
    clauses = map(str.strip, _CLAUSES.split(task))
    clause = next((clause for clause in clauses if asked(tool, clause)), task)
    compared = subjects(task)
    if len(compared) > 1 and any(subject in clause for subject in compared):
        clause = task
    return _capitalized(clause)


def workers_in(text: str, names: list[str]) -> list[dict[str, Any]]:
    """The workers with what is said of them: `names` where these are known, else those that the text
    lists: "Workers: a (does this), b (does that)" or a bullet each."""
    workers = []
    names = names or _listed(text)
    for name in names[:_MOST]:
        behind = rf"\b{re.escape(name)}\b[`*\"']*\s*[(:–—-]\s*([^.;\n)\"]+)"
        found = re.search(behind, text)
        description = found[1] if found else ""
        workers.append({"name": name, "description": description})
    return workers


def _listed(text: str) -> list[str]:
    """The names of the workers that a text lists, each once."""
    for way in (BULLET, _BRACKETED):
        names = way.findall(text)
        if len(names) > 1:
            return list(dict.fromkeys(names))
    line = PEOPLE.search(text)
    if line is None:
        return []
    items = re.split(r"[,;]\s+(?:and\s+)?|\s+and\s+", line[1])
    first_words = [item.split()[0] for item in items if item.strip()]
    return list(dict.fromkeys(word.strip("`'\"*.") for word in first_words))


def in_order(view: View, needs: list[str], earlier: list[str]) -> list[str]:
    """Returns the needs of a step where the prompt sets an order: the step before it, or
    nothing.
    """
    if view.wish("one_by_one"):
        return earlier[-1:]
    return [] if view.wish("at_once") else needs
