"""The body of a request as pydantic models, and what the service says when a field is wrong.

Source: the types of the official SDK (https://github.com/anthropics/anthropic-sdk-python). A
request stays a plain dict; the models only judge it. Optional fields may also be null.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    FailFast,
    Field,
    GetCoreSchemaHandler,
    Tag,
    ValidationError,
    model_validator,
)
from pydantic_core import CoreSchema, ErrorDetails, PydanticCustomError, core_schema

from .errors import RequestError

MAX_OUTPUT_TOKENS = 128_000
MAX_MESSAGES = 100_000
_BUILT_IN = re.compile(r"[a-z_]{1,60}_20\d{6}\Z")
_LACKING = (
    "The offline model's server has no {}. Offer a tool of your own, with an input_schema, "
    "or use a real model."
)

# ── building blocks ──────────────────────────────────────────────────────────────────────────────


class Part(BaseModel):
    """A JSON object that takes no other fields than its own."""

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)


@dataclass(frozen=True)
class Tagged:
    """Marks the only member of a union, so that errors name the member in their place, as the
    service does."""

    tag: str
    by: str | Callable[[Any], Hashable] = "type"  # Any: a dict or a block

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.tagged_union_schema({self.tag: handler(source)}, self.by)


class FirstOnly(FailFast):
    """A list of which only the first error is reported: a long one may hold a million."""

    __hash__ = object.__hash__  # a member of a union must have one


def _not_blank(text: str) -> str:
    if text.strip():
        return text
    problem = "contain non-whitespace text" if text else "be non-empty"
    raise PydanticCustomError("blank", f"text content blocks must {problem}")


def _no_blank_stop(value: Any) -> Any:
    if isinstance(value, str) and value.strip():
        return value
    raise PydanticCustomError("blank_stop", "each stop sequence must contain non-whitespace")


def _below_maximum(tokens: int) -> int:
    if tokens <= MAX_OUTPUT_TOKENS:
        return tokens
    raise PydanticCustomError(
        "too_many", f"{tokens} > {MAX_OUTPUT_TOKENS}, which is the maximum allowed"
    )


_TEXT, _BLOCKS = "(text)", "(blocks)"
"""Tags of "a text or a list of blocks". They are not part of a place."""

Name = Annotated[str, Field(pattern="^[a-zA-Z0-9_-]{1,128}$")]
NonBlank = Annotated[str, AfterValidator(_not_blank)]
Tokens = Annotated[int, AfterValidator(_below_maximum)]
Parallel = bool | None
Display = Literal["summarized", "omitted"] | None

# ── content ──────────────────────────────────────────────────────────────────────────────────────


class Ephemeral(Part):
    type: Literal["ephemeral"]
    ttl: Literal["5m", "1h"] | None = None


class Markable(Part):
    cache_control: Annotated[Ephemeral, Tagged("ephemeral")] | None = None


class TextBlock(Markable):
    type: Literal["text"]
    text: NonBlank
    citations: list[Any] | None = None  # Any: taken, and not read


class ThinkingBlock(Part):
    type: Literal["thinking"]
    thinking: str
    signature: str


class RedactedThinkingBlock(Part):
    type: Literal["redacted_thinking"]
    data: str


class ToolUseBlock(Markable):
    type: Literal["tool_use"]
    id: Name
    name: str
    input: dict[str, Any]
    caller: dict[str, Any] | None = None
    toolset_name: str | None = None


class UnreadableBlock(Part):
    """A block that the service takes and this server cannot read."""

    type: Literal[
        "image",
        "document",
        "search_result",
        "container_upload",
        "tool_reference",
        "browser_state",
        "server_tool_use",
        "web_search_tool_result",
        "web_fetch_tool_result",
        "code_execution_tool_result",
        "bash_code_execution_tool_result",
        "text_editor_code_execution_tool_result",
        "tool_search_tool_result",
    ]

    @model_validator(mode="before")
    @classmethod
    def _refuse(cls, block: Any) -> Any:
        raise PydanticCustomError(
            "unreadable",
            "The offline model reads text only. Send the words of this block as a text block, "
            "or use a real model.",
        )


def _text_unless_list(value: Any) -> str:
    return _BLOCKS if isinstance(value, list) else _TEXT


def _list_unless_text(value: Any) -> str:
    return _TEXT if isinstance(value, str) else _BLOCKS


Passage = Annotated[TextBlock | UnreadableBlock, Field(discriminator="type")]
TextOrPassages = Annotated[
    Annotated[str, Tag(_TEXT)] | Annotated[list[Passage], FirstOnly(), Tag(_BLOCKS)],
    Discriminator(_text_unless_list),
]
SystemPrompt = Annotated[
    Annotated[str, Tag(_TEXT)] | Annotated[list[TextBlock], FirstOnly(), Tag(_BLOCKS)],
    Discriminator(_text_unless_list),
]


class ToolResultBlock(Markable):
    type: Literal["tool_result"]
    tool_use_id: Name
    content: TextOrPassages | None = None
    is_error: bool | None = None
    toolset_name: str | None = None


Block = Annotated[
    TextBlock
    | ThinkingBlock
    | RedactedThinkingBlock
    | ToolUseBlock
    | ToolResultBlock
    | UnreadableBlock,
    Field(discriminator="type"),
]
READABLE = ("text", "thinking", "redacted_thinking", "tool_use", "tool_result")


class Message(Part):
    role: Literal["user", "assistant", "system"]
    content: Annotated[
        Annotated[str, Tag(_TEXT)] | Annotated[list[Block], FirstOnly(), Tag(_BLOCKS)],
        Discriminator(_list_unless_text),
    ]

    @model_validator(mode="after")
    def _says_something(self) -> Message:
        content = self.content
        if not content or (isinstance(content, str) and not content.strip()):
            raise PydanticCustomError(
                "no_content", f"{self.role} messages must have non-empty content"
            )
        return self


# ── tools, settings ──────────────────────────────────────────────────────────────────────────────


class InputSchema(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True, defer_build=True)
    type: Literal["object"]
    properties: dict[str, Any] | None = None
    required: list[str] | None = None


class Tool(Markable):
    type: Literal["custom"] | None = None
    name: Name
    description: str | None = None
    input_schema: InputSchema
    strict: bool | None = None
    input_examples: list[dict[str, Any]] | None = None
    eager_input_streaming: bool | None = None
    defer_loading: bool | None = None
    allowed_callers: (
        list[
            Literal[
                "direct",
                "code_execution_20250825",
                "code_execution_20260120",
                "code_execution_20260521",
            ]
        ]
        | None
    ) = None


class AutoChoice(Part):
    type: Literal["auto"]
    disable_parallel_tool_use: Parallel = None


class AnyChoice(Part):
    type: Literal["any"]
    disable_parallel_tool_use: Parallel = None


class ToolChoice(Part):
    type: Literal["tool"]
    name: str
    disable_parallel_tool_use: Parallel = None


class NoneChoice(Part):
    type: Literal["none"]


class BlockBinding(Part):
    """Beta: what happens to a thinking block that was said in another conversation."""

    prefix_mismatch_behavior: Literal["error", "drop_block"] | None = None


class Adaptive(Part):
    type: Literal["adaptive"]
    display: Display = None
    block_binding: BlockBinding | None = None


class BetweenTools(Part):
    type: Literal["between_tools"]


class Disabled(Part):
    type: Literal["disabled"]


class Enabled(Part):
    type: Literal["enabled"]
    budget_tokens: Annotated[Tokens, Field(ge=1024)]
    display: Display = None
    block_binding: BlockBinding | None = None


class JsonFormat(Part):
    type: Literal["json_schema"]
    answer_schema: dict[str, Any] = Field(alias="schema")


class OutputConfig(Part):
    effort: Literal["low", "medium", "high", "xhigh", "max"] | None = None
    format: JsonFormat | None = None


class Metadata(Part):
    user_id: str | None = None


# ── the requests ─────────────────────────────────────────────────────────────────────────────────


class CountRequest(Markable):
    """The body of `POST /v1/messages/count_tokens`."""

    model: str
    messages: Annotated[list[Message], Field(max_length=MAX_MESSAGES), FirstOnly()]
    system: SystemPrompt | None = None
    tools: (
        Annotated[list[Annotated[Tool, Tagged("custom", by=lambda tool: "custom")]], FirstOnly()]
        | None
    ) = None
    tool_choice: (
        Annotated[AutoChoice | AnyChoice | ToolChoice | NoneChoice, Field(discriminator="type")]
        | None
    ) = None
    thinking: (
        Annotated[Adaptive | BetweenTools | Disabled | Enabled, Field(discriminator="type")] | None
    ) = None
    output_config: OutputConfig | None = None


class MessageRequest(CountRequest):
    """The body of `POST /v1/messages`."""

    max_tokens: Annotated[Tokens, Field(ge=0)]
    stop_sequences: list[Annotated[str, BeforeValidator(_no_blank_stop)]] | None = None
    stream: bool | None = None
    metadata: Metadata | None = None
    service_tier: Literal["auto", "standard_only"] | None = None
    container: Any = None  # Any: accepted, and without effect here
    diagnostics: Any = None  # Any: likewise
    inference_geo: Any = None  # Any: likewise
    speed: Any = None  # Any: likewise


def check_fields(request: object, *, counting: bool = False, trusted: Collection[str] = ()) -> None:
    """Refuse a request whose fields have the wrong shape, with the place and the service's words.

    trusted: further types of blocks that may come back; whatever they hold is accepted.
    Raises RequestError.
    """
    _check_lacking(request)
    model = CountRequest if counting else MessageRequest
    try:
        model.model_validate(_without(request, set(trusted) - set(READABLE)))
    except ValidationError as error:
        raise _refusal(error.errors(include_url=False, include_input=False)[0]) from None


def _check_lacking(request: Any) -> None:
    """Refuse what the service has and this server lacks, in words that say whose limit it is."""
    if not isinstance(request, dict):
        return
    if request.get("mcp_servers"):
        raise RequestError(400, f"mcp_servers: {_LACKING.format('MCP connector')}")
    tools = request.get("tools")
    for index, tool in enumerate(tools if isinstance(tools, list) else ()):
        kind = tool.get("type") if isinstance(tool, dict) else None
        if kind == "mcp_toolset":
            raise RequestError(400, f"tools.{index}: {_LACKING.format('MCP connector')}")
        if isinstance(kind, str) and _BUILT_IN.match(kind):
            raise RequestError(400, f"tools.{index}: {_LACKING.format(f'built-in tool {kind}')}")


def _without(request: Any, kinds: set[str]) -> Any:
    """The request with a text in place of each block of these kinds; the request itself when there
    are none."""
    if not kinds or not isinstance(request, dict) or not isinstance(request.get("messages"), list):
        return request
    messages = [_message_without(message, kinds) for message in request["messages"]]
    return {**request, "messages": messages}


def _message_without(message: Any, kinds: set[str]) -> Any:
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, list):
        return message
    stand_in = {"type": "text", "text": "-"}
    known = [stand_in if _kind(block) in kinds else block for block in content]
    return {**message, "content": known}


def _kind(block: Any) -> str:
    return str(block.get("type")) if isinstance(block, dict) else ""


_NOT_A_DICTIONARY = ("dict_type", "model_type", "model_attributes_type")


def _refusal(error: ErrorDetails) -> RequestError:
    place = [str(step) for step in error["loc"] if step not in (_TEXT, _BLOCKS)]
    message = error["msg"]
    if error["type"] in _NOT_A_DICTIONARY:
        message = "Input should be a valid dictionary"
    if error["type"] == "union_tag_not_found":
        place.append("type")
        message = "Field required"
    while error["type"] == "blank" and place[-1] == "text":  # the block is named, not its field
        place.pop()
    return RequestError(400, f"{'.'.join(place) or 'body'}: {message}")
