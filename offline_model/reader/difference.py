"""The account of a reply, by difference: what of a prompt is a dial, what its reader does anyway, and what is neither.

A behaviour declares its reference sentences (`lexicon/behaviours.toml`) and obeys some dials
(`lexicon/dials.toml`). Whatever differs from the one and is none of the other is named, word for word.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import groupby, pairwise
from operator import itemgetter

from ..account import Account
from .dials import FAULTS, Limit, dials_of, is_meant, limits, other_lengths, wished
from .lexicon import CLAUSE_END, LONGEST_SENTENCE, Match, scan, spans, table, words_in
from .topics import topic as topic_of

MOST_CLAUSES = 20
LONGEST_CLAUSE = 160
TOPIC = "<topic>"
SENTENCES = re.compile(r"(?<=[.!?])[\"”’')]*\s+|\n\s*\n|\n(?=\s*(?:[-*•#]|\d+[.)])\s)")
PIECES = re.compile(rf"{CLAUSE_END.pattern}|,\s|\s\(|\)|\s(?:and|but|or)\s", re.I)
_WRAP = re.compile(r"(?<=[^\s:])[ \t]*\n(?!\s|[-*•#<]|\d+[.)])")
ITEM = re.compile(r"(?<![^\s(])\d{1,2}[.)](?!\S)")  # the number of an item in a list
WORDS = re.compile(r"[^\W_]+(?:['’.+#-]+[^\W_]+)*")
_FEWEST = 3  # words of a piece of a reference that counts on its own
_EDGES = ' -•*#:,;.!?"“”()'


@dataclass(frozen=True)
class Mark:
    """A place of a text that sets a dial, and which."""

    start: int
    end: int
    dial: str


@dataclass(frozen=True)
class Prompt:
    """A text that a behaviour reads, its marks, and the words of it that the behaviour used."""

    text: str
    behaviour: str
    used: frozenset[str] = frozenset()
    is_task: bool = False

    def unread(self) -> Iterator[str]:
        """The sentences, or the pieces of them, that are neither reference nor dial."""
        known = references(self.behaviour)
        marks = marks_in(self.text, self.behaviour)
        kinds = self._kinds(marks)
        for start, end in spans(SENTENCES, self.text):
            if key(self.text, start, end, marks) in known:
                continue
            strange = self._strange(start, end, kinds)
            if strange is None:
                yield self.text[start:end]
            elif strange:
                yield from self._pieces(start, end, strange, known, marks)
            if end - start > LONGEST_SENTENCE:
                yield self.text[start + LONGEST_SENTENCE : end]

    def _kinds(self, marks: Sequence[Mark]) -> bytearray:
        """For each character whether a mark holds it: 1, and 2 where it only says who works."""
        kinds = bytearray(len(self.text))
        for mark in marks:
            kind = b"\x02" if mark.dial == "role" and self.is_task else b"\x01"
            kinds[mark.start : mark.end] = kind * (mark.end - mark.start)
        return kinds

    def _strange(self, start: int, end: int, kinds: bytearray) -> list[int] | None:
        """Returns the places of a sentence's unread words; None where none of its words is read."""
        glue = glue_of(self.behaviour)
        asks = asking() if self.is_task else frozenset()
        strange: list[int] = []
        is_read = False
        is_begun = False  # the topic
        count = 0
        for word in WORDS.finditer(self.text, start, end):
            plain = word[0].lower()
            is_item = ITEM.match(self.text, word.start())
            count += not is_item
            kind = kinds[word.start()]
            if kind or plain in self.used:
                is_read = is_read or kind != 2  # that it is to work says nothing of what on
                is_begun = is_begun or plain in self.used or self.text[word.start() - 1] == "<"
            elif not (is_item or plain in glue or (plain in asks and not is_begun)):
                strange.append(word.start())
        return strange if is_read or count < 1 else None

    def _pieces(
        self, start: int, end: int, strange: list[int], known: frozenset[str], marks: Sequence[Mark]
    ) -> Iterator[str]:
        """The pieces of a sentence that hold a strange word and are no piece of a reference."""
        inner = [mark.end() for mark in PIECES.finditer(self.text, start, end)]
        if self.is_task:
            inner += [mark.end for mark in between(marks, start, end) if mark.end < end]
        cuts = [start, *sorted(inner), end]
        for number, places in groupby(strange, lambda place: bisect_right(cuts, place)):
            begin, stop = cuts[number - 1], cuts[number]
            if key(self.text, begin, stop, marks) in known:
                continue
            gaps = (gap_at(self.text, self.behaviour, place) for place in places)
            for first, last in dict.fromkeys(gap or (begin, stop) for gap in gaps):
                yield self.text[first:last]


def between(marks: Sequence[Mark], start: int, end: int) -> Sequence[Mark]:
    """The marks that begin in a piece of a text."""
    first = bisect_left(marks, start, key=_start)
    return marks[first : bisect_left(marks, end, lo=first, key=_start)]


def _start(mark: Mark) -> int:
    return mark.start


@lru_cache(maxsize=1_000)
def unwrapped(text: str) -> str:
    """A text with the lines of a paragraph joined."""
    return _WRAP.sub(" ", text)


def key(text: str, start: int, end: int, marks: Sequence[Mark]) -> str:
    """A piece of a text for comparing: the name of the dial in each dial's place."""
    made = ""
    place = start
    for mark in between(marks, start, end):
        if mark.end <= end:
            made += f"{text[place : mark.start]}<{mark.dial}>"
            place = mark.end
    made += text[place:end]
    plain = re.sub(r"^(?:and|but|or)\s|\s(?:and|but|or)$", "", " ".join(made.lower().split()))
    return plain.strip(_EDGES)


@lru_cache(maxsize=1_000)
def marks_in(text: str, behaviour: str) -> list[Mark]:
    """The places of a text that set a dial of a behaviour or name it, in order, none inside another."""
    found = [Mark(*match.span(), "topic") for match in re.finditer(TOPIC, text)]
    for name in dials_of(behaviour):
        for match in scan(text):
            if match.family == f"dials/{name}" and is_meant(text, match):
                found += _without_gaps(match, f"{name}{_sign_of(match.key, behaviour)}")
    exact = set(other_lengths(text))
    for limit in obeyed(text, behaviour):
        if limit not in exact:
            found += _around_gap(limit, _is_fault(text, limit))
    roles = [f"roles/{role}" for role in table("behaviours")[behaviour].get("roles", ())]
    for match in scan(text):
        if match.family in roles and match.key == "wordings":
            found += _without_gaps(match, "role")
    kept: list[Mark] = []
    for mark in sorted(found, key=lambda mark: (mark.start, -mark.end)):
        last = kept[-1] if kept else None
        if last is None or mark.start >= last.end:
            kept.append(mark)
        elif mark.end > last.end and mark.dial == last.dial:
            kept[-1] = replace(last, end=mark.end)
    return kept


def _sign_of(key: str, behaviour: str) -> str:
    """Returns what stands behind the name of a dial in a key: "-" for a form that turns it off, "!" for
    one that names a fault to a reviewer."""
    if key in FAULTS and behaviour == "review":
        return "!"
    return "" if key == "wordings" else "-"


def _without_gaps(match: Match, dial: str) -> Iterator[Mark]:
    """The places of a wording without the words that its "..." skips."""
    start = match.start
    for gap_start, gap_end in match.gaps:
        yield Mark(start, gap_start, dial)
        start = gap_end
    yield Mark(start, match.end, dial)


def _is_fault(text: str, limit: Limit) -> bool:
    """True if a limit names what is too long: "more than 90 words"."""
    return text[limit.start : limit.end].lower().startswith(tuple(table("dials/length")["floors"]))


def _around_gap(limit: Limit, is_fault: bool) -> Iterator[Mark]:
    """The places of a limit without the words between its number and its unit."""
    first, last = limit.gap
    name = f"{limit.kind}!" if is_fault else limit.kind
    if last:
        yield Mark(limit.start, first, name)
    yield Mark(last or limit.start, limit.end, name)


@lru_cache(maxsize=1_000)
def _gaps(text: str, behaviour: str) -> list[tuple[int, int]]:
    """Returns the places of words between number and unit, in limits that a behaviour keeps, in
    order.
    """
    return sorted({limit.gap for limit in obeyed(text, behaviour)})


def gap_at(text: str, behaviour: str, place: int) -> tuple[int, int] | None:
    """The words inside of a limit that a place of a text belongs to, or None."""
    gaps = _gaps(text, behaviour)
    number = bisect_right(gaps, place, key=itemgetter(0))
    return gaps[number - 1] if number and place < gaps[number - 1][1] else None


def obeyed(text: str, behaviour: str) -> list[Limit]:
    """The limits of a text that a behaviour keeps."""
    owners = table("dials/length")["owners"]
    return [limit for limit in limits(text) if behaviour in owners[limit.kind]]


@cache
def glue_of(behaviour: str) -> frozenset[str]:
    """The words that say nothing on their own, those of a behaviour's own rules among them."""
    own = table("behaviours")[behaviour].get("glue", "")
    return words_in("words/common", "glue") | frozenset(own.split())


@cache
def references(behaviour: str) -> frozenset[str]:
    """Returns a behaviour's reference sentences and their pieces, for comparing: its usual work."""
    found: set[str] = set()
    for text in map(unwrapped, declared(behaviour)):
        marks = marks_in(text, behaviour)
        for start, end in spans(SENTENCES, text):
            found.add(key(text, start, end, marks))
            inner = [mark.end() for mark in PIECES.finditer(text, start, end)]
            cuts = [start, *inner, end]
            pieces = {key(text, *cut, marks) for cut in pairwise(cuts)}
            found |= {piece for piece in pieces if len(piece.split()) >= _FEWEST}
    return frozenset(found - {""})


def declared(behaviour: str) -> Iterator[str]:
    """The texts of a behaviour's reference, and of those that it is like."""
    entry = table("behaviours")[behaviour]
    yield entry.get("prompt", "")
    for name in ("phrases", "sentences", "tasks"):
        yield from entry.get(name, ())
    for name in dials_of(behaviour):
        dial = table("dials")[name]
        yield from (*dial["reads"], *dial.get("reads_off", ()))
    for other in entry.get("like", ()):
        yield from declared(other)


@cache
def asking() -> frozenset[str]:
    """The words that only ask: "write me a brief on"."""
    groups = ("asks", "kinds", "prepositions")
    listed = frozenset().union(*(words_in("words/topics", group) for group in groups))
    return listed - words_in("words/topics", "jobs")


def account_of(
    behaviour: str,
    system: str,
    task: str,
    *,
    topic: str,
    read: str,
    parts: Iterable[str],
    unread: Iterable[str] = (),
) -> Account:
    """The account of one request.

    system: the sentences of the prompt that are obeyed; unread: the others. topic: what it was taken to be
    about; read: words of the task that were used.
    """
    used = frozenset(map(str.lower, WORDS.findall(read)))
    about = next((name for name in (topic, topic_of(task)) if _is_used(name, task, used)), TOPIC)
    asked = unwrapped(task).replace(about, TOPIC)
    clauses = [*unread]
    for clause in Prompt(asked, behaviour, used, is_task=True).unread():
        clauses.append(clause.replace(TOPIC, about))
    account = Account(
        read_as=table("behaviours")[behaviour]["says"],
        topic=_shortened(topic),
        wishes=tuple(_described(system, task, behaviour)),
        parts=tuple(parts),
    )
    plain = [" ".join(clause.split()).strip(' -•*#:,;."') for clause in clauses]
    return with_clauses(account, filter(None, plain))


def _is_used(name: str, task: str, used: frozenset[str]) -> bool:
    """True if a topic stands in a task as it is, and was used."""
    spoken = map(str.lower, WORDS.findall(name))
    return bool(name) and name in task and used.issuperset(spoken)


def with_clauses(account: Account, clauses: Iterable[str]) -> Account:
    """The account with further clauses that were not understood, as many as it names."""
    named = map(_shortened, clauses)
    distinct = list(dict.fromkeys([*account.not_understood, *named]))
    return replace(
        account,
        not_understood=tuple(distinct[:MOST_CLAUSES]),
        left_out=account.left_out + len(distinct[MOST_CLAUSES:]),
    )


def _described(system: str, task: str, behaviour: str) -> Iterator[str]:
    """The dials of the prompts in words for people: the strictest limit of each kind, then the others."""
    strictest: dict[str, int] = {}
    for limit in (*obeyed(system, behaviour), *obeyed(task, behaviour)):
        strictest[limit.kind] = min(limit.most, strictest.get(limit.kind, limit.most))
    said = []
    for name in dials_of(behaviour):
        state = (
            None if name == "length" else wished(f"{system}\n\n{task}", name, behaviour == "review")
        )
        entry = table(f"dials/{name}")
        if state is not None:
            said.append(entry["says"] if state else entry["says_off"])
        if state:
            strictest.pop(entry.get("instead_of", ""), None)
    for kind, most in strictest.items():
        yield f"at most {most} {kind if most > 1 else _one(kind)}"
    yield from dict.fromkeys(said)


def _one(kind: str) -> str:
    return kind.removesuffix("es") if kind == "searches" else kind.removesuffix("s")


def _shortened(clause: str) -> str:
    if len(clause) <= LONGEST_CLAUSE:
        return clause
    return f"{clause[:LONGEST_CLAUSE]} …"
