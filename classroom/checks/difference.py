"""Says in a sentence what differs first between two values, where no known slip explains it."""

from __future__ import annotations

from collections import Counter
from typing import Any

from .compare import fingerprint
from .wording import as_text, counted

LONGEST = 60
"""Characters of a value that is named in a sentence."""
KINDS = {str: "a text", bool: "`True` or `False`", int: "a number", float: "a number"}
TYPES = {
    "set": "a set",
    "generator": "a generator that has not been run",
    "coroutine": "a call that was not awaited",
    "function": "a function",
    "dict_keys": "the keys of a dict (they are no list)",
    "dict_values": "the values of a dict (they are no list)",
}
"""Kinds of things that come back by mistake."""


def difference(actual: Any, expected: Any) -> str:
    """Returns the first difference, as a sentence without its full stop."""
    if kind_of(actual) != kind_of(expected) or (described(actual) and described(expected)):
        one, other = (described(value) or kind_of(value) for value in (actual, expected))
        if isinstance(expected, str) and len(expected) <= LONGEST:
            other = _short(expected)
        return f"{one} came back, and {other} is expected"
    if isinstance(expected, bool):
        return "the answer is the opposite of the expected one"
    if isinstance(expected, int | float):
        return _numbers(actual, expected)
    if isinstance(expected, str):
        return _texts(actual, expected)
    one, other = _inside(actual), _inside(expected)
    if isinstance(one, list) and isinstance(other, list):
        return _lists(one, other)
    if isinstance(one, dict) and isinstance(other, dict):
        return _dicts(one, other)
    return "the two lines above differ"


def kind_of(value: Any) -> str:
    """The kind of a plain value, in words."""
    if value is None:
        return "`None`"
    if isinstance(value, list):
        return "a list"
    if not isinstance(value, dict):
        return KINDS[type(value)]
    if len(value) != 1:
        return "a dict"
    ((tag, content),) = value.items()
    match tag:
        case "tuple":
            return "a tuple"
        case "raised":
            return "an error"
        case "object":
            return TYPES.get(content, f"something of the type `{content}`")
        case "int" | "float":
            return "a number"
        case "kernel":
            return f"a `{content[0]}`"
    return "a dict"


def described(value: Any) -> str:
    """Text of a description, such as "a dict", which stands alone in a tuple; else empty."""
    content = value.get("tuple") if isinstance(value, dict) else None
    return content[0] if content and len(content) == 1 and isinstance(content[0], str) else ""


def _inside(value: Any) -> Any:
    """Content of a tuple, a dict or a model of the kernel, without the mark of its kind."""
    if not isinstance(value, dict) or len(value) != 1:
        return value
    ((tag, content),) = value.items()
    match tag:
        case "tuple":
            return content
        case "kernel":
            return content[1]
        case "pairs":
            return {as_text(key): part for key, part in content}
    return value


def _numbers(actual: float, expected: float) -> str:
    way = "large" if actual > expected else "small"
    if isinstance(actual, int) and isinstance(expected, int):
        return f"the number is {abs(actual - expected):,} too {way}"
    return f"the number is too {way}"


def _texts(actual: str, expected: str) -> str:
    if actual.lower() == expected.lower():
        return "the texts differ in capital letters only"
    if actual.split() == expected.split():
        return "the texts differ in blanks or line ends only"
    if max(len(actual), len(expected)) <= LONGEST:  # `half-open` is another word than `open`
        return f"{_short(actual)} came back, and {_short(expected)} is expected"
    if expected and expected in actual:
        return "the expected text is there, and more beside it"
    if actual and actual in expected:
        return "a part of the text is missing"
    return "another text is expected"


def _lists(actual: list, expected: list) -> str:
    missing, extra = _without(expected, actual), _without(actual, expected)
    if not missing and not extra:
        pairs = enumerate(zip(actual, expected, strict=True), 1)
        place = next(number for number, (one, two) in pairs if one != two)
        return f"the entries are right, and their order is not: number {place} is another one"
    if not extra:
        return f"{_named(missing)} missing; the rest is right"
    if not missing:
        return f"{_named(extra)} too many; the rest is right"
    if len(actual) == len(expected):
        pairs = enumerate(zip(actual, expected, strict=True), 1)
        place, one, two = next((place, *pair) for place, pair in pairs if pair[0] != pair[1])
        return f"in entry number {place}, {difference(one, two)}"
    return f"{len(actual)} came back instead of {len(expected)}; {_named(missing)} missing"


def _without(parts: list, others: list) -> list:
    """The parts that are left when each of the others has taken one that is equal."""
    taken = Counter(map(fingerprint, others))
    left = []
    for part in parts:
        mark = fingerprint(part)
        if taken[mark]:
            taken[mark] -= 1
        else:
            left.append(part)
    return left


def _dicts(actual: dict, expected: dict) -> str:
    missing = [name for name in expected if name not in actual]
    extra = [name for name in actual if name not in expected]
    if missing:
        return f"the name {_short(missing[0])} is missing"
    if extra:
        return f"the name {_short(extra[0])} is too many"
    name = next(name for name in expected if actual[name] != expected[name])
    return f"at the name {_short(name)}, {difference(actual[name], expected[name])}"


def _named(parts: list) -> str:
    """The first of some values, and how many more there are, with its verb."""
    more = len(parts) - 1
    if not more:
        return f"{_short(parts[0])} is"
    return f"{_short(parts[0])} and {counted(more, 'other')} are"


def _short(value: Any) -> str:
    text = as_text(value).replace("`", "'")
    return f"`{text if len(text) <= LONGEST else text[: LONGEST - 1] + '…'}`"
