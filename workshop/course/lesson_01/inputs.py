"""The author's side of lesson 01: what answers are tried on, known slips, right answers in other words."""

from __future__ import annotations

from random import Random
from typing import Any

from kernel.trace import counted

TOPICS = (
    "vector stores",
    "retries",
    "tracing",
    "evaluation",
    "memory",
    "budgets",
    "caching",
    "handoffs",
)
TOOLS = {
    "documents_on": "Count the documents on a topic.",
    "newest_on": "Give the number of the newest document on a topic.",
    "words_on": "Count the words on a topic.",
}


# ── 01.1 ──────────────────────────────────────────────────────────────────────────────────────────


def conversations(draw: Random) -> dict[str, list[Any]]:
    """No call or one; several calls in a reply; several turns, with thinking."""
    many = [draw.randint(1, 3) for _ in range(draw.randint(3, 4))]
    return {
        "last words": [
            *(_conversation(draw, turns) for turns in ([1], [])),
            _conversation(draw, [1, 1], talking=True),
        ],
        "all calls": [_conversation(draw, [draw.randint(2, 3)]) for _ in range(2)],
        "whole replies": [_conversation(draw, many, thinking=True)],
    }


def _conversation(
    draw: Random, turns: list[int], *, thinking: bool = False, talking: bool = False
) -> dict[str, Any]:
    """talking: a few words stand before the calls, in the same reply."""
    known = {
        name: {topic: f"{draw.randint(1_000, 9_999)} on {topic}" for topic in TOPICS}
        for name in TOOLS
    }

    def thought() -> list[dict[str, Any]]:
        seal = f"seal-{draw.randint(10**8, 10**9)}"
        return [{"type": "thinking", "thinking": "I look into it.", "signature": seal}] * thinking

    pairs = [(name, topic) for name in TOOLS for topic in TOPICS]
    replies: list[Any] = []
    for size in turns:
        calls = [
            {"type": "tool_use", "name": name, "input": {"topic": topic}}
            for name, topic in draw.sample(pairs, size)
        ]
        words = {"type": "text", "text": f"Let me look at {calls[0]['input']['topic']}."}
        replies.append([*thought(), *[words] * talking, *calls])
    last = {"type": "text", "text": f"There are {draw.randint(1_000, 9_999)} documents."}
    used = " and ".join(counted(size, "call") for size in turns) or "no call"
    used += ", each after a few words" * talking
    return {
        "about": f"the model makes {used}, and then answers{'; it thinks first' * thinking}",
        "tools": TOOLS,
        "known": known,
        "replies": [*replies, [*thought(), last]],
        "question": f"What is there on {draw.choice(TOPICS)}?",
    }


# ── 01.2 ──────────────────────────────────────────────────────────────────────────────────────────


def shelves(draw: Random) -> dict[str, list[Any]]:
    """What is on a shelf, and what is not."""
    return {
        "there": [_shelf(draw, missing=False) for _ in range(2)],
        "unknown": [_shelf(draw, missing=True) for _ in range(2)],
    }


def _shelf(draw: Random, *, missing: bool) -> dict[str, Any]:
    ids = [
        f"{topic.replace(' ', '-')}-{draw.randint(100, 999)}" for topic in draw.sample(TOPICS, 5)
    ]
    away = ids.pop()
    sources = [ids[2], away] if missing else draw.sample(ids, 3)
    shelf = {id: f"{id} was read {draw.randint(100, 999)} times." for id in ids}
    about = f"on the shelf: {', '.join(ids)}; the model asks for {', '.join(sources)}"
    return {"about": about, "shelf": shelf, "wanted": sources}


# ── 01.3 ──────────────────────────────────────────────────────────────────────────────────────────


def limits(draw: Random) -> dict[str, list[Any]]:
    """An answer within the turns; a model that never has enough; a limit of one turn, and a high one."""
    cap, low = draw.randint(3, 5), draw.randint(2, 4)
    return {
        "within": [_limit(draw, turns, cap) for turns in (1, 0, cap - 1)],
        "at the limit": [_limit(draw, low, low)],
        "ends": [_limit(draw, size, size) for size in (1, 5)],
    }


def _limit(draw: Random, turns: int, max_turns: int) -> dict[str, Any]:
    known = {topic: f"{draw.randint(1_000, 9_999)} documents" for topic in TOPICS}
    wish = (
        "calls a tool as long as it may"
        if turns == max_turns
        else f"calls a tool in {counted(turns, 'turn')}, then answers"
    )
    return {
        "about": f"max_turns is {max_turns}; the model {wish}",
        "known": known,
        "topics": draw.sample(TOPICS, turns),
        "final": f"From what was found: {draw.choice([*known.values()])}.",
        "question": f"Compare {draw.choice(TOPICS)} and others.",
        "max_turns": max_turns,
    }


INPUTS = {"01.1": conversations, "01.2": shelves, "01.3": limits}
