"""Prose: pronouns for repeated subjects and "by contrast", which lean on the sentence before, and what they stand for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from .claims import DIFFER, bare
from .lexicon import words_in
from .statement import ARTICLES, DEFINES, Opening, opening, same_thing, unbracketed
from .words import Fact, citations, content_words, stem, uncited, words

CONTRAST = "By contrast, "
_MOST_PRONOUNS = 2  # in a row: then the name stands again
_FEWEST_WORDS = 2  # beside the subject: with fewer a pronoun makes a sentence say nothing
_HEAD = re.compile(
    r"(?:[\w.+#'’-]+(?: |$)){1,8}?(?=(?:that|which|who|for|of|in|to|from|with|and|built)\b|$)"
)
_PLAIN_NAME = re.compile(r"[A-Z][a-z]+$")
_OF = re.compile(r"(?:The|the) ([a-z]+) of (.+)$")
_PRONOUN = re.compile(r"(?:It|They|Its|Their) ")


def uncapitalized(sentence: str, task: str) -> str:
    """A sentence that goes on behind other words: its first word is small, if an article or so in the task."""
    first = sentence.split(" ")[0].lower()
    is_small = first in ARTICLES or first in re.findall(r"[\w-]+", task)
    return first + sentence[len(first) :] if is_small else sentence


def with_pronouns(sentences: Sequence[str], around: Sequence[str]) -> list[str]:
    """The sentences of a paragraph, with a pronoun for the subject that the sentence before has, too.

    around: all sentences of the text, which say what a name stands for.
    """
    written: list[str] = []
    before = Opening()
    count = 0
    for sentence in sentences:
        now = opening(uncited(sentence))
        pronoun = ""
        if count < _MOST_PRONOUNS and _is_thing(before.subject, around):
            pronoun = _pronoun(sentence, before, now)
        count = count + 1 if pronoun else 0
        rest = sentence[len(now.subject) :]
        written.append(pronoun + rest if pronoun else sentence)
        before = Opening() if pronoun.startswith("Its ") else now
    return written


def _pronoun(sentence: str, before: Opening, now: Opening) -> str:
    """Returns a pronoun for the subject of a sentence: "It", "They" or "Its author"; "" where none
    fits.
    """
    rest = sentence[len(now.subject) :]
    if not now.subject or len(content_words(rest)) < _FEWEST_WORDS:
        return ""
    if same_thing(before.subject, now.subject):
        return _it_or_they(before, now)
    owned = _OF.match(now.subject)
    if owned and before.number == "singular" and same_thing(before.subject, owned[2]):
        return f"Its {owned[1]}"
    return ""


def _it_or_they(before: Opening, now: Opening) -> str:
    """The pronoun that two verbs agree on; without a sure verb "It" for what does not look like a plural."""
    numbers = {before.number, now.number} - {"either"}
    if not numbers and not before.subject.endswith("s"):
        numbers = {"singular"}
    if numbers == {"singular"}:
        return "It"
    return "They" if numbers == {"plural"} else ""


def _is_thing(subject: str, around: Sequence[str]) -> bool:
    """True if "it" fits a subject: no person's name, a known noun behind an article, or defined as
    one.
    """
    tokens = unbracketed(subject).split()
    if not tokens:
        return False
    last = re.sub(r"\W", "", tokens[-1])
    is_single = len(tokens) == 1
    if tokens[0].lower() in ARTICLES and not is_single:
        return _is_noun_of_things(last) or last[-1:].isdigit()
    if is_single and not _PLAIN_NAME.match(tokens[0]):
        return True
    on_it = [sentence for sentence in around if opening(sentence).subject == subject]
    return any(_is_noun_of_things(_defined_as(sentence)) for sentence in on_it)


def _is_noun_of_things(noun: str) -> bool:
    return stem(noun) in _things()


@cache
def _things() -> frozenset[str]:
    return frozenset(map(stem, words_in("words/prose", "things")))


def _defined_as(sentence: str) -> str:
    """The noun of "X is a …": the last word before what describes it; "" for no definition."""
    subject = opening(sentence).subject
    definition = DEFINES.match(sentence, len(subject) + 1)
    if not subject or definition is None:
        return ""
    told = uncited(sentence[definition.end() + 1 :]).rstrip(".")
    head = _HEAD.match(told)
    nouns = words(head[0]) if head else []
    return nouns[-1] if nouns else ""


def spelled_out(sentence: str, facts: Sequence[Fact]) -> Fact | None:
    """The fact that a sentence says with a pronoun or behind "by contrast", which need the sentence before."""
    plain = bare(sentence)
    if _PRONOUN.match(plain):
        tokens = plain.split()
        end = " ".join(tokens[2:])
    elif plain.startswith(CONTRAST) or sentence.startswith(DIFFER):
        end = plain.removeprefix(CONTRAST)[1:]  # the first letter may have been a capital
    else:
        return None
    sources = set(citations(sentence))
    for fact in facts:
        if fact.sentence.endswith(end) and sources.issubset(fact.sources):
            return fact
    return None
