"""Values in a text and where they stand: numbers, dates, names, quotations, lists, and what stands behind a label."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from functools import lru_cache
from typing import Any, NamedTuple

from .words import COUNTED, GENERIC, KIN, NUMBER_WORDS, STOP, is_no, number, stem

_MOST = 100  # values of one kind that are looked at: the first ones of a long text
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH, _DAY = rf"(?:{'|'.join(_MONTHS)})[a-z]*\.?", r"\d\d?(?:st|nd|rd|th)?"
_DATE = (rf"\b\d{{4}}-\d\d-\d\d(?:[T ]\d\d:\d\d)?|\b{_DAY} (?:of )?{_MONTH},? \d{{4}}|\b{_MONTH} {_DAY},? \d{{4}}")
_URL = r"https?://[^\s<>\"')\]]*[^\s<>\"')\].,;]"
_FORMS = {  # what a kind of value looks like; what counts is the first group where there is one
    "number": rf"(?i:(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?(?![\w.-]*\d)|\b{NUMBER_WORDS}\b)",
    "date": f"(?i:{_DATE})",
    "date-time": f"(?i:{_DATE})",
    "name": r"\b[A-Z][\w'’&-]*(?: (?:(?:of|the|de|van|von) )?[A-Z][\w'’&-]*)*",
    "list": r"(?:[^.!?;:\n]|[.:](?!\s|$))+",
    "email": r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{0,64}\w",
    "uri": _URL,
    "uuid": r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b",
    "time": r"\b[0-2]\d:[0-5]\d(?::[0-5]\d)?",
    "code": r"(?<![\w.])#?[A-Za-z]{0,20}[-_#]?\d[\w-]*(?:\.\d+)*",
    "path": r"(?<![\w.~/-])(?:[\w.~-]{0,64}/){0,12}[\w-]{1,64}\.[A-Za-z]\w{0,5}\b",
    "sum": r"(?<![\d.,])[-+(]{0,9}\d[\d.,]*(?: *(?:\*\*|[-+*/x×÷^%()]) *[-+(]*\d[\d.]*\)*)+(?<!\.)",
    "quote": r"[\"“]([^\"”]+)[\"”]|(?<!\w)['‘]([^'’]+)['’](?!\w)",
    "source": r"\[([^\]\s][^\]]*)\]|\((?:source|src): *([^)]+)\)",
    "thing": rf"(?i:(?:\d|\b{COUNTED})\s+([a-z][a-z -]*?)(?= at | for |[,.;]|\s*$))",  # what is counted: "3 apples"
}
KINDS = tuple(_FORMS)
_FORMS = {kind: re.compile(form) for kind, form in _FORMS.items()}
_NO_NUMBERS = re.compile(rf"(?i:{_DATE})|\b\d\d:\d\d|\[[^\]]*\]|{_URL}")  # their digits are no numbers
_APART = re.compile(r"[.!?;,](?=\s)|\n| and ")
_COMMON = (STOP | GENERIC) - {"new"}  # New York
_AND = re.compile(r"\s*[,;]\s+(?:(?:and|or)\s+)?|\s+(?:and|or)\s+")


class Spot(NamedTuple):
    """A value and where it stands in a text."""

    value: Any
    start: int
    end: int


@lru_cache(maxsize=2_000)
def spots(kind: str, text: str) -> tuple[Spot, ...]:
    """All values of one of the KINDS in a text, in order."""
    if kind == "number":
        text = _NO_NUMBERS.sub(lambda m: " " * len(m[0]), text)
    read: dict[str, Callable] = {"number": number, "date": _day, "date-time": _moment, "name": _name, "list": _enumerated}
    found = []
    for match in _FORMS[kind].finditer(text) if kind in _FORMS else ():
        value = read.get(kind, str.strip)(next((group for group in match.groups() if group), match[0]))
        start = match.end() - len(value) if kind == "name" else match.start()
        if value not in ("", []):
            found.append(Spot(value, start, match.end()))
    return tuple(found[:_MOST])


def _day(text: str) -> str:
    """A day as ISO says it, or "" when there is no such day (31 February)."""
    year, month = re.search(r"\d{4}", text)[0], re.search(_MONTH, text, re.I)
    day = re.search(r"\d\d?(?=\D|$)", text[:-4])[0] if month else text[8:10]
    try:
        return date(int(year), _MONTHS.index(month[0][:3].lower()) + 1 if month else int(text[5:7]), int(day)).isoformat()
    except ValueError:
        return ""


def _moment(text: str) -> str:
    time = re.search(r"\d\d:\d\d$", text)
    return f"{_day(text)}T{time[0] if time else '00:00'}:00Z" if _day(text) else ""


def _name(text: str) -> str:
    """A run of capitalised words without the common words that begin it: "In Paris" → Paris."""
    run = text.split()
    while run and re.sub(r"['’](?:s|m|d|ve)$", "", run[0].lower()) in _COMMON:
        run = run[1:]
    return re.sub(r"['’]s$", "", " ".join(run))


def _enumerated(clause: str) -> list[str]:
    """The items of "we like tiles, fado and good seafood in summer": three or more, without what leads in and out."""
    items = split_items(clause) if re.search(r",.*\s(?:and|or)\s", clause) else []
    middle = items[1:-1]
    if not middle or any(len(item.split()) > 4 for item in middle):
        return []
    words = items[0].split()
    verbs = [place for place, word in enumerate(words) if word.lower() in _COMMON]
    words = words[verbs[-1] + 1 :] if verbs else words[-max(len(item.split()) for item in middle) :]
    last = re.split(r"\s+(?:in|at|on|for|from|with|to|by|of|but|because|when)\s", items[-1])[0]
    return [item for item in (" ".join(words), *middle, last) if item]


def split_items(text: str) -> list[str]:
    """The items of "a, b and c"."""
    return [item.strip(" .\"'") for item in _AND.split(text) if item.strip(" .\"'")]


def nearest(kind: str, text: str, field: str, hint: str, free: Any) -> tuple[Spot | None, int]:
    """Of the values that are free(spot) the one that stands nearest to a field's words, and how far it is from them:
    characters, 60 more for each clause between; 1000 where none of the words is near."""
    own, told = set(stems(" ".join(words_of(field)))), set(stems(hint))
    kin = {word for word in words_of(field) for word in KIN.get(word, ())}
    places = []
    for word, root, start, end in _tokens(text):
        cost = 0 if root in own else 5 if word in kin or root in kin else 30 if root in told else None
        if cost is not None:
            places.append((start, end, cost))

    def far(spot: Spot) -> int:
        best = 1000
        for start, end, cost in places:
            between = text[end : spot.start] if end <= spot.start else text[spot.end : start]
            if len(between) < 300 and not spot.start <= start < spot.end:
                best = min(best, len(between) + 60 * len(_APART.findall(between)) + cost + 3 * (start >= spot.end))
        return best

    ranked = [(far(spot), spot.start, spot) for spot in spots(kind, text) if free(spot)]
    distance, _, spot = min(ranked, default=(1000, 0, None), key=lambda entry: entry[:2])
    return spot, distance


def words_of(name: str) -> tuple[str, ...]:
    """The words of a field's name, in lower case: dueDate and due_date are the same."""
    return tuple(word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", re.sub(r"[_-]", " ", name)))


@lru_cache(maxsize=4_000)
def _tokens(text: str) -> tuple[tuple[str, str, int, int], ...]:
    found = ((m[0].lower(), m) for m in re.finditer(r"[A-Za-z]+(?:'[a-z]+)?|[$€£%]", text))
    return tuple((word, stem(word), *m.span()) for word, m in found)


def stems(text: str) -> tuple[str, ...]:
    """The stems of a text's words without stop words, in order."""
    return tuple(root for word, root, _, _ in _tokens(text) if word not in STOP)


def speaks_of(text: str, option: str) -> float:
    """How strongly a text speaks of an option: its words, their stems, their kin; a negated word counts against it."""
    spoken = option.replace("_", " ")
    found = re.finditer(rf"(?<!\w){re.escape(spoken)}(?!\w)", text.replace("_", " "), re.I)
    score = sum(-1.0 if is_no(text[max(0, m.start() - 12) : m.start()]) else 4.0 for m in found)
    own, kin = stems(spoken), {stem(word) for word in KIN.get(spoken.lower(), ())}
    return score + sum(1.5 if root in own else float(root in kin) for root in stems(text))


def behind(text: str, name: str, stop: str = ",") -> str:
    """What stands behind "Name:" – to the end of the line; where the line holds more than that, to a stop."""
    spoken = r"[ _-]?".join(map(re.escape, words_of(name)))
    found = re.search(rf"(?:^|(?<=[\s,;]))[-*#>]*{spoken}\**[ \t]*[:=]\**[ \t]*(\S[^\n]*)", text, re.I)
    if not spoken or not found:
        return ""
    alone = not text[: found.start()].rpartition("\n")[2].strip(" -*#>")
    end = re.search(r"[,;.]\s+[\w -]{1,30}[:=]" if alone else rf"[{stop};]|\.(?=\s|$)", found[1])
    value = found[1][: end.start()] if end else found[1]
    return (re.split(r"[.;]\s", value)[0] if end else value).strip(" *")


def under(text: str, name: str) -> str:
    """What stands under a heading or a label line of that name, else behind the label, commas included."""
    spoken = r"[ _-]?".join(map(re.escape, words_of(name)))
    lines = r"((?:(?!#|\*\*|[A-Za-z][\w ]*: *$).*\n?)+)"
    below = re.search(rf"^(?:#+ *|\*\*)?{spoken}(?:\*\*)? *:?(?:\*\*)? *\n{lines}", text, re.I | re.M)
    return below[1].strip() if spoken and below and below[1].strip() else behind(text, name, stop="")
