"""Text and data as safe HTML: Markdown, sentences, JSON. Everything is escaped."""

from __future__ import annotations

import json
import re
from typing import Any

from pydantic import BaseModel

from classroom.paper.svg import escape

HEADING = re.compile(r"(#{1,6})\s+(.*)")
BULLET = re.compile(r"[-*•]\s+(.*)")
NUMBERED = re.compile(r"\d{1,3}[.)]\s+(.*)")
INLINE = (
    (re.compile(r"`([^`]+)`"), r"<code>\1</code>"),
    (re.compile(r"\*\*(\S(?:.*?\S)?)\*\*"), r"<strong>\1</strong>"),
    (re.compile(r"(?<![\w*])\*([^\s*](?:[^*]*[^\s*])?)\*(?![\w*])"), r"<em>\1</em>"),
)
DEEPEST_HEADING = 4
"""A brief stands under the lesson's own headings, so its title is a fourth-level one."""


def markdown(source: str) -> str:
    """The Markdown that a brief uses (headings, paragraphs, lists, emphasis, code) as HTML; nothing
    else is let through.
    """
    blocks: list[tuple[str, list[str]]] = []
    for line in source.splitlines():
        line = line.strip()
        if not line:
            blocks.append(("", []))
        elif found := HEADING.fullmatch(line):
            blocks.append((f"h{max(DEEPEST_HEADING, min(6, len(found[1]) + 3))}", [found[2]]))
        elif found := BULLET.fullmatch(line):
            _item(blocks, "ul", found[1])
        elif found := NUMBERED.fullmatch(line):
            _item(blocks, "ol", found[1])
        elif blocks and blocks[-1][0] in ("p", "ul", "ol"):
            blocks[-1][1][-1] += " " + line
        else:
            blocks.append(("p", [line]))
    return "".join(_block(kind, parts) for kind, parts in blocks if kind)


def _item(blocks: list[tuple[str, list[str]]], kind: str, text: str) -> None:
    if not blocks or blocks[-1][0] != kind:
        blocks.append((kind, []))
    blocks[-1][1].append(text)


def _block(kind: str, parts: list[str]) -> str:
    inner = [inline(part) for part in parts]
    return f"<{kind}>{''.join(f'<li>{name}</li>' for name in inner) if kind in ('ul', 'ol') else inner[0]}</{kind}>"


def inline(text: str) -> str:
    """Emphasis and code within a line, as HTML."""
    safe = escape(text)
    for pattern, replacement in INLINE:
        safe = pattern.sub(replacement, safe)
    return safe


def as_shown_text(value: Any) -> str:
    """Any value for a reader of plain text: text as it is, views by their text twin, data as
    indented JSON.
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json")
    if isinstance(value, dict | list | tuple):
        return json.dumps(value, indent=2, ensure_ascii=False, default=str)
    return value.text() if callable(getattr(value, "text", None)) else str(value)


def as_shown_html(value: Any) -> str:
    """The same for a page: text as Markdown, views as their picture, data as
    indented JSON.
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return markdown(value)
    if callable(getattr(value, "markup", None)):  # a view: it has escaped what it shows
        return value.markup()
    return preformatted(as_shown_text(value))


def preformatted(text: str) -> str:
    """Text whose lines must stay as they are, wrapped where they are too long."""
    return f'<pre style="white-space: pre-wrap; line-height: 1.4">{escape(text)}</pre>'


def status_line(text: str) -> str:
    """A sentence that a screen reader announces when it changes."""
    return f'<span role="status" aria-live="polite" style="display: block; line-height: 1.5">{escape(text)}</span>'


def prose(html: str) -> str:
    """Lines as far apart as in the text of a notebook; widgets set them as for a row of buttons."""
    return f'<div style="line-height: 1.5">{html}</div>'
