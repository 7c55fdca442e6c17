"""A drawing on a wide or a narrow sheet: its words, its shapes, and the next free line.

Every picture is drawn twice from the same facts. A window below 600 px shows the narrow sheet, whose letters stay
readable there.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable
from typing import Any

from classroom.paper.svg import (
    BODY,
    INK,
    MARGIN,
    MUTED,
    SMALL,
    TITLE,
    WARNING,
    WIDTH,
    box,
    card,
    element,
    escape,
    line,
    path,
    text,
    text_width,
    wrapped,
)

NARROW = 320
"""The width of a narrow sheet, in px; that of a wide one is `WIDTH`."""
LARGER = 1.1
"""So much larger letters are on a narrow sheet."""
BOLDER = 1.13
"""So much wider bold letters are."""
BELOW = 600
"""A window of fewer px shows the narrow sheet."""
SWITCH = (
    f"<style>@media (max-width: {BELOW - 1}px) {{ .workshop-wide {{ display: none }} }} "
    f"@media (min-width: {BELOW}px) {{ .workshop-narrow {{ display: none }} }}</style>"
)


class Drawing:
    """The shapes of a picture, in the order in which they are drawn; `y` is the next free line."""

    def __init__(self, *, narrow: bool = False) -> None:
        self.narrow = narrow
        self.width = NARROW if narrow else WIDTH
        self.left = 14.0 if narrow else float(MARGIN)
        self.right = self.width - self.left
        self.y = 38.0
        self.shapes: list[str] = []

    @property
    def room(self) -> float:
        """px between the margins."""
        return self.right - self.left

    def size(self, size: float) -> float:
        """A size of letters on this sheet."""
        return size * LARGER if self.narrow else size

    def wide(self, words: str, size: float = SMALL, *, bold: bool = False) -> float:
        """About how many px a text takes on this sheet."""
        return text_width(words, self.size(size), bold=bold)

    def text(self, x: float, y: float, words: str, *, size: float = SMALL, **style: Any) -> None:
        """One line of text with its baseline at y, cut to `width` px where that is given."""
        self.shapes.append(text(x, y, words, size=self.size(size), **style))

    def lines(
        self,
        x: float,
        y: float,
        words: str,
        width: float,
        *,
        size: float = SMALL,
        max_lines: int = 2,
        **style: Any,
    ) -> float:
        """A text on at most `max_lines` lines from baseline y on; returns the baseline below them."""
        room = width / BOLDER if style.get("bold") else width
        for words_of_line in wrapped(words, room, self.size(size), max_lines=max_lines):
            self.text(x, y, words_of_line, size=size, **style)
            y += round(self.size(size) * 1.3)
        return y

    def title(self, words: str) -> None:
        """The picture's title: a long one in smaller letters, on a narrow sheet on two lines."""
        if self.narrow:
            self.y = self.lines(
                self.left, 30, words, self.room, size=14, max_lines=3, fill=INK, bold=True
            )
            self.y += 4
            return
        fits = TITLE * self.room / max(self.wide(words, TITLE, bold=True), 1)
        size = round(min(TITLE, max(BODY, fits)), 1)
        self.text(self.left, 38, words, size=size, fill=INK, bold=True, width=self.room)
        self.y = 62.0

    def paragraph(
        self, words: str, *, fill: str = INK, max_lines: int = 8, size: float = BODY
    ) -> None:
        """A sentence over the whole width; the next free line is below it."""
        if words:
            self.y = self.lines(
                self.left, self.y, words, self.room, size=size, max_lines=max_lines, fill=fill
            )
            self.y += 3

    def notes(self, why: Iterable[str], others: Iterable[str] = ()) -> None:
        """The lines under a picture: reasons in the colour of a warning, then what else is to say."""
        for sentence in why:
            self.paragraph(sentence, fill=WARNING)
        for sentence in others:
            self.paragraph(sentence, fill=MUTED)

    def line(self, x: float, y: float, x2: float, y2: float, **style: Any) -> None:
        self.shapes.append(line(x, y, x2, y2, **style))

    def box(self, x: float, y: float, width: float, height: float, **style: Any) -> None:
        self.shapes.append(box(x, y, width, height, **style))

    def path(self, d: str, **style: Any) -> None:
        self.shapes.append(path(d, **style))

    def dot(self, x: float, y: float, hue: str, radius: float = 6, **style: Any) -> None:
        self.shapes.append(element("circle", cx=float(x), cy=float(y), r=radius, fill=hue, **style))

    def svg(self, finding: str) -> str:
        """The whole picture on its own paper; `finding` says in a sentence what it shows."""
        return card(self.y + 4, finding, self.shapes, width=self.width)


def both(draw: Callable[[Drawing], None], finding: str) -> tuple[str, str]:
    """A picture as SVG on a wide and on a narrow sheet."""
    sheets = (Drawing(), Drawing(narrow=True))
    for sheet in sheets:
        draw(sheet)
    wide, narrow = (sheet.svg(finding) for sheet in sheets)
    return wide, narrow


def image(wide: str, narrow: str, alt: str) -> str:
    """A finished picture for a page: an image that speaks, shrinks, and has a form for a phone.

    JupyterLab shows an image; an SVG by itself has no alt text there.
    """
    return (
        f'<picture><source media="(max-width: {BELOW - 1}px)" srcset="{_as_data(narrow)}">'
        f'<img alt="{escape(alt)}" style="max-width:100%;height:auto" src="{_as_data(wide)}"></picture>'
    )


def frame(wide: str, narrow: str) -> str:
    """A picture that is drawn anew many times a second: an image would flicker."""
    return f'{SWITCH}<div class="workshop-wide">{wide}</div><div class="workshop-narrow">{narrow}</div>'


def _as_data(svg: str) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"


__all__ = ["BELOW", "NARROW", "Drawing", "both", "frame", "image"]
