"""The author's side of lesson 02: what answers are tried on, known slips, right answers in other words."""

from __future__ import annotations

from random import Random
from typing import Any

SAYINGS = (
    ("tracing", "The tracing library writes {} spans a second"),
    ("caching", "A cached prompt saves {} percent of its price"),
    ("budgets", "The smallest budget of the desk is {} tokens"),
    ("retries", "Every request is tried {} times before it fails"),
    ("memory", "The notes file holds {} lines of memory"),
    ("handoffs", "A structured handoff carries {} named artifacts"),
    ("queues", "The waiting queue takes {} tasks at once"),
    ("golden-sets", "The golden set of the judge has {} questions"),
)
"""(topic, a fact on it with a gap for its number)."""
AUDIENCES = ("for engineers", "for new colleagues", "for the weekly newsletter", "for the board")


def _facts(draw: Random, size: int) -> list[tuple[str, str, int]]:
    """(sentence with a gap for its number, source id, number) of so many facts."""
    chosen = draw.sample(SAYINGS, size)
    return [
        (says, f"{topic}-{draw.randint(10, 99)}", draw.randint(100, 900)) for topic, says in chosen
    ]


# ── 02.1 ──────────────────────────────────────────────────────────────────────────────────────────


def drafts(draw: Random) -> dict[str, list[Any]]:
    """True drafts, and drafts with one fault each; `few` uses half of the facts, and is true."""
    return {
        "numbers": [_draft(draw, fault) for fault in ("number", "", "number", "number")],
        "citations": [_draft(draw, fault) for fault in ("citation", "few", "", "citation")],
    }


ABOUT = {
    "number": "a draft with one wrong number",
    "citation": "a draft with one sentence without a citation",
    "few": "a true draft that uses half of the facts",
    "": "a true draft",
}


def _draft(draw: Random, fault: str) -> dict[str, Any]:
    facts = _facts(draw, 4)
    bad = draw.randrange(4)
    sentences = []
    for index, (says, source, number) in enumerate(facts):
        wrong = number + draw.randint(1, 99) if fault == "number" and index == bad else number
        cited = "." if fault == "citation" and index == bad else f" [{source}]."
        sentences.append(says.format(wrong) + cited)
    chosen = sentences[:2] if fault == "few" else sentences
    return {
        "about": ABOUT[fault],
        "facts": "\n".join(
            f"- {says.format(number)}. [{source}]" for says, source, number in facts
        ),
        "draft": "# What the desk runs on\n\n" + " ".join(chosen),
    }


# ── 02.2 ──────────────────────────────────────────────────────────────────────────────────────────


def shelves(draw: Random) -> dict[str, list[Any]]:
    """An archive that has two documents on what it is asked for; and one that has none on one of them."""
    return {
        "kept": [_shelves(draw, found=True)],
        "read": [_shelves(draw, found=True) for _ in range(2)],
        "nothing": [_shelves(draw, found=False)],
    }


def _shelves(draw: Random, *, found: bool) -> dict[str, Any]:
    topics = [topic for topic, _ in draw.sample(SAYINGS, 4)]
    available = topics if found else [*topics[:3]]
    return {
        "about": "the archive has two documents on each topic"
        if found
        else f"the archive has nothing on {topics[3]!r}",
        "library": _documents(draw, "library", topics),
        "archive": _documents(draw, "archive", available),
        "queries": [topics[2], topics[3]],
    }


def _documents(draw: Random, place: str, topics: list[str]) -> list[dict[str, str]]:
    return [
        {
            "id": f"{place}-{topic}-{number}{draw.randint(10, 99)}",
            "title": f"On {topic}, part {number}",
            "text": f"The {place} has {draw.randint(100, 999)} pages on {topic}.",
        }
        for topic in topics
        for number in (1, 2)
    ]


# ── 02.3 ──────────────────────────────────────────────────────────────────────────────────────────


def found(draw: Random) -> dict[str, list[Any]]:
    """Facts among remarks, where some remarks look like facts; and an answer without facts."""
    return {
        "facts": [_found(draw, facts=True) for _ in range(2)],
        "beside": [_found(draw, facts=True)],
        "none": [_found(draw, facts=False)],
    }


def _found(draw: Random, *, facts: bool) -> dict[str, Any]:
    task = f"Write a brief on {draw.choice(SAYINGS)[0]} in {draw.randint(100, 180)} words"
    known = [(says.format(number), source) for says, source, number in _facts(draw, 7)]
    remarks = [
        f"I searched {draw.randint(10, 99)} times.",
        f"- {known[4][0]} [{known[4][1]}] or so, I think.",
        f"See also [{known[5][1]}]",
        f"{known[5][0]} - said [{known[5][1]}]",
        f"- {known[6][0]}.",
        f"-{known[6][0]}, or not. [{known[6][1]}]",
    ]
    lines = [*(f"- {says}. [{source}]" for says, source in known[:4]), *remarks]
    draw.shuffle(lines)
    if not facts:
        lines = [
            f"Nothing was found on {task}, in {draw.randint(10, 99)} searches.",
            "Try other words.",
        ]
    about = (
        "the researcher found facts, among remarks" if facts else "the researcher found no facts"
    )
    return {
        "about": f"{about}: {' / '.join(lines)}",
        "task": task,
        "audience": draw.choice(AUDIENCES),
        "found": "\n".join(lines),
        "material": {
            "search_results": " ".join(
                f"{says} and {draw.randint(100, 999)} more." for says, _ in known
            )
        },
    }


INPUTS = {"02.1": drafts, "02.2": shelves, "02.3": found}
