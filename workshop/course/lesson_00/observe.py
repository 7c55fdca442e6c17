"""Observations of answers to lesson 00: a list of names, and the names of differences."""

from __future__ import annotations

from typing import Any

from classroom.observing import call


def ordered(who_gets_work: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The list for a draft that is sent back so many times; a tuple will do."""
    returned = call(who_gets_work, case["sent_back"])
    if type(returned) not in (list, tuple):
        return {"returned": ("a text",) if type(returned) is str else returned}
    if not _are_names(returned):
        return {"returned": ("a list that holds more than texts",)}
    return {"returned": ("a list of texts",), "order": list(returned)}


def changes(what_changed: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The names found for two runs, in any order."""
    returned = call(what_changed, case["first"], case["second"])
    if _are_names(returned):
        returned = sorted({*returned})
    return {"returned": returned}


def _are_names(value: Any) -> bool:
    if type(value) not in (list, tuple, set):
        return False
    return all(type(name) is str for name in value)


OBSERVE = {
    "00.1": ordered,
    "00.2": changes,
}
