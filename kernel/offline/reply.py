"""From an answer to the service's reply: tokens, thinking, limits, stop reasons, the events of a stream."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from .answer import Answer
from .rules import MAX_OUTPUT_TOKENS, notes_are_thoughts

CHARACTERS_PER_TOKEN = 4
TOKENS_PER_MESSAGE = 4
TOKENS_PER_TOOL = 8
CHARACTERS_OF_A_FILE = 6000  # of an image or a document, whatever its size: an assumption

canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


@dataclass(frozen=True)
class Checked:
    """A request that passed: its JSON, its tokens (an estimate), and the hash that a reply is bound to."""

    request: dict[str, Any]
    input_tokens: int
    prefix: bytes


def estimate_tokens(value: Any) -> int:
    """Tokens of a text, of a whole request (a dict with "messages"), or of any other JSON value.

    The rule, an estimate and no tokenizer: a token is four characters, rounded up. Of a text block the text
    counts, of any other block its compact JSON; a message adds 4 tokens, a tool 8.
    """
    if isinstance(value, dict) and "messages" in value:
        _, characters, tokens = read_head(value)
        for message in value["messages"]:
            tokens += TOKENS_PER_MESSAGE
            characters += sum(read_block(block)[1] for block in blocks_of(message["content"]))
        return tokens + tokens_of(characters)
    return tokens_of(len(value if isinstance(value, str) else canonical(value)))


def tokens_of(characters: int) -> int:
    return -(-characters // CHARACTERS_PER_TOKEN)


def blocks_of(content: Any) -> list[dict]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def read_head(request: dict) -> tuple[Any, int, int]:
    """What comes before the messages: the running hash, the characters, and the tokens on top of them."""
    tools = [_unmarked(tool) for tool in request.get("tools") or ()]
    state = sha256(canonical([request.get("model"), tools]).encode("utf-8", "surrogatepass"))
    characters = len(canonical(tools)) if tools else 0
    for block in blocks_of(request.get("system") or []):
        piece, length = read_block(block)
        state.update(piece)
        characters += length
    schema = ((request.get("output_config") or {}).get("format") or {}).get("schema")
    return state, characters + (len(canonical(schema)) if schema else 0), TOKENS_PER_TOOL * len(tools)


def read_block(block: dict) -> tuple[bytes, int]:
    """The bytes of a block that a signature covers, and its characters."""
    kind = block.get("type")
    if kind == "text" and "citations" not in block:
        piece = block["text"]
        characters = len(piece)
    else:
        piece = canonical(_unmarked(block))
        characters = len(block["thinking"]) if kind == "thinking" else len(piece)
        if kind in ("image", "document"):
            characters = CHARACTERS_OF_A_FILE
    data = piece.encode("utf-8", "surrogatepass")
    return b"\2%d:" % len(data) + data, characters


def _unmarked(part: dict) -> dict:
    """Without its cache mark, which may move from request to request."""
    return {k: v for k, v in part.items() if k != "cache_control"} if "cache_control" in part else part


def sign(prefix: bytes, thinking: str) -> str:
    """The signature of a thinking block that follows this prefix."""
    return sha256(b"thinking\0" + prefix + thinking.encode("utf-8", "surrogatepass")).hexdigest()


def identifier(kind: str, seed: bytes) -> str:
    """An id such as msg_…: the same for the same seed."""
    return f"{kind}_{sha256(kind.encode() + seed).hexdigest()[:24]}"


def broken_rule(request: dict, answer: Answer) -> str:
    """What the answer does that the request forbids; "" when all is well."""
    used = [block["name"] for block in answer.content if block["type"] == "tool_use"]
    if used and (request.get("tool_choice") or {}).get("type") == "none":
        return f"it used {used[0]!r} although tool_choice is none."
    offered = [tool["name"] for tool in request.get("tools") or ()]
    return next((f"it used {name!r}, which was not offered." for name in used if name not in offered), "")


def make_reply(checked: Checked, answer: Answer, *, fault: str = "", thinking: bool = True) -> dict:
    """The reply that says `answer`; cut, refused or malformed where a limit or the fault asks for it."""
    request, prefix = checked.request, checked.prefix
    content = [dict(block) for block in answer.content]
    thought, thinking_tokens = [], 0
    if thinking and fault != "refusal":
        thought, thoughts, content = _think(request, content, answer.thinking, prefix)
        thinking_tokens = tokens_of(len(thoughts))
    if (request.get("tool_choice") or {}).get("disable_parallel_tool_use"):
        content = content[: _first_use(content) + 1]
    if fault == "malformed":
        content = [_break_input(block, request) for block in content]
    max_tokens = request.get("max_tokens", MAX_OUTPUT_TOKENS)
    thinking_tokens = min(thinking_tokens, max_tokens // 2)  # so that a tight limit still shows some answer
    limit = max_tokens - thinking_tokens
    if fault == "cut":
        limit = max(1, min(limit, _tokens(content) // 2))
    content, stopped_by = _stop_at(content, request.get("stop_sequences") or ())
    content, was_cut = _cut(content, limit)
    reason = "tool_use" if _first_use(content) < len(content) else "end_turn"
    if stopped_by:
        reason = "stop_sequence"
    if was_cut or fault == "cut":
        reason, stopped_by = "max_tokens", None
    details = None
    if fault == "refusal":
        content, reason, stopped_by = [], "refusal", None
        details = {"type": "refusal", "category": None, "explanation": "The offline model is told to refuse."}
    output_tokens = min(max_tokens, max(1, thinking_tokens + _tokens(content)))
    for index, block in enumerate(content):
        if block["type"] == "tool_use":
            block.setdefault("id", identifier("toolu", b"%d:" % index + prefix))
    usage = {"input_tokens": checked.input_tokens, "output_tokens": output_tokens,
             "output_tokens_details": {"thinking_tokens": thinking_tokens},
             "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
             "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
             "server_tool_use": None, "service_tier": "standard", "inference_geo": None, "speed": "standard"}
    return {"id": identifier("msg", prefix), "type": "message", "role": "assistant",
            "model": request.get("model", ""), "content": thought + content, "stop_reason": reason,
            "stop_sequence": stopped_by, "stop_details": details, "container": None, "diagnostics": None,
            "usage": usage}


def _think(request: dict, content: list[dict], thinking: str, prefix: bytes,
           ) -> tuple[list[dict], str, list[dict]]:
    """The leading thinking block, if any; what was thought, shown or not; and the content after it."""
    setting = request.get("thinking") or {"type": "adaptive"}
    kind, first, notes = setting["type"], _first_use(content), ""
    if kind == "disabled":
        return [], "", content
    if first < len(content) and notes_are_thoughts(request["model"]):
        notes = "\n".join(block["text"] for block in content[:first] if block["type"] == "text")
        content = content[first:]
    if kind == "between_tools" and not notes:
        return [], "", content
    thoughts = notes if kind == "between_tools" else "\n".join(filter(None, [thinking, notes]))
    shown = setting.get("display") or ("omitted" if kind == "adaptive" else "summarized")
    text = thoughts if shown == "summarized" else ""
    return [{"type": "thinking", "thinking": text, "signature": sign(prefix, text)}], thoughts, content


def _first_use(content: list[dict]) -> int:
    """The index of the first tool call; the length of the content when there is none."""
    return next((i for i, block in enumerate(content) if block["type"] == "tool_use"), len(content))


def _tokens(content: list[dict]) -> int:
    return sum(estimate_tokens(block["text"] if block["type"] == "text" else block) for block in content)


def _break_input(block: dict, request: dict) -> dict:
    """A tool call whose input does not fit the tool's schema: one field has the wrong type."""
    if block["type"] != "tool_use":
        return block
    schema = next(tool["input_schema"] for tool in request["tools"] if tool["name"] == block["name"])
    properties = schema.get("properties") or {}
    fields = [*(schema.get("required") or ()), *properties]
    if not fields:
        return {**block, "input": {"unexpected": True}}
    is_compound = (properties.get(fields[0]) or {}).get("type") in ("object", "array")
    wrong = "many" if is_compound else {"value": None}
    return {**block, "input": {**block["input"], fields[0]: wrong}}


def _stop_at(content: list[dict], stops: Iterable[str]) -> tuple[list[dict], str | None]:
    """The content up to the first stop sequence in a text, and which one that was."""
    for index, block in enumerate(content):
        found = [(block["text"].index(stop), stop) for stop in stops if stop in block.get("text", "")]
        if found:
            end, stop = min(found, key=lambda place: place[0])
            return content[:index] + ([{**block, "text": block["text"][:end]}] if end else []), stop
    return content, None


def _cut(content: list[dict], limit: int) -> tuple[list[dict], bool]:
    """The part of the content that fits so many tokens. A tool call that does not fit keeps its name only."""
    for index, block in enumerate(content):
        tokens = _tokens([block])
        if tokens > limit:
            is_text = block["type"] == "text"
            part = {"text": block["text"][: limit * CHARACTERS_PER_TOKEN]} if is_text else {"input": {}}
            return content[:index] + ([{**block, **part}] if limit else []), True
        limit -= tokens
    return content, False


# ---- the stream --------------------

_FEW_WORDS = re.compile(r"\s*(?:\S+\s*){1,4}|\s+")
_AT_START = {"text": {"text": ""}, "thinking": {"thinking": "", "signature": ""}, "tool_use": {"input": {}}}
_USAGE_AT_END = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens",
                 "output_tokens_details", "server_tool_use")


def events(reply: dict) -> tuple[bytes, ...]:
    """A reply as server-sent events, in the service's order."""
    return tuple(f"event: {data['type']}\ndata: {json.dumps(data, separators=(',', ':'))}\n\n".encode()
                 for data in _stream(reply))


def _stream(reply: dict) -> Iterator[dict]:
    ends = {name: reply.get(name) for name in ("stop_reason", "stop_sequence", "stop_details")}
    usage = reply["usage"]
    yield {"type": "message_start",
           "message": {**reply, "content": [], **dict.fromkeys(ends), "usage": {**usage, "output_tokens": 1}}}
    yield {"type": "ping"}
    for index, block in enumerate(reply["content"]):
        start = {**block, **_AT_START.get(block["type"], {})}
        yield {"type": "content_block_start", "index": index, "content_block": start}
        for delta in _deltas(block):
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    total = {name: usage.get(name) for name in _USAGE_AT_END}
    yield {"type": "message_delta", "delta": {**ends, "container": reply.get("container")}, "usage": total}
    yield {"type": "message_stop"}


def _deltas(block: dict) -> Iterator[dict]:
    if block["type"] == "text":
        for part in _FEW_WORDS.findall(block["text"]):
            yield {"type": "text_delta", "text": part}
    elif block["type"] == "thinking":
        for part in _FEW_WORDS.findall(block["thinking"]):
            yield {"type": "thinking_delta", "thinking": part}
        yield {"type": "signature_delta", "signature": block["signature"]}
    elif block["type"] == "tool_use":
        text = json.dumps(block["input"])
        for part in ["", *(text[start : start + 20] for start in range(0, len(text), 20))]:
            yield {"type": "input_json_delta", "partial_json": part}
