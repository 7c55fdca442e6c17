"""The author's side of lesson 18: what answers are tried on, known slips, right answers."""

from __future__ import annotations

from random import Random
from typing import Any, Literal

TOPICS = ("pgvector", "Qdrant", "MCP", "tracing", "retries", "caching", "evaluation", "tokens")
SECTIONS = ("databases", "protocols", "operations", "quality")


Half = bool | Literal["facts"]
"""True if a member that fails has half of its work, "facts" if it has the facts only."""


def member(draw: Random, topic: str, *, status: str = "ok", half: Half = False) -> dict[str, Any]:
    """A specialist on one topic, whose name does not say it; one that fails may have half of its
    work."""
    name = f"researcher-{1 + TOPICS.index(topic)}"
    if status == "raises":
        return {"name": name, "result": {"raises": f"no answer from port {draw.randint(100, 999)}"}}
    result: dict[str, Any] = {"status": status}
    if status == "ok" or half is True:
        result["output"] = f"{draw.randint(100, 999)} words on {topic}"
    if status == "ok" or half:
        result["artifacts"] = {f"facts on {topic}": f"- {draw.randint(100, 999)} facts."}
    if status != "ok":
        result["reason"] = f"the library is closed ({draw.randint(100, 999)})"
    return {"name": name, "result": result}


def teams(
    draw: Random,
    about: str,
    broken: dict[int, Half],
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
    parts = (people[:2], people[2:5])
    for number, section in enumerate(draw.sample(SECTIONS, 2)):
        members[section] = {"name": f"lead-{number + 1}", "members": dict(parts[number])}
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
        "evidence": [
            teams(draw, "one fails with half of its work", {one: True}, flat=2),
            teams(draw, "one fails with its facts, and without a text", {one: "facts"}, flat=1),
        ],
    }


def spender(
    draw: Random, topic: str, needs: int, *, ends: str = "ok", half: bool = True
) -> dict[str, Any]:
    """A member that needs so many calls, and ends so when it has them; `half`: else it has half
    of its text."""
    made = member(draw, topic, status=ends)
    text = f"{draw.randint(10, 99)} words, not finished" if half else None
    return {"name": made["name"], "needs": needs, "result": made["result"], "half": text}


def office(
    draw: Random,
    about: str,
    needs: list[int],
    calls: int,
    *,
    ends: dict[int, str] | None = None,
    editor: str = "ok",
    half: bool = True,
) -> dict[str, Any]:
    """Members that need so many calls each, and an editor. `ends`: who does not end as ok."""
    topics = draw.sample(TOPICS, len(needs))
    members = {}
    for number, (topic, needed) in enumerate(zip(topics, needs, strict=True)):
        status = (ends or {}).get(number, "ok")
        members[topic] = spender(draw, topic, needed, ends=status, half=half)
    written: dict[str, Any] = {
        "status": editor,
        "output": f"A brief of {draw.randint(9, 99)} lines",
    }
    if editor != "ok":
        written = {"status": editor, "reason": f"the editor is ill ({draw.randint(100, 999)})"}
    task = f"Report on the state of {draw.randint(100, 999)} projects"
    return {"about": about, "task": task, "members": members, "editor": written, "calls": calls}


def budgets(draw: Random) -> dict[str, list[Any]]:
    """Calls that can be divided, calls that cannot, and members that need more than there is."""
    two = draw.randint(2, 4)
    short = draw.choice([0, 1, 2])
    greedy = [2, 2, 2]
    greedy[short] = 9
    mixed = [2, 2, 9, 2]
    return {
        "shares": [
            office(draw, "two members, and calls that divide evenly", [1, 1], 2 * two + 1),
            office(draw, "five members, and two calls left over", [1] * 5, 5 * two + 3),
            office(draw, "four members, and three calls left over", [1] * 4, 4 * two + 4),
            office(draw, "three members, and one call left over", [1] * 3, 3 * two + 2),
            office(draw, "a single member", [1], two + 1),
        ],
        "gaps": [
            office(draw, "one member needs more than its share, and has half a text", greedy, 10),
            office(
                draw,
                "one member needs more than its share, and has no text",
                greedy,
                10,
                half=False,
            ),
            office(
                draw,
                "one fails, a later one needs more than its share",
                mixed,
                13,
                ends={0: "failed"},
            ),
            office(draw, "one member raises an error", [2, 2, 2], 10, ends={short: "raises"}),
            office(
                draw,
                "one needs more than its share, the last one asks a person",
                [9, 2, 2],
                10,
                ends={2: "paused"},
            ),
        ],
        "edges": [
            office(draw, "the editor fails", [2, 2, 2], 10, editor="failed"),
            office(draw, "more members than calls", [1] * 5, 4),
            office(draw, "one refuses the work", [2] * 3, 10, ends={short: "refused"}),
        ],
    }


INPUTS = {"18.1": two_levels, "18.2": budgets}
