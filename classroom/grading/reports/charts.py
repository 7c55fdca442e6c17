"""Small pictures as SVG that take their colours from the page, each with its finding in words."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence

from markupsafe import Markup

from classroom.grading.plain import markup

BINS = 10
WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 1022, 230, 8, 48, 28


def bar(
    shares: Iterable[tuple[float, str]], finding: str, *, width: int = 160, height: int = 8
) -> Markup:
    """A bar of parts (share from 0 to 1, kind) on a track."""
    shapes, start = (
        [
            f'<rect class="s-track" width="{width}" height="{height}" rx="{height / 2:g}" fill="#e4e7eb"/>'
        ],
        0.0,
    )
    for share, kind in shares:
        wide = max(0.0, min(share, 1.0 - start)) * width
        if wide > 0.05:
            shapes.append(
                f'<rect class="s-{kind}" x="{start * width:.1f}" width="{wide:.1f}" height="{height}" fill="#0072b2"/>'
            )
        start += share
    return Markup(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'aria-label="{markup(finding)}">{"".join(shapes)}</svg>'
    )


def counts(shares: Sequence[float]) -> list[int]:
    """Counts the learners who have 0–9 %, 10–19 %, …, 90–100 % of the points."""
    found = [0] * BINS
    for share in shares:
        found[min(BINS - 1, int(share * BINS + 1e-9))] += 1
    return found


def finding(shares: Sequence[float]) -> str:
    """The distribution in a sentence."""
    if not shares:
        return "Nobody has been graded yet."
    parts = [
        f"{number} with {_span(index)}"
        for index, number in reversed(list(enumerate(counts(shares))))
        if number
    ]
    people = "learner has" if len(shares) == 1 else "learners have"
    return f"Half of the {len(shares)} {people} {statistics.median(shares):.0%} of the points or more: {', '.join(parts)}."


def _span(index: int) -> str:
    return f"{index * 100 // BINS} to {(index + 1) * 100 // BINS - (index < BINS - 1)}%"


def distribution(shares: Sequence[float]) -> Markup:
    """Learners by their share of the points, with the median marked."""
    found, shapes = counts(shares), []
    largest, slot = max([*found, 1]), (WIDTH - 2 * LEFT) / BINS
    floor = HEIGHT - BOTTOM
    for index, number in enumerate(found):
        tall, x = (floor - TOP) * number / largest, LEFT + index * slot
        if number:
            shapes.append(
                f'<rect class="s-bar" x="{x + 5:.1f}" y="{floor - tall:.1f}" width="{slot - 10:.1f}" height="{tall:.1f}" rx="3" '
                'fill="#0072b2"/>'
            )
            shapes.append(_text(x + slot / 2, floor - tall - 6, str(number), "ink", 13, 600))
    for index in range(BINS + 1):
        anchor = "start" if index == 0 else "end" if index == BINS else "middle"
        shapes.append(
            _text(
                LEFT + index * slot, HEIGHT - 8, f"{index * 100 // BINS}%", "muted", 12, 400, anchor
            )
        )
    shapes.append(f'<path class="s-line" d="M{LEFT} {floor}H{WIDTH - LEFT}" stroke="#cbd2d9"/>')
    if shares:
        x = LEFT + statistics.median(shares) * slot * BINS
        left = x > WIDTH - 130
        shapes.append(
            f'<path class="s-mark" d="M{x:.1f} 8V{floor}" stroke="#b8590b" stroke-width="1.5" stroke-dasharray="4 3"/>'
        )
        shapes.append(
            _text(
                x - 6 if left else x + 6,
                16,
                f"median {statistics.median(shares):.0%}",
                "ink",
                12,
                600,
                "end" if left else "start",
            )
        )
    return Markup(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img" '
        f'aria-label="{markup(finding(shares))}">{"".join(shapes)}</svg>'
    )


def _text(
    x: float, y: float, words: str, kind: str, size: int, weight: int, anchor: str = "middle"
) -> str:
    fill = "#1f2933" if kind == "ink" else "#52606d"
    return (
        f'<text class="s-{kind}" x="{x:.1f}" y="{y:.1f}" font-size="{size}" font-weight="{weight}" text-anchor="{anchor}" '
        f'fill="{fill}">{markup(words)}</text>'
    )
