"""JSON schemas: what they resolve to, what the name of a field means, and which values keep their limits."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any, NamedTuple

from .lexicon import table
from .wishes import number

_NO_MEANINGS = (
    "yes",
    "no",
    "needs",
    "steps",
    "worker",
    "worker_list",
    "id",
)  # of values and of plans
_LOWS = {"minimum": 0, "exclusiveMinimum": 1}  # how many steps above is the least value
_HIGHS = {"maximum": 0, "exclusiveMaximum": 1}
_STATED = re.compile(r"(?:\A|\n\n)\{(\w+: .+)\}\Z", re.S)


class Share(NamedTuple):
    """A score from 0 to 1 that takes the scale of its field, or the one that the prompt names."""

    value: float
    scale: tuple[int, int] | None = None

    def on(self, schema: dict) -> float:
        """The score on a field's scale."""
        whole = schema.get("type") == "integer"
        low, high = self.scale or (0, 10 if whole else 1)
        low, high = schema.get("minimum", low), schema.get("maximum", high)
        value = low + (high - low) * self.value
        return int(value + 0.5) if whole else round(value, 2)


def words_of(name: str) -> tuple[str, ...]:
    """The words of a field's name in lower case: dueDate and due_date are the same."""
    plain = re.sub(r"[_-]", " ", name)
    return tuple(word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", plain))


def resolve(schema: Any, root: dict) -> dict:
    """A schema with $ref followed, allOf merged, and of a union the first branch that is not null.

    Raises RecursionError for a schema that only refers to itself.
    """
    schema = dict(schema) if isinstance(schema, dict) else {}
    for _ in range(20):
        if "$ref" in schema:
            schema = {**_referred(str(schema.pop("$ref")), root), **schema}
        elif "allOf" in schema:
            schema = _all_of([resolve(piece, root) for piece in schema.pop("allOf")], schema)
        elif isinstance(schema.get("type"), list):
            schema["anyOf"] = [{"type": kind} for kind in schema.pop("type")]
        elif schema.get("anyOf") or schema.get("oneOf"):
            branches = [*schema.pop("anyOf", ()), *schema.pop("oneOf", ())]
            plain = [branch for branch in branches if isinstance(branch, dict)]
            real = [branch for branch in plain if branch.get("type") != "null"]
            schema |= {
                "nullable": len(real) < len(plain),
                **(real[0] if real else {"type": "null"}),
            }
        else:
            whole = "enum" in schema and all(type(option) is int for option in schema["enum"])
            return {**({"type": "integer"} if whole else {}), **_stated(schema), **schema}
    raise RecursionError("a schema requires itself")


def _referred(path: str, root: dict) -> dict:
    target: Any = root
    for step in path.lstrip("#/").split("/"):
        target = target.get(step, {}) if step and isinstance(target, dict) else target
    return target if isinstance(target, dict) else {}


def _all_of(pieces: list[dict], schema: dict) -> dict:
    merged: dict = {}
    for piece in (*pieces, schema):
        properties = {**merged.get("properties", {}), **piece.get("properties", {})}
        required = [*merged.get("required", []), *piece.get("required", [])]
        merged = {**merged, **piece, "properties": properties, "required": required}
    return merged


def _stated(schema: dict) -> dict:
    """The limits at the end of a field's description, as the SDK writes them: "{minimum: 1}"."""
    description = schema.get("description")
    stated = _STATED.search(description) if isinstance(description, str) else None
    pairs = re.findall(r"(\w+): (-?\d[\d.]*)(?=, \w+: |\Z)", stated[1]) if stated else ()
    return {key: number(value) if value[0] != "-" else -number(value[1:]) for key, value in pairs}


@lru_cache(maxsize=2_000)
def means(name: str, meaning: str) -> bool:
    """Whether a field's name has a meaning of the lexicon."""
    plain = "_".join(words_of(name)) or name.lower()
    return any(fnmatchcase(plain, known) for known in table("words/fields")[meaning].split())


def meanings_of(name: str) -> list[str]:
    """What a field's name may mean, the likeliest first."""
    return [key for key in table("words/fields") if key not in _NO_MEANINGS and means(name, key)]


def has_field(schema: dict, meaning: str) -> bool:
    """Whether an answer's schema has a top-level field that can take this meaning."""
    return any(means(name, meaning) for name in resolve(schema, schema).get("properties") or {})


def positive(options: list, wanted: bool) -> Any:
    """The word of a choice that says yes (or no): PASS or REVISE, accept or reject."""
    ranked = sorted(options, key=lambda word: 2 * means(str(word), "no") - means(str(word), "yes"))
    return ranked[0] if wanted else ranked[-1]


def judges(name: str, options: list) -> bool:
    """Whether a choice is a verdict: by its field's name or by its words."""
    decided = (means(str(option), answer) for option in options for answer in ("yes", "no"))
    return means(name, "verdict") or any(decided)


def clipped(value: Any, schema: dict) -> Any:
    """The value within the schema's limits: lengths, minimum and maximum, number of items."""
    if isinstance(value, str):
        longest = schema.get("maxLength", len(value))
        if len(value) > longest:
            value = value[:longest].rpartition(" ")[0].rstrip(" ,;") or value[:longest]
        return value.ljust(schema.get("minLength", 0), ".")
    if isinstance(value, int | float) and not isinstance(value, bool):
        step = 1 if schema.get("type") == "integer" else 0.001
        lows = [schema[key] + steps * step for key, steps in _LOWS.items() if key in schema]
        highs = [schema[key] - steps * step for key, steps in _HIGHS.items() if key in schema]
        return min([max([value, *lows]), *highs])
    return (
        value[: schema["maxItems"]] if isinstance(value, list) and "maxItems" in schema else value
    )
