"""Gives a value a plain form of JSON that differs whenever a type or a value does."""

from __future__ import annotations

import json
import sys
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import Any

from classroom.course import Course, active

MOST_VALUES, MOST_DEPTH = 100_000, 60
"""The limits of an observation: a value that contains itself must not keep the process busy."""
DICTS = (dict, OrderedDict, defaultdict, Counter)
"""Python's own dicts: they are equal when their items are."""
TAGS = ("int", "float", "tuple", "pairs", "kernel", "object", "raised")
"""The only key of a dict that stands for something other than a dict."""


@dataclass(frozen=True)
class Raised:
    """In place of a value: the answer raised an exception instead of returning."""

    problem: Exception
    how: str
    """The exception's type, or that a `raise` of the answer's own made it."""


def plain(value: Any) -> Any:
    """The plain form of a value: 1, 1.0, True and "1" have four.

    Knows the builtins and the dicts of `collections` by their exact type, and the course's own
    models and dataclasses by their exact class; of everything else it keeps the name of the type.
    Calls no code that a value brings along. Raises ValueError for more than `MOST_VALUES` values.
    """
    return _plain(value, 0, iter(range(MOST_VALUES)))


def canonical(value: Any) -> str:
    """The plain form as one line of printable text."""
    text = json.dumps(plain(value), ensure_ascii=False)
    return "".join(sign if sign.isprintable() else json.dumps(sign)[1:-1] for sign in text)


def _plain(value: Any, depth: int, left: Iterator[int]) -> Any:
    kind = type(value)
    if next(left, None) is None:
        raise ValueError(
            f"what was seen holds more than {MOST_VALUES:,} values; "
            "expected what the exercise asks for"
        )
    if value is None or kind is bool or kind is str:
        return value
    if kind is int:  # json refuses very long ones
        return value if value.bit_length() < 10_000 else {"int": hex(value)}
    if kind is float:
        return value if value - value == 0 else {"float": repr(value)}
    if kind is Raised:
        return {"raised": value.how}
    if id(kind) in _numpys_scalars():
        python = value.item()
        return _plain(float(value) if type(python) is kind else python, depth, left)
    if depth == MOST_DEPTH:
        return {"object": "too deep"}
    return _plain_inside(value, depth, left)


def _plain_inside(value: Any, depth: int, left: Iterator[int]) -> Any:
    kind = type(value)

    def inner(part: Any) -> Any:
        return _plain(part, depth + 1, left)

    if kind is list:
        return [inner(part) for part in value]
    if kind is tuple:
        return {"tuple": [inner(part) for part in value]}
    if any(kind is known for known in DICTS):
        pairs = []
        for key, part in dict.items(value):
            pairs.append((key, inner(part)))
        return _plain_dict(pairs, inner)
    if id(kind) in _own_kinds(active()):
        names = (
            [field.name for field in fields(kind)] if is_dataclass(kind) else [*kind.model_fields]
        )
        content = {name: inner(object.__getattribute__(value, name)) for name in names}
        return {"kernel": [kind.__name__, content]}
    return {"object": name_of(kind)}


def _plain_dict(pairs: list[tuple[Any, Any]], inner: Any) -> dict[str, Any]:
    if any(type(key) is not str for key, _ in pairs):
        return {"pairs": sorted(([inner(key), part] for key, part in pairs), key=json.dumps)}
    if (
        len(pairs) == 1 and pairs[0][0].lstrip("'") in TAGS
    ):  # a dict must not look like one of the forms here
        return {f"'{pairs[0][0]}": pairs[0][1]}
    return dict(sorted(pairs))


@cache
def _own_kinds(course: Course) -> frozenset[int]:
    """The ids of the course's own dataclasses and models."""
    return frozenset(map(id, course.own_kinds()))


def _numpys_scalars() -> frozenset[int]:
    """The ids of the types of numpy's numbers, truth values and texts, where numpy has been
    imported.

    A number of numpy's counts as the Python number that it equals.
    """
    kinds = getattr(sys.modules.get("numpy"), "sctypeDict", None)
    if type(kinds) is not dict:
        return frozenset()
    return frozenset(id(kind) for kind in kinds.values() if kind.__module__ == "numpy")


def name_of(kind: type) -> str:
    """The name of a type, whatever its metaclass says."""
    return type.__dict__["__name__"].__get__(kind)
