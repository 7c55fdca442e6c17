"""Backoff: the delay before a retry, by one rule for requests and dispatches."""

from __future__ import annotations

from collections.abc import Callable

FIRST_S = 0.5
LONGEST_S = 8.0
"""The longest delay in seconds, unless the service asks for more."""
DOUBLINGS = 16
"""The most doublings of the delay, so that the power of 2 stays a small number."""


def before_next_try(
    asked_for_s: float | None,
    failed: int,
    jitter: Callable[[], float],
    longest_s: float = LONGEST_S,
) -> float:
    """Seconds until the next attempt, after `failed` attempts.

    asked_for_s: the delay that the service asks for. A delay of 0 is ignored, since all clients
                 would then retry at once.
    jitter:      a source of numbers from 0 to 1.
    longest_s:   the longest delay, unless the service asks for more.

    The delay is 0.5 seconds, doubled with each attempt, minus a random part of up to a quarter, so
    that many clients do not retry at the same moment.
    """
    doubled: float = FIRST_S * 2 ** min(failed - 1, DOUBLINGS)
    usual = min(doubled, longest_s) * (1 - 0.25 * jitter())
    if asked_for_s is not None and asked_for_s > 0:  # False for NaN
        return asked_for_s
    return usual
