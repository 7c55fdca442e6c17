"""The work of agents as safe HTML: a brief's Markdown, the facts of a checkpoint, a bill. Everything is escaped."""

from __future__ import annotations

import json
import re
from typing import Any

from pydantic import BaseModel

from kernel import Trace
from kernel.trace import dollars
from workshop.views.svg import escape

HEADING = re.compile(r"(#{1,6})\s+(.*)")
BULLET = re.compile(r"[-*•]\s+(.*)")
NUMBERED = re.compile(r"\d{1,3}[.)]\s+(.*)")
INLINE = ((re.compile(r"`([^`]+)`"), r"<code>\1</code>"), (re.compile(r"\*\*(\S(?:.*?\S)?)\*\*"), r"<strong>\1</strong>"),
          (re.compile(r"(?<![\w*])\*([^\s*](?:[^*]*[^\s*])?)\*(?![\w*])"), r"<em>\1</em>"))
DEEPEST_HEADING = 4
"""A brief stands under the lesson's own headings, so its title is a fourth-level one."""


def markdown(source: str) -> str:
    """The Markdown that a brief uses (headings, paragraphs, lists, emphasis, code) as HTML; nothing else is let through."""
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
    inner = [_inline(part) for part in parts]
    return f"<{kind}>{''.join(f'<li>{it}</li>' for it in inner) if kind in ('ul', 'ol') else inner[0]}</{kind}>"


def _inline(text: str) -> str:
    safe = escape(text)
    for pattern, replacement in INLINE:
        safe = pattern.sub(replacement, safe)
    return safe


def as_shown_text(value: Any) -> str:
    """Any value for a reader of plain text: text as it is, views by their text twin, data as indented JSON."""
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
    """The same for a page: text as Markdown, the workshop's views as their picture, data as indented JSON."""
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
    return f'<span role="status" aria-live="polite">{escape(text)}</span>'


def bill(trace: Trace, *, offline: bool) -> str:
    """Who used what, as a table; with what the whole cost in a sentence above it."""
    rows = [*trace.by_agent().items(), ("total", trace.totals())]
    cells = "".join(f'<tr><th scope="row" style="text-align: left">{escape(name)}</th>' + "".join(
        f'<td style="text-align: right; padding-left: 1.5em">{cell}</td>' for cell in (
            used["calls"], f"{used['input_tokens']:,}", f"{used['output_tokens']:,}", dollars(used["usd"]))) + "</tr>"
        for name, used in rows)
    head = "".join(f'<th scope="col" style="text-align: {side}; padding-left: {left}">{name}</th>' for name, side, left in (
        ("agent", "left", "0"), ("calls", "right", "1.5em"), ("tokens in", "right", "1.5em"),
        ("tokens out", "right", "1.5em"), ("cost", "right", "1.5em")))
    return f"<p>{escape(bill_sentence(trace, offline=offline))}</p><table><thead><tr>{head}</tr></thead><tbody>{cells}</tbody></table>"


def bill_sentence(trace: Trace, *, offline: bool) -> str:
    """Calls, tokens, dollars and seconds of a run; offline, what it would have cost on the models that it names."""
    used = trace.totals()
    named = f"{'as if ' if offline else ''}on {' and '.join(used['models'])}" if used["models"] else "no model was asked"
    return (f"{used['calls']} calls · {used['input_tokens'] + used['output_tokens']:,} tokens · {dollars(used['usd'])} {named} · "
            f"{used['seconds']:.1f} seconds")
