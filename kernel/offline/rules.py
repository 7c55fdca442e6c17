"""What the service refuses in a request, and with which words: a table of all fields, then the rules between them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby
from typing import Any, NoReturn

MAX_NONSTREAMING_TOKENS = 21_333
MAX_OUTPUT_TOKENS = 128_000
_TYPE_NAMES = {str: "string", dict: "dictionary", list: "list", int: "integer", bool: "boolean"}

Turns = list[tuple[str, list[tuple[int, int, dict]]]]
"""Each turn's role and its blocks; a block comes with the index of its message and its own index there."""


class RequestError(Exception):
    """The request is refused. Its two arguments are the HTTP status and the message."""


class OneOf(dict):
    """The spec of an object whose `type` says which of these fields are its own."""

    def __init__(self, **kinds: dict[str, Any]) -> None:
        super().__init__({kind: {"type": str, **fields} for kind, fields in kinds.items()})


def refuse(where: str, message: str) -> NoReturn:
    raise RequestError(400, f"{where.removeprefix('.')}: {message}")


def check(value: Any, spec: Any, where: str) -> None:
    """Refuse a value that does not fit.

    A spec is a type (`object` takes all), a tuple of the strings to choose from, a pattern, a range, [the spec of every
    item], the fields of an object ("name?" may be missing or null, "..." lets others through), `OneOf`, or a function
    of the value and its place.
    """
    if isinstance(spec, type):
        if type(value) is not spec and spec is not object:
            refuse(where, f"Input should be a valid {_TYPE_NAMES[spec]}")
    elif isinstance(spec, tuple):
        if value not in spec:
            refuse(where, f"Input should be {' or '.join(', '.join(map(repr, spec)).rsplit(', ', 1))}")
    elif isinstance(spec, re.Pattern):
        check(value, str, where)
        if not spec.fullmatch(value):
            refuse(where, f"String should match pattern '{spec.pattern}'")
    elif isinstance(spec, range):
        check(value, int, where)
        if value < spec.start:
            refuse(where, f"Input should be greater than or equal to {spec.start}")
        if value >= spec.stop:
            refuse(where, f"{value} > {spec.stop - 1}, which is the maximum allowed")
    elif isinstance(spec, list):
        check(value, list, where)
        for index, item in enumerate(value):
            check(item, spec[0], f"{where}.{index}")
    elif isinstance(spec, OneOf):
        check(value, dict, where)
        if "type" not in value:
            refuse(f"{where}.type", "Field required")
        kind = str(value["type"])
        if kind not in spec:
            refuse(where, f"Input tag '{kind}' found using 'type' does not match any of the expected tags: "
                          f"{', '.join(map(repr, spec))}")
        _check_fields(value, spec[kind], f"{where}.{kind}" if len(spec) > 1 else where)
    elif isinstance(spec, dict):
        check(value, dict, where)
        _check_fields(value, spec, where)
    else:
        spec(value, where)


def _check_fields(value: dict, spec: dict[str, Any], where: str) -> None:
    for name, given in value.items():
        part = spec.get(name) or spec.get(f"{name}?") or spec.get("...")
        if part is None:
            refuse(f"{where}.{name}", "Extra inputs are not permitted")
        if type(given) is not part and (given is not None or name in spec):
            check(given, part, f"{where}.{name}")
    for key in spec:
        if key not in value and not key.endswith(("?", "...")):
            refuse(f"{where}.{key}", "Field required")


def _text(value: Any, where: str) -> None:
    check(value, str, where)
    if not value.strip():
        block = where.removesuffix(".text").removesuffix(".text")
        refuse(block, f"text content blocks must {'contain non-whitespace text' if value else 'be non-empty'}")


def _stop_sequence(value: Any, where: str) -> None:
    if not isinstance(value, str) or not value.strip():
        refuse(where, "each stop sequence must contain non-whitespace")


def _text_or_blocks(value: Any, where: str) -> None:
    check(value, [_TEXT] if isinstance(value, list) else str, where)


def _tool(tool: Any, where: str) -> None:
    check(tool, _TOOL, f"{where}.custom")
    if tool.get("strict"):
        _schema(tool["input_schema"], f"{where}.custom")


def _schema(schema: Any, where: str, definitions: dict | None = None) -> None:
    """The subset of JSON Schema that is enforced; what the service ignores (`minimum`, …) is let through."""
    check(schema, _SCHEMA, where)
    definitions = (schema.get("$defs") or {}) if definitions is None else definitions
    for name in ("oneOf", "not", "if", "patternProperties", "prefixItems"):
        if name in schema:
            refuse(where, f"'{name}' is not supported in a schema that is enforced; anyOf and allOf are")
    kinds = schema.get("type", [])
    for kind in kinds if isinstance(kinds, list) else [kinds]:
        if kind not in _KINDS:
            refuse(where, f"Schema type {kind!r} is not supported; expected {', '.join(_KINDS)}")
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        refuse(where, "For 'object' type, 'additionalProperties' must be explicitly set to false")
    if schema.get("type") == "array" and schema.get("minItems", 0) not in (0, 1):
        refuse(where, "For 'array' type, 'minItems' values other than 0 or 1 are not supported")
    if "$ref" in schema and schema["$ref"].removeprefix("#/$defs/") not in definitions:
        refuse(where, f"'$ref' must name an entry of the schema's own '$defs'; got {schema['$ref']!r}")
    parts = [schema["items"]] if "items" in schema else []
    for name in ("properties", "$defs", "anyOf", "allOf"):
        nested = schema.get(name) or []
        parts += nested.values() if isinstance(nested, dict) else nested
    for part in parts:
        _schema(part, where, definitions)


_KINDS = ("object", "array", "string", "number", "integer", "boolean", "null")
_NAME = re.compile("^[a-zA-Z0-9_-]{1,128}$")
_SCHEMA = {"properties?": dict, "$defs?": dict, "anyOf?": list, "allOf?": list, "$ref?": str, "...": object}
_MARK = {"cache_control?": OneOf(ephemeral={"ttl?": ("5m", "1h")})}
_TEXT = OneOf(text={"text": _text, "citations?": list, **_MARK})
_BLOCKS = OneOf(
    **_TEXT,
    thinking={"thinking": str, "signature": str},
    redacted_thinking={"data": str},
    tool_use={"id": _NAME, "name": str, "input": dict, "caller?": dict, **_MARK},
    tool_result={"tool_use_id": _NAME, "content?": _text_or_blocks, "is_error?": bool, **_MARK})
_MESSAGE = {"role": ("user", "assistant", "system"), "content": object}
_TOOL = {"type?": ("custom",), "name": _NAME, "description?": str, "strict?": bool, "input_examples?": list, **_MARK,
         "input_schema": {"type": ("object",), "properties?": dict, "required?": [str], "...": object}}
_PARALLEL = {"disable_parallel_tool_use?": bool}
_DISPLAY = {"display?": ("summarized", "omitted")}
_COUNTED = {
    "model": str,
    "messages": list,
    "system?": _text_or_blocks,
    "tools?": [_tool],
    "tool_choice?": OneOf(auto=_PARALLEL, any=_PARALLEL, tool={"name": str, **_PARALLEL}, none={}),
    "thinking?": OneOf(adaptive=_DISPLAY, between_tools={}, disabled={},
                       enabled={"budget_tokens": range(1024, MAX_OUTPUT_TOKENS + 1), **_DISPLAY}),
    "output_config?": {"effort?": ("low", "medium", "high", "xhigh", "max"),
                       "format?": OneOf(json_schema={"schema": _schema})},
    **_MARK}
_REQUEST = {
    **_COUNTED,
    "max_tokens": range(1, MAX_OUTPUT_TOKENS + 1),
    "stop_sequences?": [_stop_sequence],
    "stream?": bool,
    "metadata?": {"user_id?": str},
    "service_tier?": ("auto", "standard_only"),
    **dict.fromkeys(("container?", "diagnostics?", "inference_geo?", "speed?"), object),  # taken, and of no effect here
}
_THINKING = {"haiku": ("adaptive", "disabled"), "sonnet": ("between_tools", "adaptive"), "opus": ("adaptive",)}


def line(model: str) -> str:
    """Which of the 5.5 lines a model belongs to; "" for any other model, which has none of their limits."""
    match = re.fullmatch(r"claude-(haiku|sonnet|opus)-5-5(-\d{8})?", model)
    return match[1] if match else ""


def check_request(request: Any, *, counting: bool = False, trusted: Iterable[str] = ()) -> None:
    """All that can be said without the turns; raises RequestError. `trusted`: more block types that may come back."""
    check(request, dict, "body")
    check(request, _COUNTED if counting else _REQUEST, "")
    _check_settings(request, line(request["model"]))
    if not request["messages"]:
        refuse("messages", "at least one message is required")
    kinds = OneOf(**{kind: {"...": object} for kind in trusted} | _BLOCKS)
    for index, message in enumerate(request["messages"]):
        where = f"messages.{index}"
        check(message, _MESSAGE, where)
        role, content = message["role"], message["content"]
        if content == [] or (isinstance(content, str) and not content.strip()):
            refuse(where, f"{role} messages must have non-empty content")
        if index == 0 and role == "assistant":
            refuse("messages", 'first message must use the "user" role')
        if not isinstance(content, str):
            check(content, [kinds], f"{where}.content")


def _check_settings(request: dict, family: str) -> None:
    """The rules between the fields other than the messages."""
    tokens = request.get("max_tokens", 1)
    if tokens > MAX_NONSTREAMING_TOKENS and not request.get("stream"):
        refuse("max_tokens", f"{tokens} > {MAX_NONSTREAMING_TOKENS}: Streaming is required for operations that may "
                             'take longer than 10 minutes. Send "stream": true, or ask for fewer tokens.')
    names = [tool["name"] for tool in request.get("tools") or ()]
    if len(names) > len(set(names)):
        refuse("tools", f"Tool names must be unique; got {', '.join(names)}")
    if family in ("sonnet", "opus") and (request.get("tool_choice") or {}).get("type") in ("any", "tool"):
        refuse("tool_choice", 'type "tool" and "any" are not supported for this model.')
    kind = (request.get("thinking") or {"type": "adaptive"})["type"]
    taken = _THINKING.get(family, (kind,))
    if kind not in taken:
        instead = " or ".join(f'"thinking.type.{name}"' for name in taken)
        raise RequestError(400, f'"thinking.type.{kind}" is not supported for this model. Use {instead}.')


def turns_of(messages: list[dict]) -> Turns:
    """Consecutive messages of one role are one turn."""
    return [(role, [(i, j, block) for i, message in group for j, block in enumerate(blocks_of(message["content"]))])
            for role, group in groupby(enumerate(messages), key=lambda item: item[1]["role"])]


def blocks_of(content: str | list[dict]) -> list[dict]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def check_turns(turns: Turns) -> None:
    """Each tool_use has its one tool_result in the next turn, the results first; the user has the last word."""
    place, waiting = "", []  # where the turn before ended, and its calls that have no result yet
    for _, blocks in [*turns, ("", [])]:
        others, hint = False, ""
        for i, j, block in blocks:
            if block["type"] != "tool_result":
                others = True
            elif block["tool_use_id"] not in waiting:
                refuse(f"messages.{i}.content.{j}", "unexpected `tool_use_id` found in `tool_result` blocks: "
                       f"{block['tool_use_id']}. Each `tool_result` block must have a corresponding `tool_use` block "
                       "in the previous message.")
            elif others:
                hint = " The results come first in that message, before any other block."
            else:
                waiting.remove(block["tool_use_id"])
        if waiting:
            refuse(place, "`tool_use` ids were found without `tool_result` blocks immediately after: "
                   f"{', '.join(waiting)}. Each `tool_use` block must have a corresponding `tool_result` block in "
                   f"the next message.{hint}")
        waiting = [block["id"] for *_, block in blocks if block["type"] == "tool_use"]
        place = f"messages.{blocks[-1][0]}" if blocks else place
    if turns[-1][0] == "assistant":
        raise RequestError(400, "This model does not support assistant message prefill. The conversation must end with "
                                "a user message.")
