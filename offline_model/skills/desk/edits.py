"""Small edits of Python lines, the change of one token each: what a mutation tester makes, read backwards."""

from __future__ import annotations

import ast
import builtins
import re
import tokenize
from collections.abc import Iterator
from io import StringIO
from typing import NamedTuple

_OTHERS = """\
< <= > >=; <= < >= >; > >= < <=; >= > <= <; == != >= <=; != ==
+ - *; - + //; * // + **; / // *; // / * %; % //; ^ & |; & ^; | &; ** *; += -=; -= +=; << >>; >> <<
and or; or and; min max; max min; any all; all any; True False; False True; append extend; extend append
sum len; len sum; keys values items; values keys items; items keys values; lower upper; upper lower; startswith endswith; int round
lstrip strip; rstrip strip; floor ceil; ceil floor; union intersection; intersection union; update setdefault
popleft pop; sorted list"""
"""A token, then what may have been meant, likeliest first."""
_MEANT: dict[str, list[str]] = {}
for _row in re.split(r"[;\n]", _OTHERS):
    _text, *_others = _row.split()
    _MEANT[_text] = _others
_NUMBER = re.compile(r"(?<![\w.])\d{1,9}(?![\w.])")
_QUOTED = re.compile(r"""["'`](\w{1,30})["'`]""")
_KEYWORDS = {
    *"False None True and def else for if import in is lambda not or return while self elif from as with yield".split()
}


class Edit(NamedTuple):
    """One line with its new text; edits of a lower rank are likelier."""

    rank: float
    line: int
    new: str


class Change(NamedTuple):
    """From which column to which a line gets a new text, and how likely that is."""

    start: int
    end: int
    text: str
    rank: float


class Place(NamedTuple):
    """A token, and the texts of those around it."""

    token: tokenize.TokenInfo
    before: str
    behind: str
    next: str

    @property
    def text(self) -> str:
        return self.token.string

    @property
    def start(self) -> int:
        return self.token.start[1]

    @property
    def end(self) -> int:
        return self.token.end[1]


class Vocabulary(NamedTuple):
    """What changed tokens are made of: words of the source, and what the evidence names."""

    numbers: set[int]
    quoted: set[str]
    attributes: set[str]
    methods: set[str]
    names: set[str]
    named: tuple[str, ...]


def edits(
    source: str, lines: set[int], evidence: str, focus: int, named: tuple[str, ...]
) -> list[Edit]:
    """Edits of some lines of a source, the likeliest first; only those that are Python.

    evidence: docstrings, tests, ticket: their numbers and quoted names come first. focus: the
    line that a traceback names, 0 for none. named: names that a review asks for; each edit then
    brings one of them in.
    """
    rows = source.split("\n")
    tokens = list(tokenize.generate_tokens(StringIO(source).readline))
    words = _vocabulary(source, tokens, lines, evidence, named)
    ranks: dict[tuple[int, str], float] = {}
    for place in _places(tokens, lines):
        line = place.token.start[0]
        old = rows[line - 1]
        far = min(abs(line - focus), 5) * 0.3 if focus else 0
        for change in _changes(place, words):
            new = old[: change.start] + change.text + old[change.end :]
            brings = not named or any(name in new and name not in old for name in named)
            if new != old and brings:
                rank = change.rank + far
                ranks[line, new] = min(rank, ranks.get((line, new), rank))
    listed = sorted(Edit(rank, line, new) for (line, new), rank in ranks.items())
    return [edit for edit in listed if _is_python(rows, edit)]


def _is_python(rows: list[str], edit: Edit) -> bool:
    changed = [*rows[: edit.line - 1], edit.new, *rows[edit.line :]]
    try:
        ast.parse("\n".join(changed))
    except SyntaxError:
        return False
    return True


def _places(tokens: list[tokenize.TokenInfo], lines: set[int]) -> Iterator[Place]:
    """The tokens of some lines; those of a function's head are left alone."""
    texts = [token.string for token in tokens] + [""]
    for number, token in enumerate(tokens[:-1]):
        is_whole = token.start[0] == token.end[0]
        if token.start[0] in lines and is_whole and not re.match(r"\s*def ", token.line):
            yield Place(token, texts[number - 1], texts[number + 1], texts[number + 2])


def _vocabulary(
    source: str,
    tokens: list[tokenize.TokenInfo],
    lines: set[int],
    evidence: str,
    named: tuple[str, ...],
) -> Vocabulary:
    fields = re.findall(r"^    ([a-z_]\w*):", source, re.M)
    used = {token.string for token in tokens if token.start[0] in lines and _is_name(token)}
    return Vocabulary(
        numbers={int(number) for number in _NUMBER.findall(evidence)},
        quoted=set(_QUOTED.findall(evidence)),
        attributes={*fields, *re.findall(r"\.([a-z_]\w*)", source)},
        methods=set(re.findall(r"\.([a-z_]\w*)\(", source)),
        names={name for name in used if not re.search(rf"\.{name}\b|\b{name}\(", source)},
        named=named,
    )


def _is_name(token: tokenize.TokenInfo) -> bool:
    """Whether a token is a name of the source's own."""
    known = {*_KEYWORDS, *dir(builtins)}
    return token.type == tokenize.NAME and token.string not in known


def _changes(place: Place, words: Vocabulary) -> Iterator[Change]:
    for number, other in enumerate(_MEANT.get(place.text, ())):
        yield Change(place.start, place.end, other, 1 + number / 2)
    kind = place.token.type
    if kind == tokenize.NUMBER and place.text.isdigit():
        yield from _other_number(place, words)
    elif kind == tokenize.STRING and not place.text.startswith('"""'):
        yield from _other_text(place, words)
    elif kind == tokenize.NAME and place.text not in _KEYWORDS:
        yield from _other_name(place, words)
        yield from _sign_before(place, words)
    elif place.text in (")", "]"):
        yield from _behind_bracket(place, words)
    if place.text == "not":
        yield Change(place.start, place.end + 1, "", 2)
    if place.text == "-" and place.before in ("(", ",", "=", "return"):
        yield Change(place.start, place.end, "", 2)


def _other_number(place: Place, words: Vocabulary) -> Iterator[Change]:
    value = int(place.text)
    for other in words.numbers:
        yield Change(place.start, place.end, str(other), 1.5)
    for other in (value + 1, value - 1, 0, *(100 - number for number in words.numbers)):
        yield Change(place.start, place.end, str(other), 2 + abs(other - value) / 99)


def _other_text(place: Place, words: Vocabulary) -> Iterator[Change]:
    for key in words.quoted:
        letters = {*place.text}
        unlike = len(letters ^ {*key}) / len(letters | {*key})
        yield Change(place.start + 1, place.end - 1, key, 1 + 2 * unlike)


def _other_name(place: Place, words: Vocabulary) -> Iterator[Change]:
    is_attribute = place.before == "."
    is_call = is_attribute and place.behind == "("
    for other in words.attributes if is_attribute else words.names:
        if (other in words.methods) == is_call:
            yield Change(place.start, place.end, other, 3)
    for other in words.named:
        yield Change(place.start, place.end, other, 3)
    if not is_attribute and place.behind not in ("=", "("):
        for text in (f"({place.text} - 1)", f"({place.text} + 1)", f"{place.text}[1:]"):
            yield Change(place.start, place.end, text, 3.2)


def _sign_before(place: Place, words: Vocabulary) -> Iterator[Change]:
    if place.before in (".", "for", "lambda", "import"):
        return
    yield Change(place.start, place.start, "not ", 2.5)
    yield Change(place.start, place.start, "-", 3.3)
    if place.behind == ".":
        end = place.end + len(f".{place.next}")
        for name in words.named:
            yield Change(place.start, end, f"-{place.text}.{name}", 1.4)


def _behind_bracket(place: Place, words: Vocabulary) -> Iterator[Change]:
    yield Change(place.end, place.end, " + 1", 3.1)
    yield Change(place.end, place.end, " - 1", 3.1)
    if place.text == ")" and "sorted(" in place.token.line[: place.start]:
        yield Change(place.start, place.start, ", reverse=True", 2)
        for name in words.named:
            yield Change(place.start, place.start, f", key={name}", 1)
            yield Change(place.start, place.start, f", key=self.{name}", 1)
