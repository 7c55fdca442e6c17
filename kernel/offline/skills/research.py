"""Research: search while it pays, then report the sentences that are about the topic, each with its source."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from ..answer import Answer
from ..asks import core, limit, mentions, question, said_of_nothing, subjects, topic, wants
from ..claims import answers, cited
from ..form import filled
from ..layout import citation_form, listing, picked, picks, shape
from ..schema import has_field
from ..sources import Doc, documents
from ..view import View
from ..words import STOP, Fact, any_of, content_words, is_instruction, sentence_of, sentences, stem, vocabulary, words
from .write import compose, writes

LONGEST = 200  # words: what runs on for longer is no sentence
MOST_FACTS = 12  # reported when the prompt sets no number
ENOUGH = 3  # facts on a subject after which another search is not worth its cost
_QUERY = re.compile(r"^(?:search_?)?(?:query|queries|q|search|terms?|key_?words?|topics?|question)(?:_?text)?$", re.I)
_MAYBE = re.compile(r"text|title|phrase|subject|name|input|prompt|about|what|entity|page|article|concept", re.I)
_FINDS = re.compile(r"\b(?:search|look(?:s|ing)?\sup|lookup|find|retriev|fetch|quer(?:y|ies)|consult|browse|encyclop|wiki"
                    r"|librar|corpus|knowledge|archive|documents?|sources?)", re.I)
_KEY = re.compile(r"(?:^|_)(?:id|key|slug|path|file|uri|url)$", re.I)  # what names one document
_DOES = re.compile(r"\b(?:count|calculat|comput|translat|send|sav(?:e|ing)|stor(?:e|ing)|writ|delet|convert|hand|delegat"
                   r"|finali|draft|review)",
                   re.I)
_PAST = re.compile(r"\b(?:histor|origin|evolution|timeline|chronology|beginning|rise|story)", re.I)
_DEFINES = re.compile(r"^(?:(?:the|an?)\s+)?(.{2,60}?)\s+(?:is|are|was|were)\s+(?:an?|the|one)\b", re.I)
_ASPECT = any_of(  # what may be asked of anything, so that no document need name it
    "performance pros cons advantages? disadvantages? benefits? drawbacks? dangers? risks? strengths? weaknesses pitfalls? "
    "problems? issues? limitations? features? basics? details? importance purpose impact future state status role")
_ANGLES = ("origin", "dates", "numbers", "people", "design", "limits", "alternatives", "criticism", "examples")
_PLAINEST = {"integer": 5, "number": 5, "boolean": False, "array": [], "object": {}}
Found = list[tuple[Doc, list[str]]]  # the documents that matter, each with its usable sentences


def query_field(tool: dict) -> str | None:
    """The parameter of a search-like tool that takes the query, or None when the tool does not search."""
    properties = (tool.get("input_schema") or {}).get("properties") or {}
    said = f"{tool.get('name', '').replace('_', ' ')}. {tool.get('description', '')}"
    texts = [name for name, schema in properties.items() if isinstance(schema, dict) and (
        _of_strings(schema) or "anyOf" in schema or (schema.get("type") == "string" and not schema.get("enum")))]
    if {"intent", "artifacts", "instructions"} & set(properties) or not texts:
        return None
    finds, does = _FINDS.search(said), _DOES.search(said)
    if sure := next(filter(_QUERY.match, texts), None):
        return sure if finds or not does else None
    likely = next(filter(_MAYBE.search, texts), texts[0])
    return likely if finds and not does and not _KEY.search(likely) else None


def _to_open(view: View, about: tuple[str, ...]) -> list[dict]:
    """The calls that read what a search brought only the titles of, where a tool takes a document's id."""
    keys = [(tool, [*((tool.get("input_schema") or {}).get("properties") or {})]) for tool in view.tools]
    openers = [(tool["name"], fields[0]) for tool, fields in keys if len(fields) == 1 and _KEY.search(fields[0])]
    calls = []
    for name, field in openers[:1]:
        opened = {call.input.get(field) for call in view.calls if call.name == name}
        read = (doc for call in view.calls if call.name != name and not call.is_error for doc in documents(call.result or ""))
        bare = {doc.id for doc in read if doc.text == doc.title and any(concerns(doc, subject) for subject in about)}
        calls += [{"type": "tool_use", "name": name, "input": {field: id}} for id in sorted(bare - opened)]
    return calls


def _of_strings(schema: dict) -> bool:
    return schema.get("type") == "array" and (schema.get("items") or {}).get("type") == "string"


def fits(view: View) -> bool:
    """A search-like tool is offered, or was used and is gone."""
    offered = view.request.get("tools") or []
    return any(map(query_field, offered)) or bool(view.calls and not offered and _asked(view))


def research(view: View) -> Answer:
    """Ask the next search, or report what was found."""
    tools, asked, (about, found) = [tool for tool in view.tools if query_field(tool)], _asked(view), _so_far(view)
    if not about and not asked:
        text = "What shall I research? The task names no topic."
        return Answer(({"type": "text", "text": text},), "No topic to search for.")
    if titles := [] if view.must_answer else _to_open(view, about):
        return Answer(tuple(titles), "Only titles came back: open them.")
    if tools and not view.must_answer:
        left = (limit(view.instructions, "searches") or 1_000) - len(asked)
        pairs = [(tool, query) for query in _next(view, about, asked, found) for tool in _fitting(view, tools)]
        pairs = pairs[: max(0, left)]
        uses = [{"type": "tool_use", "name": tool["name"], "input": _arguments(tool, query)} for tool, query in pairs]
        if uses:
            return Answer(tuple(uses), "Not enough yet: one more search." if asked else "No facts yet: search first.")
    return _report(view, about, found)


def _so_far(view: View) -> tuple[tuple[str, ...], Found]:
    """The task's subjects and what was found on them; where a search brought nothing, the subjects are what stands behind
    their last "on" and before "for", without what may be asked of anything ("the pros and cons of X")."""
    about = subjects(_task(view))
    found = gather(view, about)
    if found or not view.calls:
        return about, found
    narrow = tuple(re.sub(rf"^.*\b(?:on|about|into)\s+|\s+for\s.*$|^(?:the )?{_ASPECT}(?: (?:and|or|,) {_ASPECT})* (?:of|in|with) "
                          rf"|['’]s {_ASPECT}$| {_ASPECT}$", "", one, flags=re.I) for one in about)
    return narrow, gather(view, narrow)


def _task(view: View) -> str:
    return view.task if topic(view.task) else f"{view.task}\n{view.parts.get('context', '')}".strip() or view.first


def _asked(view: View) -> list[str]:
    """The queries that were already asked."""
    fields = {tool.get("name"): query_field(tool) for tool in view.request.get("tools") or []}
    values = (c.input.get(fields.get(c.name) or next(filter(_QUERY.match, c.input), "")) for c in view.calls)
    return [value if isinstance(value, str) else " ".join(map(str, value)) for value in values if value]


def _fitting(view: View, tools: list[dict]) -> list[dict]:
    """The tools to ask: those that the prompt names, else the one that fits best, else all that fit alike."""
    if named := [tool for tool in tools if re.search(rf"[`\"“]{tool['name']}\b|\b{tool['name']} tool\b", view.instructions)]:
        return named
    asked = {stem(word) for word in words(view.instructions) if word not in STOP}
    scores = [len(asked & vocabulary(f"{tool['name'].replace('_', ' ')} {tool.get('description', '')}")) for tool in tools]
    return [tool for tool, score in zip(tools, scores, strict=True) if score == max(scores)]


def _arguments(tool: dict, query: str) -> dict:
    """The query in its field; other required fields by their default, first choice or the plainest valid value."""
    properties, field = tool["input_schema"]["properties"], query_field(tool)
    given = {field: [query] if _of_strings(properties[field]) else query}
    for name in tool["input_schema"].get("required") or []:
        schema = properties.get(name) or {}
        value = schema.get("default", (schema.get("enum") or [_PLAINEST.get(schema.get("type"), query)])[0])
        if schema.get("type") in ("integer", "number"):
            value = min(max(value, schema.get("minimum", value)), schema.get("maximum", value))
        given.setdefault(name, value)
    return given


def _next(view: View, about: tuple[str, ...], asked: list[str], found: Found) -> list[str]:
    """The queries of this turn: first one a subject; then another wording for what came back thin; then, when the
    prompt wants it all and sets no limit, whatever was read about and not yet asked."""
    plain = [re.sub(r"^(?:the|an?)\s+", "", subject) for subject in about]
    wanted, cap = limit(view.instructions, "facts"), limit(view.instructions, "searches")
    if not asked:
        if len(plain) == 1 and _PAST.search(plain[0]) and core(plain[0]):  # beginnings are told in other words
            plain.append(f"{' '.join(core(plain[0]))} announced introduced first released")
        return [*plain[: cap - 1], ", ".join(plain[cap - 1 :])] if cap and len(plain) > cap else plain
    if view.temperament.never_done or (wants(view.instructions, "thorough") and (cap or not wanted)):
        return [_further(plain[len(asked) % len(plain)], asked, found)]
    enough = min(ENOUGH, wanted or ENOUGH)
    thin = [s for s in plain if sum(len(kept) for doc, kept in found if concerns(doc, s)) < enough]
    may = len(asked) < 2 * len(plain) * max(1, len({call.name for call in view.calls}))
    return [query for subject in thin for query in _rewordings(subject, asked)[:1]] if may else []


def _further(subject: str, asked: list[str], found: Found) -> str:
    """A query that was not asked yet: the subject with the commonest word of what was read, else another angle."""
    known = {stem(word) for query in asked for word in words(query)}
    read = Counter(word for _, kept in found for sentence in kept for word in words(sentence))
    told = sorted((w for w in read if len(w) > 4 and w.isalpha() and content_words(w)), key=lambda w: (-read[w], w))
    fresh = [word for word in (*told, *_ANGLES) if stem(word) not in known]
    return f"{' '.join(core(subject)) or subject} {fresh[0] if fresh else f'more {len(asked)}'}"


def _rewordings(subject: str, asked: list[str]) -> list[str]:
    """Other ways to ask for a subject: its specific words, those in singular."""
    said, tried = core(subject), {query.lower() for query in asked}
    singular = " ".join(re.sub(r"(?<=\w{3})(?<!s)s$", "", word) for word in said)
    ways = dict.fromkeys((" ".join(said), singular, f"what is {subject}"))
    return [way for way in ways if way and way.lower() not in tried]


def _heading(doc: Doc) -> str:
    return f"{doc.title} {doc.id.replace('-', ' ').replace('_', ' ')}"


def _split(subject: str) -> list[str]:
    """The pieces of "retries, timeouts and breakers" that a document may be about by themselves."""
    pieces = re.split(r",\s+(?:and\s+)?|\s+(?:and|or|&)\s+", subject)
    return [piece for piece in pieces if content_words(piece)] or [subject]


def concerns(doc: Doc, subject: str) -> float:
    """How much a document is about a subject: 0 not at all, below 1 perhaps, 2 when its title says it all."""
    whole = f"{_heading(doc)}\n{doc.text}"
    inside, on_top = max((mentions(whole, piece), mentions(_heading(doc), piece)) for piece in _split(subject))
    return inside + on_top if inside > 0.5 else 0.4 if on_top == 0.5 else 0.0


def gather(view: View, about: tuple[str, ...]) -> Found:
    """The documents of this conversation that are about the subjects, each with its usable sentences."""
    about, read = about or ("",), {}
    for call in view.calls:
        opened = next((value for key, value in call.input.items() if _KEY.search(key) and isinstance(value, str)), call.name)
        for doc in documents(call.result) if call.result and not call.is_error else ():
            read.setdefault((doc.id or opened, doc.text), replace(doc, id=doc.id or opened))
    whole = {doc.id for doc in read.values() if doc.text != doc.title}
    read = {key: doc for key, doc in read.items() if doc.text != doc.title or doc.id not in whole}  # read since: no title alone
    scores = [(max(concerns(doc, subject) for subject in about), doc) for doc in read.values()]
    sure = sum(len(sentences(doc.text)) for score, doc in scores if score >= 1)
    if not sure:  # the library knows half of the words, and not the topic
        return []
    if _PAST.search(" ".join((*about, _task(view)))):
        scores.sort(key=lambda pair: pair[1].date or "9")  # a history is told in the order of time
    else:
        scores.sort(key=lambda pair: -pair[0] - _defines(pair[1], about))  # stable: the tool's own order breaks ties
    found, said = [], set()
    for doc in (doc for score, doc in scores if score >= 1 or (score > 0 and sure < ENOUGH)):
        titled, kept = any(mentions(_heading(doc), subject) for subject in about), []
        for plain in (sentence_of(sentence).sentence for sentence in sentences(doc.text)):
            key = " ".join(words(plain))
            told = titled or max(mentions(plain, subject) for subject in about) >= 0.5
            if told and key not in said and 3 < len(words(plain)) < LONGEST and plain[-1] in ".!。" and not is_instruction(plain):
                said.add(key)
                kept.append(plain)
        found += [(doc, kept)] if kept else []
    return found


def _defines(doc: Doc, about: tuple[str, ...]) -> float:
    """More than 0 when a document opens with what a subject is ("X is a …"): such a document comes first."""
    said = _DEFINES.match((sentences(doc.text) or ("",))[0])
    named = set(content_words(said[1])) if said else set()
    pieces = [set(content_words(piece)) for subject in about for piece in _split(subject)]
    return {0: 3.0, 1: 0.15}.get(min((len(named - piece) for piece in pieces if piece <= named), default=9), 0.0)


def _choose(found: Found, about: tuple[str, ...], most: int) -> list[Fact]:
    """At most `most` facts: for each subject evenly, from its documents in turn; reported document by document."""
    queues: list[list[tuple[int, int, int]]] = [[] for _ in about]
    for d, (doc, kept) in enumerate(found):
        scores = [concerns(doc, subject) for subject in about]
        subject = scores.index(max(scores))
        queues[subject] += [(subject, d, i) for i in range(len(kept))]
    for queue in queues:
        queue.sort(key=lambda place: (place[2], place[1]))  # first every document's first sentence
    chosen: list[tuple[int, int, int]] = []
    while len(chosen) < most and any(queues):
        chosen += [queue.pop(0) for queue in queues if queue]
    return [Fact(found[d][1][i], found[d][0].id, found[d][0].title) for _, d, i in sorted(chosen[:most])]


def _report(view: View, about: tuple[str, ...], found: Found) -> Answer:
    one_line, dates = shape(view) == "line", {doc.id: doc.date for doc, _ in found}
    wanted = 1 if one_line else limit(view.instructions, "facts") or MOST_FACTS
    every = one_line or picks(view)  # the choice is not by rank alone: it needs all that was found
    facts = picked(view, _choose(found, about, 1_000 if every else wanted), dates)
    facts = ((answers(question(_task(view)), facts) or facts) if one_line else facts)[:wanted]
    missing = [subject for subject in about if not any(concerns(doc, subject) for doc, _ in found)]
    notes = [f"Nothing was found on {subject}." for subject in missing]
    if not facts and (wished := said_of_nothing(view.instructions)) and not view.schema:
        return Answer(({"type": "text", "text": wished},), "Nothing was found, and the prompt says what to answer then.")
    if not facts:
        queries = ", ".join(f'"{query}"' for query in dict.fromkeys(_asked(view))) or "none"
        notes = [f"Nothing was found about {topic(_task(view)) or 'this'} (searched for {queries})."]
    failed = [" ".join((call.result or "no reason given").split())[:160] for call in view.calls if call.is_error]
    if failed and notes:
        notes.append(f"A search failed: {failed[-1].rstrip('.')}.")
    if view.schema and has_field(view.schema, "facts"):
        urls = {doc.id: doc.url for doc, _ in found}
        record = {
            "facts": [{"fact": fact.sentence, "text": f"{fact.sentence} [{fact.source}]", "source": fact.source,
                       "title": fact.title, "url": urls[fact.source]} for fact in facts],
            "sources": list(dict.fromkeys(fact.source for fact in facts)), "title": topic(_task(view)), "count": len(facts),
            "otherwise": " ".join(notes) or "Found in the sources named.", "found": bool(facts), "missing": missing}
        return filled(view, "", record, "Report the facts in the shape asked for.")
    if writes(view):
        return compose(view, facts, "Enough facts: write the brief from them.")
    most, form = limit(view.instructions, "words") or 10_000, citation_form(view)
    if one_line and facts:
        return Answer(({"type": "text", "text": cited(facts[0], form)},), "One line is asked for: the fact that answers best.")
    lines = [f"{fact.sentence} {form.format(fact.source)}" for fact in facts]
    while len(" ".join(lines).split()) + len(lines) > most:
        lines.pop()
    why = "Enough: report the facts with their sources." if lines else "Nothing fits the topic: say so."
    return Answer(({"type": "text", "text": "\n".join([listing(lines, shape(view) == "numbered")] * bool(lines) + notes)},), why)
