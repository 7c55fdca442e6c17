"""Checks of the numbers that a caller gives, each with the name of the argument."""

from __future__ import annotations


def at_least(least: int, **limits: int) -> None:
    """Raises ValueError with the name of a limit that is less than `least`."""
    for name, limit in limits.items():
        if limit < least:
            raise ValueError(f"{name} is {limit}; expected at least {least}")


def checked_s(name: str, seconds: float) -> float:
    """The seconds, when they are 0 or more. Raises ValueError with the name for others and for
    NaN."""
    if not seconds >= 0:
        raise ValueError(f"{name} is {seconds}; expected 0 or more seconds")
    return seconds
