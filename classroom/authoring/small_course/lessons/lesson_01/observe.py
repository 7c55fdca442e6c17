"""Observations of answers to lesson 01."""

from __future__ import annotations

from typing import Any

from classroom.observing import call


def longest(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The word that came back."""
    return {"the longest word": call(answer, case["words"])}


def counted(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The words that were counted, and how often each one occurs."""
    returned = call(answer, case["text"])
    if not isinstance(returned, dict):
        return {"counts": returned}
    return {"words": sorted(returned), "counts": dict(sorted(returned.items()))}


OBSERVE = {"01.1": longest, "01.2": counted}
