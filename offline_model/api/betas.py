"""Parts of a request that need a beta header: threads, and controls of thinking blocks."""

from __future__ import annotations

from typing import Any

from .errors import RequestError, refuse
from .turns import Placed

THREADS = "message-threads-2026-08-12"
BINDING = "thinking-binding-controls-2026-08-01"
_NO_THREADS = "thread: This server keeps no threads. Send the whole conversation without `thread`."


def check_betas(request: object, headers: dict[str, str]) -> None:
    """Refuse a field of a beta that the headers do not name. `request` is any JSON.

    `thread` is refused with the details after which the official SDK goes on without it.
    Raises RequestError.
    """
    if not isinstance(request, dict):
        return
    header = headers.get("anthropic-beta", "")
    named = [beta.strip() for beta in header.split(",")]
    if request.get("thread") and THREADS in named:
        details = {"error_code": "thread_unsupported_request", "unsupported": ["thread"]}
        raise RequestError(400, _NO_THREADS, details)
    thinking = request.get("thinking")
    if BINDING in named or not isinstance(thinking, dict):
        return
    if "block_binding" in thinking:
        kind = thinking.get("type")
        refuse(f"thinking.{kind}.block_binding", "Extra inputs are not permitted")


def drops_foreign_blocks(request: dict[str, Any]) -> bool:
    """True if thinking blocks of another conversation are to be dropped instead of refused."""
    thinking = request.get("thinking") or {}
    binding = thinking.get("block_binding") or {}
    return binding.get("prefix_mismatch_behavior") == "drop_block"


def without(request: dict[str, Any], dropped: list[Placed]) -> dict[str, Any]:
    """The request without these blocks, nor the messages that hold nothing else."""
    places = {(placed.message, placed.position) for placed in dropped}
    messages = []
    for number, message in enumerate(request["messages"]):
        content = message["content"]
        if isinstance(content, list):
            blocks = enumerate(content)
            content = [block for index, block in blocks if (number, index) not in places]
        if content:
            messages.append({**message, "content": content})
    return {**request, "messages": messages}


def transformations(dropped: list[Placed]) -> list[dict[str, str]]:
    """Returns the reply's `input_transformations` for the dropped blocks."""
    reason = "prefix_binding_mismatch"
    return [
        {"type": "thinking_dropped", "path": placed.place, "reason": reason} for placed in dropped
    ]
