"""The author's side of lesson 22: what answers are tried on, known slips, right answers in other words."""

from __future__ import annotations

from random import Random
from typing import Any

IDS = ("breaker-pattern", "breaker-polly", "retry-budget", "retry-after")
IDS_WITH_DIGITS = ("http-429", "fts5-rank")
FAULTS = ("a number", "a name", "no citation", "wrong citation", "an invention")


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


def judgements(draw: Random) -> dict[str, list[Any]]:
    """Marks of a judge for good and for spoiled drafts, and how many false alarms are allowed."""
    name, other, *unseen = draw.sample(FAULTS, 5)
    first, second, third = sorted(unseen)
    low, middle, high = (
        draw.randint(20, 35),
        draw.randint(50, 60),
        draw.randint(88, 95),
    )
    good = [["", high], ["", high + 3], ["", 100]]
    seen = [[name, low], [other, middle], [other, middle + 3]]
    blind = [[third, 100], [third, 100]]
    blinder = [[fault, 100] for fault in (second, third, first)]
    part = [[name, middle], [name, 100], [other, low]]
    tempting = [["", middle], *good, [name, low], [other, high - 1]]
    many = [
        ["", middle],
        ["", middle + 10],
        ["", high + 3],
        [name, low],
        [name, low + 3],
        [other, middle + 5],
        [other, middle + 8],
        [other, high + 1],
    ]
    useless = [["", middle], *good, [name, low], [other, low + 5]]

    def case(about: str, marks: list[Any], limit: int) -> Any:
        return {"about": about, "marks": draw.sample(marks, len(marks)), "most": limit}

    more = {"about": "three faults are never noticed", "marks": [*good, *seen, *blinder], "most": 0}

    return {
        "catches": [
            case("good and spoiled drafts lie apart", [*good, *seen], 0),
            case("a spoiled draft has the mark of a good one", [*good, *seen, [other, high]], 0),
            case("only a full mark is a good draft's", [["", 100], [name, 99], [other, low]], 0),
        ],
        "false alarms": [
            case("a good draft has a low mark; no false alarm is allowed", tempting, 0),
            case("a good draft has a low mark; one false alarm is allowed", tempting, 1),
            case("one false alarm is allowed, and it buys nothing", useless, 1),
            case("two good drafts have low marks; one false alarm is allowed", many, 1),
        ],
        "blind": [
            case("one fault is never noticed", [*good, *seen, *blind], 0),
            more,
            case("one fault is noticed in one draft of two", [*good, *part], 0),
        ],
        "nothing to catch": [case("the judge notices nothing", [*good, *blind], 0)],
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


INPUTS = {"22.1": answers, "22.2": judgements, "22.3": changes}
