"""Research: search while it pays, then report the sentences that are about the topic, each with its source."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from ..answer import Answer
from ..reader.form import filled
from ..reader.lexicon import has
from ..reader.library import key_field, query_field, query_of, search_input
from ..reader.order import is_history
from ..reader.prose import defines
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
MOST_WORDS = 200  # longer runs of text are not treated as sentences
MOST_FACTS = 12  # reported when the prompt sets no number
ENOUGH = 3  # facts on a subject after which another search is not worth its cost
_ANGLES = ("origin", "dates", "numbers", "people", "design", "limits", "alternatives", "examples")
_OWN_WORDS = re.compile(r"[\"“'`]([^\"”'`\n]+)[\"”'`]|\b([A-Z]{2,}(?:[ _][A-Z]+)*)\b")
_ARTICLE = re.compile(r"^(?:the|an?)\s+")
_AND = re.compile(r",\s+(?:and\s+)?|\s+(?:and|or|&)\s+")
_PLURAL = re.compile(r"(?<=\w{3})(?<!s)s\b")
_BONUS = {0: 0.0, 1: 0.15, 2: 0.0, 3: 3.0}  # for a document that defines a subject, see `defines`
Found = list[tuple[Doc, list[str]]]  # the documents that matter, each with its usable sentences


def fits(view: View) -> bool:
    """A search-like tool is offered, or was used and is gone."""
    offered = view.request.get("tools") or []
    if not offered:
        return bool(_asked(view))
    return any(map(query_field, offered))


def read(view: View) -> str:
    """The topic and the subjects of the task."""
    return " ".join(named_in(view.task))


def reply(view: View) -> Answer:
    """Ask the next search, or report what was found."""
    about = subjects(view.task)
    asked = _asked(view)
    if not about and not asked:
        text = "What is the topic to research? The task names none."
        return Answer.say(text, "No topic to search for.")
    found = gather(view, about)
    if view.must_answer:
        return _report(view, about, found)
    titles = _to_open(view, about)
    if titles:
        return Answer.call(titles, "Only titles came back: open them.")
    searches = _searches(view, _next(view, about, asked, found))
    limit = view.limit("searches")
    if limit is not None:
        searches = searches[: max(0, limit - len(asked))]
    if searches:
        why = "Not enough yet: one more search." if asked else "No facts yet: search first."
        return Answer.call(searches, why)
    return _report(view, about, found)


def _asked(view: View) -> list[str]:
    """The queries that were already asked."""
    offered = view.request.get("tools") or []
    fields = {tool.get("name"): query_field(tool) for tool in offered}
    queries = [query_of(call.input, fields.get(call.name)) for call in view.calls]
    return [query for query in queries if query]


def _searches(view: View, queries: list[str]) -> list[tuple[str, dict]]:
    """A call of each search tool for each query."""
    tools = [tool for tool in view.tools if query_field(tool)]
    return [(tool["name"], search_input(tool, query)) for query in queries for tool in tools]


def _to_open(view: View, about: tuple[str, ...]) -> list[tuple[str, dict]]:
    """The calls that read what a search brought only the titles of, where a tool opens a document."""
    for tool in view.tools:
        name, field = tool["name"], key_field(tool)
        if field:
            keys = _titles(view, name, about) - _opened(view, name, field)
            return [(name, {field: key}) for key in sorted(keys)]
    return []


def _opened(view: View, opener: str, field: str) -> set[str]:
    return {call.input.get(field, "") for call in view.calls if call.name == opener}


def _titles(view: View, opener: str, about: tuple[str, ...]) -> set[str]:
    """The ids of the documents on the subjects that came as a title alone."""
    results = [call.result or "" for call in view.calls if call.name != opener]
    listed = [doc for result in results for doc in documents(result)]
    bare = [doc for doc in listed if doc.text == doc.title]
    return {doc.id for doc in bare if any(concerns(doc, subject) for subject in about)}


def _next(view: View, about: tuple[str, ...], asked: list[str], found: Found) -> list[str]:
    """The queries of this turn: first one a subject, then another wording for what came back thin.

    When the prompt wants it all and sets no limit: whatever was read about and not yet asked.
    """
    plain = [_ARTICLE.sub("", subject) for subject in about]
    most = view.limit("searches")
    wanted = view.limit("facts")
    if not asked:
        return _first(view.task, plain)
    is_thorough = view.wish("thorough") and (most or not wanted)
    if view.temperament.never_done or is_thorough:
        return [_further(plain[len(asked) % len(plain)], asked, found)]
    if len(asked) >= 2 * len(plain):
        return []
    enough = min(ENOUGH, wanted or ENOUGH)
    thin = [subject for subject in plain if _count(found, subject) < enough]
    return [way for subject in thin for way in _rewordings(subject, asked)[:1]]


def _first(task: str, subjects: list[str]) -> list[str]:
    """One query a subject; for a history a second one."""
    named = core(subjects[0])
    if len(subjects) > 1 or not named or not is_history(task):
        return subjects
    return [*subjects, f"{' '.join(named)} announced introduced first released"]


def _count(found: Found, subject: str) -> int:
    """How many sentences were found on a subject."""
    return sum(len(kept) for doc, kept in found if concerns(doc, subject))


def _further(subject: str, asked: list[str], found: Found) -> str:
    """A query that was not asked yet: the subject with the commonest word read, else another angle."""
    known = {stem(word) for query in asked for word in words(query)}
    spoken = [word for _, kept in found for sentence in kept for word in words(sentence)]
    long = [word for word in spoken if len(word) > 4 and word.isalpha() and content_words(word)]
    ranked = sorted(Counter(long).items(), key=lambda item: (-item[1], item[0]))
    angles = [*(word for word, _ in ranked), *_ANGLES, f"more {len(asked)}"]
    fresh = next(angle for angle in angles if stem(angle) not in known)
    return f"{' '.join(core(subject)) or subject} {fresh}"


def _rewordings(subject: str, asked: list[str]) -> list[str]:
    """Other ways to ask for a subject: its specific words, those in singular."""
    named = " ".join(core(subject))
    singular = _PLURAL.sub("", named)
    tried = {query.lower() for query in asked}
    ways = (named, singular, f"what is {subject}")
    return [way for way in ways if way and way.lower() not in tried]


def _heading(doc: Doc) -> str:
    named = doc.id.replace("-", " ").replace("_", " ")
    return f"{doc.title} {named}"


def _split(subject: str) -> list[str]:
    """The pieces of "retries and timeouts" that a document may be about by themselves."""
    pieces = _AND.split(subject)
    return [piece for piece in pieces if content_words(piece)] or [subject]


def concerns(doc: Doc, subject: str) -> float:
    """How much a document is about a subject: 0 not at all, below 1 perhaps, 2 when its title says it."""
    whole = f"{_heading(doc)}\n{doc.text}"
    pieces = _split(subject)
    inside, on_top = max((mentions(whole, one), mentions(_heading(doc), one)) for one in pieces)
    if inside > 0.5:
        return inside + on_top
    return 0.4 if on_top == 0.5 else 0.0


def _read(view: View) -> list[Doc]:
    """The documents that the tools brought, each once; what was opened since is not a title alone."""
    read: dict[tuple[str, str], Doc] = {}
    for call in view.calls:
        if call.is_error or not call.result:
            continue
        for doc in documents(call.result):
            named = replace(doc, id=doc.id or call.name)
            read.setdefault((named.id, named.text), named)
    whole = {doc.id for doc in read.values() if doc.text != doc.title}
    return [doc for doc in read.values() if doc.text != doc.title or doc.id not in whole]


def gather(view: View, about: tuple[str, ...]) -> Found:
    """The documents of this conversation that are about the subjects, each with its usable sentences."""
    about = about or ("",)
    docs = _read(view)
    scores = {doc: max(concerns(doc, subject) for subject in about) for doc in docs}
    sure = sum(len(sentences(doc.text)) for doc in docs if scores[doc] >= 1)
    if not sure:  # the library knows half of the words, and not the topic
        return []
    if is_history(view.task):
        docs.sort(key=lambda doc: doc.date or "9")
    else:  # the tool's own order breaks ties
        docs.sort(key=lambda doc: -scores[doc] - _defines(doc, about))
    lowest = 1 if sure >= ENOUGH else 0.1
    said: set[str] = set()
    kept = [(doc, _usable(doc, about, said)) for doc in docs if scores[doc] >= lowest]
    return [(doc, usable) for doc, usable in kept if usable]


def _usable(doc: Doc, about: tuple[str, ...], said: set[str]) -> list[str]:
    """The sentences of a document that speak of the subjects, not said before, and no orders."""
    is_titled = any(mentions(_heading(doc), subject) for subject in about)
    kept = []
    for sentence in sentences(doc.text):
        plain = sentence_of(sentence).sentence
        spoken = words(plain)
        is_whole = 2 < len(spoken) < MOST_WORDS and plain[-1] in ".!。"
        is_near = is_titled or max(mentions(plain, subject) for subject in about) >= 0.5
        key = " ".join(spoken)
        if is_whole and is_near and key not in said and not is_instruction(plain):
            said.add(key)
            kept.append(plain)
    return kept


def _defines(doc: Doc, about: tuple[str, ...]) -> float:
    """More than 0 when a document opens with what a subject is: it comes first."""
    first = "".join(sentences(doc.text)[:1])
    pieces = [piece for subject in about for piece in _split(subject)]
    return _BONUS[max(defines(first, piece) for piece in pieces)]


def _choose(found: Found, about: tuple[str, ...], most: int) -> list[Fact]:
    """At most `most` facts: evenly for each subject, first every document's first sentence."""
    queues: dict[str, list[tuple[int, int]]] = {subject: [] for subject in about}
    for place, (doc, kept) in enumerate(found):
        nearest = max(about, key=lambda subject: concerns(doc, subject))
        queues[nearest] += [(number, place) for number in range(len(kept))]
    for queue in queues.values():
        queue.sort()
    chosen: list[tuple[str, int, int]] = []
    while len(chosen) < most and any(queues.values()):
        chosen += [(subject, *queue.pop(0)) for subject, queue in queues.items() if queue]
    chosen = chosen[:most]
    facts = []
    for subject in about:
        mine = [(place, number) for owner, number, place in chosen if owner == subject]
        facts += [_fact(found, place, number) for place, number in sorted(mine)]
    return facts


def _fact(found: Found, place: int, number: int) -> Fact:
    doc, kept = found[place]
    return Fact(kept[number], doc.id, doc.title)


def _notes(view: View, about: tuple[str, ...], found: Found, facts: list[Fact]) -> list[str]:
    """What is missing and what failed, in sentences."""
    missing = [subject for subject in about if not _count(found, subject)]
    notes = [f"Nothing was found on {subject}." for subject in missing]
    if not facts:
        asked = dict.fromkeys(_asked(view))
        queries = ", ".join(f'"{query}"' for query in asked) or "none"
        named = topic(view.task) or "this"
        notes = [f"Nothing was found about {named} (searched for {queries})."]
    errors = [call.result or "no reason given" for call in view.calls if call.is_error]
    if errors and notes:
        reason = " ".join(errors[-1].split())[:160]
        notes.append(f"A search failed: {reason.rstrip('.')}.")
    return notes


def _own_words(view: View) -> str:
    """The words that the prompt wants to hear when there is nothing to report; "" when it names none."""
    for sentence in sentences(view.instructions):
        named = _OWN_WORDS.findall(sentence)
        if named and has(sentence, "wishes/nothing_found"):
            return "".join(named[-1])
    return ""


def _report(view: View, about: tuple[str, ...], found: Found) -> Answer:
    facts = _choose(found, about, view.limit("facts") or MOST_FACTS) if about else []
    notes = _notes(view, about, found, facts)
    if view.schema and has_field(view.schema, "facts"):
        return _in_shape(view, facts, notes)
    wished = "" if facts or view.schema else _own_words(view)
    if wished:
        why = "Nothing was found, and the prompt says what to answer then."
        return Answer.say(wished, why)
    if _writes(view):
        return compose(view, facts, "Enough facts: write the brief from them.")
    lines = [f"- {fact.sentence} [{fact.source}]" for fact in facts]
    most = view.limit("words") or 10_000
    while sum(len(line.split()) for line in lines) > most:
        lines.pop()
    why = "Nothing fits the topic: say so."
    if lines:
        why = "Enough: report the facts with their sources."
    return Answer.say("\n".join([*lines, *notes]), why)


def _in_shape(view: View, facts: list[Fact], notes: list[str]) -> Answer:
    """The facts in the shape that the schema asks for."""
    rows = [vars(fact) | {"fact": fact.sentence} for fact in facts]
    known = {"facts": rows, "otherwise": " ".join(notes) or "Found in the sources named."}
    return filled(view, "", known, "Report the facts in the shape asked for.")


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
