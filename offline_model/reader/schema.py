"""JSON schemas: what they resolve to, what the name of a field means, and which values keep their limits."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase, translate
from functools import cache, lru_cache
from typing import Any, NamedTuple

from .dials import number
from .lexicon import table

_NO_MEANINGS = frozenset("yes no needs steps worker id".split())  # of values and plans
_MOST_STEPS = 20  # from a reference to the next one
_STATED = re.compile(r"(?:\A|\n\n)\{(\w+: .+)\}\Z", re.S)
_PAIR = re.compile(r"(?<!\w)(\w++): (-?)(\d[\d.]*)(?=, \w+: |\Z)")


class Share(NamedTuple):
    """A score from 0 to 1 that takes the scale of its field, or the one that the prompt names."""

    value: float
    scale: tuple[int, int] | None = None

    def on(self, schema: dict[str, Any]) -> float:
        """The score on a field's scale."""
        is_whole = schema.get("type") == "integer"
        low, high = self.scale or (0, 10 if is_whole else 1)
        low = schema.get("minimum", low)
        high = schema.get("maximum", high)
        score = low + (high - low) * self.value
        return int(score + 0.5) if is_whole else round(score, 2)


def words_of(name: str) -> tuple[str, ...]:
    """The words of a field's name in lower case: dueDate and due_date are the same."""
    plain = re.sub(r"[_-]", " ", name)
    parts = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", plain)
    return tuple(map(str.lower, parts))


def resolve(schema: Any, root: dict[str, Any]) -> dict[str, Any]:  # Any: JSON, or nothing
    """A schema with $ref followed, allOf merged, and of a union the first branch that is not null.

    Raises RecursionError for a schema that only refers to itself.
    """
    schema = dict(schema) if isinstance(schema, dict) else {}
    for _ in range(_MOST_STEPS):
        if "$ref" in schema:
            path = str(schema.pop("$ref"))
            schema = {**_referred(path, root), **schema}
        elif "allOf" in schema:
            pieces = [resolve(piece, root) for piece in schema.pop("allOf")]
            schema = _all_of([*pieces, schema])
        elif isinstance(schema.get("type"), list):
            kinds = schema.pop("type")
            schema["anyOf"] = [{"type": kind} for kind in kinds]
        elif schema.get("anyOf") or schema.get("oneOf"):
            branches = [*schema.pop("anyOf", ()), *schema.pop("oneOf", ())]
            schema |= _branch(branches)
        else:
            return _with_limits(schema)
    raise RecursionError("a schema requires itself")


def _referred(path: str, root: dict[str, Any]) -> dict[str, Any]:
    target: Any = root
    for step in path.lstrip("#/").split("/"):
        if step and isinstance(target, dict):
            target = target.get(step, {})
    return target if isinstance(target, dict) else {}


def _all_of(pieces: list[dict[str, Any]]) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    properties: dict[str, Any] = {}
    required: list[Any] = []
    for piece in pieces:
        merged |= piece
        properties |= piece.get("properties", {})
        required += piece.get("required", [])
    return {**merged, "properties": properties, "required": required}


def _branch(branches: list[Any]) -> dict[str, Any]:
    """The first branch of a union that is not null, and whether null is one."""
    plain = [branch for branch in branches if isinstance(branch, dict)]
    real = [branch for branch in plain if branch.get("type") != "null"]
    first = real[0] if real else {"type": "null"}
    return {"nullable": len(real) < len(plain), **first}


def _with_limits(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with the type that its choice has, and the limits that end its description, as the
    SDK writes them: "{minimum: 1}"."""
    found: dict[str, Any] = {}
    kinds = set(map(type, schema.get("enum") or ()))
    if kinds == {int}:
        found["type"] = "integer"
    description = schema.get("description")
    stated = None
    if isinstance(description, str) and description.endswith("}"):
        stated = _STATED.search(description)
    limits = _PAIR.findall(stated[1]) if stated else []
    for key, minus, digits in limits:
        value = number(digits)
        found[key] = -value if minus else value
    return found | schema


@cache
def _forms() -> dict[str, re.Pattern[str]]:
    """Meaning → the names that have it, as one pattern; the likeliest meanings first."""
    return {
        meaning: re.compile("|".join(map(translate, names.split())))
        for meaning, names in table("words/fields").items()
    }


@lru_cache(maxsize=5_000)
def _meanings(name: str) -> tuple[str, ...]:
    """Every meaning that a name has, of fields and of values."""
    plain = "_".join(words_of(name)) or name.lower()
    return tuple(meaning for meaning, form in _forms().items() if form.match(plain))


def means(name: str, meaning: str) -> bool:
    """True if a field's name has a meaning of the lexicon."""
    return meaning in _meanings(name)


def meanings_of(name: str) -> list[str]:
    """Returns the possible meanings of a field's name, the likeliest first."""
    return [meaning for meaning in _meanings(name) if meaning not in _NO_MEANINGS]


def most_like(names: Iterable[str], meaning: str) -> str:
    """The name that says a meaning of the lexicon most plainly: it is listed before the others; "" for none."""
    known = table("words/fields")[meaning].split()
    able = [name for name in names if means(name, meaning)]

    def place(name: str) -> int:
        plain = "_".join(words_of(name)) or name.lower()
        return next(place for place, form in enumerate(known) if fnmatchcase(plain, form))

    return min(able, key=place, default="")


def has_field(schema: dict[str, Any], meaning: str) -> bool:
    """True if an answer's schema has a top-level field that can take this meaning."""
    whole = resolve(schema, schema)
    fields = whole.get("properties") or {}
    return any(means(name, meaning) for name in fields)


def positive(options: list[Any], wanted: bool) -> Any:  # Any: JSON, of an enum
    """The word of a choice that says yes (or no): PASS or REVISE, accept or reject."""
    ranked = sorted(options, key=_refusal)
    return ranked[0] if wanted else ranked[-1]


def _refusal(option: object) -> int:
    """Scores the refusal in a word of a choice: 2 for a no, -1 for a yes."""
    word = str(option)
    return 2 * means(word, "no") - means(word, "yes")


def judges(name: str, options: Iterable[object]) -> bool:
    """True if a choice is a verdict: by its field's name or by its words."""
    if means(name, "verdict"):
        return True
    return any(map(_refusal, options))


def clipped(value: Any, schema: dict[str, Any]) -> Any:  # Any: JSON
    """The value within the schema's limits: lengths, minimum and maximum, number of items."""
    if isinstance(value, str):
        return _clipped_text(value, schema)
    if isinstance(value, list):
        return value[: schema.get("maxItems")]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    value = max(value, schema.get("minimum", value))
    return min(value, schema.get("maximum", value))


def _clipped_text(text: str, schema: dict[str, Any]) -> str:
    longest = schema.get("maxLength", len(text))
    if len(text) > longest:
        text = text[:longest]
        whole_words, _, _ = text.rpartition(" ")
        text = whole_words.rstrip(" ,;") or text
    return text
