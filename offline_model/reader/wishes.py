"""What a prompt asks for: the closed list of wishes, and upper limits in numbers."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import islice
from typing import NamedTuple

from .lexicon import (
    LONGEST_SENTENCE,
    Match,
    families,
    found,
    number_pattern,
    number_words,
    spoken,
    table,
)

_NEAR = 120  # characters before a number that may change what it means
_MOST_LIMITS = 100  # of one sentence
_SENTENCE_END = re.compile(r"[.!?;](?=[\s\"”’)]|$)|\n\s*\n")


class Limit(NamedTuple):
    """An upper limit that a text sets, and where it does."""

    kind: str
    most: int
    start: int
    end: int
    exact: bool = False


def number(text: str) -> float | int:
    """The number that digits or words stand for: "1,250.50", "thirty-four", "a hundred and twenty"."""
    if not text[:1].isalpha():
        value = float(text.replace(",", ""))
        return int(value) if value.is_integer() else value
    total = 0
    for word in re.findall(r"[a-z]+", text.lower()):
        total = (total or 1) * 100 if word == "hundred" else total + number_words().get(word, 0)
    return total


@lru_cache(maxsize=2_000)
def wished(text: str, family: str) -> bool | None:
    """Whether a text asks for a wish (True), turns it down (False), or says nothing of it (None).

    Of two wordings that overlap the longer one counts; of several sentences the last one.
    """
    matches = longest(text, family)
    if not matches:
        return None
    begins = [end.end() for end in _SENTENCE_END.finditer(text) if end.end() <= matches[-1].start]
    last = [match for match in matches if match.start >= max(begins, default=0)]
    return all(match.key == "wordings" for match in last)


def longest(text: str, family: str) -> list[Match]:
    """The places of a wish in a text; a wording inside of a longer one does not count."""
    listed = [
        match
        for key in ("wordings", "turned_wordings")
        for match in found(text, f"wishes/{family}", key)
    ]
    kept: list[Match] = []
    for match in sorted(listed, key=lambda match: (match.start, -match.end)):
        if not kept or match.start >= kept[-1].end:
            kept.append(match)
        elif match.end - match.start > kept[-1].end - kept[-1].start:
            kept[-1] = match
    return kept


@cache
def _forms() -> tuple[re.Pattern, re.Pattern]:
    """How a limit is said: "180 words" and "word limit: 90"."""
    units = [name for names in table("wishes/length")["units"].values() for name in names]
    unit = spoken(units)
    no_adjective = rf"(?:and|or|to|per|each|every|after|behind|{unit})\b"
    adjective = rf"(?!{no_adjective})[a-z][\w'-]{{0,40}}+"
    most = r"(?:at most|no more than|up to|maximum|max|limit|only|just|is|of|[:=≤<])"
    first = rf"(?<![\w.])(?P<n>{number_pattern()})(?:[\s-]+{adjective}){{0,3}}?[\s-]+(?P<unit>{unit})\b(?!\s+\d)"
    second = rf"\b(?P<unit>{unit})(?:[^\w:=≤<]*{most})+\s*(?P<n>{number_pattern()})(?!\s+\w+s\b)"
    return re.compile(first, re.I), re.compile(second, re.I)


@cache
def _kinds() -> dict[str, str]:
    units = table("wishes/length")["units"]
    return {name: kind for kind, names in units.items() for name in names}


@cache
def _endings() -> dict[str, re.Pattern]:
    """What may stand right before a number, and changes what it means."""
    length = table("wishes/length")
    no = r"(?<!no )(?<!not )"
    part = spoken(length["parts"].split())
    return {
        "floor": re.compile(rf"{no}\b(?:{spoken(length['floors'])})(?: \w+)?$", re.I),
        "strict": re.compile(rf"{no}\b(?:{spoken(length['strict'])})$", re.I),
        "exact": re.compile(rf"{no}\b(?:{spoken(length['exact'])})$", re.I),
        "bound": re.compile(rf"\b(?:{spoken(length['bounds'])})\b", re.I),
        "part": re.compile(rf"(?<!1 )(?<!a )\b(?:{part})(?: (?!into\b)\w+){{0,6}}$", re.I),
        "most": re.compile(rf"(?:,\s*)?\b(?:{spoken(length['most'])})\s+$", re.I),
        "behind": re.compile(
            r"\s*(?:per|each|apiece|(?:a|in|for) (?:each |every )?sentence)\b", re.I
        ),
    }


def limits(text: str) -> tuple[Limit, ...]:
    """The upper limits that a text sets. Floors ("at least 50 words") and limits of a part are none."""
    return tuple(limit for limit in _lengths(text) if limit.most)


def other_lengths(text: str) -> tuple[Limit, ...]:
    """The lengths that are more than an upper limit: exact ones of words, floors, limits of a part."""
    return tuple(limit for limit in _lengths(text) if limit.exact or not limit.most)


@lru_cache(maxsize=2_000)
def _lengths(text: str) -> tuple[Limit, ...]:
    """The lengths that a text names; `most` is 0 where one is not an upper limit of the whole."""
    kept: list[Limit] = []
    plain = re.sub(r"\btwice\b", "2 times", re.sub(r"\bonce\b(?! more)", "1 time", text))
    plain = re.sub(r"\ba (?=(?:\w+ )?paragraph\b)", "1 ", plain) if plain == text else plain
    start = 0
    for end in [*(mark.start() for mark in _SENTENCE_END.finditer(plain)), len(plain)]:
        kept += [
            limit._replace(start=limit.start + start, end=limit.end + start)
            for limit in _limits_in(plain[start : min(end, start + LONGEST_SENTENCE)])
        ]
        start = end
    return tuple(kept)


@lru_cache(maxsize=20_000)
def _limits_in(clause: str) -> tuple[Limit, ...]:
    """The lengths that one sentence names, the first hundred at most."""
    lower = clause.lower()
    if not any(unit in lower for unit in _kinds()):
        return ()
    matches = [match for form in _forms() for match in islice(form.finditer(clause), _MOST_LIMITS)]
    return tuple(filter(None, (_limit(match, clause) for match in matches)))


def _limit(match: re.Match, clause: str) -> Limit | None:
    """The length at one place of a clause, or None where one thing is meant and not a length."""
    kind, most = _kinds()[match["unit"].lower()], int(number(match["n"]))
    near = max(0, match.start("n") - _NEAR)  # a whole text here would take squared time
    before = " ".join(clause[near : match.start("n")].split()).rstrip(" -(:")
    ends = _endings()
    vague = most == 1 and kind in ("words", "facts") and not ends["bound"].search(before)
    part = kind == "words" and match.start("n") == match.start() and ends["part"].search(before)
    if most < 1 or vague:
        return None
    if part or ends["floor"].search(before) or ends["behind"].match(clause, match.end()):
        return Limit(kind, 0, match.start(), match.end())
    if ends["strict"].search(before):
        most -= 1
    lead = ends["most"].search(clause, max(0, match.start() - _NEAR), match.start())
    start = lead.start() if lead else match.start()
    exact = kind == "words" and bool(ends["exact"].search(before))
    return Limit(kind, max(1, most), start, match.end(), exact)


def limit(text: str, kind: str) -> int | None:
    """The strictest upper limit of a kind that a text sets, or None.

    kind: words | sentences | paragraphs | facts | searches | handoffs | revisions.
    """
    return min((limit.most for limit in limits(text) if limit.kind == kind), default=None)


def wish_names() -> tuple[str, ...]:
    """The families of wishes in the lexicon."""
    return families("wishes")
