"""What the service refuses in a request, and with which words: a table of all fields, then the rules between them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NoReturn

MAX_NONSTREAMING_TOKENS = 21_333
MAX_OUTPUT_TOKENS = 128_000

Turns = list[tuple[str, list[tuple[int, int, dict]]]]
"""Each turn's role and blocks; a block with the index of its message and its own."""


class RequestError(Exception):
    """The request is refused with this status and message."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(status, message)
        self.status, self.message = status, message


def refuse(where: str, message: str) -> NoReturn:
    raise RequestError(400, f"{where.removeprefix('.')}: {message}")


# ---- one mechanism: a value and what it should be --------------------


@dataclass(frozen=True)
class Fields:
    """An object with these fields and no other; an optional one may be null."""

    required: dict[str, Any]
    optional: dict[str, Any] = field(default_factory=dict)


_JSON_NAMES = {str: "string", dict: "dictionary", list: "list", int: "integer", bool: "boolean"}


def check(value: Any, spec: Any, where: str) -> None:
    """Refuse a value that does not fit.

    A spec is a type (`object` takes all), a tuple of the strings to choose from, a pattern, [the spec of every item],
    `Fields`, a dict of specs by the object's `type`, or a function of the value and its place.
    """
    if isinstance(spec, type):
        if spec is not object and type(value) is not spec:
            refuse(where, f"Input should be a valid {_JSON_NAMES[spec]}")
    elif isinstance(spec, tuple):
        if value not in spec:
            refuse(where, f"Input should be {' or '.join(', '.join(map(repr, spec)).rsplit(', ', 1))}")
    elif isinstance(spec, re.Pattern):
        check(value, str, where)
        if not spec.fullmatch(value):
            refuse(where, f"String should match pattern '{spec.pattern}'")
    elif isinstance(spec, list):
        check(value, list, where)
        for index, item in enumerate(value):
            check(item, spec[0], f"{where}.{index}")
    elif isinstance(spec, Fields):
        _check_fields(value, spec, where)
    elif isinstance(spec, dict):
        _check_kind(value, spec, where)
    else:
        spec(value, where)


def _check_fields(value: Any, spec: Fields, where: str) -> None:
    check(value, dict, where)
    for name in spec.required:
        if name not in value:
            refuse(f"{where}.{name}", "Field required")
    for name, given in value.items():
        if name in spec.required:
            check(given, spec.required[name], f"{where}.{name}")
        elif name not in spec.optional:
            refuse(f"{where}.{name}", "Extra inputs are not permitted")
        elif given is not None:
            check(given, spec.optional[name], f"{where}.{name}")


def _check_kind(value: Any, kinds: dict[str, Any], where: str) -> None:
    check(value, dict, where)
    if "type" not in value:
        refuse(f"{where}.type", "Field required")
    rest = dict(value)
    kind = rest.pop("type")
    if not isinstance(kind, str) or kind not in kinds:
        refuse(where, f"Input tag '{kind}' found using 'type' does not match any of the expected tags: "
                      f"{', '.join(map(repr, kinds))}")
    check(rest, kinds[kind], f"{where}.{kind}" if len(kinds) > 1 else where)


def _at_least(least: int) -> Callable[[Any, str], None]:
    def check_number(value: Any, where: str) -> None:
        check(value, int, where)
        if value < least:
            refuse(where, f"Input should be greater than or equal to {least}")

    return check_number


def _text(value: Any, where: str) -> None:
    check(value, str, where)
    if not value.strip():
        block = where.removesuffix(".text").removesuffix(".text")
        refuse(block, f"text content blocks must {'contain non-whitespace text' if value else 'be non-empty'}")


def _stop_sequence(value: Any, where: str) -> None:
    check(value, str, where)
    if not value.strip():
        refuse(where, "each stop sequence must contain non-whitespace")


def _system(value: Any, where: str) -> None:
    check(value, [{"text": _BLOCKS["text"]}] if isinstance(value, list) else str, where)


def _result(value: Any, where: str) -> None:
    check(value, str if isinstance(value, str) else [_RESULT_BLOCKS], where)


def _tool(tool: Any, where: str) -> None:
    check(tool, _TOOL, f"{where}.custom")
    if tool.get("strict"):
        _schema(tool["input_schema"], f"{where}.custom")


def _input_schema(schema: Any, where: str) -> None:
    check(schema, dict, where)
    known = Fields({"type": ("object",)}, {"properties": dict, "required": [str]})
    check({name: part for name, part in schema.items() if name in ("type", "properties", "required")}, known, where)


def _schema(schema: Any, where: str, definitions: Any = None) -> None:
    """The subset of JSON Schema that is enforced; what the service ignores (`minimum`, …) is let through."""
    check(schema, dict, where)
    definitions = schema.get("$defs", {}) if definitions is None else definitions
    for name in ("oneOf", "not", "if", "patternProperties", "prefixItems"):
        if name in schema:
            refuse(where, f"'{name}' is not supported in a schema that is enforced; anyOf and allOf are")
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        refuse(where, "For 'object' type, 'additionalProperties' must be explicitly set to false")
    if schema.get("type") == "array" and schema.get("minItems", 0) not in (0, 1):
        refuse(where, "For 'array' type, 'minItems' values other than 0 or 1 are not supported")
    if "$ref" in schema and str(schema["$ref"]).removeprefix("#/$defs/") not in definitions:
        refuse(where, f"'$ref' must name an entry of the schema's own '$defs'; got {schema['$ref']!r}")
    parts = [schema["items"]] if "items" in schema else []
    for name, kind in (("properties", dict), ("$defs", dict), ("anyOf", list), ("allOf", list)):
        if name in schema:
            check(schema[name], kind, f"{where}.{name}")
            parts += schema[name].values() if kind is dict else schema[name]
    for part in parts:
        _schema(part, where, definitions)


# ---- the table --------------------

_NAME = re.compile("^[a-zA-Z0-9_-]{1,128}$")
_MARK = {"cache_control": {"ephemeral": Fields({}, {"ttl": ("5m", "1h")})}}
_UNREAD = dict.fromkeys(("image", "document"), dict)  # let through: no model offline sees them
_BLOCKS = {
    "text": Fields({"text": _text}, {"citations": list, **_MARK}),
    "thinking": Fields({"thinking": str, "signature": str}),
    "redacted_thinking": Fields({"data": str}),
    "tool_use": Fields({"id": _NAME, "name": str, "input": dict}, {"caller": dict, **_MARK}),
    "tool_result": Fields({"tool_use_id": _NAME}, {"content": _result, "is_error": bool, **_MARK}),
    **_UNREAD,
}
_RESULT_BLOCKS = {"text": _BLOCKS["text"], **_UNREAD}
_SAID_BY = {"tool_use": "assistant", "thinking": "assistant", "redacted_thinking": "assistant", "tool_result": "user"}
_MESSAGE = Fields({"role": ("user", "assistant", "system"), "content": object})
_TOOL = Fields({"name": _NAME, "input_schema": _input_schema},
               {"description": str, "strict": bool, "type": ("custom",), "input_examples": list, **_MARK})
_PARALLEL = {"disable_parallel_tool_use": bool}
_DISPLAY = {"display": ("summarized", "omitted")}
_COUNTED = Fields({"model": str, "messages": list}, {
    "system": _system,
    "tools": [_tool],
    "tool_choice": {"auto": Fields({}, _PARALLEL), "any": Fields({}, _PARALLEL),
                    "tool": Fields({"name": str}, _PARALLEL), "none": Fields({})},
    "thinking": {"adaptive": Fields({}, _DISPLAY), "between_tools": Fields({}), "disabled": Fields({}),
                 "enabled": Fields({"budget_tokens": _at_least(1024)}, _DISPLAY)},
    "output_config": Fields({}, {"effort": ("low", "medium", "high", "xhigh", "max"),
                                 "format": {"json_schema": Fields({"schema": _schema})}}),
    **_MARK,
})
_REQUEST = Fields({**_COUNTED.required, "max_tokens": _at_least(1)}, {
    **_COUNTED.optional,
    "stop_sequences": [_stop_sequence],
    "stream": bool,
    "metadata": Fields({}, {"user_id": str}),
    "service_tier": ("auto", "standard_only"),
    **dict.fromkeys(("container", "diagnostics", "inference_geo", "speed"), object),  # known to the service, unused here
})
_THINKING = {"haiku": ("adaptive", "disabled"), "sonnet": ("adaptive", "between_tools"), "opus": ("adaptive",)}


# ---- the rules between fields --------------------


def line(model: str) -> str:
    """Which of the 5.5 lines a model belongs to; "" for any other model, which has none of their limits."""
    match = re.fullmatch(r"claude-(haiku|sonnet|opus)-5-5(-\d{8})?", model)
    return match[1] if match else ""


def check_request(request: Any, *, counting: bool = False, trusted: Iterable[str] = ()) -> None:
    """All that can be said without the turns. `trusted`: further block types that may come back. Raises RequestError."""
    check(request, dict, "body")
    check(request, _COUNTED if counting else _REQUEST, "")
    if not counting:
        _check_max_tokens(request)
    _check_tools(request)
    _check_thinking(request)
    if not request["messages"]:
        refuse("messages", "at least one message is required")
    kinds = {**dict.fromkeys(trusted, dict), **_BLOCKS}
    for index, message in enumerate(request["messages"]):
        _check_message(message, f"messages.{index}", kinds)
    if request["messages"][0]["role"] == "assistant":
        refuse("messages", 'first message must use the "user" role')


def _check_max_tokens(request: dict) -> None:
    asked = request["max_tokens"]
    if asked > MAX_OUTPUT_TOKENS:
        refuse("max_tokens", f"{asked} > {MAX_OUTPUT_TOKENS}, which is the maximum allowed number of output tokens")
    if asked > MAX_NONSTREAMING_TOKENS and not request.get("stream"):
        refuse("max_tokens", f"{asked} > {MAX_NONSTREAMING_TOKENS}: Streaming is required for operations that may take "
                             'longer than 10 minutes. Send "stream": true, or ask for fewer tokens.')


def _check_tools(request: dict) -> None:
    names = [tool["name"] for tool in request.get("tools") or ()]
    if len(names) > len(set(names)):
        refuse("tools", f"Tool names must be unique; got {', '.join(names)}")
    choice = request.get("tool_choice") or {"type": "none"}
    if choice["type"] in ("any", "tool") and line(request["model"]) in ("sonnet", "opus"):
        raise RequestError(400, 'tool_choice: type "tool" and "any" are not supported for this model.')
    if choice["type"] != "none" and not names:
        refuse("tool_choice", "may only be specified while providing `tools`")
    if choice["type"] == "tool" and choice["name"] not in names:
        refuse("tool_choice", f"Tool '{choice['name']}' not found in provided tools")


def _check_thinking(request: dict) -> None:
    kind = (request.get("thinking") or {"type": "adaptive"})["type"]
    taken = _THINKING.get(line(request["model"]), (kind,))
    if kind not in taken:
        instead = '"thinking.type.adaptive" and "output_config.effort" to control thinking behavior'
        if kind == "disabled" and "between_tools" in taken:
            instead = '"thinking.type.between_tools" to turn thinking off'
        raise RequestError(400, f'"thinking.type.{kind}" is not supported for this model. Use {instead}.')


def _check_message(message: Any, where: str, kinds: dict[str, Any]) -> None:
    check(message, _MESSAGE, where)
    role, content = message["role"], message["content"]
    if content in ("", []) or (isinstance(content, str) and not content.strip()):
        refuse(where, f"{role} messages must have non-empty content")
    if isinstance(content, str):
        return
    check(content, [kinds], f"{where}.content")
    for index, block in enumerate(content):
        speaker = _SAID_BY.get(block["type"], role)
        if speaker != role:
            refuse(f"{where}.content.{index}", f"`{block['type']}` blocks can only be in `{speaker}` messages")


def blocks_of(content: str | list[dict]) -> list[dict]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def turns_of(messages: list[dict]) -> Turns:
    """Consecutive messages of one role are one turn."""
    return [(role, [(i, j, block) for i, message in group for j, block in enumerate(blocks_of(message["content"]))])
            for role, group in groupby(enumerate(messages), key=lambda item: item[1]["role"])]


def check_turns(turns: Turns) -> None:
    """Each tool_use has its one tool_result in the next turn, the results first; the user has the last word."""
    place, answered = "", {}  # where the last turn is, and which of its calls are answered
    for _, blocks in [*turns, ("", [])]:
        results_over, hint = False, ""
        for i, j, block in blocks:
            if block["type"] != "tool_result":
                results_over = True
                continue
            where, asked = f"messages.{i}.content.{j}", block["tool_use_id"]
            if asked not in answered:
                refuse(where, f"unexpected `tool_use_id` found in `tool_result` blocks: {asked}. Each `tool_result` "
                              "block must have a corresponding `tool_use` block in the previous message.")
            if answered[asked]:
                refuse(where, "each tool_use must have a single result. Found multiple `tool_result` blocks with id: "
                              f"{asked}")
            answered[asked] = not results_over
            hint = " The results come first in that message, before any other block." if results_over else hint
        missing = ", ".join(asked for asked, is_answered in answered.items() if not is_answered)
        if missing:
            refuse(place, f"`tool_use` ids were found without `tool_result` blocks immediately after: {missing}. Each "
                          "`tool_use` block must have a corresponding `tool_result` block in the next message." + hint)
        answered = {block["id"]: False for *_, block in blocks if block["type"] == "tool_use"}
        place = f"messages.{blocks[-1][0]}" if blocks else place
    if turns[-1][0] == "assistant":
        raise RequestError(400, "This model does not support assistant message prefill. The conversation must end with "
                                "a user message.")
