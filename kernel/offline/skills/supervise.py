"""Supervise: choose the next handoff from what the conversation holds; the tools are the specialists."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from itertools import groupby

from .. import workers
from ..answer import Answer
from ..asks import limit, subjects, topic
from ..form import value_for
from ..sources import json_of
from ..view import Call, View
from ..words import citations, content_words
from ..workers import FINISHES, KINDS, TO_WHOM, fields_of, given_draft, kind_of, said_of, stage, workers_in

_INTENT = re.compile(r"intent|task|instructions?|request|goal|objective|message|prompt|question|input|query|assignment")
_OUTPUT = re.compile(r"output|answer|result|final|text|brief|response|content")
_NAMES = {  # an artifact's names, the kernel's own first
    "facts": ("facts", "evidence", "findings", "notes", "sources", "research", "material"),
    "draft": ("draft", "text", "document", "article", "content", "body"),
    "feedback": ("feedback", "issues", "comments", "review", "critique")}
_NAMED = {name: key for key, names in _NAMES.items() for name in names}
_BROKEN = re.compile(r"^\W*(?:status\W*)?((?:failed|refused|exhausted|cancelled|paused|error)\b.*)((?s:.*))", re.I)
_HOPELESS = re.compile(r"budget|exhaust|depth|limit|refus|cancel|same handoff|already|not allowed|repeat", re.I)
_GOOD = re.compile(r"pass|accept|approv|ok|good|yes|looks|no (?:problems|issues)", re.I)
_DECIDED = re.compile(rf"{_GOOD.pattern}|revis|reject|fail|no\b|needs|changes", re.I)
_SPECIALIST = re.compile(r"\b(?:hand ?-?(?:off|over)|delegat\w*|transfer|specialist|agent|expert|worker)\b", re.I)


def fits(view: View) -> bool:
    """Two or more of the tools take a handoff, or one does and another one ends the work."""
    tools = _routed(view)[0].request.get("tools") or []
    handing = [tool for tool in tools if _hands_over(tool)]
    ending = any(kind_of(tool) == "finalize" for tool in tools)
    return bool(handing) and (len(handing) + ending > 1 or any("artifacts" in fields_of(tool) for tool in handing))


def _hands_over(tool: dict) -> bool:
    """Whether a tool is a specialist: by its parameters, or by its words with a parameter for a task."""
    names, kind = {key.lower() for key in fields_of(tool)}, kind_of(tool)
    spoken = _SPECIALIST.search(said_of(tool).replace("_", " ")) and any(map(_INTENT.fullmatch, names))
    tasked = names & {"intent", "task", "instructions", "instruction", "assignment", "objective", "goal", "request", "message"}
    material = names & {"facts", "draft", "feedback", "material"}
    return bool(names & {"artifacts", "from_agent", "return_to"} or spoken or (tasked and (kind != "other" or "context" in names))
                or (material and kind in KINDS))


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
        said = re.search(r"\b(?:PASS|APPROVE|ACCEPT|REVISE|REJECT|FAIL|(?i:no (?:problems|issues|objections)|nothing to \w+"
                         r"|(?:looks|all) (?:good|fine)|approved|accepted))", text)
        good = bool(said) and said[0] not in ("REVISE", "REJECT", "FAIL")
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
    schema, fields = tool.get("input_schema") or {}, fields_of(tool)
    required = schema.get("required", [])
    texts = [key for key, kind in fields.items() if kind.get("type") == "string" and key.lower() not in _NAMED]
    main = next((key for key in texts if _INTENT.fullmatch(key.lower())), texts[0] if texts else "")
    known: dict = {name: artifacts.get(key, "") for name, key in _NAMED.items() if key in artifacts or name in required}
    known |= dict.fromkeys(("context", "background"), context) if context or "context" in required else {}
    known |= dict.fromkeys(("from_agent", "sender", "return_to"), "supervisor")
    known |= {"to_agent": re.sub(r"^(?:hand_?off|transfer|delegate)_to_", "", tool["name"])}
    if "artifacts" in fields and "properties" not in fields["artifacts"]:
        known["artifacts"] = [] if fields["artifacts"].get("type") == "array" else artifacts
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


def _so_far(view: View, topics: tuple[str, ...]) -> _Work:
    given, notes = given_draft(view), view.parts.get("feedback", "")
    tools = {tool.get("name"): tool for tool in view.request.get("tools") or []}
    work = _Work([view.parts["facts"]] if view.parts.get("facts") else [], given)
    work.verdicts |= {"given": (False, notes)} if given and notes else {}
    for call in view.calls:
        good, text, why = outcome(call)
        tool = tools.get(call.name, {})
        kind, said = kind_of(tool), json.dumps(call.input, ensure_ascii=False)
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


def _routed(view: View) -> tuple[View, dict[str, str]]:
    """The view with a tool that hands work to any of several (`delegate(to: "researcher" | "writer", task)`) as one tool for
    each of them, whose field names it; and which tool each of them stands for."""
    routes, tools = {}, []
    for tool in view.request.get("tools") or []:
        schema, fields = tool.get("input_schema") or {}, fields_of(tool)
        to = next((key for key, field in fields.items() if TO_WHOM.search(key) and field.get("enum")), "")
        for worker in workers_in(f"{view.system}\n{view.first}\n{said_of(tool)}", fields[to]["enum"]) if to else ():
            routes[worker["name"]] = tool["name"]
            tools.append({**worker, "input_schema": {**schema, "properties": {**fields, to: {"const": worker["name"]}}}})
        tools += [] if to else [tool]
    calls = [replace(call, name=next((to for to in routes if to in call.input.values()), call.name)) for call in view.calls]
    return replace(view, request={**view.request, "tools": tools}, tools=tools if view.tools else [], calls=calls), routes


def supervise(view: View) -> Answer:
    """The next handoff (several at once for a comparison), or the end of the work."""
    view, routes = _routed(view)
    said = _next(view)
    return replace(said, content=tuple({**it, "name": routes.get(it["name"], it["name"])} if "name" in it else it
                                       for it in said.content))


def _next(view: View) -> Answer:
    tools = [tool for tool in view.tools if kind_of(tool) != "finalize"]
    task = view.task or view.parts.get("context", "") or view.first
    if not re.search(r"\w", task):
        text = "There is no task in this message: say what the team shall do."
        return Answer(({"type": "text", "text": text},), "Nothing was asked.")
    plain = workers.without_others(task, [tool for tool in tools if kind_of(tool) not in KINDS])
    topics = subjects(plain) or (topic(plain) or plain,)
    work = _so_far(view, topics)
    if view.must_answer:
        return _end(view, work, "Time is up: give what there is.")
    if len(view.calls) >= (limit(view.instructions, "handoffs") or 1_000):
        return _end(view, work, "No more handoffs are allowed: give what there is.")
    team = workers.team_for(view, task, tools, view.system)
    if not {"research", "write"} & {kind_of(tool) for tool in view.request["tools"]}:
        team = team or tools[:1]  # whoever there is gets the task
    made = [(call.name, call.input) for call in view.calls]
    for _, turn in groupby(team, key=stage):
        due = [step for tool in turn for step in _handoffs(view, work, team, tool, plain, topics)]
        if steps := [step for step in due if (step["name"], step["input"]) not in made]:  # never the same handoff twice
            return Answer(tuple(steps), f"Next is {' and '.join(dict.fromkeys(step['name'] for step in steps))}.")
    return _end(view, work, "Everything that was asked for is there: finish.")


def _handoffs(view: View, work: _Work, team: list[dict], tool: dict, plain: str, topics: tuple[str, ...]) -> list[dict]:
    """What there is to hand to one specialist of the team now: often nothing, several to a comparison's researcher."""
    kind, turn, task, given = kind_of(tool), stage(tool), view.task or view.first, given_draft(view)
    about = topic(plain) if content_words(topic(plain)) and not given else ""
    has = {"notes": "\n".join(work.notes), "draft": work.draft, "feedback": work.feedback}
    has["facts"] = "" if view.temperament.drops_facts else "\n".join(work.facts)
    lost = "\n".join(f"{name}: {reasons[-1]}" for name, reasons in work.failed.items())
    context = "\n".join(filter(None, [view.parts.get("context", ""), lost and f"These handoffs failed:\n{lost}"]))

    def hand(intent: str, names: str, subject: str = "") -> list[dict]:
        failures = work.failed.get(tool["name"] + subject, [])
        if len(failures) > 1 or any(_HOPELESS.search(reason) for reason in failures):
            return []
        artifacts = {name: has[name] for name in names.split() if has[name]}
        return [{"type": "tool_use", "name": tool["name"], "input": payload(tool, intent, artifacts, context)}]

    if kind == "research":
        own = workers.on_a_desk(team) and workers.clause_for(tool, task)
        missing = [one for one in topics if one not in work.found and not view.parts.get("facts")]
        return [step for one in missing
                for step in hand(own or f"Find facts, with their sources, about {one}", "notes", f" ({one})")]
    if kind == "write" and not work.draft:
        searched = any(kind_of(other) == "research" for other in team)
        return hand(plain, "facts notes") if work.facts or not searched else []
    if kind == "write":
        rounds = limit(view.instructions, "revisions")
        left = work.drafts - (not given) < (2 if rounds is None else rounds)
        return hand(f"Revise the draft by the feedback. {plain}", "facts draft feedback") if work.feedback and left else []
    if kind == "review":
        due = work.draft and not work.feedback and tool["name"] not in work.verdicts
        what = f"Review the draft{about and f' on {about}'}{' against the facts' if work.facts else ''}"
        return hand(what, "facts draft") if due else []
    if tool["name"] in work.extras or (turn < 4 and work.draft):
        return []
    if turn == 0:
        return hand(f"Recall what is known{about and f' about {about}'}", "")
    waits = turn == 6 and not work.draft and not work.facts and any(kind_of(other) == "write" for other in team)
    return [] if waits else hand(workers.clause_for(tool, task), "draft" if turn == 6 and work.draft else "facts draft")


def _end(view: View, work: _Work, why: str) -> Answer:
    """Finish with the best there is: the draft and what was made of it, else the facts, else what went wrong."""
    reasons = "; ".join(f"{name}: {texts[-1]}" for name, texts in work.failed.items())
    output = min(work.judged)[2] if work.verdicts and work.judged else work.draft or "\n".join(work.facts)
    for tool in view.request.get("tools") or []:
        made, used = work.extras.get(tool["name"]), stage(tool) in (0, 3) and work.draft
        if made and not used:
            output = made if not output or FINISHES.search(said_of(tool)) else f"{output}\n\n{made}"
    if given_draft(view) and work.verdicts and not work.drafts:
        output = "\n".join("PASS" if good else f"REVISE\n{note}" for good, note in work.verdicts.values())
    output = output or f"This could not be done: {reasons or 'no specialist for it is there'}."
    ending = next((tool for tool in view.tools if kind_of(tool) == "finalize"), None)
    if not ending:
        return Answer(({"type": "text", "text": output},), why)
    texts = [key for key, kind in fields_of(ending).items() if kind.get("type") == "string"]
    main = next(filter(_OUTPUT.search, texts), "".join(texts[:1]))
    notes = f"Open issues:\n{work.feedback}" if work.feedback else reasons
    known = {main: output, "sources": list(citations(output)), "notes": notes, "reason": notes, "comment": notes}
    given = value_for(ending.get("input_schema") or {}, output, task=view.task, known=known)
    return Answer(({"type": "tool_use", "name": ending["name"], "input": given},), why)
