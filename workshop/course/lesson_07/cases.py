"""The author's side of lesson 07: what answers are tried on, known slips, right answers in other words."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise
from random import Random
from typing import Any

from kernel.trace import counted

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
    nothing = {"pairs": [[SAYINGS[0].format(draw.randint(10, 99)), []]], "documents": {}}
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
            *(short("wrong", kind) for kind in ("part", "half", "two", "ends", "wordy")),
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


INPUTS = {"07.1": bills, "07.2": briefs, "07.3": figures}

OURS = "ours, theirs = team.totals(), alone.totals()"
CALLS = 'ours["calls"] - theirs["calls"]'
TOKENS = "tokens[0] / tokens[1]"
SUM = 'it["input_tokens"] + it["output_tokens"]'
USD = 'ours["usd"] - theirs["usd"] if known else None'
CITED = "cited = [(sentence, sources) for sentence, sources in pairs if sources]"
THERE = 'there = {number for id in sources for number in numbers(documents.get(id, ""))}'
HELD = "held += numbers(sentence) <= there"
SHARE = "return held / len(cited) if cited else 0.0"
FIRST = 'if team["mistakes"] != alone["mistakes"]:'
FEWER = 'return "team" if team["mistakes"] < alone["mistakes"] else "one agent"'
EXTRA = 'extra = team["usd"] - alone["usd"]'
LAST = 'return "team" if gain > extra else "one agent"'

SLIPS = {
    "07.1": {
        "no dict": [("    return {", "    return tokens\n    return {")],
        "wrong way round": [(CALLS, 'theirs["calls"] - ours["calls"]')],
        "sign lost": [(CALLS, f"abs({CALLS})")],
        "not a difference": [(CALLS, 'ours["calls"]')],
        "upside down": [(TOKENS, "tokens[1] / tokens[0]")],
        "how much more": [(TOKENS, "(tokens[0] - tokens[1]) / tokens[1]")],
        "free is unknown": [(USD, USD.replace("known", 'ours["usd"] and theirs["usd"]'))],
        "rounded": [(TOKENS, f"round({TOKENS})")],
        "subtracted": [(TOKENS, "tokens[0] - tokens[1]")],
        "only the input": [(SUM, 'it["input_tokens"]')],
        "only the output": [(SUM, 'it["output_tokens"]')],
        "unknown is zero": [(USD, '(ours["usd"] or 0) - (theirs["usd"] or 0)')],
        "unknown price crashes": [(USD, 'ours["usd"] - theirs["usd"]')],
    },
    "07.2": {
        "any document": [("for id in sources for number", "for id in documents for number")],
        "all sentences": [(" if sources]", "]")],
        "one number is enough": [(HELD, "held += bool(numbers(sentence) & there)")],
        "part of a number": [
            (HELD, 'held += all(it in " ".join(there) for it in numbers(sentence))')
        ],
        "every source": [
            (
                HELD,
                'held += all(numbers(sentence) <= numbers(documents.get(id, "")) for id in sources)',
            )
        ],
        "unknown source": [('documents.get(id, "")', "documents[id]")],
        "nothing cited": [(SHARE, "return held / len(cited)")],
        "a count": [(SHARE, "return held")],
        "percent": [(SHARE, SHARE.replace("held /", "100 * held /"))],
        "rounded down": [(SHARE, SHARE.replace("held /", "held //"))],
        "no number in it": [
            (HELD, "held += bool(numbers(sentence)) and numbers(sentence) <= there")
        ],
        "the other share": [(SHARE, "return 1 - held / len(cited) if cited else 0.0")],
        "no number": [(SHARE, "return cited")],
    },
    "07.3": {
        "more sources win": [(LAST, 'return "team" if gain > 0 else "one agent"')],
        "cheaper wins": [(LAST, 'return "team" if extra < 0 else "one agent"')],
        "whole bill": [(EXTRA, 'extra = team["usd"]')],
        "nothing gained": [('(team["sources"] - alone["sources"])', 'team["sources"]')],
        "a tie to the team": [("gain > extra", "gain >= extra")],
        "a cheaper team refused": [("gain > extra", "gain > max(extra, 0)")],
        "mistakes overlooked": [(FIRST, 'if team["mistakes"] > alone["mistakes"]:')],
        "mistakes of the team": [(FIRST, 'if team["mistakes"] < alone["mistakes"]:')],
        "no verdict": [(LAST, "return gain > extra")],
    },
}
"""By exercise and name, our solution changed: (old text, new text); where the old text is empty, the new one is the body."""

RIGHT = {
    "07.1": [
        """\
# From the table by agent instead of the totals.
def compare(team, alone):
    def total(trace, *names):
        return sum(used[name] for used in trace.by_agent().values() for name in names)

    both = ("input_tokens", "output_tokens")
    try:
        usd = total(team, "usd") - total(alone, "usd")
    except TypeError:
        usd = None
    calls = total(team, "calls") - total(alone, "calls")
    return {"calls": calls, "tokens": total(team, *both) / total(alone, *both), "usd": usd}
""",
        """\
def compare(team, alone):
    a, b = team.totals(), alone.totals()
    usd = None if None in (a["usd"], b["usd"]) else float(a["usd"] - b["usd"])
    ratio = (a["output_tokens"] + a["input_tokens"]) / (b["output_tokens"] + b["input_tokens"])
    return {"usd": usd, "calls": float(len([it for it in team.events if it.kind == "reply"]) - b["calls"]), "tokens": round(ratio, 2),
            "comment": "as asked"}
""",
        """\
def compare(team, alone):
    from collections import OrderedDict
    figures, (ours, theirs) = OrderedDict(), (it.totals() for it in (team, alone))
    figures["calls"] = ours["calls"] - theirs["calls"]
    figures["tokens"] = sum(ours[f"{way}put_tokens"] for way in ("in", "out")) / sum(theirs[f"{way}put_tokens"] for way in ("in", "out"))
    figures["usd"] = None if ours["usd"] is None or theirs["usd"] is None else ours["usd"] - theirs["usd"]
    return figures
""",
    ],
    "07.2": [
        """\
# One list of verdicts, one division.
def numbers_held(pairs, documents):
    verdicts = [numbers(sentence) <= numbers(" ".join(documents.get(id, "") for id in sources))
                for sentence, sources in pairs if sources]
    return sum(verdicts) / max(1, len(verdicts))
""",
        """\
def numbers_held(pairs, documents):
    good = bad = 0
    for sentence, ids in pairs:
        if not ids:
            continue
        text = " ".join(documents[id] for id in ids if id in documents)
        if numbers(sentence) - numbers(text):
            bad += 1
        else:
            good += 1
    return 0 if good == 0 else round(good / (good + bad), 2)
""",
        """\
class Shelf(dict):
    def __missing__(self, id):
        return ""
def numbers_held(pairs, documents):
    shelf, held, cited = Shelf(documents), 0, 0
    for pair in pairs:
        match pair:
            case (_, []):
                continue
            case (sentence, ids):
                cited += 1
                known = set()
                for id in ids:
                    known |= numbers(shelf[id])
                if not numbers(sentence) - known:
                    held += 1
    return held / cited if cited else 0.0
""",
    ],
    "07.3": [
        """\
# The better of two sort keys; a tie goes to the first of the list.
def verdict(team, alone, source_usd):
    def merit(name_and_figures):
        _, figures = name_and_figures
        return -figures["mistakes"], figures["sources"] * source_usd - figures["usd"]

    return max([("one agent", alone), ("team", team)], key=merit)[0]
""",
        """\
def verdict(team, alone, source_usd):
    fewer = alone["mistakes"] - team["mistakes"]
    net = source_usd * team["sources"] - source_usd * alone["sources"] + alone["usd"] - team["usd"]
    return ["one agent", "team"][fewer > 0 or (fewer == 0 and net > 0)]
""",
    ],
}
"""By exercise; `solution` shows the first beside ours."""
