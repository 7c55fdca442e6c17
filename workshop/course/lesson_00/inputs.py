"""The author's side of lesson 00: what answers are tried on, known slips, right answers in other words."""

from __future__ import annotations

from copy import deepcopy
from random import Random
from typing import Any

TEAM = ("researcher", "writer", "reviewer")
FACTS = ("who", "writer got", "order", "calls", "documents")


def orders(draw: Random) -> dict[str, list[Any]]:
    """Drafts that come back a few times, and often."""
    few, often = [2, 0, 1, draw.randint(3, 39)], [draw.randint(40, 80), draw.randint(3, 20)]
    return {
        name: [{"sent_back": times} for times in several]
        for name, several in (("a few", few), ("often", often))
    }


def pairs(draw: Random) -> dict[str, list[Any]]:
    """Two runs that differ in one fact or several; in none, in all."""
    some = [_pair(draw, draw.sample(FACTS, size)) for size in (1, 3, 2, 4)]
    usual = _pair(draw, ["order", "calls", "documents"])
    ends = [_pair(draw, draw.sample(FACTS, size)) for size in draw.sample([0, 5, 1, 3], 4)]
    return {
        "some": [usual, *some, _crossed(draw), _turned(draw)],
        "ends": [*ends, _crossed(draw), _turned(draw)],
    }


def _crossed(draw: Random) -> dict[str, Any]:
    """Draws two runs: a value of the first stands under another name in the second, and the digits
    of one number are a part of the other's.
    """
    pair = _pair(draw, [])
    pair["second"]["calls"] = int(f"1{pair['first']['calls']}")
    pair["about"] = _about(pair)
    team = draw.sample(TEAM, 3)
    pair["first"] |= {"who": team, "order": [*team, *team[1:]]}
    pair["second"] |= {"who": team[:2], "order": team}
    return pair


def _turned(draw: Random) -> dict[str, Any]:
    """Two facts hold the same names in another order."""
    pair = _pair(draw, ["documents"])
    team = draw.sample(TEAM, 3)
    pair["first"] |= {"who": team, "order": [*team, *team[1:]]}
    pair["second"] |= {"who": team[::-1], "order": [*team[1:], *team]}
    return pair


def _pair(draw: Random, names: list[str]) -> dict[str, Any]:
    first = _facts(draw)
    second = deepcopy(first)
    for name in names:
        while second[name] == first[name]:
            second[name] = _facts(draw)[name]
    pair = {"first": first, "second": second}
    return {**pair, "about": _about(pair)}


def _about(pair: dict[str, Any]) -> str:
    return f"the runs made {pair['first']['calls']} and {pair['second']['calls']} calls"


def _facts(draw: Random) -> dict[str, Any]:
    """Draws the facts that could be counted in a run, by their names in the lesson."""
    team = draw.sample(TEAM, draw.randint(1, 3))
    topics = [draw.choice(("qdrant", "mcp", "dask")) for _ in range(3)]
    return {
        "who": team,
        "writer got": draw.sample(("facts", "style", "draft"), draw.randint(1, 2)),
        "order": draw.choices(team, k=draw.randint(3, 9)),
        "calls": draw.randint(3, 30),
        "documents": sorted(f"{topic}-{draw.randint(1, 99)}" for topic in topics),
    }


INPUTS = {"00.1": orders, "00.2": pairs}
