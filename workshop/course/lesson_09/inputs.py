"""The author's side of lesson 09: plans, what they need, who works on them, and tickets to plan for."""

from __future__ import annotations

from random import Random
from typing import Any

WORKERS = ("code", "ops", "data", "comms", "research", "review")
NAMES = ("find", "look", "count", "write", "check", "read", "try", "sum", "note", "trace")


def _ids(draw: Random, count: int) -> list[str]:
    return [f"{name} {draw.randint(2, 99)}" for name in draw.sample(NAMES, count)]


def _step(id: str, worker: str, *needs: str) -> dict[str, Any]:
    return {"id": id, "worker": worker, "needs": list(needs)}


def plans(draw: Random) -> dict[str, list[Any]]:
    """Plans with one fault, with several, and good ones beside them."""
    workers = draw.sample(WORKERS, 4)
    one, two, three, four = _ids(draw, 4)
    nobody = draw.choice(("dba", "designer", "lawyer"))

    def case(about: str, *steps: dict[str, Any]) -> dict[str, Any]:
        return {"about": about, "steps": list(steps), "workers": workers}

    good = case(
        "nothing is wrong",
        _step(one, workers[0]),
        _step(two, workers[1], one),
        _step(three, workers[0], one, two),
    )
    return {
        "workers": [
            case(f"there is no {nobody}", _step(one, workers[0]), _step(two, nobody, one)),
            case(
                "a part of a name is no name", _step(one, workers[0][:-1]), _step(two, workers[1])
            ),
            good,
        ],
        "needs": [
            case("one need is no step", _step(one, workers[2]), _step(two, workers[0], "ghost")),
            case(
                "two needs of one step are no steps",
                _step(one, workers[3]),
                _step(two, workers[1], "ghost", one, "spirit"),
            ),
            case("a step needs itself", _step(one, workers[1], one), _step(two, workers[0], one)),
            good,
        ],
        "ids": [
            case(
                "one id occurs three times",
                _step(one, workers[0]),
                _step(one, workers[1]),
                _step(two, workers[2]),
                _step(one, workers[3]),
            ),
            good,
        ],
        "several": [
            case(
                "four things are wrong",
                _step(one, nobody, two),
                _step(one, workers[1]),
                _step(three, workers[2], three, "ghost", four),
                _step(four, workers[3], one),
            )
        ],
    }


def graphs(draw: Random) -> dict[str, list[Any]]:
    """Draws needs of steps: a chain, side by side, a diamond in any order, and a cycle."""
    a, b, c, d, e = _ids(draw, 5)

    def case(about: str, needs: dict[str, list[str]]) -> dict[str, Any]:
        order = draw.sample(list(needs), len(needs))
        return {"about": about, "needs": {id: needs[id] for id in order}}

    tail = {f"last {number}": [f"last {number - 1}"] for number in range(2, draw.randint(3, 6))}
    return {
        "chain": [
            case("each needs the one before it", {a: [], b: [a], c: [b], "last 1": [c], **tail})
        ],
        "at once": [
            case("two need nothing", {a: [], b: [], c: [a, b], d: [a]}),
            case("a diamond", {a: [], b: [a], c: [a], d: [b, c], e: []}),
            case("one waits for the longer way", {a: [], b: [a], c: [b], d: [a, c]}),
        ],
        "cycle": [
            case("three need each other", {a: [c], b: [a], c: [b], d: []}),
            case("one needs itself", {a: [], b: [b, a]}),
            case("nobody needs each other", {a: [b], b: [], c: [b]}),
        ],
    }


# ── 09.3 ──────────────────────────────────────────────────────────────────────────────────────────

TOPICS = ("OpenTelemetry", "Qdrant", "pgvector", "Weaviate", "Pinecone", "Milvus")
FOUND = ("{} rows differ", "{} tests passed", "{} hosts answered", "{} settings are right")


def loops(draw: Random) -> dict[str, list[Any]]:
    """Plans of agents, of steps that run at once, and with steps that do not deliver."""
    return {
        "agents": [_brief(draw)],
        "needs": [_diamond(draw), _worked(draw, "steps of one worker beside each other")],
        "failed": [_diamond(draw, failed="failed"), _diamond(draw, failed="exhausted")],
        "bug": [_diamond(draw, failed="raises")],
    }


def _brief(draw: Random) -> dict[str, Any]:
    """A brief that is researched, written and reviewed by the editorial desk's agents."""
    topic = draw.choice(TOPICS)
    steps = [
        _step("verdict", "reviewer", "facts", "draft"),
        _step("draft", "writer", "facts"),
        _step("facts", "researcher"),
    ]
    intents = (
        f"Review the draft on {topic}",
        f"Write a brief on {topic}",
        f"Find facts about {topic}",
    )
    for step, intent in zip(steps, intents, strict=True):
        step["intent"] = intent
    return {
        "about": f"the agents of lesson 03 work on {topic}",
        "steps": steps,
        "workers": [],
        "brings": {},
    }


def _diamond(draw: Random, failed: str = "") -> dict[str, Any]:
    """Two steps at once, one that needs the first alone, one that needs both, and a last one."""
    workers = draw.sample(WORKERS, 5)
    names = [name.replace(" ", "-") for name in _ids(draw, 5)]
    one, two, three, four, five = names
    needs: dict[str, list[str]] = {
        one: [],
        two: [],
        three: [one],
        four: [one, two],
        five: [three, four],
    }
    case = _case(draw, dict(zip(names, workers, strict=True)), needs)
    case["about"] = (
        f"{three} needs {one}; {four} needs {one} and {two}; {five} needs {three} and {four}"
    )
    if failed:
        intent = _intent(one)
        reason = f"no answer in {draw.randint(100, 999)} s"
        if failed == "raises":
            case["brings"][intent] = {"raises": reason}
            case["about"] += f"; the worker of {one} has a bug, {reason!r}"
        else:
            half = f"half of {draw.randint(10, 99)} files"
            case["brings"][intent] = {"status": failed, "reason": reason, "output": half}
            case["about"] += (
                f"; {one} ends with the status {failed!r}, the reason {reason!r} and {half!r}"
            )
    return case


def _worked(draw: Random, about: str) -> dict[str, Any]:
    """Three steps of one worker at once, and one step that needs the second of them."""
    names = [name.replace(" ", "-") for name in _ids(draw, 4)]
    worker, other = draw.sample(WORKERS, 2)
    given = dict.fromkeys(names[:3], worker) | {names[3]: other}
    needs: dict[str, list[str]] = {**{name: [] for name in names[:3]}, names[3]: [names[1]]}
    return {**_case(draw, given, needs), "about": f"{about}; {names[3]} needs {names[1]}"}


def _intent(id: str) -> str:
    return f"Do {id}"


def _case(draw: Random, workers: dict[str, str], needs: dict[str, list[str]]) -> dict[str, Any]:
    """A plan in any order of its steps, and what each step brings."""
    brings = {}
    for id in needs:
        brings[_intent(id)] = {"output": draw.choice(FOUND).format(draw.randint(100, 999))}
    steps = [{**_step(id, workers[id], *needs[id]), "intent": _intent(id)} for id in needs]
    return {
        "steps": draw.sample(steps, len(steps)),
        "workers": sorted({*workers.values()}),
        "brings": brings,
    }


# ── 09.4 ──────────────────────────────────────────────────────────────────────────────────────────

ABOUT = {
    "source": "Reads the source, runs the tests, finds the bug behind a ticket and proposes a patch.",
    "hosts": "Holds settings against their comments and counts what hosts and versions do.",
    "rows": "Reads log lines and the database of orders: counts, odd values.",
    "note": "Writes a note to the customers and the team from what the others found.",
}
"""The description of each worker of a desk; its name is drawn."""
CALLED = {
    "source": ("code", "coder", "repair", "debugger"),
    "hosts": ("ops", "operations", "platform", "admin"),
    "rows": ("data", "analyst", "counter", "auditor"),
    "note": ("comms", "author", "press", "support"),
}
GOODS = ("mugs", "pens", "lamps", "tables", "posters")
MANY = "Observed: The notes of version {}.{} say that it is fixed, and the log entries of {} orders say it is not."
FEW = "Observed: {} orders were charged in full."


def tickets(draw: Random) -> dict[str, list[Any]]:
    """A ticket that asks for four workers, and one that asks for two."""
    return {
        "limit": [_ticket(draw, MANY, "steps"), _ticket(draw, FEW, "steps")],
        "turns": [_ticket(draw, MANY, "turns"), _ticket(draw, FEW, "turns")],
        "others": [_ticket(draw, MANY, "steps", "turns")],
    }


def _ticket(draw: Random, observed: str, *rules: str) -> dict[str, Any]:
    names = {draw.choice(CALLED[kind]): about for kind, about in ABOUT.items()}
    order = draw.sample(list(names), len(names))
    goods = draw.choice(GOODS)
    number = draw.randint(100, 999)
    saw = observed.format(*(draw.randint(2, 99) for _ in range(observed.count("{}"))))
    ticket = (
        f"Ticket T-{number}: Discount on {goods} missing.\n"
        f"Expected: {draw.randint(3, 99)} {goods} or more are cheaper.\n{saw}"
    )
    return {
        "about": f"{'four' if observed == MANY else 'two'} workers could help; they are {', '.join(order)}",
        "workers": {name: names[name] for name in order},
        "task": "Find out what is behind the ticket and write a note to the customer and the team.",
        "ticket": ticket,
        "outside": {"rules": [*rules]},
    }


INPUTS = {"09.1": plans, "09.2": graphs, "09.3": loops, "09.4": tickets}
