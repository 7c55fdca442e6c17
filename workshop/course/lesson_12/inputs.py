"""The author's side of lesson 12: logs of calls, services that ask for time, a worker that is down."""

from __future__ import annotations

from random import Random
from typing import Any

# ── 12.1 ──────────────────────────────────────────────────────────────────────────────────────


def _log(draw: Random, *outcomes: str) -> list[list[Any]]:
    """Calls in order: "+" answers, "-" fails, and a number lets so many seconds pass before the next one."""
    now = draw.randint(0, 50)
    calls: list[list[Any]] = []
    for outcome in outcomes:
        if outcome in "+-":
            calls.append([now, outcome == "+"])
            now += 1
        else:
            now += int(outcome) - 1
    return calls


def machines(draw: Random) -> dict[str, list[Any]]:
    """Calls that open a circuit, that meet it open, and that try it."""
    failures = draw.randint(2, 4)
    cooldown = draw.choice((20, 30, 45))
    fails = ["-"] * failures
    some = ["-"] * draw.randint(1, failures - 1)
    goods = ["+"] * draw.randint(1, 4)
    away = ["+"] * draw.randint(2, 5)
    down = ["-"] * draw.randint(2, 5)

    def case(about: str, *outcomes: str) -> dict[str, Any]:
        return {
            "about": f"{about}; failures is {failures}",
            "calls": _log(draw, *outcomes),
            "failures": failures,
            "cooldown_s": cooldown,
        }

    later = str(cooldown + draw.randint(1, 9))
    return {
        "opens": [
            case("the worker is down", *goods, *fails, "-", "-", *away),
            case("a success in between", *some, "+", *fails, *away),
            case("it opens again after a good trial", *fails, later, "+", *fails, *away),
            {
                "about": "the first call, at 0 seconds, fails; failures is 1",
                "calls": [[0, False], [1, True], [cooldown, True], [cooldown + 1, True]],
                "failures": 1,
                "cooldown_s": cooldown,
            },
        ],
        "open": [
            case("calls meet an open circuit", *goods, *fails, *away, "-", "-", *away),
            case("just before the cooldown is over", *fails, str(cooldown - 1), "+", *goods),
            case(
                "turned away until the cooldown is over", *fails, *away, str(cooldown), "+", *goods
            ),
            case(
                "the worker is down while the circuit is open",
                *fails,
                *down,
                str(cooldown - len(down)),
                "+",
                *goods,
            ),
        ],
        "trial": [
            case("the trial succeeds", *fails, *away, later, "+", *some, "+"),
            case(
                "the trial fails",
                *fails,
                *away,
                later,
                "-",
                *away,
                str(cooldown - len(away)),
                "-",
                str(cooldown),
                "+",
            ),
            case("exactly after the cooldown", *fails, str(cooldown), "+", *goods, *fails, "+"),
        ],
    }


# ── 12.2 ──────────────────────────────────────────────────────────────────────────────────────


def _busy(draw: Random, wait_s: float | None) -> dict[str, Any]:
    reason = f"HTTP {draw.choice((429, 503, 529))}, request {draw.randint(100, 999)}"
    return {"status": "failed", "reason": reason, "transient": True, "retry_after_s": wait_s}


def services(draw: Random) -> dict[str, list[Any]]:
    """Services that ask for some time, for too much of it, for none, and that fail for good."""
    fine = {"status": "ok", "output": f"{draw.randint(100, 999)} documents"}
    last = {"status": "failed", "reason": f"HTTP 400, request {draw.randint(100, 999)}"}
    short, middle = draw.randint(3, 9) + 0.5, draw.randint(11, 20)

    def case(
        about: str, patience_s: float, *waits: float | None, end: Any = None, limit: bool = False
    ) -> dict[str, Any]:
        results = [_busy(draw, wait) | ({"status": "exhausted"} if limit else {}) for wait in waits]
        return {
            "about": about,
            "results": [*results, *([end] if end else []), fine],
            "patience_s": patience_s,
            "intent": f"Look up case {draw.randint(100, 999)}",
        }

    return {
        "asks": [
            case("the service asks for time twice", 60, short, middle),
            case("the service asks for all there is", short + middle, short, middle),
            case("the service asks for time eleven times", 60, short, *[0.5, 1] * 5),
            case("a limit of time stops the worker, which asks for more", 60, short, limit=True),
        ],
        "too much": [
            case("the first wait is too long", middle - 1, middle, short),
            case("the second wait is too long", short + middle - 1, short, middle, 1),
            case("an hour is asked for after two short waits", 60, short, 2, 3600),
        ],
        "no wish": [
            case("the service says nothing of time", 10, None, None),
            case("at once is asked for", short, 0, 0, short),
        ],
        "for good": [
            case("the second failure is final", 60, short, end=last),
            case("the first failure is final", 60, end=last),
        ],
    }


# ── 12.3 ──────────────────────────────────────────────────────────────────────────────────────


def outages(draw: Random) -> dict[str, list[Any]]:
    """Steps of a day with a worker: seconds that pass, how many tasks come in at once, and how the
    worker ends them.
    """
    failures = draw.randint(2, 4)
    cooldown_s = draw.choice((20, 30, 45))
    down = [[1, 1, "failed"]] * failures
    some = [[1, 1, "failed"]] * (failures - 1)
    away = [[1, 1, "ok"]] * draw.randint(2, 4)
    goods = [[1, 1, "ok"]] * draw.randint(1, 3)
    refused = [[1, 1, "refused"]] * (failures + 1)

    def case(about: str, *steps: list[list[Any]], failures: int = failures, now: int = 0) -> Any:
        return {
            "about": f"{about}; failures is {failures}, cooldown_s is {cooldown_s}",
            "worker": draw.choice(WORKERS),
            "failures": failures,
            "cooldown_s": cooldown_s,
            "now": now or draw.randint(1, 500),
            "steps": [step for part in steps for step in part],
        }

    def later(status: str, count: int = 1, after_s: int = cooldown_s) -> list[list[Any]]:
        return [[after_s, count, status]]

    def slow(status: str) -> list[list[Any]]:
        return [[1, failures + 1, f"late {status}"]]

    many = draw.randint(3, 5)
    first = case("the worker is down", goods, down, away, failures=failures)
    at_zero = case("the very first call fails, at 0 seconds", [[0, 1, "failed"]], away, failures=1)
    at_zero["now"] = 0
    left_s = cooldown_s - len(away)
    return {
        "opens": [
            first,
            case("a success in between", some, goods, some, goods, down, away),
            at_zero,
        ],
        "cooldown": [
            case(
                "the trial succeeds",
                down,
                away,
                later("ok", after_s=left_s + 5),
                goods,
                some,
                goods,
            ),
            case(
                "the trial fails", down, later("failed"), away, later("ok", after_s=left_s), goods
            ),
            case(
                "just before the cooldown is over", down, later("ok", after_s=cooldown_s - 1), away
            ),
            case("it opens again after a good trial", down, later("ok"), down, away),
            case("the trial is cancelled", down, later("cancelled"), away, goods),
        ],
        "crowd": [
            case("many at once after the cooldown, still down", down, later("failed", many), away),
            case(
                "many at once after the cooldown, and after the trial",
                down,
                later("ok", many),
                [[1, many, "ok"]],
            ),
            case("many at once, and all is well", [[1, many, "ok"]], goods),
        ],
        "counts": [
            case(
                "a slow call is answered after others have opened the circuit",
                slow("ok"),
                away,
                later("ok"),
                goods,
            ),
            case(
                "a slow call fails after others have opened the circuit",
                slow("failed"),
                away,
                later("ok", after_s=cooldown_s - LATE_S - len(away)),
                goods,
            ),
            case("the worker refuses", refused, goods),
            case("a refusal between failures", some, [[1, 1, "refused"], [1, 1, "failed"]], away),
            case("the trial is refused", down, later("refused"), [[1, 1, "failed"]], away),
        ],
    }


LATE_S = 5
"""Of `observe`."""
WORKERS = ("archive", "index", "mirror", "library")

# ── 12.t1 and 12.t2 ───────────────────────────────────────────────────────────────────────────


def tries(draw: Random) -> dict[str, list[Any]]:
    """Services that are busy once, twice or for good, and ask for some time, too much, or none."""
    number = draw.randint(100, 999)
    fine = {
        "status": "ok",
        "output": f"{number} documents",
        "artifacts": {"index": f"of {number} documents"},
    }
    final = {"status": "failed", "reason": f"HTTP 400, request {number}", "retry_after_s": 5}
    short, middle = draw.randint(3, 9) + 0.5, draw.randint(21, 50)

    def case(about: str, *waits: float | None, end: Any = fine, part: bool = False) -> Any:
        results = [_busy(draw, wait) for wait in waits]
        if part:
            results[-1] |= {
                "status": "exhausted",
                "output": f"{number} documents so far",
                "artifacts": {"index": "half of it"},
            }
        return {
            "about": about,
            "results": [*results, end],
            "intent": f"Look up case {draw.randint(100, 999)}",
        }

    return {
        "": [
            case("the service asks for time once, and for none", short, None),
            case("the service says nothing of time", None, None),
            case("all three tries fail; the service asks for time", short, middle, short),
            case(
                "all three tries fail, the last with a part of the work",
                None,
                middle,
                None,
                part=True,
            ),
            case("less than half a second is asked for, twice", 0.2, 0.3),
            case("most of a minute is asked for, twice", draw.randint(40, 50), middle + 9),
            case("60 seconds are asked for", 60),
            case("more than a minute is asked for", 60 + draw.randint(1, 9)),
            case("an hour is asked for after the second try", short, 3600),
            case("the first failure is final", end=final),
            case("the second failure is final", None, end=final),
            case("all is well"),
        ]
    }


def tasks(draw: Random) -> dict[str, list[Any]]:
    """Tasks one after the other: seconds that pass before each, how the worker ends it, and how
    long it takes.
    """
    failures = draw.randint(2, 4)
    cooldown_s = draw.choice((20, 30, 45))
    takes_s = draw.randint(3, 9)
    down = [[1, "failed", takes_s]] * failures
    some = [[1, "failed", takes_s]] * (failures - 1)
    goods = [[1, "ok", 1]] * draw.randint(1, 3)
    away = [[1, "ok", 1]] * draw.randint(2, 4)

    def case(about: str, *steps: list[list[Any]]) -> dict[str, Any]:
        return {
            "about": f"{about}; failures is {failures}, cooldown_s is {cooldown_s}",
            "worker": draw.choice(WORKERS),
            "context": f"for desk {draw.randint(100, 999)}",
            "failures": failures,
            "cooldown_s": cooldown_s,
            "now": draw.randint(1, 500),
            "steps": [step for part in steps for step in part],
        }

    def later(status: str, after_s: int = cooldown_s) -> list[list[Any]]:
        return [[after_s, status, takes_s]]

    return {
        "": [
            case("the worker is down", goods, down, away),
            case("a success in between", some, goods, down, away),
            case("the trial succeeds", down, away, later("ok"), some, goods),
            case("the trial fails", down, later("failed"), away, later("ok"), goods),
            case(
                "just before the cooldown is over",
                down,
                later("ok", cooldown_s - 1),
                later("ok", 1),
            ),
            case("a refusal among the failures", some, [[1, "refused", 1]], away),
        ]
    }


INPUTS = {
    "12.1": machines,
    "12.2": services,
    "12.3": outages,
    "12.t1": tries,
    "12.t2": tasks,
}
