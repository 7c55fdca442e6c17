"""The lines under a picture of a run: why handoffs did not end well, what waited, and what was not
understood.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from classroom.paper.svg import BODY, MARGIN, MUTED, WARNING, WIDTH, text, wrapped
from kernel import Event

from .scene import Passage, reasons, waits
from .understood import not_understood

LINE_HEIGHT = 17


def first_reasons(passages: Iterable[Passage], limit: int) -> list[str]:
    """Why handoffs did not end well, each reason once; how many more there are than `limit`."""
    found = reasons(passages)
    shown = found[:limit]
    hidden = len(found) - limit
    if hidden > 0:
        shown.append(f"and {hidden} more reasons: HandoffLog shows each")
    return shown


def notes_on(passages: Sequence[Passage], events: Iterable[Event]) -> list[str]:
    """What waited, and what the offline model did not understand."""
    return [*waits(passages), *not_understood(events)]


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
