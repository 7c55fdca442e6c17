"""Late work: one rule from the command line, and the share of the earned points that it takes.

    10% per day, at most 50%             for each day that has begun; never more than half
    5% per 2 hours, grace 15 minutes     a quarter of an hour costs nothing; then all of it counts
    20% once, nothing after 7 days       a fifth, however late; all of it after a week

A rule never raises a mark and never makes it negative.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction

EXAMPLE = "10% per day, at most 50%"
PERCENT, SPAN = r"\d{1,3}(?:\.\d{1,3})?) ?%", r"\d{1,4} (?:minute|hour|day|week)s?)"
FORM = re.compile(
    rf"(?P<share>{PERCENT} (?:once|per (?P<unit>(?:\d{{1,4}} )?(?:minute|hour|day|week)s?))"
    rf"(?:, at most (?P<cap>{PERCENT})?(?:, grace (?P<grace>{SPAN})?"
    rf"(?:, nothing after (?P<nothing>{SPAN})?"
)


@dataclass(frozen=True, kw_only=True)
class LateRule:
    """A due time and the loss after it; made by `rule`."""

    due: datetime
    text: str
    """The rule's own text."""
    share: Fraction
    """Lost for each `unit` that has begun, or at once where there is no unit."""
    unit: timedelta | None
    cap: Fraction
    grace: timedelta
    nothing_after: timedelta

    def lost(self, submitted: datetime | None) -> Fraction:
        """The share of the earned points that is lost, from 0 to 1."""
        late = self._late(submitted)
        if not late:
            return Fraction(0)
        if late > self.nothing_after:
            return Fraction(1)
        begun = -(-late // self.unit) if self.unit else 1
        return min(self.share * begun, self.cap)

    def after(self, points: float, submitted: datetime | None) -> float:
        """Returns the points that are left, to a hundredth."""
        lost = self.lost(submitted)
        return min(points, round(float(Fraction(points) * (1 - lost)), 2)) if lost else points

    def in_words(self, submitted: datetime | None) -> str:
        """The lateness, such as "2 days, 1:00:00 late: 20% of its points are lost"; empty when it
        is in time.
        """
        late = self._late(submitted)
        exact = timedelta(seconds=late // timedelta(seconds=1))
        lost = f"{float(100 * self.lost(submitted)):.4g}%"
        return f"{exact} late: {lost} of its points are lost" if late else ""

    def _late(self, submitted: datetime | None) -> timedelta:
        """Returns the time by which work is late: zero within the grace, and when nobody knows when
        it was submitted.
        """
        late = submitted - self.due if submitted else timedelta(0)
        return late if late > self.grace else timedelta(0)


def rule(due: str, text: str) -> LateRule:
    """A rule from the command line. Raises ValueError, which says what was given and what was
    expected.
    """
    found = FORM.fullmatch(" ".join(text.lower().split()))
    share, cap = (Fraction(found[name] or 100) / 100 if found else 2 for name in ("share", "cap"))
    unit = _span(found["unit"]) if found and found["unit"] else None
    if found is None or share > 1 or cap > 1 or unit == timedelta(0):
        raise ValueError(
            f"--late {text!r} is not understood; expected such as {EXAMPLE!r}, '5% per 2 hours, "
            "grace 15 minutes' or '20% once, nothing after 7 days', with at most 100%"
        )
    return LateRule(
        due=moment(due),
        text=" ".join(text.split()),
        share=Fraction(share),
        unit=unit,
        cap=Fraction(cap),
        grace=_span(found["grace"] or "0 days"),
        nothing_after=_span(found["nothing"]) if found["nothing"] else timedelta.max,
    )


def moment(text: str) -> datetime:
    """A time with its zone. Raises ValueError, which says what was given and what was expected."""
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        found = datetime.min
    if found.tzinfo is None:
        raise ValueError(
            f"{text!r} is no time with its zone; expected such as 2026-11-20T18:00Z or"
            " 2026-11-20T18:00+01:00"
        )
    return found


def _span(words: str) -> timedelta:
    """A span of time, such as "2 hours" or "day"."""
    *number, unit = words.split()
    return timedelta(**{f"{unit.rstrip('s')}s": int(number[0]) if number else 1})
