"""Charts of a few numbers: bars, panels of bars, pairs before and after, curves, and intervals; each
with a text twin.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, pairwise

from classroom.paper.svg import BODY, CARD, INK, LINE, MARGIN, MUTED, WIDTH, text_width

from .drawing import DASHED, FAINT, LEFT, RIGHT, TOP, Axis, Chart, Drawing, hue
from .hues import ROLES

__all__ = ["Chart", "bars", "curves", "intervals", "pairs", "panels"]

ROW = 32.0
HEIGHT = 200.0
"""Of a row, and of a chart without rows, in px."""
DASHES = (None, "6 4", "2 3", "10 4 2 4")
PANELS = 168.0
"""The left edge of the columns of `panels`, in px."""
LEGEND = 72.0
"""The distance from the bottom of a chart to the first row of its legend, in px."""
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


def bars(
    finding: str,
    values: Mapping[str, float],
    *,
    axis: str,
    ideal: float = 0.0,
) -> Chart:
    """One bar for each value. `ideal` is marked by a dashed line; 0 draws none."""
    largest = max([ideal, *values.values()])
    scale = Axis.around([0.0, largest])
    bottom = TOP + ROW * len(values)
    drawing = Drawing()
    drawing.frame(scale, bottom, axis)
    words = []
    longest = max([12, *map(len, values)])
    for index, (name, value) in enumerate(values.items()):
        y = TOP + ROW * index + 6
        colour = hue(index)
        drawing.row_name(name, y + 14)
        _bar(drawing, y, value, scale, colour)
        words.append(_bar_in_words(f"{name:{longest}}", "█", value, largest))
    if ideal:
        x = scale.x(ideal)
        drawing.vertical(x, TOP - 6, bottom, **DASHED)
        drawing.mark(x, TOP - 12, f"ideal {ideal:g}")
        words.append(_bar_in_words(f"{'ideal':{longest}}", "─", ideal, largest))
    return drawing.chart(finding, bottom, words)


def _bar(
    drawing: Drawing,
    y: float,
    value: float,
    scale: Axis,
    colour: str,
) -> None:
    """A bar, with its number inside where it is long enough, else after it."""
    end = scale.x(value)
    width = end - LEFT
    number = f"{value:.2f}"
    drawing.bar(LEFT, y, max(width, 1.0), colour)
    if width > 60:
        drawing.text(end - 8, y + 14, number, size=BODY, fill=CARD, bold=True, anchor="end")
    else:
        drawing.number(end + 8, y + 14, number, size=BODY)


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
    numbers = chain.from_iterable(values.values())
    scale = Axis.around([0.0, *numbers])
    bottom = TOP + ROW * len(values)
    drawing = Drawing()
    drawing.frame(scale, bottom, axis)
    words = []
    for index, (name, (before, after)) in enumerate(values.items()):
        y = TOP + ROW * index + 16
        drawing.row_name(name, y + 4)
        _pair(drawing, y, before, after, scale)
        words.append(f"{name:20}  ■ before {before:>4g}   ● after {after:>4g}")
    drawing.text(WIDTH - MARGIN, 38, "■ before   ● after", fill=INK, anchor="end")
    return drawing.chart(finding, bottom, words)


def _pair(drawing: Drawing, y: float, before: float, after: float, scale: Axis) -> None:
    """The square, the dot, the line between them, and both numbers outside."""
    first = scale.x(before)
    last = scale.x(after)
    drawing.horizontal(y, first, last, stroke=LINE, width=2)
    drawing.square(first, y, ROLES["writer"])
    drawing.dot(last, y, ROLES["researcher"])
    right = max(first, last)
    for x, number in ((first, before), (last, after)):
        words = f"{number:g}"
        if x == right:
            drawing.number(x + 12, y + 4, words, anchor="start")
        else:
            drawing.number(x - 12, y + 4, words, anchor="end")


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
    columns = max(steps - 1, 1)
    width = RIGHT - LEFT
    numbers = chain.from_iterable(values.values())
    scale = Axis.around([0.0, limit, *numbers])
    bottom = TOP + HEIGHT
    drawing = Drawing()

    def x_of(step: int) -> float:
        return LEFT + width * step / columns

    def y_of(value: float) -> float:
        return bottom - HEIGHT * value / scale.last

    drawing.text(MARGIN, TOP + 4, y_axis, width=LEFT - MARGIN - 60)
    for tick in scale.ticks:
        y = y_of(tick)
        drawing.horizontal(y, LEFT, RIGHT, stroke=FAINT)
        drawing.text(LEFT - 12, y + 4, f"{tick:,g}", anchor="end")
    for step in range(0, steps, 1 + (steps - 1) // MOST_STEPS):
        number = str(step + 1)
        drawing.text(x_of(step), bottom + 16, number, anchor="middle")
    drawing.meaning(scale.middle, bottom + 36, x_axis)
    y = y_of(limit)
    drawing.horizontal(y, LEFT, RIGHT, **DASHED)
    drawing.text(LEFT + 8, y - 8, f"{line} {limit:,g}", fill=INK)
    words = [f"{y_axis} at {x_axis} 1 to {steps}, {line} {limit:,g}"]
    longest = max(map(len, values))
    for index, (name, curve) in enumerate(values.items()):
        dash = DASHES[index % len(DASHES)]
        points = [(x_of(step), y_of(value)) for step, value in enumerate(curve)]
        _curve(drawing, points, hue(index), dash)
        row = " ".join(f"{number:>5g}" for number in curve)
        words.append(f"{name:{longest}}  {row}")
    lasts = [curve[-1] for curve in values.values()]
    ends = [(y_of(last), f"{last:,g}") for last in lasts]
    _last_numbers(drawing, ends)
    lowest = _legend(drawing, values, bottom + LEGEND)
    return drawing.chart(finding, lowest, words)


def _curve(drawing: Drawing, points: Sequence[Point], colour: str, dash: str | None) -> None:
    for (x, y), (next_x, next_y) in pairwise(points):
        drawing.line(x, y, next_x, next_y, stroke=colour, width=2, dash=dash)
    for x, y in points:
        drawing.dot(x, y, colour, radius=4)


def _last_numbers(drawing: Drawing, ends: Sequence[tuple[float, str]]) -> None:
    """The number at the right end of each line, (y, words); near ones are moved apart."""
    free = TOP
    for y, words in sorted(ends):
        free = max(free, y + 4)
        drawing.number(RIGHT + 10, free, words)
        free += APART


def _legend(drawing: Drawing, names: Iterable[str], y: float) -> float:
    """Draws the name of each line, in rows under the numbers, where no line passes.

    Returns the bottom that the chart has with it.
    """
    x = LEFT
    for index, name in enumerate(names):
        wide = 34 + text_width(name, bold=True)
        if x > LEFT and x + wide > WIDTH - MARGIN:
            x, y = LEFT, y + 20
        colour = hue(index)
        dash = DASHES[index % len(DASHES)]
        drawing.horizontal(y - 4, x, x + 26, stroke=colour, width=3, dash=dash)
        drawing.text(x + 34, y, name, fill=colour, bold=True)
        x += wide + 28
    return y - 36


def intervals(
    finding: str,
    values: Mapping[str, Interval],
    *,
    axis: str,
    zero: str = "",
) -> Chart:
    """A dot with its interval for each name: (mean, lower end, upper end).

    zero: what a value of 0 means; it is marked by a dashed line, the numbers get a sign, and all
    have one hue.
    """
    edges = []
    for _, low, high in values.values():
        edges += [low, high]
    if zero:
        edges.append(0.0)
    scale = Axis.around(edges, RIGHT - 88)  # right of it are the numbers
    bottom = TOP + 8 + ROW * len(values)
    drawing = Drawing()
    drawing.frame(scale, bottom, axis)
    if zero:
        x = scale.x(0)
        drawing.vertical(x, TOP - 6, bottom, **DASHED)
        drawing.mark(x, TOP - 11, zero)
    form = "{:+.2f} [{:+.2f}, {:+.2f}]" if zero else "{:.2f} [{:.2f}, {:.2f}]"
    words = []
    for index, (name, interval) in enumerate(values.items()):
        y = TOP + 8 + ROW * index + 12
        colour = ROLES["supervisor"] if zero else hue(index)
        numbers = form.format(*interval)
        drawing.row_name(name, y + 4)
        _interval(drawing, y, interval, scale, colour)
        drawing.number(scale.right + 16, y + 4, numbers)
        row = _interval_row(interval, scale, bool(zero))
        words.append(f"{name:20}  {row}  {numbers}")
    half = COLUMNS // 2 + 1
    ends = f"{scale.first:<{half}g}{scale.last:>{half}g}"
    words.append(f"{'':20}  {ends}  {axis}")
    return drawing.chart(finding, bottom, words)


def _interval(
    drawing: Drawing,
    y: float,
    value: Interval,
    scale: Axis,
    colour: str,
) -> None:
    """A line with a stroke at each end and a dot at the mean."""
    mean, low, high = map(scale.x, value)
    drawing.horizontal(y, low, high, stroke=colour, width=3)
    for edge in (low, high):
        drawing.vertical(edge, y - 7, y + 7, stroke=colour, width=2)
    drawing.dot(mean, y, colour)


def _interval_row(value: Interval, scale: Axis, zero: bool) -> str:
    """An interval in characters, with a colon where 0 is."""
    length = scale.last - scale.first

    def position(number: float) -> int:
        return round(COLUMNS * (number - scale.first) / length)

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
    """Bars side by side: a column for each measure with its own scale, a row for each name."""
    names = [*next(iter(columns.values()))]
    step = (WIDTH - MARGIN - PANELS) / len(columns)
    longest = step - 64  # the number is drawn after its bar
    room = PANELS - MARGIN - 12
    top = TOP + 32
    drawing = Drawing()
    for row, name in enumerate(names):
        y = top + ROW * row
        drawing.horizontal(y - 6, MARGIN, WIDTH - MARGIN, stroke=FAINT)
        drawing.text(MARGIN, y + 14, name, size=BODY, fill=INK, width=room)
    for column, (measure, values) in enumerate(columns.items()):
        x = PANELS + step * column
        colour = hue(column)
        largest = max(values.values())
        drawing.text(x, TOP + 12, measure, fill=MUTED, width=step - 12)
        for row, name in enumerate(names):
            y = top + ROW * row
            value = values[name]
            width = max(longest * value / largest, 1.0)
            end = x + width
            drawing.bar(x, y, width, colour)
            drawing.number(end + 8, y + 14, f"{value:g}", size=BODY)
    bottom = top + ROW * len(names) - 40
    return drawing.chart(finding, bottom, _table(names, columns))


def _table(names: Sequence[str], columns: Mapping[str, Mapping[str, float]]) -> list[str]:
    """The numbers of all panels, a row for each name."""
    longest = max(map(len, names))
    head = "".join(f"  {measure:>16}" for measure in columns)
    rows = [" " * longest + head]
    for name in names:
        numbers = "".join(f"  {values[name]:>16g}" for values in columns.values())
        rows.append(f"{name:{longest}}{numbers}")
    return rows
