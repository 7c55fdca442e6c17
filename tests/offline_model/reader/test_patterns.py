"""No pattern that is searched for in a text begins with a run of any length: it would be read again from each of its places."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from re import _constants as kinds  # what `re` itself makes of a pattern
from re import _parser as parser

import offline_model
from offline_model.reader import lexicon
from tests.on_each import on_each

REPEATS = (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT)
LONG = 100
SEARCHES = ("search", "finditer", "findall", "sub", "split")
SOURCE = "\n".join(
    path.read_text(encoding="utf-8") for path in Path(offline_model.__file__).parent.rglob("*.py")
)


def searched() -> Iterator[tuple[str, re.Pattern]]:
    """(module and name, pattern) of each pattern of a module that is looked for anywhere in a text."""
    for found in pkgutil.walk_packages(offline_model.__path__, "offline_model."):
        module = importlib.import_module(found.name)
        source = Path(module.__file__).read_text(encoding="utf-8")
        for name, value in vars(module).items():
            if isinstance(value, re.Pattern) and re.search(
                rf"\b{name}\.(?:{'|'.join(SEARCHES)})\b|[(,] ?{name}[,)]", source
            ):
                yield f"{found.name}.{name}", value


def beginnings(pieces: list) -> Iterator[tuple]:
    """The pieces that a pattern may begin with, where more has to follow."""
    for place, (kind, value) in enumerate(pieces):
        rest = pieces[place + 1 :]
        if kind is kinds.SUBPATTERN:
            yield from beginnings([*value[-1], *rest])
        elif kind is kinds.BRANCH:
            for branch in value[1]:
                yield from beginnings([*branch, *rest])
        elif kind is kinds.ATOMIC_GROUP:
            yield from beginnings([*value, *rest])
        elif any(least(piece) for piece in rest):
            yield kind, value
            if kind in REPEATS and value[0] == 0:
                continue
        return


def least(piece: tuple) -> bool:
    """Whether a piece of a pattern takes a character at least, or looks for something."""
    kind, value = piece
    if kind in REPEATS:
        return value[0] > 0
    return not (kind is kinds.SUBPATTERN and not any(map(least, value[-1])))


def runs(pattern: str) -> list[str]:
    """The runs without a bound that a pattern may begin with."""
    return [
        str(value[2])
        for kind, value in beginnings(list(parser.parse(pattern)))
        if kind in REPEATS and value[1] > LONG
    ]


PATTERNS = dict(searched())


@on_each("name", PATTERNS)
def test_no_pattern_that_is_searched_for_begins_with_a_run(name):
    assert not runs(PATTERNS[name].pattern), PATTERNS[name].pattern


def test_a_run_at_the_beginning_is_seen():
    assert runs(r"\s+x") and runs(r"(?:a|\w*)b") and runs(r"(\d+)x") and runs(r"a?\s*b")
    assert not runs(r"(?<!\s)\s*+x") and not runs(r"\w+(?:-\w+)*") and not runs(r"x\s+y")


def test_every_wording_is_a_pattern_that_needs_a_word():
    for wording, _ in lexicon._wordings():
        assert not wording.pattern.match(""), wording.words
