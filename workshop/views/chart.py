"""Charts of a few numbers: bars, panels of bars, pairs before and after, straight lines, curves, and
intervals; each with a text twin.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from .svg import (
    BODY,
    CARD,
    FURTHER,
    INK,
    LINE,
    MARGIN,
    MUTED,
    ROLES,
    TITLE,
    WIDTH,
    box,
    card,
    element,
    line,
    text,
    tint,
)
from .view import bundle

LEFT, RIGHT, TOP = 200.0, WIDTH - 88.0, 64.0
"""Where the numbers are drawn, in px."""
MIDDLE = (LEFT + RIGHT) / 2
ROW, HEIGHT = 32.0, 200.0
HUES = (ROLES["researcher"], ROLES["writer"], ROLES["reviewer"], *FURTHER)
DASHES = (None, "6 4", "2 3", "10 4 2 4")
SHARES = (0.95, 0.62, 0.3)
"""How far along its line a name is written: side by side, so that names of near lines stay apart."""
FAINT = tint(LINE, 0.6)
DASHED = {"stroke": INK, "dash": "5 4", "width": 1.5}
"""How a line is drawn that marks one value."""
PANELS = 168.0
"""Where the columns of `panels` begin, in px."""
COLUMNS = 30
"""Characters of the longest bar of a text twin."""


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


class Drawing:
    """The shapes of a chart, in the order in which they are drawn."""

    def __init__(self) -> None:
        self.shapes: list[str] = []

    def text(self, x: float, y: float, words: str, **style: Any) -> None:
        self.shapes.append(text(x, y, words, **style))

    def number(self, x: float, y: float, words: str, **style: Any) -> None:
        """A figure of the chart, in ink and bold."""
        self.text(x, y, words, fill=INK, bold=True, **style)

    def row_name(self, name: str, y: float) -> None:
        width = LEFT - MARGIN - 12
        self.text(LEFT - 12, y, name, size=BODY, fill=INK, anchor="end", width=width)

    def axis(self, x: float, y: float, words: str) -> None:
        """What the numbers count."""
        self.text(x, y, words, fill=MUTED, anchor="middle")

    def line(self, x: float, y: float, x2: float, y2: float, **style: Any) -> None:
        self.shapes.append(line(x, y, x2, y2, **style))

    def horizontal(self, y: float, x: float, x2: float, **style: Any) -> None:
        self.line(x, y, x2, y, **style)

    def vertical(self, x: float, y: float, y2: float, **style: Any) -> None:
        self.line(x, y, x, y2, **style)

    def bar(self, x: float, y: float, width: float, hue: str) -> None:
        self.shapes.append(box(x, y, width, 20, radius=3, fill=hue))

    def square(self, x: float, y: float, hue: str) -> None:
        self.shapes.append(box(x - 5, y - 5, 10, 10, radius=1, fill=hue))

    def dot(self, x: float, y: float, hue: str, radius: int = 6) -> None:
        self.shapes.append(element("circle", cx=x, cy=y, r=radius, fill=hue))

    def frame(self, bottom: float, ticks: list[float], end: float, axis: str) -> None:
        """Vertical lines at round numbers, their values, and what they count."""
        for tick in ticks:
            x = _x(tick, 0.0, end)
            self.vertical(x, TOP - 4, bottom, stroke=FAINT)
            self.text(x, bottom + 16, f"{tick:g}", anchor="middle")
        self.axis(MIDDLE, bottom + 36, axis)


def bars(finding: str, values: Mapping[str, float], *, axis: str, ideal: float = 0.0) -> Chart:
    """One bar for each value. `ideal` is marked by a dashed line; 0 draws none."""
    largest = max([ideal, *values.values()])
    bottom = TOP + ROW * len(values)
    ticks = _ticks(0.0, largest)
    drawing = Drawing()
    drawing.frame(bottom, ticks, ticks[-1], axis)
    words = []
    for index, (name, value) in enumerate(values.items()):
        y = TOP + ROW * index + 6
        drawing.row_name(name, y + 14)
        _bar(drawing, y, value, largest, _hue(index))
        words.append(_bar_in_words(name, "█", value, largest))
    if ideal:
        x = _x(ideal, 0.0, largest)
        drawing.vertical(x, TOP - 6, bottom, **DASHED)
        drawing.text(x, TOP - 12, f"ideal {ideal:g}", fill=INK, anchor="middle")
        words.append(_bar_in_words("ideal", "─", ideal, largest))
    return _chart(finding, bottom, drawing, words)


def _bar(drawing: Drawing, y: float, value: float, largest: float, hue: str) -> None:
    """A bar, with its number inside where it is long enough, else after it."""
    width = _x(value, 0.0, largest) - LEFT
    end = LEFT + width
    number = f"{value:.2f}"
    drawing.bar(LEFT, y, max(width, 1.0), hue)
    if width > 60:
        drawing.text(end - 8, y + 14, number, size=BODY, fill=CARD, bold=True, anchor="end")
    else:
        drawing.number(end + 8, y + 14, number, size=BODY)


def _bar_in_words(name: str, sign: str, value: float, largest: float) -> str:
    bar = sign * round(COLUMNS * value / largest)
    return f"{name:12}  {bar:{COLUMNS}}  {value:.2f}"


def pairs(finding: str, values: Mapping[str, tuple[float, float]], *, axis: str) -> Chart:
    """Before (a square) and after (a dot) on one line for each name."""
    largest = max(number for pair in values.values() for number in pair)
    bottom = TOP + ROW * len(values)
    ticks = _ticks(0.0, largest)
    drawing = Drawing()
    drawing.frame(bottom, ticks, ticks[-1], axis)
    words = []
    for index, (name, (before, after)) in enumerate(values.items()):
        y = TOP + ROW * index + 16
        first = _x(before, 0.0, largest)
        last = _x(after, 0.0, largest)
        drawing.row_name(name, y + 4)
        drawing.horizontal(y, first, last, stroke=LINE, width=2)
        drawing.square(first, y, ROLES["writer"])
        drawing.dot(last, y, ROLES["researcher"])
        for x, number in ((first, before), (last, after)):
            if x == max(first, last):
                drawing.number(x + 12, y + 4, f"{number:g}", anchor="start")
            else:
                drawing.number(x - 12, y + 4, f"{number:g}", anchor="end")
        words.append(f"{name:20}  ■ before {before:>4g}   ● after {after:>4g}")
    drawing.text(WIDTH - MARGIN, 38, "■ before   ● after", fill=INK, anchor="end")
    return _chart(finding, bottom, drawing, words)


def lines(
    finding: str, values: Mapping[str, tuple[float, float]], *, x_axis: str, y_axis: str
) -> Chart:
    """A straight line from 0 to 1 for each name: its values at both ends."""
    ends = [0.0, *(number for pair in values.values() for number in pair)]
    least = min(ends)
    span = (max(ends) - least) or 1.0
    bottom = TOP + HEIGHT
    drawing = Drawing()
    drawing.frame(bottom, [step / 5 for step in range(6)], 1.0, x_axis)

    def y_of(value: float) -> float:
        return bottom - 12 - (HEIGHT - 24) * (value - least) / span

    drawing.horizontal(y_of(0.0), LEFT, RIGHT, stroke=INK)
    drawing.text(LEFT - 12, y_of(0.0) + 4, "0", fill=INK, anchor="end")
    drawing.text(MARGIN, TOP + 4, y_axis, width=LEFT - MARGIN - 24)
    words = [f"{y_axis}, from 0 to 1 {x_axis}"]
    for index, (name, (first, last)) in enumerate(values.items()):
        hue = _hue(index)
        begin, end = y_of(first), y_of(last)
        dash = DASHES[index % len(DASHES)]
        drawing.line(LEFT, begin, RIGHT, end, stroke=hue, width=2, dash=dash)
        share = SHARES[index % len(SHARES)]
        beside = 16 if first + last < 0 else -8
        height = begin + (end - begin) * share + beside
        x = LEFT + (RIGHT - LEFT) * share
        drawing.text(x, height, name, fill=hue, bold=True, anchor="end")
        drawing.text(RIGHT + 8, end + 4, f"{last:+.2f}", fill=INK)
        words.append(f"{name:32}  {first:+.2f} → {last:+.2f}")
    return _chart(finding, bottom, drawing, words)


def curves(
    finding: str, values: Mapping[str, Sequence[float]], *, x_axis: str, y_axis: str, limit: float
) -> Chart:
    """A curve for each name, a point for each step, and a dashed line at the limit."""
    steps = max(map(len, values.values()))
    ticks = _ticks(0.0, max(limit, *(number for each in values.values() for number in each)))
    bottom = TOP + HEIGHT
    drawing = Drawing()

    def x_of(step: int) -> float:
        return LEFT + (RIGHT - LEFT) * step / max(steps - 1, 1)

    def y_of(value: float) -> float:
        return bottom - HEIGHT * value / ticks[-1]

    drawing.text(MARGIN, TOP + 4, y_axis, width=LEFT - MARGIN - 60)
    for tick in ticks:
        drawing.horizontal(y_of(tick), LEFT, RIGHT, stroke=FAINT)
        drawing.text(LEFT - 12, y_of(tick) + 4, f"{tick:,g}", anchor="end")
    for step in range(steps):
        drawing.text(x_of(step), bottom + 16, str(step + 1), anchor="middle")
    drawing.axis(MIDDLE, bottom + 36, x_axis)
    drawing.horizontal(y_of(limit), LEFT, RIGHT, **DASHED)
    drawing.text(LEFT + 8, y_of(limit) - 8, f"limit {limit:,g}", fill=INK)
    words = [f"{y_axis} at {x_axis} 1 to {steps}, limit {limit:,g}"]
    for index, (name, numbers) in enumerate(values.items()):
        hue = _hue(index)
        points = [(x_of(step), y_of(value)) for step, value in enumerate(numbers)]
        for (x, y), (next_x, next_y) in pairwise(points):
            drawing.line(x, y, next_x, next_y, stroke=hue, width=2)
        for x, y in points:
            drawing.dot(x, y, hue, radius=4)
        x, y = points[-1]
        drawing.text(x, y - 12, name, size=BODY, fill=hue, bold=True, anchor="end")
        drawing.number(x + 10, y + 4, f"{numbers[-1]:,g}")
        words.append(f"{name:12}  {' '.join(f'{number:g}' for number in numbers)}")
    return _chart(finding, bottom, drawing, words)


def intervals(
    finding: str,
    values: Mapping[str, tuple[float, float, float]],
    *,
    axis: str,
    zero: str = "",
) -> Chart:
    """A dot with its interval for each name: (mean, lower end, upper end).

    zero: what a value of 0 means; it is marked by a dashed line, the numbers get a sign, and all
    have one hue.
    """
    edges = [edge for _, low, high in values.values() for edge in (low, high)]
    if zero:
        edges.append(0.0)
    ticks = _round_ticks(min(edges), max(edges))
    first, last = ticks[0], ticks[-1]
    bottom = TOP + 8 + ROW * len(values)
    end = RIGHT - 88  # right of it are the numbers
    drawing = Drawing()

    def x_of(value: float) -> float:
        return LEFT + (end - LEFT) * (value - first) / (last - first)

    for tick in ticks:
        drawing.vertical(x_of(tick), TOP - 4, bottom, stroke=FAINT)
        drawing.text(x_of(tick), bottom + 16, f"{tick:g}", anchor="middle")
    drawing.axis((LEFT + end) / 2, bottom + 36, axis)
    if zero:
        drawing.vertical(x_of(0), TOP - 6, bottom, **DASHED)
        drawing.text(x_of(0), TOP - 11, zero, fill=INK, anchor="middle")
    form = "{:+.2f} [{:+.2f}, {:+.2f}]" if zero else "{:.2f} [{:.2f}, {:.2f}]"
    words = []
    for index, (name, (mean, low, high)) in enumerate(values.items()):
        y = TOP + 8 + ROW * index + 12
        hue = ROLES["supervisor"] if zero else _hue(index)
        drawing.row_name(name, y + 4)
        drawing.horizontal(y, x_of(low), x_of(high), stroke=hue, width=3)
        for edge in (low, high):
            drawing.vertical(x_of(edge), y - 7, y + 7, stroke=hue, width=2)
        drawing.dot(x_of(mean), y, hue)
        numbers = form.format(mean, low, high)
        drawing.number(end + 16, y + 4, numbers)
        row = _interval_row((mean, low, high), first, last, bool(zero))
        words.append(f"{name:20}  {row}  {numbers}")
    half = COLUMNS // 2 + 1
    words.append(f"{'':20}  {first:<{half}g}{last:>{half}g}  {axis}")
    return _chart(finding, bottom, drawing, words)


def _interval_row(value: tuple[float, float, float], first: float, last: float, zero: bool) -> str:
    """An interval in characters, with a colon where 0 is."""

    def position(number: float) -> int:
        return round(COLUMNS * (number - first) / (last - first))

    mean, low, high = map(position, value)
    signs = ["·"] * (COLUMNS + 1)
    if zero:
        signs[position(0)] = ":"
    signs[low : high + 1] = "─" * (high - low + 1)
    signs[low], signs[high], signs[mean] = "├", "┤", "●"
    return "".join(signs)


def _round_ticks(least: float, greatest: float) -> list[float]:
    """Round numbers from below the least value to above the most."""
    from .lanes import tick

    step = tick((greatest - least) or 1.0, 7)
    begin = math.floor(least / step + 1e-9)
    count = max(1, math.ceil(greatest / step - 1e-9) - begin)
    return [round((begin + number) * step, 6) for number in range(count + 1)]


def panels(finding: str, columns: Mapping[str, Mapping[str, float]]) -> Chart:
    """Bars side by side: a column for each measure with its own scale, a row for each name."""
    names = [*next(iter(columns.values()))]
    step = (WIDTH - MARGIN - PANELS) / len(columns)
    longest = step - 64  # the number is drawn after its bar
    top = TOP + 32
    drawing = Drawing()
    for row, name in enumerate(names):
        y = top + ROW * row
        drawing.horizontal(y - 6, MARGIN, WIDTH - MARGIN, stroke=FAINT)
        drawing.text(MARGIN, y + 14, name, size=BODY, fill=INK, width=PANELS - MARGIN - 12)
    for column, (measure, values) in enumerate(columns.items()):
        x = PANELS + step * column
        largest = max(values.values())
        drawing.text(x, TOP + 12, measure, fill=MUTED, width=step - 12)
        for row, name in enumerate(names):
            y = top + ROW * row
            width = max(longest * values[name] / largest, 1.0)
            drawing.bar(x, y, width, _hue(column))
            drawing.number(x + width + 8, y + 14, f"{values[name]:g}", size=BODY)
    longest_name = max(map(len, names))
    words = [" " * longest_name + "".join(f"  {measure:>16}" for measure in columns)]
    for name in names:
        numbers = (f"  {values[name]:>16g}" for values in columns.values())
        words.append(f"{name:{longest_name}}{''.join(numbers)}")
    return _chart(finding, top + ROW * len(names) - 40, drawing, words)


def _chart(finding: str, bottom: float, drawing: Drawing, words: list[str]) -> Chart:
    title = text(MARGIN, 38, finding, size=TITLE, fill=INK, bold=True, width=WIDTH - 160)
    svg = card(bottom + 56, finding, [title, *drawing.shapes])
    return Chart(finding, svg, "\n".join(words))


def _hue(index: int) -> str:
    return HUES[index % len(HUES)]


def _ticks(least: float, greatest: float) -> list[float]:
    """Four to eight round numbers from `least` on, up to and beyond `greatest`."""
    from .lanes import tick

    step = tick(greatest - least, 7)
    count = int((greatest - least) / step + 0.999999)
    return [round(least + step * index, 6) for index in range(count + 1)]


def _x(value: float, least: float, greatest: float) -> float:
    """px of a value; the axis ends at the last round number."""
    end = _ticks(least, greatest)[-1]
    return LEFT + (RIGHT - LEFT) * (value - least) / (end - least)
