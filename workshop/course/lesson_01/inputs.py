"""The author's side of lesson 01: what answers are tried on, known slips, right answers in other words."""

from __future__ import annotations

from random import Random
from typing import Any

from kernel.plumbing.trace import counted

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
        "all calls": [
            _conversation(draw, [draw.randint(2, 3)], turned=turned) for turned in (False, True)
        ],
        "whole replies": [
            _conversation(draw, many, thinking=True),
            _conversation(draw, [1] * draw.randint(8, 12)),
        ],
    }


def _conversation(
    draw: Random,
    turns: list[int],
    *,
    thinking: bool = False,
    talking: bool = False,
    turned: bool = False,
) -> dict[str, Any]:
    """talking: a few words stand before the calls, in the same reply; turned: a call names the last
    parameter of the function first.
    """
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
        calls: list[dict[str, Any]] = [
            {
                "type": "tool_use",
                "name": name,
                "input": {**({"language": "en"} if turned else {}), "topic": topic},
            }
            for name, topic in draw.sample(pairs, size)
        ]
        words = {"type": "text", "text": f"Let me look at {calls[0]['input']['topic']}."}
        replies.append([*thought(), *[words] * talking, *calls])
    last = {"type": "text", "text": f"There are {draw.randint(1_000, 9_999)} documents."}
    used = " and ".join(counted(size, "call") for size in turns) or "no call"
    if len(turns) > 4:
        used = f"a call in each of {len(turns)} replies"
    used += ", each after a few words" * talking
    used += ", with the arguments in another order than the function's" * turned
    return {
        "about": f"the model makes {used}, and then answers{'; it thinks first' * thinking}",
        "tools": TOOLS,
        "known": known,
        "replies": [*replies, [*thought(), last]],
        "question": f"What is there on {draw.choice(TOPICS)}?",
    }


# ── 01.2 ──────────────────────────────────────────────────────────────────────────────────────────


def shelves(draw: Random) -> dict[str, list[Any]]:
    """Draws shelves, with ids that are on them and ids that are not; one id has capitals, one text
    is empty.
    """
    return {
        "there": [_shelf(draw) for _ in range(2)] + [_shelf(draw, empty=True)],
        "unknown": [_shelf(draw, missing=True), _shelf(draw, missing=True, half=True)],
    }


def _shelf(
    draw: Random, *, missing: bool = False, half: bool = False, empty: bool = False
) -> dict[str, Any]:
    """missing: an id is asked for that is not there; half: it is the beginning of one that is;
    empty: the first text that is asked for is empty.
    """
    ids = [
        f"{topic.replace(' ', '-')}-{draw.randint(100, 999)}" for topic in draw.sample(TOPICS, 4)
    ]
    away = ids.pop()
    ids.insert(draw.randint(0, 3), f"RFC-{draw.randint(1_000, 9_999)}")
    sources = draw.sample(ids, 3)
    if missing:
        sources = [ids[2], ids[0][: len(ids[0]) // 2] if half else away]
    elif not any(id.startswith("RFC") for id in sources):
        sources[1] = next(id for id in ids if id.startswith("RFC"))
    shelf = {
        id: f"Read {times} times."
        for id, times in zip(ids, draw.sample(range(100, 999), 4), strict=True)
    }
    if empty:
        shelf[sources[0]] = ""
    about = f"on the shelf: {', '.join(ids)}; the model asks for {', '.join(sources)}"
    about += f"; the text of {sources[0]} is empty" * empty
    about += ", which is only the beginning of an id" * half
    return {"about": about, "shelf": shelf, "wanted": sources}


# ── 01.3 ──────────────────────────────────────────────────────────────────────────────────────────


def limits(draw: Random) -> dict[str, list[Any]]:
    """An answer within the turns; a model that never has enough; a limit of one turn, and a high one;
    words before the calls, in the same reply.
    """
    cap, low = draw.randint(3, 5), draw.randint(2, 4)
    within = [_limit(draw, turns, cap) for turns in (1, 0, cap - 1)]
    return {
        "within": [*within, _limit(draw, 2, cap, talking=True)],
        "at the limit": [_limit(draw, low, low)],
        "ends": [_limit(draw, size, size) for size in (1, 5)],
    }


def _limit(draw: Random, turns: int, max_turns: int, *, talking: bool = False) -> dict[str, Any]:
    """talking: a few words stand before the calls, in the same reply."""
    known = {topic: f"{draw.randint(1_000, 9_999)} documents" for topic in TOPICS}
    sizes = [draw.randint(2, 3) if turn == 0 and turns > 1 else 1 for turn in range(turns)]
    wish = (
        "calls a tool as long as it may"
        if turns == max_turns
        else f"calls a tool in {counted(turns, 'turn')}, then answers"
    )
    if turns > 1:
        wish += f"; its first reply holds {sizes[0]} calls"
    wish += "; before its calls it says a few words" * talking
    return {
        "about": f"max_turns is {max_turns}; the model {wish}",
        "known": known,
        "topics": [draw.sample(TOPICS, size) for size in sizes],
        "final": f"From what was found: {draw.choice([*known.values()])}.",
        "question": f"Compare {draw.choice(TOPICS)} and others.",
        "max_turns": max_turns,
        "says": "Let me look it up." if talking else "",
    }


INPUTS = {"01.1": conversations, "01.2": shelves, "01.3": limits, "01.t1": limits}
