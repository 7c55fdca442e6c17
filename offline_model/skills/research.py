"""Research: search while it pays, then report the sentences that are about the topic, each with its source."""

from __future__ import annotations

import re
from collections import Counter
from itertools import product
from typing import Any

from ..answer import Answer
from ..reader.findings import ENOUGH, Finding, choose, count, gather, is_title, nearness
from ..reader.form import filled
from ..reader.lexicon import has
from ..reader.library import key_field, query_field, query_of, search_input
from ..reader.order import is_history
from ..reader.schema import has_field
from ..reader.sources import documents
from ..reader.topics import named, named_in, subjects, topic
from ..reader.view import View
from ..reader.words import Fact, content_words, core, sentences, stem, words
from .brief import compose

MOST_FACTS = 12  # reported when the prompt sets no number
UNLIMITED = 10_000
Call = tuple[str, dict[str, Any]]
"""The name of a tool, and its input."""

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


def about(view: View) -> str:
    """The topic of the task, or the subjects of a comparison."""
    return named(view.task)


def reply(view: View) -> Answer:
    """Ask the next search, or report what was found."""
    research = _Research(view)
    if not research.about and not research.asked:
        text = "What is the topic to research? The task names none."
        return Answer.refuse(text, "No topic to search for.")
    if view.must_answer:
        return research.report()
    to_open = research.to_open()
    if to_open:
        return Answer.call(to_open, "Only titles came back: open them.")
    searches = research.searches()
    if searches:
        why = (
            "Not enough yet: one more search." if research.asked else "No facts yet: search first."
        )
        return Answer.call(searches, why)
    return research.report()


def _asked(view: View) -> list[str]:
    """The queries that were already asked."""
    offered = view.request.get("tools") or []
    fields = {tool.get("name"): query_field(tool) for tool in offered}
    queries = []
    for call in view.calls:
        field = fields.get(call.name)
        queries.append(query_of(call.input, field))
    return list(filter(None, queries))


class _Research:
    """The state of a conversation's research: questions and finds so far, the next step, and the
    report.
    """

    def __init__(self, view: View) -> None:
        self.view = view
        self.about = subjects(view.task)
        self.asked = _asked(view)
        self.found = gather(view, self.about)

    def to_open(self) -> list[Call]:
        """The calls that read what a search brought only the titles of, where a tool opens a document."""
        for tool in self.view.tools:
            field = key_field(tool)
            if field:
                name = tool["name"]
                return [(name, {field: key}) for key in self._unopened(name, field)]
        return []

    def _unopened(self, opener: str, field: str) -> list[str]:
        """The ids of the documents on the subjects that came as a title alone."""
        keys = set()
        opened = set()
        for call in self.view.calls:
            if call.name == opener:
                opened.add(str(call.input.get(field, "")))
                continue
            for doc in documents(call.result or ""):
                if is_title(doc) and nearness(doc, self.about):
                    keys.add(doc.id)
        return sorted(keys - opened)

    def searches(self) -> list[Call]:
        """A call of each search tool for each query of this turn, within the limit of searches."""
        tools = [tool for tool in self.view.tools if query_field(tool)]
        calls = []
        for query, tool in product(self._queries(), tools):
            given = search_input(tool, query)
            calls.append((tool["name"], given))
        most = self.view.limit("searches")
        if most is None:
            return calls
        left = max(0, most - len(self.asked))
        return calls[:left]

    def _queries(self) -> list[str]:
        """First one a subject, then another wording for what came back thin.

        A model that is never done: whatever was read about and not yet asked.
        """
        view = self.view
        plain = [_ARTICLE.sub("", subject) for subject in self.about]
        if not self.asked:
            return _first(view.task, plain)
        most_facts = view.limit("facts")
        if view.temperament.never_done:
            turn = len(self.asked) % len(plain)
            return [self._further(plain[turn])]
        if len(self.asked) >= 2 * len(plain):
            return []
        enough = min(ENOUGH, most_facts or ENOUGH)
        queries = []
        for subject in plain:
            if count(self.found, subject) < enough:
                queries += _rewordings(subject, self.asked)[:1]
        return queries

    def _further(self, subject: str) -> str:
        """A query that was not asked yet: the subject with the commonest word read, else another angle."""
        known = {stem(word) for query in self.asked for word in words(query)}
        angles = [*_commonest(self.found), *_ANGLES, f"more {len(self.asked)}"]
        fresh = next(angle for angle in angles if stem(angle) not in known)
        named = " ".join(core(subject)) or subject
        return f"{named} {fresh}"

    def report(self) -> Answer:
        """Reports the findings: in the schema's shape, as a brief, or as a list of facts."""
        view = self.view
        facts = choose(self.found, self.about, view.limit("facts") or MOST_FACTS)
        notes = self._notes(facts)
        if view.schema and has_field(view.schema, "facts"):
            rows = [vars(fact) | {"fact": fact.sentence} for fact in facts]
            note = " ".join(notes) or "Found in the sources named."
            known = {"facts": rows, "reason": note, "comment": note}
            why = "Report the facts in the shape asked for."
            return filled(view, "", known, why, indent=1)
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

    def _notes(self, facts: list[Fact]) -> list[str]:
        """Returns sentences on missing subjects and failed searches."""
        missing = [subject for subject in self.about if not count(self.found, subject)]
        notes = [f"Nothing was found on {subject}." for subject in missing]
        if not facts:
            asked = dict.fromkeys(self.asked)
            queries = ", ".join(f'"{query}"' for query in asked) or "none"
            named = topic(self.view.task) or "this"
            notes = [f"Nothing was found about {named} (searched for {queries})."]
        errors = [call for call in self.view.calls if call.is_error]
        if errors and notes:
            told = errors[-1].result or "no reason given"
            reason = " ".join(told.split())[:160].rstrip(".")
            notes.append(f"A search failed: {reason}.")
        return notes


def _first(task: str, subjects: list[str]) -> list[str]:
    """One query a subject; for a history a second one."""
    named = " ".join(core(subjects[0]))
    if len(subjects) > 1 or not named or not is_history(task):
        return subjects
    return [*subjects, f"{named} announced introduced first released"]


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


def _listed(facts: list[Fact], most_words: int) -> list[str]:
    """The facts as bullets, as many as the words allow."""
    lines = []
    for fact in facts:
        line = f"- {fact.sentence} [{fact.source}]"
        most_words -= len(line.split())
        if most_words < 0:
            break
        lines.append(line)
    return lines


def _own_words(view: View) -> str:
    """The words that the prompt wants to hear when there is nothing to report; "" when it names none."""
    for sentence in sentences(view.instructions):
        named = _OWN_WORDS.findall(sentence)
        if named and has(sentence, "dials/nothing_found"):
            return "".join(named[-1])
    return ""


def _writes(view: View) -> bool:
    """True if the prompt asks for running text, and not for a list of facts; the system prompt
    rules.
    """
    for prompt in (view.system, view.task):
        if has(prompt, "words/asks_for", "list_wordings"):
            return False
        if has(prompt, "words/asks_for", "text_wordings"):
            return True
        if prompt.strip() and view.role == "research":
            return False
    return False
