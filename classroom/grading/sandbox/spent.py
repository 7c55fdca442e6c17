"""The one rule for time: a submission is charged for the seconds in which it ran. The clock is a
wide bound, at which one that slept is told from one that waited for a busy machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

WIDE, WIDE_ALONE = 3, 30
"""The multiples of its limit that something gets by the clock; the second where no other submission
is graded meanwhile.
"""
AWAKE = 0.5
"""The share of its time in which something ran or waited for a processor, if it did not sleep."""

Why = Literal["", "ran", "slept", "waited"]
"""The reason why something is out of time: by the processor's seconds, or by the clock, and then
whether it slept or others had the processors.
"""


@dataclass(frozen=True)
class TimeSpent:
    """The seconds that something took."""

    clock: float = 0.0
    ran: float = 0.0
    """Of the processors, all threads and processes together."""
    waited: float = 0.0
    """In which it could have run and others had the processors."""

    def __add__(self, other: TimeSpent) -> TimeSpent:
        return TimeSpent(self.clock + other.clock, self.ran + other.ran, self.waited + other.waited)

    def __sub__(self, other: TimeSpent) -> TimeSpent:
        return TimeSpent(self.clock - other.clock, self.ran - other.ran, self.waited - other.waited)

    def over(self, limit_s: float, wide: float) -> Why:
        """Returns why this is more than a limit allows; empty when it is not."""
        if self.ran > limit_s:
            return "ran"
        if self.clock <= wide * limit_s:
            return ""
        return "waited" if self.ran + self.waited > AWAKE * self.clock else "slept"


def in_words(why: Why, limit_s: float, spent: TimeSpent) -> str:
    """Returns the reason that something was ended, for reports."""
    if why == "ran":
        return f"no end after {limit_s:g} seconds of the processor"
    slept = "in most of which it slept"
    busy = "in most of which it waited for a processor: the machine was busy"
    return f"no end after {spent.clock:.0f} seconds, {slept if why == 'slept' else busy}"
