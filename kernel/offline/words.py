"""Words, stems, sentences, citations and numbers: how the offline model takes a text apart.

Everything here is a pure function of its text. Nothing knows a topic, a lesson or a corpus.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
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
    "very also only just such same other another any some all each every both few more most much many own off out up down "
    "about between through during before after again once if because while when where which who whom whose what how why s "
    "t don didn doesn isn aren wasn won let per via vs versus")
GENERIC = table(
    "history histories overview introduction intro comparison compare compares comparing compared brief briefing report "
    "article summary summarise summarize essay memo text document documents paper piece write writing draft facts fact "
    "find finding findings information info material evidence source sources cite cited citing citation citations topic "
    "subject question explain explanation describe description research researching researcher tell know known give state "
    "current latest main key important short concise detailed quick guide difference differences different evolution "
    "origin origins development background basics role rise story uses use used using work works working please need "
    "needs want like good best list get make made thing things way ways new library knowledge search look reader readers "
    "relevant everything anything something gather collect today modern following below above turn paragraph paragraphs "
    "sentence sentences bullet bullets ok okay keeping")
_NUMBERS = ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
            "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety")
_NUMBERS = {word: n if n < 20 else 10 * n - 180 for n, word in enumerate(_NUMBERS.split())}
_NUMBERS |= {"dozen": 12, "single": 1, "couple": 2}
COUNTED = rf"(?:{any_of(' '.join(_NUMBERS))}|hundred)"
NUMBER_WORDS = rf"(?:(?:an? |{COUNTED}[ -])?hundred(?: and)?(?:[ -]{COUNTED})*|\b\w+ty-{COUNTED}|{COUNTED})"


def number(text: str) -> float | int:
    """The number that digits or words stand for: "1,250.50", "thirty-four", "a hundred and twenty"."""
    if text[:1].isalpha():
        total = 0
        for word in re.findall(r"[a-z]+", text.lower()):
            total = (total or 1) * 100 if word == "hundred" else total + _NUMBERS.get(word, 0)
        return total
    value = float(text.replace(",", ""))
    return int(value) if value.is_integer() else value


_SUFFIXES = "ization isation ations ation ements ement ments ment ings ing ions ion ers er ors or ed ly es s".split()
_BRITISH = re.compile(r"\b(def|lic|off|pret)ence(?=s?$)|(?<=\w{3})our(?=s?$|al$|ed$|ing$)")  # defence, colour
_WORD = re.compile(r"[^\W_]+(?:['’.\-][^\W_]+)*[+#]*")


def words(text: str) -> list[str]:
    """The words of a text in lower case, in order; versions and hyphenated words stay whole."""
    return [match.lower() for match in _WORD.findall(text)]


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """A light stem: announced, announces and announcement meet; short words and numbers stay as they are."""
    word = _BRITISH.sub(lambda m: f"{m[1] or ''}{'ense' if m[1] else 'or'}", word.lower().replace("’", "'").removesuffix("'s"))
    if len(word) < 4 or not word[-1].isalpha():
        return word
    if word.endswith("ies"):
        word = word[:-3] + "y"
    elif not word.endswith(("ss", "us", "is")):
        ends = (end for end in _SUFFIXES if word.endswith(end) and len(word) - len(end) >= (4 if len(end) > 2 else 3))
        word = word.removesuffix(next(ends, ""))
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]
    return word[:-1] if len(word) > 3 and (word[-1] == "e" or (word[-1] == "y" and word[-2] not in "aeou")) else word


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


_NUMBER = re.compile(rf"(?<![^\W_])v?(\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)*)|\b({NUMBER_WORDS})\b", re.I)


@lru_cache(maxsize=8_000)
def numbers(text: str) -> tuple[str, ...]:
    """Every number of a text in one spelling, in order: 1,500 → 1500, twelve → 12, v0.8.0 → 0.8.0; "one" is none."""
    found = (d.replace(",", "") or str(number(said)) for d, said in _NUMBER.findall(uncited(text))
             if said.lower() not in ("one", "single", "couple"))
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
    r"|\((?P<url>https?://[^\s)]+)\))")
TAIL = re.compile(
    r"\s+(?:(?:—|–|--|\|)\s*(?:sources?:\s*)?|(?:-\s+)?sources?:\s*)(?P<id>https?://\S+|[\w.:/#-]+)\s*$", re.I)
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


def bracketed(text: str, known: Iterable[str]) -> str:
    """The text with known sources in square brackets, where it cites them as (id), {id}, <id> or "Source: id"."""
    if not (ids := "|".join(sorted(map(re.escape, filter(None, known)), key=len, reverse=True))):
        return text
    many = rf"(?:sources?:\s*)?((?:{ids})(?:\s*[,;]\s*(?:{ids}))*)"
    text = re.sub(rf"\({many}\)|\{{{many}\}}|<{many}>", lambda m: f"[{next(filter(None, m.groups()))}]", text, flags=re.I)
    return re.sub(rf"([.!?]?)\s+(?<![\w(])Sources?:\s+((?:{ids})(?:, (?:{ids}))*)(?=[.;\s]|$)\.?", r" [\2]\1", text, flags=re.I)


def is_heading(line: str) -> bool:
    """Whether a line is a title and not a sentence: "# Title", "**Title**"."""
    return bool(re.match(r"\s*#{1,6}\s|\s*\*\*[^*]+\*\*:?\s*$|\s*(?:=+|-{3,}|\*{3,})\s*$", line))


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


_SHORT_FORM = re.compile(r"(?:^|[\s(])(?:e[.]g|i[.]e|u[.]s|etc|approx|vs|dr|mr|mrs|prof|inc|ltd|no|fig|cf|al|st|[A-Z])\.$", re.I)
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
    named = citations(text)
    plain = re.sub(r"\s+([.,;!?])(?!\w)", r"\1", " ".join(uncited(text).split())).strip(" *_")
    plain = re.sub(r"([.!?])[.]+$", r"\1", plain)
    plain += "" if not plain or plain[-1] in ".!?。！？:" else "."
    return Fact(re.sub(r"[,;]+\.$", ".", plain), ", ".join(named) or source, title)


_ABSENT = re.compile(
    r"\b(?:no|nothing|none|not)\b[^.!?]{0,60}\b(?:found|known|available|facts?|match|relevant|results?|information"
    r"|evidence|sources?|documents?|about)|\b(?:found|holds?|has|have|there is|there are) (?:nothing|no)\b|\b(?:search"
    r"|tool|lookup)\b[^.!?]{0,30}\bfailed\b",
    re.I)


def says_nothing(text: str) -> bool:
    """Whether a sentence or a short text only says that nothing was found."""
    return bool(_ABSENT.search(text)) and not citations(text)


_NO = re.compile(r"\b(?:no|not|none|never|without|cannot|neither|nor)\b|n't\b", re.I)


def is_no(text: str) -> bool:
    """Whether a text says no."""
    return bool(_NO.search(text))


_WHO = any_of("agents? assistants? models? readers? bots? ais? llms? researchers? writers? reviewers? supervisors?")
_ORDERS = any_of(
    "hand call send reply respond answer tell write transfer output print approve pass mark report include say email forward run "
    "execute open visit click use return repeat state add give delegate follow treat rate skip end start search invoke consider "
    "cite")
_OBJECTS = any_of(
    "it this that these them me us off over only all any the an? your with to nothing no every immediately directly for "
    "in as at back out on [a-z]+_\\w+")
_INSTRUCTION = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instructions?|prompts?|rules|previous|prior|above|everything|facts)\b"
    r"|</?(?:facts|task|draft|feedback|context|system|instructions?|user|assistant)>"
    r"|^\W*(?:new |updated )?(?:system|assistant|user|developer|admin\w*|agent|security|editor|instructions?|attention|notice"
    r"|warning|note|important|override|policy|urgent)(?: \w+){0,4}\s*[:>]"
    r"|^\W*(?:dear |hello |hi )?(?:assistant|agent|ai|model|writer|researcher|reviewer|supervisor|reader),"
    r"|\bfor (?:ai|llm) readers\b|\bif you(?:'re| are) an? (?:ai|llm|assistant|agent|bot|(?:language )?model)\b"
    r"|\bthis (?:brief|draft|task|conversation|hand-?off|request|review)\b"
    r"|\bwithout (?:\w+ )?(?:check(?:s|ing)|review(?:s|ing)|approval|verification|confirmation)\b"
    r"|\byou (?:must|should|shall|(?:are|have|need)(?: now)? to|will now|can now|are now)\b|\byour (?:\w+ )?(?:instructions"
    rf"|prompt|system|task|role)\b|\b{_WHO}\b.{{0,40}}\b(?:read|see|process|summari[sz])\w*\b.{{0,40}}\b(?:this|these)\b"
    rf"|\b{_WHO} (?:must|should|is to|are to) (?:now |immediately |instead )?(?:{_ORDERS}|ignore|finali[sz]e)\b"
    r"|^\W*(?:(?:please|kindly|now|then|instead|first|next|also|only|from now on)[, ]+)*(?:(?:do not|don't|never|always|stop"
    rf"|ignore|disregard|forget|pretend|finali[sz]e|delete|(?:make|be) sure)\b|{_ORDERS}\s+{_OBJECTS}\b)",
    re.I)


@lru_cache(maxsize=8_000)
def is_instruction(sentence: str) -> bool:
    """Whether a sentence found in data tells its reader to do something: data is never an order."""
    return bool(_INSTRUCTION.search(sentence))


_KIN = (  # what stands in a text for the first word, or announces it
    "age old aged", "price cost costs fee $ € £ euro euros",
    "colour color red green blue yellow black white grey brown", "total amount sum $ € £",
    "budget $ € £ euros", "usd $", "eur euros", "gbp £",
    "quantity count number", "year in since", "duration minutes hours days", "due until by", "name called am i'm", "city in",
    "location in at", "place in at", "country in from", "author by", "customer for", "body saying", "high urgent asap critical",
    "low minor whenever", "billing charged refund payment", "technical bug error crash", "positive good great love excellent",
    "negative bad terrible hate awful", "language written", "approve pass accept yes", "reject revise fail no",
    "calculate compute sum total average percent", "clock time hour", "date today day", "weather temperature rain", "read show",
    "remember save store note", "recall remember known", "add plus sum total", "subtract minus difference",
    "multiply times product", "divide divided over quotient", "count many length", "illustrate picture image diagram",
    "translate german french spanish italian dutch polish portuguese japanese chinese korean arabic russian",
    "check verify double-check fact-checked", "log error fail crash outage incident", "code bug fix patch",
    "memory remember recall earlier")
KIN = {family.split()[0]: frozenset(family.split()[1:]) for family in _KIN}
_KIN_OF = {stem(word): frozenset(map(stem, kin)) for word, kin in KIN.items()}


def with_kin(roots: Iterable[str]) -> set[str]:
    """Stems and those of their kin that are no stop words."""
    return {*roots, *(word for root in roots for word in _KIN_OF.get(root, ()) if word not in STOP)}
