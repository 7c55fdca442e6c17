"""Amounts with units in settings, tickets and names of fields, and the conditions that a sentence
puts on them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .material import Finding, stems

_TABLE = """money 1 cents cent ct; money 100 eur € $ usd euro euros dollars gbp £; time 1 ms milliseconds; time 1000 s sec second seconds
time 60000 min minute minutes; time 3600000 h hour hours; time 86400000 day days; mass 1 g gram grams; mass 1000 kg kilogram kilograms
size 1 bytes byte; size 1024 kb kib; size 1048576 mb mib; size 1073741824 gb gib; share 1 % percent
count 1 pieces items units copies quantity count pcs"""
"""What a unit measures, how many of the smallest unit it is, and its names."""
_UNITS = {
    name: (measure, int(size))
    for measure, size, *names in map(str.split, re.split(r"[;\n]", _TABLE))
    for name in names
}
_WORD = "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True))
_AMOUNT = re.compile(
    rf"(?:(?P<before>EUR|USD|GBP|€|\$|£)\s?)?(?<![\w.,-])(?P<number>(?:\d{{1,3}}(?:,\d{{3}})+|\d+)(?:\.\d+)?)"
    rf"(?![\w.]*-?\d)(?:\s?(?P<after>{_WORD})(?!\w))?",
    re.I,
)
_AHEAD = r"(?:()(?:at least|from)|()(?:up to|at most|no more than)|()(?:more than|over|above)|()(?:less than|under|below))\s*$"
_BEHIND = r"^\s*(?:\w+\s)?(?:()(?:or|and) (?:more|above|over|up|heavier)|()or (?:less|fewer|below))"
_SIGNS = ("", ">=", "<=", ">", "<")
_REDUCED = re.compile(r"discount|cheaper|rebate|reduc|\boff\b|saving", re.I)
_FREE = re.compile(r"\bfree\b|for nothing|no charge|without charge", re.I)
_SENT = {"ship", "parcel", "deliver", "freight", "send"}
_TOTAL = re.compile(r"total|amount|sum", re.I)


@dataclass(frozen=True)
class Amount:
    """A number of a text, in the smallest unit of what it measures; `sign` is how the text bounds
    it.
    """

    text: str
    value: float
    measure: str = ""
    sign: str = ""


def amounts(text: str) -> list[Amount]:
    """The amounts of a text in order; numbers within names, versions and dates are none."""
    found = []
    for match in _AMOUNT.finditer(text):
        unit = (match["before"] or match["after"] or "").lower()
        measure, size = _UNITS.get(unit, ("", 1))
        around = (
            re.search(_AHEAD, text[: match.start()], re.I),
            re.search(_BEHIND, text[match.end() :], re.I),
        )
        signs = [_SIGNS[bound.lastindex] for bound in around if bound]
        number = round(float(match["number"].replace(",", "")) * size, 6)
        found.append(Amount(match[0].strip(), number, measure, (signs or [""])[0]))
    return found


def unit_of(name: str) -> tuple[str, float]:
    """What a field or setting measures, by the last word of its name: ("money", 1) for
    `fee_cents`.
    """
    return _UNITS.get(re.split(r"[_\W]", name.lower())[-1], ("", 1))


def plain(number: float) -> str:
    """A number without a needless fraction."""
    return f"{number:.10g}"


def speaks_of(text: str, name: str) -> bool:
    """Whether a sentence speaks of a field: by a word of its name, or by a kin of it."""
    own, said = stems(name) - _UNITS.keys(), stems(text)
    return bool(own & said or (own & _SENT and said & _SENT))


def condition(sentence: str, about: str) -> tuple[str, str]:
    """(what should be so, among which rows) as SQL conditions over the fields that a tool's
    description lists.
    """
    fields = fields_named(about)
    free = _FREE.search(sentence)
    pattern = _FREE if free else _REDUCED
    money = [field for field in fields if unit_of(field)[0] == "money" and not _TOTAL.search(field)]
    paid = [
        field
        for field in money
        if pattern.search(sentence)
        and (speaks_of(sentence, field) if free else _REDUCED.search(field))
    ]
    bounds = [amount for amount in amounts(sentence) if amount.sign]
    same = [
        field
        for field in fields
        if bounds and field not in paid and unit_of(field)[0] == bounds[0].measure
    ]
    if not paid or not same:
        return "", ""
    field = min(same, key=lambda name: not _TOTAL.search(name))
    bound = plain(bounds[0].value / unit_of(field)[1])
    return (
        f"{paid[0]} {'= 0' if free else '> 0'}",
        f"{field} {bounds[0].sign} {bound} AND {paid[0]} IS NOT NULL",
    )


def fields_named(about: str) -> list[str]:
    """The fields that a tool's description lists: behind "fields …:", or in the brackets of its
    first table.
    """
    listed = re.search(r"\bfields\b[^:]{0,40}:([\w, ]+)|\w\(([\w, ]{5,})\)", about)
    return re.findall(r"\w+", listed[1] or listed[2]) if listed else []


def by_group(table: str, sentence: str, what: str) -> list[Finding]:
    """A finding for each row of a table whose last columns are: how many there are, how many are as
    they should.
    """
    head, *rows = [
        re.split(r"\s*\|\s*", line.strip("| ")) for line in table.splitlines() if "|" in line
    ] or [[]]
    found = []
    for row in rows:
        scope = ", ".join(f"{name} {value}" for name, value in zip(head[:-2], row, strict=False))
        if row[-1].isdigit() and row[-2].isdigit():
            holds = row[-1] == row[-2] if int(row[-2]) else None
            evidence = (f"{scope}: {row[-1]} of {row[-2]} {what}",)
            found.append(Finding(f"On {scope}: {sentence}", holds, evidence))
    return found
