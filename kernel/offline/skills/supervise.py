"""Supervise: choose the next handoff from what the conversation holds; the tools are the specialists."""

from __future__ import annotations

import dataclasses
import json
import re
from dataclasses import dataclass

from ..answer import Answer
from ..text import STOP, citations, content_words, documents, facts, limit, stem, subjects, topic, words
from ..view import Call, View
from .fill import value_for

INTENT = (
    "intent",
    "task",
    "instructions",
    "instruction",
    "request",
    "goal",
    "objective",
    "message",
    "prompt",
    "question",
    "input",
    "query",
    "assignment",
    "brief",
)
_NAMES = {  # an artifact's names, the kernel's own first
    "facts": ("facts", "evidence", "findings", "notes", "sources", "research", "material"),
    "draft": ("draft", "text", "document", "article", "content", "body", "brief"),
    "feedback": ("feedback", "issues", "comments", "review", "critique"),
}
_VERBS = {
    "research": "research search find look retrieve gather collect investigate discover fetch librarian library scout source "
                "dig locate analyst investigator",
    "write": "write draft compose author copywriter turn prose pen wordsmith scribe journalist rewrite revise",
    "review": "review check critic critique verify verifier verification approve judge assess assessor evaluate verdict audit "
              "inspect qa fact-check challenge",
}
_KINDS = {stem(verb): kind for kind, verbs in _VERBS.items() for verb in verbs.split()}
_PEOPLE = "agent specialist expert worker tool skill member colleague assistant hands hand use ask".split()
_ENDS = re.compile(
    r"^(?:finali[sz]e|finish|done|complete|submit|final_?answer|end|stop|deliver|respond|conclude|return_\w+|answer_?\w*|"
    r"give_\w*answer|task_\w+)(?:_\w+)?$",
    re.I,
)
_GENERIC = frozenset(
    map(
        stem,
        (
            "agent specialist tool handoff hand transfer delegate give take return answer task work text draft fact facts brief "
            "source sources "
            "artifact artifacts feedback result pass revise issue issues specific cited write writes given need needs user "
            "report language into "
            "desk team worker ask another first use uses help make makes new one well short long complete topic document "
            "documents article"
        ).split(),
    )
)
_TONGUES = ("german french spanish italian dutch polish portuguese japanese chinese korean arabic hindi russian turkish swedish "
            "english latin czech greek")
_KIN = {  # a wish in other words than the specialist's description
    "translat": f"translat translation {_TONGUES}",
    "illustrat": "illustrat picture image diagram figure drawing",
    "count": "count many length number",
    "fact-check": "verify double-check recheck factcheck fact-check fact-checked",
    "check": "verify double-check fact-check fact-checked",
    "log": "log investigate error fail crash outage slow lost incident",
    "code": "bug fix patch crash investigate",
    "memori": "memory remember recall earlier",
    "calculat": "calculat calculate sum total average percent",
    "simplif": "simplify simpler plain",
    "format": "format table markdown html",
}  # fmt: skip
_WRITES = re.compile(
    r"\b(?:writ\w*|draft|brief|article|report|summar\w*|compar\w*|explain|essay|post|overview|compose|prepare|memo|text|note)\b",
    re.I,
)
_CHANGES = re.compile(
    r"translat|edit|polish|rewrit|rephras|simplif|format|shorten|proofread|localis|localiz|styl|tone|illustrat", re.I
)
_BEFORE = re.compile(r"memor|recall|remember|earlier (?:runs|briefs)|past (?:runs|notes)", re.I)
_NUMERIC = re.compile(r"calculat|statistic|from (?:the )?facts|comput|numbers?\b.*\bfacts", re.I)
_BROKEN = re.compile(
    r"^\W*(?:status\W*)?(failed|refused|exhausted|cancel+ed|paused|error|timed? ?out)\b(?P<why>[^\n]*)(?P<rest>.*)", re.I | re.S
)
_HOPELESS = re.compile(r"budget|exhaust|depth|limit|refus|cancel|same handoff|already|not allowed|circuit|ring|repeat", re.I)


def kind_of(tool: dict) -> str:
    """What a tool or worker is for: research, write, review, finalize or other – by its name, then its description."""
    name, said = tool.get("name", ""), tool.get("description") or ""
    if _ENDS.match(name):
        return "finalize"
    scores = dict.fromkeys(_VERBS, 0.0)
    told = [word for word in words(said) if word not in STOP and word not in _PEOPLE]
    for word in words(name.replace("_", " ").replace("-", " ")):
        if kind := _KINDS.get(stem(word)):
            scores[kind] += 4
    for place, word in enumerate(told):
        if kind := _KINDS.get(stem(word)):
            scores[kind] += 3 if place == 0 else 0.5
    if re.search(r"(?:fact|source|claim)s?[ _-]?check", f"{name} {said}", re.I):
        scores["review"] += 4
    best = max(scores, key=lambda kind: scores[kind])
    if scores[best] >= 2:
        return best
    return (
        "finalize"
        if re.search(
            r"\b(?:ends?|finish\w*|complete) the (?:task|run|work|conversation)|final (?:answer|text|output|result)", said, re.I
        )
        else "other"
    )


def fits(view: View) -> bool:
    """Two or more of the tools take a handoff, or one does and another one ends the work."""
    tools = view.request.get("tools") or []
    handing = [tool for tool in tools if _hands_over(tool)]
    ends = [tool for tool in tools if kind_of(tool) == "finalize" and tool not in handing]
    return len(handing) + bool(ends) > 1 or any(_fields(tool).keys() & {"artifacts", "from_agent", "return_to"} for tool in handing)


def _fields(tool: dict) -> dict:
    return (tool.get("input_schema") or {}).get("properties") or {}


def _hands_over(tool: dict) -> bool:
    names, said = (
        {key.lower() for key in _fields(tool)},
        f"{tool.get('name', '')} {tool.get('description') or ''}".replace("_", " "),
    )
    if kind_of(tool) == "finalize":
        return False
    if kind_of(tool) in ("write", "review") and names & {
        "facts",
        "evidence",
        "findings",
        "draft",
        "feedback",
        "material",
        "issues",
    }:
        return True
    tasked = names & {
        "intent",
        "task",
        "instructions",
        "instruction",
        "assignment",
        "objective",
        "goal",
        "request",
        "artifacts",
        "handoff",
    }
    spoken = re.search(
        r"\bhand ?(?:s |ed )?-?(?:off|over)|\bdelegat|\btransfer|\bspecialist|\bsub-?agent|\bagent\b|\bexpert\b|\bcolleague|"
        r"\bworker\b",
        said,
        re.I,
    )
    if names & {"artifacts", "from_agent", "return_to", "handoff"} or (spoken and names & set(INTENT)):
        return True
    if tasked and (kind_of(tool) != "other" or "context" in names):
        return True
    return bool(re.match(r"(?:researcher|writer|reviewer|editor|translator|critic)$", tool.get("name", ""), re.I))


def asked(tool: dict, text: str) -> bool:
    """Whether a text asks for what a tool's name and description say that it does."""
    own = {
        stem(word)
        for word in words(f"{tool.get('name', '')} {tool.get('description') or ''}".replace("_", " "))
        if word not in STOP
    } - _GENERIC
    for key in sorted(_KIN):
        if any(word.startswith(key) for word in own):
            own |= {stem(word) for word in _KIN[key].split()}
    for clause in re.split(r"[.;,\n]|\bbut\b|\band\b", text):
        if any(stem(word) in own for word in words(clause)) and not re.search(
            r"\b(?:no|not|never|without|skip|don't)\b", clause, re.I
        ):
            return True
    return False


def core(task: str, others: list[dict]) -> str:
    """The task without the clauses that ask for a further specialist ("… and translate it into German")."""
    task = re.sub(r"^\W*(?:before|after|once|first)\b[^,.]*,\s*(?:then\s+)?", "", task, flags=re.I) or task
    pieces = re.split(r"((?:,|;)?\s+(?:and then|and|then)\s+|(?<=[.;!?])\s+|,\s+)", task)
    head = any(asked(tool, pieces[0]) for tool in others) and not _WRITES.search(pieces[0]) and len(pieces) > 1
    kept = "" if head else pieces[0]
    for joint, piece in zip(pieces[1::2], pieces[2::2], strict=True):
        if not any(asked(tool, piece) for tool in others):
            ends = kept.rstrip().endswith((".", ";", "!", "?"))
            if not kept:
                kept = piece[:1].upper() + piece[1:]
                continue
            kept += " " + piece[:1].upper() + piece[1:] if ends and joint.strip() else joint + piece
    if head and kept and not content_words(topic(kept)) and (about := re.search(r"\b(?:about|on)\s+(\S.*)$", pieces[0])):
        kept = f"{kept.rstrip(' .')} on {about[1]}"  # "recall what we know about X, then write a brief"
    return re.sub(r"\b(?:fact-?checked|reviewed|verified|peer-reviewed)\s+", "", kept or task, flags=re.I)


def on_a_desk(others: list[dict]) -> bool:
    """Whether the further specialists that are asked for do work of their own, before any text is written."""
    return any(sorts_before(tool) in (1, 2) and not _NUMERIC.search(_said(tool)) for tool in others)


def sorts_before(tool: dict) -> int:
    """When a further specialist's turn comes: 0 memory, 1 analysis, 2 work on findings, 5 what is done to a finished text."""
    said = _said(tool)
    if _BEFORE.search(said):
        return 0
    if _CHANGES.search(said) or re.search(r"\b(?:publish|send|notif|ticket|count|email|post|announc|deploy)", said, re.I):
        return 5
    return 1 if re.search(r"analy|inspect|\blogs?\b|\bquer|\breads?\b|diagnos|metric", said, re.I) else 2


def outcome(call: Call) -> tuple[bool, str, str]:
    """What came of a call: whether there is work to go on with, the work, and why it failed."""
    text = (call.result or "").strip()
    try:
        data = json.loads(text) if text[:1] == "{" else None
    except ValueError:
        data = None
    if isinstance(data, dict) and isinstance(data.get("status"), str):
        made = next((data[key] for key in ("output", "result", "text", "content") if data.get(key)), "")
        text = made if isinstance(made, str) else json.dumps(made, ensure_ascii=False)
        good = data["status"].lower() in ("ok", "done", "success", "succeeded", "completed", "complete", "exhausted")
        return good and bool(text), text, str(data.get("reason") or data.get("error") or "")
    if broken := _BROKEN.match(text):
        rest = broken["rest"].strip()
        return bool(rest) and not call.is_error, rest, broken["why"].strip(" :;–—-")
    return bool(text) and not call.is_error, text, text if call.is_error else "came back empty" if not text else ""


def read_verdict(text: str) -> tuple[bool, str]:
    """Whether a reviewer is content, and its issues as bullets (copied, not reworded)."""
    try:
        data = json.loads(re.sub(r"^```(?:json)?\s*|\s*```$", "", text.strip()))
    except ValueError:
        data = None
    if not isinstance(data, dict):
        said = re.search(r"\b(PASS(?:ED)?|APPROVED?|ACCEPT(?:ED)?|REVISE|REJECT(?:ED)?|FAIL(?:ED)?|CHANGES "
                         r"REQUESTED)\b", text) or re.search(
            r"\b(no (?:problems|issues)|looks good|approved?|revise|reject)\b", text, re.I)  # fmt: skip
        good = bool(said and re.match(r"pass|approve|accept|no |looks", said[1], re.I))
        return good, "" if good else re.sub(r"^\W*(?:verdict\W*)?(?:REVISE|REJECT(?:ED)?|FAIL(?:ED)?)\W*\s", "", text.strip())
    listed = [value for value in data.values() if isinstance(value, list)]
    issues = [
        item if isinstance(item, str) else ": ".join(str(v) for v in item.values()) if isinstance(item, dict) else str(item)
        for item in (entry for value in listed for entry in value)
    ]
    remarks = [
        value
        for key, value in data.items()
        if isinstance(value, str) and re.search(r"comment|feedback|reason|note|remark|issue|critique", key, re.I)
    ]
    flags = [value for key, value in data.items() if isinstance(value, bool)]
    words_ = [value for value in data.values() if isinstance(value, str) and len(value.split()) <= 2]
    decided = next((bool(re.match(r"pass|accept|approv|ok|good|yes", word, re.I)) for word in words_ if re.match(
        r"pass|accept|approv|ok|good|yes|revis|reject|fail|no|needs|changes", word, re.I)), None)  # fmt: skip
    good = flags[0] if flags else decided if decided is not None else not issues
    return good, "" if good else "\n".join(f"- {issue}" for issue in issues or remarks) or text


def payload(tool: dict, intent: str, artifacts: dict[str, str], context: str = "") -> dict:
    """The arguments of a handoff for whatever parameters the tool has; what finds no place goes into the intent."""
    schema, left = tool.get("input_schema") or {}, {name: text for name, text in artifacts.items() if text}
    fields, made = _fields(tool), {}
    main = next((key for want in INTENT for key in fields if key.lower() == want), None)
    payloads = {name for names in _NAMES.values() for name in names}
    main = main or next(
        (key for key, field in fields.items() if field.get("type") == "string" and key.lower() not in payloads), None
    )
    for key, field in fields.items():
        low, kind = key.lower(), field.get("type") or ("object" if "$ref" in field or "additionalProperties" in field else "")
        mine = next((name for name, names in _NAMES.items() if low in names and key != main), None)
        if low in ("artifacts", "payload", "inputs", "attachments", "materials", "data") and kind in ("object", "array", ""):
            known = {**{n: next((k for k in field.get("properties", {}) if k in _NAMES.get(n, (n,))), None) for n in left}}
            named = (
                {(known[n] or n): text for n, text in left.items()}
                if not field.get("properties")
                else {known[n]: t for n, t in left.items() if known[n]}
            )
            if kind == "array":
                pair = [*((field.get("items") or {}).get("properties") or {"name": {}, "text": {}})][:2]
                made[key] = [dict(zip(pair, item, strict=False)) for item in named.items()]
            elif named or key in schema.get("required", []):
                made[key] = named
            left = {n: text for n, text in left.items() if known[n] not in named and n not in named}
        elif low in ("from_agent", "sender", "return_to", "from"):
            made[key] = "supervisor"
        elif low in ("to_agent", "to", "recipient", "agent"):
            made[key] = re.sub(r"^(?:hand_?off_to_|transfer_to_|ask_(?:the_)?|delegate_to_|call_)", "", tool["name"])
        elif mine and kind in ("string", ""):
            if mine in left or key in schema.get("required", []):
                made[key] = left.pop(mine, "")
        elif low in ("context", "background") and kind in ("string", ""):
            if context or key in schema.get("required", []):
                made[key] = context
            context = ""
        elif key != main and key in schema.get("required", []):
            made[key] = value_for(field | {"$defs": schema.get("$defs", {})}, intent, task=intent, known={})
    rest = ({"context": context} if context else {}) | left
    if main:
        made[main] = "\n\n".join([intent, *(f"<{name}>\n{text}\n</{name}>" for name, text in rest.items())])
    return made


@dataclass
class _Work:
    """What the conversation has brought so far."""

    facts: list[str]
    draft: str
    drafts: int
    verdicts: dict[str, tuple[bool, str]]  # of the newest draft, by reviewer
    extras: dict[str, str]  # what further specialists made of it
    notes: list[str]  # what further specialists gave before the writing
    failed: dict[str, list[str]]  # reasons, by tool (research: by tool and subject)
    found: set[str]  # subjects that a researcher has answered
    judged: list[tuple[int, int, str]] = dataclasses.field(default_factory=list)  # reviewed drafts: open issues, age, text


def _so_far(view: View, kinds: dict[str, str], topics: tuple[str, ...]) -> _Work:
    given, notes = _given_draft(view), view.parts.get("feedback", "")
    work = _Work([view.parts["facts"]] if view.parts.get("facts") else [], given, 0, {}, {}, [], {}, set())
    work.verdicts |= {"given": (False, notes)} if given and notes else {}
    for call in view.calls:
        good, text, why = outcome(call)
        kind, said = kinds.get(call.name, ""), json.dumps(call.input, ensure_ascii=False)
        mine = next((one for one in topics if json.dumps(one, ensure_ascii=False)[1:-1] in said), topics[0] if topics else "")
        if not good:
            work.failed.setdefault(call.name + (f" ({mine})" if kind == "research" else ""), []).append(why or "no reason given")
        elif kind == "research":
            work.facts.append(text)
            work.found.add(mine)
        elif kind == "write":
            work.draft, work.verdicts, work.drafts = text, {}, work.drafts + 1
        elif kind == "review":
            work.verdicts[call.name] = read_verdict(text)
            work.judged.append((len(work.verdicts[call.name][1].splitlines()), -work.drafts, work.draft))
        elif kind == "other":
            work.extras[call.name] = text
            work.notes += [] if work.draft else [text]
    return work


def _given_draft(view: View) -> str:
    if view.parts.get("draft"):
        return view.parts["draft"]
    quoted = re.search(r"[:\n]\s*[\"“](.{20,}?)[\"”]\s*$", view.task, re.S)
    return (
        quoted[1]
        if quoted
        and re.match(
            r"\W*(?:please )?(?:review|check|translate|proofread|polish|edit|revise|improve|rewrite|count)\b", view.task, re.I
        )
        else ""
    )


def supervise(view: View) -> Answer:
    """The next handoff (several at once for a comparison), or the end of the work."""
    kinds = {tool["name"]: kind_of(tool) for tool in view.request.get("tools") or []}
    kinds = {
        name: "other" if kind == "finalize" and any(t["name"] == name and _hands_over(t) for t in view.tools) else kind
        for name, kind in kinds.items()
    }
    by = {
        kind: [tool for tool in view.tools if kinds[tool["name"]] == kind]
        for kind in ("research", "write", "review", "other", "finalize")
    }
    task = view.task or view.parts.get("context", "") or view.first
    plain = core(task, [*by["other"], *by["review"][1:]])
    about = topic(plain) if content_words(topic(plain)) else ""
    topics = subjects(plain) or (about or plain,)
    work = _so_far(view, kinds, topics)
    lost = "\n".join(f"{name}: {reasons[-1]}" for name, reasons in work.failed.items())
    context = "\n".join(filter(None, [view.parts.get("context", ""), lost and f"These handoffs failed:\n{lost}"]))
    given = _given_draft(view)
    if not re.search(r"\w", task):
        return Answer(
            ({"type": "text", "text": "There is no task in this message: say what the team shall do."},), "Nothing was asked."
        )
    if view.must_answer:
        return _end(view, by, work, "Time is up: give what there is.")

    def keep(names: str) -> dict[str, str]:
        names = f"{names} notes" if names and "draft" not in names else names
        have = {
            "notes": "\n".join(work.notes),
            "facts": "\n".join(work.facts),
            "draft": work.draft,
            "feedback": "\n".join(note for good, note in work.verdicts.values() if not good),
        }
        return {name: have[name] for name in names.split() if have[name] and not (name == "facts" and view.temperament.drops_facts)}

    def may(tool: dict, subject: str = "") -> bool:
        reasons = work.failed.get(tool["name"] + subject, [])
        return len(reasons) < 2 and not any(_HOPELESS.search(reason) for reason in reasons)

    def hand(tool: dict, intent: str, names: str, why: str, subject: str = "") -> tuple[dict, str]:
        again = "Once more, since the first attempt failed: " if work.failed.get(tool["name"] + subject) else ""
        given = payload(tool, again + (intent[0].lower() + intent[1:] if again else intent), keep(names), context)
        return {"type": "tool_use", "name": tool["name"], "input": given}, why

    def next_steps() -> list[tuple[dict, str]]:
        wish = wishes(view, bool(work.draft))
        extra = [t for t in by["other"] if t["name"] not in work.extras and may(t) and (asked(t, task) or _always(t, view.system))]
        extra = extra if work.draft or wish != {"extra"} else []
        if early := [t for t in extra if _BEFORE.search(_said(t)) and not work.facts and not work.draft]:
            return [
                hand(t, f"Recall what is known about {about or task}", "", "Ask what is remembered before searching.")
                for t in early
            ]
        if "research" in wish and not view.parts.get("facts"):
            chosen = [t for t in by["research"] if len(by["research"]) > 1 and asked(t, task)] or by["research"][:1]
            desk = on_a_desk(extra)  # other work than briefs: each gets its own clause of the task
            why = "No facts yet: research first." if len(topics) < 2 else "One researcher per subject: they can work at once."
            steps = []
            for one in topics:
                asks = f"Find facts, with their sources, about {one}"
                for t in chosen:
                    if one not in work.found and may(t, f" ({one})"):
                        said = clause_for(t, task) if desk else one if _terse(t) else asks
                        steps.append(hand(t, said, "notes", why, f" ({one})"))
            if steps:
                return steps
        if early := [t for t in extra if not work.draft and (_NUMERIC.search(_said(t)) or sorts_before(t) in (1, 2))]:
            first = [t for t in early if sorts_before(t) == min(map(sorts_before, early))]
            return [hand(t, clause_for(t, task), "facts", "The task asks for this before the writing.") for t in first]
        writers, feedback = by["write"][:1], keep("feedback").get("feedback", "")
        if "write" in wish and not work.draft and (work.facts or not by["research"] or "research" not in wish):
            for tool in (t for t in writers if may(t)):
                return [hand(tool, about if about and _terse(tool) else plain, "facts", "There are facts and no draft: write.")]
        if work.draft and not feedback and "review" in wish:
            due = [by["review"][0], *(t for t in by["review"][1:] if asked(t, task))] if by["review"] else []
            check = f"Review the draft{f' on {about}' if about and not given else ''}{' against the facts' if work.facts else ''}"
            if due := [t for t in due if t["name"] not in work.verdicts and may(t)]:
                return [hand(t, check, "facts draft", "The draft is not reviewed yet.") for t in due]
        rounds = limit(view.instructions, "revisions")
        rounds = 2 if rounds is None else rounds
        revised = work.drafts - (not given)
        if feedback and "write" in wish and revised < rounds and writers and may(writers[0]):
            return [
                hand(
                    writers[0],
                    f"Revise the draft by the feedback. {plain}",
                    "facts draft feedback",
                    "The reviewer asks for a revision.",
                )
            ]
        if not by["research"] and not by["write"] and not work.extras:
            extra = extra or [t for t in by["other"] if may(t)]  # whoever there is gets the task
        return [
            hand(
                t,
                clause_for(t, task),
                "draft" if sorts_before(t) == 5 and work.draft else "facts draft",
                "The task asks for this specialist.",
            )
            for t in extra[:1]
            if work.draft or work.facts or not by["write"]
        ]

    steps = next_steps()
    made = []
    for step, _ in steps:  # never the same handoff twice
        if step not in made and not any(call.name == step["name"] and call.input == step["input"] for call in view.calls):
            made.append(step)
    return Answer(tuple(made), steps[0][1]) if made else _end(view, by, work, "Everything that was asked for is there: finish.")


def _said(tool: dict) -> str:
    return f"{tool.get('name', '')} {tool.get('description') or ''}"


def clause_for(tool: dict, task: str) -> str:
    """The clause of the task that asks for this specialist, as a task of its own."""
    clauses = [clause.strip() for clause in re.split(r"(?<=[.;!?])\s+|,\s+|\b(?:and then|and|then)\b", task)]
    clause = next((clause for clause in clauses if asked(tool, clause)), "") or task
    return clause[0].upper() + clause[1:]


def _terse(tool: dict) -> bool:
    """Whether a tool wants a topic and not a sentence."""
    fields = {key.lower() for key in _fields(tool)}
    return not fields & {"intent", "task", "instructions", "assignment"} and bool(
        fields & {"topic", "query", "q", "subject", "keywords", "search", "term"}
    )


def _always(tool: dict, system: str) -> bool:
    """Whether the system prompt wants a specialist in every run."""
    return any(
        asked(tool, clause)
        for clause in re.split(r"[.;\n]", system)
        if re.search(r"\b(?:always|must|every|each|in any case|before you finali[sz]e)\b", clause, re.I)
    )


def wishes(view: View, has_draft: bool) -> set[str]:
    """Which of the usual steps the task asks for: all of them, unless it asks for less."""
    task = view.task.lower()
    writes = _WRITES.search(task)
    finds = re.match(
        r"\W*(?:(?:please|just|only|simply|can you|could you|i need you to|now)\W+)*(?:find|research|search|look|collect|gather|"
        r"get|list|dig)\b",
        task,
    )
    only = re.search(
        r"\b(?:just|only|nothing but)\b[^.]*\b(?:facts?|research|sources?|findings)\b|\bno (?:brief|draft|text|prose|writing)\b",
        task,
    )
    if has_draft and _given_draft(view):
        changes = re.search(r"\b(?:revis|rewrit|improv|fix|mend|shorten|correct)\w*", task)
        checks = re.search(r"\b(?:review|check|critique|proofread|verif|assess|judge)\w*", task)
        return {"write", "review"} if changes else {"review"} if checks else {"extra"}
    if only or (finds and not writes):
        return {"research"}
    unreviewed = re.search(r"\b(?:no|without|skip|not need|unneeded)\b[^.]{0,20}\breview", f"{task}\n{view.system.lower()}")
    return {"research", "write"} if unreviewed else {"research", "write", "review"}


def _end(view: View, by: dict[str, list[dict]], work: _Work, why: str) -> Answer:
    """Finish with the best there is: the draft and what was made of it, else the facts, else what went wrong."""
    output = min(work.judged)[2] if work.draft and work.verdicts and work.judged else work.draft
    reasons = "; ".join(dict.fromkeys(f"{name}: {texts[-1]}" for name, texts in work.failed.items()))
    if not output and work.facts:
        output = "\n".join(work.facts)
        output = output if facts(output) or documents(output) or not reasons else f"{output}\n\n({reasons})"
    elif not output and not work.extras:
        notes = [note for _, note in work.verdicts.values() if note]
        output = "\n".join(notes) or f"This could not be done: {reasons or 'no specialist for it is there'}."
    for tool in view.request.get("tools") or []:
        if made := work.extras.get(tool["name"]):
            used = _BEFORE.search(_said(tool)) or (_NUMERIC.search(_said(tool)) and work.draft)
            output = made if _CHANGES.search(_said(tool)) or not output else output if used else f"{output}\n\n{made}"
    if _given_draft(view) and work.verdicts and not work.drafts:
        output = "\n".join("PASS" if good else f"REVISE\n{note}" for good, note in work.verdicts.values())
    if not by["finalize"] or not view.tools:
        return Answer(({"type": "text", "text": output},), why)
    tool = by["finalize"][0]
    open_issues = "\n".join(note for good, note in work.verdicts.values() if not good)
    known: dict = {"sources": list(citations(output)), "citations": list(citations(output))}
    known |= dict.fromkeys(
        ("notes", "note", "reason", "remarks", "comment", "caveats"), f"Open issues:\n{open_issues}" if open_issues else reasons
    )
    fields = _fields(tool)
    main = next(
        (
            key
            for want in ("output", "answer", "result", "final", "text", "brief", "response", "content", "final_answer")
            for key in fields
            if key.lower() == want
        ),
        None,
    )
    main = main or next((key for key, field in fields.items() if field.get("type", "string") == "string"), None)
    known |= {main: output} if main else {}
    given = value_for(tool.get("input_schema") or {}, output, task=view.task, known=known)
    return Answer(({"type": "tool_use", "name": tool["name"], "input": given},), why)
