"""Lanes: time under a picture, one row each, with what was held (pale), what the model did (solid),
and "now".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from classroom.paper.svg import (
    CARD,
    LINE,
    MUTED,
    WARNING,
    bars,
    box,
    line,
    number,
    path,
    text,
    tint,
)

from .scene import Call, Member, Moment, Passage
from .view import Time

NICE = (1, 2, 5)
FAINT = tint(LINE, 0.6)
TROUBLE = ("failed", "stopped", "paused")
BLOCKS = "·░█"
"""Nothing, held, a model call: for the text twin."""


class Lasting(Protocol):
    """Something with a begin and an end: a span of time, a handoff, a model call."""

    @property
    def begin(self) -> Moment: ...

    @property
    def end(self) -> Moment | None: ...


@dataclass(frozen=True)
class Scale:
    """Time → px between `left` and `right`. Its end is `end`, in steps or in seconds."""

    time: Time
    left: float
    right: float
    now: Moment
    live: bool = False

    @property
    def elapsed(self) -> float:
        return self.now.seconds if self.time == "seconds" else float(self.now.step)

    @cached_property
    def end(self) -> float:
        """The right edge. A live axis ends at a round number, so that the bars do not shrink with
        each event.
        """
        least = 1e-3 if self.time == "seconds" else 1.0
        elapsed = max(self.elapsed, least)
        if not self.live:
            return elapsed
        beyond = elapsed * 1.02
        step = tick(beyond, 4)
        return step * (int(beyond / step) + 1)

    def x(self, moment: Moment) -> float:
        value = moment.seconds if self.time == "seconds" else moment.step
        width = self.right - self.left
        share = min(value / self.end, 1.0)
        return self.left + width * share

    def span(self, begin: Moment, end: Moment | None) -> tuple[float, float]:
        """Left and right px of what began and ended then; never less than 2 px wide."""
        left = min(self.x(begin), self.right - 2)
        right = max(self.x(end or self.now), left + 2)
        return left, right

    def axis(self, top: float, bottom: float) -> Iterable[str]:
        """Vertical lines at round numbers with their values under them, and "now" while the run
        goes on.
        """
        step = tick(self.end, 8)
        if self.time == "steps":
            step = max(1.0, step)
        unit, room = (" s", 44) if self.time == "seconds" else ("", 28)
        now_x = self.x(self.now)
        width = self.right - self.left
        value = 0.0
        while value <= self.end + 1e-9:
            x = self.left + width * value / self.end
            yield line(x, top, x, bottom, stroke=FAINT)
            covered = self.live and abs(x - now_x) < room
            if not covered:
                label = f"{value:.3f}".rstrip("0").rstrip(".")
                yield text(x, bottom + 14, label + unit, anchor="middle")
            value += step
        if self.live:
            yield line(now_x, top - 4, now_x, bottom + 2, stroke=MUTED, dash="3 3")
            yield text(now_x, bottom + 14, "now", bold=True, anchor="middle")


def tick(length: float, count: int) -> float:
    """The smallest of 1, 2, 5, 10 … that divides `length` into at most `count` pieces."""
    power = 1e-4
    while True:
        for nice in NICE:
            if nice * power * count >= length:
                return nice * power
        power *= 10


def lane_height(slots: int) -> float:
    """px: one bar of 14, or up to six thinner ones."""
    return 14 if slots == 1 else min(slots, 6) * 9 - 2


def member_lane(
    member: Member,
    y: float,
    scale: Scale,
    hue: str,
) -> Iterable[str]:
    """All that one member held: overlapping handoffs one above the other."""
    slots = min(member.slots, 6)
    height = 14 if slots == 1 else 7
    whole = lane_height(member.slots)
    middle = y + whole / 2
    yield line(scale.left, middle, scale.right, middle, stroke=FAINT)
    if member.merged:
        span = scale.span(*member.merged)
        yield bars([span], y, whole, tint(hue, 0.12))
    last = slots - 1
    for slot in range(slots):
        held = [bar for bar in member.bars if min(bar.slot, last) == slot]
        calls = [call for call in member.calls if min(call.slot, last) == slot]
        row_y = y + slot * 9
        yield from _row(held, calls, row_y, height, scale, hue)


def passage_lane(passage: Passage, y: float, scale: Scale, hue: str) -> Iterable[str]:
    """One handoff."""
    yield from _row([passage], passage.calls, y, 14, scale, hue)


def _row(
    held: Sequence[Passage],
    calls: Sequence[Call],
    y: float,
    height: float,
    scale: Scale,
    hue: str,
) -> Iterable[str]:
    pale = _apart(scale.span(passage.begin, passage.end) for passage in held)
    solid = _apart(scale.span(call.begin, call.end) for call in calls)
    yield bars(pale, y, height, tint(hue, 0.26))
    yield bars(solid, y, height, hue)
    for passage in held:
        yield from _waits(passage, y, height, scale, hue)
        if passage.state in TROUBLE:
            _, end = scale.span(passage.begin, passage.end)
            x = number(end - 1)
            top = number(y - 2)
            bottom = number(y + height + 2)
            yield path(f"M{x} {top}V{bottom}", stroke=WARNING, width=2)


def _waits(
    passage: Passage,
    y: float,
    height: float,
    scale: Scale,
    hue: str,
) -> Iterable[str]:
    """An outline from the moment when a request had to wait until it was sent."""
    for wait in passage.waits:
        sent = (call.begin for call in passage.calls if call.begin.step > wait.step)
        left, right = scale.span(wait, next(sent, passage.end))
        yield box(left, y, right - left, height, radius=2, fill=CARD, stroke=hue, stroke_width=1)


def _apart(spans: Iterable[tuple[float, float]]) -> Iterable[tuple[float, float]]:
    """The spans in order; those that the eye could not tell apart as one."""
    last: tuple[float, float] | None = None
    for left, right in spans:
        if last is None:
            last = left, right
            continue
        begin, end = last
        if begin <= left <= end + 0.4 and right - left < 3:
            last = begin, max(end, right)
        else:
            yield last
            last = left, right
    if last:
        yield last


def in_text(
    held: Iterable[Lasting], calls: Iterable[Lasting], now: Moment, columns: int = 48
) -> str:
    """A lane in characters, in steps: `·` nothing, `░` held, `█` a model call."""
    cells = [0] * columns
    whole = max(now.step, 1)
    for level, spans in ((1, held), (2, calls)):
        for span in spans:
            end = span.end or now
            first = min(span.begin.step * columns // whole, columns - 1)
            last = min(end.step * columns // whole, columns)
            last = max(first + 1, last)
            for cell in range(first, last):
                cells[cell] = max(cells[cell], level)
    return "".join(BLOCKS[level] for level in cells)


LEGEND = "solid: a model call · pale: holds the work"
