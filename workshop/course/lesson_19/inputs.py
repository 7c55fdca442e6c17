"""The author's side of lesson 19: tickets with workers who agree, clash or fail; and traces."""

from __future__ import annotations

from random import Random
from typing import Any

NAMES = ("code", "ops", "data", "shop", "stock", "billing", "search")

# ── 19.1 ──────────────────────────────────────────────────────────────────────────────────────


def tickets(draw: Random) -> dict[str, list[Any]]:
    """Workers who agree, who contradict each other, and who do not deliver."""
    names = draw.sample(NAMES, 3)
    number = draw.randint(100, 999)
    task = {
        "intent": f"Find out what is behind ticket {number}",
        "context": f"{number} orders are wrong.",
        "artifacts": {"log": f"line {number + 1}: no discount"},
    }

    def fine(name: str) -> dict[str, Any]:
        return {"status": "ok", "output": f"{name} saw {draw.randint(1_000, 9_999)} rows"}

    def bad(status: str = "failed", output: str = "") -> dict[str, Any]:
        reason = f"port {draw.randint(1_000, 9_999)} is closed"
        half = {"output": output} if output else {}
        return {"status": status, "reason": reason, **half}

    def clash() -> dict[str, Any]:
        count = draw.randint(1_000, 9_999)
        return {
            "claim": f"the price is right ({count})",
            "steps": names[:2],
            "why": f"they looked at hosts {count} and {count + 1}",
        }

    def case(about: str, changes: dict[int, Any] | None = None, **reader: Any) -> dict[str, Any]:
        """changes: the results of workers that are not fine, by their place."""
        people = []
        for place, name in enumerate(names):
            people.append([name, (changes or {}).get(place) or fine(name)])
        answer = {"answer": f"Ticket {number}: see rows."} | reader
        return {"about": about, "task": task, "workers": people, "reader": answer}

    one = draw.randrange(3)
    raises = {"raises": f"no route to host {number}"}
    half = bad(output=f"half of {number} rows")
    broken = {"status": "failed", "reason": f"overloaded ({number})"}
    return {
        "reads": [
            case("all deliver, and nothing contradicts"),
            case("all deliver; there is an open question", open_questions=["since when?"]),
        ],
        "contradictions": [
            case("two results contradict each other", contradictions=[clash()]),
            case("there are two contradictions", contradictions=[clash(), clash()]),
        ],
        "gaps": [
            case("one worker fails", {one: bad()}),
            case("one worker raises an error", {one: raises}),
            case("one worker refuses the work", {one: bad("refused")}),
            case("a limit stops one worker, which has half of its work", {one: half}),
        ],
        "both": [
            case(
                "one worker fails, and two results contradict", {2: bad()}, contradictions=[clash()]
            ),
            case("no worker has a text", {0: bad(), 1: bad("exhausted"), 2: bad("refused")}),
            case(
                "no worker is ok, and one has half of its work",
                {0: bad(), 1: half, 2: bad("refused")},
            ),
            case("the reader fails", result=broken),
            case(
                "a worker fails, and the reader is stopped",
                {one: bad()},
                result={"status": "exhausted", "reason": f"out of calls ({number})"},
            ),
        ],
    }


# ── 19.2 ──────────────────────────────────────────────────────────────────────────────────────


def traces(draw: Random) -> dict[str, list[Any]]:
    """Each manager, the good one, two signs at once, and good ones that look like a bad one."""
    boss = draw.choice(("manager", "chief", "lead", "head"))
    one, two, three, four = draw.sample(NAMES, 4)
    texts = [
        f"{draw.randint(1_000, 9_999)} rows of {name}.\nSeen on host {draw.randint(1_000, 9_999)}."
        for name in (one, two, three)
    ]
    begins = [text.splitlines()[0] for text in texts]
    share = draw.randint(100, 300)

    def start(**artifacts: str) -> list[list[Any]]:
        return [["handoff", boss, "user", artifacts]]

    def end(status: str = "ok") -> list[list[Any]]:
        return [["return", boss, "user", status, "The answer."]]

    def own(tokens: int, written: int = 9) -> list[list[Any]]:
        return [["request", boss], ["reply", boss, tokens, written]]

    def work(name: str, text: str, tokens: int = share, **artifacts: str) -> list[list[Any]]:
        """One worker is handed work, asks a model once, and returns a text."""
        return [
            ["handoff", name, boss, artifacts],
            ["request", name],
            ["reply", name, tokens, 9],
            ["return", name, boss, "ok", text],
        ]

    def case(about: str, *parts: list[list[Any]], kept: int = 0) -> dict[str, Any]:
        """kept: how many replies a journal holds afterwards."""
        trace = [event for part in parts for event in part]
        return {"about": about, "trace": trace, "kept": kept}

    first, second = work(one, texts[0]), work(two, texts[1])
    read = work(three, texts[2], facts=texts[0], more=texts[1])
    good = [start(), first, second, read]
    unread = [start(), first, second]
    again = [work(three, f"part {n} of {share}", facts=texts[0]) for n in range(3)]
    hoards = [start(), first, *again]
    twice = [start(), first, *again[:2]]
    checks = own(4 * share)
    below = [["handoff", four, three, {"facts": texts[0]}]] * 3
    same = work(two, texts[0])
    both = work(three, f"all of {share}", facts=f"{texts[0]} {texts[1]}")
    later = [work(three, f"part {n} of {share}", facts=texts[1]) for n in range(3)]
    between = [
        work(three, f"part {n} of {share}", facts=texts[0], log=f"line {n}") for n in range(3)
    ]
    longer = [work(four, f"part {n} of {share}", facts=f"{n}: {texts[0]}") for n in range(3)]
    log = work(two, texts[1], facts="the log"), work(three, texts[2], facts="the log")
    pieces = work(three, texts[2], facts=begins[0], more=begins[1])
    found = {
        "signs": [
            case("a good manager: somebody reads both results", *good, end()),
            case("the manager reads more than all others", start(), first, checks, read, end()),
            case("nobody is handed what came back", *unread, end()),
            case("one result is handed on three times", *hoards, end()),
            case("the manager died, and nothing was kept", *good),
        ],
        "two": [
            case(
                "it reads most, and hands one result on three times", *hoards, own(5 * share), end()
            ),
            case("it reads most, and died", start(), first, checks, read),
            case("one result three times, and it died", *hoards),
            case("it reads most, hands on three times, and died", *hoards, own(5 * share)),
        ],
        "close": [
            case("the manager reads as much as all others together", *good, own(3 * share), end()),
            case("it reads more than any other one", *good, own(2 * share), end()),
            case("one result is handed on twice", *twice, end()),
            case("one result, and nobody is handed it", start(), first, end()),
            case("three results, and nobody is handed any", *unread, work(four, "x"), end()),
            case("nobody is handed a result; the manager reads itself", *unread, own(share), end()),
            case("one of two results is handed on", *twice[:2], second, again[0], end()),
            case("only pieces of the results are handed on", start(), first, second, pieces, end()),
            case("what is handed on came with the task", start(log="the log"), first, *log, end()),
            case(
                "the log of the task goes to three workers",
                start(log="the log"),
                work(one, texts[0], facts="the log"),
                *log,
                work(four, f"all of {share}", facts=texts[0]),
                end(),
            ),
            case("a worker hands the result on three times", *good, below, end()),
            case(
                "one of two results is handed on, the second one",
                *[start(), first, second, work(three, f"part of {share}", facts=texts[1])],
                end(),
            ),
            case("both results are handed on in one text", start(), first, second, both, end()),
            case(
                "the second result is handed on three times", start(), first, second, *later, end()
            ),
            case(
                "a result is handed on, and after it a text that is none",
                *[start(), first, second, work(three, texts[2], facts=texts[0])],
                work(four, f"all of {share}", log="the log"),
                end(),
            ),
            case("one result three times, with others between", start(), first, *between, end()),
            case("one result is in three longer texts", start(), first, *longer, end()),
            case(
                "three results are handed on, once each",
                start(),
                first,
                second,
                work(three, texts[2]),
                work(four, f"all of {share}", facts=texts[0], more=texts[1], rest=texts[2]),
                end(),
            ),
            case("the manager writes much, and reads little", *good, own(9, 9 * share), end()),
            case("the manager asks often, and reads little", *good, *[own(9)] * 4, end()),
            case("two results say the same; nobody is handed any", start(), first, same, end()),
            case("one result is handed on five times", *hoards, *again[:2], end()),
        ],
        "crashes": [
            case("the manager died, and every reply was kept", *good, kept=3),
            case("the manager died, and two of three replies were kept", *good, kept=2),
            case("the manager died; the journal holds earlier work as well", *good, kept=5),
            case("the manager died before anybody replied", start()),
            case(
                "there are two replies for one of two results, and two of three were kept",
                *[start(), first, second[:3], second[1:]],
                kept=2,
            ),
            case(
                "it died with a request on its way; all replies were kept",
                *good,
                [["request", boss]],
                kept=3,
            ),
            case("it died before anybody could be handed a result", *unread, kept=2),
            case("nothing was kept, and the manager came to its end", *good, end()),
            case("the manager failed, and came to its end", *good, end("failed")),
            case("it hands on nothing, and fails", start(), end("failed")),
            case("nobody is handed what came back, and it fails", *unread, end("exhausted")),
        ],
    }
    for cases in found.values():
        rest = cases[1:]
        draw.shuffle(rest)
        cases[1:] = rest
    return found


INPUTS = {"19.1": tickets, "19.2": traces}
