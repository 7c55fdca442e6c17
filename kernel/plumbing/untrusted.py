"""Untrusted text as data: a document cannot impersonate another one.

A text that looks like the head of a document, or cites another document, would attribute its words
to a source that never said them.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from .labels import label
from .texts import one_kind_of_line

_TAG = re.compile(r"<(?=\s*+(?:/\s*+)?(?:document|doc|source|result)s?\b)", re.IGNORECASE)
_AT_LINE_START = re.compile(r"^[ \t]*+(?=\[)", re.MULTILINE)
_IN_BRACKETS = re.compile(r"\[([^\[\]\n]{1,400})\]")
_ID = re.compile(r"[\w.-]+")
_BETWEEN = re.compile("[,;|]")


def citations(text: str) -> list[str]:
    """The ids that a text cites, in order, each once; `[a, b]` cites two. A link of Markdown,
    `[words](address)`, cites nothing."""
    found = [
        id.strip()
        for match in _IN_BRACKETS.finditer(text)
        if text[match.end() : match.end() + 1] != "("
        for id in _BETWEEN.split(match[1])
    ]
    return list(dict.fromkeys(filter(_ID.fullmatch, found)))


def as_data(text: str, others: set[str]) -> str:
    """Returns untrusted text that can neither begin a document nor cite one of the others.

    others: the ids of the other documents, in lowercase.
    """

    def cited(found: re.Match[str]) -> str:
        ids = {label(part.strip()).lower() for part in _BETWEEN.split(found[1])}
        return found[0] if ids.isdisjoint(others) else f"({found[1]})"

    text = _IN_BRACKETS.sub(cited, one_kind_of_line(text))
    return _AT_LINE_START.sub("> ", _TAG.sub("&lt;", text))


def is_address(text: str) -> bool:
    """True if a text is the address of a page: http or https, and in one piece."""
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and len(text.split()) == 1
