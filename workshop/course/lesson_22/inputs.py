"""The author's side of lesson 22: what answers are tried on, known slips, right answers in other words."""

from __future__ import annotations

from random import Random
from typing import Any

IDS = ("breaker-pattern", "breaker-polly", "retry-budget", "retry-after")
IDS_WITH_DIGITS = ("http-429", "fts5-rank")


def answers(draw: Random) -> dict[str, list[Any]]:
    """Answers whose sentences cite known sources, unknown ones, several, or none."""
    known = [*draw.sample(IDS, 3), draw.choice(IDS_WITH_DIGITS)]
    first, second, third, digits = known
    strange = f"{first}-{draw.randint(10, 99)}"
    shorter = first.rpartition("-")[0]

    def sentence(*sources: str) -> str:
        cited = "".join(f" [{id}]" for id in sources)
        return f"Limit {draw.randint(10, 99)}.5 holds{cited}."

    def case(about: str, *lines: str) -> Any:
        return {"about": about, "answer": "\n\n".join(lines), "known": known}

    bare = [sentence()] * draw.randint(2, 3)
    middle = f"Limit 4 [{second}] holds, too."
    return {
        "cited": [
            case(
                "two sentences of three cite a source",
                sentence(digits),
                sentence(second),
                sentence(),
            ),
            case("every sentence cites a source", sentence(first), sentence(first), middle),
            case("two sentences share a line", f"{sentence(first)} {sentence()}", sentence()),
        ],
        "known sources": [
            case(
                "one source is not in the library",
                sentence(first),
                sentence(strange),
                sentence(second),
            ),
            case(
                "one sentence cites an unknown source, one none",
                sentence(first),
                sentence(strange),
                sentence(),
            ),
            case(
                "a sentence cites two, one is unknown",
                sentence(first, strange),
                sentence(second, third),
            ),
            case(
                "the unknown one is named first",
                sentence(shorter, third),
                sentence(first),
                sentence(third),
            ),
        ],
        "counts sentences": [
            case("one sentence cites three sources", sentence(first, second, third), *bare),
            case("there is a title", "# On limits", sentence(first), sentence(second), *bare),
            case("the title is a question", "# Why is there a limit?", sentence(first), *bare),
            case("a sentence is a question", f"Why is there a limit? {sentence(first)}", *bare),
            case("a sentence cites all that is known", sentence(*known), *bare),
        ],
        "no answer": [
            case("the answer is empty"),
            case("there is only a title", "# On limits"),
            case("below the title stands one sentence", "# On limits", sentence(first)),
        ],
    }


def two_designs(draw: Random) -> dict[str, list[Any]]:
    """Two designs on tasks and seeds: with answers, with half ones, and with none."""
    names = draw.sample(("one agent", "team", "pair", "desk"), 2)
    topics = draw.sample(("pgvector", "Qdrant", "Milvus", "tracing", "backoff", "MCP"), 3)
    tasks = [f"Write a brief on {topic}" for topic in topics]
    seeds = draw.sample(range(1, 90, 3), 3)

    def case(about: str, tasks: list[str], seeds: list[int], **ends: Any) -> dict[str, Any]:
        """ends: by "at_0_1_2", the fields of what design 0 makes of task 1 under the seed at place 2."""
        marks: dict[str, float] = {}
        answers: list[dict[str, Any]] = [{}, {}]
        for design in (0, 1):
            for number, task in enumerate(tasks):
                for place, seed in enumerate(seeds):
                    text = f"Draft {draw.randint(100, 999)} of {names[design]}."
                    own = {"status": "ok", "output": text}
                    own |= ends.get(f"at_{design}_{number}_{place}", {})
                    answers[design][f"{task} {seed}"] = own
                    mark = draw.randint(4 + 2 * number, 9 + 3 * number + 3 * design) / 20
                    marks[f"{task} {own['output']}"] = mark
        return {
            "about": about,
            "names": names,
            "answers": answers,
            "tasks": tasks,
            "seeds": seeds,
            "marks": marks,
        }

    number = draw.randint(100, 999)
    gone = {"status": draw.choice(("failed", "refused")), "output": "", "reason": f"fault {number}"}
    blank = {"status": "ok", "output": " \n"}
    half = {"status": "exhausted", "output": f"Half of draft {number}.", "reason": "a limit"}
    return {
        "pairs": [
            case("two tasks, each under one seed", tasks[:2], seeds[:1]),
            case("three tasks, each under one seed", tasks, seeds[1:2]),
        ],
        "conditions": [case("two tasks under two seeds", tasks[:2], seeds[:2])],
        "cases": [
            case("two tasks under three seeds", tasks[1:], seeds),
            case("one task under three seeds", tasks[:1], seeds),
        ],
        "failures": [
            case("the second design fails once", tasks[:2], seeds[:2], at_1_0_1=gone),
            case("the first design fails once", tasks[:2], seeds[:2], at_0_1_0=gone),
            case("an answer is cut by a limit", tasks[:2], seeds[:2], at_1_1_0=half),
            case("an answer has blanks only", tasks[:2], seeds[:2], at_0_0_1=blank),
            case("both fail once", tasks[:2], seeds[:1], at_0_1_0=gone, at_1_1_0=gone),
        ],
    }


def changes(draw: Random) -> dict[str, list[Any]]:
    """Changes that keep the item, lose a little, lose much, or cannot be told."""
    cases = [f"case {number}" for number in range(1, 9)]
    item, second = draw.sample(("length", "carried", "cited", "covered"), 2)

    def case(about: str, losses: list[float], tolerated: float, other: float = 0.0) -> Any:
        today: dict[str, Any] = {}
        change: dict[str, Any] = {}
        for name, loss in zip(cases, draw.sample(losses, len(losses)), strict=True):
            facts = draw.randint(60, 80) / 100
            today[name] = [{second: 0.5, item: facts} for _ in range(2)]
            lost = round(facts - loss, 4)
            risen = round(0.5 + other, 4)
            change[name] = [{second: risen, item: lost} for _ in range(2)]
        return {
            "about": about,
            "today": today,
            "change": change,
            "item": item,
            "tolerated": tolerated,
        }

    step = draw.randint(18, 22) / 100
    small = [0.06, 0.07, 0.06, 0.07, 0.06, 0.07, 0.06, 0.07]
    mixed = [step, -step, step + 0.1, -step, step, -step + 0.02, step, 0.0]
    sure = [step, step + 0.05, step, step - 0.05, step, step + 0.02, step - 0.02, -0.02]
    uneven = [0.02, 0.1, 0.02, 0.1, 0.03, 0.09, 0.02, 0.1]
    none = [0.0, 0.06, 0.0, -0.02, 0.0, 0.01, -0.02, 0.0]
    once = [0.4, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    lucky = [-0.3, 0.25, -0.3, 0.2, -0.05, 0.15, 0.1, -0.2]
    return {
        "stops": [
            case("the item falls on all cases but one", sure, 0.03),
            case("it falls while another item rises", sure, 0.03, other=0.45),
            case("it falls for sure, perhaps by more than is tolerated", uneven, 0.05),
        ],
        "ships": [
            case("it falls on one case only", none, 0.03),
            case("it falls for sure, but by less than is tolerated", small, 0.1),
        ],
        "more cases": [
            case("it falls on average, and nobody can tell", mixed, 0.03),
            case("it rises on average, and nobody can tell", lucky, 0.03),
            case("it falls by much on one case of eight, and stays on the others", once, 0.03),
        ],
        "gains": [
            case("the item rises on all cases but one", [-loss for loss in sure], 0.0),
            case("it rises for sure, by less than is tolerated", [-loss for loss in small], 0.1),
        ],
    }


INPUTS = {"22.1": answers, "22.2": two_designs, "22.3": changes}
