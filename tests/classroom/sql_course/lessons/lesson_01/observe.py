"""What is seen of answers to lesson 01: what came back, and what the table holds afterwards."""

from __future__ import annotations

from typing import Any

from shop import opened

from classroom.observing import call


def dear(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The names that came back."""
    connection = opened(case["things"])
    returned = call(answer, connection, case["price"])
    if not isinstance(returned, list):
        return {"returned": returned}
    return {"names, sorted": sorted(map(str, returned)), "names": returned}


def price_of(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The price that came back, and whether the table is as it was."""
    connection = opened(case["things"])
    returned = call(answer, connection, case["name"])
    [(left,)] = connection.execute("select count(*) from things").fetchall()
    return {"price": returned, "rows in the table afterwards": left}


OBSERVE = {"01.1": dear, "01.2": price_of}
