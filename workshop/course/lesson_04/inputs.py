"""The author's side of lesson 04: what answers are tried on, known slips, right answers in other words."""

from __future__ import annotations

from random import Random
from typing import Any

TOPICS = (
    "vector stores",
    "retries",
    "tracing",
    "evaluation",
    "memory",
    "budgets",
    "caching",
    "handoffs",
    "gates",
)
LATE = 300
"""Steps of the event loop: hundreds of short branches fit into the time of a slow one."""


def _plan(draw: Random, topics: list[str], name: str = "researcher") -> dict[str, dict[str, Any]]:
    return {
        topic: {
            "text": f"The {name} found {draw.randint(1_000, 9_999)} facts on {topic}.",
            "steps": draw.randint(1, 4),
        }
        for topic in topics
    }


def limits(draw: Random) -> dict[str, list[Any]]:
    """Places enough for all; fewer; and many branches beside a slow one."""
    return {
        "places enough": [_fan(draw, 4, 6), _fan(draw, draw.randint(3, 6), draw.randint(6, 9))],
        "fewer places": [_fan(draw, draw.randint(7, 9), draw.randint(2, 4)) for _ in range(2)],
        "free places": [_fan(draw, 9, draw.randint(2, 4))],
    }


def _fan(draw: Random, many: int, limit: int) -> dict[str, Any]:
    topics = draw.sample(TOPICS, many)
    plan = _plan(draw, topics)
    plan[topics[0]]["steps"] = LATE
    why = f"no shelf {draw.randint(100, 999)}"
    plan[topics[1]]["ends"] = {"status": "failed", "reason": why}
    return {
        "about": f"{many} jobs, limit {limit}; the first is slow, the second fails",
        "topics": topics,
        "plan": plan,
        "limit": limit,
    }


def topics(draw: Random) -> dict[str, list[Any]]:
    """Branches that end in another order than they were asked; then one raises, and one returns half a work."""
    return {
        "all": [_found(draw, trouble=False) for _ in range(2)],
        "gaps": [_found(draw, trouble=True) for _ in range(2)],
    }


def _found(draw: Random, *, trouble: bool) -> dict[str, Any]:
    names = sorted([*draw.sample(TOPICS, draw.randint(4, 6)), "the MCP registry"], reverse=True)
    names.insert(1, names.pop())  # neither sorted nor reversed
    plan = _plan(draw, names)
    for index, name in enumerate(names):
        plan[name]["steps"] = 12 * (len(names) - index)  # the last one ends first
    reasons: dict[str, str] = {}
    if trouble:
        raised, stopped = draw.sample(names[:-1], 2)
        reasons[raised] = f"shelf {draw.randint(100, 999)} cannot be reached"
        reasons[stopped] = f"its budget of {draw.randint(100, 999)} calls is used up"
        plan[raised]["raises"] = reasons[raised]
        half = f"Half a fact on {stopped}"
        plan[stopped]["ends"] = {"status": "exhausted", "output": half, "reason": reasons[stopped]}
    failures = (
        "; ".join(f"{name}: {why}" for name, why in reasons.items()) or "every branch delivers"
    )
    return {
        "about": f"the last topic is done first; {failures}",
        "topics": names,
        "plan": plan,
    }


def delays(draw: Random) -> dict[str, list[Any]]:
    """Branches of which none, one or several take longer than the limit, and one fails."""
    return {
        "in time": [
            _timed(draw, 0, fails=True),
            _timed(draw, 0, fails=True, longest=draw.randint(12, 30)),
        ],
        "late": [_timed(draw, 1, fails=False) for _ in range(2)],
        "several": [_timed(draw, 2, fails=True)],
    }


def _timed(draw: Random, late: int, *, fails: bool, longest: int = 0) -> dict[str, Any]:
    names = draw.sample(TOPICS, draw.randint(4, 6))
    plan, backup = _plan(draw, names), _plan(draw, names, "backup")
    seconds = longest or draw.randint(11, 30) / 10
    slow = draw.sample(names[:-1], late)
    for name in names:
        plan[name]["seconds"] = round(seconds * draw.uniform(0.5, 0.8), 3)
    for name in slow:
        backup[name]["seconds"] = round(seconds * draw.uniform(1.5, 3), 3)
        plan[name]["seconds"] = 40.0
        plan[name]["half"] = f"Half a fact on {name}"
    why = f"no shelf {draw.randint(100, 999)}"
    broken = next(name for name in names if name not in slow)
    if fails:
        plan[broken]["ends"] = {"status": "failed", "reason": why, "transient": True}
    about = f"{len(names)} jobs with {seconds:g} seconds each; late: {', '.join(slow) or 'none'}"
    about += f"; {broken} fails: {why}" if fails else ""
    return {
        "about": about,
        "topics": names,
        "plan": plan,
        "backup": backup,
        "context": f"for edition {draw.randint(100, 999)}",
        "seconds": seconds,
    }


INPUTS = {"04.1": limits, "04.2": topics, "04.3": delays, "04.t1": topics}
