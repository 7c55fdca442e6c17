"""The author's side of lesson 16: what answers are tried on, known slips, right answers in other words."""

from __future__ import annotations

from random import Random
from typing import Any

TOPICS = ("tracing", "memory", "budgets", "caching", "handoffs", "gates", "retries", "plans")


def crashes(draw: Random) -> dict[str, list[Any]]:
    """A crash in the middle; equal questions; a resume that asks in another order."""
    asks = [f"facts on {topic}" for topic in draw.sample(TOPICS, draw.randint(4, 6))]
    dies_at = draw.randint(2, len(asks) - 1)
    twice = [*asks[:2], asks[0], asks[2], asks[0]]
    turned = [*asks[1:], asks[0]]
    capital = [asks[0], asks[0].capitalize()]
    blank = [asks[0], f"{asks[0]} "]
    facts, part = draw.sample(range(2, 10), 2)
    often = f"{facts} facts on part {part}"
    like = [f"{often}1", f"1{often}"]
    long = [f"{asks[0]}, {' and '.join(TOPICS)}, part {part}" for part in (1, 2)]
    return {
        "resumes": [
            _crash("the first process dies at its second request", asks[:3], 2),
            _crash(f"the first process dies at request {dies_at}", asks, dies_at),
        ],
        "nothing new": [
            _crash("the first process ends; the second has nothing to ask", asks, 0),
            _crash("one reply is the empty text", asks, 0, silent=asks[1]),
        ],
        "equal questions": [
            _crash("one question is asked three times in one run", twice, 4),
            _crash("equal questions are asked at the same time", twice, 0, at_once=True),
        ],
        "another order": [
            _crash("the second process asks in another order", asks, dies_at, turned),
            _crash("two requests differ in one capital letter", capital, 0, capital[::-1]),
            _crash("two requests differ in a blank at the end", blank, 0, blank[::-1]),
            _crash("two long requests differ in their last sign", long, 0, long[::-1]),
            _crash(
                "one request is asked eleven times, others have a digit more",
                [*[often] * 11, *like],
                0,
            ),
        ],
    }


def _crash(
    about: str,
    asks: list[str],
    dies_at: int,
    later: list[str] | None = None,
    *,
    at_once: bool = False,
    silent: str = "",
) -> Any:
    """silent: the request whose reply is the empty text."""
    first = {"asks": asks, "dies_at": dies_at, "at_once": at_once, "silent": silent}
    second = {"asks": later or asks, "dies_at": 0, "at_once": at_once, "silent": silent}
    return {"about": about, "processes": [first, second]}


def payments(draw: Random) -> dict[str, list[Any]]:
    """Payments that go well; a line that breaks before or after the payment; equal payments of two steps."""
    first = f"invoice {draw.randint(100, 999)}"
    second = f"invoice {draw.randint(1000, 1999)}"
    cents = draw.randint(1_000, 9_000)
    one = ["step-a", first, cents]
    other = ["step-b", second, cents + 100]
    return {
        "pays": [_payment("the line holds", [one, other], [])],
        "breaks": [
            _payment("the line breaks after the bank has paid", [one], ["after"]),
            _payment("the line breaks before the bank has paid", [one, other], ["before"]),
            _payment("the bank raises another error, which is a bug", [one], ["bug"]),
            _payment("the bank misses a file, which is a bug, too", [one], ["file"]),
            _payment("the line breaks, and the second try meets a bug", [one], ["before", "bug"]),
            _payment(
                "the line breaks at every try", [one], ["before", "before", "before", "before"]
            ),
        ],
        "a second process": [
            _payment("a second process does the same step again", [one, one], []),
        ],
        "two steps": [
            _payment(
                "two steps pay the same amount on one invoice", [one, ["step-b", *one[1:]]], []
            ),
        ],
    }


def _payment(about: str, orders: list[Any], trouble: list[str]) -> Any:
    return {"about": about, "orders": orders, "trouble": trouble}


def results(draw: Random) -> dict[str, list[Any]]:
    """Processes that die or end; work that does not end well; steps that are nearly alike."""
    topic, other = draw.sample(TOPICS, 2)
    number = draw.randint(100, 999)
    search = _step("researcher", f"Find facts on {topic}")
    criticise = _step("critic", f"Find facts on {other}")
    write = _step("writer", f"Write {number} words on {topic}", needs=0)
    review = _step("reviewer", f"Review what is said on {topic}", needs=1, label="draft")
    brief = [search, write]
    alike = f"say something on {topic} and {other}"
    unfinished = [
        {"status": status, "output": f"half of {topic}", "reason": f"{reason} {number}"}
        for status, reason in (
            ("failed", "no answer to request"),
            ("exhausted", "no budget for request"),
            ("paused", "a person has to decide on request"),
        )
    ]
    return {
        "resumes": [
            _work("the first process is killed while the writer works", brief, dies_at=2),
            _work("the first process is killed at the third step", [*brief, review], dies_at=3),
        ],
        "whole results": [
            _work("both processes come to their end", [*brief, review]),
            _work("the researcher's output is the empty text", brief, silent="researcher"),
            _work("one handoff is given twice to one worker", [search, search, write]),
        ],
        "not finished": [
            _work(f"in the first process the writer ends {ends['status']}", brief, ends=ends)
            for ends in unfinished
        ],
        "what a step is": [
            _work(
                "two workers get the same intent",
                [_step("researcher", alike), _step("critic", alike)],
            ),
            _work(
                "one worker gets two intents",
                [search, _step("researcher", f"Find facts on {other}")],
            ),
            _work(
                "one worker gets one intent, with other facts",
                [search, criticise, *(_step("writer", alike, needs=needs) for needs in (0, 1))],
            ),
            _work(
                "one worker gets one text, once as facts and once as a draft",
                [search, *(_step("writer", alike, needs=0, label=each) for each in LABELS)],
            ),
            _work(
                "one worker gets one intent, in another context",
                [_step("writer", alike, f"for {each} readers") for each in (number, number + 1)],
            ),
            _work(
                "what is the context of one handoff is the end of another one's intent",
                [_step("writer", alike, f" {number}"), _step("writer", f"{alike} {number}")],
            ),
            _work(
                "two intents differ in one capital letter",
                [_step("writer", alike), _step("writer", alike.capitalize())],
            ),
            _work(
                "two long intents differ in their last sign",
                [_step("writer", f"{alike}, part {part}") for part in (1, 2)],
            ),
            _work(
                "between the processes somebody edits the kept facts",
                brief,
                edit=[f"researcher: Find facts on {topic}", f"researcher: Find {number} facts"],
            ),
        ],
    }


LABELS = ("facts", "draft")


def _step(
    worker: str, intent: str, context: str = "", *, needs: int | None = None, label: str = "facts"
) -> list[Any]:
    """needs: the number of the step whose output it gets, as the artifact `label`."""
    return [worker, intent, context, needs, label]


def _work(
    about: str,
    steps: list[Any],
    *,
    dies_at: int = 0,
    silent: str = "",
    ends: dict[str, Any] | None = None,
    edit: list[str] | None = None,
) -> Any:
    """ends: how the writer ends in the first process. edit: a text in what is kept, and another one."""
    first = {
        "dies_at": dies_at,
        "silent": silent,
        "ends": {"writer": ends} if ends else {},
        "edit": ["", ""],
    }
    second = {"dies_at": 0, "silent": silent, "ends": {}, "edit": edit or ["", ""]}
    return {"about": about, "steps": steps, "processes": [first, second]}


INPUTS = {"16.1": crashes, "16.2": payments, "16.3": results}
