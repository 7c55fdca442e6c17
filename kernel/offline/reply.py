"""From an answer to the service's reply: tokens, thinking, limits, stop reasons, the events of a stream."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from .answer import Answer
from .rules import MAX_OUTPUT_TOKENS, Turns, blocks_of, line, turns_of

CHARACTERS_PER_TOKEN = 4
TOKENS_PER_MESSAGE = 4
TOKENS_PER_TOOL = 8

_canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode
_few_words = re.compile(r"\s*(?:\S+\s*){1,4}|\s+").findall


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
        return read(value, turns_of(value["messages"]))[1]
    return _tokens_of(len(value if isinstance(value, str) else _canonical(value)))


def _tokens_of(characters: int) -> int:
    return -(-characters // CHARACTERS_PER_TOKEN)


def read(request: dict, turns: Turns) -> tuple[list[bytes], int]:
    """The hash of all that comes before each turn, with that of the whole at the end; and the tokens of the whole."""
    tools = [_unmarked(tool) for tool in request.get("tools") or ()]
    schema = ((request.get("output_config") or {}).get("format") or {}).get("schema")
    state = sha256(_canonical([request.get("model"), tools]).encode())
    characters = sum(len(_canonical(part)) for part in (tools, schema) if part)
    prefixes = []
    for role, blocks in [("", [(block,) for block in blocks_of(request.get("system") or [])]), *turns]:
        if role:
            prefixes.append(state.digest())
            state.update(b"\1" + role.encode())
        for *_, block in blocks:
            piece = block["text"] if block["type"] == "text" else _canonical(_unmarked(block))
            data = piece.encode()
            state.update(b"\2%d:" % len(data) + data)
            characters += len(block["thinking"] if block["type"] == "thinking" else piece)
    extra = TOKENS_PER_MESSAGE * len(request["messages"]) + TOKENS_PER_TOOL * len(tools)
    return [*prefixes, state.digest()], _tokens_of(characters) + extra


def _unmarked(part: dict) -> dict:
    """Without its cache mark, which may move from request to request."""
    return {name: value for name, value in part.items() if name != "cache_control"}


def sign(prefix: bytes, thinking: str) -> str:
    """The signature of a thinking block that follows this prefix."""
    return sha256(b"thinking\0" + prefix + thinking.encode()).hexdigest()


def identifier(kind: str, seed: bytes) -> str:
    """An id such as msg_…: the same for the same seed."""
    return f"{kind}_{sha256(kind.encode() + seed).hexdigest()[:24]}"


def make_reply(checked: Checked, answer: Answer, *, fault: str = "", thinking: bool = True) -> dict:
    """The reply that says `answer`; cut, refused or malformed where a limit or the fault asks for it."""
    request, refused = checked.request, fault == "refusal"
    content = [] if refused else [dict(block) for block in answer.content]
    if (request.get("tool_choice") or {}).get("disable_parallel_tool_use"):
        content = content[: _first_use(content) + 1]
    if fault == "malformed":
        content = [_break_input(block) for block in content]
    thought, thinking_tokens = [], 0
    max_tokens = request.get("max_tokens", MAX_OUTPUT_TOKENS)
    if thinking and not refused:
        thought, thoughts, content = _think(request, content, answer.thinking, checked.prefix)
        thinking_tokens = min(_tokens_of(len(thoughts)), max_tokens // 2)  # a tight limit still shows some answer
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
    if refused:
        reason = "refusal"
    output_tokens = min(max_tokens, max(1, thinking_tokens + _tokens(content)))
    for index, block in enumerate(content):
        if block["type"] == "tool_use":
            block.setdefault("id", identifier("toolu", b"%d:" % index + checked.prefix))
    details = {"type": "refusal", "category": None, "explanation": "The offline model is told to refuse."}
    usage = {"input_tokens": checked.input_tokens, "output_tokens": output_tokens,
             "output_tokens_details": {"thinking_tokens": thinking_tokens},
             "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
             "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
             "server_tool_use": None, "service_tier": "standard"}
    return {"id": identifier("msg", checked.prefix), "type": "message", "role": "assistant",
            "model": request.get("model", ""), "content": thought + content, "stop_reason": reason,
            "stop_sequence": stopped_by, "stop_details": details if refused else None, "container": None,
            "diagnostics": None, "usage": usage}


def _think(request: dict, content: list[dict], thinking: str, prefix: bytes) -> tuple[list[dict], str, list[dict]]:
    """The leading thinking block, if any; what was thought, shown or not; and the content after it."""
    setting = request.get("thinking") or {"type": "adaptive"}
    kind, first, notes = setting["type"], _first_use(content), ""
    if first < len(content) and line(request["model"]) in ("sonnet", "opus"):  # their words before a call are thoughts
        notes = "\n".join(block["text"] for block in content[:first])
        content = content[first:]
    if kind == "disabled" or (kind == "between_tools" and not notes):
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


def _break_input(block: dict) -> dict:
    """A tool call with a value of the wrong type."""
    if block["type"] != "tool_use":
        return block
    name = next(iter(block["input"]), "unexpected")
    wrong = "many" if isinstance(block["input"].get(name), dict) else {"value": None}
    return {**block, "input": {**block["input"], name: wrong}}


def _stop_at(content: list[dict], stops: Iterable[str]) -> tuple[list[dict], str | None]:
    """The content up to the first stop sequence in a text, and which one that was."""
    for index, block in enumerate(content):
        found = [(block["text"].index(stop), stop) for stop in stops if stop in block.get("text", "")]
        if found:
            end, stop = min(found)
            return content[:index] + ([{**block, "text": block["text"][:end]}] if end else []), stop
    return content, None


def _cut(content: list[dict], limit: int) -> tuple[list[dict], bool]:
    """The part of the content that fits so many tokens. A tool call that does not fit keeps its name only."""
    for index, block in enumerate(content):
        if _tokens([block]) > limit:
            is_text = block["type"] == "text"
            part = {"text": block["text"][: limit * CHARACTERS_PER_TOKEN]} if is_text else {"input": {}}
            return content[:index] + ([{**block, **part}] if limit else []), True
        limit -= _tokens([block])
    return content, False


def events(reply: dict) -> tuple[bytes, ...]:
    """A reply as server-sent events, in the service's order."""
    return tuple(f"event: {data['type']}\ndata: {json.dumps(data, separators=(',', ':'))}\n\n".encode() for data in _stream(reply))


def _stream(reply: dict) -> Iterator[dict]:
    at_end = {name: reply[name] for name in ("stop_reason", "stop_sequence", "stop_details")}
    at_start = {"content": [], **dict.fromkeys(at_end), "usage": {**reply["usage"], "output_tokens": 1}}
    yield {"type": "message_start", "message": {**reply, **at_start}}
    yield {"type": "ping"}
    for index, block in enumerate(reply["content"]):
        start, deltas = _in_parts(block)
        yield {"type": "content_block_start", "index": index, "content_block": start}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {"type": "message_delta", "delta": at_end, "usage": reply["usage"]}
    yield {"type": "message_stop"}


def _in_parts(block: dict) -> tuple[dict, list[dict]]:
    """The block as it starts, and what is added to it, a few words at a time."""
    if block["type"] == "tool_use":
        parts = _few_words(json.dumps(block["input"]))
        return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": part} for part in parts]
    told = [key for key in ("text", "thinking", "signature") if key in block]
    pieces = {key: [block[key]] if key == "signature" else _few_words(block[key]) for key in told}
    return {**block, **dict.fromkeys(told, "")}, [{"type": f"{key}_delta", key: piece} for key in told for piece in pieces[key]]
