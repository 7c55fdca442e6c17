"""Trials of lesson 07: a comparison of two traces, an item of a rubric, a verdict from numbers."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any

from kernel import Event, Trace, models

from .trial import Trial, call


def number(value: Any) -> Any:
    """Any kind of number in one form; figures are drawn so that rounding in an answer does not matter."""
    return round(float(value), 7) if type(value) in (int, float, Decimal, Fraction) else value


# ── 07.1 ───────────────────────────────────────────────────────────────────────────────────────────────────


def trace(draw: Random, calls: int, tokens: int, *, unknown: bool = False) -> Trace:
    """The replies of a run: so many calls, with so many tokens in all; `unknown`: one price is not known."""
    cuts = [0, *sorted(draw.sample(range(1, tokens), 2 * calls - 1)), tokens]
    sizes = [after - before for before, after in pairwise(cuts)]
    events = []
    for at in range(calls):
        used = {"input_tokens": sizes[2 * at], "output_tokens": sizes[2 * at + 1]}
        usd = None if unknown and at == calls // 2 else str(Decimal(draw.randint(100, 9_999)) / 1_000_000)
        events.append(Event(at, at * 0.5, "reply", f"{at + 1}", f"worker {at + 1}", {
            "model": models.worker, "reply": {"usage": used, "stop_reason": "end_turn", "content": []},
            "spent": {"calls": 1, **used, "usd": usd, "unpriced": int(usd is None)}, "seconds": 0.5}))
    return Trace(events)


def difference(compare: Any, draw: Random, unknown: int | None = None, *, fewer: bool = False) -> Any:
    """A team of several calls against another; `unknown` says whose price is not known."""
    calls = (draw.randint(4, 7), draw.randint(1, 3))
    alone, ratio = 10 * draw.randint(50, 150), draw.choice((13, 17, 22, 31, 43, 58, 67))
    sizes = (alone * ratio // 10, alone)
    pairs = [*zip(calls, sizes, strict=True)]
    if fewer:
        pairs = [(calls[1], sizes[0]), (calls[0], sizes[1])]
    came = call(compare, *(trace(draw, *it, unknown=at == unknown) for at, it in enumerate(pairs)))
    return {name: number(came[name]) for name in ("calls", "tokens", "usd") if name in came} if isinstance(came, dict) else came


# ── 07.2 ───────────────────────────────────────────────────────────────────────────────────────────────────

SAYINGS = ("The tracing library writes {} spans a second", "A cached prompt saves {} tokens of the desk",
           "The smallest budget of the desk is {} tokens", "The notes file holds {} lines of memory",
           "The waiting queue takes {} tasks at once", "The golden set of the judge has {} questions")


def shares(numbers_held: Any, draw: Random, kinds: tuple[str, ...], without: int = 0) -> list[Any]:
    """Briefs of ten or twenty cited sentences, each of one of the kinds, and some without a citation."""
    return [number(call(numbers_held, *_brief(draw, kinds, without))) for _ in range(4)]


def _brief(draw: Random, kinds: tuple[str, ...], without: int) -> tuple[list[tuple[str, list[str]]], dict[str, str]]:
    size = draw.choice((10, 20))
    chosen = [*kinds, *draw.choices(kinds, k=size - len(kinds))]
    drawn = iter(draw.sample(range(100, 1_000), 3 * (size + without)))
    pairs, documents = [], {}
    for at, kind in enumerate([*chosen, *["uncited"] * without]):
        there, other, third = next(drawn), next(drawn), next(drawn)
        one, two, says = f"page-{at}", f"note-{at}", draw.choice(SAYINGS)
        documents[one], documents[two] = f"{says.format(there)}.", f"There were {other} of them."
        match kind:
            case "right":
                pair = says.format(there), [one]
            case "wrong":
                pair = says.format(third), [one]
            case "elsewhere":
                pair = says.format(other), [one]
            case "half":
                pair = f"{says.format(there)} and {third} more", [one]
            case "part":
                documents[one] = f"{says.format(f'7{third}')}."
                pair = says.format(third), [one]
            case "two":
                pair = f"{says.format(there)}, {other} in all", [one, two]
            case "wordy":
                pair = says.format("many"), [one]
            case "unknown":
                pair = says.format(there), [f"lost-{at}"]
            case _:
                pair = says.format(there), []
        pairs.append(pair)
    draw.shuffle(pairs)
    return pairs, documents


# ── 07.3 ───────────────────────────────────────────────────────────────────────────────────────────────────


def verdicts(verdict: Any, draw: Random, kinds: tuple[str, ...]) -> list[Any]:
    """A verdict on each of twelve pairs of figures, in a drawn order."""
    cases = [*kinds, *kinds, *draw.choices(kinds, k=12 - 2 * len(kinds))]
    draw.shuffle(cases)
    seen = []
    for kind in cases:
        sources, more, worth = draw.randint(2, 6), draw.randint(1, 4), Decimal(draw.randint(10, 90)) / 1000
        base, gained = Decimal(draw.randint(100, 200)) / 100, more * worth
        usd, further, mistakes = {
            "worth it": (gained - worth * draw.randint(1, 5) / 10, more, (1, 1)),
            "too dear": (gained + worth * draw.randint(1, 5) / 10, more, (1, 1)),
            "even": (gained, more, (0, 0)),
            "cheaper": (-worth / 10, 0, (2, 2)),
            "dearer": (worth / 10, 0, (0, 0)),
            "better": (base, 0, (0, draw.randint(1, 3))),
            "worse": (-worth / 10, more, (draw.randint(2, 4), 1)),
        }[kind]
        team = {"usd": base + usd, "sources": sources + further, "mistakes": mistakes[0]}
        alone = {"usd": base, "sources": sources, "mistakes": mistakes[1]}
        seen.append([f"{team['usd']:f} or {base:f}, {further} more at {worth:f}", call(verdict, team, alone, worth)])
    return seen


TRIALS = {
    "07.1": (
        Trial(title="calls, tokens and dollars of a team beside one agent", points=1,
              observe=lambda answer, draw: [difference(answer, draw), difference(answer, draw, fewer=True)]),
        Trial(title="a price that is not known stays unknown", points=1,
              observe=lambda answer, draw: [difference(answer, draw, unknown) for unknown in (0, 1)]),
    ),
    "07.2": (
        Trial(title="looks into the documents that a sentence cites, and counts cited sentences only", points=1,
              observe=lambda answer, draw: shares(answer, draw, ("right", "wrong", "elsewhere"), draw.randint(2, 5))),
        Trial(title="all numbers of a sentence, whole, from all its sources", points=1,
              observe=lambda answer, draw: shares(answer, draw, ("right", "half", "part", "two", "wordy"))),
        Trial(title="a source that is not there, and a brief that cites nothing", points=1, hidden=True,
              observe=lambda answer, draw: [*shares(answer, draw, ("right", "wrong", "unknown"), 3),
                                            number(call(answer, [(SAYINGS[0].format(draw.randint(10, 99)), [])], {}))]),
    ),
    "07.3": (
        Trial(title="puts what the further sources are worth beside what they cost more", points=1,
              observe=lambda answer, draw: verdicts(answer, draw, ("worth it", "too dear"))),
        Trial(title="fewer mistakes win at any price", points=1,
              observe=lambda answer, draw: verdicts(answer, draw, ("better", "worse", "worth it", "too dear"))),
        Trial(title="nothing gained, or as much as it costs", points=1, hidden=True,
              observe=lambda answer, draw: verdicts(answer, draw, ("even", "cheaper", "dearer"))),
    ),
}
