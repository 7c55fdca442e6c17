"""The lines in a picture of a run: why handoffs did not end well, and what waited."""

from __future__ import annotations

from collections.abc import Iterable

from classroom.paper.svg import BODY, MARGIN, MUTED, WARNING, WIDTH, text, wrapped

from .scene import Passage, reasons

LINE_HEIGHT = 17


def first_reasons(passages: Iterable[Passage], limit: int) -> list[str]:
    """Returns the reasons of handoffs that did not end well, each once; then the number beyond
    `limit`.
    """
    found = reasons(passages)
    shown = found[:limit]
    hidden = len(found) - limit
    if hidden > 0:
        shown.append(f"and {hidden} more reasons: HandoffLog shows each")
    return shown


def footer(why: Iterable[str], notes: Iterable[str], y: float) -> tuple[list[str], float]:
    """The lines from `y` on, reasons in the colour of a warning, and the y below them."""
    coloured = [(sentence, WARNING) for sentence in why]
    coloured += [(sentence, MUTED) for sentence in notes]
    room = WIDTH - 2 * MARGIN
    shapes = []
    for sentence, fill in coloured:
        for words in wrapped(sentence, room, BODY, max_lines=8):
            shape = text(MARGIN, y + 4, words, size=BODY, fill=fill)
            shapes.append(shape)
            y += LINE_HEIGHT
    return shapes, y
