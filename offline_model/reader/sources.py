"""Facts and documents: what a list of facts, a search result or a piece of JSON holds."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from .lexicon import table
from .words import Fact, blocks, is_heading, says_nothing, sentence_of, sentences

_HEADER = re.compile(
    r"^\[(?P<id>[^\[\]\n]{1,160})\][ \t]+(?P<title>[^\n]*?)"
    r"(?:[ \t]+\((?P<date>\d{4}[\d-]*|no date)\))?[ \t]*$",
    re.M,
)


@dataclass(frozen=True)
class Doc:
    """One document of a tool's result; what the result does not say is ""."""

    id: str
    title: str = ""
    date: str = ""
    url: str = ""
    text: str = ""


def json_of(text: str) -> Any:
    """The JSON object or array that a text is, or None."""
    text = text.strip().removeprefix("```json").removeprefix("```").removesuffix("```").strip()
    try:
        return json.loads(text) if text[:1] in ("{", "[") else None
    except (ValueError, RecursionError):
        return None


def _record(fields: dict) -> Doc:
    """A Doc from fields of any usual names."""
    known = {str(key).lower(): _plain(value) for key, value in fields.items()}
    made = {}
    for field, names in table("words/records").items():
        made[field] = next((known[name] for name in names.split() if known.get(name)), "")
    return Doc(**made)


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return "\n".join(f"- {item}" for item in value if isinstance(item, str))
    return str(value).strip() if isinstance(value, (str, int)) else ""


def _of_json(data: Any) -> list[Doc]:
    if isinstance(data, str):
        return [Doc("", text=data)]
    if isinstance(data, dict):
        doc = _record(data)
        nested = any(isinstance(value, (dict, list)) for value in data.values())
        if doc.text or (doc.id and doc.title and not nested):
            return [replace(doc, text=doc.text or doc.title)]
        data = [value for value in data.values() if not isinstance(value, str)]
    return [doc for item in data for doc in _of_json(item)] if isinstance(data, list) else []


@lru_cache(maxsize=1_000)
def documents(text: str) -> tuple[Doc, ...]:
    """The documents of a tool's result: "[id] Title (date)" blocks, JSON, or sentences.

    A sentence that is no document's has the id "".
    """
    text = text.strip()
    data = json_of(text)
    if data is not None:
        return tuple(_of_json(data))
    heads = list(_HEADER.finditer(text))
    if heads:
        ends = [head.start() for head in heads[1:]] + [len(text)]
        bodies = (text[head.end() : end] for head, end in zip(heads, ends, strict=True))
        return tuple(_headed(head, body) for head, body in zip(heads, bodies, strict=True))
    if len(sentences(text)) < 3 and says_nothing(text):
        return ()
    return tuple(Doc(fact.source, fact.title, text=fact.sentence) for fact in facts(text))


def _headed(head: re.Match, body: str) -> Doc:
    lines = body.strip().splitlines()
    url = lines.pop(0).strip() if lines and re.fullmatch(r"https?://\S+\s*", lines[0]) else ""
    date, title = (head["date"] or "").replace("no date", ""), head["title"].strip()
    text = "\n".join(lines).strip()
    if title.endswith("."):  # no title at all: a note that begins with its source
        title, text = "", f"{title}\n{text}".strip()
    return Doc(head["id"].strip(), title, date, url, text or title)


@lru_cache(maxsize=1_000)
def facts(text: str) -> tuple[Fact, ...]:
    """The facts that a text lists, each with its source; a sentence without one has the source "".

    Takes bullets and lines with sources in brackets, headings over groups, JSON and search results.
    """
    if json_of(text) is not None or _HEADER.search(text):
        listed = ((doc, sentence) for doc in documents(text) for sentence in sentences(doc.text))
        return tuple(sentence_of(sentence, doc.id, doc.title) for doc, sentence in listed)
    found: list[Fact] = []
    title = ""
    for block in blocks(text):
        if is_heading(block) or (block.endswith(":") and len(block.split()) < 7):
            title = block.strip("#*: ")
            continue
        group = [sentence_of(sentence, "", title) for sentence in sentences(block)]
        if group and group[-1].source and not any(fact.source for fact in group[:-1]):
            group = [replace(fact, source=group[-1].source) for fact in group]
        found += [fact for fact in group if len(fact.sentence.split()) > 1]
    return tuple(found)
