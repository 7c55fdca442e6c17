"""The author's side of lesson 26: what answers are tried on, known slips, right answers in other words."""

from __future__ import annotations

from random import Random
from typing import Any

TOPICS = ("tracing", "memory", "budgets", "caching", "handoffs", "gates", "retries", "plans")


def fan_outs(draw: Random) -> dict[str, list[Any]]:
    """All workers live; some are lost once; one is lost each time; a branch has a bug."""
    tasks = [f"facts on {topic}" for topic in draw.sample(TOPICS, draw.randint(4, 6))]
    steps = draw.sample(range(1, 10), len(tasks))  # no two end at the same time
    slow = {task: count for task, count in zip(tasks, steps, strict=True)}
    slow[tasks[0]] = 20  # what was given first ends last
    first, second, third = draw.sample(tasks, 3)
    bug = f"shelf {draw.randint(100, 999)} cannot be read"
    gone = ["lost"] * 5

    def case(about: str, fates: dict[str, list[str]], attempts: int = 2, **other: Any) -> Any:
        given = {"tasks": tasks, "steps": slow, "fates": fates, "attempts": attempts}
        return {"about": about, **given, **other}

    once = {first: ["lost", "ok"]}
    many = [f"part {number}" for number in range(10)]
    return {
        "moves": [
            case("three tasks, and every worker lives", {}, tasks=tasks[:3]),
            case("the task given first ends last", {}),
            case("ten tasks", {}, tasks=many, steps=dict.fromkeys(many, 3)),
            case("one task is given twice", {}, tasks=[*tasks[:3], tasks[1]]),
            case("a worker's result is a failure", {first: ["failed"]}),
        ],
        "a worker dies": [
            case("one worker dies", once),
            case("two workers die", {**once, second: ["lost", "ok"]}, 3),
            case(
                "every task loses one worker",
                {task: ["lost", "ok"] for task in tasks},
                steps=dict.fromkeys(tasks, 5),
            ),
        ],
        "gives up": [
            case("one task loses each worker that it gets", {third: gone}, draw.randint(3, 4)),
            case("a worker dies, and there is one attempt only", {third: gone}, 1),
        ],
        "a bug": [
            case("one branch fails by itself", {second: [bug]}),
            case(
                "one branch fails by itself, another loses its worker", {second: [bug], **once}, 3
            ),
            case("it is cancelled while the workers work", {}, 3, is_cancelled=True),
        ],
    }


INPUTS = {"26.1": fan_outs}
