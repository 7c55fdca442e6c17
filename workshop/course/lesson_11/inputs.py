"""The author's side of lesson 11: drafts, gates and issues, and what people get wrong about them."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

THINGS = ("orders", "tickets", "parcels", "mugs", "letters", "returns")


def drafts(draw: Random) -> dict[str, list[Any]]:
    """Drafts with a sentence without a source, with an unknown one, with several faults, with none."""
    known = [f"log-{draw.randint(10, 99)}", f"row-{draw.randint(10, 99)}"]
    ghost = f"mail-{draw.randint(10, 99)}"

    def sentence(source: str = "") -> str:
        words = f"{draw.randint(100, 999)} {draw.choice(THINGS)} are odd"
        return f"{words} [{source}]." if source else f"{words}."

    def case(about: str, *sources: str, note: str = "", again: bool = False) -> dict[str, Any]:
        """note: a bracket inside of each sentence; again: the first sentence comes once more."""
        sources = (*sources, *sources[:1]) if again else sources
        lines = [sentence(source) for source in sources]
        lines = [*lines[:-1], lines[0]] if again else lines
        lines = [line.replace("are odd", f"[{note}] are odd") if note else line for line in lines]
        return {"about": about, "draft": "\n".join(lines), "sources": known}

    return {
        "no source": [
            case("the second sentence has no source", known[0], "", known[1]),
            case("nothing is wrong", known[1], known[0]),
            case("two sentences cite one source, and nothing is wrong", known[0], known[0]),
        ],
        "unknown source": [
            case("the last source is unknown", known[0], ghost),
            case("the first source is unknown", ghost, known[1], known[0]),
            case("a bracket inside, and an unknown source at the end", ghost, note=known[0]),
            case("a bracket inside, and a known source at the end", known[0], note="sic"),
            case("a part of a source's name is no source", known[0][:-1], known[1]),
            case("an unknown source begins like a known one", f"{known[0]}7", known[1]),
        ],
        "several": [
            case("three sentences are wrong", "", ghost, known[0], ""),
            case("the same wrong sentence twice", ghost, known[0], again=True),
        ],
    }


def checks(draw: Random) -> dict[str, list[Any]]:
    """Gates in any order; some of them object."""
    names = draw.sample(("length", "style", "facts", "tests", "critic", "lawyer"), 4)
    names[:2] = sorted(names[:2])  # given in another order than that of the alphabet
    costs = [0.0, 0.0, draw.randint(1, 4) / 1000, draw.randint(5, 9) / 1000]
    paid = draw.randint(2, 4) / 1000
    above = [paid, paid, paid, paid + 0.001]
    pair = [0.0, paid, paid, paid + 0.001]

    def case(
        about: str, *objecting: int, costs: list[float] = costs, same: bool = False
    ) -> dict[str, Any]:
        """same: the gates that object find the same issue."""
        gates = []
        found = f"issue {draw.randint(10, 99)}"
        for place, (name, cost) in enumerate(zip(names, costs, strict=True)):
            issue = found if same else f"{name}: issue {draw.randint(10, 99)}"
            issues = [issue] * (place in objecting)
            gates.append([name, cost, issues])
        shuffled = [gates[place] for place in (3, 1, 2, 0)]
        return {"about": about, "draft": f"draft {draw.randint(10, 99)}", "gates": shuffled}

    return {
        "cheap first": [case("nobody objects"), case("only the most expensive one objects", 3)],
        "stop": [
            case("a free gate objects", 0),
            case("the cheaper of the two that cost something objects", 2),
        ],
        "all of one cost": [
            case("both free gates object", 0, 1),
            case("both free gates find the same issue", 0, 1, same=True),
            case("a free one and an expensive one", 1, 3),
            case("three cost the same, and one of them objects", 1, costs=above),
            case("two above a free one cost the same, and the first objects", 1, costs=pair),
        ],
    }


def objections(draw: Random) -> dict[str, list[Any]]:
    """Issues; some occur twice, and some have no remedy."""

    def issue(remedy: bool = True) -> dict[str, str]:
        number = draw.randint(100, 999)
        things = draw.choice(THINGS)
        return {
            "where": f"“{number} {things} are odd”",
            "problem": f"the database says {number + draw.randint(1, 50)}",
            "remedy": f"write it as in row {draw.randint(1000, 9999)}" if remedy else "",
        }

    def case(about: str, *issues: dict[str, str]) -> dict[str, Any]:
        return {"about": about, "issues": list(issues)}

    one, two, three = issue(), issue(), issue()
    return {
        "lines": [case("one issue", one), case("three issues", one, two, three)],
        "twice": [
            case("one issue occurs twice", two, one, dict(two)),
            case("two issues are in one place", one, {**one, "problem": three["problem"]}),
            case("one problem is in two places", one, {**one, "where": three["where"]}, two),
            case("two issues differ only in their remedy", one, {**one, "remedy": two["remedy"]}),
            case("a line is the beginning of the one before it", one, {**one, "remedy": ""}),
        ],
        "no remedy": [case("the second one has no remedy", three, issue(remedy=False))],
    }


def rounds(draw: Random) -> dict[str, list[Any]]:
    """Workers whose drafts get better, never pass, or stop; and a writer with a model."""

    def case(
        about: str, counts: Sequence[int | None], limit: int, wordy: bool = False
    ) -> dict[str, Any]:
        """counts: how many issues the gate finds in each draft; None is a worker that fails."""
        thing = draw.choice(THINGS)
        drafts = [f"Draft {number} on {draw.randint(100, 999)} {thing}." for number in range(9)]
        issues = []
        for number, count in enumerate(counts):
            long = " and say in which of them" if wordy and count == 1 else ""
            found = []
            for place in range(count or 0):
                fact = draw.randint(1000, 9999)
                found.append(
                    {
                        "where": f"sentence {place + 1} of draft {number}",
                        "problem": f"the log says {fact}",
                        "remedy": f"write {fact}{long * 9}",
                    }
                )
            issues.append(found)
        return {
            "about": about,
            "intent": f"Write a note on {thing}",
            "facts": f"{draw.randint(100, 999)} {thing} are odd",
            "drafts": drafts[: len(counts)],
            "issues": issues,
            "fails": [number for number, count in enumerate(counts) if count is None],
            "cap": limit,
        }

    few = draw.randint(1, 3)
    cap = draw.randint(3, 4)
    return {
        "passes": [
            case("the second draft passes", [2, 0], 3),
            case("the first draft passes", [0, 1], 3),
            case("the last draft that is allowed passes", [few, few + 1, 0, 0], 3),
        ],
        "the cap": [
            case("the best draft is the second one", [few + 2, few, few + 1, 0], 3),
            case(
                "the best draft is the first one",
                [few, few + 1, few + 2, few + 3, 0][: cap + 1],
                cap,
            ),
            case("the best draft is the last one", [few + 2, few + 1, few, 0], 3),
            case("two drafts have as many issues", [few + 1, few, few, 0], 3),
            case("only one draft is allowed", [few, 0], 1),
            case("the best draft has one issue of many words", [3, 1, 2, 0], 3, wordy=True),
        ],
        "not delivered": [
            case("the worker fails at the third draft", [few + 1, few, None, 0], 4),
            case("the worker fails at once", [None, 0], 3),
        ],
        "a real writer": [_real(draw)],
    }


def _real(draw: Random) -> dict[str, Any]:
    """A writer with a model, facts for more words than the gate allows, and three rounds."""
    thing = draw.choice(THINGS)
    facts = []
    for number in range(8):
        count = draw.randint(100, 999)
        facts.append(
            f"- In week {number + 1} there were {count} odd {thing} in the shop. [log-{number}]"
        )
    limit = draw.randint(40, 60)
    return {
        "about": f"a writer of briefs with the offline model, behind a limit of {limit} words",
        "intent": f"Write a brief on odd {thing}",
        "facts": "\n".join(facts),
        "limit": limit,
        "cap": 3,
    }


INPUTS = {"11.1": drafts, "11.2": checks, "11.3": objections, "11.4": rounds}
