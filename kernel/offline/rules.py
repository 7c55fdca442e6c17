"""What the service refuses in a request, and with which words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NoReturn

MAX_NONSTREAMING_TOKENS = 21_333
MAX_OUTPUT_TOKENS = 128_000

_CURRENT = re.compile(r"claude-(haiku|sonnet|opus)-5-5(-\d{8})?")
_THINKING = {"haiku": ("adaptive", "disabled"), "sonnet": ("adaptive", "between_tools"),
             "opus": ("adaptive",)}
_THINKING_TYPES = ("adaptive", "between_tools", "disabled", "enabled")
_JSON_NAMES = {str: "string", dict: "dictionary", list: "list", int: "integer", bool: "boolean"}
_TOP = {"model": str, "max_tokens": int, "messages": list, "system": object, "tools": list,
        "tool_choice": dict, "thinking": dict, "output_config": dict, "stop_sequences": list, "stream": bool,
        "metadata": dict, "service_tier": str, "cache_control": dict, "diagnostics": dict,
        "inference_geo": str, "speed": str}
_REQUIRED = ("model", "max_tokens", "messages")
_NOT_COUNTED = ("max_tokens", "stop_sequences", "stream", "metadata", "service_tier", "diagnostics",
                "inference_geo")
_BLOCKS: dict[str, tuple[dict, dict]] = {  # block type → its required and its optional fields
    "text": ({"text": str}, {"citations": list}),
    "thinking": ({"thinking": str, "signature": str}, {}),
    "redacted_thinking": ({"data": str}, {}),
    "tool_use": ({"id": str, "name": str, "input": dict}, {"caller": dict, "toolset_name": str}),
    "tool_result": ({"tool_use_id": str}, {"content": object, "is_error": bool, "toolset_name": str}),
}
_UNREAD = ("image", "document", "search_result", "tool_reference")  # let through: no model offline sees them
_SAID_BY = {"tool_use": "assistant", "thinking": "assistant", "redacted_thinking": "assistant",
            "tool_result": "user"}
_TOOL = ({"name": str, "input_schema": dict},
         {"description": str, "strict": bool, "type": str, "input_examples": list, "defer_loading": bool,
          "eager_input_streaming": bool, "allowed_callers": list})
_BEYOND_THE_SUBSET = ("oneOf", "not", "if", "patternProperties", "dependentSchemas", "prefixItems")
_PREFILL = ("This model does not support assistant message prefill. The conversation must end with a user "
            "message.")
_FORCED = 'tool_choice: type "tool" and "any" are not supported for this model.'
_FOREIGN = ("Invalid `signature` in `thinking` block. The block is bound to a different conversation. Send "
            "the model, the system prompt, the tools and all earlier messages back unchanged, and only append; to "
            "shorten or to change a conversation, start a new one from a summary.")


class RequestError(Exception):
    """The request is refused with this status and message."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message


def line(model: str) -> str:
    """Which of Claude's lines a model belongs to; "" for none of them."""
    match = re.match(r"claude-(?:[\d-]+)?(haiku|sonnet|opus|fable|mythos)", model)
    return match[1] if match else ""


def notes_are_thoughts(model: str) -> bool:
    """Whether the words before a tool call come back in a thinking block instead of as text."""
    return bool(_CURRENT.fullmatch(model)) and line(model) != "haiku"


def check_settings(request: dict, counting: bool = False) -> None:
    """Everything but the messages' contents and the model's existence; raises RequestError."""
    for name in request:
        if name not in _TOP or (counting and name in _NOT_COUNTED):
            _bad(name, "Extra inputs are not permitted")
    for name, kind in _TOP.items():
        if name in request and (request[name] is not None or name in _REQUIRED):
            _typed(request[name], kind, name)
        elif name in _REQUIRED and not (counting and name == "max_tokens"):
            _bad(name, "Field required")
    if not request["messages"]:
        _bad("messages", "at least one message is required")
    if not counting:
        _check_max_tokens(request)
    system = request.get("system")
    if isinstance(system, list):
        for index, block in enumerate(system):
            _check_block(block, ("text",), f"system.{index}")
    elif system is not None:
        _typed(system, str, "system")
    _check_tools(request.get("tools") or [])
    _check_tool_choice(request)
    _check_thinking(request)
    _check_output_config(request.get("output_config") or {})
    for index, stop in enumerate(request.get("stop_sequences") or ()):
        _typed(stop, str, f"stop_sequences.{index}")
        if not stop.strip():
            _bad(f"stop_sequences.{index}", "each stop sequence must contain non-whitespace")
    _fields(request.get("metadata") or {}, "metadata", {}, {"user_id": str})
    _one_of(request.get("service_tier"), ("auto", "standard_only"), "service_tier")
    _check_cache_control(request.get("cache_control"), "cache_control")


def check_message(message: Any, index: int, extra_types: Iterable[str] = ()) -> None:
    """One message by itself: its role, and each of its blocks."""
    where = f"messages.{index}"
    _fields(message, where, {"role": str, "content": object}, {})
    role, content = message["role"], message["content"]
    _one_of(role, ("user", "assistant", "system"), f"{where}.role")
    if index == 0 and role == "assistant":
        _bad("messages", 'first message must use the "user" role')
    if type(content) is not str:
        _typed(content, list, f"{where}.content")
    if not content or (type(content) is str and not content.strip()):
        _bad(where, f"{role} messages must have non-empty content")
    if type(content) is list:
        known = ("text",) if role == "system" else (*_BLOCKS, *_UNREAD, *extra_types)
        for j, block in enumerate(content):
            kind = _check_block(block, known, f"{where}.content.{j}")
            if _SAID_BY.get(kind, role) != role:
                _bad(f"{where}.content.{j}", f"`{kind}` blocks can only be in `{_SAID_BY[kind]}` messages")


class Pairing:
    """Follows the turns: each tool_use has its one tool_result in the next turn, the results first."""

    def __init__(self) -> None:
        self._ids: set[str] = set()
        self._asked: list[str] = []  # by the turn that is being read
        self._open: dict[str, bool] = {}  # asked by the turn before → whether it is answered
        self._place, self._results_over = 0, False

    def turn(self, index: int) -> None:
        """A turn begins with message number `index`."""
        self._check_answered()
        self._open = dict.fromkeys(self._asked, False)
        self._asked, self._place, self._results_over = [], index - 1, False

    def read(self, block: dict, i: int, j: int) -> None:
        """Block `j` of message `i`, which belongs to the turn."""
        if block["type"] == "tool_use":
            if block["id"] in self._ids:
                _bad(f"messages.{i}.content.{j}", "`tool_use` ids must be unique")
            self._ids.add(block["id"])
            self._asked.append(block["id"])
        elif block["type"] == "tool_result":
            identifier, where = block["tool_use_id"], f"messages.{i}.content.{j}"
            if identifier not in self._open:
                _bad(where, f"unexpected `tool_use_id` found in `tool_result` blocks: {identifier}. Each "
                            "`tool_result` block must have a corresponding `tool_use` block in the previous "
                            "message.")
            if self._open[identifier]:
                _bad(where, "each tool_use must have a single result. Found multiple `tool_result` blocks "
                            f"with id: {identifier}")
            if self._results_over:
                self._check_answered(" The results come first in that message, before any other block.")
            self._open[identifier] = True
        else:
            self._results_over = True

    def end(self, messages: int) -> None:
        """The conversation is over after so many messages."""
        self.turn(messages)
        self._check_answered()

    def _check_answered(self, hint: str = "") -> None:
        missing = ", ".join(identifier for identifier, answered in self._open.items() if not answered)
        if missing:
            _bad(f"messages.{self._place}", "`tool_use` ids were found without `tool_result` blocks "
                 f"immediately after: {missing}. Each `tool_use` block must have a corresponding "
                 f"`tool_result` block in the next message.{hint}")


def refuse_prefill() -> NoReturn:
    raise RequestError(400, _PREFILL)


def refuse_signature(where: str) -> NoReturn:
    _bad(where, _FOREIGN)


# ---- one part each --------------------


def _check_max_tokens(request: dict) -> None:
    asked = request["max_tokens"]
    if asked < 1:
        _bad("max_tokens", "Input should be greater than or equal to 1")
    if asked > MAX_OUTPUT_TOKENS:
        _bad("max_tokens", f"{asked} > {MAX_OUTPUT_TOKENS}, which is the maximum allowed number of output "
                           f"tokens for {request['model']}")
    if asked > MAX_NONSTREAMING_TOKENS and not request.get("stream"):
        _bad("max_tokens", f"{asked} > {MAX_NONSTREAMING_TOKENS}: Streaming is required for operations that "
                           'may take longer than 10 minutes. Send "stream": true, or ask for fewer tokens.')


def _check_tools(tools: list) -> None:
    names = set()
    for index, tool in enumerate(tools):
        where = f"tools.{index}.custom"
        _typed(tool, dict, f"tools.{index}")
        if tool.get("type") not in ("custom", None):
            _bad(f"tools.{index}", f"'{tool['type']}' is run by the service, and the offline model has no "
                                   "such tools; offer one of your own, with a name and an input_schema")
        _fields(tool, where, *_TOOL)
        if not re.fullmatch(r"[a-zA-Z0-9_-]{1,128}", tool["name"]):
            _bad(f"{where}.name", "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'")
        if tool["name"] in names:
            _bad("tools", f"Tool names must be unique. '{tool['name']}' is there twice.")
        names.add(tool["name"])
        schema = tool["input_schema"]
        if schema.get("type") is None:
            _bad(f"{where}.input_schema.type", "Field required")
        _one_of(schema["type"], ("object",), f"{where}.input_schema.type")
        if type(schema.get("properties") or {}) is not dict or type(schema.get("required") or []) is not list:
            _bad(f"{where}.input_schema", "JSON schema is invalid. It must match JSON Schema draft 2020-12: "
                                          "`properties` is an object, `required` a list of names")
        if tool.get("strict"):
            _check_schema(schema, where, schema.get("$defs") or {})


def _check_tool_choice(request: dict) -> None:
    choice, tools = request.get("tool_choice"), request.get("tools") or []
    if choice is None:
        return
    kind = _tag(choice, ("auto", "any", "tool", "none"), "tool_choice")
    _fields(choice, f"tool_choice.{kind}", {"name": str} if kind == "tool" else {},
            {} if kind == "none" else {"disable_parallel_tool_use": bool})
    if kind in ("any", "tool") and line(request["model"]) not in ("haiku", ""):
        raise RequestError(400, _FORCED)
    if kind != "none" and not tools:
        _bad("tool_choice", "may only be specified while providing `tools`")
    if kind == "tool" and choice["name"] not in [tool["name"] for tool in tools]:
        _bad("tool_choice", f"Tool '{choice['name']}' not found in provided tools")


def _check_thinking(request: dict) -> None:
    thinking, model = request.get("thinking"), request["model"]
    if thinking is None:
        return
    kind = _tag(thinking, _THINKING_TYPES, "thinking")
    _fields(thinking, f"thinking.{kind}", {"budget_tokens": int} if kind == "enabled" else {},
            {"display": str} if kind in ("enabled", "adaptive") else {})
    _one_of(thinking.get("display"), ("summarized", "omitted"), f"thinking.{kind}.display")
    taken = _THINKING[line(model)] if _CURRENT.fullmatch(model) else _THINKING_TYPES
    if kind not in taken:
        instead = '"thinking.type.adaptive" and "output_config.effort" to control thinking behavior'
        if kind == "disabled" and "between_tools" in taken:
            instead = '"thinking.type.between_tools" to turn thinking off'
        raise RequestError(400, f'"thinking.type.{kind}" is not supported for this model. Use {instead}.')
    if kind == "enabled" and thinking["budget_tokens"] < 1024:
        _bad("thinking.enabled.budget_tokens", "Input should be greater than or equal to 1024")
    if kind == "enabled" and thinking["budget_tokens"] >= request.get("max_tokens", MAX_OUTPUT_TOKENS):
        raise RequestError(400, "`max_tokens` must be greater than `thinking.budget_tokens`.")


def _check_output_config(config: dict) -> None:
    _fields(config, "output_config", {}, {"effort": str, "format": dict})
    _one_of(config.get("effort"), ("low", "medium", "high", "xhigh", "max"), "output_config.effort")
    if config.get("format") is not None:
        _tag(config["format"], ("json_schema",), "output_config.format")
        _fields(config["format"], "output_config.format", {"schema": dict}, {})
        schema = config["format"]["schema"]
        _check_schema(schema, "output_config.format.schema", schema.get("$defs") or {})


def _check_schema(schema: Any, where: str, definitions: Any) -> None:
    """The subset of JSON Schema that is enforced; what the service ignores (`minimum`, …) is let through."""
    _typed(schema, dict, where)
    _typed(definitions, dict, f"{where}.$defs")
    for name in _BEYOND_THE_SUBSET:
        if name in schema:
            _bad(where, f"'{name}' is not supported in a schema that is enforced; anyOf and allOf are")
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        _bad(where, "For 'object' type, 'additionalProperties' must be explicitly set to false")
    if schema.get("type") == "array" and schema.get("minItems", 0) not in (0, 1):
        _bad(where, "For 'array' type, 'minItems' values other than 0 or 1 are not supported")
    if "$ref" in schema and str(schema["$ref"]).removeprefix("#/$defs/") not in definitions:
        _bad(where, f"'$ref' must name an entry of the schema's own '$defs'; got {schema['$ref']!r}")
    parts = [schema["items"]] if "items" in schema else []
    for name, kind in (("properties", dict), ("$defs", dict), ("anyOf", list), ("allOf", list)):
        if name in schema:
            _typed(schema[name], kind, f"{where}.{name}")
            parts += schema[name].values() if kind is dict else schema[name]
    for part in parts:
        _check_schema(part, where, definitions)


def _check_block(block: Any, known: Iterable[str], where: str) -> str:
    """One content block; returns its type."""
    kind = _tag(block, known, where)
    if kind not in _BLOCKS:
        return kind
    _fields(block, f"{where}.{kind}", *_BLOCKS[kind])
    if kind == "text" and not block["text"].strip():
        problem = "contain non-whitespace text" if block["text"] else "be non-empty"
        _bad(where, f"text content blocks must {problem}")
    elif kind in ("tool_use", "tool_result"):
        name = "id" if kind == "tool_use" else "tool_use_id"
        if not re.fullmatch(r"[a-zA-Z0-9_-]+", block[name]):
            _bad(f"{where}.{kind}.{name}", "String should match pattern '^[a-zA-Z0-9_-]+$'")
        content = block.get("content")
        if content is not None and type(content) is not str:
            _typed(content, list, f"{where}.{kind}.content")
            for index, part in enumerate(content):
                _check_block(part, ("text", *_UNREAD), f"{where}.{kind}.content.{index}")
    return kind


def _check_cache_control(value: Any, where: str) -> None:
    if value is not None:
        _tag(value, ("ephemeral",), where)
        _fields(value, where, {}, {"ttl": str})
        _one_of(value.get("ttl"), ("5m", "1h"), f"{where}.ttl")


def _bad(where: str, message: str) -> NoReturn:
    raise RequestError(400, f"{where}: {message}")


def _typed(value: Any, kind: type, where: str) -> None:
    if kind is not object and type(value) is not kind:
        _bad(where, f"Input should be a valid {_JSON_NAMES[kind]}")


def _fields(value: Any, where: str, required: dict, optional: dict) -> None:
    """An object with these fields and no other; an optional one may be null. A cache mark may be anywhere."""
    _typed(value, dict, where)
    for name, kind in required.items():
        if name not in value:
            _bad(f"{where}.{name}", "Field required")
        _typed(value[name], kind, f"{where}.{name}")
    for name, given in value.items():
        if name == "cache_control":
            _check_cache_control(given, f"{where}.cache_control")
        elif name in optional:
            if given is not None:
                _typed(given, optional[name], f"{where}.{name}")
        elif name not in required and name != "type":
            _bad(f"{where}.{name}", "Extra inputs are not permitted")


def _one_of(value: Any, options: tuple[str, ...], where: str) -> None:
    """One of these strings; absent is fine."""
    if value is not None and value not in options:
        *others, last = [f"'{option}'" for option in options]
        _bad(where, f"Input should be {', '.join(others) + ' or ' if others else ''}{last}")


def _tag(value: Any, options: Iterable[str], where: str) -> str:
    """The `type` of an object that is one of several kinds."""
    _typed(value, dict, where)
    if "type" not in value:
        _bad(f"{where}.type", "Field required")
    if value["type"] not in options:
        expected = ", ".join(f"'{option}'" for option in options)
        _bad(where, f"Input tag '{value['type']}' found using 'type' does not match any of the expected "
                    f"tags: {expected}")
    return value["type"]
