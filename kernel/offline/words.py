"""Words, stems, sentences, citations and numbers: how the offline model takes a text apart.

Everything here is a pure function of its text. Nothing knows a topic, a lesson or a corpus.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise


def any_of(listed: str) -> str:
    """A pattern for any one of the words listed (each may itself be a small pattern)."""
    return f"(?:{'|'.join(listed.split())})"


def table(listed: str) -> frozenset[str]:
    """The words listed, to ask whether a word is among them."""
    return frozenset(listed.split())


STOP = table(
    "a an the and or but nor so yet of in on at to for from by with without into onto over under as is are was were be "
    "been being am do does did has have had having will would shall should can could may might must it its itself this "
    "that these those there here he she they them their theirs his her we us our you your i me my not no than then too "
    "very also only just such same other another any some all each every both few more most much many own off out up "
    "down about between through during before after again once if because while when where which who whom whose what "
    "how why s t don didn doesn isn aren wasn won let per via vs versus"
)
GENERIC = table(
    "history histories overview introduction intro comparison compare compares comparing compared brief briefing "
    "report article summary summarise summarize essay memo text document documents paper piece write writing draft "
    "facts fact find finding findings information info material evidence source sources cite cited citing citation "
    "citations topic subject question explain explanation describe description research researching researcher tell "
    "know known give state current latest main key important short concise detailed quick guide difference "
    "differences different evolution origin origins development background basics role rise story uses use used using "
    "work works working please need needs want like good best list get make made thing things way ways new library "
    "knowledge search look reader readers relevant everything anything something gather collect today modern "
    "following below above turn paragraph paragraphs sentence sentences bullet bullets ok okay keeping"
)
_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
NUMBER_WORDS = {word: value for value, word in enumerate(_SMALL.split())}
NUMBER_WORDS |= {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "eighty": 80, "hundred": 100}
NUMBER_WORDS |= {"single": 1, "couple": 2, "dozen": 12}
_SUFFIXES = "ization isation ations ation ements ement ments ment ings ing ions ion ers er ors or ed ly es s"
_WORD = re.compile(r"[^\W_]+(?:['’.\-][^\W_]+)*[+#]*")


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
        for suffix in _SUFFIXES.split():
            if word.endswith(suffix) and len(word) - len(suffix) >= (4 if len(suffix) > 2 else 3):
                word = word[: -len(suffix)]
                break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word[-1] in "ey" else word


@lru_cache(maxsize=8_000)
def content_words(text: str) -> tuple[str, ...]:
    """The stems that carry meaning, in order, each once: no stop words, no generic words, no citations."""
    kept = (w for w in words(uncited(text)) if w not in STOP and w not in GENERIC and (len(w) > 1 or w.isdigit()))
    return tuple(dict.fromkeys(stem(word.replace("-", "")) for word in kept))


@lru_cache(maxsize=4_000)
def vocabulary(text: str) -> frozenset[str]:
    """All stems of a text, with joined neighbours (hand off → handoff), hyphen parts and acronyms of capitals."""
    plain = words(text)
    joined = [a + b for a, b in pairwise(plain) if a.isalpha() and b.isalpha()]
    pieces = [piece for word in plain if "-" in word for piece in word.split("-")]
    acronyms = []
    for name in re.findall(r"[A-Z]\w*(?:[ -](?:of |and |for )?[A-Z]\w*){1,5}", text):
        initials = "".join(part[0] for part in re.findall(r"[A-Z]\w*", name))
        acronyms += [initials[i:] for i in range(len(initials) - 1)]
    return frozenset(stem(word.replace("-", "")) for word in (*plain, *joined, *pieces, *acronyms))


def overlap(a: str, b: str) -> float:
    """How much of a's meaning stands in b, from 0 to 1 (1 when a has no content words at all)."""
    wanted = content_words(a)
    return sum(word in vocabulary(b) for word in wanted) / len(wanted) if wanted else 1.0


_COUNTS = " ".join(word for word in NUMBER_WORDS if word not in ("one", "single", "couple"))
_NUMBER = re.compile(
    rf"(?<![^\W_])v?(\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)*)|\b({any_of(_COUNTS)})\b", re.I
)


@lru_cache(maxsize=8_000)
def numbers(text: str) -> tuple[str, ...]:
    """Every number of a text in one spelling, in order: 1,500 → 1500, twelve → 12, v0.8.0 → 0.8.0."""
    found = (d.replace(",", "") or str(NUMBER_WORDS[word.lower()]) for d, word in _NUMBER.findall(uncited(text)))
    return tuple(number.lstrip("0") or "0" if number.isdigit() else number for number in found)


@dataclass(frozen=True)
class Fact:
    """One sentence with the source that carries it ("" when it names none; "a, b" when it names two)."""

    sentence: str
    source: str = ""
    title: str = ""  # the heading it stood under, if any

    @property
    def sources(self) -> tuple[str, ...]:
        return tuple(self.source.split(", ")) if self.source else ()


_CITATION = re.compile(
    r"\s*(?:\[[^\[\]\n]*\]\((?P<link>https?://[^\s)]+)\)"
    r"|\[(?!\s*[xX ]?\])(?P<id>[^\[\]\n]{1,160})\](?!\()"
    r"|\((?:sources?|refs?|references?|see|via|from)\b[:\s]\s*(?P<named>[^()\n]{1,160})\)"
    r"|\((?P<url>https?://[^\s)]+)\))"
)
TAIL = re.compile(
    r"\s+(?:(?:—|–|--|\|)\s*(?:sources?:\s*)?|(?:-\s+)?sources?:\s*)(?P<id>https?://\S+|[\w.:/#-]+)\s*$", re.I
)
BULLET = re.compile(r"^\s*(?:[-*•·–]|\(?\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")


@lru_cache(maxsize=8_000)
def citations(text: str) -> tuple[str, ...]:
    """The source ids that a text cites, in order, each once: [id], [a, b], (source: id), (https://…)."""
    found: dict[str, None] = {}
    for match in _CITATION.finditer(text):
        for one in re.split(r",\s+|\s*;\s*", next(group for group in match.groups() if group)):
            found[re.sub(r"^(?:sources?|ref)[:\s]\s*", "", one.strip(" `*^"), flags=re.I)] = None
    return tuple(one for one in found if one)


def uncited(text: str) -> str:
    """The text without its citations; only what stands between words goes, punctuation stays."""
    return _CITATION.sub("", text) if "[" in text or "(" in text else text


def is_heading(line: str) -> bool:
    """Whether a line is a title and not a sentence: "# Title", "**Title**"."""
    return bool(re.match(r"\s*#{1,6}\s|\s*\*\*[^*]+\*\*:?\s*$|\s*(?:=+|-{3,}|\*{3,})\s*$", line))


@lru_cache(maxsize=2_000)
def blocks(text: str) -> tuple[str, ...]:
    """Paragraphs and bullets of a text without their marks; hard-wrapped lines are joined, headings are kept."""
    found: list[str] = []
    open_block = False
    for line in text.splitlines():
        if not line.strip() or is_heading(line):
            open_block = False
            found += [line.strip()] if line.strip() else []
        elif BULLET.match(line) or not open_block or re.search(r"[.!?\])][\"'”’)]*\s*$", found[-1]):
            found.append(BULLET.sub("", line).strip())
            open_block = True
        else:
            found[-1] += " " + line.strip()
    return tuple(found)


_SHORT_FORM = re.compile(
    rf"(?:^|[\s(]){any_of('e[.]g i[.]e u[.]s etc approx vs dr mr mrs prof inc ltd no fig cf al st [A-Z]')}\.$", re.I
)
_END = re.compile(r"(?<=[.!?])[\"'”’)*_]*\s+|(?<=[。！？])\s*")


@lru_cache(maxsize=4_000)
def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text in order, headings left out; a citation stays with the sentence before it."""
    found: list[str] = []
    for block in (block for block in blocks(text) if not is_heading(block)):
        first = len(found)
        for piece in _END.split(block):
            while len(found) > first and (lead := _CITATION.match(piece)):  # "Sentence. [id] Next."
                found[-1] += " " + lead.group().strip()
                piece = re.sub(r"^[.,;]?\s*", "", piece[lead.end() :])
            if len(found) > first and _SHORT_FORM.search(found[-1][-12:]):
                found[-1] += " " + piece.strip()
            elif piece.strip(" *_"):
                found.append(piece.strip())
    return tuple(found)


@lru_cache(maxsize=8_000)
def sentence_of(text: str, source: str = "", title: str = "") -> Fact:
    """One sentence and its citations as a fact: the words without the citation, with a full stop."""
    named, tail = citations(text), TAIL.search(text)
    if not named and tail:
        named, text = (tail["id"].rstrip("."),), text[: tail.start()]
    plain = re.sub(r"\s+([.,;!?])(?!\w)", r"\1", " ".join(uncited(text).split())).strip(" *_")
    plain = re.sub(r"([.!?])[.]+$", r"\1", plain)
    if plain and plain[-1] not in ".!?。！？:":
        plain = plain.rstrip(",;") + "."
    return Fact(plain, ", ".join(named) or source, title)


_SOUGHT = any_of("found known available facts? match relevant results? information evidence sources? documents? about")
_ABSENT = re.compile(
    rf"\b(?:no|nothing|none|not)\b[^.!?]{{0,60}}\b{_SOUGHT}"
    r"|\b(?:found|holds?|has|have|there is|there are) (?:nothing|no)\b"
    r"|\b(?:search|tool|lookup)\b[^.!?]{0,30}\bfailed\b",
    re.I,
)


def says_nothing(text: str) -> bool:
    """Whether a sentence or a short text only says that nothing was found."""
    return bool(_ABSENT.search(text)) and not citations(text)


_WHO = any_of("agents? assistants? models? readers? bots? ais? llms? researchers? writers? reviewers? supervisors?")
_ACT = any_of("hand stop ignore call send report state say reply answer write finali[sz]e transfer approve tell")
_HAIL = any_of(
    "system assistant user developer admin\\w* agent security editor instructions? attention notice warning note"
)
_ADDRESSED = re.compile(
    rf"\b{any_of('ignore disregard forget override')}\b.{{0,40}}\b"
    rf"{any_of('instructions? prompts? rules previous prior above everything facts')}\b"
    rf"|^\W*(?:{_HAIL}|important)(?: \w+){{0,4}}\s*:"
    rf"|\bthis {any_of('brief draft task conversation handoff hand-off request review')}\b"
    rf"|\bwithout (?:\w+ )?{any_of('checks? checking reviews? reviewing approval verification confirmation')}\b"
    r"|\byou (?:must|should|shall|are now|are to|have to|need to|will now|can now)\b"
    r"|\byour (?:instructions|prompt|system|task|role)\b"
    rf"|\b{_WHO}\b.{{0,40}}\b(?:read|see|process|summari[sz])\w*\b.{{0,40}}\b(?:this|these)\b"
    rf"|\b{_WHO} (?:must|should|is to|are to) (?:now |immediately |instead )?{_ACT}\b",
    re.I,
)
_FIRM = any_of(
    "do\\snot don't never always stop ignore disregard forget pretend finali[sz]e delete make\\ssure be\\ssure"
)
_VERBS = any_of(
    "hand call send reply respond answer tell write transfer output print approve pass mark report include say email "
    "forward run execute open visit click use return repeat state add give delegate follow treat skip end start search "
    "invoke consider"
)
_OBJECTS = any_of(
    "it this that these them me us off over only all any the a an your with to nothing no every immediately directly "
    "for in as at back out on [a-z]+_\\w+"
)
_IMPERATIVE = re.compile(
    rf"^\W*(?:(?:please|now|then|instead|first|next|also)[, ]+)*(?:{_FIRM}\b|{_VERBS}\s+{_OBJECTS}\b)", re.I
)


@lru_cache(maxsize=8_000)
def is_instruction(sentence: str) -> bool:
    """Whether a sentence found in data tells its reader to do something: data is never an order."""
    return bool(_ADDRESSED.search(sentence) or _IMPERATIVE.match(sentence))
