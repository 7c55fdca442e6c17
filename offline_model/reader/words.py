"""Words, stems, sentences, citations and numbers: how a text is taken apart.

Everything here is a pure function of its text. Nothing knows a topic, a lesson or a corpus.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from .dials import number
from .lexicon import has, number_pattern, words_in

_SUFFIXES = (
    "ization isation ations ation ements ement ments ment ings ing ions ion ers er ors or ed ly es s"
).split()
_WORD = re.compile(r"[^\W_]+(?:['’.\-][^\W_]+)*[+#]*")
_CITATION = re.compile(r"(?<!\s)\s*+\[(?!\s*[xX ]?\])([^\[\]\n]{1,160})\](?!\()")
_LETTER = re.compile(r"\w")
BULLET = re.compile(r"^\s*(?:[-*•·–]|\(?\d{1,3}[.)])\s+")
_SHORT_FORM = re.compile(
    r"(?:^|[\s(])(?:e[.]g|i[.]e|u[.]s|etc|approx|vs|dr|mr|mrs|prof|inc|ltd|no|fig|cf|al|st|[A-Z])\.$",
    re.I,
)
_HEADING = re.compile(r"\s*#{1,6}\s|\s*\*\*[^*]+\*\*:?\s*$|\s*(?:=+|-{3,}|\*{3,})\s*$")
_END = re.compile(r"(?<=[.!?])[\"'”’)*_]*\s+|(?<=[。！？])\s*")
_NO = re.compile(r"\b(?:no|not|none|never|without|cannot|neither|nor)\b|n['’]t\b", re.I)


def stop_words() -> frozenset[str]:
    """Words that carry no meaning of their own."""
    return words_in("words/common", "stop")


def words(text: str) -> list[str]:
    """The words of a text in lower case, in order; versions and hyphenated words stay whole."""
    return [match.lower() for match in _WORD.findall(text)]


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """A light stem: announced, announces and announcement meet; short words and numbers stay."""
    word = word.lower().replace("’", "'").removesuffix("'s")
    if len(word) < 4 or not word[-1].isalpha():
        return word
    if word.endswith("ies"):
        word = word[:-3] + "y"
    elif not word.endswith(("ss", "us", "is")):
        word = _without_suffix(word)
    if len(word) < 4:
        return word
    last = word[-1]
    is_double = last == word[-2] and last not in "aeiouls"
    is_silent = last == "e" or (last == "y" and word[-2] not in "aeou")
    return word[:-1] if is_double or is_silent else word


def _without_suffix(word: str) -> str:
    """A word without its first suffix that leaves enough of it."""
    for suffix in _SUFFIXES:
        least = 4 if len(suffix) > 2 else 3
        if word.endswith(suffix) and len(word) - len(suffix) >= least:
            return word.removesuffix(suffix)
    return word


@lru_cache(maxsize=8_000)
def content_words(text: str) -> tuple[str, ...]:
    """The stems that carry meaning, in order, each once: no stop words, no generic words."""
    empty = stop_words() | words_in("words/common", "generic")
    stems: dict[str, None] = {}
    for word in words(uncited(text)):
        is_long = len(word) > 1 or word.isdigit()
        if is_long and word not in empty:
            stems[_whole_stem(word)] = None
    return tuple(stems)


def _whole_stem(word: str) -> str:
    """The stem of a word that may have a hyphen: hand-off and handoff are one."""
    return stem(word.replace("-", ""))


def core(text: str) -> tuple[str, ...]:
    """The words that carry the meaning of a text, as they are written."""
    named = [word.rstrip("'’.-") for word in re.findall(r"[\w'’.+#-]+", text)]
    return tuple(word for word in named if content_words(word))


@lru_cache(maxsize=4_000)
def vocabulary(text: str) -> frozenset[str]:
    """All stems of a text, with joined neighbours (hand off → handoff) and hyphen parts."""
    plain = words(text)
    found = set(plain)
    for first, second in pairwise(plain):
        if first.isalpha() and second.isalpha():
            found.add(first + second)
    for word in plain:
        found.update(word.split("-"))
    return frozenset(map(_whole_stem, found))


def overlap(a: str, b: str) -> float:
    """Returns the share of a's content words in b, from 0 to 1; 1 when a has none."""
    wanted = content_words(a)
    if not wanted:
        return 1.0
    held = vocabulary(b).intersection(wanted)
    return len(held) / len(wanted)


_DIGITS = r"(?<![^\W_])v?(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)*)"
_NUMBER = re.compile(rf"{_DIGITS}|\b({number_pattern()})\b", re.I)


@lru_cache(maxsize=8_000)
def numbers(text: str) -> tuple[str, ...]:
    """Every number in one spelling, in order: 1,500 → 1500, twelve → 12, v0.8.0 → 0.8.0; not "one"."""
    found = []
    for digits, spoken in _NUMBER.findall(uncited(text)):
        if spoken.lower() in ("one", "single", "couple"):
            continue
        plain = digits.replace(",", "") or str(number(spoken))
        if plain.isdigit():
            plain = plain.lstrip("0") or "0"
        found.append(plain)
    return tuple(found)


@dataclass(frozen=True)
class Fact:
    """One sentence with the source that carries it ("" for none; "a, b" for two)."""

    sentence: str
    source: str = ""
    title: str = ""  # the heading that it is under, if any

    @property
    def sources(self) -> tuple[str, ...]:
        return tuple(self.source.split(", ")) if self.source else ()


@lru_cache(maxsize=8_000)
def citations(text: str) -> tuple[str, ...]:
    """The source ids that a text cites, in order, each once: [id], [a, b]."""
    sources: dict[str, None] = {}
    for group in _CITATION.findall(text):
        for name in re.split(r",\s+|\s*;\s*", group):
            source = name.strip(" `*^")
            if source:
                sources[source] = None
    return tuple(sources)


def uncited(text: str) -> str:
    """The text without its citations; punctuation stays."""
    return _CITATION.sub("", text) if "[" in text else text


def is_heading(line: str) -> bool:
    """True if a line is a title and not a sentence: "# Title", "**Title**"."""
    return bool(_HEADING.match(line))


def blocks(text: str) -> tuple[str, ...]:
    """Paragraphs and bullets without their marks; hard-wrapped lines are joined, headings are kept."""
    found: list[list[str]] = []  # each as its lines
    is_open = False
    for line in text.splitlines():
        plain = line.strip()
        if not plain:
            is_open = False
        elif is_heading(line):
            is_open = False
            found.append([plain])
        elif BULLET.match(line) or not is_open or _is_ended(found[-1][-1]):
            is_open = True
            found.append([BULLET.sub("", line).strip()])
        else:
            found[-1].append(plain)
    return tuple(map(" ".join, found))


def _is_ended(line: str) -> bool:
    """True if a line ends a sentence: with a mark, or a bracket, and quotes behind it."""
    body = line.rstrip("\"'”’)")
    closing = line[len(body) :]
    return ")" in closing or body.endswith((".", "!", "?", "]"))


@lru_cache(maxsize=4_000)
def sentences(text: str) -> tuple[str, ...]:
    """The sentences in order, without headings; a citation stays with the sentence before it."""
    plain = [block for block in blocks(text) if not is_heading(block)]
    return tuple(sentence for block in plain for sentence in _sentences_of(block))


def _sentences_of(block: str) -> list[str]:
    found: list[str] = []
    for piece in _END.split(block):
        while found and (lead := _CITATION.match(piece)):  # "Sentence. [id] Next."
            found[-1] += " " + lead.group().strip()
            piece = piece[lead.end() :].lstrip()
            piece = re.sub(r"^[.,;]\s*", "", piece)
        plain = piece.strip()
        if not found:
            found += [plain] if plain.strip("*_") else []
        elif _SHORT_FORM.search(found[-1][-12:]):
            found[-1] += " " + plain
        elif _LETTER.search(plain):
            found.append(plain)
        elif plain:  # dots and marks alone
            found[-1] += " " + plain
    return found


@lru_cache(maxsize=8_000)
def sentence_of(text: str, source: str = "", title: str = "") -> Fact:
    """One sentence and its citations as a fact: the words without the citation, with a full stop."""
    plain = " ".join(uncited(text).split())
    plain = re.sub(r" ([.,;!?])(?!\w)", r"\1", plain).strip(" *_")
    plain = re.sub(r"([.!?])\.+$", r"\1", plain)
    if plain and plain[-1] not in ".!?。！？:":
        plain = plain.rstrip(",;") + "."
    sources = ", ".join(citations(text))
    return Fact(plain, sources or source, title)


def says_nothing(text: str) -> bool:
    """True if a sentence or a short text only says that nothing was found."""
    return has(text, "words/nothing") and not citations(text)


def is_no(text: str) -> bool:
    """True if a text says no."""
    return bool(_NO.search(text))


@lru_cache(maxsize=8_000)
def is_instruction(sentence: str) -> bool:
    """True if a sentence found in data tells its reader to do something: data is never an order."""
    has_tag = re.search(r"</?[a-z]+>", sentence)
    return has_tag is not None or has(sentence, "words/instructions")
