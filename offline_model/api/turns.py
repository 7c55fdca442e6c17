"""The conversation as turns: who speaks first and last, and which result answers which call."""

from __future__ import annotations

from itertools import groupby
from typing import Any, NamedTuple

from .errors import RequestError, refuse
from .requests import READABLE


class Placed(NamedTuple):
    """A block with the index of its message and its own index in there."""

    message: int
    position: int
    block: dict[str, Any]

    @property
    def place(self) -> str:
        return f"messages.{self.message}.content.{self.position}"


class Turn(NamedTuple):
    """One side's turn: the blocks of consecutive messages of one role."""

    role: str
    blocks: list[Placed]


def turns_of(messages: list[dict[str, Any]]) -> list[Turn]:
    """Consecutive messages of one role are one turn."""
    turns = []
    for role, group in groupby(enumerate(messages), key=lambda numbered: numbered[1]["role"]):
        blocks = [
            Placed(number, index, block)
            for number, message in group
            for index, block in enumerate(blocks_of(message["content"]))
        ]
        turns.append(Turn(role, blocks))
    return turns


def blocks_of(content: str | list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Content as blocks: a text is one text block."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def check_turns(turns: list[Turn]) -> None:
    """Refuse a conversation in which a tool call has no result, a result no call, or the user not
    the last word.

    Each `tool_use` has one `tool_result` in the next turn; the results come first. Raises
    RequestError.
    """
    if turns[0].role == "assistant":
        refuse("messages", 'first message must use the "user" role')
    waiting: dict[str, None] = {}  # calls of the turn before, in order
    place = ""
    for turn in [*turns, Turn("", [])]:
        late = _take_results(turn, waiting)
        if waiting:
            _refuse_orphans(place, waiting, late)
        waiting = _calls_in(turn)
        if turn.blocks:
            place = f"messages.{turn.blocks[-1].message}"
    last = turns[-1]
    # a turn that paused in the service's own work is sent back as it is
    if last.role == "assistant" and last.blocks[-1].block["type"] in READABLE:
        raise RequestError(
            400,
            "This model does not support assistant message prefill. The conversation must end with "
            "a user message.",
        )


def _calls_in(turn: Turn) -> dict[str, None]:
    """The ids of a turn's tool calls, in order; each occurs once."""
    calls: dict[str, None] = {}
    for placed in turn.blocks:
        if placed.block["type"] != "tool_use":
            continue
        if placed.block["id"] in calls:
            refuse(placed.place, "`tool_use` ids must be unique")
        calls[placed.block["id"]] = None
    return calls


def _take_results(turn: Turn, waiting: dict[str, None]) -> bool:
    """Strike out the calls that this turn answers. Returns whether a result came after another
    block."""
    others = late = False
    for placed in turn.blocks:
        block = placed.block
        if block["type"] != "tool_result":
            others = True
            continue
        identifier = block["tool_use_id"]
        if identifier not in waiting:
            refuse(
                placed.place,
                f"unexpected `tool_use_id` found in `tool_result` blocks: {identifier}. Each "
                "`tool_result` block must have a corresponding `tool_use` block in the previous "
                "message.",
            )
        if others:
            late = True
        else:
            del waiting[identifier]
    return late


def _refuse_orphans(place: str, waiting: dict[str, None], late: bool) -> None:
    hint = " The results come first in that message, before any other block." if late else ""
    refuse(
        place,
        "`tool_use` ids were found without `tool_result` blocks immediately after: "
        f"{', '.join(waiting)}. Each `tool_use` block must have a corresponding `tool_result` "
        f"block in the next message.{hint}",
    )
