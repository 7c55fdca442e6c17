"""The author's side of lesson 13: branches that race, and workers on a bad day."""

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


WORKERS = ("code", "data", "ops", "shop", "logs", "stock")
WORDS = ("soon", "perhaps", "sorry", "maybe")


def bad_days(draw: Random) -> dict[str, list[Any]]:
    """Two workers side by side and a third that needs both; each case has a fault of its own."""
    first, second = draw.sample(WORKERS, 2)
    last = "comms"
    number = draw.randint(100, 999)
    word = draw.choice(WORDS)
    fine = {
        first: [f"{first} found {number}"],
        second: [f"{second} found {number + 1}"],
        last: [f"note {number}"],
    }
    steps = [
        {"id": first, "worker": first, "intent": f"Look into {number} as {first}"},
        {"id": second, "worker": second, "intent": f"Look into {number} as {second}"},
        {"id": last, "worker": last, "intent": "Write the note", "needs": [first, second]},
    ]

    def case(about: str, gates: dict[str, str] | None = None, **scripts: list[str]) -> dict:
        before = {name: [*scripts.get(role, []), *fine[name]] for role, name in roles.items()}
        return {
            "about": about,
            "task": f"Answer ticket {number}",
            "workers": before,
            "steps": steps,
            "gates": {roles[role]: found for role, found in (gates or {}).items()},
        }

    roles = {"first": first, "second": second, "last": last}
    refused = f"note {number}, {word}"
    return {
        "a fine day": [case("nothing goes wrong")],
        "overloaded": [
            case("the service of one worker is busy once", first=["busy"]),
            case("the service of the last worker is busy once", last=["busy"]),
        ],
        "starting": [
            case("the service of one worker is busy three times", second=["busy"] * 3),
            case("the service of one worker stays busy", first=["busy"] * 9),
        ],
        "broken": [
            case("one worker fails for good", first=["broken"] * 9),
            case("the last worker fails for good, once", last=["broken"]),
        ],
        "hanging": [
            case("one call hangs", second=["hangs"]),
            case("each call of one worker hangs", first=["hangs"] * 9),
        ],
        "refused": [
            case("the first note says what a gate refuses", {"last": word}, last=[refused]),
            case(
                "a gate holds for one worker and not for the others",
                {"first": word},
                last=[refused],
            ),
            case(
                "no note passes the gate",
                {"last": word},
                last=[f"{refused}, once more ({count})" for count in range(12)],
            ),
        ],
    }


INPUTS = {"13.1": races, "13.2": bad_days}
