"""A scripted model for trials: it keeps every request, and its conversations are noted in one form."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import groupby
from typing import Any

import httpx

from kernel import Client, Run
from kernel.offline import Script
from kernel.wire import API_VERSION


class Wire(Script):
    """Answers `items`, one for each request, and raises AssertionError on a request too many."""

    def __init__(self, items: Iterable[Any]) -> None:
        super().__init__(items)
        self.replies: list[dict] = []

    def respond(self, request: httpx.Request, body: bytes) -> Any:
        response = super().respond(request, body)
        self.replies.append(json.loads(response.body))
        return response

    def __exit__(self, *_: Any) -> None:
        """Answers that are left over show in the requests."""

    def client(self) -> httpx.Client:
        """A plain client of this model."""
        return httpx.Client(transport=self, base_url="http://offline", headers={"anthropic-version": API_VERSION})

    def run(self, **settings: Any) -> Run:
        """A run of the kernel on this model."""
        return Run(Client(self, retries=0), **settings)


def call_of(name: str, **given: Any) -> dict[str, Any]:
    """A tool call, as a model makes it."""
    return {"type": "tool_use", "name": name, "input": given}


def free(request: dict) -> bool:
    """Whether the model may call tools in its answer to this request."""
    choice = request.get("tool_choice")
    return not isinstance(choice, dict) or choice.get("type") != "none"


def messages_of(request: dict, *, merge: bool = False, wording: bool = True) -> list[Any]:
    """The conversation of a request: (role, blocks), calls and results numbered instead of by id, in that order.

    merge: neighbours of one role are one message, as the service reads them. wording: False leaves out what the user's
    messages after the first say, but not that they say something.
    """
    numbers: dict[str, int] = {}
    seen: list[Any] = []
    for at, message in enumerate(request["messages"]):
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if type(content) is str else content
        noted = [_block(it, numbers) for it in blocks]
        if at and message["role"] == "user":
            results = sorted((it for it in noted if it[0] == "result of"), key=lambda it: it[1])
            texts = [it if wording else ["a text", bool(it[1].strip())] for it in noted if it[0] == "text"]
            noted = results + texts
        seen.append([message["role"], noted])
    if merge:
        seen = [[role, [it for _, blocks in several for it in blocks]] for role, several in groupby(seen, lambda it: it[0])]
    return seen


def _block(block: dict, numbers: dict[str, int]) -> list[Any]:
    match block["type"]:
        case "tool_use":
            number = numbers.setdefault(block["id"], len(numbers))
            return ["call", number, block["name"], block["input"]]
        case "tool_result":
            return ["result of", numbers.get(block["tool_use_id"], -1), plain(block.get("content", "")),
                    "error" if block.get("is_error") else "fine"]
        case "thinking":
            return ["thought", block["signature"]]
    return [block["type"], block.get("text", "")]


def plain(content: Any) -> Any:
    """A result's content as one text, whether it was sent as a text or as blocks."""
    return content if type(content) is str else "".join(it.get("text", "") for it in content)
