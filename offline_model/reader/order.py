"""Order: the facts of a brief by what they define, by time, or side by side when things are compared."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from .claims import differ, figures, meaning, of_one_thing
from .lexicon import has
from .prose import defines, month_of, opening
from .topics import mentions, subjects
from .words import Fact

_MOST_COMPARED = 60  # facts, each with each other
_ALIKE = 0.35  # how much two facts must share to speak of the same aspect; a rare word counts more
_NEVER = (9999, 0)
Group = list[Fact]  # facts that belong together


def is_history(task: str) -> bool:
    """Whether a task asks for a history: it is told in the order of time."""
    return has(task, "wishes/time_order")


def in_order(facts: Sequence[Fact], about: str, is_history: bool) -> list[Group]:
    """The definition first; a history by time, else the sources' order with its dated sources by time."""
    groups: list[Group] = []
    for fact in facts:
        if groups and fact.source and groups[-1][-1].source == fact.source:
            groups[-1].append(fact)
        else:
            groups.append([fact])
    ranks = [defines(fact.sentence, about) for fact in facts]
    best = facts[ranks.index(max(ranks))] if any(ranks) else None
    if is_history:
        groups = sorted(groups, key=lambda group: _when(group) or _NEVER)
    if best is None:
        return groups if is_history else _by_time(groups, 1)
    mine = next(group for group in groups if best in group)
    others = [group for group in groups if group is not mine]
    rest = [fact for fact in mine if fact is not best]
    if not is_history:
        return _by_time([[best, *rest], *others], 1)
    place = groups.index(mine)
    left = [*others[:place], *([rest] if rest else []), *others[place:]]
    return [[best, *left[0]], *left[1:]] if left else [[best]]


def _when(group: Group) -> tuple[int, int] | None:
    """The first date of a group."""
    return next(filter(None, (month_of(fact.sentence) for fact in group)), None)


def _by_time(groups: list[Group], first: int) -> list[Group]:
    """The groups with a date in the order of time, in the places of such groups, from `first` on."""
    dated = sorted(filter(_when, groups[first:]), key=lambda group: _when(group) or (0, 0))
    turn = iter(dated)
    return groups[:first] + [next(turn) if _when(group) else group for group in groups[first:]]


def side_by_side(facts: Sequence[Fact], compared: Sequence[str]) -> list[Group]:
    """What each of the compared things is; then what several facts say of the same aspect; then the rest."""
    read, rest = facts[:_MOST_COMPARED], facts[_MOST_COMPARED:]
    mine: dict[str, Group] = {subject: [] for subject in compared}
    for fact in read:
        mine[nearest(fact, compared)].append(fact)
    first: Group = []
    for subject, own in mine.items():
        best = max(own, key=lambda fact: defines(fact.sentence, subject), default=None)
        if best and defines(best.sentence, subject):
            own.remove(best)
            first.append(best)
    weights = _weights(read, compared)
    groups: list[Group] = []
    for subject in compared:
        while mine[subject]:
            groups.append(_aspect(mine[subject].pop(0), subject, mine, weights))
    several = [group for group in groups if len(group) > 1]
    single = [fact for group in groups if len(group) == 1 for fact in group]
    return [group for group in (first, *several, [*single, *rest]) if group]


def nearest(fact: Fact, compared: Sequence[str]) -> str:
    """Which of the compared things a fact is about."""

    def nearness(subject: str) -> float:
        named = mentions(fact.source.replace("-", " "), subject)
        return max(2 * named, mentions(fact.sentence, subject))

    return max(compared, key=nearness)


def _weights(facts: Sequence[Fact], compared: Sequence[str]) -> dict[str, float]:
    """Stem → how much it says about an aspect: the rarer the more, a compared thing's name nothing."""
    counts = Counter(word for fact in facts for word in meaning(fact.sentence))
    names = {word for subject in compared for word in meaning(subject)}
    return {word: 0 if word in names else 1 / count for word, count in counts.items()}


def _aspect(fact: Fact, subject: str, mine: dict[str, Group], weights: dict[str, float]) -> Group:
    """A fact, what contradicts it, and of each other thing the fact that is most like it: all are taken."""
    group = [fact, *(other for other in mine[subject] if differ(fact, other))]
    mine[subject] = [other for other in mine[subject] if other not in group]
    verb = opening(fact.sentence)[1]

    def likeness(other: Fact) -> float:
        shared = [weights[word] for word in meaning(fact.sentence) & meaning(other.sentence)]
        told = [weight for weight in shared if weight]
        return sum(told) if len(told) > 1 or opening(other.sentence)[1] == verb else 0

    for other, own in mine.items():
        like = max(own, key=likeness, default=None) if other != subject else None
        if like and likeness(like) >= _ALIKE:
            own.remove(like)
            group.append(like)
    return group


def contradicts(one: Fact, other: Fact, task: str) -> bool:
    """Whether two sources contradict each other, and do not speak of two things that the task compares."""
    if one.source == other.source or not (differ(one, other) and of_one_thing(one, other)):
        return False
    compared = subjects(task)
    return len(compared) < 2 or nearest(one, compared) == nearest(other, compared)


def contrasts(one: Fact, other: Fact, task: str) -> bool:
    """Whether two facts on one aspect say the same with other figures or other names."""
    first, second = meaning(one.sentence), meaning(other.sentence)
    if len(first & second) < 2 or 2 * len(first & second) < min(len(first), len(second)) - 1:
        return False
    if figures(one.sentence) and figures(other.sentence):
        return {*figures(one.sentence)}.isdisjoint(figures(other.sentence))
    compared = {word for subject in subjects(task) for word in subject.split()}
    named, others = _names(one) - compared, _names(other) - compared
    return bool(named - others and others - named and named & others)


def _names(fact: Fact) -> set[str]:
    return {*re.findall(r"(?<=\s)[A-Z][\w+#-]*", fact.sentence)}
