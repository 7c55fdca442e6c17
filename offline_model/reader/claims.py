"""Claims and facts: whether a fact carries a sentence, how the two differ, and how a fact is cited."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache, lru_cache

from .lexicon import lines_in, words_in
from .words import Fact, content_words, is_no, numbers, sentence_of, stem, vocabulary, words

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
_UP = r"at least|(?:no|not) (?:less|fewer) than|more than|over|above|after"
_DOWN = r"at most|up to|(?:less|fewer|not? more) than|under|before"
_AROUND = re.compile(rf"(?:\b(?:({_UP})|({_DOWN})) )?\b(\d[\d.,]*)(?: ([a-z]{{3,}}))?", re.I)


@cache
def _same() -> dict[str, frozenset[str]]:
    """Stem → the stems that say the same."""
    found: dict[str, frozenset[str]] = {}
    for group in lines_in("words/meaning", "same"):
        stems = frozenset(map(stem, group))
        found |= {one: found.get(one, frozenset()) | stems for one in stems}
    return found


@cache
def _months() -> frozenset[str]:
    return words_in("words/meaning", "months")


def cited(fact: Fact, cite: bool = True) -> str:
    """The fact's sentence with its sources in brackets before the full stop: "Sentence [id]."."""
    if not (cite and fact.source):
        return fact.sentence
    end = fact.sentence[-1] if fact.sentence[-1:] in (".", "!", "?") else ""
    named = " ".join(f"[{source}]" for source in fact.sources)
    return f"{fact.sentence.removesuffix(end)} {named}{end or '.'}"


def bare(sentence: str) -> str:
    """A draft's sentence without its citations."""
    return sentence_of(sentence.removeprefix(DIFFER)).sentence


@lru_cache(maxsize=8_000)
def meaning(text: str) -> frozenset[str]:
    """The stems of a text that carry its meaning, without numbers and months."""
    told = (word for word in content_words(text) if not word[0].isdigit())
    return frozenset(told) - _months()


@lru_cache(maxsize=8_000)
def figures(text: str) -> tuple[str, ...]:
    """The numbers and months of a text."""
    return (*numbers(text), *(word for word in words(text) if word in _months()))


def carries(fact: str, sentence: str) -> float:
    """How much of a sentence's meaning (numbers apart) a fact's words hold, synonyms included."""
    wanted, have, same = _named_words(sentence), vocabulary(fact), _same()
    held = [word in have or (word in same and not same[word].isdisjoint(have)) for word in wanted]
    return sum(held) / len(held) if held else 1.0


@lru_cache(maxsize=8_000)
def _named_words(sentence: str) -> tuple[str, ...]:
    return tuple(word for word in content_words(sentence) if not word[0].isdigit())


def best_fact(sentence: str, facts: Iterable[Fact]) -> tuple[float, Fact | None]:
    """The fact that carries a sentence best, and how well; shared numbers decide between equals."""

    def rank(fact: Fact) -> tuple[float, int, float]:
        shared = len({*numbers(fact.sentence)} & {*numbers(sentence)})
        return carries(fact.sentence, sentence), shared, carries(bare(sentence), fact.sentence)

    best = max(facts, key=rank, default=None)
    return (rank(best)[0], best) if best else (0.0, None)


def subject_in(sentence: str) -> str:
    """What a sentence begins with, before its verb; "" where no verb is known."""
    named = _SUBJECT.match(sentence)
    return named[1] if named else ""


def in_full(facts: Iterable[Fact]) -> list[Fact]:
    """The facts with names for the pronouns that they begin with: the subject before, or the heading."""
    found: list[Fact] = []
    subject, source = "", None
    for fact in facts:
        if fact.source != source:
            subject = fact.title if content_words(fact.title) else ""
        source, pronoun = fact.source, _PRONOUN.match(fact.sentence)
        if pronoun and subject:
            name = f"{subject}'s" if pronoun[1] else subject
            fact = replace(fact, sentence=name + fact.sentence[pronoun.end() :])
        else:
            subject = subject_in(fact.sentence) or subject
        found.append(fact)
    return found


@lru_cache(maxsize=4_000)
def mismatch(sentence: str, fact: Fact) -> str:
    """How a sentence contradicts its fact, in words; "" when it agrees."""
    plain, true = bare(sentence), fact.sentence
    wrong = [number for number in numbers(plain) if number not in numbers(true)]
    right = [number for number in numbers(true) if number not in numbers(plain)]
    if wrong and right:
        return f"the facts say {', '.join(right)} and not {', '.join(wrong)}"
    if wrong:
        return f"the facts do not give the number {', '.join(wrong)}"
    if other := _other_use(plain, true):
        return f"the facts say {other}"
    return _opposite(plain, true) or _strange(plain, true)


def _opposite(plain: str, true: str) -> str:
    """What one sentence affirms and the other denies."""
    said, told = {*words(plain)}, {*words(true)}
    for pair in lines_in("words/meaning", "opposites"):
        for one, other in (pair, pair[::-1]):
            if one in said - told and other in told - said:
                return f"the facts say “{other}” and not “{one}”"
    denies = is_no(plain) != is_no(true) and not _FORBIDS.search(f"{plain} {true}")
    return "the facts say the opposite" if denies else ""


def _strange(plain: str, true: str) -> str:
    """The words of a sentence that its fact lacks; of a paraphrase only the names."""
    spoken = [word.rstrip("'’.-") for word in re.findall(r"[\w'’+#.-]+", plain)]
    known = [word for word in spoken if content_words(word) and not numbers(word)]
    strange = [word for word in known if carries(true, word) < 1]
    if not strange:
        return ""
    same = difflib.SequenceMatcher(None, words(plain)[:_LONGEST], words(true)[:_LONGEST], False)
    if same.ratio() <= 0.8:
        first = plain.split()[0]
        tails = {word: word[1:] if word == first else word for word in strange}
        strange = [word for word in strange if re.search(r"[A-Z\d]", tails[word])]
    return f"the facts do not say “{', '.join(strange)}”" if strange else ""


def _other_use(sentence: str, fact: str) -> str:
    """What a fact says of a number that a sentence bounds, or counts things with, in another way."""
    said, true = (
        {number: (up, down, unit) for up, down, number, unit in _AROUND.findall(text)}
        for text in (sentence, fact)
    )
    units = {unit for *_, unit in true.values()}
    for figure, (up, down, unit) in said.items():
        least, most, counted = true.get(figure, (up, down, unit))
        counts_others = unit and unit != counted and unit in units
        if (up and most) or (down and least) or counts_others:
            return " ".join(filter(None, (least, most, figure, counted)))
    return ""


def carried(sentence: str, facts: Iterable[Fact]) -> list[Fact]:
    """The facts that say what a sentence says: most of its words, all of its names and numbers."""
    near = (fact for fact in facts if carries(fact.sentence, sentence) >= NEAR)
    return [fact for fact in near if not mismatch(sentence, fact)]


def differ(a: Fact, b: Fact) -> bool:
    """Whether two sentences say the same with one other figure, or one denies what the other says."""
    one, two = meaning(a.sentence), meaning(b.sentence)
    first, second = figures(a.sentence), figures(b.sentence)
    if len(first) != len(second) or len(one & two) < 2:
        return False
    others = sum(x != y for x, y in zip(first, second, strict=True))
    alike = len(one & two) / len(one | two)
    if others:
        return others == 1 and alike >= 0.5
    return alike >= NEAR and is_no(a.sentence) != is_no(b.sentence)


def of_one_thing(a: Fact, b: Fact) -> bool:
    """Whether neither sentence has a name that the other lacks."""
    named = (name for fact in (a, b) for name in re.findall(r"(?<=\s)[A-Z][\w-]*", fact.sentence))
    return {*map(stem, named)}.isdisjoint(meaning(a.sentence) ^ meaning(b.sentence))
