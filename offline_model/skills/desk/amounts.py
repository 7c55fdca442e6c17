"""Amounts with units in settings, tickets and names of fields, and what a sentence says of them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .material import Statement, stems

_TABLE = """\
money 1 cents cent ct
money 100 eur € $ usd euro euros dollars gbp £
time 1 ms milliseconds
time 1000 s sec second seconds
time 60000 min minute minutes
time 3600000 h hour hours
time 86400000 day days
mass 1 g gram grams
mass 1000 kg kilogram kilograms
size 1 bytes byte
size 1024 kb kib
size 1048576 mb mib
size 1073741824 gb gib
share 1 % percent
count 1 pieces items units copies quantity count pcs"""
"""The quantity that a unit measures, its size in the smallest unit, and its names."""
_UNITS: dict[str, tuple[str, int]] = {}
for _row in _TABLE.splitlines():
    _measure, _size, *_names = _row.split()
    _UNITS |= dict.fromkeys(_names, (_measure, int(_size)))
_WORD = "|".join(map(re.escape, sorted(_UNITS, key=len, reverse=True)))
_AMOUNT = re.compile(
    rf"(?:(?P<before>EUR|USD|GBP|€|\$|£)\s?)?(?<![\w.,-])(?P<number>(?:\d{{1,3}}(?:,\d{{3}})+|\d+)(?:\.\d+)?)"
    rf"(?![\w.]*-?\d)(?:\s?(?P<after>{_WORD})(?!\w))?",
    re.I,
)
_FROM = re.compile(r"(?:at least|from)\s*$", re.I)
_ON = re.compile(r"\s*(?:\w+\s)?(?:or|and) (?:more|above|over|up|heavier)", re.I)
_REDUCED = re.compile(r"discount|cheaper|rebate|reduc|\boff\b|saving", re.I)
_FREE = re.compile(r"\bfree\b|for nothing|no charge|without charge", re.I)
_ROW = re.compile(r"^(\S+) \| (\S+) \| (\d+) \| (\d+)$", re.M)
_FIELDS = re.compile(r"\bfields\b[^:]{0,40}:([\w, ]+)|\w\(([\w, ]{5,})\)")


@dataclass(frozen=True)
class Amount:
    """A number of a text, in the smallest unit of what it measures."""

    text: str
    value: float
    measure: str
    is_floor: bool
    """True if the text means this much or more."""


def amounts(text: str) -> list[Amount]:
    """The amounts of a text in order; numbers within names, versions and dates are none."""
    return [_amount(match, text) for match in _AMOUNT.finditer(text)]


def _amount(match: re.Match[str], text: str) -> Amount:
    unit = match["before"] or match["after"] or ""
    measure, size = unit_of(unit)
    number = float(match["number"].replace(",", ""))
    is_floor = _FROM.search(text[: match.start()]) or _ON.match(text, match.end())
    return Amount(
        text=match[0].strip(),
        value=round(number * size, 6),
        measure=measure,
        is_floor=bool(is_floor),
    )


def unit_of(name: str) -> tuple[str, int]:
    """Returns the unit of a field or setting, by the last word of its name: ("money", 1) for
    `fee_cents`.
    """
    last_word = re.split(r"[_\s]", name.lower())[-1]
    return _UNITS.get(last_word, ("", 1))


def plain(number: float) -> str:
    """A number without a needless fraction."""
    return f"{number:.10g}"


def speaks_of(text: str, name: str) -> bool:
    """True if a sentence speaks of a field: by a word of its name."""
    return not stems(text).isdisjoint(stems(name) - _UNITS.keys())


def condition(sentence: str, about: str) -> tuple[str, str]:
    """Two SQL conditions over the fields in a description: what should hold, and for which rows."""
    fields = fields_named(about)
    floors = [amount for amount in amounts(sentence) if amount.is_floor]
    paid = [field for field in fields if _is_price(field, sentence)]
    if not paid or not floors:
        return "", ""
    measure = floors[0].measure
    same = [field for field in fields if unit_of(field)[0] == measure and field not in paid]
    if not same:
        return "", ""
    field = next((name for name in same if "total" in name), same[0])
    size = unit_of(field)[1]
    least = plain(floors[0].value / size)
    sign = "=" if _FREE.search(sentence) else ">"
    return f"{paid[0]} {sign} 0", f"{field} >= {least} AND {paid[0]} IS NOT NULL"


def _is_price(field: str, sentence: str) -> bool:
    """True if a field is the price that a sentence says is free, or the saving that it promises."""
    if unit_of(field)[0] != "money":
        return False
    if _FREE.search(sentence):
        return speaks_of(sentence, field)
    return bool(_REDUCED.search(sentence) and _REDUCED.search(field))


def fields_named(about: str) -> list[str]:
    """The fields in a tool's description: behind "fields …:", or in its first table's brackets."""
    found = _FIELDS.search(about)
    return re.findall(r"\w+", found[1] or found[2]) if found else []


def by_group(table: str, sentence: str, what: str) -> list[Statement]:
    """A finding for each row of a table that counts, per host and version, all and those as expected."""
    findings = []
    for host, version, count, right in _ROW.findall(table):
        scope = f"host {host}, version {version}"
        holds = count == right if int(count) else None
        evidence = (f"{scope}: {right} of {count} {what}",)
        findings.append(
            Statement(
                claim=f"On {scope}: {sentence}",
                holds=holds,
                evidence=evidence,
            )
        )
    return findings
