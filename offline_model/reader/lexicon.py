"""Read the lexicon: wordings and word lists that are data, found in a text by one small matcher.

A wording is literal words. `a|b` is one of several words, `word*` a word with any ending, `(word)` one
that may be missing, `{n}` a number in digits or words, `{name}` a phrase of phrases.toml in any of its
forms, `...` up to four words, `^` the beginning of a clause. There is nothing else: a wording is data that
anybody can read.
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

FOLDERS = ("roles", "dials", "tools", "words")
FOLDER = Path(__file__).resolve().parent.parent / "lexicon"
CLAUSE_END = re.compile(r"[.;:!?](?=[\s\"”’')\]*]|$)|\n+|[—–]")
LONGEST_SENTENCE = 4_000
"""Characters: what goes on for longer without an end is read as far as this."""
SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|\n\s*\n\s*")
_APART = r"[\s\"“”*`,:-]++"
_GAP = r"((?:[^\s.,;:!?]{1,60}+\s++){0,4}?)"
_WORD = re.compile(r"[^\W_]+")
_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


@cache
def table(path: str) -> dict[str, Any]:
    """One file of the lexicon, for example "words/stop", or one table of a file, as "dials/title"."""
    file = FOLDER / f"{path}.toml"
    if file.is_file():
        return tomllib.loads(file.read_text(encoding="utf-8"))
    whole, _, part = path.rpartition("/")
    own: dict[str, Any] = table(whole)[part]
    return own


@cache
def words_in(path: str, key: str = "words") -> frozenset[str]:
    """The words that a file lists under a key."""
    return frozenset(table(path)[key].split())


@cache
def lines_in(path: str, key: str) -> tuple[tuple[str, ...], ...]:
    """The lines of a file's list, each as its words: groups of words that belong together."""
    return tuple(tuple(line.split()) for line in table(path)[key])


@cache
def families(folder: str) -> tuple[str, ...]:
    """The families of a folder or of a file of the lexicon, by name."""
    if (FOLDER / folder).is_dir():
        return tuple(sorted(path.stem for path in (FOLDER / folder).glob("*.toml")))
    return tuple(table(folder))


@cache
def number_words() -> dict[str, int]:
    """Word → number: one … nineteen, twenty … ninety, dozen, single, couple."""
    return dict(table("words/numbers")["numbers"])


@cache
def number_pattern() -> str:
    """A pattern for a number in digits or in words, without groups."""
    unit = "|".join(sorted(number_words(), key=len, reverse=True))
    hundred = rf"(?:an? |(?:{unit})[ -])?hundred(?: and)?(?:[ -](?:{unit})){{0,3}}"
    return rf"(?:\d[\d,]{{0,20}}+(?:\.\d+)?|{hundred}|(?:{unit})-(?:{unit})|(?:{unit}))"


class Match(NamedTuple):
    """A wording of a family found in a text, and where it is."""

    family: str
    key: str
    start: int
    end: int
    gaps: tuple[tuple[int, int], ...] = ()  # where the words are that its "..." skips

    def moved(self, by: int) -> Match:
        """The same wording so many characters further on."""
        gaps = tuple((start + by, end + by) for start, end in self.gaps)
        return Match(self.family, self.key, self.start + by, self.end + by, gaps)


@dataclass(frozen=True)
class _Wording:
    family: str
    key: str
    words: str
    begins: bool  # only at the beginning of a clause

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The wording as a pattern. Compiling all of them takes longer than a whole brief, and few
        of them have a text that begins with their words.
        """
        return re.compile(_compiled(self.words), re.I)


def _compiled(wording: str) -> str:
    """A wording as a regular expression."""
    pattern = ""
    gap = ""
    has_begun = False
    for token in wording.split():
        if token == "...":
            gap = _GAP
            continue
        is_optional = token.startswith("(")
        options = map(_option, token.strip("()").split("|"))
        piece = rf"(?:{'|'.join(options)})(?!\w)"
        if has_begun:
            piece = f"{_APART}{gap}{piece}"
        elif is_optional:
            piece += _APART
        pattern += f"(?:{piece})?" if is_optional else piece
        has_begun = has_begun or not is_optional
        gap = ""
    return pattern


def _option(word: str) -> str:
    if word == "{n}":
        return number_pattern()
    if word[0] == "{":
        return "|".join(map(_compiled, _forms_of(word)))
    literal = re.escape(word).replace("'", "['’]")
    return literal.replace(r"\*", r"[\w'’]{0,60}+")


def _forms_of(phrase: str) -> list[str]:
    """The wordings of a phrase, as "{name}" names it, the longest first."""
    return sorted(table("phrases")[phrase.strip("{}")], key=len, reverse=True)


@cache
def _wordings() -> list[tuple[_Wording, list[str]]]:
    """All wordings of the lexicon, each with its tokens."""
    listed = []
    for family in (f"{folder}/{name}" for folder in FOLDERS for name in families(folder)):
        for key, values in table(family).items():
            for wording in values if key.endswith("wordings") else ():
                plain = wording.removeprefix("^ ")
                entry = _Wording(family, key, plain, plain != wording)
                listed.append((entry, plain.split()))
    return listed


@cache
def _index() -> dict[str, list[_Wording]]:
    """First letters of a wording's first word, or of its first two → the wordings; see `_firsts`."""
    index = defaultdict(list)
    for wording, tokens in _wordings():
        for first in _firsts(tokens):
            for second in _seconds(tokens):
                index[first + second].append(wording)
    return index


def _firsts(tokens: list[str]) -> set[str]:
    """The first letters of the words that a wording may begin with; a number's are "#"."""
    found: set[str] = set()
    for token in tokens:
        for word in token.strip("()").split("|"):
            if word == "{n}":
                found |= {"#", "a", "an", *(name[:3] for name in number_words())}
            elif word[0] == "{":
                found |= {first for form in _forms_of(word) for first in _firsts(form.split())}
            else:
                found.add(_WORD.findall(word.lower())[0][:3])
        if token[0] != "(":
            return found
    return found


def _seconds(tokens: list[str]) -> set[str]:
    """The first letters of the words that must follow a wording's first word; "" where that is open."""
    first, rest = tokens[0], tokens[1:]
    literal = all(word.isalnum() for word in first.split("|"))
    needed = literal and "..." not in rest and any(token[0] != "(" for token in rest)
    return {f" {letters}" for letters in _firsts(rest)} if needed else {""}


@lru_cache(maxsize=1_000)
def scan(text: str) -> tuple[Match, ...]:
    """Every wording of the lexicon in a text, in order of place; none goes on behind a sentence."""
    matches: list[Match] = []
    for start, end in spans(SENTENCE_END, text):
        sentence = text[start : min(end, start + LONGEST_SENTENCE)]
        matches += [match.moved(start) for match in _scan(sentence)]
    return tuple(matches)


def spans(mark: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    """Yields the spans of the pieces of a text between marks."""
    start = 0
    for end, behind in [match.span() for match in mark.finditer(text)]:
        yield start, end
        start = behind
    yield start, len(text)


@lru_cache(maxsize=20_000)
def _scan(sentence: str) -> tuple[Match, ...]:
    """The wordings in one sentence: those that begin with each word, or with it and the next."""
    index = _index()
    matches: list[Match] = []
    beginnings = _beginnings(sentence)
    places = [(word.start(), _letters(word[0])) for word in _WORD.finditer(sentence)]
    for (start, first), (_, second) in pairwise([*places, (0, "")]):
        for wording in (*index.get(first, ()), *index.get(f"{first} {second}", ())):
            if wording.begins and start not in beginnings:
                continue
            match = wording.pattern.match(sentence, start)
            if match:
                groups = enumerate(match.groups(), 1)
                gaps = tuple(match.span(number) for number, gap in groups if gap)
                found_one = Match(wording.family, wording.key, start, match.end(), gaps)
                matches.append(found_one)
    return tuple(matches)


def _letters(word: str) -> str:
    """Returns the index key of a word."""
    if word[0].isdigit():
        return "#"
    return word[:3].lower()


def _beginnings(text: str) -> frozenset[int]:
    """Returns the starts of the clauses of a text: its first word, and the words behind those that
    only lead in.
    """
    openers = words_in("words/openers")
    places = set()
    is_leading = True
    end = 0
    for word in _TOKEN.finditer(text):
        start = word.start()
        if is_leading or CLAUSE_END.search(text, end, start):
            places.add(start)
            is_leading = word[0].lower() in openers
        end = word.end()
    return frozenset(places)


def found(text: str, family: str, key: str = "wordings") -> list[Match]:
    """The places in a text where a family's wordings are."""
    matches = scan(text)
    return [match for match in matches if match.family == family and match.key == key]


def has(text: str, family: str, key: str = "wordings") -> bool:
    """True if a text holds a wording of a family."""
    return bool(found(text, family, key))


def spoken(names: Iterable[str]) -> str:
    """A pattern for any one of some literal words."""
    return "|".join(sorted(map(re.escape, names), key=len, reverse=True))
