"""Calibrate a judge: hold it against drafts that are spoiled in known ways, and against a reader.

A judge's mark is worth what it has been shown to notice. Each spoiled draft has one fault that is
known, since plain code put it there; the draft before it is the control. Such faults are easy to
notice, so the answers of somebody who has read the same sentences say more.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import NamedTuple

from ...plumbing.untrusted import citations
from ..evaluate import sentences

CITATION = re.compile(r"\s*\[([\w-]+(?:\s*[,;|]\s*[\w-]+)*)\]")
NUMBER = re.compile(r"(?<![\w.,-])\d[\d,.]*\d|(?<![\w.,-])\d(?![\w-])")
NAME = re.compile(r"(?<=[a-z] )[A-Z]\w+(?: [A-Z]\w+)*")
"""In the middle of a sentence: the word before it is not a heading's or a sentence's first."""

VERB = re.compile(r"(?<= )(is|are|was|can|may|has been)( not)?(?= )")

Spoiler = Callable[[str, random.Random], str]
"""(draft, draw) → the draft with one fault, or unchanged where it has no place for that fault."""


def wrong_number(draft: str, draw: random.Random) -> str:
    """Replaces one number by another."""
    return _one(NUMBER, draft, draw, _other_number)


def wrong_name(draft: str, draw: random.Random) -> str:
    """Replaces one name by another name of the draft, which its sentence does not have."""
    names = sorted({*NAME.findall(draft)})
    places = [*NAME.finditer(draft)]
    draw.shuffle(places)
    for place in places:
        own = _sentence_at(draft, place.start())
        others = [other for other in names if other.split()[0] not in own]
        if others:
            return _replaced(draft, place, draw.choice(others))
    return draft


def negated(draft: str, draw: random.Random) -> str:
    """Turns one sentence into its opposite: a "not" more, or one less."""
    return _one(VERB, draft, draw, _opposite)


def uncited(draft: str, draw: random.Random) -> str:
    """Deletes the citation of one sentence."""
    return _one(CITATION, draft, draw, lambda _: "")


def wrongly_cited(draft: str, draw: random.Random) -> str:
    """Lets one sentence cite another document of the same draft."""
    ids = sorted(citations(draft))
    if len(ids) < 2:
        return draft

    def other(found: re.Match[str]) -> str:
        others = [id for id in ids if id not in citations(found[0])]
        return f" [{draw.choice(others)}]" if others else found[0]

    return _one(CITATION, draft, draw, other)


def invented(draft: str, draw: random.Random) -> str:
    """Adds a sentence with a citation, though no document supports it."""
    ids = sorted(citations(draft))
    if not ids:
        return draft
    sentence = "Nine of ten experts recommend it warmly"
    return f"{draft.rstrip()} {sentence} [{draw.choice(ids)}]."


def halved(draft: str, draw: random.Random) -> str:
    """Keeps the title and the first half of the sentences; a single sentence is left as it is."""
    whole = sentences(draft)
    if len(whole) < 2:
        return draft
    first_line, _, _ = draft.lstrip().partition("\n")
    title = f"{first_line}\n\n" if first_line.startswith("#") else ""
    return title + " ".join(whole[: len(whole) // 2])


SPOILERS: dict[str, Spoiler] = {
    "a number": wrong_number,
    "a name": wrong_name,
    "the opposite": negated,
    "no citation": uncited,
    "wrong citation": wrongly_cited,
    "an invention": invented,
    "half left out": halved,
}
"""The faults that a draft can be given, by name."""


class Judged(NamedTuple):
    """One draft and the judge's mark for it; `fault` is empty for a draft that was not spoiled."""

    draft: str
    fault: str
    mark: float
    changed: str = ""
    """The sentence that holds the fault, as far as there is one."""


class Caught(NamedTuple):
    """The number of drafts with one fault that a judge noticed."""

    caught: int
    of: int


Judge = Callable[[str, str], Awaitable[float]]
"""(name of the draft, text) → a mark."""


async def judged(
    judge: Judge,
    drafts: Mapping[str, str],
    spoilers: Mapping[str, Spoiler] = SPOILERS,
    *,
    seed: int = 0,
) -> list[Judged]:
    """The judge's marks for each draft and for each way of spoiling it.

    A draft that has no place for a fault is left out for it. The judge gets a draft's name, to
    find its facts by, and its text; never the fault.
    """
    marks = []
    for name, draft in drafts.items():
        mark = await judge(name, draft)
        marks.append(Judged(name, "", mark))
        for fault, spoiler in spoilers.items():
            draw = random.Random(f"{seed}/{name}/{fault}")
            spoiled = spoiler(draft, draw)
            if spoiled != draft:
                mark = await judge(name, spoiled)
                changed = _changed(draft, spoiled)
                marks.append(Judged(name, fault, mark, changed))
    return marks


def caught(marks: Iterable[Judged], bar: float) -> dict[str, Caught]:
    """Counts, for each fault, the drafts that got less than the bar. The key "" counts the false
    alarms: drafts without a fault that did."""
    counts: dict[str, Caught] = {}
    for one in marks:
        before = counts.get(one.fault, Caught(0, 0))
        noticed = int(one.mark < bar)
        counts[one.fault] = Caught(before.caught + noticed, before.of + 1)
    return counts


def missed(marks: Iterable[Judged], bar: float) -> list[Judged]:
    """The spoiled drafts that a judge let pass."""
    return [one for one in marks if one.fault and one.mark >= bar]


class Agreement(NamedTuple):
    """The agreement of a judge with a reader, on one question with a yes or a no."""

    both_yes: int
    false_yes: int
    """The judge says yes, the reader no."""
    false_no: int
    both_no: int

    @property
    def share(self) -> float:
        """The share of all answers that agree."""
        return (self.both_yes + self.both_no) / sum(self)

    @property
    def chance(self) -> float:
        """The agreement by chance: of two who answer without reading, each with as many yeses."""
        reader = (self.both_yes + self.false_no) / sum(self)
        judge = (self.both_yes + self.false_yes) / sum(self)
        return reader * judge + (1 - reader) * (1 - judge)

    @property
    def kappa(self) -> float | None:
        """The agreement above chance, as a share of what there is above it: 1 for always, 0 for no
        better than chance (Cohen 1960). None when both only ever gave one answer."""
        if self.chance == 1:
            return None
        return (self.share - self.chance) / (1 - self.chance)

    def interval(self, draws: int = 1000, *, seed: int = 0) -> tuple[float, float]:
        """The ends of the middle 95 % of kappa over sentences drawn again; no kappa counts as 0."""
        draw = random.Random(seed)
        count = sum(self)
        kappas = []
        for _ in range(draws):
            drawn = draw.choices(range(4), weights=self, k=count)
            again = Agreement(*map(drawn.count, range(4)))
            kappas.append(again.kappa or 0.0)
        kappas.sort()
        return kappas[draws // 40], kappas[-draws // 40]

    @property
    def above_chance(self) -> bool:
        """True if even the lower end of the interval is above chance."""
        return self.interval()[0] > 0


def agreement(pairs: Iterable[tuple[bool, bool | None]]) -> Agreement:
    """Counts pairs of (the reader's label, the judge's answer); None counts as a no.

    Raises ValueError when there is no pair.
    """
    counts = Counter((label, answer is True) for label, answer in pairs)
    if not counts:
        raise ValueError("there is no pair of a label and an answer; label some sentences first")
    cells = [(True, True), (False, True), (True, False), (False, False)]
    return Agreement(*(counts[cell] for cell in cells))


def _one(
    pattern: re.Pattern[str], draft: str, draw: random.Random, change: Callable[..., str]
) -> str:
    """The draft with one match changed, if there is any."""
    found = [*pattern.finditer(draft)]
    if not found:
        return draft
    place = draw.choice(found)
    return _replaced(draft, place, change(place))


def _replaced(draft: str, place: re.Match[str], text: str) -> str:
    return draft[: place.start()] + text + draft[place.end() :]


def _sentence_at(draft: str, place: int) -> str:
    """The sentence around a place of the draft."""
    begin = draft.rfind(". ", 0, place) + 1
    end = draft.find(". ", place)
    if end < 0:
        return draft[begin:]
    return draft[begin:end]


def _other_number(found: re.Match[str]) -> str:
    """The number with another first digit."""
    number = found[0]
    first = int(number[0]) % 9 + 1
    return f"{first}{number[1:]}"


def _opposite(found: re.Match[str]) -> str:
    """The verb without its "not", or with one."""
    verb, negation = found.groups()
    if negation:
        return verb
    return f"{verb} not"


def _changed(draft: str, spoiled: str) -> str:
    """The first sentence of the spoiled draft that the draft does not have."""
    before = sentences(draft)
    for sentence in sentences(spoiled):
        if sentence not in before:
            return sentence
    return ""
