"""Supervise: choose the next handoff from what the conversation holds; the tools are the specialists."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from itertools import groupby

from ..answer import Answer
from ..reader.form import value_for
from ..reader.lexicon import words_in
from ..reader.sources import json_of
from ..reader.topics import subjects, topic
from ..reader.view import Call, View
from ..reader.words import citations, content_words, stem, words
from ..reader.workers import (
    KINDS,
    clause_for,
    fields_of,
    kind_of,
    said_of,
    stage,
    team_for,
    wished_kinds,
    without_others,
)

SAYS = "supervisor"
ROLES = ("supervise", "write", "research", "review", "edit")
WISHES = ("length", "unreviewed", "facts_only", "citations")
_BROKEN = re.compile(
    r"^\W*(?:status\W*)?((?:failed|refused|exhausted|cancelled|paused|error)\b.*)((?s:.*))", re.I
)
_HOPELESS = re.compile(r"budget|exhaust|depth|limit|refus|cancel|same handoff|already|repeat", re.I)
_GOOD = re.compile(r"pass|accept|approv|ok|good|yes|looks|no (?:problems|issues)", re.I)
_REJECTS = re.compile(r"^\W*(?:verdict\W*)?(?:REVISE|REJECT|FAIL)\w*\W*?\s")


def fits(view: View) -> bool:
    """Two or more of the tools take a handoff, or one does and another one ends the work."""
    tools = view.request.get("tools") or []
    handing = [tool for tool in tools if _hands_over(tool)]
    ending = any(kind_of(tool) == "finalize" for tool in tools)
    payload = any("artifacts" in fields_of(tool) for tool in handing)
    return bool(handing) and (len(handing) + ending > 1 or payload)


def _hands_over(tool: dict) -> bool:
    """Whether a tool is a specialist: by its parameters, or by its words with a parameter for a task."""
    names = {key.lower() for key in fields_of(tool)}
    spoken = {stem(word) for word in words(said_of(tool))}
    people = {*map(stem, words_in("tools/hand_over", "people"))} | {"handof"}
    if names & {"artifacts", "from_agent", "return_to"}:
        return True
    works = kind_of(tool) in KINDS
    takes_task = bool(names & words_in("tools/hand_over", "intent"))
    takes_material = bool(names & words_in("tools/hand_over", "material"))
    is_search = kind_of(tool) == "research" and not names & {"intent", "task", "message", "request"}
    return (takes_task and (works or bool(spoken & people)) and not is_search) or (
        takes_material and works
    )


def outcome(call: Call) -> tuple[bool, str, str]:
    """(whether there is work to go on with, the work, why it failed) of a call."""
    text = (call.result or "").strip()
    data = json_of(text)
    if isinstance(data, dict) and "status" in data and data.get("output"):  # a Result as JSON
        output = data["output"]
        text = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)
    if broken := _BROKEN.match(text):
        return bool(broken[2].strip()) and not call.is_error, broken[2].strip(), broken[1]
    return bool(text) and not call.is_error, text, text or "came back empty"


def read_verdict(text: str) -> tuple[bool, str]:
    """Whether a reviewer is content, and its issues as bullets (copied, not reworded)."""
    data = json_of(text)
    if not isinstance(data, dict):
        good = bool(_GOOD.match(text.strip(" *#\"'"))) and not _REJECTS.match(text)
        return good, "" if good else _REJECTS.sub("", text.strip(), count=1)
    listed = [item for value in data.values() if isinstance(value, list) for item in value]
    issues = [
        ": ".join(map(str, one.values())) if isinstance(one, dict) else str(one) for one in listed
    ]
    texts = [value for value in data.values() if isinstance(value, str)]
    flags = [value for value in data.values() if isinstance(value, bool)]
    flags += [bool(_GOOD.match(word)) for word in texts if len(word.split()) == 1]
    good = flags[0] if flags else not issues
    remarks = issues or [text for text in texts if len(text.split()) > 1] or [text]
    return good, "" if good else "\n".join(f"- {remark}" for remark in remarks)


def payload(tool: dict, intent: str, artifacts: dict[str, str], context: str) -> dict:
    """The arguments of a handoff for a tool's parameters; what finds no place goes into the intent."""
    fields = fields_of(tool)
    texts = [key for key, kind in fields.items() if kind.get("type") == "string"]
    mains = [key for key in texts if key.lower() in words_in("tools/hand_over", "intent")]
    main = (mains or texts or [""])[0]
    made: dict = {main: intent} if main else {}
    if context and "context" in fields:
        made["context"] = context
    if "artifacts" in fields:
        made["artifacts"] = artifacts
    made |= {name: text for name, text in artifacts.items() if name in fields}
    if "from_agent" in fields:
        names = {"from_agent": "supervisor", "return_to": "supervisor"}
        made |= {name: value for name, value in names.items() if name in fields}
        made["to_agent"] = re.sub(r"^hand_?off_to_", "", tool["name"])
    placed = json.dumps(made, ensure_ascii=False)
    for name, text in {"context": context, **artifacts}.items():
        if main and text and json.dumps(text, ensure_ascii=False) not in placed:
            made[main] += f"\n\n<{name}>\n{text}\n</{name}>"
    return value_for({**(tool.get("input_schema") or {})}, "", _only(made, fields))


def _only(made: dict, fields: dict) -> dict:
    return {name: value for name, value in made.items() if name in fields}


@dataclass
class _Work:
    """What the conversation has brought so far."""

    facts: list[str]
    draft: str  # the newest
    drafts: int = 0
    verdicts: dict[str, tuple[bool, str]] = field(default_factory=dict)  # of the newest draft
    judged: list[tuple[int, int, str]] = field(
        default_factory=list
    )  # drafts: open issues, age, text
    extras: dict[str, str] = field(default_factory=dict)  # what further specialists made
    notes: list[str] = field(default_factory=list)  # what of it came before the writing
    failed: dict[str, list[str]] = field(default_factory=dict)  # reasons, by tool and subject
    found: set[str] = field(default_factory=set)  # subjects that a researcher has answered

    @property
    def feedback(self) -> str:
        return "\n".join(note for good, note in self.verdicts.values() if not good)

    def add(self, call: Call, tool: dict, topics: tuple[str, ...]) -> None:
        """Take in one call and what came of it."""
        good, text, why = outcome(call)
        kind = kind_of(tool)
        told = json.dumps(call.input, ensure_ascii=False)
        about = (one for one in topics if json.dumps(one, ensure_ascii=False)[1:-1] in told)
        subject = next(about, topics[0])
        if not good:
            name = f"{call.name} ({subject})" if kind == "research" else call.name
            self.failed.setdefault(name, []).append(why)
        elif kind == "research":
            self.facts.append(text)
            self.found.add(subject)
        elif kind == "write":
            self.draft, self.verdicts = text, {}
            self.drafts += 1
        elif kind == "review":
            verdict = read_verdict(text)
            self.verdicts[call.name] = verdict
            self.judged.append((len(verdict[1].splitlines()), -self.drafts, self.draft))
        else:
            self.extras[call.name] = text
            self.notes += [] if self.draft else [text]


def _work_so_far(view: View, topics: tuple[str, ...]) -> _Work:
    given, notes = view.draft, view.parts.get("feedback", "")
    tools = {tool.get("name"): tool for tool in view.request.get("tools") or []}
    work = _Work([view.parts["facts"]] if view.parts.get("facts") else [], given)
    if given and notes:
        work.verdicts["given"] = (False, notes)
    for call in view.calls:
        work.add(call, tools.get(call.name, {}), topics)
    return work


def read(view: View) -> str:
    """What the task is about, and its clauses for further specialists."""
    task, others = view.task, [tool for tool in view.tools if kind_of(tool) == "other"]
    plain = without_others(task, others)
    team = [tool for tool in team_for(view, task, others) if kind_of(tool) == "other"]
    clauses = [clause_for(tool, task) for tool in team]
    quoted = view.draft if view.draft in task else ""
    return " ".join((topic(plain), *subjects(plain), *clauses, quoted))


def reply(view: View) -> Answer:
    """The next handoff (several at once for a comparison), or the end of the work."""
    tools = [tool for tool in view.tools if kind_of(tool) != "finalize"]
    task = view.task or view.parts.get("context", "") or view.first
    if not re.search(r"\w", task):
        text = "There is no task in this message: say what the team should do."
        return Answer(({"type": "text", "text": text},), "Nothing was asked.")
    plain = without_others(task, [tool for tool in tools if kind_of(tool) not in KINDS])
    topics = subjects(plain) or (topic(plain) or plain,)
    work = _work_so_far(view, topics)
    if view.must_answer:
        return _end(view, work, "Time is up: give what there is.")
    if len(view.calls) >= (view.limit("handoffs") or 1_000):
        return _end(view, work, "No more handoffs are allowed: give what there is.")
    team = team_for(view, task, tools)
    if not {"research", "write"} & {kind_of(tool) for tool in view.request["tools"]}:
        team = team or tools[:1]  # whoever there is gets the task
    made = [(call.name, call.input) for call in view.calls]
    desk = _Desk(view, work, team, plain, topics)
    for _, turn in groupby(team, key=stage):
        due = [step for tool in turn for step in desk.due(tool)]
        steps = [step for step in due if (step["name"], step["input"]) not in made]
        if steps:  # never the same handoff twice
            names = " and ".join(dict.fromkeys(step["name"] for step in steps))
            return Answer(tuple(steps), f"Next is {names}.")
    return _end(view, work, "Everything that was asked for is there: finish.")


class _Desk:
    """The team at one moment: what there is to hand to whom."""

    def __init__(
        self, view: View, work: _Work, team: list[dict], plain: str, topics: tuple
    ) -> None:
        self.view, self.work, self.team = view, work, team
        self.plain, self.topics = plain, topics
        self.task = view.task or view.first
        about = topic(plain)
        self.about = about if content_words(about) and not view.draft else ""
        self.has = {"notes": "\n".join(work.notes), "draft": work.draft, "feedback": work.feedback}
        self.has["facts"] = "" if view.temperament.drops_facts else "\n".join(work.facts)

    def due(self, tool: dict) -> list[dict]:
        """What there is to hand to one specialist now: often nothing, several to a researcher."""
        kind = kind_of(tool)
        by_kind = {"research": self._research, "write": self._write, "review": self._review}
        return by_kind.get(kind, self._other)(tool)

    def _hand(self, tool: dict, intent: str, names: str, subject: str = "") -> list[dict]:
        failures = self.work.failed.get(tool["name"] + subject, [])
        if len(failures) > 1 or any(map(_HOPELESS.search, failures)):
            return []
        artifacts = {name: self.has[name] for name in names.split() if self.has[name]}
        lost = [f"{name}: {reasons[-1]}" for name, reasons in self.work.failed.items()]
        told = [self.view.parts.get("context", "")]
        told += ["\n".join(["These handoffs failed:", *lost])] if lost else []
        given = payload(tool, intent, artifacts, "\n".join(filter(None, told)))
        return [{"type": "tool_use", "name": tool["name"], "input": given}]

    def _research(self, tool: dict) -> list[dict]:
        if self.view.parts.get("facts"):
            return []
        steps = []
        for subject in self.topics:
            if subject not in self.work.found:
                intent = f"Find facts, with their sources, about {subject}"
                steps += self._hand(tool, intent, "notes", f" ({subject})")
        return steps

    def _write(self, tool: dict) -> list[dict]:
        work = self.work
        if not work.draft:
            searched = any(kind_of(other) == "research" for other in self.team)
            return self._hand(tool, self.plain, "facts notes") if work.facts or not searched else []
        rounds = self.view.limit("revisions")
        left = work.drafts - (not self.view.draft) < (2 if rounds is None else rounds)
        intent = f"Revise the draft by the feedback. {self.plain}"
        return self._hand(tool, intent, "facts draft feedback") if work.feedback and left else []

    def _review(self, tool: dict) -> list[dict]:
        work = self.work
        if not work.draft or work.feedback or tool["name"] in work.verdicts:
            return []
        about = f" on {self.about}" if self.about else ""
        against = " against the facts" if work.facts else ""
        return self._hand(tool, f"Review the draft{about}{against}", "facts draft")

    def _other(self, tool: dict) -> list[dict]:
        work, turn = self.work, stage(tool)
        if tool["name"] in work.extras or (turn < 4 and work.draft):
            return []
        if turn == 0:
            return self._hand(
                tool, f"Recall what is known{self.about and f' about {self.about}'}", ""
            )
        writers = any(kind_of(other) == "write" for other in self.team)
        if turn == 6 and writers and not (work.draft or work.facts):
            return []
        names = "draft" if turn == 6 and work.draft else "facts draft"
        return self._hand(tool, clause_for(tool, self.task), names)


def _end(view: View, work: _Work, why: str) -> Answer:
    """Finish with the best there is: the draft and what was made of it, else the facts, else why not."""
    reasons = "; ".join(f"{name}: {texts[-1]}" for name, texts in work.failed.items())
    output = work.draft or "\n".join(work.facts)
    if work.verdicts and work.judged:
        output = min(work.judged)[2]
    for tool in view.request.get("tools") or []:
        made, used = work.extras.get(tool["name"]), stage(tool) in (0, 3) and work.draft
        if made and not used:
            output = made if not output or stage(tool) == 6 else f"{output}\n\n{made}"
    if view.draft and work.verdicts and not work.drafts and "write" not in wished_kinds(view):
        told = ("PASS" if good else f"REVISE\n{note}" for good, note in work.verdicts.values())
        output = "\n".join(told)
    output = output or f"This could not be done: {reasons or 'no specialist for it is there'}."
    ending = next((tool for tool in view.tools if kind_of(tool) == "finalize"), None)
    if not ending:
        return Answer(({"type": "text", "text": output},), why)
    texts = [key for key, kind in fields_of(ending).items() if kind.get("type") == "string"]
    notes = f"Open issues:\n{work.feedback}" if work.feedback else reasons
    known = {"sources": list(citations(output)), "notes": notes, "reason": notes, "comment": notes}
    known |= {texts[0]: output} if texts else {}
    given = value_for(ending.get("input_schema") or {}, output, known)
    return Answer(({"type": "tool_use", "name": ending["name"], "input": given},), why)
