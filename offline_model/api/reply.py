"""From an answer to the service's reply: thinking, stop sequences, limits, stop reasons, usage."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..answer import Answer
from .betas import transformations
from .caching import CacheUse
from .models import line
from .requests import MAX_OUTPUT_TOKENS
from .rules import FORCED
from .tokens import CHARACTERS_PER_TOKEN, estimate_tokens, identifier, sign, tokens_of
from .turns import Placed

Block = dict[str, Any]


@dataclass(frozen=True)
class Checked:
    """A request that passed: its JSON, its tokens (an estimate), the hash that a reply is bound to.

    dropped: the thinking blocks of another conversation that were taken out of it.
    """

    request: dict[str, Any]
    input_tokens: int
    prefix: bytes
    dropped: tuple[Placed, ...] = ()


@dataclass(frozen=True)
class Thought:
    """The leading thinking block, if any (`blocks`), its whole text, also where it is hidden, and
    the content after it."""

    blocks: list[Block]
    text: str
    content: list[Block]


@dataclass(frozen=True)
class Ending:
    """The content as far as it goes, and why it ends there."""

    content: list[Block]
    reason: str
    stop_sequence: str | None = None


def make_reply(
    checked: Checked,
    answer: Answer,
    *,
    fault: str = "",
    thinking: bool = True,
    cache: CacheUse | None = None,
) -> dict[str, Any]:
    """The reply that gives `answer`, as JSON; cut, refused or malformed where a limit or the fault
    asks for it.

    thinking=False leaves the thinking blocks out. cache: the input tokens that were read from a
    cache or written to it.
    """
    request = checked.request
    refused = fault == "refusal" or bool(answer.refusal)
    content = [] if refused else _content(request, answer, fault)
    max_tokens = request.get("max_tokens", MAX_OUTPUT_TOKENS)
    thought = Thought([], "", content)
    if thinking and max_tokens and not refused:  # with 0 tokens only the prompt cache is filled
        thought = _think(request, content, answer.thinking, checked.prefix)
    thinking_tokens = tokens_of(len(thought.text))
    thinking_tokens = min(thinking_tokens, max_tokens // 2)  # some answer still shows
    ending = _end(
        request, thought.content, max_tokens - thinking_tokens, "refusal" if refused else fault
    )
    output_tokens = max(1, thinking_tokens + _tokens(ending.content))  # ids are not billed
    _name_calls(ending.content, checked.prefix)
    usage = _usage(checked.input_tokens, cache or CacheUse())
    usage["output_tokens"] = min(max_tokens, output_tokens)
    usage["output_tokens_details"] = {"thinking_tokens": thinking_tokens}
    reply = {
        "id": identifier("msg", checked.prefix),
        "type": "message",
        "role": "assistant",
        "model": request.get("model", ""),
        "content": thought.blocks + ending.content,
        "stop_reason": ending.reason,
        "stop_sequence": ending.stop_sequence,
        "stop_details": _refusal_details(answer.refusal) if refused else None,
        "container": None,
        "diagnostics": None,
        "usage": usage,
    }
    if checked.dropped:
        reply["input_transformations"] = transformations(list(checked.dropped))
    return reply


def _name_calls(content: list[Block], prefix: bytes) -> None:
    """Give each tool call its id."""
    for index, block in enumerate(content):
        if block["type"] == "tool_use":
            seed = b"%d:" % index + prefix
            block.setdefault("id", identifier("toolu", seed))


def _content(request: dict[str, Any], answer: Answer, fault: str) -> list[Block]:
    """The blocks of an answer, with at most one call where parallel calls are switched off."""
    content = [dict(block) for block in answer.content]
    choice = request.get("tool_choice") or {}
    if choice.get("disable_parallel_tool_use"):
        content = content[: _first_use(content) + 1]
    if fault == "malformed":
        content = [_break_input(block) for block in content]
    return content


def _think(request: dict[str, Any], content: list[Block], thinking: str, prefix: bytes) -> Thought:
    """Put the thoughts first. A forced call has none: the service makes the model begin with the
    call."""
    setting = request.get("thinking") or {"type": "adaptive"}
    kind = setting["type"]
    notes = ""
    first = _first_use(content)
    if first < len(content) and line(request["model"]) in ("sonnet", "opus"):
        notes = "\n".join(block["text"] for block in content[:first])  # words before a call
        content = content[first:]
    choice = request.get("tool_choice") or {}
    if choice.get("type") in FORCED or kind == "disabled":
        return Thought([], "", content)
    if kind == "between_tools":
        if not notes:
            return Thought([], "", content)
        thoughts = notes
    else:
        thoughts = "\n".join(filter(None, [thinking, notes]))
    usual = "omitted" if kind == "adaptive" else "summarized"
    shown = setting.get("display") or usual
    text = thoughts if shown == "summarized" else ""
    block = {"type": "thinking", "thinking": text, "signature": sign(prefix, text)}
    return Thought([block], thoughts, content)


def _end(request: dict[str, Any], content: list[Block], limit: int, fault: str) -> Ending:
    """End the content where a stop sequence, `limit` tokens or the fault ends it."""
    if fault == "refusal":
        return Ending([], "refusal")
    if fault == "cut":
        limit = max(1, min(limit, _tokens(content) // 2))
    content, stop_sequence = _stop_at(content, request.get("stop_sequences") or ())
    content, was_cut = _cut(content, limit)
    if was_cut or fault == "cut":
        return Ending(content, "max_tokens")
    if stop_sequence is not None:
        return Ending(content, "stop_sequence", stop_sequence)
    calls = _first_use(content) < len(content)
    return Ending(content, "tool_use" if calls else "end_turn")


def _usage(input_tokens: int, cache: CacheUse) -> dict[str, Any]:
    """`input_tokens` counts what was neither read from a cache nor written to one."""
    return {
        "input_tokens": input_tokens - cache.read - cache.written,
        "output_tokens": 0,
        "output_tokens_details": None,
        "cache_creation_input_tokens": cache.written,
        "cache_read_input_tokens": cache.read,
        "cache_creation": {
            "ephemeral_5m_input_tokens": cache.written_5m,
            "ephemeral_1h_input_tokens": cache.written_1h,
        },
        "server_tool_use": None,
        "service_tier": "standard",
    }


def _refusal_details(why: str) -> dict[str, Any]:
    explanation = why or "The offline model is told to refuse."
    return {"type": "refusal", "category": None, "explanation": explanation}


def _first_use(content: list[Block]) -> int:
    """The index of the first tool call; the length of the content when there is none."""
    uses = (index for index, block in enumerate(content) if block["type"] == "tool_use")
    return next(uses, len(content))


def _tokens(content: list[Block]) -> int:
    total = 0
    for block in content:
        counted = block["text"] if block["type"] == "text" else block
        total += estimate_tokens(counted)
    return total


def _break_input(block: Block) -> Block:
    """A tool call with a value of the wrong type."""
    if block["type"] != "tool_use":
        return block
    name = next(iter(block["input"]), "unexpected")
    given = block["input"]
    wrong = "many" if isinstance(given.get(name), dict) else {"value": None}
    return {**block, "input": {**given, name: wrong}}


def _stop_at(content: list[Block], stops: Iterable[str]) -> tuple[list[Block], str | None]:
    """The content up to the first stop sequence in a text, and which one that was."""
    for index, block in enumerate(content):
        text = block.get("text", "")
        found = [(text.index(stop), stop) for stop in stops if stop in text]
        if found:
            end, stop = min(found)
            kept = content[:index]
            if end:
                kept.append({**block, "text": text[:end]})
            return kept, stop
    return content, None


def _cut(content: list[Block], limit: int) -> tuple[list[Block], bool]:
    """The part of the content that fits so many tokens. A tool call that does not fit keeps its
    name only."""
    for index, block in enumerate(content):
        tokens = _tokens([block])
        if tokens <= limit:
            limit -= tokens
            continue
        kept = content[:index]
        if limit:
            part = {**block, "input": {}}
            if block["type"] == "text":
                end = limit * CHARACTERS_PER_TOKEN
                part = {**block, "text": block["text"][:end]}
            kept.append(part)
        return kept, True
    return content, False
