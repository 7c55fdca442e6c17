"""What is seen of answers to lesson 09: faults, batches, suggestions and contradictions, as they are returned."""

from __future__ import annotations

from typing import Any

from classroom.observing import call
from classroom.observing.canonical import Raised
from workshop.course.seen import quiet_run


def faults(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """What an answer finds wrong with a plan."""
    quiet_run()
    returned = call(answer, case["steps"], case["workers"])
    return {"faults": _sorted(returned)}


def batched(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The batches that an answer makes."""
    quiet_run()
    returned = call(answer, case["needs"])
    refused = isinstance(returned, Raised) and isinstance(returned.problem, ValueError)
    if refused:
        return {"batches": ("a ValueError",)}
    if not isinstance(returned, list):
        return {"batches": returned}
    return {"batches": [_sorted(batch) for batch in returned]}


def suggested(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Whom an answer would plan for."""
    quiet_run()
    returned = call(answer, case["findings"], case["busy"], case["workers"])
    return {"workers": returned}


def contradictions(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The pairs of steps that an answer finds in contradiction."""
    quiet_run()
    returned = call(answer, case["findings"])
    return {"contradictions": _sorted(returned)}


def _sorted(value: Any) -> Any:
    """A list in an order of its own, so that an answer may choose one; anything else unchanged."""
    return sorted(value, key=repr) if isinstance(value, list) else value


OBSERVE = {
    "09.1": faults,
    "09.2": batched,
    "09.3": suggested,
    "09.4": contradictions,
}
