"""The author's side of lesson 09: plans, findings and what people get wrong about them."""

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
    """What needs what: a chain, side by side, a diamond in any order, and a cycle."""
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


def _finding(draw: Random, suggests: str, holds: bool | None) -> dict[str, Any]:
    claim = f"{draw.randint(2, 99)} of {draw.randint(100, 999)} orders are odd."
    return {"claim": claim, "holds": holds, "suggests": suggests}


def suggestions(draw: Random) -> dict[str, list[Any]]:
    """Findings that suggest somebody new, somebody busy, nobody, and somebody who does not exist."""
    new, other, busy, also = draw.sample(WORKERS, 4)
    workers = draw.sample([new, other, busy, also], 4)
    if workers.index(min(new, other)) < workers.index(max(new, other)):
        workers.reverse()  # the order of the workers is never that of the alphabet

    def case(about: str, *suggests: str) -> dict[str, Any]:
        held = (False, True, None, False)
        findings = [
            _finding(draw, name, holds) for name, holds in zip(suggests, held, strict=False)
        ]
        return {"about": about, "findings": findings, "busy": [busy, also], "workers": workers}

    return {
        "new": [
            case("one finding suggests somebody new", "", new),
            case("two suggest somebody new", other, "", new),
        ],
        "busy": [case("busy ones are suggested too", busy, new, also)],
        "twice": [
            case("two findings suggest the same one", new, busy, new, other),
            case("the first suggestion comes once more at the end", new, other, new),
        ],
        "unknown": [case("one name is nobody's", f"dba_{draw.randint(2, 999)}", other)],
    }


def clashes(draw: Random) -> dict[str, list[Any]]:
    """Findings of several steps that agree, contradict each other, or cannot tell."""
    one, two, three = draw.sample(WORKERS, 3)
    number = draw.randint(3, 99)
    discount = f"{number} pieces or more are cheaper."
    stock = f"Reserved pieces of article {number} are not sold twice."

    def found(step: str, claim: str, holds: bool | None) -> dict[str, Any]:
        return {"step": step, "claim": claim, "holds": holds}

    def case(about: str, *findings: dict[str, Any]) -> dict[str, Any]:
        return {"about": about, "findings": list(findings)}

    return {
        "clash": [
            case("two steps differ", found(one, discount, True), found(two, discount, False)),
            case(
                "the no comes first",
                found(one, stock, False),
                found(two, discount, True),
                found(three, stock, True),
            ),
            case(
                "one says yes, two say no",
                found(one, stock, True),
                found(two, stock, False),
                found(three, stock, False),
            ),
            case(
                "claims that are nearly the same",
                found(one, stock, True),
                found(two, stock.rstrip("."), False),
                found(three, stock.replace(" ", "  ", 1), False),
            ),
        ],
        "agreement": [
            case(
                "two agree, one differs",
                found(one, discount, True),
                found(two, discount, True),
                found(three, discount, False),
                found(one, stock, False),
                found(two, stock, False),
            )
        ],
        "undecided": [
            case(
                "one cannot tell",
                found(one, discount, None),
                found(two, discount, False),
                found(three, discount, True),
            )
        ],
        "itself": [
            case(
                "one step says yes and no",
                found(one, stock, True),
                found(one, stock, False),
                found(two, stock, True),
            )
        ],
        "wording": [
            case(
                "the same claim in capitals",
                found(one, stock, True),
                found(three, stock.upper(), False),
            ),
            case(
                "the same claim with blanks around it",
                found(two, f" {stock}  ", True),
                found(three, stock, False),
            ),
            case(
                "the same claim in capitals and with blanks",
                found(one, discount.upper(), True),
                found(two, f"  {discount} ", False),
            ),
        ],
    }


INPUTS = {"09.1": plans, "09.2": graphs, "09.3": suggestions, "09.4": clashes}
