"""Order: the facts of a brief by what they define, by time, or side by side when things are compared."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from math import fsum

from .claims import differ, figures, meaning, of_one_thing
from .lexicon import has
from .statement import defines, month_of, opening
from .topics import mentions, subjects
from .words import Fact

_MOST_COMPARED = 60  # facts, each with each other
_ALIKE = 0.35  # how much two facts must share to speak of the same aspect; a rare word counts more
_NEVER = (9999, 0)
Group = list[Fact]  # facts that belong together


def is_history(task: str) -> bool:
    """True if a task asks for a history: it is told in the order of time."""
    return has(task, "dials/time_order")


def in_order(facts: Sequence[Fact], about: str, is_history: bool) -> list[Group]:
    """The definition first; a history by time, else the sources' order with its dated sources by time."""
    groups = _by_source(facts)
    if is_history:
        groups.sort(key=_date_of)
    definition = _definition(facts, about)
    if definition:
        groups = _opened(groups, definition, is_history)
    return groups if is_history else _by_time(groups)


def _by_source(facts: Sequence[Fact]) -> list[Group]:
    """Neighbors from the same source in one group; a fact without a source is alone."""
    groups: list[Group] = []
    source = ""
    for fact in facts:
        if source and fact.source == source:
            groups[-1].append(fact)
        else:
            groups.append([fact])
        source = fact.source
    return groups


def _definition(facts: Sequence[Fact], subject: str) -> Fact | None:
    """The fact that says best what a subject is; None when no fact says it."""
    best = None
    highest = 0
    for fact in facts:
        score = defines(fact.sentence, subject)
        if score > highest:
            best = fact
            highest = score
    return best


def _opened(groups: list[Group], definition: Fact, is_history: bool) -> list[Group]:
    """The groups with the definition first: in a history it alone moves, else its group with it."""
    mine = next(group for group in groups if definition in group)
    rest = [fact for fact in mine if fact is not definition]
    if not is_history:
        others = [group for group in groups if group is not mine]
        return [[definition, *rest], *others]
    left = []
    for group in groups:
        told = rest if group is mine else group
        if told:
            left.append(told)
    first = left[0] if left else []
    return [[definition, *first], *left[1:]]


def _by_time(groups: list[Group]) -> list[Group]:
    """The groups behind the first one: those with a date in the order of time, the others in their places."""
    first = groups[:1]
    others = groups[1:]
    dated = [group for group in others if _is_dated(group)]
    turn = iter(sorted(dated, key=_date_of))
    for place, group in enumerate(others):
        if _is_dated(group):
            others[place] = next(turn)
    return first + others


def _is_dated(group: Group) -> bool:
    return _date_of(group) != _NEVER


def _date_of(group: Group) -> tuple[int, int]:
    """The first date that a group names, as year and month."""
    for fact in group:
        date = month_of(fact.sentence)
        if date:
            return date
    return _NEVER


def side_by_side(facts: Sequence[Fact], compared: Sequence[str]) -> list[Group]:
    """Groups facts for a comparison: a definition of each thing; then several facts on the same
    aspect; then the rest.
    """
    comparison = _Comparison(facts[:_MOST_COMPARED], compared)
    definitions = comparison.take_definitions()
    shared: list[Group] = []
    rest: Group = []
    for group in comparison.take_aspects():
        if len(group) > 1:
            shared.append(group)
        else:
            rest += group
    rest += facts[_MOST_COMPARED:]
    return list(filter(None, [definitions, *shared, rest]))


class _Comparison:
    """The facts of a comparison, by the thing that they are about; they are taken one after the other."""

    def __init__(self, facts: Sequence[Fact], compared: Sequence[str]) -> None:
        self.left: dict[str, Group] = {subject: [] for subject in compared}
        for fact in facts:
            subject = nearest(fact, compared)
            self.left[subject].append(fact)
        self.weights = _weights(facts, compared)

    def take_definitions(self) -> Group:
        """Takes the definition of each thing, where a fact has one."""
        taken = []
        for subject, facts in self.left.items():
            definition = _definition(facts, subject)
            if definition:
                facts.remove(definition)
                taken.append(definition)
        return taken

    def take_aspects(self) -> list[Group]:
        """All the other facts, those on the same aspect in one group."""
        groups = []
        for subject in self.left:
            while self.left[subject]:
                groups.append(self._take_aspect(subject))
        return groups

    def _take_aspect(self, subject: str) -> Group:
        """The first fact of a thing, what contradicts it, and of each other thing the fact most like it."""
        fact, *others = self.left[subject]
        group = [fact]
        group += [other for other in others if differ(fact, other)]
        self.left[subject] = [other for other in others if other not in group]
        for name, facts in self.left.items():
            alike = self._most_alike(fact, facts) if name != subject else None
            if alike:
                facts.remove(alike)
                group.append(alike)
        return group

    def _most_alike(self, fact: Fact, others: Group) -> Fact | None:
        """The fact that shares most with another one; None when all share too little."""
        best = None
        highest = 0.0
        for other in others:
            shared = self._shared(fact, other)
            if shared >= _ALIKE and shared > highest:
                best = other
                highest = shared
        return best

    def _shared(self, fact: Fact, other: Fact) -> float:
        """Weighs the words that two facts share: at least two, or one and the verb; else 0."""
        stems = meaning(fact.sentence) & meaning(other.sentence)
        weights = [self.weights[stem] for stem in stems if stem in self.weights]
        is_same_verb = opening(fact.sentence).verb == opening(other.sentence).verb
        return fsum(weights) if len(weights) > 1 or is_same_verb else 0


def nearest(fact: Fact, compared: Sequence[str]) -> str:
    """Returns the compared thing that a fact is about."""
    source = fact.source.replace("-", " ")

    def nearness(subject: str) -> float:
        in_source = 2 * mentions(source, subject)
        in_sentence = mentions(fact.sentence, subject)
        return max(in_source, in_sentence)

    return max(compared, key=nearness)


def _weights(facts: Sequence[Fact], compared: Sequence[str]) -> dict[str, float]:
    """Stem → how much it says about an aspect: the rarer the more. Those of the compared names are left out."""
    counts = Counter(stem for fact in facts for stem in meaning(fact.sentence))
    for subject in compared:
        for stem in meaning(subject):
            counts.pop(stem, None)
    return {stem: 1 / count for stem, count in counts.items()}


def contradicts(one: Fact, other: Fact, task: str) -> bool:
    """True if two sources contradict each other, and do not speak of two things that the task
    compares.
    """
    if one.source == other.source:
        return False
    if not differ(one, other) or not of_one_thing(one, other):
        return False
    compared = subjects(task)
    if len(compared) < 2:
        return True
    return nearest(one, compared) == nearest(other, compared)


def contrasts(one: Fact, other: Fact, task: str) -> bool:
    """True if two facts on one aspect say the same with other figures or other names."""
    if not _has_same_aspect(one, other):
        return False
    own_figures = figures(one.sentence)
    other_figures = figures(other.sentence)
    if own_figures and other_figures:
        return set(own_figures).isdisjoint(other_figures)
    compared = {word for subject in subjects(task) for word in subject.split()}
    own_names = _names(one) - compared
    other_names = _names(other) - compared
    shared = own_names & other_names
    return bool(shared) and own_names != shared and other_names != shared


def _has_same_aspect(one: Fact, other: Fact) -> bool:
    """True if two facts share two stems or more, and nearly half of the shorter one."""
    own = meaning(one.sentence)
    others = meaning(other.sentence)
    shared = len(own & others)
    shorter = min(len(own), len(others))
    return shared >= 2 and 2 * shared >= shorter - 1


def _names(fact: Fact) -> set[str]:
    return set(re.findall(r"(?<=\s)[A-Z][\w+#-]*", fact.sentence))
