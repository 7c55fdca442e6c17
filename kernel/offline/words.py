"""Words, stems, sentences, citations and numbers: how the offline model takes a text apart.

Everything here is a pure function of its text. Nothing knows a topic, a lesson or a corpus.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise


def _listed(text: str) -> list[str]:
    return text.split()


_WORD = re.compile(r"[^\W_]+(?:['’.\-][^\W_]+)*[+#]*")
_SUFFIXES = _listed("ization isation ations ation ements ement ments ment ings ing ions ion ers er ors or ed ly es s")
_SMALL = _listed(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty"
)
NUMBER_WORDS = {word: value for value, word in enumerate(_SMALL)}
NUMBER_WORDS |= {
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "eighty": 80,
    "hundred": 100,
    "single": 1,
    "couple": 2,
    "dozen": 12,
}
STOP = frozenset(
    _listed(
        "a an the and or but nor so yet of in on at to for from by with without into onto over under as is "
        "are was were be been being am do does did has have had having will would shall should can could may "
        "might must it its itself this that these those there here he she they them their theirs his her we "
        "us our you your i me my not no than then too very also only just such same other another any some "
        "all each every both few more most much many own off out up down about between through during before "
        "after again once if because while when where which who whom whose what how why s t don didn doesn "
        "isn aren wasn won let per via vs versus"
    )
)
GENERIC = frozenset(
    _listed(
        "history histories overview introduction intro comparison compare compares comparing compared brief "
        "briefing report article summary summarise summarize essay memo text document documents paper piece "
        "write writing draft facts fact find finding findings information info material evidence source "
        "sources cite cited citing citation citations topic subject question explain explanation describe "
        "description research researching researcher tell know known give state current latest main key "
        "important short concise detailed quick guide difference differences different evolution origin "
        "origins development background basics role rise story uses use used using work works working please "
        "need needs want like good best list get make made thing things way ways new library knowledge search "
        "look reader readers relevant everything anything something gather collect today modern following "
        "below above turn paragraph paragraphs sentence sentences bullet bullets ok okay keeping"
    )
)


def words(text: str) -> list[str]:
    """The words of a text in lower case, in order; versions and hyphenated words stay whole."""
    return [match.lower() for match in _WORD.findall(text)]


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """A light stem: announced, announces and announcement meet; short words and numbers stay as they are."""
    word = word.lower().replace("’", "'").removesuffix("'s")
    if len(word) < 4 or not word[-1].isalpha():
        return word
    if word.endswith("ies"):
        word = word[:-3] + "y"
    elif not word.endswith(("ss", "us", "is")):
        for suffix in _SUFFIXES:
            if word.endswith(suffix) and len(word) - len(suffix) >= (4 if len(suffix) > 2 else 3):
                word = word[: -len(suffix)]
                break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word[-1] in "ey" else word


@lru_cache(maxsize=8_000)
def content_words(text: str) -> tuple[str, ...]:
    """The stems that carry meaning, in order, each once: no stop words, no generic words, no citations."""
    found: dict[str, None] = {}
    for word in words(uncited(text)):
        if word not in STOP and word not in GENERIC and (len(word) > 1 or word.isdigit()):
            found[stem(word.replace("-", ""))] = None
    return tuple(found)


@lru_cache(maxsize=4_000)
def vocabulary(text: str) -> frozenset[str]:
    """All stems of a text, with joined neighbours (hand off → handoff), hyphen parts and acronyms of capitals."""
    plain = words(text)
    joined = [a + b for a, b in pairwise(plain) if a.isalpha() and b.isalpha()]
    pieces = [piece for word in plain if "-" in word for piece in word.split("-")]
    names = re.findall(r"[A-Z][\w]*(?:[ -](?:of |and |for )?[A-Z][\w]*){1,5}", text)
    short = ["".join(p[0] for p in re.findall(r"[A-Z]\w*", name)[i:]) for name in names for i in range(name.count(" "))]
    return frozenset(stem(word.replace("-", "")) for word in (*plain, *joined, *pieces, *short))


def overlap(a: str, b: str) -> float:
    """How much of a's meaning stands in b, from 0 to 1 (1 when a has no content words at all)."""
    wanted = content_words(a)
    return sum(word in vocabulary(b) for word in wanted) / len(wanted) if wanted else 1.0


_NUMBER = re.compile(
    r"(?<![^\W_])v?(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)*)"
    rf"|\b({'|'.join(word for word in NUMBER_WORDS if word not in ('one', 'single', 'couple'))})\b",
    re.I,
)


def numbers(text: str) -> list[str]:
    """Every number of a text in one spelling, in order: 1,500 → 1500, twelve → 12, v0.8.0 → 0.8.0."""
    return list(_numbers(text))


@lru_cache(maxsize=8_000)
def _numbers(text: str) -> tuple[str, ...]:
    found = []
    for digits, word in _NUMBER.findall(uncited(text)):
        number = digits.replace(",", "") or str(NUMBER_WORDS[word.lower()])
        found.append(number.lstrip("0") or "0" if number.isdigit() else number)
    return tuple(found)


_CITATION = re.compile(
    r"\s*(?:\[[^\[\]\n]*\]\((?P<link>https?://[^\s)]+)\)"
    r"|[\[【](?!\s*[xX ]?\])(?P<id>[^\[\]【】\n]{1,160})[\]】](?!\()"
    r"|\((?:sources?|src|refs?|references?|see|via|from|cf\.?)\b[:\s]\s*(?P<named>[^()\n]{1,160})\)"
    r"|\((?P<url>https?://[^\s)]+)\)"
    r"|\((?P<slug>[a-z][a-z0-9]*(?:[-_][a-z0-9.]+)+)\))"
)
TAIL = re.compile(
    r"\s+(?:(?:—|–|--|\|)\s*(?:sources?:\s*)?|-\s+sources?:\s*|sources?:\s*)(?P<id>https?://\S+"
    r"|[\w.:/#-]+)\s*$",
    re.I,
)
BULLET = re.compile(r"^\s*(?:[-*•·–]|\(?\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|etc|approx|vs|dr|mr|mrs|prof|inc|ltd|no|fig|cf|al|jr|st|u\.s|[A-Z])\.$", re.I
)
_END = re.compile(r"(?<=[.!?])[\"'”’)*_]*\s+|(?<=[。！？])\s*")


@dataclass(frozen=True)
class Fact:
    """One sentence with the source that carries it ("" when it names none; "a, b" when it names two)."""

    sentence: str
    source: str = ""
    title: str = ""  # the heading it stood under, if any

    @property
    def sources(self) -> tuple[str, ...]:
        return tuple(self.source.split(", ")) if self.source else ()


@lru_cache(maxsize=8_000)
def citations(text: str) -> tuple[str, ...]:
    """The source ids that a text cites, in order, each once: [id], [a, b], (source: id), (https://…)."""
    found: dict[str, None] = {}
    for match in _CITATION.finditer(text):
        for one in re.split(r"\s*[,;]\s+|\s*;\s*", next(g for g in match.groups() if g)):
            found[re.sub(r"^(?:sources?|src|ref)[:\s]\s*", "", one.strip().strip("`*^"), flags=re.I)] = None
    return tuple(one for one in found if one)


def uncited(text: str) -> str:
    """The text without its citations; only what stands between words goes, punctuation stays."""
    return _CITATION.sub("", text) if "[" in text or "(" in text or "【" in text else text


def is_heading(line: str) -> bool:
    """Whether a line is a title and not a sentence: "# Title", "**Title**"."""
    return bool(re.match(r"\s*#{1,6}\s|\s*\*\*[^*]+\*\*:?\s*$|\s*(?:=+|-{3,}|\*{3,})\s*$", line))


@lru_cache(maxsize=2_000)
def blocks(text: str) -> tuple[str, ...]:
    """Paragraphs and bullets of a text without their marks; hard-wrapped lines are joined, headings are kept."""
    found: list[str] = []
    open_block = False
    for line in text.splitlines():
        if not line.strip():
            open_block = False
        elif is_heading(line):
            found.append(line.strip())
            open_block = False
        elif BULLET.match(line) or not open_block or re.search(r"[.!?\])][\"'”’)]*\s*$", found[-1]):
            found.append(BULLET.sub("", line).strip())
            open_block = True
        else:
            found[-1] += " " + line.strip()
    return tuple(found)


@lru_cache(maxsize=4_000)
def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text in order, headings left out; a citation stays with the sentence before it."""
    found: list[str] = []
    for block in blocks(text):
        if is_heading(block):
            continue
        fresh = True
        for piece in _END.split(block):
            lead = _CITATION.match(piece)
            while lead and not fresh and found:  # "Sentence. [id] Next." – the citation belongs to the first
                found[-1] += " " + piece[: lead.end()].strip()
                piece = re.sub(r"^[.,;]?\s*", "", piece[lead.end() :])
                lead = _CITATION.match(piece)
            if not piece.strip(" *_"):
                continue
            if not fresh and found and _ABBREVIATION.search(found[-1][-12:]):
                found[-1] += " " + piece.strip()
            else:
                found.append(piece.strip())
            fresh = False
    return tuple(found)


@lru_cache(maxsize=8_000)
def sentence_of(text: str, source: str = "", title: str = "") -> Fact:
    """One sentence and its citations as a fact: the words without the citation, with a full stop."""
    tail = TAIL.search(text)
    named = list(citations(text)) or ([tail.group("id").rstrip(".")] if tail else [])
    plain = uncited(text if citations(text) or not tail else text[: tail.start()])
    plain = re.sub(r"\s+([.,;!?])(?!\w)", r"\1", re.sub(r"\s+", " ", plain)).strip(" *_\t")
    plain = re.sub(r"([.!?])[.]+$", r"\1", plain)
    if plain and plain[-1] not in ".!?。！？:":
        plain = plain.rstrip(",;") + "."
    return Fact(plain, ", ".join(named) or source, title)


_ABSENT = re.compile(
    r"\b(?:no|nothing|none|not any|not)\b[^.!?]{0,60}\b(?:found|known|available|facts?|match\w*|relevant"
    r"|results?|information|evidence"
    r"|sources?|documents?|says?|claims?|about)\b|\b(?:found|holds?|has|have|there (?:is"
    r"|are)) (?:nothing|no\b)"
    r"|\b(?:search|tool|lookup)\b[^.!?]{0,30}\bfailed\b",
    re.I,
)


def says_nothing(text: str) -> bool:
    """Whether a sentence or a short text only says that nothing was found."""
    return bool(_ABSENT.search(text)) and not citations(text)


_ADDRESSED = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instructions?|prompts?|rules|previous|prior"
    r"|above|everything|facts)\b"
    r"|^\W*(?:(?:system|assistant|user|developer|admin(?:istrator)?|agent|security|editor)(?: (?:note"
    r"|message|prompt|notice|override|instructions?))?"
    r"|instructions?|attention|important|notice|warning|note to (?:\w+ ){0,3}\w+)\s*:|\bthis (?:brief"
    r"|draft|task|conversation|handoff|hand-off|request|review)\b"
    r"|\bwithout (?:any |a )?(?:further |more |additional )?(?:checks?|checking|reviews?|reviewing"
    r"|approval|verification|confirmation)\b"
    r"|\byou (?:must|should|shall|are (?:now|to)|have to|need to|will now|can now)\b"
    r"|\byour (?:instructions|prompt|system|task|role)\b"
    r"|\b(?:agents?|assistants?|models?|readers?|bots?|ais?|llms?|researchers?|writers?|reviewers?"
    r"|supervisors?)\b.{0,40}"
    r"\b(?:read|reads|reading|process|processing|sees?|seeing|summari[sz]\w+)\b.{0,40}\b(?:this|these)\b"
    r"|\b(?:agents?|assistants?|researchers?|writers?|reviewers?|supervisors?) (?:must|should|is to"
    r"|are to) (?:now |immediately |instead )?"
    r"(?:hand|stop|ignore|call|send|report|state|say|reply|answer|write|finali[sz]e|transfer|approve|tell)\b",
    re.I,
)
_IMPERATIVE = re.compile(
    r"^\W*(?:(?:please|now|then|instead|first|next|also)[, ]+)*(?:(?:do not|don't|never|always|please"
    r"|kindly|stop|ignore"
    r"|disregard|forget|pretend|finali[sz]e|delete|remember to|make sure|be sure)\b"
    r"|(?:hand|call|send|reply|respond|answer|tell|write|transfer|output|print|approve|pass|mark|report"
    r"|include|say|email|forward"
    r"|run|execute|open|visit|click|use|return|repeat|state|add|give|delegate|follow|treat|skip|end"
    r"|start|search|invoke|consider)"
    r"\s+(?:(?:it|this|that|these|them|me|us|off|over|only|all|any|the|a|an|your|with|to|nothing|no"
    r"|every|immediately|directly|for"
    r"|in|as|at|back|out|on)\b|[a-z]+_\w+))",
    re.I,
)


@lru_cache(maxsize=8_000)
def is_instruction(sentence: str) -> bool:
    """Whether a sentence found in data tells its reader to do something: data is never an order."""
    return bool(_ADDRESSED.search(sentence) or _IMPERATIVE.match(sentence))
