"""The parts of every chart: the finished chart, its shapes, and its axes at round numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from classroom.paper.svg import (
    BODY,
    INK,
    LINE,
    MARGIN,
    MUTED,
    TITLE,
    WIDTH,
    box,
    card,
    element,
    line,
    text,
    tint,
)
from workshop.views.hues import FURTHER, ROLES

from .lanes import tick
from .view import bundle

LEFT = 200.0
RIGHT = WIDTH - 88.0
TOP = 64.0
"""The left, right and upper edge of the area in which numbers are drawn, in px."""
HUES = (ROLES["researcher"], ROLES["writer"], ROLES["reviewer"], *FURTHER)
FAINT = tint(LINE, 0.6)
DASHED = {"stroke": INK, "dash": "5 4", "width": 1.5}
"""The style of a line that marks one value."""
MOST_PIECES = 7
"""Into how many pieces round numbers divide an axis at most."""
NEARLY = 1e-9
"""Of a piece: a value this near a round number is taken as on it."""


@dataclass(frozen=True)
class Chart:
    """A finished chart: the sentence that it shows, its picture, and the same in words."""

    finding: str
    svg: str
    words: str

    def text(self) -> str:
        return f"{self.finding}\n{self.words}"

    def markup(self) -> str:
        """The picture as it goes into a page."""
        return self.svg

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return bundle(self.svg, self.text(), self.text())

    def __repr__(self) -> str:
        return f"Chart({self.finding!r})"


@dataclass(frozen=True)
class Axis:
    """Values → px: the first tick is at the left edge of the numbers, the last one at `right`."""

    ticks: Sequence[float]
    right: float = RIGHT

    @classmethod
    def around(cls, values: Iterable[float], right: float = RIGHT) -> Axis:
        """An axis that holds all the values."""
        numbers = sorted(values)
        ticks = round_numbers(numbers[0], numbers[-1])
        return cls(ticks, right)

    @property
    def first(self) -> float:
        return self.ticks[0]

    @property
    def last(self) -> float:
        return self.ticks[-1]

    @property
    def middle(self) -> float:
        return (LEFT + self.right) / 2

    def x(self, value: float) -> float:
        width = self.right - LEFT
        length = self.last - self.first
        past = value - self.first
        return LEFT + width * past / length


class Drawing:
    """The shapes of a chart, in the order in which they are drawn."""

    def __init__(self) -> None:
        self.shapes: list[str] = []

    def text(self, x: float, y: float, words: str, **style: Any) -> None:
        shape = text(x, y, words, **style)
        self.shapes.append(shape)

    def number(self, x: float, y: float, words: str, **style: Any) -> None:
        """A figure of the chart, in ink and bold."""
        self.text(x, y, words, fill=INK, bold=True, **style)

    def mark(self, x: float, y: float, words: str) -> None:
        """Writes the meaning of a dashed line above it."""
        self.text(x, y, words, fill=INK, anchor="middle")

    def row_name(self, name: str, y: float) -> None:
        """The name of a row, left of its numbers."""
        end = LEFT - 12
        width = end - MARGIN
        self.text(end, y, name, size=BODY, fill=INK, anchor="end", width=width)

    def meaning(self, x: float, y: float, words: str) -> None:
        """Writes the meaning of an axis's numbers."""
        self.text(x, y, words, fill=MUTED, anchor="middle")

    def line(self, x: float, y: float, x2: float, y2: float, **style: Any) -> None:
        shape = line(x, y, x2, y2, **style)
        self.shapes.append(shape)

    def horizontal(self, y: float, x: float, x2: float, **style: Any) -> None:
        self.line(x, y, x2, y, **style)

    def vertical(self, x: float, y: float, y2: float, **style: Any) -> None:
        self.line(x, y, x, y2, **style)

    def bar(self, x: float, y: float, width: float, hue: str) -> None:
        shape = box(x, y, width, 20, radius=3, fill=hue)
        self.shapes.append(shape)

    def square(self, x: float, y: float, hue: str) -> None:
        left = x - 5
        top = y - 5
        shape = box(left, top, 10, 10, radius=1, fill=hue)
        self.shapes.append(shape)

    def dot(self, x: float, y: float, hue: str, radius: int = 6) -> None:
        shape = element("circle", cx=x, cy=y, r=radius, fill=hue)
        self.shapes.append(shape)

    def frame(self, axis: Axis, bottom: float, meaning: str) -> None:
        """Vertical lines at round numbers, their values, and what they count."""
        for value in axis.ticks:
            x = axis.x(value)
            number = f"{value:g}"
            self.vertical(x, TOP - 4, bottom, stroke=FAINT)
            self.text(x, bottom + 16, number, anchor="middle")
        self.meaning(axis.middle, bottom + 36, meaning)

    def chart(self, finding: str, bottom: float, words: Iterable[str]) -> Chart:
        """Returns the drawing as a chart, on a card under the sentence that it shows."""
        width = WIDTH - 160
        title = text(MARGIN, 38, finding, size=TITLE, fill=INK, bold=True, width=width)
        shapes = [title, *self.shapes]
        height = bottom + 56
        svg = card(height, finding, shapes)
        return Chart(finding, svg, "\n".join(words))


def hue(index: int) -> str:
    """The colour of the name at this place of a chart."""
    return HUES[index % len(HUES)]


def round_numbers(least: float, greatest: float) -> list[float]:
    """Round numbers at equal distances from `least` or below it to `greatest` or above it."""
    length = (greatest - least) or 1.0
    step = tick(length, MOST_PIECES)
    begin = math.floor(least / step + NEARLY)
    end = math.ceil(greatest / step - NEARLY)
    end = max(end, begin + 1)
    numbers = range(begin, end + 1)
    return [round(number * step, 6) for number in numbers]
