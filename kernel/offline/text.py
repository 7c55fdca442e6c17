"""Words, stems, sentences, citations, limits and labelled parts: how the offline model takes a text apart.

Everything here is a pure function of its text. Nothing knows a topic, a lesson or a corpus.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache

# ---------------------------------------------------------------- words

_WORD = re.compile(r"[^\W_]+(?:['’.\-][^\W_]+)*[+#]*")
_SUFFIXES = ("ization", "isation", "ations", "ation", "ements", "ement", "ments", "ment", "ings", "ing", "ions",
             "ion", "ers", "er", "ors", "or", "ed", "ly", "es", "s")  # fmt: skip
_SMALL = ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
          "seventeen eighteen nineteen twenty").split()  # fmt: skip
NUMBER_WORDS = {word: value for value, word in enumerate(_SMALL)}
NUMBER_WORDS |= {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "eighty": 80, "hundred": 100, "single": 1,
                 "couple": 2, "dozen": 12}  # fmt: skip
STOP = frozenset(
    "a an the and or but nor so yet of in on at to for from by with without into onto over under as is are was were be "
    "been being am do does did has have had having will would shall should can could may might must it its itself this "
    "that these those there here he she they them their theirs his her we us our you your i me my not no than then too "
    "very also only just such same other another any some all each every both few more most much many own off out up "
    "down about between through during before after again once if because while when where which who whom whose what "
    "how why s t don didn doesn isn aren wasn won let per via vs versus".split()
)
GENERIC = frozenset(
    "history histories overview introduction intro comparison compare compares comparing compared brief briefing report "
    "article summary summarise summarize essay memo text document documents paper piece write writing draft facts fact "
    "find finding findings information info material evidence source sources cite cited citing citation citations topic "
    "subject question explain explanation describe description research researching researcher tell know known give "
    "state current latest main key important short concise detailed quick guide difference differences different "
    "evolution origin origins development background basics role rise story uses use used using work works working "
    "please need needs want like good best list get make made thing things way ways new library knowledge search look "
    "reader readers relevant everything anything something gather collect today modern following below above turn "
    "paragraph paragraphs sentence sentences bullet bullets ok okay keeping".split()
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
    joined = [a + b for a, b in zip(plain, plain[1:], strict=False) if a.isalpha() and b.isalpha()]
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
    rf"|\b({'|'.join(word for word in NUMBER_WORDS if word not in ('one', 'single', 'couple'))})\b", re.I)  # fmt: skip


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


# ---------------------------------------------------------------- sentences and citations

_CITATION = re.compile(
    r"\s*(?:\[[^\[\]\n]*\]\((?P<link>https?://[^\s)]+)\)"
    r"|[\[【](?!\s*[xX ]?\])(?P<id>[^\[\]【】\n]{1,160})[\]】](?!\()"
    r"|\((?:sources?|src|refs?|references?|see|via|from|cf\.?)\b[:\s]\s*(?P<named>[^()\n]{1,160})\)"
    r"|\((?P<url>https?://[^\s)]+)\)"
    r"|\((?P<slug>[a-z][a-z0-9]*(?:[-_][a-z0-9.]+)+)\))"
)
_TAIL = re.compile(
    r"\s+(?:(?:—|–|--|\|)\s*(?:sources?:\s*)?|-\s+sources?:\s*|sources?:\s*)(?P<id>https?://\S+|[\w.:/#-]+)\s*$", re.I
)
_BULLET = re.compile(r"^\s*(?:[-*•·–]|\(?\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_ABBREVIATION = re.compile(r"(?:^|[\s(])(?:e\.g|i\.e|etc|approx|vs|dr|mr|mrs|prof|inc|ltd|no|fig|cf|al|jr|st|u\.s|[A-Z])\.$",
                           re.I)  # fmt: skip
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
        elif _BULLET.match(line) or not open_block or re.search(r"[.!?\])][\"'”’)]*\s*$", found[-1]):
            found.append(_BULLET.sub("", line).strip())
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
    tail = _TAIL.search(text)
    named = list(citations(text)) or ([tail.group("id").rstrip(".")] if tail else [])
    plain = uncited(text if citations(text) or not tail else text[: tail.start()])
    plain = re.sub(r"\s+([.,;!?])(?!\w)", r"\1", re.sub(r"\s+", " ", plain)).strip(" *_\t")
    plain = re.sub(r"([.!?])[.]+$", r"\1", plain)
    if plain and plain[-1] not in ".!?。！？:":
        plain = plain.rstrip(",;") + "."
    return Fact(plain, ", ".join(named) or source, title)


@lru_cache(maxsize=1_000)
def facts(text: str) -> tuple[Fact, ...]:
    """The facts that a text lists, each with its source.

    Takes bullets and lines with sources in any usual form, JSON lists of objects, headings over groups, and
    whole search results. A sentence without a source is a fact with source "".
    """
    text = text.strip()
    if data := json_of(text):
        found = _documents_of_json(data)
        if found:
            return tuple(Fact(sentence_of(s).sentence, doc.id, doc.title) for doc in found for s in sentences(doc.text))
        if isinstance(data, list) and all(isinstance(item, str) for item in data):
            text = "\n".join(f"- {item}" for item in data)
    if _HEADER.search(text):
        return tuple(Fact(sentence_of(s).sentence, doc.id, doc.title) for doc in documents(text) for s in sentences(doc.text))
    found, title = [], ""
    for block in blocks(text):
        if is_heading(block) or (block.endswith(":") and len(block.split()) < 7):
            title = block.strip("#*: ")
            continue
        tail = _TAIL.search(block) if not citations(block) else None
        said = block[: tail.start()] if tail else block
        group = [sentence_of(sentence, tail.group("id").rstrip(".") if tail else "", title) for sentence in sentences(said)]
        if len(group) > 1 and group[-1].source and not any(fact.source for fact in group[:-1]):
            group = [Fact(fact.sentence, group[-1].source, title) for fact in group]  # one source for the whole bullet
        found += [fact for fact in group if re.search(r"\w", fact.sentence) and len(fact.sentence.split()) > 1]
    return tuple(found)


_ABSENT = re.compile(r"\b(?:no|nothing|none|not any|not)\b[^.!?]{0,60}\b(?:found|known|available|facts?|match\w*|relevant|results?|information|evidence"
                     r"|sources?|documents?|says?|claims?|about)\b|\b(?:found|holds?|has|have|there (?:is|are)) (?:nothing|no\b)"
                     r"|\b(?:search|tool|lookup)\b[^.!?]{0,30}\bfailed\b", re.I)  # fmt: skip


def says_nothing(text: str) -> bool:
    """Whether a sentence or a short text only says that nothing was found."""
    return bool(_ABSENT.search(text)) and not citations(text)


# ---------------------------------------------------------------- tool results

@dataclass(frozen=True)
class Doc:
    """One document of a tool's result; what the result does not say is ""."""

    id: str
    title: str = ""
    date: str = ""
    url: str = ""
    text: str = ""


_HEADER = re.compile(r"^\[(?P<id>[^\[\]\n]{1,160})\][ \t]+(?P<title>[^\n]*?)(?:[ \t]+\((?P<date>\d{4}[\d-]*|no date)\))?[ \t]*$", re.M)
_NOTHING = re.compile(r"^\W*(?:sorry\W+)?(?:(?:there (?:is|are|were) )?(?:no|0|zero)\b[^.\n]{0,60}\b(?:match\w*|found|results?"
                      r"|hits?|documents?|entr\w+|pages?)|nothing\b[^.\n]{0,40}\b(?:found|match\w*))", re.I)  # fmt: skip
_FIELDS = {
    "id": ("id", "source_id", "doc_id", "document_id", "source", "slug", "key", "ref", "reference", "file", "path", "url",
           "uri", "link", "href", "name", "title"),
    "title": ("title", "name", "heading", "headline", "label"),
    "date": ("date", "published", "published_at", "updated", "year", "created"),
    "url": ("url", "link", "uri", "href"),
    "text": ("text", "content", "body", "snippet", "extract", "summary", "abstract", "passage", "excerpt", "description",
             "fact", "sentence", "claim", "statement", "finding", "chunk", "page_content", "answer", "result"),
}  # fmt: skip


def json_of(text: str):
    """The JSON object or array that a text is, or None."""
    text = text.strip().removeprefix("```json").removeprefix("```").removesuffix("```").strip()
    if text[:1] not in ("{", "["):
        return None
    try:
        data = json.loads(text)
    except ValueError:
        return None
    return data if isinstance(data, (dict, list)) else None


def _documents_of_json(data) -> list[Doc]:
    if isinstance(data, list):
        return [doc for item in data if isinstance(item, (dict, list)) for doc in _documents_of_json(item)]
    flat = {str(key).lower(): value for key, value in data.items()}
    inner = flat.get("metadata") if isinstance(flat.get("metadata"), dict) else {}
    known = {**{str(key).lower(): value for key, value in inner.items()}, **flat}
    said = {}
    for field, names in _FIELDS.items():
        values = (known[n] for n in names if isinstance(known.get(n), (str, int)) and str(known[n]).strip())
        said[field] = str(next(values, "")).strip()
    if not said["text"]:
        listed = [known[n] for n in (*_FIELDS["text"], "facts", "sentences") if isinstance(known.get(n), list)]
        said["text"] = "\n".join(f"- {s}" for s in listed[0] if isinstance(s, str)) if listed else ""
    if said["text"]:
        return [Doc(**said)]
    return [doc for value in data.values() if isinstance(value, (dict, list)) for doc in _documents_of_json(value)]


@lru_cache(maxsize=1_000)
def documents(text: str) -> tuple[Doc, ...]:
    """The documents of a tool's result: "[id] Title (date)" blocks, JSON, records of "Title: …" lines, tagged
    documents, cited bullets, or plain paragraphs (whose id is "")."""
    text = text.strip()
    if not text or _NOTHING.match(text):
        return ()
    if data := json_of(text):
        found = _documents_of_json(data)
        listed = [item for item in data if isinstance(item, str)] if isinstance(data, list) else []
        return tuple(found) or tuple(Doc("", text=item) for item in listed)
    if heads := list(_HEADER.finditer(text)):
        ends = [head.start() for head in heads[1:]] + [len(text)]
        return tuple(_document(head, text[head.end() : end]) for head, end in zip(heads, ends, strict=True))
    if tagged := re.findall(r"<(document|doc|source|result|item|page)\b([^>]*)>(.*?)</\1>", text, re.S | re.I):
        found = []
        for _, attributes, body in tagged:
            record = dict(re.findall(r"([\w-]+)=[\"']([^\"']*)", attributes)) | dict(re.findall(r"<(\w+)>(.*?)</\1>", body, re.S))
            plain = re.sub(r"<(\w+)[^>]*>.*?</\1>", " ", body, flags=re.S).strip() or re.sub(r"<[^>]+>", " ", body).strip()
            found += _documents_of_json({"text": plain, **record})
        return tuple(found)
    found = []
    for paragraph in re.split(r"\n\s*\n", text):
        record = dict(re.findall(r"^\W*(\w[\w ]{0,20}?)\W*:\s+(.+)$", paragraph, re.M))
        if len(record) > 1 and (docs := _documents_of_json({k.strip().replace(" ", "_"): v for k, v in record.items()})):
            found += docs
            continue
        head, _, body = paragraph.strip().partition("\n")
        if body.strip() and citations(head) and not _BULLET.match(head) and not re.search(r"[.!?]$", uncited(head).strip()):
            found.append(Doc(citations(head)[0], uncited(head).strip(" #*:"), text=body.strip()))
        else:
            found += [Doc(fact.source, fact.title, text=fact.sentence) for fact in facts(paragraph)]
    return tuple(found)


def _document(head: re.Match, body: str) -> Doc:
    lines = body.strip().splitlines()
    url = lines.pop(0).strip() if lines and re.fullmatch(r"\W*https?://\S+", lines[0].strip()) else ""
    return Doc(head["id"].strip(), head["title"].strip(), (head["date"] or "").replace("no date", ""), url, "\n".join(lines).strip())


_ADDRESSED = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instructions?|prompts?|rules|previous|prior|above|everything|facts)\b"
    r"|^\W*(?:(?:system|assistant|user|developer|admin(?:istrator)?|agent|security|editor)(?: (?:note|message|prompt|notice|override|instructions?))?"
    r"|instructions?|attention|important|notice|warning|note to (?:\w+ ){0,3}\w+)\s*:|\bthis (?:brief|draft|task|conversation|handoff|hand-off|request|review)\b"
    r"|\bwithout (?:any |a )?(?:further |more |additional )?(?:checks?|checking|reviews?|reviewing|approval|verification|confirmation)\b"
    r"|\byou (?:must|should|shall|are (?:now|to)|have to|need to|will now|can now)\b|\byour (?:instructions|prompt|system|task|role)\b"
    r"|\b(?:agents?|assistants?|models?|readers?|bots?|ais?|llms?|researchers?|writers?|reviewers?|supervisors?)\b.{0,40}"
    r"\b(?:read|reads|reading|process|processing|sees?|seeing|summari[sz]\w+)\b.{0,40}\b(?:this|these)\b"
    r"|\b(?:agents?|assistants?|researchers?|writers?|reviewers?|supervisors?) (?:must|should|is to|are to) (?:now |immediately |instead )?"
    r"(?:hand|stop|ignore|call|send|report|state|say|reply|answer|write|finali[sz]e|transfer|approve|tell)\b", re.I)  # fmt: skip
_IMPERATIVE = re.compile(
    r"^\W*(?:(?:please|now|then|instead|first|next|also)[, ]+)*(?:(?:do not|don't|never|always|please|kindly|stop|ignore"
    r"|disregard|forget|pretend|finali[sz]e|delete|remember to|make sure|be sure)\b"
    r"|(?:hand|call|send|reply|respond|answer|tell|write|transfer|output|print|approve|pass|mark|report|include|say|email|forward"
    r"|run|execute|open|visit|click|use|return|repeat|state|add|give|delegate|follow|treat|skip|end|start|search|invoke|consider)"
    r"\s+(?:(?:it|this|that|these|them|me|us|off|over|only|all|any|the|a|an|your|with|to|nothing|no|every|immediately|directly|for"
    r"|in|as|at|back|out|on)\b|[a-z]+_\w+))", re.I)  # fmt: skip


@lru_cache(maxsize=8_000)
def is_instruction(sentence: str) -> bool:
    """Whether a sentence found in data tells its reader to do something: data is never an order."""
    return bool(_ADDRESSED.search(sentence) or _IMPERATIVE.match(sentence))


# ---------------------------------------------------------------- what a prompt asks for

_UNITS = {
    "words": r"words?",
    "sentences": r"sentences?",
    "paragraphs": r"paragraphs?|paras?",
    "bullets": r"bullets?|facts?|points?|items?|findings|statements?|claims?",
    "searches": r"search(?:es)?|quer(?:y|ies)|look-?ups?|calls?|tries|attempts?",
    "revisions": r"revisions?|rounds?|rewrites?|iterations?|redrafts?",
}
_UNITS["facts"] = _UNITS["bullets"]
_ANY_UNIT = re.compile("|".join(_UNITS.values()))
_VERBS = {"searches": r"search\w*|quer\w+|look\w*", "revisions": r"revis\w+|rewrit\w+|iterat\w+"}
_TENS = {word: value for word, value in NUMBER_WORDS.items() if value >= 20}
_TOKEN = re.compile(r"\d[\d,]*(?:\.\d+)*|[^\W\d_]+(?:'[a-z]+)?|[^\w\s]")
_FLOOR = re.compile(r"(?<!no )(?<!not )(?:more than|over|at least|minimum(?: of)?|no fewer than|no less than|least)(?: \w+)?$")
_STRICT = re.compile(r"(?<!no )(?<!not )(?:under|below|(?:fewer|less|shorter) than)$")
_OF_A_PART = re.compile(r"\b(?:each|every|title|heading|headline|(?<!1 )(?<!a )(?<!- )(?:sentence|bullet|fact|paragraph|line|point|issue)s?)"
                        r"(?: \w+){0,6}$")  # fmt: skip
_PER = re.compile(r"^(?:or (?:fewer|less) |at most |max |long )?(?:per|each|apiece|a (?:sentence|fact|bullet|paragraph|line|source)|(?:in|for|from) (?:each|every))\b")


def _tokens(clause: str) -> list[str]:
    """Words, numbers and marks in lower case; number words as digits (twenty-five → 25, a hundred → 100)."""
    found: list[str] = []
    for token in _TOKEN.findall(clause.lower()):
        token = {"twice": "2", "once": "1", "both": "both"}.get(token, token.replace(",", "") if token[0].isdigit() else token)
        if token in NUMBER_WORDS:
            value = NUMBER_WORDS[token]
            if found[-1:] == ["and"] and found[-2:-1] in (["100"], ["200"]):
                found[-2:] = [str(int(found[-2]) + value)]
                continue
            if value == 100 and found and (found[-1].isdigit() or found[-1] == "a"):
                value = 100 * (int(found.pop()) if found[-1].isdigit() else bool(found.pop()))
            elif value < 10 and found and (found[-1] == "-" and len(found) > 1 and found[-2].isdigit()) and int(found[-2]) % 10 == 0:
                found.pop()
                value += int(found.pop())
            token = str(value)
        found.append(token)
    return found


@lru_cache(maxsize=2_000)
def limit(text: str, kind: str) -> int | None:
    """The strictest upper limit that a prompt sets, or None.

    kind: words | sentences | paragraphs | bullets (also: facts) | searches | revisions. "At most 180 words", "three short
    sentences", "a 120-word brief", "under 100 words" (99), "100 to 150 words" (150), "word limit: 90". Floors ("at
    least 50 words") and limits per sentence are not limits of the whole.
    """
    unit, found = re.compile(_UNITS[kind]), []
    for clause in re.split(r"(?<!\d)\.|\.(?!\d)|[;!?\n]|, (?=\D)", text):
        tokens = _tokens(clause)
        if kind == "paragraphs":
            tokens = ["1" if t == "a" and any(u.startswith("paragraph") for u in tokens[i + 1 : i + 3]) else t for i, t in enumerate(tokens)]
        for i, token in enumerate(tokens):
            if not token.isdigit():
                continue
            ahead = [t for t in tokens[i + 1 : i + 6] if t not in "-–—"][:4]
            at = next((j for j, t in enumerate(ahead) if unit.fullmatch(t)), None)
            stop = next((j for j, t in enumerate(ahead) if t.isdigit() or t in "and or to , : (".split() or _ANY_UNIT.fullmatch(t)), 9)
            before = " ".join(tokens[max(0, i - 8) : i])
            named = re.search(rf"(?:^| )(?:{_UNITS[kind]})(?: (?:limit|maximum|max|count|budget))?(?: (?:is|of|at most|max))*(?: [:=≤<])*(?: at most| max)?$", before)
            verb = kind in _VERBS and re.search(rf"\b(?:{_VERBS[kind]})(?: \w+)* (?:at most|no more than|only|just|up to|max)?$", before) and (
                not ahead or ahead[0] in (",", "times", "time") or clause.lower().rstrip().endswith(("once", "twice")))
            if not (named or verb or (at is not None and at <= stop)):
                continue
            after = " ".join(ahead[at + 1 :] + tokens[i + 6 : i + 12]) if at is not None else ""
            if _FLOOR.search(before) or _PER.match(after) or (kind == "words" and _OF_A_PART.search(before)):
                continue
            loose = token == "1" and kind in ("words", "bullets", "facts") and not re.search(r"most|limit|up to|only|exactly|max|just|than", before)
            if not loose and int(token):
                found.append(int(token) - bool(_STRICT.search(before)))
    return max(1, min(found)) if found else None


_EVIDENCE = r"(?:facts?|sources?|evidence|findings?|notes?|material|given|provided|supplied|below|above|listed|what)"
_CHECK = r"(?:check\w*|verif\w+|review\w*|look at|judge|assess\w*|comment on|consider|correct\w*)"
_WANTS = {
    "citations": r"\bcit(?:e|es|ed|ing|ation|ations)\b|\bsources?\b|\breferenc(?:e|es|ed|ing)\b|\battribut\w+|\bfootnotes?\b"
                 r"|\bbracket(?:s|ed)?\b|\bprovenance\b|\bbacked by a link\b|\bwhere (?:each|every|it|they|a)\b[^.;]{0,30}\bcomes? from\b|\bids? of (?:the|its|their)\b|\[[\w -]*ids?\]",
    "coverage": r"\b(?:every|each|all)(?: of)?(?: the)?(?: given| listed| \w+)? (?:sources?|facts?|documents?|findings?|subjects?|topics?|items?)\b"
                r"|\bcover(?:s|ed|age|ing)?\b|\bcomplete(?:ness|ly)?\b|\bcomprehensive(?:ness)?\b|\b(?:left|leaves?|leaving) (?:\w+ ){0,2}out\b"
                r"|\bomit(?:s|ted)?\b|\bomissions?\b|\bmiss(?:es|ing)\b|\bunused\b|\bgaps?\b",
    "thorough": r"\bthorough(?:ly|ness)?\b|\bexhaustive(?:ly)?\b|\bleav(?:e|ing) nothing\b|\buntil you(?:'re| are) (?:\w+ )?(?:certain|sure|done|satisfied)\b"
                r"|\beverything (?:there is|you can|that)\b|\bkeep (?:on )?(?:search|look|dig)\w*|\bno stone\b|\bas much as (?:you can|possible)\b"
                r"|\bas many (?:\w+ )?as (?:you can|possible)\b|\bcomprehensive(?:ly)?\b|\buntil nothing\b|\bdig deep\w*",
    "style_only": rf"\b(?:only|just|solely|nothing but|purely|exclusively)\b[^.;\n]{{0,40}}\b(?:style|grammar|spelling|tone|wording|punctuation|typos|readability)\b"
                  rf"|\b(?:style|grammar|spelling|tone|wording|punctuation|typos|readability)\b(?: and \w+)? (?:only|alone)\b"
                  rf"|\b(?:ignore|skip|leave aside)\b[^.;\n]{{0,20}}\b(?:facts|content|claims|accuracy)\b",
}  # fmt: skip
_NO_INVENTION = re.compile(
    rf"\b(?:only|solely|strictly|exclusively|nothing but|just)\b[^.;\n]{{0,45}}\b{_EVIDENCE}\b"
    rf"|\b{_EVIDENCE}\b[^.;\n]{{0,30}}\b(?:only|alone|nothing (?:else|more))\b"
    r"|\b(?:not|never|n't|without|no|avoid|nor|refrain from)\b[^.;\n]{0,30}\b(?:invent\w*|ma(?:k\w+|de)[ -](?:\w+ )?up|fabricat\w+|guess\w*"
    r"|speculat\w+|hallucinat\w+|embellish\w*|outside|prior knowledge|own knowledge|assum\w+|unsupported|extrapolat\w+"
    r"|add (?:anything|facts|claims|any|your|details|new))"
    r"|\bbeyond\b[^.;\n]{0,20}\b(?:facts?|sources?|evidence|material|given|notes?)\b|\b(?:invent|fabricate|add|assume) nothing\b"
    r"|\bsay (?:so|that you (?:do not|don't))\b|\bif you (?:do not|don't|cannot|can't) (?:know|find)\b|\bstick to\b|\bgrounded\b|\badmit\b"
    r"|\b(?:backed|supported) by\b|\bnothing (?:else|beyond|that is not|which is not|not in|outside)\b|\bfaithful\b", re.I)  # fmt: skip
_NEGATED = re.compile(r"(?:\b(?:no|not|never|without|omit|skip|drop|avoid|ignore|leave out|instead of|needn't|unnecessary)\b|n't)"
                      r"(?:\W+[\w'-]+){0,4}\W*$", re.I)  # fmt: skip
_WAIVED = re.compile(r"\b(?:no need|need not|needn't|(?:do not|don't|not) (?:worry|check|bother|mind|need|have|look|required)|ignore|skip|regardless"
                     r"|never mind|not about|unnecessary)\b(?:\W+[\w'-]+){0,4}\W*$", re.I)  # fmt: skip
_FAULT = re.compile(r"\b(?:sentences?|claims?|statements?|facts?|anything|drafts?|texts?|paragraphs?)\s+(?:without|lacking|with no)(?:\W+[\w'-]+){0,3}\W*$", re.I)
_IS_ONE = re.compile(r"^\W*(?:is|are|counts?|gets?|fails?|must|should|may not|will|cannot|do not pass|doesn't)\b", re.I)
_AGAIN = re.compile(r"(?:\b(?:no|not|never|nothing|none|flag|reject|report|mark|find|point out|list|refuse|complain|catch)\b|n't)(?:\W+[\w'-]+){0,6}\W+(?:without|omit|skip|drop|forget|leave|miss|fail)\w*"
                    r"(?:\W+[\w'-]+){0,4}\W*$", re.I)  # fmt: skip
_AFTER = re.compile(r"^[^.;\n]{0,30}?(?:(?:\b(?:not|never)|n't) (?:be )?(?:need|requir|necess|want|check|matter|includ)\w*|\bunnecessary|\boptional"
                    r"|\bleave (?:them|it|these) out|\b(?:omit|drop|strip|remove) (?:them|it|these))", re.I)  # fmt: skip
_WANTED = {what: re.compile(pattern, re.I) for what, pattern in _WANTS.items()}


@lru_cache(maxsize=2_000)
def wants(text: str, what: str) -> bool:
    """Whether a prompt asks for: citations | no_invention | coverage | thorough | style_only.

    A mention counts unless its clause turns it down ("no need to cite"), and counts again when that is turned down in
    its turn ("never a sentence without its source").
    """
    if what == "no_invention":
        return bool(_NO_INVENTION.search(text))
    for clause in re.split(r"(?<=[.;!?])\s+|\n+", text):
        for match in _WANTED[what].finditer(clause):
            before = clause[: match.start()]
            negated = _WAIVED if what == "coverage" else _NEGATED
            after = clause[match.end() :]
            if _AGAIN.search(before) or (_FAULT.search(before) and _IS_ONE.match(after)) or not (negated.search(before) or _AFTER.match(after)
                                                                                          or what == "citations" and re.match(r"\s+out\b", after)):
                return True
    return what == "citations" and bool(re.search(r"\bun(?:cited|sourced|referenced)\b", text, re.I))


_KINDS = (r"(?:brief(?:ing)?|report|article|summary|overview|essay|memo|note|text|piece|paper|draft|paragraphs?|sentences?|bullets?|facts?"
          r"|information|info|evidence|sources?|material|findings?|introduction|explanation|description|account|answer|handout|page|post"
          r"|claims?|statements?|details?|things?|knowledge|background)")  # fmt: skip
_LEADS = [re.compile(pattern, re.I) for pattern in (
    r"^(?:please|kindly|now|first|then|hi|hello|hey|ok(?:ay)?|so|and)\b[,!\s]*",
    r"^(?:could|can|would|will) you(?: please)?\s+|^i(?:'d| would) like (?:you to |to (?:have|get|know|see|read) )?|^(?:i|we) (?:need|want)(?: you)?(?: to)?\s+"
    r"|^(?:help (?:me|us)(?: to)?|let(?:'s| us)|(?:your|the) (?:task|job) is to|go and|try to)\s+",
    r"^(?:the |my |our |your )?(?:topic|subject|question|task|request|goal|intent)\s*(?:is|:)\s*",
    r"^what (?:is|are)(?: already| currently)? known (?:about|of|on)\s+|^what (?:do|does|can|should) (?:we|you|one|i|the \w+) (?:know|say|tell\b.*?|find(?: out)?|learn) (?:about|on|of)\s+",
    r"^(?:what|who|where|when|which|why|how)(?:'s| (?:is|are|was|were|do|does|did|can|could|should|has|have|would))\s+(?:the (?:facts|sources) (?:on|about)\s+)?",
    r"^(?:search|consult|use|query|look (?:in|into|through)|check|browse|go through)\s+(?:the|our|your|my)\s+(?:\w+\s+){0,2}?(?:library|corpus|archives?|documents?|collection|database"
    r"|tools?|index|notes|web|internet|sources?)\s*,?\s+(?:and|for|to|then|about|on)\s+(?:then\s+)?",
    r"^(?:re-?write|write|draft|prepare|produce|compose|create|give|make|find(?: out)?|search(?: for)?|look (?:up|for|into)|gather|collect|research"
    r"|investigate|summari[sz]e|explain|describe|tell|report(?= (?:on|about|what))|brief(?= (?:me|us|on|about))|provide|get|list|retrieve|study|explore|outline"
    r"|discuss|compare and contrast|compare|contrast|dig up|read up|review|revise|check|verify|improve|put together|assemble|answer|pull together|bring|sketch|hand in)\b"
    r"(?:\s+(?:me|us|them|up|it|out)\b)*[:\s]*",
    rf"^(?:(?!on\b|about\b|of\b|for\b|into\b|{_KINDS}\b)[\w'%,-]+\s+){{0,7}}?{_KINDS}\b(?:\s+(?:and|or|with|plus|in)\s+(?:\w+\s+){{0,3}}?{_KINDS}\b)?"
    r"(?:\s+(?:that |which )?(?:you can|there is|we|you|i|they)(?: (?:have|can|need|find|know|want))*)?(?:\s+(?:for|of) (?:a|the|our|my) (?:\w+ )?(?:brief|report|article|reader|draft)\b)?(?:\s+(?:that )?compar\w+(?=\s))?"
    r"\s*(?:,[^,]{3,40},\s*)?(?:(?:that|which) (?:explains?|describes?|covers?|summari[sz]es?|compares?)\b|comparing\b|(?:on|about|of|for|into|regarding|concerning|covering|explaining|describing|relevant to|related to)\b|:)\s*",
    r"^(?:whatever|what|all|everything)(?: (?:that|which))? (?:(?:the|our|my|your|these|this)\s+\w+|it|they)\s+(?:\w+\s+){0,2}?(?:about|on|of)\s+",
    r"^something(?: [\w-]+){0,3} (?:about|on)\s+|^(?:how|what|why|when|who|where|which)\s+|^(?:in|within|using|from|with|at)\b[^,]{2,40},\s+",
    r"^(?:for )?(?:a|the|our|my|your)\s+(?:\w+\s+)?(?:team|readers?|audience|class|boss|managers?|meeting|newsletter|colleagues?)\s+(?:on|about|of)\s+"
    r"|^(?:a|an|the|our|my|your|new)\s+(?:[\w-]+\s+){1,2}(?:know|learn|understand)\s+(?:about|of)\s+",
    r"^(?:one|we|you|i|people|somebody)\s+(?:best\s+)?[a-z]+\s+(?=\w)",
    r"^(?:everything|anything|all|something|what|whatever)(?: (?:there is|you can|you|we|can|is|to|find|know|known|out|have))*\s*(?:on|about|of)\s+",
    r"^(?:on|about|into|regarding|concerning|for|of)\s+",
    r"^(?:the )?(?:topic|subject|question|theme)(?: of)?\s*[:,]?\s+(?=\S)",
)]  # fmt: skip
_N = r"(?:\d[\d,]*|" + "|".join(sorted(NUMBER_WORDS, key=len, reverse=True)) + r")"
_CUT = re.compile(
    r"(?:\s*[,;:(–—-]\s*|\s+)(?:(?:in|within|under|using|with)\s+(?:at most|no more than|not more than|up to|about|around|exactly|under|fewer than|less than|max\w*)\b"
    rf"|(?:in|within|under|of|at most|no more than|up to|about|max\w*)?\s*(?:the\s+)?\b{_N}[\s-]+(?:\w+\s+)?(?:words?|sentences?|paragraphs?|bullets?|facts?|points?|searches)\b"
    r"|at most\b|no more than\b|not more than\b|using\b|based on\b|citing\b|against (?:the|these|its)\b|(?:that|which) (?:a|an|the|we|you|i)\b|from (?:the|our|my|your|these|those)\s+(?:\w+\s+)?(?:library|corpus|facts?|sources?|notes?|findings|collection|database|tools?)\b"
    r"|with (?:their|its|the|full|your|a|each|every|all|source|inline|bracketed)?\s*(?:sources?|citations?|references?)\b|and (?:then\s+)?(?:compare (?:them|these|those)|(?:cite|write|give|list|name|return|report|hand|send|include|review|check|say|mark|quote|keep|tell|make|note|add|end|stop|finish|answer|summari[sz]e)\s+(?:it|them|me|us|the|an?|your|each|every|all|any|with|only|back|over|at|in|where|what|how|its?|their|\d+|when|that|whether|two|three|five))\b"
    r"|(?:but (?:not|nothing|without)|except|excluding|then|so that|please|each with|one per|cite|citations?)\b|for (?:a|an|the|our|my|your)?\s*(?:\w+[ -]){0,2}?(?:brief(?:ing)?|report|article|readers?|writers?|editors?|reviewers?|colleagues?|developers?|engineers?|audience|team|newcomers?|beginners?|managers?|newsletter|meeting|draft)\b).*$", re.I | re.S)  # fmt: skip


@lru_cache(maxsize=1_000)
def topic(task: str) -> str:
    """What a request is about, in its own words: "Write me a brief on the history of MCP, please." → "the history of MCP"."""
    best = ""
    stated = re.search(r"\b(?:topic|subject|question|theme)(?: of the \w+)?(?:\s+is\b\s*:?|\s*:)\s*(\S[^\n]*)", task, re.I)
    for sentence in (*sentences(stated.group(1))[:1], *sentences(task)) if stated else sentences(task):
        quoted = re.search(r"(?:on|about|of|into|for|:|research)\s+[\"“‘«]([^\"”’»]{2,120})[\"”’»]", sentence, re.I)
        text = quoted.group(1) if quoted else uncited(sentence).strip().rstrip(".!?;: ")
        before = None
        while not quoted and text != before:
            before = text
            for lead in _LEADS:
                text = lead.sub("", text, count=1) if lead.match(text) and lead.match(text).end() < len(text) else text
            text = text.strip().strip(",:;")
        text = re.sub(r"\s+", " ", text if quoted else re.sub(r"\s*\((?:[^()]*\b(?:cite\w*|sources?|words?|short|brief)\b[^()]*)\)", "", _CUT.sub("", text))).strip(" .,:;!?\"“”'’`*_—–-")
        if re.search(r"\b(?:how|what|why)\b", sentence, re.I):
            text = re.sub(r"\s+(?:works?|compares?|differs?|is|are|means?)$", "", text)
        if content_words(text) and not is_instruction(sentence if sentence.lower().startswith(("do not", "don't", "never")) else ""):
            return text
        best = best or text
    return best


_COMPARES = re.compile(
    r"\bcompar(?:e|es|ing|ison|isons|ed)\b(?:\s+and\s+contrast)?(?:\s+(?:of|between|among|with|:))*\s*|\bcontrast(?:ing)?\b(?:\s+(?:of|between))?\s*"
    r"|\b(?:the )?(?:difference|differences|trade-offs?|similarities|choice|choosing|choose|decide|deciding)\b(?:\s+and\s+\w+)?\s+(?:between|among)\s+"
    r"|\bhow (?:do|does)\s+(?=[^?]*\bcompare\b)", re.I)
_VERSUS = re.compile(r"\s+(?:vs?\.?|versus|against|compared (?:to|with))\s+", re.I)
_SPLIT = re.compile(rf"\s*[,;]\s*(?:and\s+|or\s+|with\s+)?|\s+(?:and|or|with|to)\s+|{_VERSUS.pattern}", re.I)
_ASPECT = re.compile(r"\s+(?:with (?:regard|respect) to|in terms of|regarding|concerning|by|as|for|on|when|under)\b.*$", re.I)


@lru_cache(maxsize=1_000)
def subjects(text: str) -> tuple[str, ...]:
    """The subjects of a comparison in order ("compare A, B and C", "A vs B", "A, B and C"); else the topic alone."""
    whole = body = topic(text)
    if _COMPARES.search(text) or re.search(r"\bcompar\w+", text, re.I) or _VERSUS.search(body):
        if start := _COMPARES.search(body):
            body = body[start.end() :]
        body = re.sub(r"^(?:how|[\w -]+? of|[\w -]{2,30}:)\s+(?=[^,]+(?:,| and | vs))", "", _ASPECT.sub("", body))
    elif body.count(",") < 2 and not re.search(r",[^,]+\s(?:and|or)\s", body) or any(len(p.split()) > 4 for p in _SPLIT.split(body)):
        return (whole,) if whole else ()
    found = dict.fromkeys(re.sub(r"^(?:the|both|either|how)\s+", "", p.strip(" .:'\"")) for p in _SPLIT.split(body) if p and re.search(r"\w", p))
    return tuple(found) if len(found) > 1 else ((whole,) if whole else ())


# ---------------------------------------------------------------- labelled parts

_LABELS = {
    "task": "task question topic request goal intent objective assignment subject instruction instructions query",
    "feedback": "feedback issues comments review critique problems verdict remarks corrections",
    "facts": "facts evidence findings notes research sources material claims knowledge results",
    "draft": "draft brief text article report summary document essay",
    "context": "context background scope audience constraints requirements rules guidelines format length limits",
    "rubric": "rubric criteria criterion",
}
_CANONICAL = {word: label for label, line in _LABELS.items() for word in line.split()}
_MODIFIERS = frozenset("the a an this my our your these those given known current first second third last latest previous new "
                       "original revised reviewer reviewers reviewer's writer writers writer's researcher researchers "
                       "researcher's supervisor editor editor's user overall main full and with for of to from by in as so far "
                       "be check checked verify use used cited collected relevant available additional further more".split())  # fmt: skip


@lru_cache(maxsize=2_000)
def label_of(name: str) -> str | None:
    """The canonical label that a part's name stands for ("Reviewer feedback" → "feedback"), or None."""
    plain = [w for w in re.split(r"[^\w']+|_", name.lower()) if w]
    if not plain or len(plain) > 6:
        return None
    named = [_CANONICAL[w] for w in plain if w in _CANONICAL]
    if named and all(w in _CANONICAL or w in _MODIFIERS or w.isdigit() for w in plain):
        for label in ("task", "feedback"):  # "research question" is a task, "review of the draft" is feedback
            if label in named:
                return label
        if "draft" in plain:
            return "draft"
        return named[0]
    if re.match(r"(?:findings|results?|facts|evidence|notes|research|output|report)\s*(?:of|from|by|for|on|about|[:(–—-])", name.lower()):
        return "facts"
    return None


_TAG = re.compile(r"<([A-Za-z][\w.-]*)(?:\s[^<>]*)?>(.*?)</\1\s*>", re.S)
_LINE = re.compile(r"^[ \t]*(?:#{1,6}[ \t]+(?P<head>[^\n]{1,60}?)[ \t]*:?[ \t]*#*|\*\*(?P<bold>[^*\n]{1,60}?):?\*\*:?[ \t]*(?P<rest1>[^\n]*)"
                   r"|(?P<plain>[A-Za-z][\w '’()/-]{1,50}?)[ \t]*:(?:[ \t]+(?P<rest2>[^\n]*))?)$")  # fmt: skip
_LEAD_IN = re.compile(r"^(?:(?:here|below|above|these|this|following)\s+(?:is|are)\s+|(?:and|now)\s+|(?P<verb>(?:please\s+)?(?:check|review|verify|revise|improve|rewrite|"
                      r"edit|shorten|fact-check|judge|score|summari[sz]e|merge|combine|use|read)(?:\s+and\s+\w+)?)\s+)+(?=\S)", re.I)  # fmt: skip


def _flatten(data: dict, found: list[tuple[str, str]]) -> None:
    for key, value in data.items():
        if isinstance(value, dict) and label_of(str(key)) is None:
            _flatten(value, found)
        elif isinstance(value, list) and all(isinstance(item, str) for item in value):
            found.append((str(key), "\n".join(f"- {item}" for item in value)))
        elif value not in (None, "", [], {}):
            found.append((str(key), value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)))


@lru_cache(maxsize=500)
def labelled(text: str) -> tuple[tuple[str, str], ...]:
    """The parts of a message as (name, text) in order; the name of what stands outside of any label is "".

    Parts are JSON keys when the whole message is an object, <tags>, Markdown headings, bold labels and label lines.
    """
    if isinstance(data := json_of(text), dict):
        found: list[tuple[str, str]] = []
        _flatten(data, found)
        return tuple(found)
    found, position = [], 0
    for match in _TAG.finditer(text):
        found += _lines(text[position : match.start()])
        inner = match.group(2).strip()
        nested = labelled(inner) if inner.startswith("<") else ()
        if nested and all(name for name, _ in nested):
            found += nested
        elif inner:
            found.append((match.group(1), inner))
        position = match.end()
    return tuple(found + _lines(text[position:]))


def _lines(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, list[str]]] = [("", [])]
    for line in text.splitlines():
        match = _LINE.match(line) if len(line) < 20_000 and ":" in line or line.lstrip()[:1] in "#*" and line.strip() else None
        name = next((match[g] for g in ("head", "bold", "plain") if match[g]), "").strip(" :") if match else ""
        lead = _LEAD_IN.match(name)
        bare = name[lead.end() :] if lead and name[lead.end() :] else name
        known = label_of(bare) if name else None
        alone = name and not (match["rest1"] or match["rest2"] or match["head"]) and len(name.split()) < 4
        if known or (alone and line.rstrip().endswith(":") and label_of(found[-1][0]) not in ("facts", "draft", "feedback")):
            if lead and lead["verb"] and known:
                found.append(("", [name + "."]))
            found.append((bare, [match["rest1"] or match["rest2"] or ""]))
        else:
            found[-1][1].append(line)
    joined = [(name, re.sub(r"^(?:```\w*|\"\"\"|-{3,})\s*\n|\n\s*(?:```|\"\"\"|-{3,})\s*$", "", "\n".join(lines).strip())) for name, lines in found]
    return [(name, body.strip()) for name, body in joined if body.strip()]


@lru_cache(maxsize=500)
def parts(text: str) -> dict[str, str]:
    """The labelled parts under their canonical names (task, context, facts, draft, feedback, rubric; others by their own
    lower-case name); parts of one name are joined. What is outside of any label is the task. Do not change the result."""
    found: dict[str, list[str]] = {}
    for name, body in labelled(text):
        found.setdefault(label_of(name) or name.lower() if name else "task", []).append(body)
    if "facts" not in found and "task" in found:  # cited bullets in plain prose are facts, too
        lines = "\n".join(found["task"]).splitlines()
        cited = [line for line in lines if _BULLET.match(line) and (citations(line) or _TAIL.search(line))]
        if len(cited) > 1:
            found["facts"], found["task"] = cited, [line for line in lines if line not in cited]
    return {name: "\n\n".join(bodies) if name != "facts" else "\n".join(bodies) for name, bodies in found.items()}
