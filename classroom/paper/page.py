"""HTML as text: a light sheet, which the launcher's style darkens in JupyterLab's dark theme, and
blocks that one click or one key opens.

Colours stand on each element, since a notebook's dark theme sets its own on every kind of tag; a
host that strips styles still shows headings, lists and folded blocks.
"""

from __future__ import annotations

from collections.abc import Iterable

from .svg import CARD, FONT, HAIRLINE, INK, LINE, MUTED, PAPER, deep, escape, tint

TEXT = f"font-family:{FONT};font-size:13px;line-height:1.5;color:{INK};margin:0"
NO_FORMULAS = "mathjax_ignore"
"""A notebook takes text between two dollar signs for a formula."""
LONG = 900
"""Characters: longer payloads are folded."""


def sheet(finding: str, content: Iterable[str]) -> str:
    """The whole page; `finding` is its name for a screen reader."""
    return (
        f'<div class="{NO_FORMULAS}" role="region" aria-label="{escape(finding)}" '
        f'style="max-width:760px;box-sizing:border-box;padding:16px clamp(12px,3%,24px);background:{PAPER};border:1px solid {HAIRLINE};'
        f'border-radius:12px;{TEXT}">{"".join(content)}</div>'
    )


def strip(content: str) -> str:
    """A piece of a sheet that grows by pieces."""
    style = f"max-width:760px;box-sizing:border-box;padding:1px 24px;background:{PAPER};{TEXT}"
    return f'<div class="{NO_FORMULAS}" style="{style}">{content}</div>'


def heading(words: str) -> str:
    return f'<p style="{TEXT};font-size:16px;font-weight:600"><strong>{escape(words)}</strong></p>'


def sentence(words: str, *, muted: bool = False) -> str:
    return f'<p style="{TEXT};color:{MUTED if muted else INK};margin:4px 0">{escape(words)}</p>'


def payload(words: str) -> str:
    """Text, unchanged, with its lines."""
    return (
        f'<pre style="{TEXT};font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:12px;white-space:pre-wrap;'
        f'overflow-wrap:anywhere;background:{CARD};border:1px solid {HAIRLINE};border-radius:6px;padding:8px 12px;margin:4px 0">'
        f"{escape(words)}</pre>"
    )


def folded(summary: str, content: str, *, hue: str = LINE, is_open: bool = False) -> str:
    """`content` behind a line that a click, Enter or Space opens; `summary` is markup."""
    return (
        f'<details{" open" if is_open else ""} style="{TEXT};border-left:3px solid {hue};padding:2px 0 2px 12px;margin:8px 0">'
        f'<summary style="{TEXT};cursor:pointer">{summary}</summary>{content}</details>'
    )


def block(title: str, content: str, *, hue: str) -> str:
    """One titled block; `title` is markup."""
    return f'<div style="{TEXT};border-left:3px solid {hue};padding:2px 0 2px 12px;margin:10px 0">{title}{content}</div>'


def columns(each: Iterable[str]) -> str:
    """Columns beside each other, below each other where there is no room."""
    style = "display:flex;flex-wrap:wrap;gap:12px;margin:12px 0"
    return f'<div style="{style}">{"".join(each)}</div>'


def column(title: str, content: str, hue: str, *, least: int = 200) -> str:
    """One column; title and content are markup. least: the px that it needs."""
    style = (
        f"{TEXT};flex:1 1 {least}px;min-width:min(180px,100%);box-sizing:border-box;background:{CARD};"
        f"border:1px solid {HAIRLINE};border-top:3px solid {hue};border-radius:8px;padding:8px 12px"
    )
    return f'<div style="{style}">{title}{content}</div>'


def name(words: str, hue: str) -> str:
    return f'<strong style="color:{deep(hue)};font-weight:600">{escape(words)}</strong>'


def aside(words: str) -> str:
    return f'<span style="color:{MUTED}">{escape(words)}</span>'


def measured(title: str, words: str, *, hue: str = LINE) -> str:
    """A named payload, folded when it is long."""
    label = f"{name(title, INK)} {aside(size(words))}"
    if len(words) > LONG:
        return folded(label, payload(words), hue=tint(hue, 0.5))
    return f'<p style="{TEXT};margin:8px 0 0">{label}</p>{payload(words)}'


def size(words: str) -> str:
    count = len(words.split())
    return f"{count:,} word" + ("" if count == 1 else "s")
