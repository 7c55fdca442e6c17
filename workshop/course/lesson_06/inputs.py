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


def namings(draw: Random) -> dict[str, list[Any]]:
    """A model that names what is needed; one that names nothing, or an empty result; one that names what is not there."""
    return {
        "named": [_naming(draw, "right"), _naming(draw, "more")],
        "nothing": [_naming(draw, "nothing"), _naming(draw, "one"), _naming(draw, "empty")],
        "unknown": [_naming(draw, "unknown")],
    }


def _naming(draw: Random, kind: str) -> dict[str, Any]:
    """Results by name, and what a model names in one call after the other."""
    topic, number = draw.choice(TOPICS), draw.randint(100, 999)
    facts, draft, feedback = (
        f"{name}-{draw.randint(1, 9)}" for name in ("researcher", "writer", "reviewer")
    )
    results = {
        facts: f"- {topic} has {number} users. [{topic.lower()}-1]",
        draft: f"{topic} has users.",
        feedback: f"say that there are {number}",
    }
    needs = draw.sample(["facts", "draft"], 2)
    right = {"facts": facts, "draft": draft}
    wrong: dict[str, dict[str, str]] = {
        "nothing": {},
        "one": {needs[0]: right[needs[0]]},
        "unknown": {**right, "feedback": f"{feedback}{draw.randint(0, 9)}"},
        "empty": {**right, needs[0]: "archive-1"},
    }
    if kind == "empty":
        results["archive-1"] = ""
    if kind == "more":
        right = {**right, "feedback": feedback}
    first = [wrong[kind]] if kind in wrong else []
    shown = " and then ".join(str(names) for names in [*first, right])
    return {
        "about": f"needed are {' and '.join(needs)}; the results are {', '.join(results)}; the model names {shown}",
        "results": results,
        "needs": needs,
        "names": [*first, right],
        "brief": f"{topic}: {number} users.",
    }


INPUTS = {"06.1": loops, "06.2": logs, "06.3": searches, "06.4": namings}
