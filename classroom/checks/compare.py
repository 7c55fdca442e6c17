"""Compares what was seen of an answer with what ours showed, aspect by aspect, and recognises known
slips.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from classroom.observing.canonical import TAGS

Seen = Mapping[str, Any]
"""An observation: what was seen, by aspect, in plain form."""
ABSENT = "absent"
"""In place of the fingerprint of an aspect that an observation lacks."""


class CaseMark(NamedTuple):
    """The mark of an answer that differs from ours on one case."""

    aspect: str
    """The first aspect that differs."""
    first: str
    """The fingerprint of what the answer shows there; where it shows nothing, of the kinds of what
    it shows instead.
    """
    whole: str
    """The fingerprint of all that differs."""


@dataclass(frozen=True)
class TriedCase:
    """One case with what is known of it: our observation, and the mark of each slip that differs
    from it.
    """

    trial: str
    about: str
    """A description of the case, for the learner; the answer's process does not get it."""
    inputs: Any
    """The inputs of `observe`: what the answer is called with, and how what it meets behaves."""
    ours: dict[str, Any]
    slips: dict[str, CaseMark]
    outside: dict[str, Any] = field(default_factory=dict)
    """Facts that only `read` needs, after the answer has ended; no answer's process gets them."""


Row = Sequence[TriedCase]
"""The cases of one draw."""


def agrees(actual: Any, ours: Any, rule: str | None) -> bool:
    """True if an aspect is right: equal to ours, or within what its rule allows.

    A rule that names its bound holds by itself: an observation of ours keeps it, too.
    """
    if fingerprint(actual) == fingerprint(ours):
        return True
    if rule and within(actual, rule):
        return True
    if (
        rule in ("at most", "at least")
        and type(actual) in (int, float)
        and type(ours) in (int, float)
    ):
        return actual <= ours if rule == "at most" else actual >= ours
    if rule == "holds" and isinstance(actual, list) and isinstance(ours, list):
        return all(part in actual for part in ours)
    return False


def within(actual: Any, rule: str) -> bool:
    """True if a number keeps a bound that the rule itself names, such as "at least 3"."""
    limit = bound_of(rule)
    if limit is None or type(actual) not in (int, float):
        return False
    return actual <= limit if rule.startswith("at most") else actual >= limit


def bound_of(rule: str) -> int | float | None:
    """The number that a rule such as "at least 3" names; None when it names none."""
    word, _, bound = rule.rpartition(" ")
    if word not in ("at most", "at least"):
        return None
    try:
        limit = float(bound)
    except ValueError:
        return None
    return int(limit) if limit.is_integer() else limit


def differing(actual: Seen, ours: Seen, rules: Mapping[str, str]) -> list[str]:
    """The aspects that are not right, in our order; those that only one of the two has included."""
    aspects = [*ours, *(aspect for aspect in actual if aspect not in ours)]
    aspects = [aspect for aspect in aspects if rules.get(aspect) != "shown"]
    return [
        aspect
        for aspect in aspects
        if aspect not in ours
        or aspect not in actual
        or not agrees(actual[aspect], ours[aspect], rules.get(aspect))
    ]


def fingerprint(value: Any) -> str:
    """A short fingerprint of a plain value."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def marked(actual: Seen, ours: Seen, rules: Mapping[str, str]) -> CaseMark | None:
    """Returns the mark of an observation that differs from ours; None when it is right."""
    found = differing(actual, ours, rules)
    if not found:
        return None
    whole = {aspect: actual.get(aspect, ABSENT) for aspect in found}
    first = whole[found[0]]
    if found[0] not in actual:
        first = [ABSENT, *(_kind(actual[aspect]) for aspect in found if aspect not in ours)]
    return CaseMark(found[0], fingerprint(first), fingerprint(whole))


def _kind(value: Any) -> Any:
    """Returns the kind of a value that came back in place of something else, such as `None`."""
    if isinstance(value, dict) and len(value) == 1:
        ((tag, content),) = value.items()
        if tag in TAGS and tag != "pairs":
            return [tag, content] if tag in ("raised", "object") else tag
    return type(value).__name__


@dataclass(frozen=True)
class Recognised:
    """A known slip, and whether it explains all that differs or only what differs first."""

    name: str
    wholly: bool
    one_case: bool = True
    """True if it explains at least all that differs on the first case that is wrong."""
    everywhere: bool = True
    """True if it explains what differs first on every case."""


def recognise(row: Row, shown: Sequence[CaseMark | None]) -> Recognised | None:
    """The slip that explains what differs, or None. `shown`: the marks of an answer, a case of the
    row each.

    A slip that differs on any case where the answer is right is refuted. Of several that
    explain what differs first, the one that explains the most is returned; between two that explain
    equally much there is only a guess, and none is.
    """
    first, wrong = next((number, found) for number, found in enumerate(shown) if found)
    ranks: dict[str, tuple[bool, int, bool]] = {}
    for name, mark in row[first].slips.items():
        theirs = [case.slips.get(name) for case in row[: len(shown)]]
        refuted = any(one and not other for one, other in zip(theirs, shown, strict=True))
        if refuted or mark[:2] != wrong[:2]:
            continue
        if theirs == list(shown):
            return Recognised(name, True)
        pairs = [*zip(theirs, shown, strict=True)]
        same = sum(one == other for one, other in pairs)
        everywhere = [one and one[:2] for one, _ in pairs] == [two and two[:2] for _, two in pairs]
        ranks[name] = (mark == wrong, same, everywhere)
    if not ranks:
        return None
    best = max(ranks.values())
    names = [name for name, rank in ranks.items() if rank == best]
    return Recognised(names[0], False, best[0], best[2]) if len(names) == 1 else None
