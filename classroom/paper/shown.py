"""The work of agents as safe HTML: a brief's Markdown, the facts of a checkpoint, a bill.
Everything is escaped.
"""

from __future__ import annotations

import json
import re
from typing import Any

from pydantic import BaseModel

from kernel import Run, Spent
from kernel.trace import dollars
from workshop.views.svg import escape

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
    """The same for a page: text as Markdown, the workshop's views as their picture, data as
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


def bill(run: Run) -> str:
    """What a run used: a sentence, and a table of who used what."""
    figures = "padding-left: 1.5em; text-align: right"
    head = "".join(
        f'<th scope="col" style="{"text-align: left" if name == "agent" else figures}">{name}</th>'
        for name in ("agent", "calls", "tokens in", "tokens out", "cost")
    )
    rows = "".join(
        f'<tr><th scope="row" style="text-align: left">{escape(name)}</th>'
        + "".join(
            f'<td style="{figures}">{escape(figure)}</td>'
            for figure in (
                used.calls,
                f"{used.input_tokens:,}",
                f"{used.output_tokens:,}",
                dollars(used.cost),
            )
        )
        + "</tr>"
        for name, used in accounts(run).items()
    )
    return f"<p>{escape(bill_sentence(run))}</p><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def accounts(run: Run) -> dict[str, Spent]:
    """What each agent used; then what went into calls that were cut off, at the most that each may
    cost; then the total.
    """
    agents: dict[str, Spent] = {}
    unanswered = run.spent
    for event in run.events:
        if event.kind == "reply":
            agents[event.agent] = agents.get(event.agent, Spent()) + event.spent
            unanswered -= event.spent
    cut_off = {"without an answer, at most": unanswered} if unanswered.calls else {}
    return {**agents, **cut_off, "total": run.spent}


def bill_sentence(run: Run) -> str:
    """Calls, tokens, dollars and seconds of a run; offline, what it would have cost on the models
    that it names.
    """
    used, models = run.spent, run.trace().totals()["models"]
    named = (
        f" {'as if ' if run.client.mode == 'offline' else ''}on {' and '.join(models)}"
        if models
        else ""
    )
    return (
        f"{used.calls} {'call' if used.calls == 1 else 'calls'} · {used.tokens:,} tokens · {dollars(used.cost)}{named} · "
        f"{run.events[-1].at if run.events else 0:.1f} seconds"
    )
