"""The author's side of lesson 06: what answers are tried on, known slips, right answers in other words."""

from __future__ import annotations

from random import Random
from typing import Any

from kernel import Handoff

TOPICS = ("OpenTelemetry", "Qdrant", "pgvector", "Weaviate", "Pinecone", "Milvus")


# ── 06.1 ──────────────────────────────────────────────────────────────────────────────────────────


def loops(draw: Random) -> dict[str, list[Any]]:
    """A reviewer that passes version `passes` (0: none), and what a review and a revision take."""
    sizes = [
        (1, 1, 2 * draw.randint(2, 4) + 1),
        (2, 3, 5 * draw.randint(1, 2) + draw.randint(3, 4)),
    ]
    sizes.append((3, 1, 4 * draw.randint(2, 3) + draw.randint(0, 2)))
    return {
        "passes": [
            _loop(draw, 2, 1, 2, 14),
            _loop(draw, draw.randint(2, 4), 1, 2, draw.randint(14, 20), remarks=True),
        ],
        "limit": [_loop(draw, 0, *several) for several in (*sizes, (3, 1, 2))],
        "handed": [
            _loop(draw, 3, 2, 1, draw.randint(8, 12)),
            _loop(draw, 0, 1, 2, draw.randint(4, 9)),
            _loop(draw, 0, 3, 1, 4 * draw.randint(1, 2) + 1),
        ],
    }


def _loop(
    draw: Random, passes: int, reviews: int, writes: int, calls: int, *, remarks: bool = False
) -> dict[str, Any]:
    """remarks: the verdict PASS comes with a remark."""
    topic = draw.choice(TOPICS)
    rounds = 2 + calls // (reviews + writes)
    drafts = [
        f"# {topic}\n\nDraft {number}, of {size} words."
        for number, size in enumerate(draw.sample(range(20, 900), rounds))
    ]
    issues = [
        [f"sentence {draw.randint(100, 999)} is dull", f"{draw.randint(100, 999)} needs a source"]
        for _ in drafts
    ]
    verdicts = f"version {passes} passes" if passes else "no version passes"
    verdicts += ", with a remark" if remarks else ""
    return {
        "about": f"calls is {calls}; a review takes {reviews}, a revision {writes}; {verdicts}",
        "task": f"Write a brief on {topic}",
        "facts": f"- {topic} has {draw.randint(100, 999)} parts. [{topic.lower()}-1]",
        "drafts": drafts,
        "issues": issues,
        "passes": passes,
        "remarks": [f"sentence {draw.randint(100, 999)} may be shorter"] if remarks else [],
        "reviews": reviews,
        "writes": writes,
        "calls": calls,
        "before": draw.randint(2, 4),
    }


# ── 06.2 ──────────────────────────────────────────────────────────────────────────────────────────

AGENTS = ("editor", "checker", "translator", "writer", "reviewer", "printer")
PARTS = ("draft", "style", "facts", "feedback", "glossary")


def logs(draw: Random) -> dict[str, list[Any]]:
    """Logs with complete handoffs and gaps; then also texts without text, and agents without needs."""
    kinds = ["whole", "half", "half", "none", "whole", "half"]
    return {
        "gaps": [_log(draw, names) for names in (["whole", "half", "none"], kinds, kinds)],
        "traps": [_log(draw, [*kinds, "blank", "nobody", "empty"]) for _ in range(2)],
    }


def _log(draw: Random, kinds: list[str]) -> dict[str, Any]:
    names = draw.sample(AGENTS, 4)
    needs = {name: sorted(draw.sample(PARTS, draw.randint(2, 3)), reverse=True) for name in names}
    log = []
    for kind in draw.sample(kinds, len(kinds)):
        name = "archivist" if kind == "nobody" else draw.choice(names)
        required = needs.get(name, [])
        given_parts = list(required) if kind in ("whole", "blank", "empty") else []
        if kind == "half":
            given_parts = draw.sample(required, len(required) - 1)
        artifacts = {
            part: f"The {part} of {draw.randint(1990, 2024)}."
            for part in draw.sample(given_parts, len(given_parts))
        }
        if kind in ("blank", "empty"):
            text = "" if kind == "empty" else draw.choice(["  \n", "\n"])
            artifacts[draw.choice(required)] = text
        if draw.random() < 0.5:
            artifacts["notes"] = "More on the draft."
        log.append(
            _handoff("Work on the draft, the style and the facts", "supervisor", name, artifacts)
        )
    handed = "; ".join(
        f"{handoff['to_agent']} got {', '.join(handoff['artifacts']) or 'nothing'}"
        for handoff in log
    )
    wanted_by = "; ".join(f"{name} needs {', '.join(parts)}" for name, parts in needs.items())
    return {"log": log, "needs": needs, "about": f"the log: {handed}. {wanted_by}"}


def _handoff(intent: str, giver: str, receiver: str, artifacts: dict[str, str]) -> dict[str, Any]:
    handoff = Handoff(
        intent=intent, artifacts=artifacts, from_agent=giver, to_agent=receiver, return_to=giver
    )
    return handoff.model_dump(mode="json")


# ── 06.3 ──────────────────────────────────────────────────────────────────────────────────────────


def searches(draw: Random) -> dict[str, list[Any]]:
    """A researcher that is never done, that plans until its calls are used up, that answers after a
    search or without one, and that answers at its last turn.
    """
    return {
        "runaway": [_search(draw, 99, 12), _search(draw, 99, 12), _search(draw, 99, 12, plans=8)],
        "answers": [
            _search(draw, draw.randint(1, 2), 12),
            _search(draw, 99, 2),
            _search(draw, 0, 12),
        ],
    }


def _search(draw: Random, ends: int, turns: int, *, plans: int = 0) -> dict[str, Any]:
    """plans: the calls that it takes before its first search."""
    topic = draw.choice(TOPICS)
    documents = [
        {
            "id": f"library-{part}-{draw.randint(100, 999)}",
            "title": f"On {topic} {part}",
            "text": f"The library has {draw.randint(100, 999)} pages on {topic} {part}.",
        }
        for part in range(8)
    ]
    about = (
        f"it answers {('without a search', 'after one search', 'after two searches')[ends]}"
        if ends < 99
        else f"it would search on, and has {turns} turns"
    )
    about += f"; before the first search it takes {plans} calls for a plan" * bool(plans)
    return {
        "about": f"the researcher: {about}",
        "topic": topic,
        "documents": documents,
        "final": f"- {topic} has {draw.randint(1_000, 9_999)} parts. [{documents[0]['id']}]",
        "ends": ends,
        "turns": turns,
        "plans": plans,
        "calls": draw.randint(4, 7),
        "before": draw.randint(1, 3),
    }


# ── 06.4 ──────────────────────────────────────────────────────────────────────────────────────────

NAMES = (
    "newsroom",
    "archive",
    "writer",
    "checker",
    "editor",
    "translator",
    "lawyer",
    "printer",
    "librarian",
    "proofreader",
)


def rings(draw: Random) -> dict[str, list[Any]]:
    """Logs with a ring of so many agents (0: none), and with ways that are not one."""
    tricky = [
        (0, ("two ways", "repeats")),
        (2, ("two ways", "repeats")),
        (0, ("two ways", "repeats")),
    ]
    return {
        "two": [*(_ring(draw, 2) for _ in range(2)), _ring(draw, 1)],
        "long": [_ring(draw, draw.randint(3, 4)) for _ in range(2)],
        "none": [_ring(draw, size, more) for size, more in tricky],
        "other ways": [
            _ring(draw, 3, more)
            for more in (("a way in",), ("repeats", "two ways"), ("another user",))
        ],
    }


def _ring(draw: Random, size: int, more: tuple[str, ...] = ()) -> dict[str, Any]:
    names = draw.sample(NAMES, len(NAMES))
    arrows: dict[str, list[str]] = {"user": ["supervisor"], "supervisor": []}
    members, others = names[:size], names[size:]
    for index, name in enumerate(members):
        arrows[name] = [members[(index + 1) % size]]
    if members:
        arrows["supervisor"] += [members[0]]
        arrows[members[-1]] = [others[0], members[0], others[0]]
    one, two, both, again = others[1:5]
    if "two ways" in more:
        arrows["supervisor"] += [one, two]
        arrows[one], arrows[two] = [both], [both]
    if "repeats" in more:
        arrows["supervisor"] += [again, others[5], again]
    if "a way in" in more:
        arrows["supervisor"].insert(0, others[6])
        arrows[others[6]] = [members[-1]]
    log = []
    if "another user" in more:
        arrows |= {"supervisor": [one], "night shift": [members[0]]}
        log = _walked(arrows, "night shift", ())
    log = _walked(arrows, "user", ()) + log
    shown = ", ".join(f"{handoff['from_agent']} → {handoff['to_agent']}" for handoff in log)
    return {"log": log, "about": f"the log: {shown}"}


def _walked(arrows: dict[str, list[str]], name: str, way: tuple[str, ...]) -> list[dict[str, Any]]:
    """The log of a run in which each hands work to all that their arrows name; who is at work already is refused."""
    log = []
    for part, receiver in enumerate(arrows.get(name, ())):
        log.append(_handoff(f"Write a brief, part {part}", name, receiver, {}))
        if receiver not in (*way, name):
            log += _walked(arrows, receiver, (*way, name))
    return log


INPUTS = {"06.1": loops, "06.2": logs, "06.3": searches, "06.4": rings}
