"""Facts and documents: what a listing, a search result or a piece of JSON holds, whatever its form."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import dataclass, replace
from functools import lru_cache

from .words import TAIL, Fact, blocks, citations, is_heading, sentence_of, sentences


@dataclass(frozen=True)
class Doc:
    """One document of a tool's result; what the result does not say is ""."""

    id: str
    title: str = ""
    date: str = ""
    url: str = ""
    text: str = ""


_FIELDS = {  # the names that other people's tools give to the fields of a Doc, best first
    "id": "id source_id doc_id document_id source doc document slug key ref reference file path url uri link href name title",
    "title": "title name heading headline label",
    "date": "date published published_at updated year created",
    "url": "url link uri href",
    "text": "text content body snippet extract summary abstract passage excerpt description fact sentence claim statement "
            "finding chunk page_content answer result facts sentences"}
_USUAL = frozenset(name for names in _FIELDS.values() for name in names.split())
_HEADER = re.compile(
    r"^\[(?P<id>[^\[\]\n]{1,160})\][ \t]+(?P<title>[^\n]*?)(?:[ \t]+\((?P<date>\d{4}[\d-]*|no date)\))?[ \t]*$", re.M)
_SECTION = re.compile(  # a heading, its source on a line, its text
    r"^#+ +(?P<title>.+)\n+\W*(?:source|ref\w*|id)(?:[ _]id)?\W*: *(?P<id>\S+)[ \t]*\n(?P<text>(?:[^#\n].*\n?|\n)*)", re.M | re.I)
_NOTHING = re.compile(r"^\W*(?:sorry\W+)?(?:there (?:is|are|were) )?(?:no|0|zero|nothing)\b[^.\n]{0,60}\b"
                      r"(?:match|found|results?|hits?|documents?|entr\w+|pages?)", re.I)
_SLUGS = re.compile(r"[({]([A-Za-z]\w*(?:[-_:/.]\w+)+)[)}](?=\.?[ \t]*$)", re.M)  # a listing may cite so: "- Fact. (source-id)"
_TITLED = re.compile(r"^([^-*•\[\n][^\[\n.!?]{2,80}?) +\[([^\[\]\n]+)\]:?[ \t]*\n(?=\S[^\n]*[.!?][ \t]*$)", re.M)
_HEADS = re.compile(r"^#+ +(\S.*?) +[(\[](?:`([^`\n]+)`|([A-Za-z]\w*(?:[-_:/.]\w+)+))[)\]][ \t]*$", re.M)  # "## Title (`id`)"
_ROWS = re.compile(r"^(?:\d{1,3}[.)]|[-*•])[ \t]+([^\[\n.!?:]{2,80}?) +\[([^\[\]\n]+)\]:[ \t]+(?=\S)", re.M)  # "1. Title [id]: …"
_FOLDED = re.compile(r":[ \t]*[>|][-+]?[ \t]*\n[ \t]+(.*(?:\n(?![ \t]*[\w-]+:|- ).+)*)")  # YAML's "text: >" and its lines
_ITEM = re.compile(r"\n(?=- \w+: )")  # where a record of a YAML list begins
_NAMED = re.compile(r"^\W*([a-z][\w./-]*): +(\S.{1,80})$")  # "id: Title"
_BARRED = re.compile(r"^([\w.:/-]+) +\| +([^|\n]+?) +\| +([^|\n]+)$", re.M)  # "id | title | text"
TAGGED = re.compile(r"<(document|doc|source|result|item|page|fact|finding|snippet|passage)\b([^>]*)>(.*?)</\1>", re.S | re.I)


def json_of(text: str):
    """The JSON object or array that a text is, or None."""
    text = text.strip().removeprefix("```json").removeprefix("```").removesuffix("```").strip()
    try:
        return json.loads(text) if text[:1] in ("{", "[") else None
    except (ValueError, RecursionError):
        return None


def _record(fields: dict) -> Doc:
    """A Doc from fields of any usual names."""
    known = {str(key).strip().lower().replace(" ", "_"): _plain(value) for key, value in fields.items()}
    known = {"id": next((value for key, value in known.items() if key.endswith("_id")), ""), **known}
    return Doc(**{field: next(filter(None, map(known.get, names.split())), "") for field, names in _FIELDS.items()})


def _plain(value) -> str:
    if isinstance(value, list):
        return "\n".join(f"- {item}" for item in value if isinstance(item, str))
    return str(value).strip() if isinstance(value, (str, int)) else ""


def _of_json(data) -> list[Doc]:
    if isinstance(data, dict):
        inner = data.get("metadata") if isinstance(data.get("metadata"), dict) else {}
        doc, nested = _record({**inner, **data}), any(isinstance(value, (dict, list)) for value in data.values())
        if doc.text or (doc.id and doc.title and not nested):
            return [replace(doc, text=doc.text or doc.title)]
        data = list(data.values())
    return [doc for item in data if isinstance(item, (dict, list)) for doc in _of_json(item)]


@lru_cache(maxsize=1_000)
def documents(text: str) -> tuple[Doc, ...]:
    """The documents of a tool's result: "[id] Title (date)" blocks, JSON, records of "Title: …" lines, tagged
    documents, cited bullets, or plain paragraphs (whose id is "")."""
    text, data = _bracketed(text), json_of(text)
    if not text or _NOTHING.match(text):
        return ()
    if data is not None:
        listed = [Doc("", text=item) for item in data if isinstance(item, str)] if isinstance(data, list) else []
        return tuple(_of_json(data) or listed)
    if heads := list(_HEADER.finditer(text)):
        ends = [head.start() for head in heads[1:]] + [len(text)]
        return tuple(_headed(head, text[head.end() : end]) for head, end in zip(heads, ends, strict=True))
    if sections := list(_SECTION.finditer(text)):
        return tuple(Doc(head["id"], head["title"].strip(), text=head["text"].strip()) for head in sections)
    if tagged := TAGGED.findall(text):
        return tuple(_tagged(attributes, body) for _, attributes, body in tagged)
    if rows := _table(text):
        return rows
    text = _FOLDED.sub(lambda m: f": {' '.join(m[1].split())}", text)
    title, _, body = text.partition("\n\n")
    if "\n" not in title and len(title.split()) < 13 and title[-1] not in ".!?:" and re.search(r"[.!?]\s*$", body):
        return tuple(replace(doc, title=doc.title or title.strip("# ")) for doc in documents(body))
    pieces = re.split(r"\n\s*\n", _ITEM.sub("\n\n", text) if re.match(r"- \w+: .*\n[ \t]+\w+:", text) else text)
    return tuple(doc for paragraph in pieces for doc in _paragraph(paragraph.strip()))


def in_rows(text: str) -> tuple[Doc, ...]:
    """The documents of a table whose header row names the usual fields, in CSV or in Markdown; () for anything else."""
    lines = text.strip().splitlines()
    if not lines or len(lines[0]) > 200:
        return ()
    if lines[0][0] == "|":
        cells = [line.strip().strip("|").split("|") for line in lines if set(line.strip()) - set("|-: ")]
    else:
        try:
            cells = [*csv.reader(lines)] if "," in lines[0] else []
        except csv.Error:  # a cell that is longer than a cell may be
            return ()
    names, *rows = [[cell.strip(" `") for cell in row] for row in cells] or [[]]
    names = [name.lower() for name in names]
    known = len(names) > 1 and _USUAL.issuperset(names)
    return tuple(_record(dict(zip(names, row, strict=False))) for row in rows if row) if known else ()


def _table(text: str) -> tuple[Doc, ...]:
    """The documents of a table, or of a list of "id: Title" lines; () for anything else."""
    if rows := in_rows(text):
        return rows
    lines = [line for line in text.splitlines() if line.strip()]
    listed = [_NAMED.match(line) for line in lines]
    if all(match and match[1] not in _USUAL and match[2][-1] not in ".!?" for match in listed):
        return tuple(Doc(match[1], match[2].strip(), text=match[2].strip()) for match in listed if match)
    return ()

def _bracketed(text: str) -> str:
    """A listing with its sources in square brackets, where it has them in round ones, and before a title, not behind it."""
    text = _SLUGS.sub(r"[\1]", text.strip()) if len(_SLUGS.findall(text)) > 1 else text.strip()
    text = _ROWS.sub(r"[\2] \1\n", _HEADS.sub(lambda m: f"[{m[2] or m[3]}] {m[1]}", text))
    return _TITLED.sub(r"[\2] \1\n", _BARRED.sub(r"[\1] \2\n\3", text))


def _headed(head: re.Match, body: str) -> Doc:
    lines = body.strip().splitlines()
    url = lines.pop(0).strip() if lines and re.fullmatch(r"\W*https?://\S+\s*", lines[0]) else ""
    date, title, text = (head["date"] or "").replace("no date", ""), head["title"].strip(), "\n".join(lines).strip()
    if title.endswith(".") or len(sentences(title)) > 1:  # no title at all: a note that begins with its source
        title, text = "", f"{title}\n{text}".strip()
    return Doc(head["id"].strip(), title, date, url, text or title)


def _tagged(attributes: str, body: str) -> Doc:
    """<document id="…"><title>…</title>text</document>, with any of the fields as attributes or inner tags."""
    inner = dict(re.findall(r"<(\w+)>(.*?)</\1>", body, re.S))
    outer = dict(re.findall(r"([\w-]+)=[\"']([^\"']*)", attributes))
    return _record({"text": re.sub(r"<(\w+)>.*?</\1>", " ", body, flags=re.S).strip(), **outer, **inner})


def _paragraph(text: str) -> list[Doc]:
    """A record of "Field: value" lines, or facts."""
    record = dict(re.findall(r"^\W*(\w[\w ]{0,20}?)\W*:\s+(.+)$", text, re.M))
    if len(record) > 1 and (doc := _record(record)).text:
        return [doc]
    return [Doc(fact.source, fact.title, text=fact.sentence) for fact in facts(text)]


@lru_cache(maxsize=1_000)
def facts(text: str) -> tuple[Fact, ...]:
    """The facts that a text lists, each with its source.

    Takes bullets and lines with sources in any usual form, JSON lists of objects, headings over groups, and
    whole search results. A sentence without a source is a fact with source "".
    """
    text = _bracketed(text)
    if json_of(text) or _HEADER.search(text) or TAGGED.search(text) or in_rows(text):
        return tuple(sentence_of(s, doc.id, doc.title) for doc in documents(text) for s in sentences(doc.text))
    found, title = [], ""
    for block in blocks(text):
        if is_heading(block) or (block.endswith(":") and len(block.split()) < 7):
            title = block.strip("#*: ")
            continue
        tail = None if citations(block) else TAIL.search(block)
        source = tail["id"].rstrip(".") if tail else ""
        group = [sentence_of(s, source, title) for s in sentences(block[: tail.start()] if tail else block)]
        if group and group[-1].source and not any(fact.source for fact in group[:-1]):
            group = [replace(fact, source=group[-1].source) for fact in group]  # one source for the whole bullet
        found += [fact for fact in group if re.search(r"\w", fact.sentence) and len(fact.sentence.split()) > 1]
    return tuple(found)
