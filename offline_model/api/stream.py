"""A reply as server-sent events, in the service's order."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_KNOWN_AT_THE_END = ("stop_reason", "stop_sequence", "stop_details")
_few_words = re.compile(r"\s*(?:\S+\s*){1,4}|\s+").findall


def events(reply: dict[str, Any]) -> tuple[bytes, ...]:
    """The events of a stream that adds up to `reply`."""
    return tuple(map(_encoded, _events(reply)))


def _encoded(event: dict[str, Any]) -> bytes:
    data = json.dumps(event, separators=(",", ":"))
    return f"event: {event['type']}\ndata: {data}\n\n".encode()


def _events(reply: dict[str, Any]) -> Iterator[dict[str, Any]]:
    usage = reply["usage"]
    ending = {name: reply[name] for name in _KNOWN_AT_THE_END}
    written = min(1, usage["output_tokens"])
    message = {**reply, **dict.fromkeys(_KNOWN_AT_THE_END)}
    message["content"] = []
    message["usage"] = {**usage, "output_tokens": written}
    yield {"type": "message_start", "message": message}
    yield {"type": "ping"}
    for index, block in enumerate(reply["content"]):
        start, deltas = _in_parts(block)
        yield {"type": "content_block_start", "index": index, "content_block": start}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {"type": "message_delta", "delta": ending, "usage": usage}
    yield {"type": "message_stop"}


def _in_parts(block: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The block as it starts, and what is added to it, a few words at a time."""
    if block["type"] == "tool_use":
        parts = _few_words(json.dumps(block["input"]))
        deltas = [{"type": "input_json_delta", "partial_json": part} for part in parts]
        return {**block, "input": {}}, deltas
    start = dict(block)
    deltas = []
    for key in ("text", "thinking", "signature"):
        whole = block.get(key)
        if whole is None:
            continue
        start[key] = ""
        pieces = [whole] if key == "signature" else _few_words(whole)
        deltas += [{"type": f"{key}_delta", key: piece} for piece in pieces]
    return start, deltas
