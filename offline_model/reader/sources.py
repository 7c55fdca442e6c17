"""Facts and documents: what a list of facts, a search result or a piece of JSON holds."""

from __future__ import annotations

import ast
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


_LITERAL = re.compile(r"[\[{\s]+['\"]")
"""The beginning of a list or a dict that holds texts."""


@dataclass(frozen=True)
class Doc:
    """One document of a tool's result; what the result does not say is ""."""

    id: str
    title: str = ""
    date: str = ""
    url: str = ""
    text: str = ""


def json_of(text: str) -> Any:  # Any: JSON
    """The JSON object or array that a text is, or None."""
    text = text.strip().removeprefix("```json").removeprefix("```").removesuffix("```").strip()
    if not text.startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _literal(text)


def _literal(text: str) -> Any:  # Any: Python's literals
    """The list or dict that `str(...)` made a text of, as a tool's result that was to be JSON; else None."""
    if not text.endswith(("}", "]")) or _LITERAL.match(text) is None:
        return None
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None


def _record(fields: dict[str, Any]) -> Doc:
    """A Doc from fields of any usual names."""
    known = {str(key).lower(): _plain(value) for key, value in fields.items()}
    values = {}
    for field, names in table("words/records").items():
        given = filter(None, map(known.get, names.split()))
        values[field] = next(given, "")
    return Doc(**values)


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return "\n".join(f"- {item}" for item in value if isinstance(item, str))
    return str(value).strip() if isinstance(value, str | int) else ""


def _of_json(data: Any) -> list[Doc]:
    if isinstance(data, str):
        return [Doc("", text=data)]
    if isinstance(data, dict):
        doc = _record(data)
        inner = [value for value in data.values() if isinstance(value, dict | list)]
        if doc.text:
            return [doc]
        if doc.id and doc.title and not inner:
            return [replace(doc, text=doc.title)]
        data = inner
    if not isinstance(data, list):
        return []
    return [doc for item in data for doc in _of_json(item)]


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
        found = []
        ends = [head.start() for head in heads[1:]]
        for head, end in zip(heads, [*ends, len(text)], strict=True):
            body = text[head.end() : end]
            found.append(_headed(head, body))
        return tuple(found)
    if len(sentences(text)) < 3 and says_nothing(text):
        return ()
    return tuple(Doc(fact.source, fact.title, text=fact.sentence) for fact in facts(text))


def _headed(head: re.Match[str], body: str) -> Doc:
    text = body.strip()
    url = ""
    first, _, rest = text.partition("\n")
    if re.fullmatch(r"https?://\S+\s*", first):
        url = first.strip()
        text = rest.strip()
    title = head["title"].strip()
    date = head["date"] or ""
    return Doc(head["id"].strip(), title, date.replace("no date", ""), url, text or title)


@lru_cache(maxsize=1_000)
def facts(text: str) -> tuple[Fact, ...]:
    """The facts that a text lists, each with its source; a sentence without one has the source "".

    Takes bullets and lines with sources in brackets, headings over groups, JSON and search results.
    """
    found: list[Fact] = []
    if json_of(text) is not None or _HEADER.search(text):
        for doc in documents(text):
            found += [sentence_of(one, doc.id, doc.title) for one in sentences(doc.text)]
        return tuple(found)
    title = ""
    for block in blocks(text):
        is_label = block.endswith(":") and len(block.split()) < 7
        if is_label or is_heading(block):
            title = block.strip("#*: ")
            continue
        group = [sentence_of(sentence, "", title) for sentence in sentences(block)]
        cited = [fact for fact in group if fact.source]
        if cited and cited == group[-1:]:  # a source behind a paragraph is the source of it all
            group = [replace(fact, source=cited[0].source) for fact in group]
        found += [fact for fact in group if " " in fact.sentence]
    return tuple(found)
