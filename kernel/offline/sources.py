"""Facts and documents: what a listing, a search result or a piece of JSON holds, whatever its form."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache

from .words import (
    BULLET,
    TAIL,
    Fact,
    blocks,
    citations,
    is_heading,
    sentence_of,
    sentences,
    uncited,
)


@dataclass(frozen=True)
class Doc:
    """One document of a tool's result; what the result does not say is ""."""

    id: str
    title: str = ""
    date: str = ""
    url: str = ""
    text: str = ""


_HEADER = re.compile(
    r"^\[(?P<id>[^\[\]\n]{1,160})\][ \t]+(?P<title>[^\n]*?)(?:[ \t]+\((?P<date>\d{4}[\d-]*"
    r"|no date)\))?[ \t]*$",
    re.M,
)
_NOTHING = re.compile(
    r"^\W*(?:sorry\W+)?(?:(?:there (?:is|are|were) )?(?:no|0|zero)\b[^.\n]{0,60}\b(?:match\w*|found"
    r"|results?"
    r"|hits?|documents?|entr\w+|pages?)|nothing\b[^.\n]{0,40}\b(?:found|match\w*))",
    re.I,
)
_FIELDS = {
    "id": (
        "id",
        "source_id",
        "doc_id",
        "document_id",
        "source",
        "slug",
        "key",
        "ref",
        "reference",
        "file",
        "path",
        "url",
        "uri",
        "link",
        "href",
        "name",
        "title",
    ),
    "title": ("title", "name", "heading", "headline", "label"),
    "date": ("date", "published", "published_at", "updated", "year", "created"),
    "url": ("url", "link", "uri", "href"),
    "text": (
        "text",
        "content",
        "body",
        "snippet",
        "extract",
        "summary",
        "abstract",
        "passage",
        "excerpt",
        "description",
        "fact",
        "sentence",
        "claim",
        "statement",
        "finding",
        "chunk",
        "page_content",
        "answer",
        "result",
    ),
}


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
            record = dict(re.findall(r"([\w-]+)=[\"']([^\"']*)", attributes)) | dict(
                re.findall(r"<(\w+)>(.*?)</\1>", body, re.S)
            )
            plain = (
                re.sub(r"<(\w+)[^>]*>.*?</\1>", " ", body, flags=re.S).strip() or re.sub(r"<[^>]+>", " ", body).strip()
            )
            found += _documents_of_json({"text": plain, **record})
        return tuple(found)
    found = []
    for paragraph in re.split(r"\n\s*\n", text):
        record = dict(re.findall(r"^\W*(\w[\w ]{0,20}?)\W*:\s+(.+)$", paragraph, re.M))
        if len(record) > 1 and (
            docs := _documents_of_json({k.strip().replace(" ", "_"): v for k, v in record.items()})
        ):
            found += docs
            continue
        head, _, body = paragraph.strip().partition("\n")
        if (
            body.strip()
            and citations(head)
            and not BULLET.match(head)
            and not re.search(r"[.!?]$", uncited(head).strip())
        ):
            found.append(Doc(citations(head)[0], uncited(head).strip(" #*:"), text=body.strip()))
        else:
            found += [Doc(fact.source, fact.title, text=fact.sentence) for fact in facts(paragraph)]
    return tuple(found)


def _document(head: re.Match, body: str) -> Doc:
    lines = body.strip().splitlines()
    url = lines.pop(0).strip() if lines and re.fullmatch(r"\W*https?://\S+", lines[0].strip()) else ""
    return Doc(
        head["id"].strip(),
        head["title"].strip(),
        (head["date"] or "").replace("no date", ""),
        url,
        "\n".join(lines).strip(),
    )


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
        return tuple(
            Fact(sentence_of(s).sentence, doc.id, doc.title) for doc in documents(text) for s in sentences(doc.text)
        )
    found, title = [], ""
    for block in blocks(text):
        if is_heading(block) or (block.endswith(":") and len(block.split()) < 7):
            title = block.strip("#*: ")
            continue
        tail = TAIL.search(block) if not citations(block) else None
        said = block[: tail.start()] if tail else block
        group = [
            sentence_of(sentence, tail.group("id").rstrip(".") if tail else "", title) for sentence in sentences(said)
        ]
        if len(group) > 1 and group[-1].source and not any(fact.source for fact in group[:-1]):
            group = [Fact(fact.sentence, group[-1].source, title) for fact in group]  # one source for the whole bullet
        found += [fact for fact in group if re.search(r"\w", fact.sentence) and len(fact.sentence.split()) > 1]
    return tuple(found)
