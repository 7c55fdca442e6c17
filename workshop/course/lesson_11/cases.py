"""The author's side of lesson 11: logs of calls, services that ask for time, branches that race."""

from __future__ import annotations

from random import Random
from typing import Any

NAMES = ("archive", "index", "mirror", "cache", "library", "press room")


# ── 11.1 ──────────────────────────────────────────────────────────────────────────────────────


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
                str(cooldown - 8),
                "+",
                later,
                "+",
            ),
            case("exactly after the cooldown", *fails, str(cooldown), "+", *goods, *fails, "+"),
        ],
    }


# ── 11.2 ──────────────────────────────────────────────────────────────────────────────────────


def _busy(draw: Random, wait_s: float | None) -> dict[str, Any]:
    reason = f"HTTP {draw.choice((429, 503, 529))}, request {draw.randint(100, 999)}"
    return {"status": "failed", "reason": reason, "transient": True, "retry_after_s": wait_s}


def services(draw: Random) -> dict[str, list[Any]]:
    """Services that ask for some time, for too much of it, for none, and that fail for good."""
    fine = {"status": "ok", "output": f"{draw.randint(100, 999)} documents"}
    last = {"status": "failed", "reason": f"HTTP 400, request {draw.randint(100, 999)}"}
    short, middle = draw.randint(3, 9), draw.randint(11, 20)

    def case(about: str, patience_s: int, *waits: float | None, end: Any = None) -> dict[str, Any]:
        results = [_busy(draw, wait) for wait in waits]
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


# ── 11.3 ──────────────────────────────────────────────────────────────────────────────────────


def races(draw: Random) -> dict[str, list[Any]]:
    """Branches of which the quickest, a slower one or none is ok; and a caller that goes away."""

    def case(about: str, *statuses: str, stop_after: int = 0) -> dict[str, Any]:
        """Statuses from the quickest branch to the slowest; the jobs are in an order of their own."""
        names = draw.sample(NAMES, len(statuses))
        branches = [
            {
                "name": name,
                "ticks": 30 * (place + 1) + draw.randint(0, 6),
                "status": status,
                "output": f"{draw.randint(100, 999)} documents",
                "tidy": draw.randint(4, 8),
            }
            for place, (name, status) in enumerate(zip(names, statuses, strict=True))
        ]
        order = draw.sample(branches[1:], len(branches) - 1)
        order.insert(draw.randint(1, len(order)), branches[0])
        return {"about": about, "branches": order, "stop_after": stop_after}

    return {
        "first": [
            case("the quickest branch is ok", "ok", "ok", "failed"),
            case("the quickest branch is ok, of four", "ok", "failed", "ok", "ok"),
        ],
        "failures": [
            case("the quickest branch fails", "failed", "ok", "ok", "ok"),
            case("two fail before one is ok", "failed", "failed", "ok", "ok"),
        ],
        "none": [case("no branch is ok", "failed", "failed", "failed")],
        "stopped": [
            case("the caller cancels before any branch is ready", "ok", "ok", "ok", stop_after=15),
            case("the caller cancels after one has failed", "failed", "ok", "ok", stop_after=48),
        ],
    }


INPUTS = {"11.1": machines, "11.2": services, "11.3": races}

TURNED_AWAY = 'if state == "open":\n            continue\n        '
STATE = 'state = "open" if now - opened < cooldown_s else "half-open"'
NO_TRIAL = 'state, in_a_row, opened = "closed", 0, None'
OPENS = "if in_a_row >= failures:"
CLOSES = "in_a_row, opened = 0, None"

WISH = "wait_s = 1.0 if result.retry_after_s is None else result.retry_after_s"
TOO_LONG = "if wait_s > patience_s:\n            break\n        "
AGAIN = 'result = await run.dispatch(worker, handoff, again=f"after {wait_s:g} s")'

RACE = "for done in asyncio.as_completed(tasks):"
CANCEL = "for task in tasks:\n            task.cancel()\n        "
GATHER = "await asyncio.gather(*tasks, return_exceptions=True)"

SLIPS = {
    "11.1": {
        "counts all failures": [(CLOSES, "in_a_row, opened = in_a_row * (opened is None), None")],
        "opens too late": [(OPENS, "if in_a_row > failures:")],
        "opens too soon": [(OPENS, "if in_a_row >= failures - 1:")],
        "turned away ones count": [(TURNED_AWAY, "")],
        "nothing ends it": [(STATE, 'state = "open"')],
        "too long": [("now - opened < cooldown_s", "now - opened <= cooldown_s")],
        "a failed trial is forgiven": [
            ("opened = now", "opened = now if opened is None else opened")
        ],
        "a trial is like any other": [
            ("in_a_row += 1", 'in_a_row = 1 if state == "half-open" else in_a_row + 1'),
            (
                "opened = now\n",
                'opened = now\n            elif state == "half-open":\n                opened = None\n',
            ),
        ],
        "the count stays": [
            (CLOSES, 'in_a_row, opened = in_a_row if state == "half-open" else 0, None')
        ],
        "no trial": [
            (STATE, f'{STATE}\n            if state == "half-open":\n                {NO_TRIAL}')
        ],
        "the state after": [("opened = now\n", 'opened = now\n                met[-1] = "open"\n')],
        "never looks": [("", "    return ['closed'] * len(calls)\n")],
    },
    "11.2": {
        "never asks": [("", "    return Result(status='ok', output='100 documents')\n")],
        "past the door": [
            ("run.dispatch(worker, handoff)", "worker.execute(handoff, run)"),
            (AGAIN, "result = await worker.execute(handoff, run)"),
        ],
        "does not wait": [("await sleep(wait_s)", "pass")],
        "waits by itself": [(WISH, "wait_s = 1.0")],
        "nothing is nothing": [(WISH, "wait_s = result.retry_after_s or 0.0")],
        "at once taken for no wish": [(WISH, "wait_s = result.retry_after_s or 1.0")],
        "each wait alone": [("patience_s -= wait_s\n        ", "")],
        "too soon": [
            (TOO_LONG, "wait_s = min(wait_s, patience_s)\n        "),
            ("while result.transient:", "while result.transient and patience_s > 0:"),
        ],
        "no end": [(TOO_LONG, "")],
        "not all of it": [("if wait_s > patience_s:", "if wait_s >= patience_s:")],
        "waits and gives up": [
            (TOO_LONG, ""),
            (
                "await sleep(wait_s)\n",
                "await sleep(wait_s)\n        if patience_s < 0:\n            break\n",
            ),
        ],
        "once": [
            ("while result.transient:", "if result.transient:"),
            (TOO_LONG, "if wait_s > patience_s:\n            return result\n        "),
        ],
        "whatever fails": [("while result.transient:", "while not result.ok:")],
        "raises": [("break", "raise TimeoutError(result.reason)")],
    },
    "11.3": {
        "never asks": [("", "    return Result(status='ok', output='100 documents')\n")],
        "past the door": [
            ("run.dispatch(executable, handoff)", "executable.execute(handoff, run)")
        ],
        "one by one": [
            (
                "",
                "    for executable, handoff in jobs:\n        result = await run.dispatch(executable, handoff)\n        if result.ok:\n            return result\n    return result\n",
            )
        ],
        "in the order of the jobs": [(RACE, "for done in tasks:")],
        "the first to end": [
            (
                "            if result.ok:\n                return result\n",
                "            return result\n",
            )
        ],
        "all are awaited": [
            (
                "",
                "    results = await run.fan_out(jobs)\n    return next((result for result in results if result.ok), results[-1])\n",
            )
        ],
        "not cancelled": [(CANCEL, ""), (GATHER, "pass")],
        "waits instead": [(CANCEL, "")],
        "not awaited": [(GATHER, "pass")],
        "only when all is well": [
            ("    try:\n", "    if True:\n"),
            (
                "                return result\n        return result\n    finally:\n",
                "                break\n    if True:\n",
            ),
            (GATHER, f"{GATHER}\n    return result"),
        ],
        "keeps the cancellation": [
            (
                "    finally:\n",
                "    except asyncio.CancelledError:\n        return Result(status='cancelled')\n    finally:\n",
            )
        ],
        "nothing when none is ok": [("        return result\n    finally:", "    finally:")],
        "not the result": [
            ("                return result\n", "                return result.output\n")
        ],
    },
}
"""By exercise and name, our solution changed: (old text, new text); where the old text is empty, the new one is the body."""

RIGHT = {
    "11.1": [
        """\
# The circuit as an instant until which it is open.
def states(calls, failures, cooldown_s):
    met, bad, until = [], 0, None
    for now, answers in calls:
        met.append("closed" if until is None else "open" if now < until else "half-open")
        if met[-1] != "open":
            bad = 0 if answers else bad + 1
            until = None if answers else now + cooldown_s if until is not None or bad >= failures else None
    return met
""",
        """\
def states(calls, failures, cooldown_s):
    state, count, opened, log = "closed", 0, 0, []
    for when, good in calls:
        if state == "open" and when >= opened + cooldown_s:
            state = "half-open"
        log += [state]
        match state, good:
            case "open", _:
                pass
            case _, True:
                state, count = "closed", 0
            case "half-open", False:
                state, opened = "open", when
            case "closed", False:
                count += 1
                if count == failures:
                    state, opened = "open", when
    return log
""",
    ],
    "11.2": [
        """\
# A deadline of its own, in waited seconds.
async def patient(run, worker, handoff, sleep, patience_s):
    waited, result = 0, await run.dispatch(worker, handoff)
    while True:
        wish = 1 if result.retry_after_s is None else result.retry_after_s
        if result.ok or not result.transient or waited + wish > patience_s:
            return result
        await sleep(wish)
        waited += wish
        result = await run.dispatch(worker, handoff, again=f"{waited} s later")
""",
        """\
async def patient(run, worker, handoff, sleep, patience_s, why=""):
    result = await run.dispatch(worker, handoff, again=why)
    seconds = result.retry_after_s
    if seconds is None:
        seconds = 1
    if not result.transient or seconds > patience_s:
        return result
    await sleep(seconds)
    return await patient(run, worker, handoff, sleep, patience_s - seconds, why + "again")
""",
    ],
    "11.3": [
        """\
# asyncio.wait gives the branches back as they end.
async def first_ok(run, jobs):
    waiting = {asyncio.ensure_future(run.dispatch(*job)) for job in jobs}
    try:
        while waiting:
            done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                result = task.result()
                if result.ok:
                    return result
        return result
    finally:
        for task in waiting:
            task.cancel()
        if waiting:
            await asyncio.wait(waiting)
""",
        """\
async def first_ok(run, jobs):
    found = []

    class Found(Exception):
        pass

    async def branch(executable, handoff):
        found.append(await run.dispatch(executable, handoff))
        if found[-1].ok:
            raise Found

    try:
        async with asyncio.TaskGroup() as group:
            for job in jobs:
                group.create_task(branch(*job))
    except* Found:
        pass
    return next((result for result in found if result.ok), found[-1])
""",
    ],
}
