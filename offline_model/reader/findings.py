"""Findings: the documents that a search brought, how much each is about a subject, and the facts to report of them."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import zip_longest
from typing import NamedTuple

from .order import is_history
from .sources import Doc, documents
from .statement import defines
from .topics import mentions
from .view import View
from .words import Fact, content_words, is_instruction, sentence_of, sentences, words

ENOUGH = 3  # sentences on a subject after which another search is not worth its cost
_MOST_WORDS = 200  # longer runs of text are not treated as sentences
_AND = re.compile(r",\s+(?:and\s+)?|\s+(?:and|or|&)\s+")
_BONUS = (0.0, 0.15, 0.0, 3.0)  # for a document that defines a subject, by how well: see `defines`


class Finding(NamedTuple):
    """A document that matters, and its sentences that may be reported."""

    doc: Doc
    sentences: list[str]


def gather(view: View, about: tuple[str, ...]) -> list[Finding]:
    """The documents of this conversation that are about the subjects, each with its usable sentences."""
    if not about:
        return []
    docs = _read(view)
    scores = {doc: max(concerns(doc, subject) for subject in about) for doc in docs}
    sure = sum(len(sentences(doc.text)) for doc in docs if scores[doc] >= 1)
    if not sure:  # the library knows half of the words, and not the topic
        return []
    if is_history(view.task):
        docs.sort(key=lambda doc: doc.date or "9")
    else:  # the tool's own order breaks ties
        docs.sort(key=lambda doc: -scores[doc] - _bonus(doc, about))
    lowest = 1 if sure >= ENOUGH else 0.1
    said: set[str] = set()
    near = [doc for doc in docs if scores[doc] >= lowest]
    found = [Finding(doc, _usable(doc, about, said)) for doc in near]
    return [finding for finding in found if finding.sentences]


def _read(view: View) -> list[Doc]:
    """The documents that the tools brought, each once; what was opened since is not a title alone."""
    read: dict[tuple[str, str], Doc] = {}
    for call in view.calls:
        if call.is_error or not call.result:
            continue
        for doc in documents(call.result):
            named = replace(doc, id=doc.id or call.name)
            read.setdefault((named.id, named.text), named)
    opened = {doc.id for doc in read.values() if not is_title(doc)}
    return [doc for doc in read.values() if not is_title(doc) or doc.id not in opened]


def is_title(doc: Doc) -> bool:
    """Whether a document came as its title alone."""
    return doc.text == doc.title


def concerns(doc: Doc, subject: str) -> float:
    """How much a document is about a subject: 0 not at all, below 1 perhaps, 2 when its title says it."""
    heading = _heading(doc)
    whole = f"{heading}\n{doc.text}"
    pieces = _pieces(subject)
    inside, on_top = max((mentions(whole, piece), mentions(heading, piece)) for piece in pieces)
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


def _bonus(doc: Doc, about: tuple[str, ...]) -> float:
    """More than 0 when a document opens with what a subject is: it comes first."""
    first = "".join(sentences(doc.text)[:1])
    pieces = [piece for subject in about for piece in _pieces(subject)]
    best = max(defines(first, piece) for piece in pieces)
    return _BONUS[best]


def _usable(doc: Doc, about: tuple[str, ...], said: set[str]) -> list[str]:
    """The sentences of a document that speak of the subjects, not said before, and no orders."""
    heading = _heading(doc)
    is_titled = any(mentions(heading, subject) for subject in about)
    kept = []
    for sentence in sentences(doc.text):
        plain = sentence_of(sentence).sentence
        spoken = words(plain)
        is_whole = 2 < len(spoken) < _MOST_WORDS and plain[-1] in ".!。"
        is_near = is_titled or max(mentions(plain, subject) for subject in about) >= 0.5
        key = " ".join(spoken)
        if is_whole and is_near and key not in said and not is_instruction(plain):
            said.add(key)
            kept.append(plain)
    return kept


def count(found: list[Finding], subject: str) -> int:
    """How many sentences were found on a subject."""
    return sum(len(finding.sentences) for finding in found if concerns(finding.doc, subject))


def choose(found: list[Finding], about: tuple[str, ...], most: int) -> list[Fact]:
    """At most `most` facts: evenly for each subject, first every document's first sentence."""
    queues: dict[str, list[tuple[int, int]]] = {subject: [] for subject in about}
    for place, (doc, kept) in enumerate(found):
        nearest = max(about, key=lambda subject: concerns(doc, subject))
        queues[nearest] += [(number, place) for number in range(len(kept))]
    turns = zip_longest(*map(sorted, queues.values()))
    in_turn = [entry for turn in turns for entry in turn if entry]
    chosen = set(in_turn[:most])
    facts = []
    for queue in queues.values():
        facts += [
            _fact(found[place], number) for number, place in queue if (number, place) in chosen
        ]
    return facts


def _fact(finding: Finding, number: int) -> Fact:
    return Fact(finding.sentences[number], finding.doc.id, finding.doc.title)
