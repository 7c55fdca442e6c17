"""The wait before the same work is tried again: one rule for requests and dispatches."""

from __future__ import annotations

from collections.abc import Callable

FIRST_S = 0.5
LONGEST_S = 8.0
"""Seconds of a wait, at most, unless the service asks for more."""
DOUBLINGS = 16
"""The most doublings of a wait: more than enough for the longest one. Without this bound, 2 to the
power of the tries could be too large a number."""


def before_next_try(
    asked_for_s: float | None,
    failed: int,
    jitter: Callable[[], float],
    longest_s: float = LONGEST_S,
) -> float:
    """Seconds until the next try, after `failed` tries that failed.

    asked_for_s: the wait that the service asks for; none at all, such as 0, is no wish, since all
                 who were refused would return at once.
    jitter:      a source of numbers from 0 to 1.
    longest_s:   the bound of a wait that nobody asked for.

    The usual wait is 0.5 seconds, doubled with each try up to the bound, minus up to a quarter by
    chance, so that many clients do not return at the same moment.
    """
    doubled: float = FIRST_S * 2 ** min(failed - 1, DOUBLINGS)
    usual = min(doubled, longest_s) * (1 - 0.25 * jitter())
    if asked_for_s is not None and asked_for_s > 0:  # not for NaN, which is no wish either
        return asked_for_s
    return usual
