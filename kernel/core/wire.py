"""The JSON that is sent and received: blocks, replies, usage, errors, and what each stop reason
asks for.

Source: the Messages API (https://docs.claude.com/en/api/messages). Replies of older or partial
dialects (Ollama, llama.cpp, vLLM) are accepted: optional fields may be missing, unknown ones are
kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    model_validator,
)

API_VERSION = "2026-10-21"
NONSTREAMING_MAX_TOKENS = 21_333
"""The longest answer, in tokens, of a request without streaming."""
ACCOUNT_HEADER = "offline-understood"
"""The response header with the offline model's account of a request; see `Reply.account`."""

NEXT_STEP = {
    "tool_use": "run_tools",
    "pause_turn": "resend",
    "end_turn": "done",
    "stop_sequence": "done",
    "max_tokens": "cut",
    "model_context_window_exceeded": "cut",
    "refusal": "refused",
}
"""The next step of a loop, by stop reason; a reason that is not listed means: stop."""


NEEDED = {"text": ("text",), "tool_use": ("id", "name")}
"""Required fields by type of block. A reply with a block that lacks one is invalid."""


class Block(BaseModel):
    """One content block. Only `type` is known here; every other field is kept and sent back
    untouched."""

    model_config = ConfigDict(extra="allow", defer_build=True, frozen=True)
    type: str

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...  # Any: any field of a block


Text = Annotated[str, BeforeValidator(lambda text: "" if text is None else str(text))]
Tokens = Annotated[int, Field(ge=0), BeforeValidator(lambda count: 0 if count is None else count)]


Account = Annotated[
    dict[str, Any] | None,
    BeforeValidator(lambda account: account if isinstance(account, dict) else None),
]


class Usage(BaseModel):
    """Tokens of one reply. Unknown counters are kept; `None` and missing both mean 0. A reply with
    a negative count is invalid: it would refund a budget."""

    model_config = ConfigDict(extra="allow", defer_build=True)
    input_tokens: Tokens = 0
    output_tokens: Tokens = 0
    cache_creation_input_tokens: Tokens = 0
    cache_read_input_tokens: Tokens = 0

    @property
    def total_input(self) -> int:
        """All input tokens: fresh, written to the cache and read from it."""
        return self.input_tokens + self.cache_creation_input_tokens + self.cache_read_input_tokens

    @property
    def cache_written_1h(self) -> int:
        """The tokens written to the cache for an hour, which cost more."""
        split = (self.model_extra or {}).get("cache_creation")
        count = split.get("ephemeral_1h_input_tokens") if isinstance(split, dict) else 0
        return min(max(count, 0), self.cache_creation_input_tokens) if type(count) is int else 0


class Reply(BaseModel):
    """One reply of the model."""

    model_config = ConfigDict(extra="allow", defer_build=True, frozen=True)
    content: list[Block]
    id: Text = ""
    model: Text = ""
    role: Text = "assistant"
    stop_reason: str | None = None
    usage: Annotated[Usage, BeforeValidator(lambda usage: {} if usage is None else usage)] = Field(
        default_factory=Usage
    )
    account: Account = None
    """The parts of the request that the offline model understood, and those that it did not; None
    for any other model. It comes from a response header, never from the body."""
    _step: str = PrivateAttr("")  # private: it is no part of the reply, and no body can set it

    @model_validator(mode="after")
    def _blocks_are_whole(self) -> Reply:
        for block in self.content:
            for needed in NEEDED.get(block.type, ()):
                if not isinstance(getattr(block, needed, None), str):
                    raise ValueError(f"a {block.type} block without its {needed}")
            if block.type == "tool_use" and getattr(block, "input", None) is None:
                (block.__pydantic_extra__ or {})["input"] = {}
        return self

    @property
    def step(self) -> str:
        """The key of the reply in a `Journal`, which `Journal.fork` takes; empty without a
        journal."""
        return self._step

    def with_step(self, step: str) -> Reply:
        """Returns a copy with the key of its step in a journal."""
        named = self.model_copy()
        named._step = step
        return named

    @property
    def text(self) -> str:
        """The text of the reply, joined from its text blocks. The first block may be `thinking`:
        never read `content[0].text`."""
        texts = [getattr(block, "text", "") for block in self.content if block.type == "text"]
        return "".join(texts).strip()

    @property
    def understood(self) -> str:
        """The account in one line; empty where there is none, as with any model but the offline
        one."""
        entries = []
        for name, value in (self.account or {}).items():
            if isinstance(value, list):
                value = ", ".join(map(str, value))
            if value:
                entries.append(f"{name.replace('_', ' ')}: {value}")
        return " · ".join(entries)

    @property
    def tool_calls(self) -> list[Block]:
        """The tool calls to answer, with the same ids as in `as_message`."""
        return [block for block in taken_back(self.content) if block.type == "tool_use"]

    @property
    def next_step(self) -> str:
        """The next step of the loop. Older dialects leave `stop_reason` out, or say `end_turn`
        beside a tool call: then the blocks decide.
        """
        step = NEXT_STEP.get(self.stop_reason or "end_turn", "stop")
        return "run_tools" if step in ("done", "resend") and self.tool_calls else step

    def as_message(self) -> dict[str, Any]:
        """The reply as the assistant message of the next request: its blocks in order, as the API
        takes them back. The reply itself stays as it came."""
        blocks = taken_back(self.content)
        # in JSON's own values: a number that JSON does not have becomes null
        content = [block.model_dump(mode="json") for block in blocks]
        return {"role": "assistant", "content": content}


def taken_back(blocks: Iterable[Block]) -> list[Block]:
    """The blocks of a reply as the API takes them in the next request.

    Some services send blocks that the API refuses. So a blank text is left out, and a call gets a
    valid, unique id and an object as its input. Other blocks, such as thinking, are unchanged.
    """
    taken: list[Block] = []
    ids: set[str] = set()
    for block in blocks:
        if block.type == "text" and not block.text.strip():
            continue
        if block.type == "tool_use":
            id = _free_id(block.id, ids)
            ids.add(id)
            input = _as_object(block.input)
            if (id, input) != (block.id, block.input):
                block = block.model_copy(update={"id": id, "input": input})
        taken.append(block)
    return taken


_LONGEST_ID = 128


def _free_id(id: str, taken: set[str]) -> str:
    """A valid id of a call, with the next free number when the id is taken."""
    valid = re.sub(r"[^a-zA-Z0-9_-]", "_", id)[:_LONGEST_ID] or "call"
    free, number = valid, 1
    while free in taken:
        number += 1
        ending = f"_{number}"
        free = valid[: _LONGEST_ID - len(ending)] + ending
    return free


def _as_object(input: Any) -> dict[str, Any]:
    """The input of a call as an object. Some servers send it as a JSON string. Other input becomes
    a field that no tool has, so the model gets an error back."""
    if isinstance(input, str):
        try:
            input = json.loads(input)
        except (ValueError, RecursionError):
            return {"arguments": input}
    return input if isinstance(input, dict) else {"arguments": input}


NOTHING_SAID: dict[str, Any] = {"role": "assistant", "content": []}
"""The message of a reply with nothing to take back."""


class Conversation(Sequence[dict[str, Any]]):
    """The messages of one conversation: append-only, each encoded once.

    Append-only because a thinking block is bound to everything before it: an edited or trimmed
    history is refused by the service. Encoded once so that turn 200 costs no more than turn 10.
    Reading returns copies, so the messages that are read are the messages that are sent.
    """

    def __init__(self, messages: Iterable[dict[str, Any]] = ()) -> None:
        self._encoded: list[bytes] = []
        for message in messages:
            self.append(message)

    def append(self, message: dict[str, Any]) -> None:
        """Adds a message. An empty reply is left out: the API refuses empty messages."""
        if message != NOTHING_SAID:
            self._encoded.append(_dumps(message))

    def __len__(self) -> int:
        return len(self._encoded)

    def __getitem__(self, index: Any) -> Any:  # Any: a message, or a list of them
        if isinstance(index, slice):
            return [json.loads(message) for message in self._encoded[index]]
        return json.loads(self._encoded[index])

    def encode(self) -> bytes:
        return b"[" + b",".join(self._encoded) + b"]"


_COMPACT = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


def _dumps(value: Any) -> bytes:
    try:
        return _COMPACT.encode(value).encode("ascii")
    except ValueError as problem:  # NaN, an infinity, a list that holds itself
        message = f"the request cannot be written as JSON: {problem}"
    raise ApiError(message, type="invalid_request_error")


def encode(body: dict[str, Any]) -> bytes:
    """A request body as JSON bytes; `messages` may be a list or a `Conversation`."""
    messages = body["messages"]
    if not isinstance(messages, Conversation):
        return _dumps(body)
    head = _dumps({name: value for name, value in body.items() if name != "messages"})
    return head[:-1] + b',"messages":' + messages.encode() + b"}"


def most_tokens(content: bytes) -> int:
    """An upper bound on the tokens of a request: one for two bytes of JSON (English has one for
    four)."""
    return len(content) // 2


CacheWrites = Literal["", "5m", "1h"]
"""The time for which a request asks the service to cache its beginning; "" if it does not ask."""


def cache_writes(content: bytes) -> CacheWrites:
    """The longest lifetime in the cache that the request asks for.

    Searches the encoded body. Quotes in a text are escaped, so a text that mentions the field does
    not match. A tool with a field of that name does: the reservation may then be too high, never
    too low.
    """
    if b'"cache_control"' not in content:
        return ""
    return "1h" if b'"1h"' in content else "5m"


class RequestSize(NamedTuple):
    """The size of a request, from which its cost is estimated."""

    model: str
    input_tokens: Tokens
    """An upper bound of the tokens that the service will count in it."""
    max_tokens: Tokens
    cache_writes: CacheWrites
    """The lifetime of the input in the cache, if the request writes it there."""


@dataclass(frozen=True)
class Request:
    """One request to a model: its body, and the body as bytes, encoded once.

    Raises ApiError when the body holds NaN or an infinity.
    """

    body: dict[str, Any]
    content: bytes = field(init=False, repr=False)
    """The encoded body, as it is sent."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "content", encode(self.body))

    @property
    def streamed(self) -> bytes:
        """The body with `"stream": true`, unless it has a `stream` field already."""
        if "stream" in self.body:
            return self.content
        return self.content[:-1] + b',"stream":true}'

    @classmethod
    def of(cls, request: Request | dict[str, Any]) -> Request:
        """Returns a Request unchanged; makes one from a body."""
        return request if isinstance(request, Request) else cls(request)

    @property
    def model(self) -> str:
        model: str = self.body["model"]
        return model

    @property
    def max_tokens(self) -> int:
        max_tokens: int = self.body.get("max_tokens", 0)
        return max_tokens

    @property
    def size(self) -> RequestSize:
        """The size of this request, on which its cost depends."""
        return RequestSize(
            self.model, most_tokens(self.content), self.max_tokens, cache_writes(self.content)
        )

    def with_max_tokens(self, count: int) -> Request:
        """Returns the request with an answer of at most `count` tokens."""
        return Request({**self.body, "max_tokens": count})


class ApiError(Exception):
    """The service refused a request, or could not be reached.

    `status` is the HTTP status (None: no reply came), `type` the service's own error type — branch
    on that, never on the message —, `retryable` whether the same request may succeed later,
    `billable` whether the work may have been done all the same.
    """

    def __init__(
        self,
        message: str,
        *,
        type: str,
        status: int | None = None,
        request_id: str = "",
        retryable: bool = False,
        billable: bool = False,
        retry_after_s: float | None = None,
    ) -> None:
        where = f"HTTP {status}, " if status else ""
        super().__init__(f"{where}{type}: {message}")
        self.message = message
        self.type = type
        self.status = status
        self.request_id = request_id
        self.retryable = retryable
        self.billable = billable
        self.retry_after_s = retry_after_s


def output_format(schema: dict[str, Any]) -> dict[str, Any]:
    """The `output_config` that asks for a reply of this JSON schema.

    Raises ValueError that names the field for a schema that the service refuses: one with open
    objects, or one that refers to itself.
    """
    _check_fillable(schema, schema.get("$defs", {}), "", ())
    return {"format": {"type": "json_schema", "schema": strict_schema(schema)}}


def _check_fillable(
    schema: Any, definitions: dict[str, Any], field: str, within: tuple[str, ...]
) -> None:
    """Checks a schema and every schema in it. `within`: the references that lead to it."""
    if not isinstance(schema, dict):
        return
    where = field or "the answer itself"
    reference = schema.get("$ref")
    if reference in within:
        name = reference.rpartition("/")[2]
        raise ValueError(
            f"{where}: a {name} in a {name} cannot be asked for; use a list, in which each item"
            " names the one that it belongs to"
        )
    if reference is not None:
        name = reference.removeprefix("#/$defs/")
        _check_fillable(definitions.get(name), definitions, field, (*within, reference))
    is_open = schema.get("additionalProperties") or schema.get("patternProperties")
    if is_open and not schema.get("properties"):
        raise ValueError(
            f"{where}: an object of unknown keys cannot be asked for; use a list of name and value"
        )
    for name, member in schema.get("properties", {}).items():
        _check_fillable(member, definitions, f"{field}.{name}".lstrip("."), within)
    inside = [schema.get("items"), *schema.get("prefixItems", ())]
    for options in ("anyOf", "oneOf", "allOf"):
        inside += schema.get(options, ())
    for part in inside:
        _check_fillable(part, definitions, field, within)


_KEPT = {"$ref", "type", "enum", "const", "title", "description", "required"}
_FORMATS = {
    "date-time",
    "time",
    "date",
    "duration",
    "email",
    "hostname",
    "uri",
    "ipv4",
    "ipv6",
    "uuid",
}


def strict_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """A JSON schema in the subset that the service enforces.

    Objects are closed; what the service does not enforce (`minimum`, `pattern`, `default` …) moves
    into the description, where the model may still read it. The result equals the official SDK's
    for pydantic schemas.
    """
    strict: dict[str, Any] = {}
    unenforced = []
    for name, value in schema.items():
        if name in _INNER:
            strict["anyOf" if name == "oneOf" else name] = _INNER[name](value)
        elif _is_enforced(name, value):
            strict[name] = value
        elif name != "additionalProperties":
            unenforced.append(f"{name}: {value}")
    if "$ref" in strict:
        return {name: strict[name] for name in ("$defs", "$ref") if name in strict}
    if strict.keys() & {"enum", "const", "anyOf", "allOf"}:
        strict.pop("type", None)  # the values, or the options, say it already
    if strict.get("type") == "object":
        strict = {"properties": {}, **strict, "additionalProperties": False}
    if unenforced:
        notes = "{" + ", ".join(unenforced) + "}"
        strict["description"] = "\n\n".join(filter(None, [strict.get("description"), notes]))
    return strict


def _is_enforced(name: str, value: Any) -> bool:
    if name == "minItems":
        return value in (0, 1)
    if name == "format":
        return value in _FORMATS
    return name in _KEPT


def _strict_options(options: list[Any]) -> list[Any]:
    return [strict_schema(option) for option in options]


def _strict_members(members: dict[str, Any]) -> dict[str, Any]:
    return {name: strict_schema(member) for name, member in members.items()}


_INNER: dict[str, Callable[[Any], Any]] = {
    "$defs": _strict_members,
    "properties": _strict_members,
    "anyOf": _strict_options,
    "oneOf": _strict_options,
    "allOf": _strict_options,
    "items": strict_schema,
}
"""Keywords that hold schemas, and how each is made strict."""
