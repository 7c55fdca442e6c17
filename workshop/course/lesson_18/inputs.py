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


WORKERS = ("researcher", "writer", "reviewer", "editor", "planner", "translator", "librarian")


def trace(about: str, task: str, steps: list[Any], status: str = "ok") -> dict[str, Any]:
    """What a manager hands over, step by step: worker, intent, artifacts, how the worker ends."""
    return {"about": about, "task": task, "steps": steps, "status": status}


def traces(draw: Random) -> dict[str, list[Any]]:
    """Each manager, the good one, and good ones that look like a bad one."""
    task = f"Write a brief on {draw.choice(TOPICS)}"
    people = draw.sample(WORKERS, 7)
    one, two, three, four = people[:4]
    text = f"- {draw.randint(100, 999)} facts."

    def step(worker: str, number: int, status: str = "ok", **artifacts: str) -> list[Any]:
        return [worker, f"Do part {number} of {draw.randint(100, 999)}", artifacts, status]

    many = [step(one, 0), *(step(two, n) for n in range(1, draw.randint(7, 9)))]
    drafts = [f"Draft {number} of {draw.randint(100, 999)}." for number in range(4)]
    named_alike = [step(worker, n, draft=drafts[n]) for n, worker in enumerate(people[:4])]
    same_reader = [step(one, 0), *(step(two, n, facts=text) for n in range(1, 4))]
    others = [step(two, 1, facts=text), step(three, 2, report=text), step(four, 3, notes=text)]
    crowded = [*many, *others]
    in_turns = [each for n in range(6) for each in (step(one, n), step(two, n + 6))]
    second = [step(worker, n, own=drafts[n], shared=text) for n, worker in enumerate(people[:3])]
    alone = [[one, task, {}, "failed"]]
    lost = [*others[:2], [four, "Do part 9", {"notes": text}, "failed"]]
    went_on = [step(one, 0), step(two, 1, "failed"), step(three, 2), step(four, 3)]
    found = {
        "signs": [
            trace("one worker gets many small handoffs", task, many),
            trace("one handoff, with the task unchanged", task, [[one, task, {}, "ok"]]),
            trace("one text goes to three workers", task, [step(one, 0), *others]),
            trace("the last one who was asked fails", task, went_on[:2], "failed"),
            trace(
                "three workers, a part each", task, [step(w, n) for n, w in enumerate(people[:3])]
            ),
        ],
        "close": [
            trace(
                "seven workers, one handoff each", task, [step(w, n) for n, w in enumerate(people)]
            ),
            trace("five handoffs to one worker", task, [step(two, n) for n in range(5)]),
            trace("six handoffs to one worker", task, [step(two, n) for n in range(6)]),
            trace("seven handoffs to the only worker", task, [step(two, n) for n in range(7)]),
            trace("one handoff, with a new intent", task, [step(one, 0)]),
            trace("one handoff, with a part of the task", task, [[one, task[:-5], {}, "ok"]]),
            trace("one handoff, with more than the task", task, [[one, f"{task} now", {}, "ok"]]),
            trace(
                "one text goes to four workers",
                task,
                [[one, "Start", {"all": text}, "ok"], *others],
            ),
            trace("one text goes to two workers", task, others[:2]),
            trace("six handoffs to each of two workers, in turns", task, in_turns),
            trace("one text to three workers, each time behind another one", task, second),
            trace("many handoffs to one worker, and one text to three", task, crowded),
            trace("the task unchanged to one worker, which fails", task, alone, "failed"),
            trace("one text to three workers; the last one fails", task, lost, "failed"),
            trace("one text, under three names, to three workers", task, others),
            trace("one text goes three times to one worker", task, same_reader),
        ],
        "trouble": [
            trace("a worker fails, others are asked after it", task, went_on, "failed"),
            trace("the last one fails, and the manager does without", task, went_on[:2]),
            trace("four texts under one name", task, named_alike),
            trace("the first one who was asked fails", task, [step(three, 0, "failed")], "failed"),
            trace(
                "the manager ends early by itself", task, [step(one, 0), step(two, 1)], "exhausted"
            ),
            trace(
                "the last one is stopped by a limit",
                task,
                [step(one, 0), step(two, 1), step(four, 2, "exhausted")],
                "exhausted",
            ),
            trace("the manager fails and has handed over nothing", task, [], "failed"),
            trace(
                "the task unchanged to two workers",
                task,
                [[one, task, {}, "ok"], [two, task, {}, "ok"]],
            ),
        ],
    }
    for cases in found.values():
        draw.shuffle(cases)
    return found


INPUTS = {"18.1": two_levels, "18.2": traces}
