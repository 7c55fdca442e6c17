"""Draws customers, and what they bought."""

from __future__ import annotations

from random import Random
from typing import Any

CUSTOMERS = ("Ada", "Bo", "Cleo", "Dan", "Eve", "Fay")
NAMES = ("pen", "lamp", "desk", "chair", "stool")


def sums(draw: Random) -> dict[str, list[Any]]:
    """Customers who bought one thing, several of a thing, and nothing."""
    one, two, three = draw.sample(CUSTOMERS, 3)
    things = [[name, draw.randint(2, 99)] for name in draw.sample(NAMES, 3)]
    first, second, _ = (name for name, _ in things)

    def case(about: str, *bought: list[Any], customers: tuple[str, ...]) -> dict[str, Any]:
        rows = {"things": things, "customers": [*customers], "bought": [*bought]}
        return {"about": about, **rows}

    return {
        "bought": [
            case("each bought one thing", [one, first, 1], [two, second, 1], customers=(one, two))
        ],
        "amounts": [
            case(
                "one bought several of a thing",
                [one, first, draw.randint(2, 9)],
                [one, second, 1],
                [two, second, 1],
                customers=(one, two),
            )
        ],
        "nothing": [case("one bought nothing", [one, first, 1], customers=(one, three))],
    }


INPUTS = {"02.1": sums}
