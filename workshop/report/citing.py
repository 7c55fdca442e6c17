"""Citations: which sentence of which document carries a sentence of a text, as far as words show it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from kernel.plumbing.labels import label
from kernel.plumbing.search import Document

CITATION = re.compile(r"\[([\w-]+(?:\s*[,;]\s*[\w-]+)*)\](?!\()")
_SENTENCE = re.compile(r"\S.*?(?:[.!?](?:\s*\[[^\[\]]*\])*(?=\s|$)|$)", re.DOTALL)
ENOUGH = 0.8
"""The share of a sentence's words that its source has to hold; all numbers are among them."""
Documents = Mapping[str, Document]


@dataclass(frozen=True)
class Cited:
    """One citation of one sentence."""

    id: str
    document: int | None
    """The number of the document in the library, from 0; None where there is no such document."""
    sentence: int
    """The sentence of the document that has most words in common with the one that cites it."""
    carries: bool
    """True if the document holds all numbers and most of the words."""


@dataclass(frozen=True)
class Claim:
    """A sentence of a text, with what it cites."""

    text: str
    """The sentence as it stands there, its citations included."""
    cited: tuple[Cited, ...]

    @property
    def carried(self) -> bool:
        """True if one of the documents that it cites carries it."""
        return any(each.carries for each in self.cited)


def library(documents: Mapping[str, Document | str]) -> dict[str, Document]:
    """Documents by their ids, of which some may be given as texts."""
    found = {}
    for id, given in documents.items():
        document = given if isinstance(given, Document) else Document(str(id), str(id), given)
        found[document.id] = document
    return found


def sentences(text: str) -> list[str]:
    """The sentences of a text, each with the brackets behind it; a line that is empty ends one."""
    found = []
    for block in re.split(r"\n\s*\n|\n(?=\s*[-*#])", text):
        found += [match.group().strip() for match in _SENTENCE.finditer(block)]
    return [sentence for sentence in found if re.search(r"\w", sentence)]


def claims(text: str, documents: Documents) -> list[Claim]:
    """The sentences of a text that are no headings, each with what it cites."""
    found = []
    for sentence in sentences(text):
        if not sentence.startswith("#"):
            found.append(claim(sentence, documents))
    return found


def claim(sentence: str, documents: Documents) -> Claim:
    """One sentence with what it cites."""
    words = _words(CITATION.sub(" ", sentence))
    ids = [
        part.strip() for inside in CITATION.findall(sentence) for part in re.split("[,;]", inside)
    ]
    return Claim(sentence, tuple(_cited(id, words, documents) for id in ids))


def _cited(id: str, words: set[str], documents: Documents) -> Cited:
    own = label(id)
    if own not in documents:
        return Cited(id, None, 0, carries=False)
    document = documents[own]
    shared = [len(words & one) for one in _words_of(document)] or [0]
    best = shared.index(max(shared))
    held = _words(document.title).union(*_words_of(document))
    numbers = {word for word in words if word.isdigit()}
    carries = bool(words) and numbers <= held and len(words & held) >= ENOUGH * len(words)
    return Cited(id, [*documents].index(own), best, carries)


@lru_cache(maxsize=512)
def _words_of(document: Document) -> tuple[set[str], ...]:
    """The words of each sentence of a document; a text may cite it a thousand times."""
    return tuple(_words(sentence) for sentence in sentences(document.text))


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def in_words(found: list[Claim]) -> str:
    """Counts the sentences that are carried, in a sentence that says what that means."""
    carried = sum(claim.carried for claim in found)
    return (
        f"{carried} of {len(found)} sentences are carried by a source that they cite: it holds all "
        "their numbers and four of five of their words. That is a look at words, not at meaning."
    )
