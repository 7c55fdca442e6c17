"""The author's side of lesson 21: handoffs, teams and their bills, models, runs, bad days."""

from __future__ import annotations

from random import Random
from typing import Any

WORDS = "one index keeps its 32 pages in memory; the other reads them from disk, when asked".split()
WORKERS = ("researcher", "writer", "reviewer", "planner", "judge")
PARTS = ("facts", "draft", "feedback", "outline", "sources")


# ── 21.1 ───────────────────────────────────────────────────────────────────────────────────────────


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


# ── 21.2 ───────────────────────────────────────────────────────────────────────────────────────────


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


# ── 21.3 ───────────────────────────────────────────────────────────────────────────────────────────

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


# ── 21.4 ───────────────────────────────────────────────────────────────────────────────────────────


def _member(
    draw: Random,
    name: str,
    *below: dict[str, Any],
    at_once: bool = False,
    status: str = "ok",
    asks: int | None = None,
) -> dict[str, Any]:
    """An executable that asks a model, then hands work to those below."""
    count = draw.randint(1, 3) if asks is None else asks
    return {
        "name": name,
        "asks": [_text(draw) for _ in range(count)],
        "below": list(below),
        "at once": at_once,
        "status": status,
        "reason": f"case {draw.randint(100, 999)}",
    }


def runs(draw: Random) -> dict[str, list[Any]]:
    """Teams that work in turn, at once, on levels, with failures, in a run that has worked before."""
    one, two, three, lead = draw.sample(WORKERS, 4)

    def member(name: str, *below: dict[str, Any], **facts: Any) -> dict[str, Any]:
        return _member(draw, name, *below, **facts)

    def case(about: str, team: dict[str, Any], *before: dict[str, Any]) -> dict[str, Any]:
        intent = f"Look up case {draw.randint(100, 999)}"
        return {"about": about, "intent": intent, "team": team, "before": list(before)}

    def crowd(name: str) -> list[dict[str, Any]]:
        return [member(name, asks=count) for count in draw.sample((1, 2, 3), 3)]

    in_turn = [member(one), member(two, asks=2), member(one, asks=3)]
    levels = member(lead, member(two), member(three, asks=0), asks=1)
    failed = member(two, status=draw.choice(("refused", "exhausted")))
    return {
        "in turn": [
            case("a team that works in turn", member("desk", member(one), member(two), asks=2)),
            case("one works twice", member("desk", *in_turn, asks=1)),
        ],
        "together": [
            case("three of one name work at once", member("desk", *crowd(one), at_once=True)),
            case(
                "two leads of one name work at once",
                member("desk", member(lead, *crowd(one)), member(lead, member(two)), at_once=True),
            ),
            case(
                "two leads work at once",
                member(
                    "desk",
                    member(lead, *crowd(one)),
                    member(three, *crowd(two), at_once=True),
                    at_once=True,
                ),
            ),
        ],
        "errors": [
            case("one of three does not end well", member("desk", member(one), failed, levels)),
            case("the team fails too", member("desk", failed, status="failed", asks=0)),
        ],
        "before": [
            case("the run has worked before", member("desk", levels, member(one)), member(one)),
            case(
                "the same team has worked in the run before",
                member("desk", member(one), levels),
                member("desk", *crowd(two), at_once=True),
                member(three),
            ),
        ],
    }


# ── 21.5 ───────────────────────────────────────────────────────────────────────────────────────────

RETRY = "retry"


class _Day:
    """The agents of one day: numbers that are drawn, all of them harmless."""

    def __init__(self, draw: Random) -> None:
        self.draw = draw

    def chat(
        self, ms: int = 0, usd: float = 0.0, events: tuple[str, ...] = (), error: str = ""
    ) -> list[Any]:
        facts = {"usd": usd or self.usd(40, 49), "events": list(events), "error": error}
        return ["chat", ms or self.draw.randint(200, 290), facts]

    def usd(self, low: int, high: int) -> float:
        return self.draw.randint(low, high) / 100_000

    def tool(self, ms: int = 0) -> list[Any]:
        return ["tool", ms or self.draw.randint(20, 90), "search"]

    def agent(
        self,
        name: str,
        run: str,
        *work: Any,
        words: int | None = 0,
        itself_ms: int = 0,
        error: str = "",
    ) -> dict[str, Any]:
        """words: 0 for any number of them, None for a handoff without parts."""
        handed: dict[str, Any] = {}
        if words is not None:
            parts = sorted(self.draw.sample(PARTS, self.draw.randint(1, 3)))
            handed = {"desk.parts": parts, "desk.words": words or self.draw.randint(20, 400)}
        return {
            "name": name,
            "run": run,
            "handed": handed,
            "work": [part if isinstance(part, list) else ["agent", 1, part] for part in work],
            "itself_ms": itself_ms or self.draw.randint(5, 19),
            "error": error,
        }


def days(draw: Random) -> dict[str, list[Any]]:
    """One fault a day: an error, retries, an empty handoff, money or time, at a place that is drawn."""
    day = _Day(draw)
    one, two, three = draw.sample(WORKERS, 3)
    agent, chat, tool = day.agent, day.chat, day.tool

    def desk(about: str, *below: Any, error: str = "", **facts: Any) -> Any:
        work = [part for each in below for part in (chat(), each)]
        return {"about": about, "day": agent("desk", "1", *work, words=None, error=error, **facts)}

    def empty(name: str, run: str) -> dict[str, Any]:
        made = agent(name, run, chat())
        made["handed"]["desk.words"] = 0
        return made

    def well(name: str, run: str) -> dict[str, Any]:
        return agent(name, run, chat(), tool(), chat())

    status = draw.choice(("failed", "refused", "exhausted"))
    nothing_given = agent(one, "1.1", chat(), chat(), words=None)
    again = ("note", RETRY, RETRY)
    fails = agent(two, "1.2", chat(error=status), error=status)
    lead_fails = agent(
        two, "1.2", chat(), agent(three, "1.2.1", chat(), error=status), error="failed"
    )
    busy = agent(two, "1.2", chat(), chat(ms=draw.randint(9_000, 9_900), events=again))
    costs = agent(three, "1.3", chat(), chat(usd=day.usd(3_000, 3_300)))
    waits = agent(two, "1.2", chat(), itself_ms=draw.randint(8_000, 9_000))
    slow_model = agent(one, "1.1", chat(), chat(ms=draw.randint(8_000, 9_000)), itself_ms=1)
    busy_reader = agent(one, "1.1", *[chat() for _ in range(12)])
    many_calls = agent(one, "1.1", *[chat(ms=draw.randint(800, 900)) for _ in range(12)])
    slow_tool = agent(three, "1.2", chat(), tool(draw.randint(8_000, 9_000)), chat(), itself_ms=1)
    once_each = agent(three, "1.3", chat(events=(RETRY,)), chat(events=(RETRY,)))
    noted = agent(three, "1.3", chat(events=(RETRY,)), chat())
    chatty = agent(one, "1.1", chat(events=("note", "note")), chat())
    unlucky = agent(three, "1.3", chat(error="overloaded_error"), chat())
    lead = agent(
        three, "1.3", chat(), well(one, "1.3.1"), waits | {"run": "1.3.2"}, well(one, "1.3.3")
    )
    dear_lead = agent(two, "1.2", chat(), costs | {"run": "1.2.1"}, chat())
    return {
        "time": [
            desk("late: one agent itself takes long", chatty, waits, once_each),
            desk("late: one model call takes long", slow_model, well(two, "1.2"), noted),
            desk("late: one tool takes long", busy_reader, slow_tool, noted),
            desk(
                "late: one tool takes long, and another agent asks much",
                many_calls,
                slow_tool,
                noted,
            ),
            desk("late, on the lowest of three levels", nothing_given, unlucky, lead),
        ],
        "errors": [
            desk("no brief", well(one, "1.1"), fails, noted, error="failed"),
            desk(
                "no brief, and a lead in between", busy | {"run": "1.4"}, lead_fails, error="failed"
            ),
            desk(
                "no brief, though a second one was asked",
                lead_fails,
                fails | {"run": "1.3"},
                error="failed",
            ),
            desk("the desk itself fails", well(one, "1.1"), unlucky, error="exhausted"),
        ],
        "retries": [
            desk("late: a busy service", noted, well(one, "1.1"), busy),
            desk("late, and expensive elsewhere", busy, costs, well(one, "1.1")),
            desk(
                "late, and a bad brief",
                empty(one, "1.1"),
                agent(two, "1.2", chat(events=(RETRY,) * 4)),
            ),
        ],
        "empty": [
            desk("a bad brief, and no error", nothing_given, empty(two, "1.2"), noted),
            desk(
                "a bad brief, late and expensive",
                slow_model,
                agent(three, "1.3", chat(), empty(two, "1.3.1"), costs | {"run": "1.3.2"}),
            ),
        ],
        "money": [
            desk("a large bill", nothing_given, noted, costs | {"run": "1.4"}),
            desk("a large bill, and late", chatty, slow_model | {"run": "1.2"}, costs),
            desk("a large bill below a lead", well(one, "1.1"), dear_lead),
            desk(
                "three of one name, one of them expensive",
                well(one, "1.1"),
                costs | {"name": one},
                well(one, "1.4"),
            ),
            desk(
                "a large bill of many small calls",
                agent(two, "1.2", *[chat() for _ in range(15)]),
                waits | {"run": "1.3"},
            ),
        ],
    }


INPUTS = {"21.1": handoffs, "21.2": teams, "21.3": tiers, "21.4": runs, "21.5": days}
