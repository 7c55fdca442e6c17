"""The account of a reply: what was read in the prompts, and which of their clauses matched nothing."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import cache, lru_cache
from operator import or_

from ..account import Account
from .lexicon import CLAUSE_END, LONGEST_SENTENCE, families, scan, table, words_in
from .wishes import limits, other_lengths, wished

MOST_CLAUSES = 20
LONGEST_CLAUSE = 160
_SENTENCES = re.compile(r"(?<=[.!?])[\"”’')]*\s+|\n\s*\n|\n(?=\s*(?:[-*•#]|\d+[.)])\s)")
_PIECES = re.compile(rf"{CLAUSE_END.pattern}|,\s|\s\(|\)|\s(?:and|but|or)\s", re.I)
_MARK = re.compile(r"(?<![^\s(])\d{1,2}[.)](?!\S)")  # the number of an item in a list
_WORDS = re.compile(r"[^\W_]+(?:['’.+#-]+[^\W_]+)*")


def understood(
    system: str,
    task: str,
    *,
    read_as: str,
    roles: Iterable[str],
    wishes: Iterable[str],
    read: str = "",
    parts: Iterable[str] = (),
) -> Account:
    """The account of one request.

    read_as: what the request was answered as. roles, wishes: the families of the lexicon that this
    obeys. read: words of the task that were used, such as its topic. parts: names of the parts.
    """
    wishes = tuple(wishes)
    heeded = tuple(f"wishes/{wish}" for wish in wishes)
    of_roles = tuple(f"roles/{role}" for role in roles)
    of_all = (*of_roles, *(f"roles/{role}" for role in known_roles()))
    clauses = [*unread(system, heeded + of_roles, ""), *unread(task, heeded + of_all, read)]
    short = [_shortened(clause) for clause in dict.fromkeys(clauses)]
    return Account(
        read_as=read_as,
        wishes=tuple(_said(f"{system}\n\n{task}", wishes)),
        parts=tuple(parts),
        not_understood=tuple(short[:MOST_CLAUSES]),
        left_out=max(0, len(short) - MOST_CLAUSES),
    )


def _said(text: str, wishes: Iterable[str]) -> list[str]:
    """The wishes of a text in words for people."""
    strictest: dict[str, int] = {}
    for limit in limits(text):
        strictest[limit.kind] = min(limit.most, strictest.get(limit.kind, limit.most))
    told = [f"at most {most} {kind if most > 1 else kind[:-1]}" for kind, most in strictest.items()]
    for wish in wishes:
        state = wished(text, wish) if wish != "length" else None
        entry = table(f"wishes/{wish}")
        if state is not None:
            told.append(
                entry["says"] if state else entry.get("says_turned", f"not: {entry['says']}")
            )
    return told


@cache
def known_roles() -> tuple[str, ...]:
    """The roles whose wordings any task may hold; those of a desk count for its own skills alone."""
    return tuple(name for name in families("roles") if not table(f"roles/{name}").get("alone"))


@lru_cache(maxsize=1_000)
def unread(text: str, read_families: tuple[str, ...], read: str) -> tuple[str, ...]:
    """The clauses of a text that none of some families reads; `read` holds words that were used."""
    seen = bytearray(len(text))
    for match in scan(text):
        if match.family in read_families or match.key == "lead_wordings":
            skipping = bytearray(b"\x01" * (match.end - match.start))
            for begin, stop in match.gaps:
                skipping[begin - match.start : stop - match.start] = bytes(stop - begin)
            seen[match.start : match.end] = bytes(map(or_, seen[match.start : match.end], skipping))
    for limit in limits(text):
        seen[limit.start : limit.end] = b"\x01" * (limit.end - limit.start)
    unheeded = {
        place for length in other_lengths(text) for place in range(length.start, length.end)
    }
    used = {word.lower() for word in _WORDS.findall(read)}
    common = words_in("words/common", "stop") | words_in("words/common", "neutral")
    found: list[str] = []
    start = 0
    for end in [*(mark.start() for mark in _SENTENCES.finditer(text)), len(text)]:
        words = [word for word in _WORDS.finditer(text, start, end)]
        known = [bool(seen[word.start()]) or word[0].lower() in used for word in words]
        strange = [
            word.start()
            for word, is_known in zip(words, known, strict=True)
            if word.start() in unheeded
            or (
                not is_known
                and word[0].lower() not in common
                and not _MARK.match(text, word.start())
            )
        ]
        if len(words) > 1 and not any(known):
            found.append(text[start:end])
        elif strange:
            found += _pieces(text, start, end, strange)
        if end - start > LONGEST_SENTENCE and not all(known):
            found.append(text[start + LONGEST_SENTENCE : end])
        start = end
    return tuple(filter(None, (" ".join(clause.split()).strip(' -•*#:,;."') for clause in found)))


def _pieces(text: str, start: int, end: int, strange: list[int]) -> list[str]:
    """The clauses of a sentence that hold a strange word."""
    cuts = [start, *(mark.end() for mark in _PIECES.finditer(text, start, end)), end]
    holding = dict.fromkeys(bisect_right(cuts, place) for place in strange)
    return [text[cuts[after - 1] : cuts[after]] for after in holding]


def _shortened(clause: str) -> str:
    return clause if len(clause) <= LONGEST_CLAUSE else f"{clause[:LONGEST_CLAUSE]} …"
