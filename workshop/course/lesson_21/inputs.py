"""The author's side of lesson 21: what answers are tried on, known slips, right answers in other words."""

from __future__ import annotations

from random import Random
from typing import Any

WORDS = "one index keeps its 32 pages in memory; the other reads them from disk, when asked".split()
WORKERS = ("researcher", "writer", "reviewer", "planner", "judge")
PARTS = ("facts", "draft", "feedback", "outline", "sources")


# ── 15.1 ───────────────────────────────────────────────────────────────────────────────────────────


def handoffs(draw: Random) -> dict[str, list[Any]]:
    """Handoffs with a part, with several, with odd spaces, with none."""
    one, two, three = draw.sample(WORKERS, 3)

    def artifacts(count: int) -> dict[str, str]:
        names = draw.sample(PARTS, count)
        if names == sorted(names):
            names.reverse()
        return {name: _text(draw) for name in names}

    spaced = {name: text.replace(" ", "  \n") for name, text in artifacts(2).items()}
    return {
        "a handoff": [_desk("one handoff with two parts", [one, artifacts(2)])],
        "several": [
            _desk("three handoffs", [one, artifacts(4)], [two, artifacts(1)], [three, artifacts(2)])
            | {"task": {"intent": "Write a brief", "artifacts": artifacts(1)}},
        ],
        "spaces": [_desk("texts of several lines", [two, spaced])],
        "nothing handed over": [
            _desk("a handoff without artifacts, and one with", [three, {}], [one, artifacts(2)]),
            _desk("a part without a text", [two, {**artifacts(2), "notes": ""}]),
            _desk("one part, and it has no text", [three, {"notes": ""}]),
        ],
    }


def _text(draw: Random) -> str:
    return " ".join(draw.choices(WORDS, k=draw.randint(6, 14)))


def _desk(about: str, *work: list[Any]) -> Any:
    given = [[worker, f"Work as the {worker}", artifacts] for worker, artifacts in work]
    return {"about": about, "task": {"intent": "Write a brief"}, "handoffs": given}


# ── 15.2 ───────────────────────────────────────────────────────────────────────────────────────────


def teams(draw: Random) -> dict[str, list[Any]]:
    """A supervisor over one worker; three of one name; a retry; a price that nobody knows."""

    def usd(low: int, high: int) -> float:
        return draw.randint(low, high) / 10_000

    def team(about: str, *below: list[Any]) -> Any:
        top = [usd(20, 29), usd(30, 39)]
        parts = [
            {"name": name, "run": f"1.{number}", "calls": calls, "below": []}
            for number, (name, calls) in enumerate(below, 1)
        ]
        agent = {"name": "supervisor", "run": "1", "calls": top, "below": parts}
        return {"about": about, "agent": agent}

    small, large = [usd(1, 4), usd(5, 9)], [usd(100, 140), usd(10, 19)]
    crowd = [["researcher", small], ["researcher", large], ["researcher", [usd(90, 95)]]]
    return {
        "two agents": [team("one worker, which costs more", ["writer", large])],
        "one name": [team("three researchers at once", *crowd)],
        "no reply": [
            team(
                "a request that failed before it was sent again",
                ["writer", ["failed", usd(40, 49), usd(70, 79)]],
                ["reviewer", [usd(80, 89)]],
            )
        ],
        "an unknown price": [
            team(
                "a model that is in no price list",
                ["writer", [usd(150, 190)]],
                ["reviewer", [None, usd(1, 3)]],
            ),
            team("an agent with one call, of unknown price", ["writer", large], ["judge", [None]]),
            team(
                "models of one's own, which cost nothing", ["writer", [0.0]], ["judge", [0.0, 0.1]]
            ),
        ],
    }


# ── 15.3 ───────────────────────────────────────────────────────────────────────────────────────────

MODELS = ("ant", "bee", "cat", "dog", "elk", "fox")


def tiers(draw: Random) -> dict[str, list[Any]]:
    """Readers and writers of tokens, for which another model is the cheapest."""
    reader, writer, top = draw.sample(WORKERS, 3)
    even, lean, thin, large = draw.sample(MODELS, 4)
    scale = draw.randint(2, 5)
    prices = {large: [4.0 * scale, 20.0 * scale], even: [1.0 * scale, 4.0 * scale]}
    prices[lean] = [0.4 * scale, 8.0 * scale]
    prices[thin] = [0.3 * scale, 18.0 * scale]  # the lowest price to read, and cheapest for nobody
    many, few = draw.randint(20, 30) * 1_000, draw.randint(400, 500)
    used = {reader: [many, few], writer: [draw.randint(900, 1_200), draw.randint(1_800, 2_200)]}
    more = {top: [draw.randint(6_000, 7_000), draw.randint(5_000, 6_000)], **used}
    every = [[top, even], [top, lean], [top, thin], [top, large]]
    steep = {large: [4.0 * scale, 5.0 * scale], lean: [2.0 * scale, 30.0 * scale]}
    steep[even] = [1.0 * scale, 4.0 * scale]
    weak = [[agent, model] for agent in (writer, reader) for model in steep]

    def case(about: str, agents: dict[str, Any], weak: list[Any]) -> Any:
        return {"about": about, "used": agents, "prices": prices, "too weak": weak}

    return {
        "cheapest": [case("every model is good enough", used, [])],
        "the next one": [
            case("the cheapest model is too weak for one agent", used, [[reader, lean]]),
            case("the two cheapest are too weak for one of three", more, every[:2]),
        ],
        "the largest": [
            case("only the largest is good enough on top", more, every[:3]),
        ],
        "none": [
            case("no model is good enough on top", more, every),
            case("no model is good enough, and another one is the dearest for each", used, weak)
            | {"prices": steep},
        ],
    }


INPUTS = {"21.1": handoffs, "21.2": teams, "21.3": tiers}
