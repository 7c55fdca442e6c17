"""Supervise: choose the next handoff from what the conversation holds; the tools are the specialists."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from itertools import groupby

from ..answer import Answer
from ..asks import limit, subjects, topic
from ..form import value_for
from ..sources import json_of
from ..view import Call, View
from ..words import STOP, citations, content_words, stem, words

_VERBS = {
    "research": "research search find look retrieve gather collect investigate fetch librarian library scout source",
    "write": "write draft compose author copywriter prose wordsmith scribe journalist rewrite revise",
    "review": "review check critic critique verify verifier verification approve judge assess evaluate audit inspect",
}  # fmt: skip
_KIND_OF = {stem(verb): kind for kind, verbs in _VERBS.items() for verb in verbs.split()}
_ENDS = re.compile(r"^(?:finali[sz]e|finish|done|complete|submit|final|end|stop|deliver|respond|conclude)", re.I)
_FINAL = re.compile(r"\b(?:ends?|finish\w*|complete) the (?:task|run|work)|final (?:answer|text|output|result)", re.I)
_MEMORY = re.compile(r"memor|recall|remember|earlier (?:runs|briefs)", re.I)
_FINISHES = re.compile(r"translat|edit|polish|rewrit|simplif|format|shorten|proofread|style|tone|illustrat", re.I)
_AFTER = re.compile(r"\b(?:publish|send|notif|ticket|count|email|post|announc|deploy)", re.I)
_READS = re.compile(r"analy|inspect|\blogs?\b|\bquer|\breads?\b|diagnos|metric", re.I)
_ON_FACTS = re.compile(r"calculat|statistic|comput|\b(?:facts|findings|numbers)\b", re.I)
_VAGUE = """agent specialist tool handoff hand transfer delegate give take return answer task work text draft fact
    brief source artifact feedback result pass revise issue specific cite write need user report language into desk team
    worker ask another first use help make new well short long complete topic document article"""
_KIN = {  # a wish in other words than the specialist's description
    "translat": "german french spanish italian dutch polish portuguese japanese chinese korean arabic russian",
    "illustrat": "picture image diagram", "count": "many length", "check": "verify double-check fact-checked",
    "log": "error fail crash outage incident", "code": "bug fix patch", "memori": "remember recall earlier",
    "calculat": "sum total average percent",
}  # fmt: skip
_WRITES = re.compile(r"\b(?:writ\w*|draft|brief|article|report|summar\w*|compar\w*|explain|essay|note)\b", re.I)
_INTENT = re.compile(r"intent|task|instructions?|request|goal|objective|message|prompt|question|input|query|assignment")
_NAMES = {  # an artifact's names, the kernel's own first
    "facts": ("facts", "evidence", "findings", "notes", "sources", "research", "material"),
    "draft": ("draft", "text", "document", "article", "content", "body"),
    "feedback": ("feedback", "issues", "comments", "review", "critique"),
}
_OUTPUTS = ("output", "answer", "result", "final", "text", "brief", "response", "content", "final_answer")
_BROKEN = re.compile(r"^\W*(?:status\W*)?((?:failed|refused|exhausted|cancelled|paused|error)\b.*)((?s:.*))", re.I)
_HOPELESS = re.compile(r"budget|exhaust|depth|limit|refus|cancel|same handoff|already|not allowed|repeat", re.I)
_GOOD = re.compile(r"pass|accept|approv|ok|good|yes|looks|no (?:problems|issues)", re.I)
_DECIDED = re.compile(rf"{_GOOD.pattern}|revis|reject|fail|no\b|needs|changes", re.I)


def fits(view: View) -> bool:
    """Two or more of the tools take a handoff, or one does and another one ends the work."""
    tools = view.request.get("tools") or []
    handing = [tool for tool in tools if _hands_over(tool)]
    ending = any(kind_of(tool) == "finalize" for tool in tools)
    return bool(handing) and (len(handing) + ending > 1 or any("artifacts" in _fields(tool) for tool in handing))


def kind_of(tool: dict) -> str:
    """What a tool is for – research, write, review, finalize or other – by its name, then its description."""
    name, said = tool.get("name", ""), tool.get("description") or ""
    if _ENDS.match(name) and not _fields(tool).keys() & {"intent", "task", "artifacts"}:
        return "finalize"
    scores = dict.fromkeys(_VERBS, 0.0)
    named = [(word, 4.0) for word in words(re.sub(r"[_-]", " ", name))]
    told = [word for word in words(said) if word not in STOP and stem(word) not in ("agent", "specialist", "expert")]
    for word, weight in [*named, *((word, 0.5 if place else 3.0) for place, word in enumerate(told))]:
        if stem(word) in _KIND_OF:
            scores[_KIND_OF[stem(word)]] += weight
    if re.search(r"(?:fact|source|claim)s?[ _-]?check", f"{name} {said}", re.I):
        scores["review"] += 4
    best = max(scores, key=lambda kind: scores[kind])
    return best if scores[best] >= 2 else "finalize" if _FINAL.search(said) else "other"


def stage(tool: dict) -> int:
    """When a specialist's turn comes: memory, research, what reads other things, work on findings, writing, review, and
    what is done to a finished text."""
    kind, said = kind_of(tool), _said(tool)
    if kind in _VERBS:
        return {"research": 1, "write": 4, "review": 5}[kind]
    if _MEMORY.search(said):
        return 0
    return 6 if _FINISHES.search(said) or _AFTER.search(said) else 2 if _READS.search(said) else 3


def asked(tool: dict, text: str) -> bool:
    """Whether a clause of a text asks for what a tool's name and description say that it does."""
    own = {stem(word) for word in words(_said(tool).replace("_", " ")) if word not in STOP}
    own -= {stem(word) for word in _VAGUE.split()}
    for key, kin in _KIN.items():
        if any(root.startswith(key) for root in sorted(own)):
            own |= {stem(word) for word in kin.split()}
    clauses = re.split(r"[.;,\n]|\bbut\b|\band\b", text)
    wished = [clause for clause in clauses if not re.search(r"\b(?:no|not|never|without|skip|don't)\b", clause, re.I)]
    return any(stem(word) in own for clause in wished for word in words(clause))


def team_for(task: str, tools: list[dict], wish: set[str], system: str = "") -> list[dict]:
    """The tools that a task asks for, in the order of their turns: one for each usual step that is wished, and every
    further one that the task (or an "always …" of the system prompt) asks for."""
    always = re.findall(r"[^.;\n]*\b(?:always|must|every)\b[^.;\n]*", system, re.I)
    team = [tool for tool in tools if kind_of(tool) not in _VERBS and asked(tool, ". ".join([task, *always]))]
    for kind in sorted(wish & _VERBS.keys()):
        group = [tool for tool in tools if kind_of(tool) == kind]
        named = [tool for tool in group if asked(tool, task)]
        if on_a_desk(team):
            team += named
        else:
            team += group[:1] + [tool for tool in named if tool != group[0]] if kind == "review" else named or group[:1]
    return sorted(team, key=stage)


def on_a_desk(team: list[dict]) -> bool:
    """Whether a team does other work than briefs: then each gets its own clause of the task, and nobody else joins."""
    return any(stage(tool) in (2, 3) and not _ON_FACTS.search(_said(tool)) for tool in team)


def core(task: str, others: list[dict]) -> str:
    """The task without the clauses that ask for a further specialist ("… and translate it into German")."""
    task_alone = re.sub(r"^\W*before\b[^,.]*,\s*", "", task, flags=re.I)
    pieces = re.split(r"((?:,|;)?\s+(?:and then|and|then)\s+|(?<=[.;!?])\s+|,\s+)", task_alone)
    kept = ""
    for joint, piece in zip(["", *pieces[1::2]], pieces[::2], strict=True):
        if not any(asked(tool, piece) for tool in others) or (not kept and _WRITES.search(piece)):
            joint = " " if kept.endswith((".", "!", "?", ";")) else joint
            kept += joint + piece if kept or not joint else piece[:1].upper() + piece[1:]
    if kept and not content_words(topic(kept)) and (about := re.search(r"\b(?:about|on) ([^,.]+)", task)):
        kept = f"{kept.rstrip(' .')} on {about[1]}"  # "recall what we know about X, then write a brief"
    kept = re.sub(r"\b(?:fact-?checked|reviewed|verified)\s+", "", kept, flags=re.I)
    return kept or task


def clause_for(tool: dict, task: str) -> str:
    """The clause of the task that asks for this specialist, as a task of its own; the whole of a comparison."""
    clauses = [clause.strip() for clause in re.split(r"(?<=[.;!?])\s+|,\s+|\b(?:and then|and|then)\b", task)]
    clause = next((clause for clause in clauses if asked(tool, clause)), "") or task
    clause = task if len(subjects(task)) > 1 and any(one in clause for one in subjects(task)) else clause
    return clause[:1].upper() + clause[1:]


def wishes(view: View) -> set[str]:
    """Which of the usual steps the task asks for: all of them, unless it asks for less."""
    task = view.task.lower()
    if _given_draft(view):
        changes = re.search(r"\b(?:revis|rewrit|improv|fix|mend|shorten|correct)\w*", task)
        checks = re.search(r"\b(?:review|check|critique|proofread|verif|assess|judge)\w*", task)
        return {"write", "review"} if changes else {"review"} if checks else set()
    finds = re.match(r"\W*(?:(?:please|just|only|now)\W+)*(?:find|research|search|look|collect|gather|list)\b", task)
    only = re.search(r"\b(?:just|only)\b[^.]*\b(?:facts?|research|sources?)\b|\bno (?:brief|draft|text)\b", task)
    if only or (finds and not _WRITES.search(task)):
        return {"research"}
    unreviewed = re.search(r"\b(?:no|without|skip|not need)\b[^.]{0,20}\breview", f"{task}\n{view.system.lower()}")
    return {"research", "write"} if unreviewed else {"research", "write", "review"}


def outcome(call: Call) -> tuple[bool, str, str]:
    """What came of a call: whether there is work to go on with, the work, and why it failed."""
    text = (call.result or "").strip()
    data = json_of(text)
    if isinstance(data, dict) and "status" in data and data.get("output"):  # a Result as JSON
        text = data["output"] if isinstance(data["output"], str) else json.dumps(data["output"], ensure_ascii=False)
    if broken := _BROKEN.match(text):
        return bool(broken[2].strip()) and not call.is_error, broken[2].strip(), broken[1]
    return bool(text) and not call.is_error, text, text or "came back empty"


def read_verdict(text: str) -> tuple[bool, str]:
    """Whether a reviewer is content, and its issues as bullets (copied, not reworded)."""
    data = json_of(text)
    if not isinstance(data, dict):
        said = re.search(r"\b(?:PASS|APPROVE|ACCEPT|REVISE|REJECT|FAIL)|no (?:problems|issues)|looks good", text)
        good = bool(said and _GOOD.match(said[0]))
        return good, "" if good else re.sub(r"^\W*(?:verdict\W*)?(?:REVISE|REJECT|FAIL)\w*\W*\s", "", text.strip())
    listed = [item for value in data.values() if isinstance(value, list) for item in value]
    issues = [": ".join(map(str, item.values())) if isinstance(item, dict) else str(item) for item in listed]
    said = [value for value in data.values() if isinstance(value, str)]
    flags = [value for value in data.values() if isinstance(value, bool)]
    flags += [bool(_GOOD.match(word)) for word in said if len(word.split()) <= 2 and _DECIDED.match(word)]
    good = flags[0] if flags else not issues
    remarks = issues or [remark for remark in said if len(remark.split()) > 1] or [text]
    return good, "" if good else "\n".join(f"- {remark}" for remark in remarks)


def payload(tool: dict, intent: str, artifacts: dict[str, str], context: str) -> dict:
    """The arguments of a handoff for whatever parameters the tool has; what finds no place goes into the intent."""
    schema, fields = tool.get("input_schema") or {}, _fields(tool)
    named = {name: key for key, names in _NAMES.items() for name in names}
    texts = [key for key, kind in fields.items() if kind.get("type") == "string" and key.lower() not in named]
    main = next((key for key in texts if _INTENT.fullmatch(key.lower())), texts[0] if texts else "")
    known: dict = {name: artifacts[key] for name, key in named.items() if key in artifacts}
    known |= {name: "" for name in schema.get("required", []) if name in named and name not in known}
    known |= {"context": context, "background": context} if context or "context" in schema.get("required", []) else {}
    known |= dict.fromkeys(("from_agent", "sender", "return_to"), "supervisor")
    known |= {"to_agent": re.sub(r"^(?:hand_?off|transfer|delegate)_to_", "", tool["name"])}
    if "artifacts" in fields and "properties" not in fields["artifacts"]:
        known |= {"artifacts": [] if fields["artifacts"].get("type") == "array" else artifacts}
    made = value_for(schema, intent, task=intent, known={**known, main: intent})
    placed = json.dumps(made, ensure_ascii=False)
    for name, text in {"context": context, **artifacts}.items():
        if main and text and json.dumps(text, ensure_ascii=False) not in placed:
            made[main] += f"\n\n<{name}>\n{text}\n</{name}>"
    return made


@dataclass
class _Work:
    """What the conversation has brought so far."""

    facts: list[str]
    draft: str  # the newest
    drafts: int = 0
    verdicts: dict[str, tuple[bool, str]] = field(default_factory=dict)  # of the newest draft, by reviewer
    judged: list[tuple[int, int, str]] = field(default_factory=list)  # reviewed drafts: open issues, age, text
    extras: dict[str, str] = field(default_factory=dict)  # what further specialists made
    notes: list[str] = field(default_factory=list)  # what of it came before the writing
    failed: dict[str, list[str]] = field(default_factory=dict)  # reasons, by tool and subject
    found: set[str] = field(default_factory=set)  # subjects that a researcher has answered

    @property
    def feedback(self) -> str:
        return "\n".join(note for good, note in self.verdicts.values() if not good)


def _so_far(view: View, kinds: dict[str, str], topics: tuple[str, ...]) -> _Work:
    given, notes = _given_draft(view), view.parts.get("feedback", "")
    work = _Work([view.parts["facts"]] if view.parts.get("facts") else [], given)
    work.verdicts |= {"given": (False, notes)} if given and notes else {}
    for call in view.calls:
        good, text, why = outcome(call)
        kind, said = kinds.get(call.name, "other"), json.dumps(call.input, ensure_ascii=False)
        subject = next((one for one in topics if json.dumps(one, ensure_ascii=False)[1:-1] in said), topics[0])
        if not good:
            work.failed.setdefault(f"{call.name} ({subject})" if kind == "research" else call.name, []).append(why)
        elif kind == "research":
            work.facts.append(text)
            work.found.add(subject)
        elif kind == "write":
            work.draft, work.verdicts, work.drafts = text, {}, work.drafts + 1
        elif kind == "review":
            work.verdicts[call.name] = read_verdict(text)
            work.judged.append((len(work.verdicts[call.name][1].splitlines()), -work.drafts, work.draft))
        else:
            work.extras[call.name] = text
            work.notes += [] if work.draft else [text]
    return work


def supervise(view: View) -> Answer:
    """The next handoff (several at once for a comparison), or the end of the work."""
    tools = [tool for tool in view.tools if kind_of(tool) != "finalize"]
    kinds = {tool["name"]: kind_of(tool) for tool in view.request.get("tools") or []}
    task = view.task or view.parts.get("context", "") or view.first
    if not re.search(r"\w", task):
        text = "There is no task in this message: say what the team shall do."
        return Answer(({"type": "text", "text": text},), "Nothing was asked.")
    plain = core(task, [tool for tool in tools if kind_of(tool) not in _VERBS])
    topics = subjects(plain) or (topic(plain) or plain,)
    work = _so_far(view, kinds, topics)
    if view.must_answer:
        return _end(view, work, "Time is up: give what there is.")
    team = team_for(task, tools, wishes(view), view.system)
    if not {"research", "write"} & set(kinds.values()):
        team = team or tools[:1]  # whoever there is gets the task
    made = [(call.name, call.input) for call in view.calls]
    for _, turn in groupby(team, key=stage):
        due = [step for tool in turn for step in _handoffs(view, work, team, tool, plain, topics)]
        if steps := [step for step in due if (step["name"], step["input"]) not in made]:  # never the same handoff twice
            return Answer(tuple(steps), f"Next is {' and '.join(dict.fromkeys(step['name'] for step in steps))}.")
    return _end(view, work, "Everything that was asked for is there: finish.")


def _handoffs(view: View, work: _Work, team: list[dict], tool: dict, plain: str, topics: tuple[str, ...]) -> list[dict]:
    """What there is to hand to one specialist of the team now: often nothing, several to a comparison's researcher."""
    kind, task, given = kind_of(tool), view.task or view.first, _given_draft(view)
    on = f" on {topic(plain)}" if content_words(topic(plain)) and not given else ""
    has = {"notes": "\n".join(work.notes), "draft": work.draft, "feedback": work.feedback}
    has["facts"] = "" if view.temperament.drops_facts else "\n".join(work.facts)
    lost = "\n".join(f"{name}: {reasons[-1]}" for name, reasons in work.failed.items())
    context = "\n".join(filter(None, [view.parts.get("context", ""), lost and f"These handoffs failed:\n{lost}"]))

    def hand(intent: str, names: str, subject: str = "") -> list[dict]:
        failures = work.failed.get(tool["name"] + subject, [])
        if len(failures) > 1 or any(_HOPELESS.search(reason) for reason in failures):
            return []
        intent = f"Once more, since the first attempt failed: {intent[:1].lower()}{intent[1:]}" if failures else intent
        artifacts = {name: has[name] for name in names.split() if has[name]}
        return [{"type": "tool_use", "name": tool["name"], "input": payload(tool, intent, artifacts, context)}]

    if kind == "research":
        own = on_a_desk(team) and clause_for(tool, task)
        missing = [one for one in topics if one not in work.found] if not view.parts.get("facts") else []
        intents = [(one, own or f"Find facts, with their sources, about {one}") for one in missing]
        return [step for one, intent in intents for step in hand(intent, "notes", f" ({one})")]
    if kind == "write" and not work.draft:
        searched = any(kind_of(other) == "research" for other in team)
        return hand(plain, "facts notes") if work.facts or not searched else []
    if kind == "write":
        rounds = limit(view.instructions, "revisions")
        left = work.drafts - (not given) < (2 if rounds is None else rounds)
        due = work.feedback and left
        return hand(f"Revise the draft by the feedback. {plain}", "facts draft feedback") if due else []
    if kind == "review":
        against = " against the facts" if work.facts else ""
        due = work.draft and not work.feedback and tool["name"] not in work.verdicts
        return hand(f"Review the draft{on}{against}", "facts draft") if due else []
    if tool["name"] in work.extras or (stage(tool) < 4 and work.draft):
        return []
    if stage(tool) == 0:
        return hand(f"Recall what is known{on.replace(' on ', ' about ')}", "")
    waits = stage(tool) == 6 and not work.draft and not work.facts and any(kind_of(other) == "write" for other in team)
    return [] if waits else hand(clause_for(tool, task), "draft" if stage(tool) == 6 and work.draft else "facts draft")


def _end(view: View, work: _Work, why: str) -> Answer:
    """Finish with the best there is: the draft and what was made of it, else the facts, else what went wrong."""
    reasons = "; ".join(f"{name}: {texts[-1]}" for name, texts in work.failed.items())
    output = min(work.judged)[2] if work.verdicts and work.judged else work.draft or "\n".join(work.facts)
    for tool in view.request.get("tools") or []:
        made, used = work.extras.get(tool["name"]), stage(tool) in (0, 3) and work.draft
        if made and not used:
            output = made if not output or _FINISHES.search(_said(tool)) else f"{output}\n\n{made}"
    if _given_draft(view) and work.verdicts and not work.drafts:
        output = "\n".join("PASS" if good else f"REVISE\n{note}" for good, note in work.verdicts.values())
    output = output or f"This could not be done: {reasons or 'no specialist for it is there'}."
    ending = next((tool for tool in view.tools if kind_of(tool) == "finalize"), None)
    if not ending:
        return Answer(({"type": "text", "text": output},), why)
    texts = [key for key, kind in _fields(ending).items() if kind.get("type") == "string"]
    main = next((key for key in texts if key in _OUTPUTS), texts[0] if texts else "")
    notes = f"Open issues:\n{work.feedback}" if work.feedback else reasons
    known = {main: output, "sources": list(citations(output)), "notes": notes, "reason": notes, "comment": notes}
    given = value_for(ending.get("input_schema") or {}, output, task=view.task, known=known)
    return Answer(({"type": "tool_use", "name": ending["name"], "input": given},), why)


def _given_draft(view: View) -> str:
    """The text that the message brings: a labelled draft, or a quotation behind an order to work on it."""
    quoted = re.search(r"[:\n]\s*[\"“](.{20,}?)[\"”]\s*$", view.task, re.S)
    works = re.match(r"\W*(?:review|check|translate|proofread|polish|edit|revise|improve|rewrite)\b", view.task, re.I)
    return view.parts.get("draft") or (quoted[1] if quoted and works else "")


def _hands_over(tool: dict) -> bool:
    """Whether a tool is a specialist: by its parameters, or by its words with a parameter for a task."""
    names, said = {key.lower() for key in _fields(tool)}, _said(tool).replace("_", " ")
    if kind_of(tool) == "finalize":
        return False
    spoken = re.search(r"\b(?:hand ?-?(?:off|over)|delegat\w*|transfer|specialist|agent|expert|worker)\b", said, re.I)
    tasked = names & {"intent", "task", "instructions", "instruction", "assignment", "objective", "goal", "request"}
    material = names & {"facts", "draft", "feedback", "material"}
    if names & {"artifacts", "from_agent", "return_to"} or (spoken and any(_INTENT.fullmatch(name) for name in names)):
        return True
    return bool((tasked and (kind_of(tool) != "other" or "context" in names)) or (material and kind_of(tool) in _VERBS))


def _fields(tool: dict) -> dict:
    return (tool.get("input_schema") or {}).get("properties") or {}


def _said(tool: dict) -> str:
    return f"{tool.get('name', '')} {tool.get('description') or ''}"
