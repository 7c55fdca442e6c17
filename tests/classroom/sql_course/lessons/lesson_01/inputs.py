"""Draws the things of a shop, and what is asked about them."""

from __future__ import annotations

from random import Random
from typing import Any

NAMES = ("pen", "lamp", "desk", "chair", "stool", "shelf", "clock", "vase", "rug", "frame")


def prices(draw: Random) -> dict[str, list[Any]]:
    """Things above, at and below a price, and such that cost the same."""
    price = draw.randint(20, 90)
    names = sorted(draw.sample(NAMES, 5))

    def case(about: str, *costs: int) -> dict[str, Any]:
        things = [[name, cost] for name, cost in zip(names, costs, strict=False)]
        return {"about": about, "things": things[::-1], "price": price}

    more = [price + step for step in draw.sample(range(2, 40), 3)]
    return {
        "above": [case("some cost more, some less", more[0], 3, more[1], 5, more[2])],
        "limit": [case("one thing costs just as much", price, more[0], 4)],
        "equal": [case("some cost the same", more[0], more[0], 7, more[0])],
    }


def names(draw: Random) -> dict[str, list[Any]]:
    """Names that are there, that are not, and such with a sign that SQL knows."""
    one, two, three = draw.sample(NAMES, 3)
    odd = f"{three}'s {draw.randint(2, 99)}"
    things = [
        [one, draw.randint(2, 50)],
        [two, draw.randint(51, 99)],
        [odd, draw.randint(100, 200)],
    ]

    def case(about: str, name: str) -> dict[str, Any]:
        return {"about": about, "things": things, "name": name}

    return {
        "there": [case("the thing is there", two)],
        "not there": [case("nothing has this name", f"{one}{draw.randint(2, 99)}")],
        "signs": [case("the name has a quote", odd), case("the name has a sign of like", "%")],
    }


INPUTS = {"01.1": prices, "01.2": names}
