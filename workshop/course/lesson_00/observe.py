"""What is seen of answers to lesson 00: a list of names, and the names of what differs."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from workshop.course.observing import call


def ordered(who_gets_work: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The list for a draft that is sent back so many times; a tuple will do."""
    returned = call(who_gets_work, case["sent_back"])
    return {"returned": list(returned) if type(returned) is tuple else returned}


def changes(what_changed: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The names found for two runs, in any order, and whether the facts were left unchanged."""
    first, second = deepcopy(case["first"]), deepcopy(case["second"])
    returned = call(what_changed, first, second)
    alike = first == case["first"] and second == case["second"]
    names = type(returned) in (list, tuple, set) and all(type(name) is str for name in returned)
    return {
        "the facts that were given": ("unchanged",) if alike else ("changed",),
        "returned": sorted({*returned}) if names else returned,
    }


OBSERVE = {"00.1": ordered, "00.2": changes}
