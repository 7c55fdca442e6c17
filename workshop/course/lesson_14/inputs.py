"""The author's side of lesson 14: full contexts, long conversations, long work."""

from __future__ import annotations

from random import Random
from typing import Any

TOPICS = ("pgvector", "Qdrant", "Milvus", "Chroma", "tracing", "rate limits", "evaluation")
VERBS = ("compares", "stores", "indexes", "counts", "refuses", "returns")


# ── 14.1 ──────────────────────────────────────────────────────────────────────────────────────


def contexts(draw: Random) -> dict[str, list[Any]]:
    """Contexts over, at and below 80 % of their limit, with pinned entries and equally important ones."""
    limit = draw.choice((500, 1_000, 1_500, 2_000))
    room = limit * 4 // 5
    names = draw.sample(TOPICS, 6)
    levels = sorted(draw.sample(range(1, 10), 6))

    def case(
        about: str, pairs: list[tuple[int, int]], pinned: int = 0, shuffled: bool = True
    ) -> dict[str, Any]:
        """pairs: tokens in percent of the room, importance in tenths; the last ones are pinned."""
        entries = [
            [name, room * share // 100, tenths / 10]
            for name, (share, tenths) in zip(names, pairs, strict=False)
        ]
        kept = [entry[0] for entry in entries[len(entries) - pinned :]] if pinned else []
        about = f"{about}; the limit is {limit}"
        return {
            "about": about,
            "entries": draw.sample(entries, len(entries)) if shuffled else entries,
            "limit": limit,
            "pinned": kept,
        }

    low, some, middle, more, high, top = levels
    return {
        "importance": [
            case("one has to leave", [(30, high), (40, low), (35, middle)]),
            case(
                "several have to leave",
                [(60, top), (30, low), (40, middle), (35, high), (25, some)],
            ),
        ],
        "the share": [
            case("exactly 80 %", [(50, high), (50, low)]),
            case("between 80 % and the limit", [(60, high), (48, low), (4, middle)]),
            case("exactly 80 % after one", [(40, low), (60, high), (40, middle)]),
        ],
        "pinned": [
            case("the least important is pinned", [(30, middle), (45, more), (50, low)], 1),
            case("two are pinned", [(30, high), (20, top), (40, low), (35, some)], 2),
            case("the pinned ones alone are too much", [(20, high), (70, low), (60, some)], 2),
        ],
        "equals": [
            case(
                "three are equally important",
                [(30, some), (55, high), (20, some), (40, some)],
                shuffled=False,
            ),
            case(
                "five are", [(25, low), (30, low), (35, low), (40, low), (22, low)], shuffled=False
            ),
        ],
    }


# ── 14.2 ──────────────────────────────────────────────────────────────────────────────────────


def _sentence(draw: Random, words: int = 8) -> str:
    topic = draw.choice(TOPICS)
    filler = " ".join(draw.choice(("old", "new", "large", "small")) for _ in range(words - 5))
    return f"{topic} {draw.choice(VERBS)} {draw.randint(1_000, 9_999)} {filler} documents."


def conversations(draw: Random) -> dict[str, list[Any]]:
    """Conversations too long, short enough, and a folder that fails."""
    notes = f"- {draw.randint(100, 999)} facts were found. [notes]"
    fine = {"status": "ok", "output": notes}
    half = f"- {draw.randint(100, 999)} facts, half"
    broken = {
        "status": draw.choice(("failed", "exhausted")),
        "output": half,
        "reason": f"request {draw.randint(100, 999)} got no answer",
    }

    def case(about: str, turns: int, spare: int, result: dict[str, Any]) -> dict[str, Any]:
        """turns: pairs of messages before the last one; spare: how many more words than it has are allowed."""
        task = f"Compare {draw.randint(2, 9)} stores\nof    vectors."
        texts = [task, *(_sentence(draw, draw.randint(6, 9)) for _ in range(2 * turns - 1))]
        texts.append(f"And what does  number {draw.randint(100, 999)}\ncost?")
        length = sum(len(text.split()) for text in texts)
        return {
            "about": about,
            "texts": texts,
            "most_words": length + spare,
            "result": result,
        }

    far = -draw.randint(7, 9)
    return {
        "folds": [
            case("five messages are too long", 2, far, fine),
            case("nine messages are too long", 4, -1, fine),
        ],
        "short": [
            case("it is just as long as it may be", 2, 0, fine),
            case("it is short", draw.randint(1, 2), 20, fine),
            case("it is too long by one word", 3, -1, fine),
            case("one word more would fit", 2, 1, fine),
        ],
        "fails": [
            case("the folder does not deliver", 3, far, broken),
            case("it does", 3, far, fine),
        ],
    }


# ── 14.3 ──────────────────────────────────────────────────────────────────────────────────────


def long_work(draw: Random) -> dict[str, list[Any]]:
    """Steps whose results fit, do not fit, or never come."""
    limit = draw.randint(6, 9) * 100
    room = limit * 4 // 5
    keys = draw.sample(("prices", "licences", "limits", "speed", "history", "hosting"), 5)
    number = draw.randint(100, 999)

    def text(key: str, share: int) -> str:
        """A result that fills so many percent of what a context may hold."""
        length = 4 * room * share // 100
        begin = f"On {key}, {number + share} places were looked at."
        filler = " ".join(draw.choice(("old", "new", "large", "small")) for _ in range(length // 4))
        return f"{begin} {filler}"[:length]

    def case(about: str, *results: tuple[int, int] | None) -> dict[str, Any]:
        """results: percent of the room, and importance in tenths; None for a step that fails."""
        steps = []
        for key, found in zip(keys, results, strict=False):
            share, tenths = found or (0, 5)
            result = {"status": "ok", "output": text(key, share)}
            if not found:
                status = draw.choice(("failed", "refused"))
                half = text(key, 20)
                result = {"status": status, "output": half, "reason": f"line {number} is busy"}
            worker = draw.choice(("researcher", "archivist"))
            steps.append([key, worker, f"Look up the {key}", tenths / 10, result])
        return {
            "about": f"{about}; the context holds {limit} tokens",
            "limit": limit,
            "rules": [draw.choice(("researcher", "archivist")), f"Write {number} in full."],
            "task": f"Compare the {draw.randint(2, 9)} stores of house {number}.",
            "steps": steps,
        }

    low, some, high = draw.randint(1, 3), draw.randint(4, 5), draw.randint(7, 9)
    return {
        "fits": [
            case("all results fit", (25, some), (30, high), (20, low)),
            case("four results fit", (20, some), (20, low), (25, high), (15, some)),
        ],
        "evicts": [
            case("the second one has to leave", (35, high), (35, low), (40, some)),
            case("two have to leave", (40, some), (40, low), (55, high), (30, high)),
        ],
        "active": [
            case("the newest is the least important", (55, high), (60, low), (20, some)),
            case("the last one is the least important", (30, high), (30, some), (60, low)),
        ],
        "fails": [
            case("a step in the middle fails", (30, some), None, (30, high), (20, low)),
            case("the last step fails", (30, some), (30, high), None),
            case("the first step fails, and one has to leave", None, (60, low), (50, high)),
        ],
    }


INPUTS = {
    "14.1": contexts,
    "14.2": conversations,
    "14.3": long_work,
}
