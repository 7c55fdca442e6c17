"""The author's side of lesson 13: branches that race."""

from __future__ import annotations

from random import Random
from typing import Any

NAMES = ("archive", "index", "mirror", "cache", "library", "press room")


def races(draw: Random) -> dict[str, list[Any]]:
    """Branches of which the quickest, a slower one or none is ok; and a caller that goes away."""

    def case(about: str, *statuses: str, stop_after: int = 0) -> dict[str, Any]:
        """Statuses from the quickest branch to the slowest; the jobs are in an order of their own."""
        names = draw.sample(NAMES, len(statuses))
        branches = [
            {
                "name": name,
                "ticks": 30 * (place + 1) + draw.randint(0, 6),
                "status": status,
                "output": f"{draw.randint(100, 999)} documents",
                "tidy_s": draw.randint(2_000, 9_000),
            }
            for place, (name, status) in enumerate(zip(names, statuses, strict=True))
        ]
        order = draw.sample(branches[1:], len(branches) - 1)
        order.insert(draw.randint(1, len(order)), branches[0])
        return {"about": about, "branches": order, "stop_after": stop_after}

    return {
        "first": [
            case("the quickest branch is ok", "ok", "ok", "failed"),
            case("the quickest branch is ok, of four", "ok", "failed", "ok", "ok"),
        ],
        "failures": [
            case("the quickest branch fails", "failed", "ok", "ok", "ok"),
            case("two fail before one is ok", "failed", "failed", "ok", "ok"),
        ],
        "none": [case("no branch is ok", "failed", "failed", "failed")],
        "stopped": [
            case("the caller cancels before any branch is ready", "ok", "ok", "ok", stop_after=15),
            case("the caller cancels after one has failed", "failed", "ok", "ok", stop_after=48),
        ],
    }


INPUTS = {"13.1": races}
