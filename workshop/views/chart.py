"""Charts of a few numbers: bars, panels of bars, pairs before and after, straight lines, curves, and
intervals; each with a text twin.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
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
ROW, HEIGHT = 32.0, 200.0
HUES = (ROLES["researcher"], ROLES["writer"], ROLES["reviewer"], *FURTHER)
DASHES = (None, "6 4", "2 3", "10 4 2 4")
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


def bars(finding: str, values: Mapping[str, float], *, axis: str, ideal: float = 0.0) -> Chart:
    """One bar for each value. `ideal` is marked by a dashed line; 0 draws none."""
    largest = max([ideal, *values.values()])
    bottom = TOP + ROW * len(values)
    shapes = _frame(bottom, _ticks(0.0, largest), axis)
    words = []
    for index, (name, value) in enumerate(values.items()):
        y, wide = TOP + ROW * index + 6, _x(value, 0.0, largest) - LEFT
        shapes.append(_name(name, y + 14))
        shapes.append(box(LEFT, y, max(wide, 1.0), 20, radius=3, fill=HUES[index % len(HUES)]))
        inside = wide > 60
        shapes.append(
            text(
                LEFT + wide + (-8 if inside else 8),
                y + 14,
                f"{value:.2f}",
                size=BODY,
                fill=CARD if inside else INK,
                bold=True,
                anchor="end" if inside else None,
            )
        )
        words.append(f"{name:12}  {'█' * round(COLUMNS * value / largest):{COLUMNS}}  {value:.2f}")
    if ideal:
        x = _x(ideal, 0.0, largest)
        shapes.append(line(x, TOP - 6, x, bottom, stroke=INK, dash="5 4", width=1.5))
        shapes.append(text(x, TOP - 12, f"ideal {ideal:g}", fill=INK, anchor="middle"))
        words.append(
            f"{'ideal':12}  {'─' * round(COLUMNS * ideal / largest):{COLUMNS}}  {ideal:.2f}"
        )
    return _chart(finding, bottom, shapes, words)


def pairs(finding: str, values: Mapping[str, tuple[float, float]], *, axis: str) -> Chart:
    """Before (a square) and after (a dot) on one line for each name."""
    largest = max(number for pair in values.values() for number in pair)
    bottom = TOP + ROW * len(values)
    shapes = _frame(bottom, _ticks(0.0, largest), axis)
    words = []
    for index, (name, (before, after)) in enumerate(values.items()):
        y = TOP + ROW * index + 16
        first, last = _x(before, 0.0, largest), _x(after, 0.0, largest)
        shapes.append(_name(name, y + 4))
        shapes.append(line(first, y, last, y, stroke=LINE, width=2))
        shapes.append(box(first - 5, y - 5, 10, 10, radius=1, fill=ROLES["writer"]))
        shapes.append(element("circle", cx=last, cy=y, r=6, fill=ROLES["researcher"]))
        for x, number in ((first, before), (last, after)):
            side = 12 if x == max(first, last) else -12
            anchor = "start" if side > 0 else "end"
            shapes.append(text(x + side, y + 4, f"{number:g}", fill=INK, bold=True, anchor=anchor))
        words.append(f"{name:20}  ■ before {before:>4g}   ● after {after:>4g}")
    shapes.append(text(WIDTH - MARGIN, 38, "■ before   ● after", fill=INK, anchor="end"))
    return _chart(finding, bottom, shapes, words)


def lines(
    finding: str, values: Mapping[str, tuple[float, float]], *, x_axis: str, y_axis: str
) -> Chart:
    """A straight line from 0 to 1 for each name: its values at both ends."""
    ends = [0.0, *(number for pair in values.values() for number in pair)]
    least, greatest = min(ends), max(ends)
    span = (greatest - least) or 1.0
    bottom = TOP + HEIGHT
    shapes = _frame(bottom, [step / 5 for step in range(6)], x_axis, greatest=1.0)

    def y_of(value: float) -> float:
        return bottom - 12 - (HEIGHT - 24) * (value - least) / span

    shapes.append(line(LEFT, y_of(0.0), RIGHT, y_of(0.0), stroke=INK))
    shapes.append(text(LEFT - 12, y_of(0.0) + 4, "0", fill=INK, anchor="end"))
    shapes.append(text(MARGIN, TOP + 4, y_axis, width=LEFT - MARGIN - 24))
    words = [f"{y_axis}, from 0 to 1 {x_axis}"]
    for index, (name, (first, last)) in enumerate(values.items()):
        hue, dash = HUES[index % len(HUES)], DASHES[index % len(DASHES)]
        shapes.append(line(LEFT, y_of(first), RIGHT, y_of(last), stroke=hue, width=2, dash=dash))
        share = (0.95, 0.62, 0.3)[index % 3]  # side by side, so that names of near lines stay apart
        height = y_of(first) + (y_of(last) - y_of(first)) * share
        place = height + (16 if first + last < 0 else -8)
        x = LEFT + (RIGHT - LEFT) * share
        shapes.append(text(x, place, name, fill=hue, bold=True, anchor="end"))
        shapes.append(text(RIGHT + 8, y_of(last) + 4, f"{last:+.2f}", fill=INK))
        words.append(f"{name:32}  {first:+.2f} → {last:+.2f}")
    return _chart(finding, bottom, shapes, words)


def curves(
    finding: str, values: Mapping[str, Sequence[float]], *, x_axis: str, y_axis: str, limit: float
) -> Chart:
    """A curve for each name, a point for each step, and a dashed line at the limit."""
    steps = max(map(len, values.values()))
    ticks = _ticks(0.0, max(limit, *(number for each in values.values() for number in each)))
    bottom = TOP + HEIGHT

    def x_of(step: int) -> float:
        return LEFT + (RIGHT - LEFT) * step / max(steps - 1, 1)

    def y_of(value: float) -> float:
        return bottom - HEIGHT * value / ticks[-1]

    shapes = [text(MARGIN, TOP + 4, y_axis, width=LEFT - MARGIN - 60)]
    for tick in ticks:
        shapes.append(line(LEFT, y_of(tick), RIGHT, y_of(tick), stroke=tint(LINE, 0.6)))
        shapes.append(text(LEFT - 12, y_of(tick) + 4, f"{tick:,g}", anchor="end"))
    for step in range(steps):
        shapes.append(text(x_of(step), bottom + 16, str(step + 1), anchor="middle"))
    shapes.append(text((LEFT + RIGHT) / 2, bottom + 36, x_axis, fill=MUTED, anchor="middle"))
    shapes.append(line(LEFT, y_of(limit), RIGHT, y_of(limit), stroke=INK, dash="5 4", width=1.5))
    shapes.append(text(LEFT + 8, y_of(limit) - 8, f"limit {limit:,g}", fill=INK))
    words = [f"{y_axis} at {x_axis} 1 to {steps}, limit {limit:,g}"]
    for index, (name, numbers) in enumerate(values.items()):
        hue, points = HUES[index % len(HUES)], [(x_of(n), y_of(v)) for n, v in enumerate(numbers)]
        for (x, y), (next_x, next_y) in pairwise(points):
            shapes.append(line(x, y, next_x, next_y, stroke=hue, width=2))
        shapes += [element("circle", cx=x, cy=y, r=4, fill=hue) for x, y in points]
        x, y = points[-1]
        shapes.append(text(x, y - 12, name, size=BODY, fill=hue, bold=True, anchor="end"))
        shapes.append(text(x + 10, y + 4, f"{numbers[-1]:,g}", fill=INK, bold=True))
        words.append(f"{name:12}  {' '.join(f'{number:g}' for number in numbers)}")
    return _chart(finding, bottom, shapes, words)


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
    least = min(low for _, low, _ in values.values())
    greatest = max(high for _, _, high in values.values())
    if zero:
        least, greatest = min(0.0, least), max(0.0, greatest)
    ticks = _round_ticks(least, greatest)
    first, last = ticks[0], ticks[-1]
    bottom = TOP + 8 + ROW * len(values)
    end = RIGHT - 88  # right of it are the numbers

    def x_of(value: float) -> float:
        return LEFT + (end - LEFT) * (value - first) / (last - first)

    shapes = []
    for tick in ticks:
        shapes.append(line(x_of(tick), TOP - 4, x_of(tick), bottom, stroke=tint(LINE, 0.6)))
        shapes.append(text(x_of(tick), bottom + 16, f"{tick:g}", anchor="middle"))
    shapes.append(text((LEFT + end) / 2, bottom + 36, axis, fill=MUTED, anchor="middle"))
    if zero:
        shapes.append(line(x_of(0), TOP - 6, x_of(0), bottom, stroke=INK, dash="5 4", width=1.5))
        shapes.append(text(x_of(0), TOP - 11, zero, fill=INK, anchor="middle"))
    form = "{:+.2f} [{:+.2f}, {:+.2f}]" if zero else "{:.2f} [{:.2f}, {:.2f}]"
    words = []
    for index, (name, (mean, low, high)) in enumerate(values.items()):
        y = TOP + 8 + ROW * index + 12
        hue = ROLES["supervisor"] if zero else HUES[index % len(HUES)]
        shapes.append(_name(name, y + 4))
        shapes.append(line(x_of(low), y, x_of(high), y, stroke=hue, width=3))
        for edge in (low, high):
            shapes.append(line(x_of(edge), y - 7, x_of(edge), y + 7, stroke=hue, width=2))
        shapes.append(element("circle", cx=x_of(mean), cy=y, r=6, fill=hue))
        numbers = form.format(mean, low, high)
        shapes.append(text(end + 16, y + 4, numbers, fill=INK, bold=True))
        row = _interval_row((mean, low, high), first, last, bool(zero))
        words.append(f"{name:20}  {row}  {numbers}")
    words.append(f"{'':20}  {first:<{COLUMNS // 2 + 1}g}{last:>{COLUMNS // 2 + 1}g}  {axis}")
    return _chart(finding, bottom, shapes, words)


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
    bottom = TOP + 32 + ROW * len(names)
    shapes = []
    for row, name in enumerate(names):
        y = TOP + 32 + ROW * row
        shapes.append(line(MARGIN, y - 6, WIDTH - MARGIN, y - 6, stroke=tint(LINE, 0.6)))
        shapes.append(text(MARGIN, y + 14, name, size=BODY, fill=INK, width=PANELS - MARGIN - 12))
    for column, (measure, values) in enumerate(columns.items()):
        x, largest = PANELS + step * column, max(values.values())
        shapes.append(text(x, TOP + 12, measure, fill=MUTED, width=step - 12))
        for row, name in enumerate(names):
            y, wide = TOP + 32 + ROW * row, max(longest * values[name] / largest, 1.0)
            shapes.append(box(x, y, wide, 20, radius=3, fill=HUES[column % len(HUES)]))
            number = f"{values[name]:g}"
            shapes.append(text(x + wide + 8, y + 14, number, size=BODY, fill=INK, bold=True))
    longest_name = max(map(len, names))
    words = [" " * longest_name + "".join(f"  {measure:>16}" for measure in columns)]
    for name in names:
        numbers = (f"  {values[name]:>16g}" for values in columns.values())
        words.append(f"{name:{longest_name}}{''.join(numbers)}")
    return _chart(finding, bottom - 40, shapes, words)


def _chart(finding: str, bottom: float, shapes: Iterable[str], words: list[str]) -> Chart:
    title = text(MARGIN, 38, finding, size=TITLE, fill=INK, bold=True, width=WIDTH - 160)
    return Chart(finding, card(bottom + 56, finding, [title, *shapes]), "\n".join(words))


def _frame(
    bottom: float, ticks: list[float], axis: str, *, greatest: float | None = None
) -> list[str]:
    """Vertical lines at round numbers, their values, and what they count."""
    end = ticks[-1] if greatest is None else greatest
    shapes = []
    for tick in ticks:
        x = _x(tick, 0.0, end)
        shapes.append(line(x, TOP - 4, x, bottom, stroke=tint(LINE, 0.6)))
        shapes.append(text(x, bottom + 16, f"{tick:g}", anchor="middle"))
    shapes.append(text((LEFT + RIGHT) / 2, bottom + 36, axis, fill=MUTED, anchor="middle"))
    return shapes


def _ticks(least: float, greatest: float) -> list[float]:
    """Four to eight round numbers from `least` on, up to and beyond `most`."""
    from .lanes import tick

    step = tick(greatest - least, 7)
    count = int((greatest - least) / step + 0.999999)
    return [round(least + step * index, 6) for index in range(count + 1)]


def _x(value: float, least: float, greatest: float) -> float:
    """px of a value; the axis ends at the last round number."""
    end = _ticks(least, greatest)[-1]
    return LEFT + (RIGHT - LEFT) * (value - least) / (end - least)


def _name(name: str, y: float) -> str:
    return text(LEFT - 12, y, name, size=BODY, fill=INK, anchor="end", width=LEFT - MARGIN - 12)
