"""Research: search while it pays, then report the sentences that are about the topic, each with its source."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

from ..answer import Answer
from ..reader.form import filled
from ..reader.lexicon import has, table, words_in
from ..reader.schema import has_field
from ..reader.sources import Doc, documents
from ..reader.topics import core, mentions, named_in, subjects, topic
from ..reader.view import View
from ..reader.words import (
    Fact,
    content_words,
    is_instruction,
    sentence_of,
    sentences,
    stem,
    stop_words,
    vocabulary,
    words,
)
from .brief import compose

SAYS = "researcher"
ROLES = ("research", "write", "review")
WISHES = (
    "length",
    "citations",
    "no_invention",
    "thorough",
    "bullets",
    "title",
    "time_order",
    "facts_only",
    "nothing_found",
    "coverage",
)
LONGEST = 200  # words: longer runs of text are not treated as sentences
MOST_FACTS = 12  # reported when the prompt sets no number
ENOUGH = 3  # facts on a subject after which another search is not worth its cost
_DEFINES = re.compile(
    r"^(?:(?:the|an?)\s+)?(.{2,60}?)\s+(?:is|are|was|were)\s+(?:an?|the|one)\b", re.I
)
_ANGLES = ("origin", "dates", "numbers", "people", "design", "limits", "alternatives", "examples")
_PLAINEST: dict[str | None, Any] = {
    "integer": 5,
    "number": 5,
    "boolean": False,
    "array": [],
    "object": {},
}
_OWN_WORDS = re.compile(r"[\"“'`]([^\"”'`\n]+)[\"”'`]|\b([A-Z]{2,}(?:[ _][A-Z]+)*)\b")
_ARTICLE = re.compile(r"^(?:the|an?)\s+")
Found = list[tuple[Doc, list[str]]]  # the documents that matter, each with its usable sentences


def query_field(tool: dict) -> str | None:
    """The parameter of a search-like tool that takes the query, or None when the tool does not search."""
    properties = (tool.get("input_schema") or {}).get("properties") or {}
    texts = [name for name, schema in properties.items() if _takes_text(schema)]
    if {"intent", "artifacts", "instructions"} & set(properties) or not texts:
        return None
    spoken = f"{tool.get('name', '').replace('_', ' ')}. {tool.get('description', '')}"
    finds = has(spoken, "tools/search")
    does = has(spoken, "tools/search", "other_wordings")
    sure = [name for name in texts if name.lower() in words_in("tools/search", "queries")]
    if sure:
        return sure[0] if finds or not does else None
    maybe = [name for name in texts if name.lower() in words_in("tools/search", "maybe")]
    likely = (maybe or texts)[0]
    return likely if finds and not does and not _is_key(likely) else None


def _takes_text(schema: object) -> bool:
    if not isinstance(schema, dict) or schema.get("enum"):
        return False
    return schema.get("type") == "string" or "anyOf" in schema or _of_strings(schema)


def _of_strings(schema: dict) -> bool:
    return schema.get("type") == "array" and (schema.get("items") or {}).get("type") == "string"


def _is_key(field: str) -> bool:
    """Whether a parameter names one document."""
    return any(fnmatchcase(field.lower(), key) for key in table("tools/open")["keys"].split())


def fits(view: View) -> bool:
    """A search-like tool is offered, or was used and is gone."""
    offered = view.request.get("tools") or []
    return any(map(query_field, offered)) or bool(view.calls and not offered and _asked(view))


def read(view: View) -> str:
    """The topic and the subjects of the task."""
    return " ".join(named_in(_task(view)))


def reply(view: View) -> Answer:
    """Ask the next search, or report what was found."""
    tools = [tool for tool in view.tools if query_field(tool)]
    about, asked = subjects(_task(view)), _asked(view)
    found = gather(view, about)
    if not about and not asked:
        text = "What is the topic to research? The task names none."
        return Answer(({"type": "text", "text": text},), "No topic to search for.")
    if view.must_answer:
        return _report(view, about, found)
    if titles := _to_open(view, about):
        return Answer(tuple(titles), "Only titles came back: open them.")
    left = max(0, (view.limit("searches") or 1_000) - len(asked))
    queries = _next(view, about, asked, found) if tools else []
    fitting = _fitting(view, tools)
    pairs = [(tool, query) for query in queries for tool in fitting]
    uses = [
        {"type": "tool_use", "name": tool["name"], "input": _arguments(tool, query)}
        for tool, query in pairs[:left]
    ]
    if uses:
        why = "Not enough yet: one more search." if asked else "No facts yet: search first."
        return Answer(tuple(uses), why)
    return _report(view, about, found)


def _task(view: View) -> str:
    return view.task if topic(view.task) else view.parts.get("context", "") or view.first


def _asked(view: View) -> list[str]:
    """The queries that were already asked."""
    fields = {tool.get("name"): query_field(tool) for tool in view.request.get("tools") or []}
    queries = words_in("tools/search", "queries")
    values = []
    for call in view.calls:
        usual = next((name for name in call.input if name.lower() in queries), "")
        value = call.input.get(fields.get(call.name) or usual)
        values += [value if isinstance(value, str) else " ".join(map(str, value))] if value else []
    return values


def _to_open(view: View, about: tuple[str, ...]) -> list[dict]:
    """The calls that read what a search brought only the titles of, where a tool takes a document's id."""
    openers = []
    for tool in view.tools:
        fields = [*((tool.get("input_schema") or {}).get("properties") or {})]
        openers += [(tool["name"], fields[0])] if len(fields) == 1 and _is_key(fields[0]) else []
    calls = []
    for name, field in openers[:1]:
        opened = {call.input.get(field) for call in view.calls if call.name == name}
        listed = [call.result for call in view.calls if call.name != name and not call.is_error]
        titles = [doc for text in listed for doc in documents(text or "") if doc.text == doc.title]
        bare = {doc.id for doc in titles if any(concerns(doc, subject) for subject in about)}
        calls += [
            {"type": "tool_use", "name": name, "input": {field: key}}
            for key in sorted(bare - opened)
        ]
    return calls


def _fitting(view: View, tools: list[dict]) -> list[dict]:
    """The tools to ask: the one that fits the prompt's words best, or all that fit alike."""
    asked = {stem(word) for word in words(view.instructions) if word not in stop_words()}
    spoken = [f"{tool['name'].replace('_', ' ')} {tool.get('description', '')}" for tool in tools]
    scores = [len(asked & vocabulary(text)) for text in spoken]
    return [tool for tool, score in zip(tools, scores, strict=True) if score == max(scores)]


def _arguments(tool: dict, query: str) -> dict:
    """The query in its field; other required fields by their default, first choice or plainest value."""
    properties, field = tool["input_schema"]["properties"], query_field(tool)
    given = {field: [query] if _of_strings(properties[field]) else query}
    for name in tool["input_schema"].get("required") or []:
        schema = properties.get(name) or {}
        plain = (schema.get("enum") or [_PLAINEST.get(schema.get("type"), query)])[0]
        value = schema.get("default", plain)
        if schema.get("type") in ("integer", "number"):
            value = min(max(value, schema.get("minimum", value)), schema.get("maximum", value))
        given.setdefault(name, value)
    return given


def _next(view: View, about: tuple[str, ...], asked: list[str], found: Found) -> list[str]:
    """The queries of this turn: first one a subject, then another wording for what came back thin.

    When the prompt wants it all and sets no limit: whatever was read about and not yet asked.
    """
    plain = [_ARTICLE.sub("", subject) for subject in about]
    wanted, cap = view.limit("facts"), view.limit("searches")
    if not asked:
        if len(plain) == 1 and _is_history(view, about) and core(plain[0]):
            plain.append(f"{' '.join(core(plain[0]))} announced introduced first released")
        return (
            [*plain[: cap - 1], ", ".join(plain[cap - 1 :])] if cap and len(plain) > cap else plain
        )
    if view.temperament.never_done or (view.wish("thorough") and (cap or not wanted)):
        return [_further(plain[len(asked) % len(plain)], asked, found)]
    enough = min(ENOUGH, wanted or ENOUGH)
    tools_used = max(1, len({call.name for call in view.calls}))
    if len(asked) >= 2 * len(plain) * tools_used:
        return []
    queries = []
    for subject in plain:
        if sum(len(kept) for doc, kept in found if concerns(doc, subject)) < enough:
            queries += _rewordings(subject, asked)[:1]
    return queries


def _is_history(view: View, about: tuple[str, ...]) -> bool:
    """Whether the task asks for a history: it is told in the order of time."""
    return has(" ".join((*about, _task(view))), "wishes/time_order")


def _further(subject: str, asked: list[str], found: Found) -> str:
    """A query that was not asked yet: the subject with the commonest word read, else another angle."""
    known = {stem(word) for query in asked for word in words(query)}
    count = Counter(word for _, kept in found for one in kept for word in words(one))
    useful = (word for word in count if len(word) > 4 and word.isalpha() and content_words(word))
    ranked = sorted(useful, key=lambda word: (-count[word], word))
    fresh = [word for word in (*ranked, *_ANGLES) if stem(word) not in known]
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
    """How much a document is about a subject: 0 not at all, below 1 perhaps, 2 when its title says it."""
    whole = f"{_heading(doc)}\n{doc.text}"
    scores = ((mentions(whole, one), mentions(_heading(doc), one)) for one in _split(subject))
    inside, on_top = max(scores)
    return inside + on_top if inside > 0.5 else 0.4 if on_top == 0.5 else 0.0


def _documents_read(view: View) -> list[Doc]:
    """The documents that the tools brought, each once; what was opened since is not a title alone."""
    read: dict[tuple[str, str], Doc] = {}
    for call in view.calls:
        if call.is_error or not call.result:
            continue
        keys = (
            value for key, value in call.input.items() if _is_key(key) and isinstance(value, str)
        )
        opened = next(keys, call.name)
        for doc in documents(call.result):
            read.setdefault((doc.id or opened, doc.text), replace(doc, id=doc.id or opened))
    whole = {doc.id for doc in read.values() if doc.text != doc.title}
    return [doc for doc in read.values() if doc.text != doc.title or doc.id not in whole]


def gather(view: View, about: tuple[str, ...]) -> Found:
    """The documents of this conversation that are about the subjects, each with its usable sentences."""
    about = about or ("",)
    docs = _documents_read(view)
    scores = [(max(concerns(doc, subject) for subject in about), doc) for doc in docs]
    sure = sum(len(sentences(doc.text)) for score, doc in scores if score >= 1)
    if not sure:  # the library knows half of the words, and not the topic
        return []
    if _is_history(view, about):
        scores.sort(key=lambda pair: pair[1].date or "9")
    else:  # stable: the tool's own order breaks ties
        scores.sort(key=lambda pair: -pair[0] - _defines(pair[1], about))
    found: Found = []
    said: set[str] = set()
    for score, doc in scores:
        if score >= 1 or (score > 0 and sure < ENOUGH):
            kept = _usable(doc, about, said)
            found += [(doc, kept)] if kept else []
    return found


def _usable(doc: Doc, about: tuple[str, ...], said: set[str]) -> list[str]:
    """The sentences of a document that speak of the subjects, not said before, and no orders."""
    titled = any(mentions(_heading(doc), subject) for subject in about)
    kept = []
    for sentence in sentences(doc.text):
        plain = sentence_of(sentence).sentence
        spoken = words(plain)
        key = " ".join(spoken)
        told = titled or max(mentions(plain, subject) for subject in about) >= 0.5
        whole = 2 < len(spoken) < LONGEST and plain[-1] in ".!。"
        if told and whole and key not in said and not is_instruction(plain):
            said.add(key)
            kept.append(plain)
    return kept


def _defines(doc: Doc, about: tuple[str, ...]) -> float:
    """More than 0 when a document opens with what a subject is ("X is a …"): it comes first."""
    said = _DEFINES.match((sentences(doc.text) or ("",))[0])
    named = set(content_words(said[1])) if said else set()
    pieces = [set(content_words(piece)) for subject in about for piece in _split(subject)]
    strange = min((len(named - piece) for piece in pieces if piece <= named), default=9)
    return {0: 3.0, 1: 0.15}.get(strange, 0.0)


def _choose(found: Found, about: tuple[str, ...], most: int) -> list[Fact]:
    """At most `most` facts: evenly for each subject, from its documents in turn, document by document."""
    queues: list[list[tuple[int, int, int]]] = [[] for _ in about]
    for place, (doc, kept) in enumerate(found):
        scores = [concerns(doc, subject) for subject in about]
        subject = scores.index(max(scores))
        queues[subject] += [(subject, place, number) for number in range(len(kept))]
    for queue in queues:
        queue.sort(key=lambda entry: (entry[2], entry[1]))  # first every document's first sentence
    chosen: list[tuple[int, int, int]] = []
    while len(chosen) < most and any(queues):
        chosen += [queue.pop(0) for queue in queues if queue]
    facts = []
    for _, place, number in sorted(chosen[:most]):
        doc, kept = found[place]
        facts.append(Fact(kept[number], doc.id, doc.title))
    return facts


def _notes(view: View, about: tuple[str, ...], found: Found, facts: list[Fact]) -> list[str]:
    """What is missing and what failed, in sentences."""
    missing = [one for one in about if not any(concerns(doc, one) for doc, _ in found)]
    notes = [f"Nothing was found on {subject}." for subject in missing]
    if not facts:
        queries = ", ".join(f'"{query}"' for query in dict.fromkeys(_asked(view))) or "none"
        about_what = topic(_task(view)) or "this"
        notes = [f"Nothing was found about {about_what} (searched for {queries})."]
    errors = [call.result or "no reason given" for call in view.calls if call.is_error]
    if errors and notes:
        notes.append(f"A search failed: {' '.join(errors[-1].split())[:160].rstrip('.')}.")
    return notes


def _own_words(view: View) -> str:
    """The words that the prompt wants to hear when there is nothing to report; "" when it names none."""
    for sentence in sentences(view.instructions):
        if has(sentence, "wishes/nothing_found") and (named := [*_OWN_WORDS.finditer(sentence)]):
            return named[-1][1] or named[-1][2]
    return ""


def _report(view: View, about: tuple[str, ...], found: Found) -> Answer:
    facts = _choose(found, about, view.limit("facts") or MOST_FACTS)
    notes = _notes(view, about, found, facts)
    if view.schema and has_field(view.schema, "facts"):
        return _in_shape(view, found, facts, notes)
    if not facts and not view.schema and (wished := _own_words(view)):
        why = "Nothing was found, and the prompt says what to answer then."
        return Answer(({"type": "text", "text": wished},), why)
    if _writes(view):
        return compose(view, facts, "Enough facts: write the brief from them.")
    lines = [f"- {fact.sentence} [{fact.source}]" for fact in facts]
    most = view.limit("words") or 10_000
    while sum(len(line.split()) for line in lines) > most:
        lines.pop()
    why = (
        "Enough: report the facts with their sources."
        if lines
        else "Nothing fits the topic: say so."
    )
    return Answer(({"type": "text", "text": "\n".join([*lines, *notes])},), why)


def _in_shape(view: View, found: Found, facts: list[Fact], notes: list[str]) -> Answer:
    """The facts in the shape that the schema asks for."""
    urls = {doc.id: doc.url for doc, _ in found}
    rows = [
        {
            "fact": fact.sentence,
            "text": f"{fact.sentence} [{fact.source}]",
            "source": fact.source,
            "title": fact.title,
            "url": urls[fact.source],
        }
        for fact in facts
    ]
    record = {
        "facts": rows,
        "sources": list(dict.fromkeys(fact.source for fact in facts)),
        "title": topic(_task(view)),
        "count": len(facts),
        "otherwise": " ".join(notes) or "Found in the sources named.",
        "found": bool(facts),
    }
    return filled(view, "", record, "Report the facts in the shape asked for.")


def _writes(view: View) -> bool:
    """Whether the prompt asks for running text, and not for a list of facts; the system prompt rules."""
    for prompt in (view.system, view.task):
        if has(prompt, "words/asks_for", "list_wordings"):
            return False
        if has(prompt, "words/asks_for", "text_wordings"):
            return True
        if prompt.strip() and view.role == "research":
            return False
    return False
