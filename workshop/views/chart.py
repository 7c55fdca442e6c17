"""Charts of a few numbers: bars, panels of bars, pairs before and after, curves, and intervals; each
with a text twin.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any

from classroom.paper.svg import INK, LINE, MUTED

from .drawing import Drawing, both, image
from .hues import FURTHER, ROLES
from .rows import DASHED, FAINT, Mark, Row, Scale, draw_rows
from .view import bundle

__all__ = ["Chart", "bars", "curves", "intervals", "pairs", "panels"]

HUES = (ROLES["researcher"], ROLES["writer"], ROLES["reviewer"], *FURTHER)
HEIGHT = 200.0
"""Of the area of curves, in px."""
DASHES = (None, "6 4", "2 3", "10 4 2 4")
APART = 14.0
"""Between the numbers at the ends of two lines, in px."""
MOST_STEPS = 12
"""Of so many steps each has its number; of more, every second one, or fewer."""
COLUMNS = 30
"""Characters of the longest bar of a text twin."""

Ends = tuple[float, float]
"""Before and after."""
Point = tuple[float, float]
Interval = tuple[float, float, float]
"""Mean, lower end, upper end."""


@dataclass(frozen=True)
class Chart:
    """A finished chart: the sentence that it shows, its picture on a wide and a narrow sheet, and
    the same in words.
    """

    finding: str
    svg: str
    narrow: str
    words: str

    def text(self) -> str:
        return f"{self.finding}\n{self.words}"

    def markup(self) -> str:
        """The picture as it goes into a page."""
        return image(self.svg, self.narrow, self.text())

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return bundle(self.svg, self.narrow, self.text(), self.text())

    def __repr__(self) -> str:
        return f"Chart({self.finding!r})"


def hue(index: int) -> str:
    """The colour of the name at this place of a chart."""
    return HUES[index % len(HUES)]


def _chart(finding: str, draw: Callable[[Drawing], None], words: Iterable[str]) -> Chart:
    """The chart that a function draws under the sentence that it shows."""

    def whole(sheet: Drawing) -> None:
        sheet.title(finding)
        sheet.y += 4
        draw(sheet)

    wide, narrow = both(whole, finding)
    return Chart(finding, wide, narrow, "\n".join(words))


def _of_rows(
    finding: str, rows: Sequence[Row], scale: Scale, words: Iterable[str], legend: str
) -> Chart:
    """A chart of rows on one axis. legend: the meaning of its marks."""

    def draw(sheet: Drawing) -> None:
        sheet.paragraph(legend, fill=MUTED)
        sheet.y += 4
        draw_rows(sheet, rows, scale, words=148)

    return _chart(finding, draw, words)


def bars(
    finding: str,
    values: Mapping[str, float],
    *,
    axis: str,
    ideal: float = 0.0,
) -> Chart:
    """One bar for each value. `ideal` is marked by a dashed line; 0 draws none."""
    largest = max([ideal, *values.values()])
    longest = max([12, *map(len, values)])
    rows, words = [], []
    for index, (name, value) in enumerate(values.items()):
        rows.append(Row(name, f"{value:.2f}", [Mark("solid", 0.0, value, hue(index))]))
        words.append(_bar_in_words(f"{name:{longest}}", "█", value, largest))
    if ideal:
        words.append(_bar_in_words(f"{'ideal':{longest}}", "─", ideal, largest))
    scale = Scale.around([0.0, largest], axis, marked=ideal or None)
    return _of_rows(finding, rows, scale, words, f"dashed line: ideal {ideal:g}" * bool(ideal))


def _bar_in_words(name: str, sign: str, value: float, largest: float) -> str:
    length = round(COLUMNS * value / largest)
    bar = sign * length
    return f"{name}  {bar:{COLUMNS}}  {value:.2f}"


def pairs(
    finding: str,
    values: Mapping[str, Ends],
    *,
    axis: str,
) -> Chart:
    """Before (a square) and after (a dot) on one line for each name."""
    rows, words = [], []
    for name, (before, after) in values.items():
        marks = [
            Mark("line", before, after, LINE),
            Mark("square", before, before, ROLES["writer"]),
            Mark("dot", after, after, ROLES["researcher"]),
        ]
        rows.append(Row(name, f"■ {before:g} → ● {after:g}", marks))
        words.append(f"{name:20}  ■ before {before:>4g}   ● after {after:>4g}")
    scale = Scale.around([0.0, *chain.from_iterable(values.values())], axis)
    return _of_rows(finding, rows, scale, words, "■ before   ● after")


def intervals(
    finding: str,
    values: Mapping[str, Interval],
    *,
    axis: str,
    zero: str = "",
) -> Chart:
    """A dot with its interval for each name: (mean, lower end, upper end).

    zero: what a value of 0 means; it is marked by a dashed line, the numbers get a sign, and
    all have one hue.
    """
    edges = [edge for _, low, high in values.values() for edge in (low, high)]
    marked = 0.0 if zero else None
    scale = Scale.around([*edges, 0.0] if zero else edges, axis, marked=marked)
    form = "{:+.2f} [{:+.2f}, {:+.2f}]" if zero else "{:.2f} [{:.2f}, {:.2f}]"
    rows, words = [], []
    for index, (name, interval) in enumerate(values.items()):
        mean, low, high = interval
        colour = ROLES["supervisor"] if zero else hue(index)
        marks = [
            Mark("line", low, high, colour),
            Mark("edge", low, low, colour),
            Mark("edge", high, high, colour),
            Mark("dot", mean, mean, colour),
        ]
        numbers = form.format(*interval)
        rows.append(Row(name, numbers, marks))
        words.append(f"{name:20}  {_interval_row(interval, scale, bool(zero))}  {numbers}")
    half = COLUMNS // 2 + 1
    ends = f"{scale.ticks[0]:<{half}g}{scale.last:>{half}g}"
    words.append(f"{'':20}  {ends}  {axis}")
    return _of_rows(finding, rows, scale, words, f"dashed line: {zero}" * bool(zero))


def _interval_row(value: Interval, scale: Scale, zero: bool) -> str:
    """An interval in characters, with a colon where 0 is."""
    length = scale.last - scale.ticks[0]

    def position(number: float) -> int:
        return round(COLUMNS * (number - scale.ticks[0]) / length)

    mean, low, high = map(position, value)
    signs = ["·"] * (COLUMNS + 1)
    if zero:
        signs[position(0)] = ":"
    signs[low : high + 1] = "─" * (high - low + 1)
    signs[low] = "├"
    signs[high] = "┤"
    signs[mean] = "●"
    return "".join(signs)


def panels(finding: str, columns: Mapping[str, Mapping[str, float]]) -> Chart:
    """Bars below each other: a block for each measure with its own scale, a row for each name."""
    names = [*next(iter(columns.values()))]

    def draw(sheet: Drawing) -> None:
        for column, (measure, values) in enumerate(columns.items()):
            rows = [
                Row(name, f"{value:g}", [Mark("solid", 0.0, value, hue(column))])
                for name, value in values.items()
            ]
            sheet.paragraph(measure, fill=MUTED)
            scale = Scale((0.0, max(values.values()) or 1.0), grid=False)
            draw_rows(sheet, rows, scale, words=148)
            sheet.y += 12

    return _chart(finding, draw, _table(names, columns))


def _table(names: Sequence[str], columns: Mapping[str, Mapping[str, float]]) -> list[str]:
    """The numbers of all panels, a row for each name."""
    longest = max(map(len, names))
    head = "".join(f"  {measure:>16}" for measure in columns)
    rows = [" " * longest + head]
    for name in names:
        numbers = "".join(f"  {values[name]:>16g}" for values in columns.values())
        rows.append(f"{name:{longest}}{numbers}")
    return rows


def curves(
    finding: str,
    values: Mapping[str, Sequence[float]],
    *,
    x_axis: str,
    y_axis: str,
    limit: float,
    line: str = "limit",
) -> Chart:
    """A curve for each name, a point for each step, and a dashed line at the limit.

    line: what the dashed line is called.
    """
    steps = max(map(len, values.values()))
    scale = Scale.around([0.0, limit, *chain.from_iterable(values.values())])

    def draw(sheet: Drawing) -> None:
        left = sheet.left + (48 if sheet.narrow else 120)
        right = sheet.right - (48 if sheet.narrow else 72)
        sheet.paragraph(y_axis, fill=MUTED)
        sheet.y += 8
        top, bottom = sheet.y, sheet.y + HEIGHT

        def x_of(step: int) -> float:
            return left + (right - left) * step / max(steps - 1, 1)

        def y_of(value: float) -> float:
            return bottom - HEIGHT * value / scale.last

        for tick in scale.ticks:
            sheet.line(left, y_of(tick), right, y_of(tick), stroke=FAINT)
            sheet.text(left - 10, y_of(tick) + 4, f"{tick:,g}", anchor="end")
        longest = MOST_STEPS // 2 if sheet.narrow else MOST_STEPS
        for step in range(0, steps, 1 + (steps - 1) // longest):
            sheet.text(x_of(step), bottom + 16, str(step + 1), anchor="middle")
        sheet.text((left + right) / 2, bottom + 36, x_axis, anchor="middle")
        sheet.line(left, y_of(limit), right, y_of(limit), **DASHED)
        sheet.text(left + 8, y_of(limit) - 8, f"{line} {limit:,g}", fill=INK)
        for index, curve in enumerate(values.values()):
            points = [(x_of(step), y_of(value)) for step, value in enumerate(curve)]
            _curve(sheet, points, hue(index), DASHES[index % len(DASHES)])
        lasts = [curve[-1] for curve in values.values()]
        _last_numbers(sheet, [(y_of(last), f"{last:,g}") for last in lasts], right + 8, top)
        sheet.y = bottom + 64
        _legend(sheet, values, sheet.left if sheet.narrow else left)

    words = [f"{y_axis} at {x_axis} 1 to {steps}, {line} {limit:,g}"]
    longest = max(map(len, values))
    for name, curve in values.items():
        row = " ".join(f"{number:>5g}" for number in curve)
        words.append(f"{name:{longest}}  {row}")
    return _chart(finding, draw, words)


def _curve(sheet: Drawing, points: Sequence[Point], colour: str, dash: str | None) -> None:
    for (x, y), (next_x, next_y) in pairwise(points):
        sheet.line(x, y, next_x, next_y, stroke=colour, width=2, dash=dash)
    for x, y in points:
        sheet.dot(x, y, colour, 4)


def _last_numbers(
    sheet: Drawing, ends: Sequence[tuple[float, str]], x: float, highest: float
) -> None:
    """The number at the right end of each line, (y, words); near ones are moved apart."""
    for y, words in sorted(ends):
        highest = max(highest, y + 4)
        sheet.text(x, highest, words, fill=INK, bold=True)
        highest += APART


def _legend(sheet: Drawing, names: Iterable[str], left: float) -> None:
    """Draws the name of each line, in rows under the numbers, where no line passes."""
    x = left
    for index, name in enumerate(names):
        wide = 34 + sheet.wide(name, bold=True)
        if x > left and x + wide > sheet.right:
            x, sheet.y = left, sheet.y + 20
        colour, dash = hue(index), DASHES[index % len(DASHES)]
        sheet.line(x, sheet.y - 4, x + 26, sheet.y - 4, stroke=colour, width=3, dash=dash)
        sheet.text(x + 34, sheet.y, name, fill=colour, bold=True)
        x += wide + 28
    sheet.y += 16
