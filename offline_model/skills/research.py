"""Research: search while it pays, then report the sentences that are about the topic, each with its source."""

from __future__ import annotations

import re
from collections import Counter

from ..answer import Answer
from ..reader.findings import ENOUGH, Finding, choose, concerns, count, gather, is_title
from ..reader.form import filled
from ..reader.lexicon import has
from ..reader.library import key_field, query_field, query_of, search_input
from ..reader.order import is_history
from ..reader.schema import has_field
from ..reader.sources import documents
from ..reader.topics import core, named_in, subjects, topic
from ..reader.view import View
from ..reader.words import Fact, content_words, sentences, stem, words
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
MOST_FACTS = 12  # reported when the prompt sets no number
UNLIMITED = 10_000
_ANGLES = ("origin", "dates", "numbers", "people", "design", "limits", "alternatives", "examples")
_OWN_WORDS = re.compile(r"[\"“'`]([^\"”'`\n]+)[\"”'`]|\b([A-Z]{2,}(?:[ _][A-Z]+)*)\b")
_ARTICLE = re.compile(r"^(?:the|an?)\s+")
_PLURAL = re.compile(r"(?<=\w{3})(?<!s)s\b")


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
    to_open = _to_open(view, about)
    if to_open:
        return Answer.call(to_open, "Only titles came back: open them.")
    searches = _searches(view, _next(view, about, asked, found))
    most = view.limit("searches")
    if most is not None:
        left = max(0, most - len(asked))
        searches = searches[:left]
    if searches:
        why = "Not enough yet: one more search." if asked else "No facts yet: search first."
        return Answer.call(searches, why)
    return _report(view, about, found)


def _asked(view: View) -> list[str]:
    """The queries that were already asked."""
    offered = view.request.get("tools") or []
    fields = {tool.get("name"): query_field(tool) for tool in offered}
    queries = [query_of(call.input, fields.get(call.name)) for call in view.calls]
    return list(filter(None, queries))


def _searches(view: View, queries: list[str]) -> list[tuple[str, dict]]:
    """A call of each search tool for each query."""
    tools = [tool for tool in view.tools if query_field(tool)]
    return [(tool["name"], search_input(tool, query)) for query in queries for tool in tools]


def _to_open(view: View, about: tuple[str, ...]) -> list[tuple[str, dict]]:
    """The calls that read what a search brought only the titles of, where a tool opens a document."""
    for tool in view.tools:
        field = key_field(tool)
        if not field:
            continue
        name = tool["name"]
        opened = [call.input.get(field, "") for call in view.calls if call.name == name]
        keys = _titles(view, name, about).difference(opened)
        return [(name, {field: key}) for key in sorted(keys)]
    return []


def _titles(view: View, opener: str, about: tuple[str, ...]) -> set[str]:
    """The ids of the documents on the subjects that came as a title alone."""
    keys = set()
    for call in view.calls:
        if call.name == opener:
            continue
        for doc in documents(call.result or ""):
            if is_title(doc) and any(concerns(doc, subject) for subject in about):
                keys.add(doc.id)
    return keys


def _next(view: View, about: tuple[str, ...], asked: list[str], found: list[Finding]) -> list[str]:
    """The queries of this turn: first one a subject, then another wording for what came back thin.

    When the prompt wants it all and sets no limit: whatever was read about and not yet asked.
    """
    plain = [_ARTICLE.sub("", subject) for subject in about]
    if not asked:
        return _first(view.task, plain)
    most_facts = view.limit("facts")
    is_thorough = view.wish("thorough") and (view.limit("searches") or not most_facts)
    if view.temperament.never_done or is_thorough:
        turn = len(asked) % len(plain)
        return [_further(plain[turn], asked, found)]
    if len(asked) >= 2 * len(plain):
        return []
    enough = min(ENOUGH, most_facts or ENOUGH)
    thin = [subject for subject in plain if count(found, subject) < enough]
    return [way for subject in thin for way in _rewordings(subject, asked)[:1]]


def _first(task: str, subjects: list[str]) -> list[str]:
    """One query a subject; for a history a second one."""
    named = " ".join(core(subjects[0]))
    if len(subjects) > 1 or not named or not is_history(task):
        return subjects
    return [*subjects, f"{named} announced introduced first released"]


def _further(subject: str, asked: list[str], found: list[Finding]) -> str:
    """A query that was not asked yet: the subject with the commonest word read, else another angle."""
    known = {stem(word) for query in asked for word in words(query)}
    angles = [*_commonest(found), *_ANGLES, f"more {len(asked)}"]
    fresh = next(angle for angle in angles if stem(angle) not in known)
    named = " ".join(core(subject)) or subject
    return f"{named} {fresh}"


def _commonest(found: list[Finding]) -> list[str]:
    """The longer words that were read, the commonest first."""
    counts: Counter[str] = Counter()
    for finding in found:
        for sentence in finding.sentences:
            counts.update(word for word in words(sentence) if _is_telling(word))
    return sorted(counts, key=lambda word: (-counts[word], word))


def _is_telling(word: str) -> bool:
    return len(word) > 4 and word.isalpha() and bool(content_words(word))


def _rewordings(subject: str, asked: list[str]) -> list[str]:
    """Other ways to ask for a subject: its specific words, those in singular."""
    named = " ".join(core(subject))
    singular = _PLURAL.sub("", named)
    tried = {query.lower() for query in asked}
    ways = (named, singular, f"what is {subject}")
    return [way for way in ways if way and way.lower() not in tried]


def _report(view: View, about: tuple[str, ...], found: list[Finding]) -> Answer:
    """What was found: in the schema's shape, as a brief, or as a list of facts."""
    facts = choose(found, about, view.limit("facts") or MOST_FACTS)
    notes = _notes(view, about, found, facts)
    if view.schema and has_field(view.schema, "facts"):
        return _in_shape(view, facts, notes)
    wished = "" if facts or view.schema else _own_words(view)
    if wished:
        why = "Nothing was found, and the prompt says what to answer then."
        return Answer.say(wished, why)
    if _writes(view):
        return compose(view, facts, "Enough facts: write the brief from them.")
    lines = _listed(facts, view.limit("words") or UNLIMITED)
    why = "Nothing fits the topic: say so."
    if lines:
        why = "Enough: report the facts with their sources."
    return Answer.say("\n".join([*lines, *notes]), why)


def _listed(facts: list[Fact], most_words: int) -> list[str]:
    """The facts as bullets, as many as the words allow."""
    lines = [f"- {fact.sentence} [{fact.source}]" for fact in facts]
    while sum(len(line.split()) for line in lines) > most_words:
        lines.pop()
    return lines


def _notes(
    view: View, about: tuple[str, ...], found: list[Finding], facts: list[Fact]
) -> list[str]:
    """What is missing and what failed, in sentences."""
    missing = [subject for subject in about if not count(found, subject)]
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
