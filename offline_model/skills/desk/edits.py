"""Small edits of Python lines, the change of one token each: what a mutation tester makes, read
backwards.
"""

from __future__ import annotations

import ast
import builtins
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from typing import NamedTuple


class Edit(NamedTuple):
    """One line with its new text; edits of a lower rank are likelier."""

    line: int
    new: str
    rank: float


_OTHERS = """< <= > >=; <= < >= >; > >= < <=; >= > <= <; == != >= <=; != ==; + - *; - + //; * // + **; / // *; // / * %; % //; ^ & |; & ^
| &; ** *; += -=; -= +=; and or; or and; min max; max min; any all; all any; True False; False True; append extend; extend append
sum len; len sum; keys values items; values keys items; items keys values; lower upper; upper lower; startswith endswith; int round
lstrip strip; rstrip strip; floor ceil; ceil floor; union intersection; intersection union; update setdefault; << >>; >> <<
popleft pop; sorted list"""
"""A token, then what may have been meant, likeliest first."""
_MEANT = {text: others for text, *others in map(str.split, re.split(r"[;\n]", _OTHERS))}
_NUMBER = re.compile(r"(?<![\w.])\d{1,9}(?![\w.])")
_QUOTED = re.compile(r"""["'`](\w{1,30})["'`]""")


def edits(
    source: str, lines: set[int], evidence: str, focus: int = 0, named: tuple[str, ...] = ()
) -> list[Edit]:
    """Edits of some lines of a source, the likeliest first; only those that are Python.

    evidence: docstrings, tests, ticket: their numbers and quoted names come first. focus: the line
    that a traceback names. named: names that a review asks for; each edit then brings one of them
    in.
    """
    rows = source.split("\n")
    found: dict[tuple[int, str], float] = {}
    for line, start, end, text, rank in _changes(source, lines, evidence, named):
        old = rows[line - 1]
        new = old[:start] + text + old[end:]
        near = min(abs(line - focus), 5) * 0.3 if focus else 0
        brings = any(name in new and name not in old for name in named) or not named
        if new != old and brings:
            found[line, new] = min(rank + near, found.get((line, new), 9))
    listed = [Edit(line, new, rank) for (line, new), rank in found.items()]
    return sorted(
        (edit for edit in listed if _is_python(rows, edit)),
        key=lambda edit: (edit.rank, edit.line, edit.new),
    )


def _is_python(rows: list[str], edit: Edit) -> bool:
    try:
        ast.parse("\n".join([*rows[: edit.line - 1], edit.new, *rows[edit.line :]]))
    except SyntaxError:
        return False
    return True


Change = tuple[int, int, int, str, float]
"""A line, from which column to which, the new text, and its rank."""


@dataclass(frozen=True)
class _Vocabulary:
    """What changed tokens are made of: words of the source, and what the evidence names."""

    numbers: set[int]
    quoted: set[str]
    keys: set[str]
    attributes: set[str]
    methods: set[str]
    names: set[str]
    named: tuple[str, ...]


@dataclass(frozen=True)
class _Place:
    """One token of a line, and the texts beside it."""

    kind: int
    line: str
    start: int
    end: int
    before: str
    text: str
    behind: str
    next: str


Piece = tuple[int, int, str, float]
"""From which column to which, the new text, and its rank."""


def _changes(
    source: str, lines: set[int], evidence: str, named: tuple[str, ...]
) -> Iterator[Change]:
    tokens = list(tokenize.generate_tokens(StringIO(source).readline))
    words = _vocabulary(source, tokens, lines, evidence, named)
    for place, token in enumerate(tokens[:-1]):
        line, start = token.start
        if line not in lines or token.end[0] != line or re.match(r"\s*def ", token.line):
            continue
        following = tokens[place + 2].string if place + 2 < len(tokens) else ""
        before = tokens[place - 1].string
        behind = tokens[place + 1].string
        here = _Place(
            token.type, token.line, start, token.end[1], before, token.string, behind, following
        )
        for rule in (_other_sign, _other_value, _other_bracket, _left_out):
            for piece in rule(here, words):
                yield (line, *piece)


def _vocabulary(
    source: str,
    tokens: list[tokenize.TokenInfo],
    lines: set[int],
    evidence: str,
    named: tuple[str, ...],
) -> _Vocabulary:
    quoted = set(_QUOTED.findall(evidence))
    attributes = re.findall(r"\.([a-z_]\w*)|^    ([a-z_]\w*):", source, re.M)
    local = {
        token.string for token in tokens if token.type == tokenize.NAME and token.start[0] in lines
    }
    names = {name for name in local if not re.search(rf"\.{name}\b|\b{name}\(", source)}
    return _Vocabulary(
        numbers={int(number) for number in _NUMBER.findall(evidence)},
        quoted=quoted,
        keys=quoted | {token.string[1:-1] for token in tokens if token.type == tokenize.STRING},
        attributes={one or other for one, other in attributes},
        methods=set(re.findall(r"\.([a-z_]\w*)\(", source)),
        names=names - {*_KEYWORDS, *dir(builtins)},
        named=named,
    )


def _other_sign(here: _Place, words: _Vocabulary) -> Iterator[Piece]:
    for rank, other in enumerate(_MEANT.get(here.text, ())):
        yield here.start, here.end, other, 1 + rank / 2


def _other_value(here: _Place, words: _Vocabulary) -> Iterator[Piece]:
    if here.kind == tokenize.NUMBER and here.text.isdigit():
        yield from _other_number(here, words)
    elif here.kind == tokenize.STRING and here.text[:3] != '"""':
        for key in filter(str.isidentifier, words.keys):
            unlike = len(set(key) ^ set(here.text)) / len(set(key) | set(here.text))
            rank = 1.5 + 2 * unlike - (key in words.quoted) / 2
            yield here.start + 1, here.end - 1, key, rank
    elif here.kind == tokenize.NAME and here.text not in _KEYWORDS:
        yield from _other_name(here, words)


def _other_number(here: _Place, words: _Vocabulary) -> Iterator[Piece]:
    value = int(here.text)
    near = {value + 1, value - 1, 0}
    for other in words.numbers | near | {100 - number for number in words.numbers}:
        rank = 1.5 if other in words.numbers else 2 + abs(other - value) / 99
        yield here.start, here.end, str(other), rank


def _other_name(here: _Place, words: _Vocabulary) -> Iterator[Piece]:
    alike = words.attributes if here.before == "." else words.names
    is_call = here.behind == "(" and here.before == "."
    for other in [*alike, *words.named]:
        if other in words.named or (other in words.methods) == is_call:
            yield here.start, here.end, other, 3
    if here.before != "." and here.behind not in ("=", "("):
        for other in (f"({here.text} - 1)", f"({here.text} + 1)", f"{here.text}[1:]"):
            yield here.start, here.end, other, 3.2
    if here.before not in (".", "for", "lambda", "import"):
        yield here.start, here.start, "not ", 2.5
        yield here.start, here.start, "-", 3.3
        for name in words.named if here.behind == "." else ():
            end = here.start + len(here.text) + 1 + len(here.next)
            yield here.start, end, f"-{here.text}.{name}", 1.4


def _other_bracket(here: _Place, words: _Vocabulary) -> Iterator[Piece]:
    if here.text == ")" or here.text == "]":
        yield here.end, here.end, " + 1", 3.1
        yield here.end, here.end, " - 1", 3.1
    if here.text == ")" and "sorted(" in here.line[: here.start]:
        for key in [f"self.{name}" for name in words.named] + list(words.named):
            yield here.start, here.start, f", key={key}", 1
        yield here.start, here.start, ", reverse=True", 2


def _left_out(here: _Place, words: _Vocabulary) -> Iterator[Piece]:
    if here.text == "not" or (here.text == "-" and here.before in "(,=return"):
        yield here.start, here.end + (here.text == "not"), "", 2


_KEYWORDS = "False None True and def else for if import in is lambda not or return while self elif from as with yield".split()
