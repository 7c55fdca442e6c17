"""Rows beside an axis: of every timeline, lane, gauge and bar. A row has a name, marks, and words.

On a narrow sheet the name and the words stand above the marks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from classroom.paper.svg import BODY, CARD, INK, LINE, MUTED, WARNING, bars, tint

from .drawing import Drawing

NICE = (1, 2, 5)
FAINT = tint(LINE, 0.6)
DASHED = {"stroke": INK, "dash": "5 4", "width": 1.5}
"""The style of a line that marks one value."""
MOST_PIECES = 7
"""Into how many pieces round numbers divide an axis at most."""
NEARLY = 1e-9
"""Of a piece: a value this near a round number is taken as on it."""
Kind = Literal["solid", "pale", "paler", "empty", "line", "end", "dot", "square", "event", "edge"]
BANDS = {"solid": 1.0, "pale": 0.26, "paler": 0.12}
"""The share of its hue that a band has."""


class Mark(NamedTuple):
    """Something on the axis from one value to another; a point where both are the same."""

    kind: Kind
    begin: float
    end: float
    hue: str
    lane: int = 0
    """The row within its row, for what happens at the same time."""


@dataclass
class Row:
    """One row: a name on the left, marks on the axis, words on the right."""

    name: str
    words: str = ""
    marks: list[Mark] = field(default_factory=list)
    bold: bool = False
    fill: str = INK
    """The colour of the words."""
    badge: str = ""
    """A number in a disc before the name."""
    hue: str = ""
    """The colour of the disc; none draws none."""
    indent: float = 0.0
    lanes: int = 1


@dataclass(frozen=True)
class Scale:
    """The values of an axis, the numbers that stand under it, and the value of "now" if there is one."""

    ticks: Sequence[float]
    unit: str = ""
    meaning: str = ""
    now: float | None = None
    end: float = 0.0
    """The right end where that is no tick."""
    grid: bool = True
    marked: float | None = None
    """A value with a dashed line in every row."""

    @property
    def last(self) -> float:
        return self.end or self.ticks[-1]

    @classmethod
    def around(
        cls, values: Iterable[float], meaning: str = "", *, marked: float | None = None
    ) -> Scale:
        """An axis of round numbers that holds all the values."""
        numbers = sorted(values)
        return cls(round_numbers(numbers[0], numbers[-1]), meaning=meaning, marked=marked)

    @classmethod
    def of_time(cls, elapsed: float, *, seconds: bool, live: bool = False) -> Scale:
        """An axis of time from 0; a live one ends at a round number, so that bars do not shrink with each event."""
        least = 1e-3 if seconds else 1.0
        end = max(elapsed, least)
        if live:
            step = tick(end * 1.02, 4)
            end = step * (int(end * 1.02 / step) + 1)
        step = tick(end, 8)
        step = step if seconds else max(1.0, step)
        ticks = [step * index for index in range(int(end / step + NEARLY) + 1)]
        return cls(ticks, " s" if seconds else "", now=elapsed if live else None, end=end)


@dataclass(frozen=True)
class Track:
    """Values → px, between the ends of the axis on a sheet."""

    scale: Scale
    left: float
    right: float

    def x(self, value: float) -> float:
        first = self.scale.ticks[0]
        share = (value - first) / ((self.scale.last - first) or 1.0)
        return self.left + (self.right - self.left) * min(share, 1.0)

    def span(self, mark: Mark) -> tuple[float, float]:
        """Left and right px; never less than 2 px wide."""
        left = min(self.x(mark.begin), self.right - 2)
        return left, max(self.x(mark.end), left + 2)


def draw_rows(
    sheet: Drawing,
    rows: Sequence[Row],
    scale: Scale,
    *,
    legend: str = "",
    names: float = 184.0,
    words: float = 176.0,
    heads: tuple[str, str] = ("", ""),
) -> None:
    """Draws rows from the sheet's next free line on.

    names, words: the px of the left and the right column of a wide sheet; heads: what stands above them.
    """
    if not rows:
        return
    if sheet.narrow:
        track = Track(scale, sheet.left, sheet.right)
        sheet.paragraph(legend, fill=MUTED, size=11)
    else:
        track = Track(scale, sheet.left + names, sheet.right - words)
        sheet.text(sheet.left, sheet.y, heads[0], bold=True)
        sheet.text(track.right + 16, sheet.y, heads[1], bold=True, width=words - 16)
        sheet.text(track.left, sheet.y, legend, width=track.right - track.left)
        if legend or any(heads):
            sheet.y += 14
    top = sheet.y
    behind = len(sheet.shapes)
    for row in rows:
        _row(sheet, row, track)
    grid = Drawing(narrow=sheet.narrow)
    if scale.grid:
        _grid(grid, track, top - 6, sheet.y - 2, lines=not sheet.narrow)
        sheet.y += 26
    sheet.shapes[behind:behind] = grid.shapes
    if scale.meaning:
        sheet.y = sheet.lines(track.left, sheet.y + 2, scale.meaning, track.right - track.left)
    sheet.y += 6


def _row(sheet: Drawing, row: Row, track: Track) -> None:
    height = 14 if row.lanes == 1 else min(row.lanes, 6) * 9 - 2
    x, baseline = sheet.left + row.indent, sheet.y + height / 2 + 4
    if sheet.narrow:
        x, baseline = sheet.left + row.indent / 2, sheet.y + 8
    name_end = track.left - 12
    words = sheet.wide(row.words)
    if sheet.narrow:
        own_line = words + sheet.wide(row.name, BODY, bold=row.bold) + 40 > sheet.right - x
        name_end = sheet.right if own_line else sheet.right - words - 8
    if row.hue:
        radius = max(8.0, sheet.wide(row.badge, 10, bold=True) / 2 + 3) if row.badge else 4
        sheet.dot(x + radius, baseline - 4, row.hue, radius)
        if row.badge:
            style = {"fill": CARD, "bold": True, "anchor": "middle"}
            sheet.text(x + radius, baseline, row.badge, size=10, **style)
        x += 2 * radius + 6
    sheet.text(
        x, baseline, row.name, size=BODY, fill=INK, bold=row.bold, width=max(name_end - x, 20)
    )
    if not sheet.narrow:
        room = sheet.right - track.right - 16
        sheet.text(track.right + 16, baseline, row.words, fill=row.fill, width=room)
        top = sheet.y
    elif own_line:
        top = (
            sheet.lines(x, baseline + 16, row.words, sheet.right - x, max_lines=3, fill=row.fill)
            - 8
        )
    else:
        sheet.text(sheet.right, baseline, row.words, fill=row.fill, anchor="end")
        top = baseline + 7
    middle = top + height / 2
    if row.marks and any(mark.kind in ("solid", "pale", "paler") for mark in row.marks):
        sheet.line(track.left, middle, track.right, middle, stroke=FAINT)
    if row.marks:
        for kind_of in (
            "empty",
            "paler",
            "pale",
            "solid",
            "line",
            "edge",
            "square",
            "dot",
            "event",
            "end",
        ):
            _marks(sheet, [mark for mark in row.marks if mark.kind == kind_of], row, track, top)
        if track.scale.marked is not None:
            x = track.x(track.scale.marked)
            sheet.line(x, top - 4, x, top + height + 4, **DASHED)
        top += height
    sheet.y = top + (14 if sheet.narrow else 8)


def _marks(sheet: Drawing, marks: list[Mark], row: Row, track: Track, top: float) -> None:
    """Draws the marks of one kind; bands of one hue and lane as one shape."""
    height = 14 if row.lanes == 1 else 7
    last = min(row.lanes, 6) - 1
    banded: dict[tuple[str, int], list[tuple[float, float]]] = {}
    for mark in marks:
        left, right = track.span(mark)
        lane = min(mark.lane, last)
        y = top + 9 * lane
        middle = y + height / 2
        match mark.kind:
            case "solid" | "pale" | "paler":
                banded.setdefault((tint(mark.hue, BANDS[mark.kind]), lane), []).append(
                    (left, right)
                )
            case "empty":
                sheet.box(
                    left,
                    y,
                    right - left,
                    height,
                    radius=2,
                    fill=CARD,
                    stroke=mark.hue,
                    stroke_width=1,
                )
            case "end":
                sheet.path(f"M{right - 1:.1f} {y - 2:.1f}v{height + 4}", stroke=WARNING, width=2)
            case "line":
                x, x2 = track.x(mark.begin), track.x(mark.end)
                sheet.line(x, middle, x2, middle, stroke=mark.hue, width=3)
            case "edge":
                x = track.x(mark.begin)
                sheet.line(x, middle - 7, x, middle + 7, stroke=mark.hue, width=2)
            case "dot":
                sheet.dot(track.x(mark.begin), middle, mark.hue)
            case "square":
                x = track.x(mark.begin)
                sheet.box(x - 5, middle - 5, 10, 10, radius=1, fill=mark.hue)
            case "event":
                sheet.dot(track.x(mark.begin), middle, CARD)
                x = track.x(mark.begin)
                sheet.text(x, middle + 4, "◆", size=BODY, fill=mark.hue, anchor="middle")
    for (fill, lane), spans in banded.items():
        sheet.shapes.append(bars(_apart(spans), top + 9 * lane, height, fill))


def _grid(sheet: Drawing, track: Track, top: float, bottom: float, *, lines: bool) -> None:
    """Lines at round numbers, their values under them, and "now" while a run goes on.

    Under the narrow rows there are numbers alone: a line would cross words.
    """
    scale = track.scale
    labels = [f"{value:,.3f}".rstrip("0").rstrip(".") + scale.unit for value in scale.ticks]
    widest = max(map(sheet.wide, labels)) + 8
    between = track.x(scale.ticks[1]) - track.left if len(scale.ticks) > 1 else widest
    every = max(1, -int(-widest // max(between, 1)))
    now_x = None if scale.now is None else track.x(scale.now)
    for index, (value, label) in enumerate(zip(scale.ticks, labels, strict=True)):
        x = track.x(value)
        sheet.line(x, top if lines else bottom - 4, x, bottom, stroke=FAINT if lines else LINE)
        covered = now_x is not None and abs(x - now_x) < widest
        if index % every == 0 and not covered:
            half = sheet.wide(label) / 2
            x = min(max(x, half + 2), sheet.width - half - 2)
            sheet.text(x, bottom + 14, label, anchor="middle")
    if now_x is not None:
        sheet.line(
            now_x, top - 4 if lines else bottom - 24, now_x, bottom + 2, stroke=MUTED, dash="3 3"
        )
        sheet.text(now_x, bottom + 14, "now", bold=True, anchor="middle")


def _apart(spans: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """The spans in order; those that the eye could not tell apart as one."""
    found: list[tuple[float, float]] = []
    for left, right in spans:
        if found and found[-1][0] <= left <= found[-1][1] + 0.4 and right - left < 3:
            found[-1] = found[-1][0], max(found[-1][1], right)
        else:
            found.append((left, right))
    return found


def tick(length: float, count: int) -> float:
    """The smallest of 1, 2, 5, 10 … that divides `length` into at most `count` pieces."""
    power = 1e-4
    while True:
        for nice in NICE:
            if nice * power * count >= length:
                return nice * power
        power *= 10


def round_numbers(least: float, greatest: float) -> list[float]:
    """Round numbers at equal distances from `least` or below it to `greatest` or above it."""
    step = tick((greatest - least) or 1.0, MOST_PIECES)
    begin = math.floor(least / step + NEARLY)
    end = max(math.ceil(greatest / step - NEARLY), begin + 1)
    return [round(number * step, 6) for number in range(begin, end + 1)]
