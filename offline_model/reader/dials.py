"""The dials that a prompt can turn: a closed list, and upper limits in numbers."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import islice
from typing import NamedTuple

from .lexicon import (
    LONGEST_SENTENCE,
    Match,
    families,
    number_pattern,
    number_words,
    scan,
    spans,
    spoken,
    table,
)

FAULTS = ("fault_wordings", "lack_wordings")
"""The keys of the forms that name what is wrong with a text: they are wishes of somebody who finds faults."""

_NEAR = 120  # characters before a number that may change what it means
_MOST_LIMITS = 100  # of one sentence
_OF_DRAFTS = re.compile(
    r"\b(?:hand|send|give)\b[^.;]{0,100}\bback\b|\brevis(?:e|ed|ing|ion)\b|\bfeedback\b", re.I
)
_VERDICTS = re.compile(
    r"\b(?:REVISE|REJECT(?:ED)?|FAIL(?:ED)?)\b|\b(?:is|are) (?:an? )?(?:errors?|faults?)\b"
)
_CONDITION = re.compile(r"\b(?:if|when|means?|errors?|faults?)\b", re.I)
_TIME = "ª"  # a unit of one letter: "twice" is "2   ª", of the same length
_LEAST = re.compile(r"(?:at least|minimum(?: of)?)$", re.I)
_SENTENCE_END = re.compile(r"[.!?;](?=[\s\"”’)]|$)|\n\s*\n")


class Limit(NamedTuple):
    """An upper limit that a text sets, and where it does."""

    kind: str
    most: int
    start: int
    end: int
    exact: bool = False
    gap: tuple[int, int] = (0, 0)
    """The place of the words between the number and its unit: "the two most important sentences"."""

    def moved(self, by: int) -> Limit:
        """The same limit so many characters further on."""
        first, last = self.gap
        gap = (first + by, last + by) if last else self.gap
        return self._replace(start=self.start + by, end=self.end + by, gap=gap)


def number(text: str) -> float | int:
    """The number that digits or words stand for: "1,250.50", "thirty-four", "a hundred and twenty"."""
    if not text[:1].isalpha():
        value = float(text.replace(",", ""))
        return int(value) if value.is_integer() else value
    total = 0
    for word in re.findall(r"[a-z]+", text.lower()):
        total = (total or 1) * 100 if word == "hundred" else total + number_words().get(word, 0)
    return total


@cache
def dials_of(behaviour: str) -> tuple[str, ...]:
    """The dials that a behaviour obeys; lengths are one of them."""
    return tuple(name for name in families("dials") if behaviour in table("dials")[name]["for"])


@cache
def closings() -> dict[str, str]:
    """The dials that end a text with a sentence, and that sentence."""
    found = {name: table(f"dials/{name}").get("closing", "") for name in families("dials")}
    return {name: closing for name, closing in found.items() if closing}


def is_closing(sentence: str) -> bool:
    """True if a sentence is one that a dial puts at the end of a text: it claims nothing."""
    patterns = (re.escape(text).replace(r"\{topic\}", ".+") for text in closings().values())
    return any(re.fullmatch(pattern, sentence.strip()) for pattern in patterns)


def places_of(text: str) -> list[int]:
    """Returns the places where a text begins to set a dial that says nothing of its topic."""
    found = []
    for match in scan(text):
        if match.family.startswith("dials/") and not table(match.family).get("of_topic"):
            found.append(match.start)
    return found


@lru_cache(maxsize=2_000)
def wished(text: str, name: str, finds_faults: bool = False) -> bool | None:
    """True if a text sets a dial, False if it turns it off, None if it says nothing of it.

    Of two forms that overlap the longer one counts; of several sentences the last one.
    finds_faults: the text is for somebody who finds faults; what is lacking is then one of them.
    """
    matches = longest(text, name)
    if not matches:
        return None
    start = 0  # of the last sentence that has one
    for end in _SENTENCE_END.finditer(text):
        if end.end() <= matches[-1].start:
            start = end.end()
    on = ("wordings", *FAULTS) if finds_faults else ("wordings",)
    return all(_is_on(text, match, on) for match in matches if match.start >= start)


def _is_on(text: str, match: Match, on: tuple[str, ...]) -> bool:
    """True if a form turns its dial on; "never without a citation" does."""
    return match.key in on or (match.key == "lack_wordings" and is_forbidden(text, match.start))


_FORBIDS = re.compile(
    r"(?:^\s*|[^\w\s]\s*|\n\s*|\b(?:and|but|or|you|must|should|please|also|may|can)\s+)"
    r"(?:do not|don['’]t|never|not|need not|no need to)\s+(?:[\w'’]+\s+){0,4}$",
    re.I,
)


def is_forbidden(text: str, start: int) -> bool:
    """True if a clause says "never" or "do not" to what begins at a place of a text."""
    return _FORBIDS.search(text[max(0, start - _NEAR) : start]) is not None


def is_meant(text: str, match: Match) -> bool:
    """True if a form of a dial means what it says. One that turns a dial on or off, and that is
    itself forbidden ("never finish without a review"), is no form of it; nor is a "never" that
    forbids only more ("never revise more than once").
    """
    if match.key == "lack_wordings":
        return True
    forbids_more = _NOT.match(text, match.start) and _MORE_THAN.match(text, match.end)
    return not (forbids_more or is_forbidden(text, match.start))


_NOT = re.compile(r"(?:do )?(?:not|never|don['’]t)\b", re.I)
_MORE_THAN = re.compile(r"\s+(?:\w+\s+){0,2}(?:more|less|fewer|longer|shorter)\s+than\b", re.I)


def longest(text: str, name: str) -> list[Match]:
    """The places of a dial in a text; a form inside of a longer one does not count.

    One that begins with a "not" also counts before a longer one that begins within it: the "not"
    governs both.
    """
    listed = [match for match in scan(text) if match.family == f"dials/{name}"]
    listed = [match for match in listed if is_meant(text, match)]
    kept: list[Match] = []
    for match in sorted(listed, key=lambda match: (match.start, -match.end)):
        last = kept[-1] if kept else None
        if last is None or match.start >= last.end:
            kept.append(match)
        elif _NOT.match(text, last.start):
            continue
        elif match.end - match.start > last.end - last.start:
            kept[-1] = match
    return kept


@cache
def _forms() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Returns the patterns by which a limit is said: "180 words" and "word limit: 90"."""
    unit = spoken(_kinds())
    further = spoken(table("dials/length")["further"])  # "three more facts" is no limit
    no_adjective = rf"(?:and|or|to|per|each|every|after|behind|{further}|{unit})\b"
    adjective = rf"(?!{no_adjective})[a-z][\w'-]{{0,40}}+"
    most = r"(?:at most|no more than|up to|maximum|max|limit|only|just|is|of|[:=≤<])"
    count = rf"(?P<n>{number_pattern()})"
    first = rf"(?<![\w.]){count}(?P<between>(?:[\s-]+{adjective}){{0,3}}?)[\s-]+(?P<unit>{unit})\b(?!\s+\d)"
    second = rf"\b(?P<unit>{unit})(?:[^\w:=≤<]*{most})+\s*{count}(?!\s+(?:\w+s|{_TIME})\b)"
    return re.compile(first, re.I), re.compile(second, re.I)


@cache
def _kinds() -> dict[str, str]:
    """The name of a unit → the kind of limit that it sets."""
    kinds: dict[str, str] = {_TIME: "searches"}
    for kind, names in table("dials/length")["units"].items():
        kinds |= dict.fromkeys(names, kind)
    return kinds


_NOT_SAID = r"\b(?:\w+n['’]t|not|never|cannot)"
_NO_OBJECT = r"(?:of|with|that|which|has|have|before|after|until|unless|if|when|because)"


def _forbids(length: dict[str, list[str]]) -> str:
    """A pattern for "never write more than". The verb says whether the number is a limit of what is made:
    in "never shorten drafts of more than" it is not.
    """
    takes, makes, repeats = (spoken(length[key]) for key in ("takes", "makes", "repeats"))
    word = rf"(?!{_NO_OBJECT}\b)\w+"
    made = rf"(?:{makes})(?:(?:\s+{word}){{1,2}}(?:\s+(?:of|with))?)?"
    no_text = rf"\bno\s+(?:{spoken(length['whole'])})(?:\s+(?:may|must|should|can|is|are))?"
    verb = rf"(?:{takes}|{made})\s+(?:more|longer)|{made}\s+longer|(?:{repeats})(?:\s+{word}){{0,4}}\s+more"
    ever = r"(?:\s+(?:ever|to|let|it|them|be))*"
    return rf"(?:{_NOT_SAID}|{no_text}){ever}\s+(?:{verb})\s+than"


@cache
def _endings() -> dict[str, re.Pattern[str]]:
    """Returns the patterns of the words around a number that change its meaning."""
    length = table("dials/length")

    def one_of(key: str) -> str:
        return rf"\b(?:{spoken(length[key])})"

    no = r"(?<!no )(?<!not )"
    cut_to = rf"\b(?:{spoken(length['cuts'])})(?:\s+\w+){{0,4}}\s+to"
    makes, whole = spoken(length["makes"]), spoken(length["whole"])
    at_a_time = r"at (?:a|one|the same) time|at once|in parallel"
    patterns = {
        "floor": rf"{no}{one_of('floors')}(?: \w+)?$",
        "strict": rf"{no}{one_of('strict')}$",
        "exact": rf"{no}{one_of('exact')}$",
        "bound": rf"{one_of('bounds')}\b",
        "part": rf"(?<!1 )(?<!a ){one_of('parts')}(?: (?!into\b)\w+){{0,6}}$",
        "most": rf"(?:,\s*)?{one_of('most')}\s+$",
        "forbidden_strict": rf"(?:{_NOT_SAID}|\bno)(?:\s+\w+){{0,3}}\s+(?:{spoken(length['strict'])})$",
        "chosen": rf"\b(?:{spoken(length['chosen'])})$",
        "kept": rf"(?:\b(?:{spoken(length['keeps'])})|(?:^|[,:(])\s*only|{cut_to})\s+(?:(?:the|its)\s+)?first\s+$",
        "kept_out": r"\s+(?:out|away|aside)\b",
        "tail": rf"\s+(?:{spoken(length['tails'])})(?!\w)",
        "forbidden": rf"{_forbids(length)}\s*$",
        "other_text": rf"{_NOT_SAID}\s+(?!{makes}\b)\w+\s+(?:an?\s+|any\s+|the\s+)?(?:{whole})\s+(?:of|with)(?:\s+(?:{spoken(length['most'])}))?$",
        "behind": rf"\s*(?:per (?!ticket|plan|task)|each|apiece|{at_a_time}|(?:a|in|for) (?:each |every )?sentence)\b",
    }
    return {name: re.compile(pattern, re.I) for name, pattern in patterns.items()}


@lru_cache(maxsize=2_000)
def _names_a_fault(sentence: str) -> bool:
    """True if a sentence is a rule that names what is wrong: "REVISE if it has more than 90
    words".
    """
    return bool(_VERDICTS.search(sentence) and _CONDITION.search(sentence))


def limits(text: str) -> tuple[Limit, ...]:
    """The upper limits that a text sets. Floors ("at least 50 words") and limits of a part are none."""
    return tuple(limit for limit in _lengths(text) if limit.most)


def other_lengths(text: str) -> tuple[Limit, ...]:
    """The lengths that are more than an upper limit: exact ones of words, floors, limits of a part."""
    return tuple(limit for limit in _lengths(text) if limit.exact or not limit.most)


_TIMES = re.compile(r"(?<!at )\b(?:once|one time)\b(?! more)|\btwice\b")
_THE_FIRST = re.compile(r"\b(?:the|its) first (?=(?:sentence|paragraph)\b)", re.I)
"""The first one; it is read as a number of the same length, so that places in the text stay."""


def _as_number(match: re.Match[str]) -> str:
    """A number and its unit, as long as the words that they stand for, so that places in the text stay."""
    count = "2" if match[0] == "twice" else "1"
    return count.ljust(len(match[0]) - 1) + _TIME


@lru_cache(maxsize=2_000)
def _lengths(text: str) -> tuple[Limit, ...]:
    """The lengths that a text names; `most` is 0 where one is not an upper limit of the whole."""
    plain = _TIMES.sub(_as_number, text)
    if plain == text:
        plain = re.sub(r"\ba (?=(?:\w+ )?paragraph\b)", "1 ", plain)
    plain = _THE_FIRST.sub(lambda match: "first 1".ljust(len(match[0])), plain)
    found_lengths: list[Limit] = []
    for start, end in spans(_SENTENCE_END, plain):
        sentence = plain[start : min(end, start + LONGEST_SENTENCE)]
        for limit in _limits_in(sentence):
            found_lengths.append(limit.moved(start))
    return tuple(found_lengths)


@lru_cache(maxsize=20_000)
def _limits_in(clause: str) -> tuple[Limit, ...]:
    """The lengths that one sentence names, the first hundred at most."""
    lower = clause.lower()
    if not any(unit in lower for unit in _kinds()):
        return ()
    found_limits = []
    for form in _forms():
        for match in islice(form.finditer(clause), _MOST_LIMITS):
            limit = _limit(match, clause)
            if limit:
                found_limits.append(limit)
    return tuple(found_limits)


def _limit(match: re.Match[str], clause: str) -> Limit | None:
    """The length at one place of a clause, or None where one thing is meant and not a length."""
    kind = _kinds()[match["unit"].lower()]
    most = int(number(match["n"]))
    if kind == "searches" and _OF_DRAFTS.search(clause):
        kind = "revisions"
    endings = _endings()
    place = match.start("n")
    near = max(0, place - _NEAR)  # a whole text here would take squared time
    before = " ".join(clause[near:place].split()).rstrip(" -(:")

    def begins_with(name: str) -> bool:
        return endings[name].search(before) is not None

    if most < 1 or (kind == "steps" and _is_no_limit(clause, place, begins_with("exact"))):
        return None
    if most == 1 and kind in ("words", "facts") and not begins_with("bound"):
        return None
    if _names_a_fault(clause):  # "REVISE if it has more than 180 words"
        if begins_with("strict"):
            return Limit(kind, 0, match.start(), match.end())
        if begins_with("floor") and not _LEAST.search(before):
            return Limit(kind, most, _start_of_floor(clause, near, place), match.end())
    is_part = kind == "words" and place == match.start() and begins_with("part")
    is_floor = begins_with("floor") and not endings["forbidden"].search(clause, near, place)
    is_floor = is_floor or begins_with("forbidden_strict")  # "never below 30"
    is_floor = is_floor or begins_with("other_text")  # "never shorten drafts of 90 words"
    kept = endings["kept"].search(clause, near, place)
    is_kept = kept and not endings["kept_out"].match(clause, match.end())
    is_chosen = begins_with("chosen") and not is_kept  # "merge the first two"
    if any((is_part, is_floor, is_chosen, endings["behind"].match(clause, match.end()))):
        return Limit(kind, 0, match.start(), match.end())
    if begins_with("strict"):
        most = max(1, most - 1)
    start = match.start()
    for leads in ("kept", "forbidden", "most"):  # "keep the first", "never more than", "at most"
        lead = endings[leads].search(clause, max(0, start - _NEAR), start)
        if lead:
            start = lead.start()
            break
    is_exact = kind == "words" and begins_with("exact")
    gap = match.span("between") if match.groupdict().get("between") else (0, 0)
    return Limit(kind, most, start, _end(match, clause), is_exact, gap)


def _start_of_floor(clause: str, near: int, place: int) -> int:
    """Returns the start of a fault that ends in a number: "longer than 20 words"."""
    floor = _endings()["floor"].search(clause[near:place].rstrip())
    return near + floor.start() if floor else place


def _end(match: re.Match[str], clause: str) -> int:
    """Returns the end of a limit, behind any words after its unit: "three steps or fewer"."""
    tail = _endings()["tail"].match(clause, match.end())
    return tail.end() if tail else match.end()


def _is_no_limit(clause: str, place: int, is_exact: bool) -> bool:
    """True if a number of steps is no upper limit: a planner makes no step up for "exactly five",
    and the two of "no two steps may run at the same time" belong to a wording of an order.
    """
    orders = ("dials/one_by_one", "dials/at_once")
    found = (match for match in scan(clause) if match.family in orders)
    return is_exact or any(match.start <= place < match.end for match in found)


def limit(text: str, kind: str) -> int | None:
    """The strictest upper limit of a kind that a text sets, or None.

    kind: words | sentences | paragraphs | facts | searches | handoffs | revisions.
    """
    counts = [limit.most for limit in limits(text) if limit.kind == kind]
    return min(counts, default=None)
