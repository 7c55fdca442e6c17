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


# ── 26.2 ──────────────────────────────────────────────────────────────────────────────────────────


def leases(draw: Random) -> dict[str, list[Any]]:
    """Branches that need less than their part, more, and those that lose their worker."""
    topic = draw.choice(("pgvector", "Qdrant", "Milvus", "tracing", "evaluation"))
    part = draw.randint(5, 8)
    plenty = part + draw.randint(6, 20)

    def attempt(calls: int, ends: str = "ok") -> dict[str, Any]:
        return {"calls": calls, "ends": ends, "process": draw.randint(1000, 9999)}

    def case(
        about: str,
        *attempts: dict[str, Any],
        left: int = plenty,
        times: int = 2,
        before: int = 0,
        stops: bool = False,
    ) -> dict[str, Any]:
        return {
            "about": about,
            "task": f"Find facts on {topic}",
            "attempts": [*attempts],
            "left": left,
            "calls": part,
            "times": times,
            "before": before,
            "stops": stops,
        }

    few = draw.randint(1, part - 3)
    return {
        "holds": [
            case("the branch needs less than its part", attempt(few)),
            case("the run has sent calls before", attempt(few), before=draw.randint(2, 4)),
            case("the branch needs more than its part", attempt(part + 2)),
            case("the branch fails by itself", attempt(few, "failed")),
        ],
        "small": [
            case("the purse has less than was asked for", attempt(few), left=part - 1),
            case("the purse has less than the branch needs", attempt(3), left=2),
            case("the purse is empty", attempt(few), left=0),
        ],
        "lost": [
            case("its worker is lost once", attempt(few, "lost"), attempt(2)),
            case("its worker is lost each time", attempt(1, "lost"), attempt(1, "lost"), times=3),
            case("the rest is too small", attempt(part - 1, "lost"), attempt(2)),
            case("its worker is lost, and nothing is left", attempt(part, "lost"), attempt(1)),
            case("there is one attempt only", attempt(few, "lost"), times=1),
        ],
        "always": [
            case("there is a bug in the branch", attempt(few, "bug")),
            case("it is cancelled while the branch waits", attempt(few, "waits"), stops=True),
        ],
    }


INPUTS = {"26.1": fan_outs, "26.2": leases}
