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
_ATTRIBUTE = re.compile(r"\.([a-z_]\w*)")
_FIELD = re.compile(r"^    ([a-z_]\w*):", re.M)
_METHOD = re.compile(r"\.([a-z_]\w*)\(")
_HEAD = re.compile(r"\s*def ")
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
    """A token of a line, and the texts of those around it."""

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

    def instead(self, text: str, rank: float) -> Change:
        """Another text in place of the token."""
        return Change(self.start, self.end, text, rank)

    def ahead(self, text: str, rank: float) -> Change:
        """A text before the token."""
        return Change(self.start, self.start, text, rank)

    def after(self, text: str, rank: float) -> Change:
        """A text behind the token."""
        return Change(self.end, self.end, text, rank)


class Vocabulary(NamedTuple):
    """The words for changed tokens: those of the source, and the names in the evidence."""

    numbers: set[int]
    quoted: set[str]
    attributes: set[str]
    methods: set[str]
    names: set[str]
    named: list[str]


def edits(
    source: str,
    lines: set[int],
    evidence: str,
    focus: int,
    named: list[str],
) -> list[Edit]:
    """Edits of some lines of a source, the likeliest first; only those that are Python.

    evidence: docstrings, tests, ticket: their numbers and quoted names come first. focus: the
    line that a traceback names, 0 for none. named: names that a review asks for; each edit then
    brings one of them in.
    """
    rows = source.split("\n")
    places = list(_places(source, lines))
    words = Vocabulary(
        numbers=set(map(int, _NUMBER.findall(evidence))),
        quoted=set(_QUOTED.findall(evidence)),
        attributes={*_ATTRIBUTE.findall(source), *_FIELD.findall(source)},
        methods=set(_METHOD.findall(source)),
        names=_names(source, places),
        named=named,
    )
    ranks: dict[tuple[int, str], float] = {}
    for place in places:
        line = place.token.start[0]
        old = rows[line - 1]
        far = min(abs(line - focus), 5) * 0.3 if focus else 0
        for change in _changes(place, words):
            new = _changed(old, change)
            if _brings(named, old, new):
                rank = change.rank + far
                key = (line, new)
                ranks[key] = min(rank, ranks.get(key, rank))
    found = [Edit(rank, line, new) for (line, new), rank in ranks.items()]
    return [edit for edit in sorted(found) if _is_python(rows, edit)]


def _changed(line: str, change: Change) -> str:
    return line[: change.start] + change.text + line[change.end :]


def _brings(named: list[str], old: str, new: str) -> bool:
    """True if a new line has one of the names that are asked for; without any, if it is new."""
    if not named:
        return new != old
    return any(name in new and name not in old for name in named)


def _is_python(rows: list[str], edit: Edit) -> bool:
    changed = list(rows)
    changed[edit.line - 1] = edit.new
    try:
        ast.parse("\n".join(changed))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _places(source: str, lines: set[int]) -> Iterator[Place]:
    """The tokens of some lines."""
    tokens = list(tokenize.generate_tokens(StringIO(source).readline))
    texts = ["", *(token.string for token in tokens), ""]
    for number, token in enumerate(tokens[:-1]):
        line = token.start[0]
        is_whole = line == token.end[0]
        if line in lines and is_whole:
            before, _, behind, following = texts[number : number + 4]
            yield Place(token, before, behind, following)


def _names(source: str, places: list[Place]) -> set[str]:
    """The variables among some tokens."""
    names = {place.text for place in places if place.token.type == tokenize.NAME}
    names -= _KEYWORDS
    names.difference_update(dir(builtins))
    return {name for name in names if not re.search(rf"\.{name}\b|\b{name}\(", source)}


def _changes(place: Place, words: Vocabulary) -> Iterator[Change]:
    """Yields possible corrections of one place; a function's head is left alone."""
    if _HEAD.match(place.token.line):
        return
    for number, other in enumerate(_MEANT.get(place.text, [])):
        yield place.instead(other, 1 + number / 2)
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
    elif place.text == "not":
        yield Change(place.start, place.end + 1, "", 2)
    elif place.text == "-" and place.before in ("(", ",", "=", "return"):
        yield place.instead("", 2)


def _other_number(place: Place, words: Vocabulary) -> Iterator[Change]:
    value = int(place.text)
    for other in words.numbers:
        yield place.instead(str(other), 1.5)
    rests = [100 - number for number in words.numbers]
    for other in (value + 1, value - 1, 0, *rests):
        distance = abs(other - value)
        yield place.instead(str(other), 2 + distance / 99)


def _other_text(place: Place, words: Vocabulary) -> Iterator[Change]:
    letters = set(place.text)
    for key in words.quoted:
        others = set(key)
        unlike = len(letters ^ others) / len(letters | others)
        yield Change(place.start + 1, place.end - 1, key, 1 + 2 * unlike)


def _other_name(place: Place, words: Vocabulary) -> Iterator[Change]:
    is_attribute = place.before == "."
    is_call = is_attribute and place.behind == "("
    others = words.attributes if is_attribute else words.names
    for other in others:
        is_method = other in words.methods
        if is_method == is_call:
            yield place.instead(other, 3)
    for other in words.named:
        yield place.instead(other, 3)
    if not is_attribute and place.behind not in ("=", "("):
        yield place.instead(f"({place.text} - 1)", 3.2)
        yield place.instead(f"({place.text} + 1)", 3.2)
        yield place.instead(f"{place.text}[1:]", 3.2)


def _sign_before(place: Place, words: Vocabulary) -> Iterator[Change]:
    if place.before in (".", "for", "lambda", "import"):
        return
    yield place.ahead("not ", 2.5)
    yield place.ahead("-", 3.3)
    if place.behind == ".":
        end = place.end + len(f".{place.next}")
        for name in words.named:
            yield Change(place.start, end, f"-{place.text}.{name}", 1.4)


def _behind_bracket(place: Place, words: Vocabulary) -> Iterator[Change]:
    yield place.after(" + 1", 3.1)
    yield place.after(" - 1", 3.1)
    if place.text == ")" and "sorted(" in place.token.line[: place.start]:
        yield place.ahead(", reverse=True", 2)
        for name in words.named:
            yield place.ahead(f", key={name}", 1)
            yield place.ahead(f", key=self.{name}", 1)
