"""Findings: the documents that a search brought, how much each is about a subject, and the facts to report of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import chain, zip_longest
from typing import NamedTuple

from .order import is_history
from .sources import Doc, documents
from .statement import defines
from .topics import mentions
from .view import View
from .words import Fact, content_words, is_instruction, sentence_of, sentences, words

ENOUGH = 3  # sentences on a subject after which another search is not worth its cost
_MOST_WORDS = 200  # longer runs of text are not treated as sentences
_AND = re.compile(r",\s+(?:and\s+)?|(?<!\s)\s++(?:and|or|&)\s+")
_BONUS = (0.0, 0.15, 0.0, 3.0)  # for a document that defines a subject, by how well: see `defines`

Subjects = tuple[str, ...]
Facts = list[Fact]


class Finding(NamedTuple):
    """A document that matters, and its sentences that may be reported."""

    doc: Doc
    sentences: list[str]


def gather(view: View, about: Subjects) -> list[Finding]:
    """The documents of this conversation that are about the subjects, each with its usable sentences."""
    docs = _read(view)
    scores = {doc: nearness(doc, about) for doc in docs}
    sure = 0
    for doc, score in scores.items():
        if score >= 1:
            sure += len(sentences(doc.text))
    if not sure:  # half of the words match, but not the topic itself
        return []
    lowest = 1 if sure >= ENOUGH else 0.1
    near = [doc for doc in docs if scores[doc] >= lowest]
    if is_history(view.task):
        near.sort(key=lambda doc: doc.date or "9")
    else:  # the tool's own order breaks ties
        near.sort(key=lambda doc: -scores[doc] - _bonus(doc, about))
    said: set[str] = set()
    found = []
    for doc in near:
        usable = _usable(doc, about, said)
        if usable:
            found.append(Finding(doc, usable))
    return found


def _read(view: View) -> list[Doc]:
    """The documents that the tools brought, each once; what was opened since is not a title alone."""
    read: dict[tuple[str, str], Doc] = {}
    for call in view.calls:
        if call.is_error or not call.result:
            continue
        for doc in documents(call.result):
            named = replace(doc, id=doc.id or call.name)
            read.setdefault((named.id, named.text), named)
    docs = list(read.values())
    opened = {doc.id for doc in docs if not is_title(doc)}
    return [doc for doc in docs if not (is_title(doc) and doc.id in opened)]


def is_title(doc: Doc) -> bool:
    """True if a document came as its title alone."""
    return doc.text == doc.title


def nearness(doc: Doc, about: Subjects) -> float:
    """Returns a document's score for its nearest subject, as `concerns` gives it."""
    return max((concerns(doc, subject) for subject in about), default=0)


def concerns(doc: Doc, subject: str) -> float:
    """Scores a document for a subject: 0 not at all, below 1 perhaps, 2 when its title says it."""
    heading = _heading(doc)
    whole = f"{heading}\n{doc.text}"
    held = []
    for piece in _pieces(subject):
        inside = mentions(whole, piece)
        on_top = mentions(heading, piece)
        held.append((inside, on_top))
    inside, on_top = max(held)
    if inside > 0.5:
        return inside + on_top
    return 0.4 if on_top == 0.5 else 0.0


def _heading(doc: Doc) -> str:
    named = doc.id.replace("-", " ").replace("_", " ")
    return f"{doc.title} {named}"


def _pieces(subject: str) -> list[str]:
    """The pieces of "retries and timeouts" that a document may be about by themselves."""
    pieces = _AND.split(subject)
    return [piece for piece in pieces if content_words(piece)] or [subject]


def _bonus(doc: Doc, about: Subjects) -> float:
    """More than 0 when a document opens with what a subject is: it comes first."""
    first = "".join(sentences(doc.text)[:1])
    best = 0
    for subject in about:
        for piece in _pieces(subject):
            best = max(best, defines(first, piece))
    return _BONUS[best]


def _usable(doc: Doc, about: Subjects, said: set[str]) -> list[str]:
    """The sentences of a document that speak of the subjects, not said before, and no orders."""
    is_titled = _mentions(_heading(doc), about) > 0
    kept = []
    for sentence in sentences(doc.text):
        plain = sentence_of(sentence).sentence
        spoken = words(plain)
        key = " ".join(spoken)
        is_whole = 2 < len(spoken) < _MOST_WORDS and plain.endswith((".", "!", "。"))
        if key in said or not is_whole:
            continue
        is_near = is_titled or _mentions(plain, about) >= 0.5
        if is_near and not is_instruction(plain):
            said.add(key)
            kept.append(plain)
    return kept


def _mentions(text: str, about: Subjects) -> float:
    """Returns a text's share of the subject that it names best, from 0 to 1."""
    return max(mentions(text, subject) for subject in about)


def count(found: list[Finding], subject: str) -> int:
    """Returns the number of sentences found on a subject."""
    return sum(len(finding.sentences) for finding in found if concerns(finding.doc, subject))


def choose(found: list[Finding], about: Subjects, most: int) -> list[Fact]:
    """At most `most` facts: evenly for each subject, first every document's first sentence."""
    by_subject: dict[str, list[Facts]] = {subject: [] for subject in about}
    for doc, kept in found:
        nearest = max(about, key=lambda subject: concerns(doc, subject))
        facts = [Fact(sentence, doc.id, doc.title) for sentence in kept]
        by_subject[nearest].append(facts)
    in_turn = _in_turn(map(_in_turn, by_subject.values()))
    chosen = set(in_turn[:most])
    listed: Facts = []
    for facts in chain.from_iterable(by_subject.values()):
        listed += [fact for fact in facts if fact in chosen]
    return listed


def _in_turn(lists: Iterable[Facts]) -> Facts:
    """The first fact of each list, then the second of each, and so on."""
    turns = zip_longest(*lists)
    return [fact for turn in turns for fact in turn if fact]
