"""Checks of arguments, whose errors name the argument."""

from __future__ import annotations


def at_least(least: int, **limits: int) -> None:
    """Raises ValueError with the name of a limit that is less than `least`."""
    for name, limit in limits.items():
        if limit < least:
            raise ValueError(f"{name} is {limit}; expected at least {least}")


def checked_s(name: str, seconds: float) -> float:
    """Returns the seconds. Raises ValueError with the name if they are negative or NaN."""
    if not seconds >= 0:
        raise ValueError(f"{name} is {seconds}; expected 0 or more seconds")
    return seconds
