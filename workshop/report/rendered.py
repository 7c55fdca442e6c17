"""A text with its headings, lists and paragraphs as HTML; everything of it is escaped.

Of Markdown only headings, bullets, `code` and **bold** are read. A citation is a link to a sentence on the
same page; an address that a text holds is shown, and is never a link.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from classroom.paper.svg import escape

from .citing import CITATION, Claim, Documents, claim, sentences

_HEADING = re.compile(r"#{1,6}\s+(.*)")
_BULLET = re.compile(r"\s*[-*]\s+(.*)")
_BOLD = re.compile(r"\*\*([^*\s](?:[^*]*[^*\s])?)\*\*")
_CODE = re.compile(r"`([^`]+)`")


class TextPiece(NamedTuple):
    """A piece of a text."""

    kind: str
    """`heading`, `bullet` or `paragraph`."""
    text: str


def blocks(text: str) -> list[TextPiece]:
    """A text in pieces; lines of one paragraph are joined."""
    found: list[TextPiece] = []
    ended = True
    for line in text.splitlines():
        heading, bullet = _HEADING.fullmatch(line.strip()), _BULLET.fullmatch(line)
        if heading:
            found.append(TextPiece("heading", heading[1]))
        elif bullet:
            found.append(TextPiece("bullet", bullet[1]))
        elif line.strip() and not ended and found[-1].kind != "heading":
            found[-1] = TextPiece(found[-1].kind, f"{found[-1].text} {line.strip()}")
        elif line.strip():
            found.append(TextPiece("paragraph", line.strip()))
        ended = not line.strip()
    return found


def html(text: str, documents: Documents, only: Collection[str] = (), marked: bool = False) -> str:
    """A text as HTML.

    documents: the library that citations open.
    only:      sentences to underline, those that another text does not have.
    marked:    whether to say so behind a sentence that no source of it carries.
    """
    parts = []
    bullets: list[str] = []
    for kind, words in blocks(text):
        content = " ".join(_sentences(words, documents, only, marked))
        if kind == "bullet":
            bullets.append(f"<li>{content}</li>")
            continue
        parts += _list(bullets)
        bullets = []
        parts.append(f"<h3>{_inline(words)}</h3>" if kind == "heading" else f"<p>{content}</p>")
    return "".join([*parts, *_list(bullets)])


def _list(bullets: list[str]) -> list[str]:
    return [f"<ul>{''.join(bullets)}</ul>"] if bullets else []


def _sentences(
    text: str, documents: Documents, only: Collection[str], marked: bool
) -> Iterator[str]:
    for sentence in sentences(text) or [text]:
        found = claim(sentence, documents)
        content = _linked(found)
        if sentence in only:
            content = f"<u>{content}</u>"
        if marked and found.cited and not found.carried:
            content += ' <span class="bad">(not carried by its source)</span>'
        yield content


def _linked(found: Claim) -> str:
    """A sentence in which each citation of a known document is a link to the sentence there."""
    parts, end, cited = [], 0, iter(found.cited)
    for match in CITATION.finditer(found.text):
        parts.append(_inline(found.text[end : match.start()]))
        links = []
        for _ in re.split("[,;]", match[1]):
            one = next(cited)
            name = escape(one.id)
            if one.document is not None:
                name = f'<a href="#{place(one.document, one.sentence)}">{name}</a>'
            links.append(name)
        parts.append(f"[{', '.join(links)}]")
        end = match.end()
    return "".join([*parts, _inline(found.text[end:])])


def place(document: int, sentence: int) -> str:
    """The id of a sentence of a document on the page; it holds nothing that a text says."""
    return f"document-{document + 1}-sentence-{sentence + 1}"


def _inline(text: str) -> str:
    return _BOLD.sub(r"<strong>\1</strong>", _CODE.sub(r"<code>\1</code>", escape(text)))
