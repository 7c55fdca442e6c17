"""Claims and facts: whether a fact carries a sentence, how the two differ, and how a fact is cited."""

from __future__ import annotations

import difflib
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from functools import cache, lru_cache
from itertools import permutations
from operator import ne

from .lexicon import lines_in, words_in
from .words import Fact, content_words, core, is_no, numbers, sentence_of, stem, vocabulary, words

NEAR = 0.6
"""The share of a sentence's meaning that one source must hold for the source to carry it."""

DIFFER = "Sources differ: "
_LONGEST = 200  # words of a sentence that are compared one by one: matching takes their square
_FORBIDS = re.compile(r"\b(?:forb[ai]d\w*|bann?ed|prohibit\w*)\b", re.I)
_PRONOUN = re.compile(r"(?:it|they|he|she|(its|their|his|her))\b", re.I)
_SUBJECT = re.compile(
    r"^((?:the |an? )?\S+(?: \S+){0,3}?) "
    r"(?:is|are|was|were|has|have|had|may|can|must|[a-z]+(?:s|ed))\b",
    re.I,
)


@cache
def _same() -> dict[str, frozenset[str]]:
    """Stem → the stems that say the same."""
    found: dict[str, frozenset[str]] = defaultdict(frozenset)
    for group in lines_in("words/meaning", "same"):
        stems = frozenset(map(stem, group))
        for word in stems:
            found[word] |= stems
    return found


@cache
def _months() -> frozenset[str]:
    return words_in("words/meaning", "months")


def cited(fact: Fact, cite: bool = True) -> str:
    """The fact's sentence with its sources in brackets before the full stop: "Sentence [id]."."""
    if not (cite and fact.source):
        return fact.sentence
    named = " ".join(f"[{source}]" for source in fact.sources)
    sentence = fact.sentence
    if sentence.endswith((".", "!", "?")):
        return f"{sentence[:-1]} {named}{sentence[-1]}"
    return f"{sentence} {named}."


def bare(sentence: str) -> str:
    """A draft's sentence without its citations."""
    return sentence_of(sentence.removeprefix(DIFFER)).sentence


@lru_cache(maxsize=8_000)
def meaning(text: str) -> frozenset[str]:
    """The stems of a text that carry its meaning, without numbers and months."""
    return frozenset(_named_words(text)) - _months()


@lru_cache(maxsize=8_000)
def figures(text: str) -> tuple[str, ...]:
    """The numbers and months of a text."""
    months = [word for word in words(text) if word in _months()]
    return (*numbers(text), *months)


def carries(fact: str, sentence: str) -> float:
    """Returns the share of a sentence's meaning, numbers apart, in a fact's words or their
    synonyms.
    """
    return _held(_named_words(sentence), vocabulary(fact))


def _held(wanted: tuple[str, ...], have: frozenset[str]) -> float:
    """The share of some words that a vocabulary has, synonyms included."""
    if not wanted:
        return 1.0
    held = [word for word in wanted if word in have or _has_same(have, word)]
    return len(held) / len(wanted)


def _has_same(have: frozenset[str], word: str) -> bool:
    synonyms = _same().get(word)
    return synonyms is not None and not synonyms.isdisjoint(have)


@lru_cache(maxsize=8_000)
def _named_words(sentence: str) -> tuple[str, ...]:
    return tuple(word for word in content_words(sentence) if not word[0].isdigit())


def best_fact(sentence: str, facts: Iterable[Fact]) -> tuple[float, Fact | None]:
    """The fact that carries a sentence best, and how well; shared numbers decide between equals."""
    wanted = _named_words(sentence)
    scored = [(_held(wanted, vocabulary(fact.sentence)), fact) for fact in facts]
    if not scored:
        return 0.0, None
    most = max(score for score, _ in scored)
    equal = [fact for score, fact in scored if score == most]
    own_numbers = set(numbers(sentence))
    if len(equal) > 1 and own_numbers:
        shared = [len(own_numbers.intersection(numbers(fact.sentence))) for fact in equal]
        most_shared = max(shared)
        equal = [fact for fact, count in zip(equal, shared, strict=True) if count == most_shared]
    if len(equal) > 1:
        held = vocabulary(bare(sentence))
        return most, max(equal, key=lambda fact: _held(_named_words(fact.sentence), held))
    return most, equal[0]


def subject_in(sentence: str) -> str:
    """Returns the start of a sentence, before its verb; "" where no verb is known."""
    named = _SUBJECT.match(sentence)
    return named[1] if named else ""


def in_full(facts: Iterable[Fact]) -> list[Fact]:
    """The facts with names for the pronouns that they begin with: the subject before, or the heading."""
    found: list[Fact] = []
    subject = ""
    source = None
    for fact in facts:
        if fact.source != source:
            source = fact.source
            subject = fact.title if content_words(fact.title) else ""
        pronoun = _PRONOUN.match(fact.sentence)
        if pronoun and subject:
            name = f"{subject}'s" if pronoun[1] else subject
            rest = fact.sentence[pronoun.end() :]
            fact = replace(fact, sentence=name + rest)
        else:
            subject = subject_in(fact.sentence) or subject
        found.append(fact)
    return found


@lru_cache(maxsize=4_000)
def mismatch(sentence: str, fact: Fact) -> str:
    """Describes the contradiction between a sentence and its fact; "" when they agree."""
    plain = bare(sentence)
    true = fact.sentence
    own = numbers(plain)
    given = numbers(true)
    wrong = ", ".join(number for number in own if number not in given)
    right = ", ".join(number for number in given if number not in own)
    if wrong and right:
        return f"the facts say {right} and not {wrong}"
    if wrong:
        return f"the facts do not give the number {wrong}"
    return _opposite(plain, true) or _strange(plain, true)


def _opposite(plain: str, true: str) -> str:
    """Describes an opposition between two sentences: of words, or of yes and no; "" for none."""
    own = set(words(plain))
    given = set(words(true))
    wrong = own - given
    right = given - own
    for pair in lines_in("words/meaning", "opposites"):
        for word, other in permutations(pair):
            if word in wrong and other in right:
                return f"the facts say “{other}” and not “{word}”"
    if is_no(plain) == is_no(true) or _FORBIDS.search(f"{plain} {true}"):
        return ""
    return "the facts say the opposite"


def _strange(plain: str, true: str) -> str:
    """The words of a sentence that its fact lacks; of a paraphrase only the names."""
    strange = [word for word in core(plain) if carries(true, word) < 1 and not numbers(word)]
    if strange and not _is_near(plain, true):
        first = plain.split()[0]
        strange = [word for word in strange if _is_name(word, first)]
    if not strange:
        return ""
    return f"the facts do not say “{', '.join(strange)}”"


def _is_name(word: str, first: str) -> bool:
    """True if a word is written like a name; the capital that begins a sentence does not count."""
    tail = word[1:] if word == first else word
    return re.search(r"[A-Z\d]", tail) is not None


def _is_near(plain: str, true: str) -> bool:
    """True if a sentence has nearly the words of its fact, in the same order."""
    own = words(plain)[:_LONGEST]
    given = words(true)[:_LONGEST]
    matcher = difflib.SequenceMatcher(None, own, given, autojunk=False)
    return matcher.ratio() > 0.8


def differ(one: Fact, other: Fact) -> bool:
    """True if two sentences say the same with one other figure, or one denies what the
    other says.
    """
    own = meaning(one.sentence)
    others = meaning(other.sentence)
    shared = len(own & others)
    own_figures = figures(one.sentence)
    other_figures = figures(other.sentence)
    if shared < 2 or len(own_figures) != len(other_figures):
        return False
    alike = shared / len(own | others)
    unlike = sum(map(ne, own_figures, other_figures))
    if unlike:
        return unlike == 1 and alike >= 0.5
    return alike >= NEAR and is_no(one.sentence) != is_no(other.sentence)


def of_one_thing(one: Fact, other: Fact) -> bool:
    """True if neither sentence has a name that the other lacks."""
    names = re.findall(r"\s([A-Z][\w-]*)", one.sentence + other.sentence)
    apart = meaning(one.sentence) ^ meaning(other.sentence)
    return apart.isdisjoint(map(stem, names))
