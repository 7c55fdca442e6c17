"""Student's t distribution: how far the mean of a few numbers may lie from the truth.

The closed forms of Abramowitz and Stegun, 26.7.3 and 26.7.4, for whole degrees of freedom: exact,
and enough here, where a mean of n numbers has n − 1 of them.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from statistics import fmean, stdev

WIDEST = 1e9
"""No reach is searched beyond this."""


def within(t: float, freedom: int) -> float:
    """The share of the distribution that lies between −t and t.

    Raises ValueError for fewer than 1 degree of freedom.
    """
    if freedom < 1:
        raise ValueError(f"{freedom} degrees of freedom; expected at least 1")
    angle = math.atan(t / math.sqrt(freedom))
    odd = freedom % 2
    term = math.cos(angle) if odd else 1.0
    series = 0.0
    for step in range(odd, freedom - 1, 2):
        series += term
        term *= math.cos(angle) ** 2 * (step + 1) / (step + 2)
    share = math.sin(angle) * series
    return 2 / math.pi * (angle + share) if odd else share


@functools.cache
def reach(share: float, freedom: int) -> float:
    """The t that has this share of the distribution between −t and t: 0.95 and 11 give 2.201.

    Raises ValueError for a share outside 0 to 1.
    """
    if not 0 < share < 1:
        raise ValueError(f"share is {share}; expected more than 0 and less than 1")
    low, high = 0.0, WIDEST
    for _ in range(100):  # each halves what is left
        middle = (low + high) / 2
        if within(middle, freedom) < share:
            low = middle
        else:
            high = middle
    return high


def around(values: Sequence[float], share: float = 0.95) -> tuple[float, float]:
    """The ends of an interval around the mean, which holds the mean of a normal population in this
    share of all samples.

    One value says nothing of others: its interval has no ends, which are then infinite.
    """
    if len(values) < 2:
        return -math.inf, math.inf
    middle = fmean(values)
    half = reach(share, len(values) - 1) * stdev(values) / math.sqrt(len(values))
    return middle - half, middle + half
