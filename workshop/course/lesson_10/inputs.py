"""The author's side of lesson 10: findings, plans that change, results to be read together."""

from __future__ import annotations

from random import Random
from typing import Any

WORKERS = ("code", "ops", "data", "comms", "research", "review")
VERBS = ("find", "look", "count", "write", "check", "read", "try", "sum", "note", "trace")


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


# ── 10.3 ──────────────────────────────────────────────────────────────────────────────────────────


def _ticket(draw: Random) -> dict[str, str]:
    number = draw.randint(10, 99)
    order = draw.randint(1_000, 9_999)
    return {
        "intent": "Find out what is behind the ticket and write a note to the customer and the team.",
        "context": f"Ticket T-{number}: Order {order} has the wrong price.",
    }


class _Work:
    """The steps of one case, what each brings, and the plans made of them."""

    def __init__(self, draw: Random) -> None:
        self.draw = draw
        self.ids = [f"{verb}-{draw.randint(2, 99)}" for verb in draw.sample(VERBS, 6)]
        self.workers = draw.sample(WORKERS, 6)
        self.answers: dict[str, Any] = {}

    def step(self, number: int, *needs: int, worker: int = -1) -> dict[str, Any]:
        """The step of a number, done by the worker of the same number unless told otherwise."""
        return {
            "id": self.ids[number],
            "worker": self.workers[number if worker < 0 else worker],
            "intent": f"Do {self.ids[number]}",
            "needs": [self.ids[need] for need in needs],
        }

    def brings(self, number: int, suggests: str = "", holds: bool | None = True) -> None:
        """The step of a number brings one finding."""
        finding = {**_finding(self.draw, suggests, holds), "evidence": []}
        self.answers[f"Do {self.ids[number]}"] = {"status": "ok", "findings": [finding]}

    def fails(self, number: int) -> None:
        """The step of a number brings nothing."""
        reason = f"no shelf {self.draw.randint(100, 999)}"
        self.answers[f"Do {self.ids[number]}"] = {"status": "failed", "reason": reason}

    def case(self, about: str, *plans: list[dict[str, Any]], max_replans: int) -> dict[str, Any]:
        return {
            "about": about,
            **_ticket(self.draw),
            "workers": sorted(self.workers),
            "plans": list(plans),
            "answers": self.answers,
            "max_replans": max_replans,
        }


def replans(draw: Random) -> dict[str, list[Any]]:
    """Plans that stay, plans that change, chains of suggestions, and what must not change a plan."""
    return {
        "planned": [_stays(draw), _side_by_side(draw)],
        "again": [_changes(draw), _at_the_end(draw)],
        "bound": [_chain(draw, bound) for bound in (2, 1, 0)],
        "kept": [_busy(draw), _nobody(draw), _lost(draw), _earlier(draw), _dropped(draw)],
    }


def _stays(draw: Random) -> dict[str, Any]:
    work = _Work(draw)
    for number in range(2):
        work.brings(number)
    return work.case(
        "nobody suggests anybody",
        [work.step(1, 0), work.step(0)],
        max_replans=2,
    )


def _side_by_side(draw: Random) -> dict[str, Any]:
    work = _Work(draw)
    for number in range(4):
        work.brings(number, holds=draw.choice((True, False, None)))
    return work.case(
        "three at once, and one that needs two of them",
        [work.step(0), work.step(3, 0, 2), work.step(1), work.step(2)],
        max_replans=2,
    )


def _changes(draw: Random) -> dict[str, Any]:
    work = _Work(draw)
    work.brings(0, suggests=work.workers[2], holds=False)
    work.brings(1)
    work.brings(2)
    return work.case(
        "the first step suggests somebody without a step",
        [work.step(0), work.step(1, 0)],
        [work.step(0), work.step(2, 0), work.step(1, 0, 2)],
        max_replans=2,
    )


def _at_the_end(draw: Random) -> dict[str, Any]:
    work = _Work(draw)
    work.brings(0)
    work.brings(1, suggests=work.workers[3], holds=None)
    work.brings(3)
    return work.case(
        "the last step suggests somebody without a step",
        [work.step(0), work.step(1, 0)],
        [work.step(0), work.step(1, 0), work.step(3)],
        max_replans=1,
    )


def _chain(draw: Random, max_replans: int) -> dict[str, Any]:
    work = _Work(draw)
    for number in range(5):
        work.brings(number, suggests=work.workers[number + 1])
    work.brings(5)
    plans = [[work.step(number) for number in range(size)] for size in range(1, 7)]
    return work.case(
        f"each worker suggests another one; {max_replans} new plans are allowed",
        *plans,
        max_replans=max_replans,
    )


def _busy(draw: Random) -> dict[str, Any]:
    work = _Work(draw)
    work.brings(0, suggests=work.workers[1])
    work.brings(1, suggests=work.workers[0])
    return work.case(
        "they suggest each other, and both have steps",
        [work.step(0), work.step(1, 0)],
        [work.step(0)],
        max_replans=2,
    )


def _nobody(draw: Random) -> dict[str, Any]:
    work = _Work(draw)
    work.brings(0, suggests=f"dba-{draw.randint(2, 999)}")
    work.brings(1)
    return work.case(
        "a worker is suggested who does not exist",
        [work.step(0), work.step(1)],
        [work.step(0)],
        max_replans=2,
    )


def _lost(draw: Random) -> dict[str, Any]:
    work = _Work(draw)
    work.fails(0)
    work.brings(1, suggests=work.workers[2])
    work.brings(2)
    return work.case(
        "one of two steps fails, the other one suggests somebody",
        [work.step(0), work.step(1)],
        [work.step(0), work.step(1), work.step(2, 1)],
        max_replans=2,
    )


def _earlier(draw: Random) -> dict[str, Any]:
    work = _Work(draw)
    work.brings(0)
    work.brings(1, suggests=work.workers[3])
    work.brings(2)
    work.brings(3)
    return work.case(
        "the second batch suggests somebody, and a third one still waits",
        [work.step(0), work.step(1, 0), work.step(2, 1)],
        [work.step(0), work.step(1, 0), work.step(3, 1), work.step(2, 3)],
        max_replans=2,
    )


def _dropped(draw: Random) -> dict[str, Any]:
    work = _Work(draw)
    work.brings(0, suggests=work.workers[2])
    work.brings(1)
    work.brings(2)
    return work.case(
        "the new plan leaves out a step that is done",
        [work.step(0), work.step(1, 0)],
        [work.step(2), work.step(1, 2)],
        max_replans=2,
    )


# ── 10.4 ──────────────────────────────────────────────────────────────────────────────────────────


def syntheses(draw: Random) -> dict[str, list[Any]]:
    """Results that agree, that contradict each other, that leave something open, that are missing."""
    return {
        "reads": [_agree(draw), _agree(draw)],
        "contradiction": [_differ(draw), _differ(draw)],
        "missing": [_some_missing(draw)],
        "nothing": [_all_missing(draw)],
        "no room": [{**_differ(draw), "about": "the budget has no room for a call", "calls": 0}],
    }


def _fact(draw: Random, about: str, holds: bool | None) -> dict[str, Any]:
    seen = f"{draw.randint(1, 49)} of {draw.randint(50, 99)} lines"
    return {"claim": about, "holds": holds, "evidence": [f"{about.rstrip('.')}: {seen}"]}


def _found(worker: str, *findings: dict[str, Any]) -> dict[str, Any]:
    return {"worker": worker, "status": "ok", "findings": list(findings)}


def _gone(draw: Random, worker: str, status: str) -> dict[str, Any]:
    return {"worker": worker, "status": status, "reason": f"no shelf {draw.randint(100, 999)}"}


def _together(draw: Random, about: str, *results: dict[str, Any]) -> dict[str, Any]:
    ids = [f"{verb}-{draw.randint(2, 99)}" for verb in draw.sample(VERBS, len(results))]
    return {
        "about": about,
        **_ticket(draw),
        "results": dict(zip(ids, results, strict=True)),
        "calls": 3,
    }


def _subjects(draw: Random) -> tuple[str, str]:
    pieces = draw.randint(3, 99)
    return f"{pieces} pieces or more are cheaper.", f"Parcels of {pieces} kg are sent."


def _agree(draw: Random) -> dict[str, Any]:
    one, two = draw.sample(WORKERS, 2)
    cheaper, parcels = _subjects(draw)
    return _together(
        draw,
        "two results agree, and one claim is undecided",
        _found(one, _fact(draw, f"In version 1.4.2: {cheaper}", True)),
        _found(two, _fact(draw, f"On host shop-3: {parcels}", None)),
    )


def _differ(draw: Random) -> dict[str, Any]:
    one, two, three = draw.sample(WORKERS, 3)
    cheaper, parcels = _subjects(draw)
    host, minor = draw.randint(1, 9), draw.randint(1, 8)
    return _together(
        draw,
        "one result says yes, another one says no",
        _found(one, _fact(draw, f"In version 1.{minor + 1}.0: {cheaper}", True)),
        _found(two, _fact(draw, f"On host shop-{host}, version 1.{minor}.0: {cheaper}", False)),
        _found(three, _fact(draw, f"On host shop-{host}: {parcels}", True)),
    )


def _some_missing(draw: Random) -> dict[str, Any]:
    one, two, three = draw.sample(WORKERS, 3)
    cheaper, parcels = _subjects(draw)
    return _together(
        draw,
        "one step has used up its budget, one has failed",
        _gone(draw, one, "exhausted"),
        _found(
            two,
            _fact(draw, f"On host shop-1: {cheaper}", True),
            _fact(draw, f"On host shop-2: {parcels}", None),
        ),
        _gone(draw, three, "failed"),
    )


def _all_missing(draw: Random) -> dict[str, Any]:
    one, two = draw.sample(WORKERS, 2)
    return _together(
        draw,
        "no step is ok",
        _gone(draw, one, "failed"),
        _gone(draw, two, "exhausted"),
    )


INPUTS = {"10.1": suggestions, "10.2": clashes, "10.3": replans, "10.4": syntheses}
