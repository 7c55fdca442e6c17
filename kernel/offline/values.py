"""Values in a text and where they stand: numbers, dates, names, quotations, lists, and what stands behind a label."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache
from typing import Any, NamedTuple

from .words import GENERIC, NUMBER_WORDS, STOP, stem

_MOST = 100  # values of one kind that are looked at: the first ones of a long text
_COUNTS = "|".join(word for word in NUMBER_WORDS if word not in ("single", "couple"))
_NUMBER = re.compile(rf"(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?(?![\w.-]*\d)|\b(?:[a-z]+ty-)?(?:{_COUNTS})\b", re.I)
_NAME = re.compile(r"\b[A-Z][\w'’&-]*(?: (?:(?:of|the|de|van|von) )?[A-Z][\w'’&-]*)*")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = rf"(?:{'|'.join(_MONTHS)})[a-z]*\.?"
_DATE = re.compile(
    r"\b(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)(?:[T ](?P<t>\d\d:\d\d))?"
    rf"|\b(?P<d2>\d\d?)(?:st|nd|rd|th)? (?:of )?(?P<m2>{_MONTH}),? (?P<y2>\d{{4}})"
    rf"|\b(?P<m3>{_MONTH}) (?P<d3>\d\d?)(?:st|nd|rd|th)?,? (?P<y3>\d{{4}})",
    re.I,
)
_NO_NUMBERS = re.compile(rf"{_DATE.pattern}|\b\d\d:\d\d|\[[^\]]*\]|https?://\S+", re.I)
_FORMS = {  # what other kinds of value look like; what counts is the first group where there is one
    "email": r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{0,64}\w",
    "uri": r"https?://[^\s<>\"')\]]*[^\s<>\"')\].,;]",
    "uuid": r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b",
    "time": r"\b[0-2]\d:[0-5]\d(?::[0-5]\d)?",
    "code": r"(?<![\w.])#?[A-Za-z]{0,20}[-_#]?\d[\w-]*(?:\.\d+)*",
    "path": r"(?<![\w.~/-])(?:[\w.~-]{0,64}/){0,12}[\w-]{1,64}\.[A-Za-z]\w{0,5}\b",
    "sum": r"(?<![\d.,])[-+(]{0,9}\d[\d.,]*(?: *(?:\*\*|[-+*/x×÷^%()]) *[-+(]*\d[\d.]*\)*)+(?<!\.)",
    "quote": r"[\"“]([^\"”]+)[\"”]|(?<!\w)['‘]([^'’]+)['’](?!\w)",
    "source": r"\[([^\]\s][^\]]*)\]|\((?:source|src): *([^)]+)\)",
    "thing": rf"(?:\d|\b(?:{_COUNTS}))\s+([a-z][a-z -]*?)(?= at | for |[,.;]|\s*$)",  # what is counted: "3 apples"
}
KINDS = ("number", "name", "list", "date", "date-time", *_FORMS)
_KIN = (  # the first word's kin: what means the same in a text, or announces it
    "age old aged", "price cost $ € £", "total amount sum $ € £", "budget $ € £ euros", "usd $", "eur euros", "gbp £",
    "quantity count number", "year in since", "duration minutes hours days", "due until by", "name called am i'm",
    "city in", "location in at", "place in at", "country in from", "author by", "customer for", "body saying",
    "high urgent asap critical", "low minor whenever", "billing charged refund payment", "technical bug error crash",
    "positive good great love excellent", "negative bad terrible hate awful", "language written",
    "approve pass accept yes", "reject revise fail no",
)  # fmt: skip
KIN = {family.split()[0]: frozenset(family.split()[1:]) for family in _KIN}
_NOT = re.compile(r"\b(?:no|not|never|without|cannot|neither|nor)\b|n't\b", re.I)
_APART = re.compile(r"[.!?;,](?=\s)|\n| and ")
_AND = re.compile(r"\s*[,;]\s+(?:(?:and|or)\s+)?|\s+(?:and|or)\s+")


class Spot(NamedTuple):
    """A value and where it stands in a text."""

    value: Any
    start: int
    end: int


@lru_cache(maxsize=2_000)
def spots(kind: str, text: str) -> tuple[Spot, ...]:
    """All values of one of the KINDS in a text, in order."""
    if kind == "number":  # the digits of dates, times, citations and addresses are no numbers
        bare = _NO_NUMBERS.sub(lambda m: " " * len(m[0]), text)
        found = [Spot(number(m[0]), *m.span()) for m in _NUMBER.finditer(bare)]
    elif kind in ("date", "date-time"):
        found = [Spot(_day(m, kind), *m.span()) for m in _DATE.finditer(text)]
    elif kind == "name":
        found = [_name(m) for m in _NAME.finditer(text)]
    elif kind == "list":
        found = [Spot(_enumerated(m[0]), *m.span()) for m in re.finditer(r"(?:[^.!?;:\n]|[.:](?!\s|$))+", text)]
    else:
        matches = re.finditer(_FORMS.get(kind, "(?!)"), text, re.I if kind == "thing" else 0)
        found = [Spot(next((g for g in m.groups() if g), m[0]).strip(), *m.span()) for m in matches]
    return tuple([spot for spot in found if spot.value not in ("", [])][:_MOST])


def number(text: str) -> float | int:
    """The number that digits or a word stand for: "1,250.50", "thirty-four"."""
    if text[0].isalpha():
        return sum(NUMBER_WORDS.get(word, 0) for word in text.lower().split("-"))
    value = float(text.replace(",", ""))
    return int(value) if value.is_integer() else value


def _day(match: re.Match, kind: str) -> str:
    year, month, day = (match[key] or match[f"{key}2"] or match[f"{key}3"] for key in "ymd")
    month = int(month) if month.isdigit() else _MONTHS.index(month[:3].lower()) + 1
    try:
        iso = date(int(year), month, int(day)).isoformat()
    except ValueError:  # 31 February
        return ""
    return iso if kind == "date" else f"{iso}T{match['t'] or '00:00'}:00Z"


def _name(match: re.Match) -> Spot:
    """A run of capitalised words without the common words that begin it: "In Paris" → Paris."""
    run = match[0].split()
    while run and (run[0].lower() in STOP | GENERIC or run[0].lower() in ("i'm", "i'd", "i've")):
        run = run[1:]
    name = " ".join(run)
    return Spot(re.sub(r"['’]s$", "", name), match.end() - len(name), match.end())


def _enumerated(clause: str) -> list[str]:
    """The items of "we like tiles, fado and good seafood in summer": three or more, without what leads in and out."""
    items = split_items(clause) if re.search(r",.*\s(?:and|or)\s", clause) else []
    middle = items[1:-1]
    if not middle or any(len(item.split()) > 4 for item in middle):
        return []
    words = items[0].split()
    verbs = [place for place, word in enumerate(words) if word.lower() in STOP | GENERIC]
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
                after = 3 if start >= spot.end else 0
                best = min(best, len(between) + 60 * len(_APART.findall(between)) + cost + after)
        return best

    ranked = [(far(spot), spot.start, spot) for spot in spots(kind, text) if free(spot)]
    distance, _, spot = min(ranked, default=(1000, 0, None), key=lambda entry: entry[:2])
    return spot, distance


@lru_cache(maxsize=2_000)
def words_of(name: str) -> tuple[str, ...]:
    """The words of a field's name, in lower case: dueDate and due_date are the same."""
    return tuple(word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", re.sub(r"[_-]", " ", name)))


@lru_cache(maxsize=4_000)
def _tokens(text: str) -> tuple[tuple[str, str, int, int], ...]:
    found = ((m[0].lower(), m) for m in re.finditer(r"[A-Za-z]+(?:'[a-z]+)?|[$€£%]", text))
    return tuple((word, stem(word), *m.span()) for word, m in found)


@lru_cache(maxsize=4_000)
def stems(text: str) -> tuple[str, ...]:
    """The stems of a text's words without stop words, in order."""
    return tuple(root for word, root, _, _ in _tokens(text) if word not in STOP)


def mentions(text: str, option: str) -> float:
    """How strongly a text speaks of an option: its words, their stems, their kin; a negated word counts against it."""
    spoken = option.replace("_", " ")
    found = re.finditer(rf"(?<!\w){re.escape(spoken)}(?!\w)", text.replace("_", " "), re.I)
    score = sum(-1.0 if negated(text[max(0, m.start() - 12) : m.start()]) else 4.0 for m in found)
    own, kin = stems(spoken), {stem(word) for word in KIN.get(spoken.lower(), ())}
    return score + sum(1.5 if root in own else float(root in kin) for root in stems(text))


def negated(text: str) -> bool:
    """Whether a text says no."""
    return bool(_NOT.search(text))


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
