"""Trials of lesson 00: the order of the handoffs, and what another topic changes in a run."""

from __future__ import annotations

from copy import deepcopy
from random import Random
from typing import Any

from .trial import Trial, call

TEAM = ("researcher", "writer", "reviewer")
FACTS = ("who", "writer got", "order", "calls", "documents")


def orders(who_gets_work: Any, draw: Random, *ranges: range) -> dict[str, Any]:
    """The list for drafts that come back so many times, one number from each range."""
    seen = {}
    for some in ranges:
        times = draw.choice(some)
        came = call(who_gets_work, times)
        seen[f"sent back {times}"] = list(came) if type(came) is tuple else came
    return seen


def facts(draw: Random) -> dict[str, Any]:
    """What could be counted in a run, as the lesson names it."""
    team = draw.sample(TEAM, draw.randint(1, 3))
    return {"who": team, "writer got": draw.sample(("facts", "style", "draft"), draw.randint(1, 2)),
            "order": draw.choices(team, k=draw.randint(3, 9)), "calls": draw.randint(3, 30),
            "documents": sorted(f"{draw.choice(('qdrant', 'mcp', 'dask'))}-{draw.randint(1, 99)}" for _ in range(3))}


def changes(what_changed: Any, draw: Random, *sizes: int) -> list[Any]:
    """The names found for pairs of runs that differ in so many facts; their order is free."""
    seen = []
    for size in sizes:
        first = facts(draw)
        second = deepcopy(first)
        for name in draw.sample(FACTS, size):
            while second[name] == first[name]:
                second[name] = facts(draw)[name]
        came = call(what_changed, first, second)
        names = type(came) in (list, tuple, set) and all(type(it) is str for it in came)
        seen.append([f"{first['calls']} calls, {second['calls']} calls", sorted({*came}) if names else {"no names": came}])
    return seen


TRIALS = {
    "00.1": (
        Trial(title="the order for drafts that come back a few times", points=1,
              observe=lambda answer, draw: orders(answer, draw, range(1), range(1, 2), range(2, 40))),
        Trial(title="the order for drafts that come back often", points=1, hidden=True,
              observe=lambda answer, draw: orders(answer, draw, range(40, 80), range(3, 20))),
    ),
    "00.2": (
        Trial(title="finds each fact that differs", points=1, observe=lambda answer, draw: changes(answer, draw, 1, 3, 2, 4)),
        Trial(title="runs that are alike, and runs that differ in everything", points=1, hidden=True,
              observe=lambda answer, draw: changes(answer, draw, *draw.sample([0, 5, 1, 3], 4))),
    ),
}
