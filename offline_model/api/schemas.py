"""The subset of JSON Schema that the service enforces: answers with a format, strict tools."""

from __future__ import annotations

from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from typing import Annotated, Any

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError, with_config
from pydantic_core import ErrorDetails
from typing_extensions import TypedDict

from .errors import refuse

KINDS = ("object", "array", "string", "number", "integer", "boolean", "null")
UNSUPPORTED = ("oneOf", "not", "if", "patternProperties", "prefixItems")
_DEFINITION = "#/$defs/"

Number = Annotated[int | float, Field(allow_inf_nan=False)]


Count = Annotated[int, Field(ge=0)]
Keywords = TypedDict(
    "Keywords",
    {
        "properties": dict[str, Any],
        "$defs": dict[str, Any],
        "definitions": dict[str, Any],
        "anyOf": list[Any],
        "allOf": list[Any],
        "oneOf": list[Any],
        "prefixItems": list[Any],
        "$ref": str,
        "required": list[str],
        "enum": Annotated[list[Any], Field(min_length=1)],
        "minimum": Number,
        "maximum": Number,
        "exclusiveMinimum": Number,
        "exclusiveMaximum": Number,
        "multipleOf": Annotated[Number, Field(gt=0)],
        "minItems": Count,
        "maxItems": Count,
        "minLength": Count,
        "maxLength": Count,
        "pattern": str,
        "description": str,
    },
    total=False,
)
"""The keywords whose values have a type of their own; the others are not looked at."""

with_config(ConfigDict(strict=True, defer_build=True))(Keywords)
_keywords = TypeAdapter(Keywords)


def check_input_schema(schema: dict[str, Any], where: str) -> None:
    """Refuse a tool's input schema that is no JSON Schema. `where` is its place in the request.

    Raises RequestError.
    """
    waiting: list[Any] = [schema]
    while waiting:
        part = waiting.pop()
        if isinstance(part, bool):
            continue
        problem = _problem(part)
        if problem:
            refuse(
                where,
                "JSON schema is invalid. It must match JSON Schema draft 2020-12 "
                f"(https://json-schema.org/draft/2020-12). {problem}",
            )
        waiting += _parts_of(part)


def _problem(part: Any) -> str:
    """Returns the fault of one schema, by the types of its keywords; "" for none."""
    try:
        _keywords.validate_python(part)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        keyword = "".join(map(str, first["loc"][:1])) or "schema"
        return f"{keyword}: {_message(first)}."
    kinds = part.get("type", [])
    for kind in kinds if isinstance(kinds, list) else [kinds]:
        if kind not in KINDS:
            return f"type: {str(kind)[:100]!r} is none of {', '.join(KINDS)}."
    return ""


def check_schema(schema: Any, where: str) -> None:  # Any: JSON that nobody has checked
    """Refuse a schema that the service would not enforce. `where` is its place in the request.

    What the service ignores (`minimum`, `pattern`, …) is accepted as long as it makes sense.
    Raises RequestError.
    """
    definitions: dict[str, Any] = {}
    waiting = [schema]
    while waiting:
        part = waiting.pop()
        _check_keywords(part, where)
        if part is schema:
            definitions = part.get("$defs") or {}
        _check_part(part, where, definitions)
        waiting += reversed(list(_parts_of(part)))
    _check_circles(definitions, where)


def _check_keywords(part: Any, where: str) -> None:
    try:
        _keywords.validate_python(part)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        refuse(".".join([where, *map(str, first["loc"][:1])]), _message(first))


def _message(error: ErrorDetails) -> str:
    is_object = error["type"] == "dict_type"
    return "Input should be a valid dictionary" if is_object else error["msg"]


def _check_part(part: dict[str, Any], where: str, definitions: dict[str, Any]) -> None:
    for name in UNSUPPORTED:
        if name in part:
            refuse(
                where,
                f"'{name}' is not supported in a schema that is enforced; anyOf and allOf are",
            )
    kind = part.get("type", [])
    for name in kind if isinstance(kind, list) else [kind]:
        if name not in KINDS:
            expected = ", ".join(KINDS)
            refuse(where, f"Schema type {name!r} is not supported; expected {expected}")
    if kind == "object" and part.get("additionalProperties") is not False:
        refuse(where, "For 'object' type, 'additionalProperties' must be explicitly set to false")
    if kind == "array" and (part.get("minItems") or 0) not in (0, 1):
        refuse(where, "For 'array' type, 'minItems' values other than 0 or 1 are not supported")
    reference = part.get("$ref")
    if reference is not None and reference.removeprefix(_DEFINITION) not in definitions:
        refuse(where, f"'$ref' must name an entry of the schema's own '$defs'; got {reference!r}")


def _parts_of(schema: dict[str, Any]) -> Iterator[Any]:
    """The schemas directly inside this one."""
    if "items" in schema:
        yield schema["items"]
    for name in ("additionalProperties", "not"):
        if isinstance(schema.get(name), dict):
            yield schema[name]
    for name in ("properties", "$defs", "definitions"):
        yield from (schema.get(name) or {}).values()
    for name in ("anyOf", "allOf", "oneOf", "prefixItems"):
        yield from schema.get(name) or ()


def _check_circles(definitions: dict[str, Any], where: str) -> None:
    graph = {name: set(_references(part)) for name, part in definitions.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle = " -> ".join(error.args[1])
        refuse(
            where,
            f"Circular reference detected in schema definitions: {circle}. Self-referencing or "
            "mutually-referencing definitions are not supported.",
        )


def _references(schema: dict[str, Any]) -> Iterator[str]:
    """The definitions that a schema names, at any depth."""
    waiting = [schema]
    while waiting:
        part = waiting.pop()
        if part.get("$ref") is not None:
            yield part["$ref"].removeprefix(_DEFINITION)
        waiting += _parts_of(part)
