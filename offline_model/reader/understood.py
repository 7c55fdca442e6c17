"""The account of a reply: what was read in the prompts, and which of their clauses matched nothing."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import replace
from functools import cache, lru_cache

from ..account import Account
from .lexicon import CLAUSE_END, LONGEST_SENTENCE, families, scan, spans, table, words_in
from .wishes import Limit, limits, other_lengths, wished

MOST_CLAUSES = 20
LONGEST_CLAUSE = 160
_SENTENCES = re.compile(r"(?<=[.!?])[\"”’')]*\s+|\n\s*\n|\n(?=\s*(?:[-*•#]|\d+[.)])\s)")
_PIECES = re.compile(rf"{CLAUSE_END.pattern}|,\s|\s\(|\)|\s(?:and|but|or)\s", re.I)
_ITEM = re.compile(r"(?<![^\s(])\d{1,2}[.)](?!\S)")  # the number of an item in a list
_WORDS = re.compile(r"[^\W_]+(?:['’.+#-]+[^\W_]+)*")


def understood(
    system: str,
    task: str,
    *,
    read_as: str,
    roles: Iterable[str],
    wishes: Iterable[str],
    read: str = "",
    read_in_system: str = "",
    parts: Iterable[str] = (),
) -> Account:
    """The account of one request.

    read_as: what the request was answered as. roles, wishes: the families of the lexicon that this
    obeys. read: words of the task that were used, such as its topic; read_in_system: those of the
    system prompt. parts: names of the parts.
    """
    wishes = tuple(wishes)
    heeded = [f"wishes/{wish}" for wish in wishes]
    heeded += [f"roles/{role}" for role in roles]
    of_task = [*heeded, *known_roles()]
    clauses = (*unread(system, tuple(heeded), read_in_system), *unread(task, tuple(of_task), read))
    account = Account(
        read_as=read_as,
        wishes=(
            *_lengths_described([*obeyed(system, heeded), *limits(task)]),
            *_described(f"{system}\n\n{task}", wishes),
        ),
        parts=tuple(parts),
    )
    return with_clauses(account, clauses)


def with_clauses(account: Account, clauses: Iterable[str]) -> Account:
    """The account with further clauses that were not understood, as many as it names."""
    distinct = list(dict.fromkeys([*account.not_understood, *map(_shortened, clauses)]))
    return replace(
        account,
        not_understood=tuple(distinct[:MOST_CLAUSES]),
        left_out=account.left_out + len(distinct[MOST_CLAUSES:]),
    )


def obeyed(text: str, read_families: Iterable[str]) -> list[Limit]:
    """The limits of a text that concern these families: searches a researcher, handoffs a supervisor."""
    owners = table("wishes/length")["owners"]
    return [
        limit
        for limit in limits(text)
        if limit.kind not in owners or f"roles/{owners[limit.kind]}" in read_families
    ]


def _lengths_described(found: Iterable[Limit]) -> list[str]:
    """Limits in words for people, of each kind the strictest."""
    strictest: dict[str, int] = {}
    for limit in found:
        known = strictest.get(limit.kind, limit.most)
        strictest[limit.kind] = min(limit.most, known)
    described = []
    for kind, most in strictest.items():
        unit = kind if most > 1 else kind[:-1]
        described.append(f"at most {most} {unit}")
    return described


def _described(text: str, wishes: Iterable[str]) -> list[str]:
    """The other wishes of a text in words for people."""
    described = []
    for wish in wishes:
        entry = table(f"wishes/{wish}")
        state = wished(text, wish) if wish != "length" else None
        turned = f"not: {entry['says']}"
        if state:
            described.append(entry["says"])
        elif state is not None:
            described.append(entry.get("says_turned", turned))
    return described


@cache
def known_roles() -> tuple[str, ...]:
    """The roles whose wordings any task may hold; those of a desk count for its own skills alone."""
    roles = [f"roles/{name}" for name in families("roles")]
    return tuple(role for role in roles if not table(role).get("alone"))


@lru_cache(maxsize=1_000)
def unread(text: str, read_families: tuple[str, ...], read: str) -> tuple[str, ...]:
    """The clauses of a text that none of some families reads; `read` holds words that were used."""
    seen = bytearray(len(text))
    for match in scan(text):
        if match.family in read_families or match.key == "lead_wordings":
            start = match.start
            for gap_start, gap_end in match.gaps:
                _mark(seen, start, gap_start)
                start = gap_end
            _mark(seen, start, match.end)
    read_limits = obeyed(text, read_families)
    unheeded = bytearray(len(text))
    for limit in (*limits(text), *other_lengths(text)):
        is_read = limit in read_limits and not limit.exact
        _mark(seen if is_read else unheeded, limit.start, limit.end)
    used = set(map(str.lower, _WORDS.findall(read)))
    common = words_in("words/common", "stop") | words_in("words/common", "neutral")
    found: list[str] = []
    for start, end in spans(_SENTENCES, text):
        words = list(_WORDS.finditer(text, start, end))
        known = [bool(seen[word.start()]) or word[0].lower() in used for word in words]
        strange = []
        for word, is_known in zip(words, known, strict=True):
            place = word.start()
            is_empty = word[0].lower() in common or _ITEM.match(text, place)
            if unheeded[place] or not (is_known or is_empty):
                strange.append(place)
        if len(words) > 1 and not any(known):
            found.append(text[start:end])
        else:
            found += _pieces(text, start, end, strange)
        if end - start > LONGEST_SENTENCE and not all(known):
            found.append(text[start + LONGEST_SENTENCE : end])
    clauses = [" ".join(clause.split()).strip(' -•*#:,;."') for clause in found]
    return tuple(filter(None, clauses))


def _mark(places: bytearray, start: int, end: int) -> None:
    places[start:end] = b"\x01" * (end - start)


def _pieces(text: str, start: int, end: int, strange: list[int]) -> list[str]:
    """The clauses of a sentence that hold a strange word."""
    inner = [mark.end() for mark in _PIECES.finditer(text, start, end)]
    cuts = [start, *inner, end]
    ends = dict.fromkeys(bisect_right(cuts, place) for place in strange)
    return [text[cuts[after - 1] : cuts[after]] for after in ends]


def _shortened(clause: str) -> str:
    if len(clause) <= LONGEST_CLAUSE:
        return clause
    return f"{clause[:LONGEST_CLAUSE]} …"
