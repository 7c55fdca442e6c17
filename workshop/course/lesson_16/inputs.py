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


def checkpoints(draw: Random) -> dict[str, list[Any]]:
    """A person who proceeds, who edits, who stops; and research that fails."""
    topic = draw.choice(TOPICS)
    lines = [f"- Fact {draw.randint(100, 999)} on {topic}. [{topic}-{n}]" for n in range(3)]
    found = {"status": "ok", "output": "\n".join(lines)}
    failed = {"status": "failed", "reason": f"shelf {draw.randint(100, 999)} cannot be reached"}
    others = [
        {"status": status, "output": lines[0], "reason": f"{reason} {draw.randint(100, 999)}"}
        for status, reason in (
            ("refused", "no permission for shelf"),
            ("exhausted", "no budget for shelf"),
            ("paused", "somebody stopped it at shelf"),
        )
    ]
    task = f"Write a brief on {topic}"
    return {
        "proceeds": [_person("the person proceeds", task, found, "Proceed")],
        "edits": [
            _person("the person strikes out a fact", task, found, "Proceed", lines[1]),
            _person("the person strikes out all facts", task, found, "Proceed", ""),
        ],
        "stops": [_person("the person stops", task, found, "Stop")],
        "nothing to show": [
            _person("the research fails", task, failed, "Proceed"),
            *(
                _person(f"the research ends {other['status']}", task, other, "Proceed")
                for other in others
            ),
        ],
    }


def _person(about: str, task: str, found: Any, choice: str, text: str | None = None) -> Any:
    return {"about": about, "task": task, "found": found, "choice": choice, "text": text}


INPUTS = {"16.1": crashes, "16.2": payments, "16.3": checkpoints}
