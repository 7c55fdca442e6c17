"""The author's side of lesson 18: what answers are tried on, known slips, right answers."""

from __future__ import annotations

from random import Random
from typing import Any

TOPICS = ("pgvector", "Qdrant", "MCP", "tracing", "retries", "caching", "evaluation", "tokens")
SECTIONS = ("databases", "protocols", "operations", "quality")


def member(draw: Random, topic: str, *, status: str = "ok", half: bool = False) -> dict[str, Any]:
    """A specialist on one topic; one that fails may have half of its work."""
    name = f"{topic}-researcher"
    if status == "raises":
        return {"name": name, "result": {"raises": f"no answer from port {draw.randint(100, 999)}"}}
    result: dict[str, Any] = {"status": status}
    if status == "ok" or half:
        result["output"] = f"{draw.randint(100, 999)} words on {topic}"
        result["artifacts"] = {f"facts on {topic}": f"- {draw.randint(100, 999)} facts."}
    if status != "ok":
        result["reason"] = f"the library of {topic} is closed ({draw.randint(100, 999)})"
    return {"name": name, "result": result}


def teams(
    draw: Random,
    about: str,
    broken: dict[int, bool],
    *,
    flat: int = 0,
    raises: int | None = None,
    ends: str = "failed",
) -> dict[str, Any]:
    """Two sections of two or three; `broken`: which member fails, and whether it has half its work.

    flat: how many members of the chief are specialists themselves. raises: which member raises.
    ends: the status of those in `broken`.
    """
    topics = draw.sample(TOPICS, 5 + flat)
    people = []
    for number, topic in enumerate(topics):
        status = ends if number in broken else "ok"
        status = "raises" if number == raises else status
        people.append((topic, member(draw, topic, status=status, half=broken.get(number, False))))
    members: dict[str, Any] = {}
    for section, part in zip(draw.sample(SECTIONS, 2), (people[:2], people[2:5]), strict=True):
        members[section] = {"name": f"{section}-lead", "members": dict(part)}
    members |= dict(people[5:])
    task = f"Report on the state of {draw.randint(100, 999)} projects"
    return {"about": about, "task": task, "members": members}


def two_levels(draw: Random) -> dict[str, list[Any]]:
    """Teams in which all deliver, some do not, and a specialist stands beside leads."""
    one = draw.randrange(5)
    return {
        "all": [
            teams(draw, "two leads; everybody delivers", {}),
            teams(draw, "a specialist beside the leads", {}, flat=1),
        ],
        "gaps": [
            teams(draw, "one specialist fails", {one: False}),
            teams(draw, "two specialists fail, one with half of its work", {0: True, 3: False}),
            teams(draw, "one specialist raises an error", {}, raises=one),
            teams(draw, "a limit stops one specialist half-way", {one: True}, ends="exhausted"),
            teams(draw, "one specialist refuses the work", {one: False}, ends="refused"),
        ],
        "evidence": [teams(draw, "one fails with half of its work", {one: True}, flat=2)],
    }


INPUTS = {"18.1": two_levels}
