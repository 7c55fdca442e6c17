"""Supervise: choose the next handoff from what the conversation holds; the tools are the specialists."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from ..account import Account
from ..answer import Answer
from ..reader.form import value_for
from ..reader.lexicon import table, words_in
from ..reader.schema import resolve
from ..reader.sources import json_of
from ..reader.topics import named, subjects, topic
from ..reader.view import Call, View
from ..reader.words import citations, sentences, stem, words
from ..reader.workers import (
    KINDS,
    LAST_TURN,
    clause_for,
    fields_of,
    finished_with,
    kind_of,
    said_of,
    stage,
    team_for,
    wished_kinds,
    without_others,
)

LEXICON = "tools/hand_over"
MOST_HANDOFFS = 1_000
Step = tuple[str, dict[str, Any]]
"""One handoff: a specialist's tool and its input."""

_HANDS_OVER = re.compile(r"^(?:hand_?off|transfer)_to_")
_RECEIPT = re.compile(r"Kept as (?P<name>[\w.-]+) \([^()\n]*\)\.?(?:\n|$)")
_SOURCE_ID = r"[\w.]+(?:[-_][\w.]+)+"
_SOURCES = re.compile(
    rf"(?<![\w-])sources?:? \[?({_SOURCE_ID}(?:(?:, and|,|\]? and) \[?{_SOURCE_ID})*)", re.I
)
_VERDICT = re.compile(r"\W*(?:verdict\W+)?(\w+)\W*?(?:\s|$)", re.I)


class Name(str):
    """The name that a result is kept under, where its text is not in the conversation."""


def fits(view: View) -> bool:
    """Two or more of the tools take a handoff, or one does and another one ends the work, or one is
    named for it: "transfer_to_writer"."""
    tools = view.request.get("tools") or []
    if any(map(_is_named_for_it, tools)):
        return True
    handing = [tool for tool in tools if _hands_over(tool)]
    ending = [tool for tool in tools if kind_of(tool) == "finalize"]
    if not handing:
        return False
    structured = any("artifacts" in fields_of(tool) for tool in handing)
    return structured or len(handing) + len(ending) > 1


def _is_named_for_it(tool: dict[str, Any]) -> bool:
    """True if a tool's name says that it hands over, and it takes no amount to transfer."""
    schema = tool.get("input_schema") or {}
    kinds = {resolve(field, schema).get("type") for field in fields_of(tool).values()}
    is_named = _HANDS_OVER.match(tool.get("name", "")) is not None
    return is_named and kinds.isdisjoint(("integer", "number"))


def _hands_over(tool: dict[str, Any]) -> bool:
    """True if a tool is a specialist: by its parameters, or by its words with a parameter for a
    task.
    """
    names = {name.lower() for name in fields_of(tool)}
    if names & words_in(LEXICON, "structured"):
        return True
    kind = kind_of(tool)
    if kind == "research" and not names & words_in(LEXICON, "order"):
        return False  # a search
    if not names & words_in(LEXICON, "intent"):
        return False
    return kind in KINDS or _speaks_of(said_of(tool), "people")


def _speaks_of(text: str, group: str) -> bool:
    """True if a text holds a form of one of the lexicon's words."""
    known = map(stem, words_in(LEXICON, group))
    roots = {stem(word) for word in words(text)}
    return not roots.isdisjoint(known)


def outcome(call: Call) -> tuple[bool, str, str]:
    """(whether there is work to go on with, the work, why it failed) of a specialist's result."""
    text = (call.result or "").strip()
    reason = text or "came back empty"
    first, _, rest = text.partition("\n")
    status = first.removeprefix("status: ")
    begins = words(status)[:1]
    if words_in(LEXICON, "broken").intersection(begins):
        text = rest.strip()
        reason = status
    return bool(text) and not call.is_error, text, reason


def read_receipt(text: str) -> tuple[str, str]:
    """The name of a result that is kept under one, else its text; and the text that can be seen."""
    receipt = _RECEIPT.match(text)
    if not receipt:
        return text, text
    return Name(receipt["name"]), text[receipt.end() :].strip()


def takes_names(tool: dict[str, Any]) -> bool:
    """True if each of a tool's artifacts is a list of names of results."""
    schema = tool.get("input_schema") or {}
    artifacts = resolve(fields_of(tool).get("artifacts", {}), schema)
    values = artifacts.get("additionalProperties")
    return isinstance(values, dict) and resolve(values, schema).get("type") == "array"


def read_verdict(text: str) -> tuple[bool, str]:
    """Reads a reviewer's verdict: True if it is content, and its issues as bullets (copied, not
    reworded).
    """
    data = json_of(text)
    if isinstance(data, dict):
        return _read_record(data, text)
    first = _VERDICT.match(text)
    word = first[1].upper() if first else ""
    is_cut = text.startswith("{")
    if word in words_in("dials/verdict", "yes") and not is_cut:
        return True, ""
    if first and word in words_in("dials/verdict", "no"):
        text = text[first.end() :]
    return False, text


def _read_record(record: dict[str, Any], text: str) -> tuple[bool, str]:
    """The same of a verdict in JSON: a flag or a word, lists of issues, remarks."""
    flags: list[bool] = []
    issues: list[str] = []
    remarks: list[str] = []
    for value in record.values():
        if isinstance(value, list):
            issues += map(str, value)
        elif isinstance(value, bool):
            flags.append(value)
        elif isinstance(value, str) and len(value.split()) == 1:
            flags.append(_approves(value))
        elif isinstance(value, str) and value:
            remarks.append(value)
    good = flags[0] if flags else not issues
    if good:
        return True, ""
    listed = [f"- {remark}" for remark in issues or remarks or [text]]
    return False, "\n".join(listed)


def _approves(word: str) -> bool:
    return word.upper() in words_in("dials/verdict", "yes")


def payload(
    tool: dict[str, Any], intent: str, artifacts: dict[str, list[str]], context: str
) -> dict[str, Any]:
    """The arguments of a handoff for a tool's parameters; what finds no place goes into the intent."""
    fields = fields_of(tool)
    structured: dict[str, Any] = {}
    holder = "artifacts"
    texts = {name: "\n".join(parts) for name, parts in artifacts.items()}
    if takes_names(tool):
        structured["artifacts"], texts = _by_name(artifacts)
        holder = "texts"
    structured[holder] = texts
    placed = set(fields)
    if holder in fields:
        placed.update(texts)
    if context:
        texts = {**texts, "context": context}
    for name, text in texts.items():
        if name not in placed:
            intent += f"\n\n<{name}>\n{text}\n</{name}>"
    known: dict[str, Any] = {
        **texts,
        **structured,
        "from_agent": "supervisor",
        "to_agent": _HANDS_OVER.sub("", tool["name"]),
        "return_to": "supervisor",
    }
    made = {name: value for name, value in known.items() if name in fields}
    names = _texts_in(fields)
    orders = [name for name in names if name.lower() in words_in(LEXICON, "intent")]
    names = orders or names
    if names:
        made.setdefault(names[0], intent)
    schema = tool.get("input_schema") or {}
    given: dict[str, Any] = value_for(schema, "", made)
    return given


def _by_name(artifacts: dict[str, list[str]]) -> tuple[dict[str, list[str]], dict[str, str]]:
    """(the names in each artifact, the texts that no name stands for)."""
    named: dict[str, list[str]] = {}
    texts: dict[str, str] = {}
    for key, parts in artifacts.items():
        names = [part for part in parts if isinstance(part, Name)]
        rest = [part for part in parts if not isinstance(part, Name)]
        if names:
            named[key] = list(map(str, names))
        if rest:
            texts[f"more_{key}" if names else key] = "\n".join(rest)
    return named, texts


def _texts_in(fields: dict[str, Any]) -> list[str]:
    """The parameters that take text."""
    names = []
    for name, schema in fields.items():
        if resolve(schema, {}).get("type") == "string":
            names.append(name)
    return names


def _others(tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The further specialists: those that do none of the usual kinds of work."""
    return [tool for tool in tools if kind_of(tool) == "other"]


def read(view: View) -> str:
    """Returns the task's topic and its clauses for further specialists."""
    task = view.task
    others = _others(view.tools)
    plain = without_others(task, others)
    used = [topic(plain), *subjects(plain)]
    team = team_for(view, task, view.tools)
    if any(kind_of(tool) == "write" for tool in team):
        used.append(plain)  # the writer reads it, word for word
    for tool in _others(team_for(view, task, others)):
        used.append(clause_for(tool, task))
    if view.draft and view.draft in task:
        used.append(view.draft)
        orders = sentences(task.partition(view.draft)[0])
        used += [order for order in orders if _speaks_of(order, "checks")]
    return " ".join(used)


def about(view: View) -> str:
    """The topic of the task, or the subjects of a comparison."""
    return named(view.task)


def reply(view: View) -> Answer:
    """The next handoff (several at once for a comparison), or the end of the work."""
    task = view.task or view.first
    if not re.search(r"\w", task):
        text = "There is no task in this message: say what the team should do."
        return Answer.refuse(text, "Nothing was asked.")
    finished = finished_with(view)
    if finished:
        return Answer.say(finished, "The work is finished: nothing is left to call.")
    desk = _Desk.of(view, task)
    if view.must_answer:
        return _end(desk, "Time is up: give what there is.")
    limit = view.limit("handoffs") or MOST_HANDOFFS
    if len(view.calls) >= limit:
        return _end(desk, "No more handoffs are allowed: give what there is.")
    steps = _next_steps(desk)
    if not steps:
        answer = _end(desk, "Everything that was asked for is there: finish.")
        return replace(answer, account=Account(not_understood=tuple(desk.unseen())))
    names = dict.fromkeys(name for name, _ in steps)
    return Answer.call(steps, f"Next is {' and '.join(names)}.")


def _team(view: View, task: str) -> list[dict[str, Any]]:
    """The specialists that the task asks for; where nobody searches or writes, the first one gets it."""
    tools = [tool for tool in view.tools if kind_of(tool) != "finalize"]
    team = team_for(view, task, tools)
    kinds = set(map(kind_of, view.request["tools"]))
    if team or not kinds.isdisjoint(("research", "write")):
        return team
    return tools[:1]


def _next_steps(desk: _Desk) -> list[Step]:
    """The handoffs of the first turn that has some left to make; never the same one twice."""
    made = [(call.name, call.input) for call in desk.view.calls]
    for _, turn in groupby(desk.team, key=stage):
        steps = [step for tool in turn for step in desk.due(tool)]
        steps = [step for step in steps if step not in made]
        if steps:
            return steps[:1] if desk.view.wish("one_by_one") else steps
    return []


@dataclass
class _Desk:
    """The work so far, and the work that can be handed over, with its worker."""

    view: View
    plain: str
    """The task without what further specialists are asked."""
    topics: tuple[str, ...]
    team: list[dict[str, Any]]
    draft: str
    """The newest."""
    facts: list[str] = field(default_factory=list)
    drafts: int = 0
    verdicts: dict[str, tuple[bool, str]] = field(default_factory=dict)
    """Of the newest draft, by the reviewer's tool."""
    judged: list[tuple[int, int, str]] = field(default_factory=list)
    """Drafts that a reviewer saw: how many issues, how new, the text."""
    extras: dict[str, str] = field(default_factory=dict)
    """The results of further specialists, by their tool."""
    failed: dict[str, list[str]] = field(default_factory=dict)
    """Reasons, by tool and subject."""
    found: set[str] = field(default_factory=set)
    """Subjects that a researcher has answered."""

    @classmethod
    def of(cls, view: View, task: str) -> _Desk:
        """The desk with the work that was handed in, and with what each call brought."""
        plain = without_others(task, _others(view.tools))
        topics = subjects(plain) or (topic(plain) or plain,)
        team = _team(view, task)
        tools = {tool.get("name"): tool for tool in view.request["tools"]}
        by_name = any(map(takes_names, tools.values()))
        handed = [view.draft, view.parts.get("facts", "")]
        draft, facts = [read_receipt(text)[0] if by_name else text for text in handed]
        desk = cls(view, plain, topics, team, draft, [facts] if facts else [])
        for call in view.calls:
            tool = tools.get(call.name)
            kind = kind_of(tool) if tool else "other"
            desk.add(call, kind, by_name=tool is not None and takes_names(tool))
        return desk

    def add(self, call: Call, kind: str, *, by_name: bool) -> None:
        """Takes in one call and its outcome."""
        good, text, reason = outcome(call)
        work, text = read_receipt(text) if by_name else (text, text)
        subject = self._subject_of(call)
        if not good:
            name = f"{call.name} ({subject})" if kind == "research" else call.name
            self.failed.setdefault(name, []).append(reason)
        elif kind == "research":
            self.facts.append(work)
            self.found.add(subject)
        elif kind == "write":
            self.draft = work
            self.drafts += 1
            self.verdicts = {}
        elif kind == "review":
            good, issues = read_verdict(text)
            count = len(issues.splitlines())
            if isinstance(work, Name):
                issues = work
            self.verdicts[call.name] = (good, issues)
            self.judged.append((count, -self.drafts, self.draft))
        else:
            self.extras[call.name] = work

    def _subject_of(self, call: Call) -> str:
        """The subject that a call names."""
        order = json.dumps(call.input, ensure_ascii=False)
        for subject in self.topics:
            spelled = json.dumps(subject, ensure_ascii=False)
            if spelled.strip('"') in order:
                return subject
        return self.topics[0]

    @property
    def complaints(self) -> list[str]:
        """The reviewers' issues with the newest draft."""
        return [issues for good, issues in self.verdicts.values() if issues and not good]

    @property
    def feedback(self) -> list[str]:
        """The feedback on the newest draft: by the rule of acceptance where there is one, else by
        the reviewers.
        """
        if not self.rules or isinstance(self.draft, Name):
            return self.complaints
        unmet = [line for rule in self.rules for line in _ACCEPTS[rule](self.draft, self.sources)]
        return [*unmet, *self.complaints] if unmet else []

    @property
    def rules(self) -> list[str]:
        """The dials that say when a draft is accepted."""
        return [rule for rule in _ACCEPTS if self.view.wish(rule)]

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources that the facts cite, as far as their text is here."""
        texts = [text for text in self.facts if not isinstance(text, Name)]
        return citations("\n".join(texts))

    def unseen(self) -> list[str]:
        """The rules that nobody could follow, since the text that they speak of is kept under a name."""
        held = [*self.rules] if isinstance(self.draft, Name) else []
        if self.view.wish("ask_again") and any(isinstance(text, Name) for text in self.facts):
            held.append("ask_again")
        return [f"{table('dials')[rule]['says']}: {_UNSEEN}" for rule in held]

    @property
    def failures(self) -> list[str]:
        """The last reason of each handoff that failed."""
        return [f"{name}: {reasons[-1]}" for name, reasons in self.failed.items()]

    def due(self, tool: dict[str, Any]) -> list[Step]:
        """Returns the steps due for one specialist: often none, several for a researcher."""
        by_kind = {
            "research": self._research,
            "write": self._write,
            "review": self._review,
        }
        due = by_kind.get(kind_of(tool), self._other)
        return due(tool)

    def _hand(
        self, tool: dict[str, Any], intent: str, *names: str, subject: str = ""
    ) -> list[Step]:
        """One handoff, or none to a specialist that failed twice, or in a way that stays."""
        failures = self.failed.get(tool["name"] + subject, [])
        lasting = [reason for reason in failures if _speaks_of(reason, "lasting")]
        if lasting or len(failures) > 1:
            return []
        parts = {
            "facts": [] if self.view.temperament.drops_facts else self.facts,
            "draft": [self.draft],
            "feedback": self.feedback,
        }
        artifacts = {name: parts[name] for name in names if any(parts[name])}
        context = [self.view.parts.get("context", "")]
        if self.failures:
            context += ["These handoffs failed:", *self.failures]
        given = payload(tool, intent, artifacts, "\n".join(context).strip())
        return [(tool["name"], given)]

    def _research(self, tool: dict[str, Any]) -> list[Step]:
        if self.view.parts.get("facts"):
            return self._research_again(tool)
        steps = []
        for subject in self.topics:
            if subject not in self.found:
                intent = f"Find facts, with their sources, about {subject}"
                steps += self._hand(tool, intent, subject=f" ({subject})")
        return steps or self._research_again(tool)

    def _research_again(self, tool: dict[str, Any]) -> list[Step]:
        """One handoff for each source that the task names and the facts lack."""
        is_seen = not any(isinstance(text, Name) for text in self.facts)
        if self.draft or not (is_seen and self.view.wish("ask_again")):
            return []
        missing = [name for name in sources_in(self.view.task) if name not in self.sources]
        return [
            step
            for name in missing
            for step in self._hand(tool, f"Find facts, with their sources, about {name}")
        ]

    def _write(self, tool: dict[str, Any]) -> list[Step]:
        if not self.draft:
            searches = any(kind_of(other) == "research" for other in self.team)
            ready = self.facts or not searches
            if not ready:
                return []
            return self._hand(tool, self.plain, "facts")
        limit = self.view.limit("revisions")
        most = 2 if limit is None else limit
        revisions = self.drafts - 1
        if self.view.draft:
            revisions += 1
        is_closed = self.view.wish("no_revision") or revisions >= most
        if is_closed or not self.feedback or self._awaits_review():
            return []
        intent = f"Revise the draft by the feedback. {self.plain}"
        return self._hand(tool, intent, "facts", "draft", "feedback")

    def _awaits_review(self) -> bool:
        """True if a reviewer is still to see the newest draft."""
        return any(self._review(tool) for tool in self.team if kind_of(tool) == "review")

    def _review(self, tool: dict[str, Any]) -> list[Step]:
        is_reviewed = tool["name"] in self.verdicts
        is_skipped = self.view.wish("no_review") and "write" in wished_kinds(self.view)
        if is_reviewed or is_skipped or self.complaints or not self.draft:
            return []
        intent = "Review the draft"
        name = topic(self.plain)
        if name and not self.view.draft:
            intent += f" on {name}"
        if self.facts:
            intent += " against the facts"
        return self._hand(tool, intent, "facts", "draft")

    def _other(self, tool: dict[str, Any]) -> list[Step]:
        if tool["name"] in self.extras:
            return []
        task = self.view.task or self.view.first
        intent = clause_for(tool, task)
        if not self.draft:
            return self._hand(tool, intent, "facts")
        if stage(tool) == LAST_TURN:
            return self._hand(tool, intent, "draft")
        return []

    def output(self) -> list[str]:
        """The best draft and what was made of it, else the facts; of a review alone, its verdicts."""
        reviews = self.verdicts and self.view.draft and not self.drafts
        if reviews and "write" not in wished_kinds(self.view):
            if not self.complaints:
                return ["PASS"]
            by_name = all(isinstance(part, Name) for part in self.complaints)
            return self.complaints if by_name else ["REVISE", *self.complaints]
        output = [self.draft] if self.draft else self.facts
        is_accepted = self.rules and not self.feedback
        if self.verdicts and self.judged and not is_accepted:
            output = [min(self.judged)[2]]
        for tool in self.view.request["tools"]:
            made = self.extras.get(tool["name"])
            if made and (stage(tool) == LAST_TURN or not output):
                output = [made]
        return output


def sources_in(task: str) -> list[str]:
    """The sources that a task names: "use the sources qdrant-overview and qdrant-company"."""
    named_ones = [*citations(task)]
    for listed in _SOURCES.findall(task):
        named_ones += re.findall(_SOURCE_ID, listed.rstrip("."))
    return list(dict.fromkeys(name.rstrip(".") for name in named_ones))


def _uncited(draft: str, sources: tuple[str, ...]) -> list[str]:
    """A complaint for each sentence without a citation."""
    bare = [sentence for sentence in sentences(draft) if not citations(sentence)]
    return [f"- “{sentence}”: has no citation; name its source." for sentence in bare]


def _uncovered(draft: str, sources: tuple[str, ...]) -> list[str]:
    """A complaint for each source that a draft does not use."""
    unused = [name for name in sources if name not in citations(draft)]
    return [f"- the source [{name}] is not used; add a fact from it." for name in unused]


_ACCEPTS: dict[str, Callable[[str, tuple[str, ...]], list[str]]] = {
    "accept_cited": _uncited,
    "accept_covered": _uncovered,
}
"""Dial → what a draft lacks by it, from the draft and the sources of the facts."""
_UNSEEN = "kept under a name, so its text is not in front of the supervisor"


def _end(desk: _Desk, why: str) -> Answer:
    """Finish with the output, in the form of the tool that ends the work."""
    reasons = "; ".join(desk.failures)
    parts = desk.output()
    if not parts:
        reason = reasons or "no specialist for it is there"
        return Answer.refuse(f"This could not be done: {reason}.", why)
    output = "\n".join(parts)
    for tool in desk.view.tools:
        if kind_of(tool) == "finalize":
            names = _texts_in(fields_of(tool))
            known: dict[str, Any] = dict.fromkeys(names[:1], output)
            if "results" in fields_of(tool) and all(isinstance(part, Name) for part in parts):
                known = {"results": list(map(str, parts)), "text": ""}
            schema = tool.get("input_schema") or {}
            given = value_for(schema, output, known)
            return Answer.call([(tool["name"], given)], why)
    return Answer.say(output, why)
