"""What is seen of answers to lesson 02: who is there, and what each of them spent."""

from __future__ import annotations

from typing import Any

from shop import opened

from classroom.observing import call, pictured


def spent(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The customers and their sums; numbers are drawn as bars."""
    connection = opened(case["things"], case["customers"], case["bought"])
    returned = call(answer, connection)
    if not isinstance(returned, dict):
        return {"returned": returned}
    pictured({str(name): sum for name, sum in returned.items() if isinstance(sum, int)})
    return {"customers": sorted(map(str, returned)), "spent": returned}


OBSERVE = {"02.1": spent}
