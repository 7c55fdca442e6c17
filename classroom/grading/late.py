"""Rules for late work: a rule in a few words, and a pure function from two times to a share of the
points.

    10% per day                                  for each day that has begun, until nothing is left
    10% per day, at most 50%                     never more than half
    5% per hour, grace 15 minutes                a quarter of an hour costs nothing; after it the
    lateness counts from `due` 20% once, nothing after 7 days               a fifth, however late;
    all of it after a week

The share is one of the points that were earned. A rule never raises a mark
and never makes it negative.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction

EXAMPLE = "10% per day, at most 50%"
UNITS = {
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(weeks=1),
}
PERCENT, COUNT, UNIT = r"(\d{1,3}(?:\.\d{1,3})?) ?%", r"(\d{1,4})", r"(minute|hour|day|week)s?"
PARTS = {
    "per": re.compile(rf"{PERCENT} per (?:{COUNT} )?{UNIT}"),
    "once": re.compile(rf"{PERCENT} once"),
    "most": re.compile(rf"at most {PERCENT}"),
    "grace": re.compile(rf"grace {COUNT} {UNIT}"),
    "nothing": re.compile(rf"nothing after {COUNT} {UNIT}"),
}


@dataclass(frozen=True, kw_only=True)
class LateRule:
    """A due time and the loss after it; made by `rule`."""

    due: datetime
    text: str
    """The rule's own text."""
    share: Fraction
    """Lost for each `unit` that has begun, or at once where there is no unit."""
    unit: timedelta | None = None
    cap: Fraction = Fraction(1)
    grace: timedelta = timedelta(0)
    nothing_after: timedelta | None = None

    def lateness(self, submitted: datetime | None) -> timedelta:
        """Returns the time by which work is late, zero within the grace; also zero when nobody
        knows when it was submitted.
        """
        late = submitted - self.due if submitted else timedelta(0)
        return late if late > max(self.grace, timedelta(0)) else timedelta(0)

    def lost(self, submitted: datetime | None) -> Fraction:
        """The share of the earned points that is lost, from 0 to 1."""
        late = self.lateness(submitted)
        if not late:
            return Fraction(0)
        if self.nothing_after is not None and late > self.nothing_after:
            return Fraction(1)
        begun = -(-late // self.unit) if self.unit else 1
        return min(self.share * begun, self.cap, Fraction(1))

    def after(self, points: float, submitted: datetime | None) -> float:
        """Returns the points that are left, to a hundredth."""
        lost = self.lost(submitted)
        return min(points, round(float(Fraction(points) * (1 - lost)), 2)) if lost else points

    def in_words(self, submitted: datetime | None) -> str:
        """The lateness in words, such as "2 days late: 20% of its points are lost"; empty when it
        is in time.
        """
        late = self.lateness(submitted)
        return (
            f"{_in_words(late)} late: {_percent(self.lost(submitted))} of its points are lost"
            if late
            else ""
        )


def rule(due: str, text: str) -> LateRule:
    """A rule from the command line. Raises ValueError, which says what was given and what was
    expected.
    """
    found: dict[str, re.Match[str]] = {}
    for part in re.split(r"\s*,\s*", " ".join(text.lower().split())):
        name, match = next(
            ((name, match) for name, form in PARTS.items() if (match := form.fullmatch(part))),
            ("", None),
        )
        if match is None or name in found or {name, *found} >= {"per", "once"}:
            raise ValueError(_about(text, f"{part!r} is not understood here"))
        found[name] = match
    if not {"per", "once"} & set(found):
        raise ValueError(_about(text, "it does not say what is lost"))
    share = Fraction(found["per" if "per" in found else "once"][1]) / 100
    cap = Fraction(found["most"][1]) / 100 if "most" in found else Fraction(1)
    if share > 1 or cap > 1:
        raise ValueError(_about(text, "more than 100% cannot be lost"))
    unit = _span(found["per"][2] or "1", found["per"][3]) if "per" in found else None
    if unit == timedelta(0):
        raise ValueError(_about(text, "a span of 0 has no end"))
    return LateRule(
        due=moment(due),
        text=" ".join(text.split()),
        share=share,
        unit=unit,
        cap=cap,
        grace=_span(*found["grace"].groups()) if "grace" in found else timedelta(0),
        nothing_after=_span(*found["nothing"].groups()) if "nothing" in found else None,
    )


def moment(text: str) -> datetime:
    """A time with its zone. Raises ValueError, which says what was given and what was expected."""
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise ValueError(
            f"--due {text!r}: expected a time with its zone, such as 2026-11-20T18:00Z or"
            " 2026-11-20T18:00+01:00"
        )
    return found


def _about(text: str, problem: str) -> str:
    return (
        f"--late {text!r}: {problem}; expected such as {EXAMPLE!r}, '20% once', '5% per 2 hours,"
        " grace 15 minutes' or '10% per day, nothing after 7 days'"
    )


def _span(count: str, unit: str) -> timedelta:
    return int(count) * UNITS[unit]


def _in_words(late: timedelta) -> str:
    """The two largest units that are not zero, cut: "1 day 2 hours"."""
    parts = []
    for name in reversed(UNITS):
        count, late = divmod(late, UNITS[name])
        if count:
            parts.append(f"{count:,} {name}{'s' * (count != 1)}")
    return " ".join(parts[:2]) or "less than a minute"


def _percent(share: Fraction) -> str:
    return f"{float(share * 100):.4g}%"
