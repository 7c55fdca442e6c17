"""Tokens, estimated, and the hashes that bind thinking blocks and ids to what came before them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from .turns import Turn, blocks_of, turns_of

CHARACTERS_PER_TOKEN = 4
TOKENS_PER_MESSAGE = 4
TOKENS_PER_TOOL = 8

canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


@dataclass(frozen=True)
class Measure:
    """prefixes: the hash of all that comes before each turn, and of the whole at the end. tokens:
    of the whole."""

    prefixes: list[bytes]
    tokens: int


def estimate_tokens(value: object) -> int:
    """Tokens of a text, of a whole request (a dict with "messages"), or of any other JSON value.

    The rule, an estimate and no tokenizer: a token is four characters, rounded up. Of a text block
    the text counts, of any other block its compact JSON; a message adds 4 tokens, a tool 8.
    """
    if isinstance(value, dict) and "messages" in value:
        turns = turns_of(value["messages"])
        return measure(value, turns).tokens
    text = value if isinstance(value, str) else canonical(value)
    return tokens_of(len(text))


def tokens_of(characters: int) -> int:
    """The tokens of so many characters."""
    return -(-characters // CHARACTERS_PER_TOKEN)


def answer_schema(request: dict[str, Any]) -> dict[str, Any] | None:
    """The schema that `output_config.format` asks the answer to have, if any."""
    config = request.get("output_config") or {}
    shape = config.get("format") or {}
    return shape.get("schema")


def measure(request: dict[str, Any], turns: list[Turn]) -> Measure:
    """Count a request's tokens and hash its prefixes."""
    tools = [unmarked(tool) for tool in request.get("tools") or ()]
    schema = answer_schema(request)
    model = request.get("model")
    head = canonical([model, tools])
    state = sha256(head.encode())
    characters = 0
    if tools:
        characters += len(canonical(tools))
    if schema:
        characters += len(canonical(schema))
    for block in system_blocks(request):
        characters += _take(state, block)
    prefixes = []
    for turn in turns:
        prefixes.append(state.digest())
        state.update(b"\1" + turn.role.encode())
        for placed in turn.blocks:
            characters += _take(state, placed.block)
    prefixes.append(state.digest())
    extra = TOKENS_PER_MESSAGE * len(request["messages"])
    extra += TOKENS_PER_TOOL * len(tools)
    return Measure(prefixes, tokens_of(characters) + extra)


def _take(state: Any, block: dict[str, Any]) -> int:
    """Add a block to a hash; returns the characters that count."""
    text = rendered(block)
    data = text.encode()
    state.update(b"\2%d:" % len(data))
    state.update(data)
    return counted(block, text)


def system_blocks(request: dict[str, Any]) -> list[dict[str, Any]]:
    return blocks_of(request.get("system") or [])


def rendered(block: dict[str, Any]) -> str:
    """Returns the block's text, or its JSON."""
    if block["type"] == "text":
        text: str = block["text"]
        return text
    return canonical(unmarked(block))


def counted(block: dict[str, Any], piece: str) -> int:
    """The characters of a rendered block that count; of a thinking block its thoughts, not its
    signature."""
    if block["type"] == "thinking":
        return len(block["thinking"])
    return len(piece)


def unmarked(part: dict[str, Any]) -> dict[str, Any]:
    """A block or tool without its cache mark, which may move from request to request."""
    return {name: value for name, value in part.items() if name != "cache_control"}


def sign(prefix: bytes, thinking: str) -> str:
    """The signature of a thinking block that follows this prefix."""
    bound = b"thinking\0" + prefix + thinking.encode()
    return sha256(bound).hexdigest()


def identifier(kind: str, seed: bytes) -> str:
    """An id such as msg_…: the same for the same seed."""
    digest = sha256(kind.encode() + seed).hexdigest()
    return f"{kind}_{digest[:24]}"
