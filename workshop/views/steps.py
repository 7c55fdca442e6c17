"""A journal's steps: those that were kept and those that had to be asked, in a row."""

from __future__ import annotations

from typing import Any

from classroom.paper.svg import (
    BODY,
    INK,
    MARGIN,
    MUTED,
    SMALL,
    WIDTH,
    box,
    card,
    heading,
    text,
    tint,
)

from .view import bundle

KEPT, ASKED = "#00795a", "#b8590b"
MOST = 24
"""Steps that are drawn one by one."""


class StepsKept:
    """What a resumed run took from its journal: `StepsKept(booked, sent)`.

    booked: how many replies the run used. sent: how many of them it had to ask for.
    """

    def __init__(self, booked: int, sent: int) -> None:
        if not 0 <= sent <= booked:
            raise ValueError(f"{sent} of {booked} replies were sent; expected 0 to {booked}")
        self.booked = booked
        self.sent = sent
        self.kept = booked - sent

    def finding(self) -> str:
        sentence = f"{self.kept} of {self.booked} replies came from the journal"
        return f"{sentence}, {self.sent} were asked for."

    def svg(self) -> str:
        count = min(self.booked, MOST)
        kept = round(self.kept * count / max(1, self.booked))
        room = WIDTH - 2 * MARGIN
        pitch = min(120.0, room / max(1, count))
        width = pitch - 6
        shapes = [heading("The journal")]
        shapes.append(text(MARGIN, 62, self.finding(), size=BODY + 1, fill=INK))
        for number in range(count):
            hue, label = (KEPT, "kept") if number < kept else (ASKED, "asked")
            x = MARGIN + number * pitch
            middle = x + width / 2
            shapes.append(box(x, 84, width, 40, fill=tint(hue, 0.12), stroke=hue))
            shapes.append(text(middle, 109, label, fill=hue, bold=True, anchor="middle"))
        words = "each box is one reply, in the order of the run"
        shapes.append(text(MARGIN, 146, words, size=SMALL, fill=MUTED))
        return card(164, f"The journal: {self.finding()}", shapes)

    def text(self) -> str:
        kept = "█" * self.kept
        asked = "░" * self.sent
        row = f"{kept}{asked}   (█ kept, ░ asked)"
        return f"The journal\n{self.finding()}\n\n{row}"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        alt = f"The journal: {self.finding()}"
        return bundle(self.svg(), alt, self.text())

    def __repr__(self) -> str:
        return self.text()
