"""A statement: the subject and the verb that a sentence begins with, what it defines, and when it happened."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

from .lexicon import table, words_in
from .words import content_words, core

ARTICLES = frozenset({"a", "an", "the"})
DEFINES = re.compile(r"(?:is|are|was|were) (?:an?|the|one)\b")
_LONGEST_SUBJECT = 8  # words
_SURE = frozenset({"is", "was", "has", "does"})  # verbs that are never a noun in plural
_ISO = re.compile(r"\b((?:19|20)\d\d)-(\d\d)(?:-\d\d)?\b")
_YEAR = re.compile(
    r"\b(?:in|since|by|of|until|from|early|late|around|quarter of) ((?:19|20)\d\d)\b", re.I
)


class Opening(NamedTuple):
    """The beginning of a sentence; both are "" where no verb is known."""

    subject: str = ""
    verb: str = ""

    @property
    def number(self) -> str:
        """The number of the verb: "singular", "plural" or "either"; "" for no known verb."""
        return _number(self.verb)


@lru_cache(maxsize=8_000)
def opening(sentence: str) -> Opening:
    """The subject and the verb that a sentence begins with."""
    tokens = [*sentence.split(), ""]
    longest = min(len(tokens) - 2, _LONGEST_SUBJECT)
    for count in range(1, longest + 1):
        last = tokens[count - 1]
        if last[-1] in ",;:.":
            break
        verb = tokens[count].rstrip(",")
        if _number(verb) and not _is_surely_verb(tokens[count + 1]):
            subject = " ".join(tokens[:count])
            return Opening(subject, verb)
    return Opening()


def _number(verb: str) -> str:
    for number in ("plural", "either", "singular"):
        if verb in words_in("words/prose", number):
            return number
    is_past = verb.endswith("ed") and verb.isalpha()
    return "either" if is_past else ""


def _is_surely_verb(word: str) -> bool:
    """True if a word can be nothing but a verb."""
    if word in _SURE:
        return True
    return any(word in words_in("words/prose", number) for number in ("plural", "either"))


def same_thing(one: str, other: str) -> bool:
    """True if two subjects name the same: the same words, or a name and its acronym."""
    first = _name(one)
    second = _name(other)
    if not first:
        return False
    return first == second or second == _acronym(one) or first == _acronym(other)


def _name(subject: str) -> str:
    """A subject without articles and what it has in brackets; its first letter is small."""
    tokens = unbracketed(subject).split()
    name = " ".join(word for word in tokens if word.lower() not in ARTICLES)
    return name[:1].lower() + name[1:]


def unbracketed(subject: str) -> str:
    """A subject without what it has in brackets, unless it is all in brackets."""
    return re.sub(r"(?<!\s)\s*+\([^)]{0,200}\)", "", subject) or subject


def _acronym(subject: str) -> str | None:
    """The acronym of a name of several words, as `_name` writes it; None for other words."""
    tokens = _name(subject).title().split()
    letters = "".join(word[0] for word in tokens)
    if len(letters) < 3 or subject.isupper():
        return None
    return letters[0].lower() + letters[1:]


def defines(sentence: str, subject: str) -> int:
    """Scores a sentence as a definition of a subject: 3 "X is a …", 2 "X connects …", 1 "the X
    project is a …".
    """
    start = opening(sentence)
    wanted = set(content_words(subject))
    have = set(content_words(_name(start.subject)))
    if not (wanted and have):
        return 0
    is_same = have == wanted or same_thing(start.subject, " ".join(core(subject)))
    if DEFINES.match(sentence, len(start.subject) + 1):
        is_one = start.subject.startswith("The ") and len(have - wanted) == 1 and wanted < have
        return 3 if is_same else int(is_one)
    says_what_it_does = start.number == "singular" and start.verb not in _SURE
    return 2 if is_same and says_what_it_does and not month_of(sentence) else 0


@cache
def _months() -> tuple[str, ...]:
    return tuple(table("words/prose")["months"].split())


@cache
def _dated() -> re.Pattern[str]:
    return re.compile(rf"\b({'|'.join(_months())}) (?:\d{{1,2}}, )?((?:19|20)\d\d)\b", re.I)


def month_of(sentence: str) -> tuple[int, int] | None:
    """The earliest (year, month) that a sentence names; the month is 0 where it names the year alone."""
    dates = [(int(year), int(month)) for year, month in _ISO.findall(sentence)]
    for month, year in _dated().findall(sentence):
        number = _months().index(month.lower()) + 1
        dates.append((int(year), number))
    if not dates:
        dates = [(int(year), 0) for year in _YEAR.findall(sentence)]
    return min(dates, default=None)
