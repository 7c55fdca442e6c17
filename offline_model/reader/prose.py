"""Prose: what a sentence is about, whether it defines it, when it happened, and pronouns for repeated subjects."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from .claims import DIFFER, bare
from .lexicon import table, words_in
from .topics import core
from .words import Fact, citations, content_words, stem, uncited, words

CONTRAST = "By contrast, "
_LONGEST_SUBJECT = 8  # words
_MOST_PRONOUNS = 2  # in a row: then the name stands again
_FEWEST_WORDS = (
    2  # that a sentence says beside its subject: with fewer a pronoun makes it say nothing
)
_ARTICLES = frozenset({"a", "an", "the"})
_DEFINES = re.compile(r"(?:is|are|was|were) (?:an?|the|one)\b")
_HEAD = re.compile(
    r"(?:[\w.+#'’-]+(?: |$)){1,8}?(?=(?:that|which|who|for|of|in|to|from|with|and|built)\b|$)"
)
_PLAIN_NAME = re.compile(r"[A-Z][a-z]+$")
_OF = re.compile(r"(?:The|the) ([a-z]+) of (.+)$")
_PRONOUN = re.compile(r"(?:It|They|(Its|Their)) ")
_ISO = re.compile(r"\b((?:19|20)\d\d)-(\d\d)(?:-\d\d)?\b")
_YEAR = re.compile(
    r"\b(?:in|since|by|of|until|from|early|late|around|quarter of) ((?:19|20)\d\d)\b", re.I
)


@cache
def _months() -> tuple[str, ...]:
    return tuple(table("words/prose")["months"].split())


@cache
def _dated() -> re.Pattern:
    return re.compile(rf"\b({'|'.join(_months())}) (?:\d{{1,2}}, )?((?:19|20)\d\d)\b", re.I)


def month_of(sentence: str) -> tuple[int, int] | None:
    """The earliest (year, month) that a sentence names; the month is 0 where it names the year alone."""
    found = [(int(year), int(month)) for year, month in _ISO.findall(sentence)]
    for month, year in _dated().findall(sentence):
        found.append((int(year), _months().index(month.lower()) + 1))
    found = found or [(int(year), 0) for year in _YEAR.findall(sentence)]
    return min(found, default=None)


def opening(sentence: str) -> tuple[str, str]:
    """The subject that a sentence begins with, and its verb; ("", "") where no verb is known."""
    tokens = sentence.split()
    for place in range(1, min(len(tokens), _LONGEST_SUBJECT + 1)):
        if tokens[place - 1][-1] in ",;:.":
            break
        verb, after = tokens[place].rstrip(","), "".join(tokens[place + 1 : place + 2])
        if _number(verb) and not _number(after, sure=True):
            return " ".join(tokens[:place]), verb
    return "", ""


def _number(verb: str, sure: bool = False) -> str:
    """Whether a verb is "singular", "plural" or "either"; "" when it is no verb that is known."""
    for number in ("plural", "either"):
        if verb in words_in("words/prose", number):
            return number
    if verb in words_in("words/prose", "singular"):
        return "singular" if not sure or verb in ("is", "was", "has", "does") else ""
    return "either" if verb.endswith("ed") and verb.isalpha() and not sure else ""


def same_thing(one: str, other: str) -> bool:
    """Whether two subjects name the same: the same words, or a name and its acronym."""
    first, second = _name(one), _name(other)
    return bool(first) and (
        first == second or second in _initials(one) or first in _initials(other)
    )


def _name(subject: str) -> str:
    """A subject without articles and what it has in brackets; its first letter is small."""
    name = " ".join(word for word in _unbracketed(subject).split() if word.lower() not in _ARTICLES)
    return name[:1].lower() + name[1:]


def _unbracketed(subject: str) -> str:
    return re.sub(r"\s*\([^)]*\)", "", subject) or subject


def _initials(subject: str) -> tuple[str, ...]:
    """The acronym of a name of several words, as `_name` writes it; none for other words."""
    letters = "".join(word[0] for word in _name(subject).title().split())
    is_name = len(letters) > 2 and not subject.isupper()
    return (letters[0].lower() + letters[1:],) if is_name else ()


def defines(sentence: str, subject: str) -> int:
    """How well a sentence says what a subject is: 3 "X is a …", 2 "X connects …", 1 "the X project is a …"."""
    named, verb = opening(sentence)
    wanted, have = content_words(subject), {*content_words(_name(named))}
    if not (wanted and have):
        return 0
    is_same = have == {*wanted} or same_thing(named, " ".join(core(subject)))
    if _DEFINES.match(sentence, len(named) + 1):
        is_one = named.startswith("The ") and have > {*wanted} and len(have) == len(wanted) + 1
        return 3 if is_same else int(is_one)
    tells = _number(verb) == "singular" and not _number(verb, sure=True)
    return 2 if is_same and tells and not month_of(sentence) else 0


def uncapitalized(sentence: str, task: str) -> str:
    """A sentence that goes on behind other words: its first word is small, if an article or so in the task."""
    first = sentence.split(" ")[0].lower()
    is_small = first in _ARTICLES or first in re.findall(r"[\w-]+", task)
    return first + sentence[len(first) :] if is_small else sentence


def with_pronouns(sentences: Sequence[str], around: Sequence[str]) -> list[str]:
    """The sentences of a paragraph, with a pronoun for the subject that the sentence before has, too.

    around: all sentences of the text, which say what a name stands for.
    """
    written: list[str] = []
    before, count = ("", ""), 0
    for sentence in sentences:
        now = opening(uncited(sentence))
        text = _shorter(sentence, before, now, around) if count < _MOST_PRONOUNS else ""
        count = count + 1 if text else 0
        written.append(text or sentence)
        before = ("", "") if text.startswith("Its ") else now
    return written


def _shorter(
    sentence: str, before: tuple[str, str], now: tuple[str, str], around: Sequence[str]
) -> str:
    """A sentence with a pronoun for its subject, or ""."""
    if not (before[0] and now[0] and _is_thing(before[0], around)):
        return ""
    rest = sentence[len(now[0]) :]
    if len(content_words(rest)) < _FEWEST_WORDS:
        return ""
    if same_thing(before[0], now[0]):
        numbers = {_number(before[1]), _number(now[1])} - {"either"}
        known = numbers or ({"singular"} if not before[0].endswith("s") else set())
        pronouns = {"singular": "It", "plural": "They"}
        return pronouns[known.pop()] + rest if len(known) == 1 else ""
    has = _OF.match(now[0])
    is_its = has and _number(before[1]) == "singular" and same_thing(before[0], has[2])
    return f"Its {has[1]}{rest}" if has and is_its else ""


def _is_thing(subject: str, around: Sequence[str]) -> bool:
    """Whether "it" fits a subject: no person's name, a known noun behind an article, or defined as one."""
    first, *rest = _unbracketed(subject).split()
    last = re.sub(r"\W", "", (rest or [first])[-1])
    if first.lower() in _ARTICLES and rest:
        return _is_noun_of_things(last) or last[-1:].isdigit()
    if not rest and not _PLAIN_NAME.match(first):
        return True
    return any(_is_noun_of_things(_defined_as(one)) for one in around if opening(one)[0] == subject)


def _is_noun_of_things(noun: str) -> bool:
    return stem(noun) in {stem(word) for word in words_in("words/prose", "things")}


def _defined_as(sentence: str) -> str:
    """The noun of "X is a …": the last word before what describes it."""
    subject = opening(sentence)[0]
    start = _DEFINES.match(sentence, len(subject) + 1) if subject else None
    head = _HEAD.match(uncited(sentence[start.end() + 1 :]).rstrip(".")) if start else None
    told = words(head[0]) if head else []
    return told[-1] if told else ""


def spelled_out(sentence: str, facts: Sequence[Fact]) -> Fact | None:
    """The fact that a sentence says with a pronoun or behind "by contrast", which need the sentence before."""
    plain = bare(sentence)
    told = plain.removeprefix(CONTRAST)
    pronoun = _PRONOUN.match(plain)
    if told == plain and not pronoun and not sentence.startswith(DIFFER):
        return None
    end = " ".join(plain.split()[2:]) if pronoun else told[1:]
    ids = {*citations(sentence)}
    own = (fact for fact in facts if fact.sentence.endswith(end) and ids <= {*fact.sources})
    return next(own, None)
