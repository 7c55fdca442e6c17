"""The author's side of lesson 07: what answers are tried on, known slips, right answers in other words."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from random import Random
from typing import Any

from kernel.plumbing.trace import counted

# ── 07.1 ──────────────────────────────────────────────────────────────────────────────────────────


def bills(draw: Random) -> dict[str, list[Any]]:
    """A team beside one agent, with more calls and with fewer; free models, and prices that are not known."""
    return {
        "known": [_bills(draw), _bills(draw, fewer=True)],
        "unknown": [
            *(_bills(draw, unknown=name) for name in ("team", "alone")),
            *(_bills(draw, free=names) for names in (("alone",), ("team", "alone"))),
        ],
    }


def _bills(
    draw: Random, *, fewer: bool = False, free: tuple[str, ...] = (), unknown: str = ""
) -> dict[str, Any]:
    calls = [draw.randint(4, 7), draw.randint(1, 3)]
    alone = 10 * draw.randint(50, 150)
    sizes = [alone * draw.choice((13, 17, 22, 31, 43, 58, 67)) // 10, alone]
    if fewer:
        calls.reverse()
    about = (
        f"{counted(calls[0], 'call')} with {sizes[0]:,} tokens beside {calls[1]} with {sizes[1]:,}"
    )
    about += "".join(f"; the model of {name!r} costs nothing" for name in free)
    about += f"; one price of {unknown!r} is not known" if unknown else ""
    case: dict[str, Any] = {"about": about}
    for name, count, size in zip(("team", "alone"), calls, sizes, strict=True):
        case[name] = _replies(draw, count, size, free=name in free)
        if name == unknown:
            case[name][count // 2][2] = None
    return case


def _replies(draw: Random, count: int, tokens: int, *, free: bool) -> list[list[Any]]:
    cuts = [0, *sorted(draw.sample(range(1, tokens), 2 * count - 1)), tokens]
    sizes = [after - before for before, after in pairwise(cuts)]
    prices = [
        "0" if free else str(Decimal(draw.randint(100, 9_999)) / 1_000_000) for _ in range(count)
    ]
    return [[sizes[2 * index], sizes[2 * index + 1], prices[index]] for index in range(count)]


# ── 07.2 ──────────────────────────────────────────────────────────────────────────────────────────

SAYINGS = (
    "The tracing library writes {} spans a second",
    "A cached prompt saves {} tokens of the desk",
    "The smallest budget of the desk is {} tokens",
    "The notes file holds {} lines of memory",
    "The waiting queue takes {} tasks at once",
    "The golden set of the judge has {} questions",
)


def briefs(draw: Random) -> dict[str, list[Any]]:
    """Briefs of ten or twenty cited sentences, each of one of the kinds, and some without a citation."""
    nothing: dict[str, Any] = {
        "pairs": [[SAYINGS[0].format(draw.randint(10, 99)), []]],
        "documents": {},
    }
    nothing["about"] = "one sentence, which cites nothing"
    small = {
        "pairs": [
            ["It takes 12 tasks", ["queue"]],
            ["It holds 7 lines", ["notes"]],
            ["It has 3 parts", []],
        ],
        "documents": {
            "queue": "The queue takes 12 tasks.",
            "notes": "The file holds 9 lines.",
            "parts": "There are 7 parts.",
        },
        "about": "three sentences, one of them without a citation",
    }
    whole = ("right", "half", "part", "two", "wordy", "ends")

    def short(*kinds: str) -> dict[str, Any]:
        brief = _brief(draw, kinds, 0, size=len(kinds))
        known = "; ".join(f"{id!r} says {text!r}" for id, text in brief["documents"].items())
        sentences = "; ".join(
            f"{sentence!r} cites {', '.join(ids)}" for sentence, ids in brief["pairs"]
        )
        return {**brief, "about": f"{sentences}. Of the documents, {known}"}

    return {
        "cited": [
            small,
            *(_brief(draw, ("right", "wrong", "elsewhere"), draw.randint(2, 5)) for _ in range(2)),
        ],
        "whole": [
            *(short("wrong", kind) for kind in ("part", "half", "two", "ends")),
            short("right", "right", "wrong", "wordy"),
            *(_brief(draw, whole, 0) for _ in range(2)),
        ],
        "missing": [
            short("right", "unknown"),
            _brief(draw, ("right", "wrong", "unknown"), 3),
            nothing,
        ],
    }


def _brief(draw: Random, kinds: tuple[str, ...], without: int, *, size: int = 0) -> dict[str, Any]:
    size = size or draw.choice((10, 20))
    chosen = [*kinds, *draw.choices(kinds, k=size - len(kinds)), *["uncited"] * without]
    drawn = iter(draw.sample(range(100, 1_000), 3 * len(chosen)))
    pairs: list[Any] = []
    documents: dict[str, str] = {}
    for number, kind in enumerate(chosen):
        sentence, ids, texts = _sentence(draw, kind, [next(drawn) for _ in range(3)], number)
        pairs.append([sentence, ids])
        documents |= texts
    draw.shuffle(pairs)
    return {
        "pairs": pairs,
        "documents": documents,
        "about": f"{len(pairs)} sentences, {without} of them without a citation",
    }


def _sentence(
    draw: Random, kind: str, figures: list[int], number: int
) -> tuple[str, list[str], dict[str, str]]:
    """A sentence of one kind, the ids that it cites, and its documents."""
    one, two, says = f"page-{number}", f"note-{number}", draw.choice(SAYINGS)
    figure, other, third = figures
    texts = {one: f"{says.format(figure)}.", two: f"There were {other} of them."}
    match kind:
        case "right":
            return says.format(figure), [one], texts
        case "wrong":
            return says.format(third), [one], texts
        case "elsewhere":
            return says.format(other), [one], texts
        case "half":
            return f"{says.format(figure)} and {third} more", [one], texts
        case "part":
            return says.format(third), [one], texts | {one: f"{says.format(f'7{third}')}."}
        case "two":
            return f"{says.format(figure)}, {other} in all", [one, two], texts
        case "ends":  # documents that end and begin with a number
            texts = {one: f"Its number is {figure}", two: f"{other} were counted."}
            return f"{says.format(figure)}, {other} in all", [one, two], texts
        case "wordy":
            return says.format("many"), [one], texts
        case "unknown":
            return says.format(figure), [f"lost-{number}"], texts
    return says.format(figure), [], texts


# ── 07.3 ──────────────────────────────────────────────────────────────────────────────────────────


def figures(draw: Random) -> dict[str, list[Any]]:
    """Pairs of designs, most of them twice."""
    kinds = {
        "worth": ("worth it", "too dear"),
        "mistakes": ("better", "worse", "worth it", "too dear"),
        "little": ("even", "cheaper", "dearer", "fewer", "cheaper", "dearer"),
    }
    return {
        name: [_figures(draw, kind) for kind in (*several, *several[:2])]
        for name, several in kinds.items()
    }


def _figures(draw: Random, kind: str) -> dict[str, Any]:
    sources, more, worth = (
        draw.randint(2, 6),
        draw.randint(1, 4),
        Decimal(draw.randint(10, 90)) / 1000,
    )
    base, gained = Decimal(draw.randint(100, 200)) / 100, more * worth
    extra, further, mistakes = {
        "worth it": (gained - worth * draw.randint(1, 5) / 10, more, (1, 1)),
        "too dear": (gained + worth * draw.randint(1, 5) / 10, more, (1, 1)),
        "even": (gained, more, (0, 0)),
        "cheaper": (-worth / 10, 0, (2, 2)),
        "dearer": (worth / 10, 0, (0, 0)),
        "fewer": (worth / 10, -1, (1, 1)),
        "better": (base, 0, (0, draw.randint(1, 3))),
        "worse": (-worth / 10, more, (draw.randint(2, 4), 1)),
    }[kind]
    team = {"usd": f"{base + extra:f}", "sources": sources + further, "mistakes": mistakes[0]}
    alone = {"usd": f"{base:f}", "sources": sources, "mistakes": mistakes[1]}
    about = f"the team costs {extra:f} dollars more, for {further} further sources at {worth:f}; mistakes: {mistakes[0]} and {mistakes[1]}"
    return {"team": team, "alone": alone, "source_usd": f"{worth:f}", "about": about}


# ── 07.4 ──────────────────────────────────────────────────────────────────────────────────────────

DESIGNS = ("alder", "birch", "cedar", "hazel", "larch", "maple", "rowan", "willow")
"""Names that no title holds by chance, as "The best team: crew" holds `team`."""
TASKS = ("pgvector", "Qdrant", "rate limits", "OpenTelemetry", "the history of MCP", "tool calls")


def measured(draw: Random) -> dict[str, list[Any]]:
    """Designs that finish some tasks, end some with half of the work, and fail at others."""
    plain: dict[str, Any] = {"about": "two designs, two tasks; one of four runs fails"}
    plain["designs"] = {
        "birch": _endings(draw, TASKS[:2], 1),
        "maple": _endings(draw, TASKS[:2], 2),
    }
    plain["tasks"] = [*TASKS[:2]]
    return {
        "few": [plain, _measured(draw, 2, 3)],
        "many": [_measured(draw, 3, 4), _measured(draw, 4, 5)],
    }


def _measured(draw: Random, many: int, size: int) -> dict[str, Any]:
    """The best one is neither the first of the list nor the last of the alphabet."""
    names, tasks = sorted(draw.sample(DESIGNS, many)), draw.sample(TASKS, size)
    winner, highest = names.pop(many // 2 - 1), draw.randint(2, size)
    draw.shuffle(names)
    names.insert(draw.randint(1, len(names)), winner)
    counts = {name: draw.randint(0, highest - 1) for name in names} | {winner: highest}
    designs = {name: _endings(draw, tasks, counts[name]) for name in names}
    return {
        "about": f"{many} designs, {size} tasks; some runs fail, some stop half way",
        "designs": designs,
        "tasks": tasks,
    }


def _endings(draw: Random, tasks: Sequence[str], count: int) -> dict[str, dict[str, Any]]:
    """By task, how a design ends: so many are ok; the others keep half of the work, or nothing."""
    finished = set(draw.sample([*tasks], count))
    endings: dict[str, dict[str, Any]] = {}
    for number, task in enumerate(tasks):
        if task in finished:
            endings[task] = {"status": "ok", "output": f"A brief on {task}."}
        elif number % 2:
            endings[task] = {"status": "failed", "reason": "the service is down"}
        else:
            half = f"Half a brief on {task}."
            endings[task] = {"status": "exhausted", "output": half, "reason": "no calls left"}
    return endings


INPUTS = {"07.1": bills, "07.2": briefs, "07.3": figures, "07.4": measured}
