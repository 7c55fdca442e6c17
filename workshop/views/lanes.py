"""Lanes: time under a picture, one row each, with what was held (pale), what the model did (solid),
and "now".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from .scene import Call, Member, Moment, Passage, Span
from .svg import CARD, LINE, MUTED, WARNING, bars, box, line, number, path, text, tint
from .view import Time

NICE = (1, 2, 5)
BLOCKS = "·░█"
"""Nothing, held, a model call: for the text twin."""


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
        elapsed = max(self.elapsed, 1e-3 if self.time == "seconds" else 1.0)
        if not self.live:
            return elapsed
        step = tick(elapsed * 1.02, 4)
        return step * (int(elapsed * 1.02 / step) + 1)

    def x(self, moment: Moment) -> float:
        value = moment.seconds if self.time == "seconds" else moment.step
        return self.left + (self.right - self.left) * min(value / self.end, 1.0)

    def span(self, begin: Moment, end: Moment | None) -> tuple[float, float]:
        """Left and right px of what began and ended then; never less than 2 px wide."""
        left = min(self.x(begin), self.right - 2)
        return left, max(self.x(end or self.now), left + 2)

    def axis(self, top: float, bottom: float) -> Iterable[str]:
        """Vertical lines at round numbers with their values under them, and "now" while the run
        goes on.
        """
        step = tick(self.end, 8)
        if self.time == "steps":
            step = max(1.0, step)
        unit = " s" if self.time == "seconds" else ""
        now_x = self.x(self.now)
        value = 0.0
        while value <= self.end + 1e-9:
            x = self.left + (self.right - self.left) * value / self.end
            yield line(x, top, x, bottom, stroke=tint(LINE, 0.6))
            if not (self.live and abs(x - now_x) < (44 if unit else 28)):
                yield text(
                    x, bottom + 14, f"{value:.3f}".rstrip("0").rstrip(".") + unit, anchor="middle"
                )
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


def member_lane(member: Member, y: float, scale: Scale, hue: str) -> Iterable[str]:
    """All that one member held: overlapping handoffs one above the other."""
    slots = min(member.slots, 6)
    height = 14 if slots == 1 else 7
    yield line(
        scale.left,
        y + lane_height(member.slots) / 2,
        scale.right,
        y + lane_height(member.slots) / 2,
        stroke=tint(LINE, 0.6),
    )
    if member.merged:
        yield bars([scale.span(*member.merged)], y, lane_height(member.slots), tint(hue, 0.12))
    for slot in range(slots):
        held = [bar for bar in member.bars if min(bar.slot, slots - 1) == slot]
        calls = [call for call in member.calls if min(call.slot, slots - 1) == slot]
        yield from _row(held, calls, y + slot * 9, height, scale, hue)


def passage_lane(passage: Passage, y: float, scale: Scale, hue: str) -> Iterable[str]:
    """One handoff."""
    yield from _row([passage], passage.calls, y, 14, scale, hue)


def _row(
    held: Iterable[Passage], calls: Iterable[Call], y: float, height: float, scale: Scale, hue: str
) -> Iterable[str]:
    yield bars(
        _apart(scale.span(span.begin, span.end) for span in held), y, height, tint(hue, 0.26)
    )
    yield bars(_apart(scale.span(call.begin, call.end) for call in calls), y, height, hue)
    for span in held:
        yield from _waits(span, y, height, scale, hue)
        if span.state in ("failed", "stopped", "paused"):
            x = scale.span(span.begin, span.end)[1]
            yield path(
                f"M{number(x - 1)} {number(y - 2)}V{number(y + height + 2)}",
                stroke=WARNING,
                width=2,
            )


def _waits(passage: Passage, y: float, height: float, scale: Scale, hue: str) -> Iterable[str]:
    """An outline from the moment when a request had to wait until it was sent."""
    for wait in passage.waits:
        sent = (call.begin for call in passage.calls if call.begin.step > wait.step)
        left, right = scale.span(wait, next(sent, passage.end))
        yield box(left, y, right - left, height, radius=2, fill=CARD, stroke=hue, stroke_width=1)


def _apart(spans: Iterable[tuple[float, float]]) -> Iterable[tuple[float, float]]:
    """The spans in order; those that the eye could not tell apart as one."""
    last: tuple[float, float] | None = None
    for left, right in spans:
        if last and last[0] <= left <= last[1] + 0.4 and right - left < 3:
            last = last[0], max(last[1], right)
            continue
        if last:
            yield last
        last = left, right
    if last:
        yield last


def in_text(held: Iterable[Span], calls: Iterable[Span], now: Moment, columns: int = 48) -> str:
    """A lane in characters, in steps: `·` nothing, `░` held, `█` a model call."""
    cells, whole = [0] * columns, max(now.step, 1)
    for level, spans in ((1, held), (2, calls)):
        for span in spans:
            first = min(span.begin.step * columns // whole, columns - 1)
            last = max(first + 1, min((span.end or now).step * columns // whole, columns))
            for cell in range(first, last):
                cells[cell] = max(cells[cell], level)
    return "".join(BLOCKS[level] for level in cells)


LEGEND = "solid: a model call · pale: holds the work"
