"""Words, stems, sentences, citations and numbers: how a text is taken apart.

Everything here is a pure function of its text. Nothing knows a topic, a lesson or a corpus.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from .lexicon import has, number_pattern, words_in
from .wishes import number

_LONG_SUFFIXES = (
    "ization isation ations ation ements ement ments ment ings ing ions ion ers er ors or"
)
_SUFFIXES = (*_LONG_SUFFIXES.split(), "ed", "ly", "es", "s")
_WORD = re.compile(r"[^\W_]+(?:['’.\-][^\W_]+)*[+#]*")
_CITATION = re.compile(r"\s*\[(?!\s*[xX ]?\])([^\[\]\n]{1,160})\](?!\()")
_LETTER = re.compile(r"\w")
BULLET = re.compile(r"^\s*(?:[-*•·–]|\(?\d{1,3}[.)])\s+")
_SHORT_FORM = re.compile(
    r"(?:^|[\s(])(?:e[.]g|i[.]e|u[.]s|etc|approx|vs|dr|mr|mrs|prof|inc|ltd|no|fig|cf|al|st|[A-Z])\.$",
    re.I,
)
_LONG_FORM = re.compile(r"[A-Z]\w{0,40}+(?:[ -](?:of |and |for )?[A-Z]\w{0,40}+){1,5}")
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
        word = word.removesuffix(next(filter(None, map(_ending(word), _SUFFIXES)), ""))
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]
    silent = word[-1] == "e" or (word[-1] == "y" and word[-2] not in "aeou")
    return word[:-1] if len(word) > 3 and silent else word


def _ending(word: str):
    """A function that returns a suffix that can be taken off a word, or ""."""

    def fitting(suffix: str) -> str:
        left = len(word) - len(suffix)
        return suffix if word.endswith(suffix) and left >= (4 if len(suffix) > 2 else 3) else ""

    return fitting


@lru_cache(maxsize=8_000)
def content_words(text: str) -> tuple[str, ...]:
    """The stems that carry meaning, in order, each once: no stop words, no generic words."""
    empty = stop_words() | words_in("words/common", "generic")
    kept = (word for word in words(uncited(text)) if word not in empty)
    long = (word for word in kept if len(word) > 1 or word.isdigit())
    return tuple(dict.fromkeys(stem(word.replace("-", "")) for word in long))


@lru_cache(maxsize=4_000)
def vocabulary(text: str) -> frozenset[str]:
    """All stems of a text, with joined neighbours (hand off → handoff), hyphen parts and acronyms."""
    plain = words(text)
    joined = [a + b for a, b in pairwise(plain) if a.isalpha() and b.isalpha()]
    pieces = [piece for word in plain if "-" in word for piece in word.split("-")]
    acronyms = []
    for name in _LONG_FORM.findall(text):
        initials = "".join(part[0] for part in re.findall(r"[A-Z]\w*", name))
        acronyms += [initials[i:] for i in range(len(initials) - 1)]
    return frozenset(stem(word.replace("-", "")) for word in (*plain, *joined, *pieces, *acronyms))


def overlap(a: str, b: str) -> float:
    """How much of a's meaning is in b, from 0 to 1 (1 when a has no content words at all)."""
    wanted = content_words(a)
    return sum(word in vocabulary(b) for word in wanted) / len(wanted) if wanted else 1.0


_DIGITS = r"(?<![^\W_])v?(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)*)"
_NUMBER = re.compile(rf"{_DIGITS}|\b({number_pattern()})\b", re.I)


@lru_cache(maxsize=8_000)
def numbers(text: str) -> tuple[str, ...]:
    """Every number in one spelling, in order: 1,500 → 1500, twelve → 12, v0.8.0 → 0.8.0; not "one"."""
    kept = []
    for digits, spoken in _NUMBER.findall(uncited(text)):
        if spoken.lower() not in ("one", "single", "couple"):
            plain = digits.replace(",", "") or str(number(spoken))
            kept.append((plain.lstrip("0") or "0") if plain.isdigit() else plain)
    return tuple(kept)


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
    named = (one for group in _CITATION.findall(text) for one in re.split(r",\s+|\s*;\s*", group))
    return tuple(dict.fromkeys(filter(None, (one.strip(" `*^") for one in named))))


def uncited(text: str) -> str:
    """The text without its citations; punctuation stays."""
    return _CITATION.sub("", text) if "[" in text else text


def is_heading(line: str) -> bool:
    """Whether a line is a title and not a sentence: "# Title", "**Title**"."""
    return bool(_HEADING.match(line))


def blocks(text: str) -> tuple[str, ...]:
    """Paragraphs and bullets without their marks; hard-wrapped lines are joined, headings are kept."""
    found: list[list[str]] = []  # each as its lines
    is_open = False
    for line in text.splitlines():
        plain = line.strip()
        if not plain or is_heading(line):
            is_open = False
            found += [[plain]] if plain else []
        elif BULLET.match(line) or not is_open or _is_ended(found[-1][-1]):
            found.append([BULLET.sub("", line).strip()])
            is_open = True
        else:
            found[-1].append(plain)
    return tuple(" ".join(lines) for lines in found)


def _is_ended(line: str) -> bool:
    """Whether a line ends a sentence: with a mark, or a bracket, and quotes behind it."""
    body = line.rstrip("\"'”’)")
    return ")" in line[len(body) :] or body.endswith((".", "!", "?", "]"))


@lru_cache(maxsize=4_000)
def sentences(text: str) -> tuple[str, ...]:
    """The sentences in order, without headings; a citation stays with the sentence before it."""
    found: list[str] = []
    for block in blocks(text):
        if not is_heading(block):
            found += _sentences_of(block)
    return tuple(found)


def _sentences_of(block: str) -> list[str]:
    found: list[str] = []
    for piece in _END.split(block):
        while found and (lead := _CITATION.match(piece)):  # "Sentence. [id] Next."
            found[-1] += " " + lead.group().strip()
            piece = re.sub(r"^[.,;]?\s*", "", piece[lead.end() :])
        if found and _SHORT_FORM.search(found[-1][-12:]):
            found[-1] += " " + piece.strip()
        elif found and not _LETTER.search(piece):  # dots and marks alone
            found[-1] += f" {piece.strip()}" if piece.strip() else ""
        elif piece.strip(" *_"):
            found.append(piece.strip())
    return found


@lru_cache(maxsize=8_000)
def sentence_of(text: str, source: str = "", title: str = "") -> Fact:
    """One sentence and its citations as a fact: the words without the citation, with a full stop."""
    plain = re.sub(r"\s+([.,;!?])(?!\w)", r"\1", " ".join(uncited(text).split())).strip(" *_")
    plain = re.sub(r"([.!?])[.]+$", r"\1", plain)
    plain += "" if not plain or plain[-1] in ".!?。！？:" else "."
    return Fact(re.sub(r"[,;]+\.$", ".", plain), ", ".join(citations(text)) or source, title)


def says_nothing(text: str) -> bool:
    """Whether a sentence or a short text only says that nothing was found."""
    return has(text, "words/nothing") and not citations(text)


def is_no(text: str) -> bool:
    """Whether a text says no."""
    return bool(_NO.search(text))


@lru_cache(maxsize=8_000)
def is_instruction(sentence: str) -> bool:
    """Whether a sentence found in data tells its reader to do something: data is never an order."""
    return has(sentence, "words/instructions") or bool(re.search(r"</?[a-z]+>", sentence))
