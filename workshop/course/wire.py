"""A scripted model that keeps the conversation, and one form in which conversations are noted."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import httpx

from classroom.observing import pictured
from kernel import Client, Run
from kernel.core.wire import API_VERSION
from offline_model import Script


class Wire(Script):
    """Answers `items`, one for each request, and raises AssertionError on a request too many."""

    def __init__(self, items: Iterable[Any]) -> None:
        super().__init__(items)
        self.exchanges: list[tuple[dict, int, dict]] = []
        """(request, HTTP status, answer) for each request."""

    def respond(self, request: httpx.Request, body: bytes) -> Any:
        response = super().respond(request, body)
        answer = json.loads(response.body)
        self.exchanges.append((json.loads(body), response.status, answer))
        return response

    def __exit__(self, *_: Any) -> None:
        """Answers that are left over show in the requests."""

    def client(self) -> httpx.Client:
        """A plain client of this model, as lesson 01 uses it."""
        pictured(self)
        headers = {"anthropic-version": API_VERSION}
        return httpx.Client(transport=self, base_url="http://offline", headers=headers)

    def run(self, **settings: Any) -> Run:
        """A run of the kernel on this model."""
        return pictured(Run(Client(self, retries=0), **settings))

    @property
    def refused(self) -> str:
        """The API's answer to the last request when it refused it; else empty."""
        if not self.exchanges:
            return ""
        _, status, answer = self.exchanges[-1]
        return "" if status == 200 else refusal(answer)


def refusal(answer: dict) -> str:
    """The message of an error of the API."""
    return str(answer.get("error", {}).get("message", answer))


def call_of(name: str, **given: Any) -> dict[str, Any]:
    """A tool call, as a model makes it."""
    return {"type": "tool_use", "name": name, "input": given}


def free(request: dict) -> bool:
    """True if the model may call tools in its answer to this request."""
    choice = request.get("tool_choice")
    return not isinstance(choice, dict) or choice.get("type") != "none"


def lines_of(request: dict, *, merge: bool = False, wording: bool = True) -> Any:
    """The conversation of a request, a line for each block; calls are numbered instead of having
    ids.

    The results of one message stand in the order of their calls. merge: neighbours of one role are
    one message, as the service reads them. wording: False leaves out what the user's messages after
    the first say, but not that they say something. What is not a conversation is returned
    unchanged.
    """
    messages = request.get("messages")
    if not isinstance(messages, list) or not all(map(_is_message, messages)):
        return messages
    numbers: dict[str, int] = {}
    found: list[str] = []
    before = ""
    for position, message in enumerate(messages):
        role = message["role"]
        blocks = message["content"]
        if type(blocks) is str:
            blocks = [{"type": "text", "text": blocks}]
        lines = [_line(block, numbers) for block in blocks]
        if position and role == "user":
            results = sorted(line for line in lines if line.startswith("result"))
            texts = [line for line in lines if not line.startswith("result")]
            if not wording:
                texts = [_unworded(line) for line in texts]
            lines = results + texts
        start = "and " if merge and role == before else f"{role}: "
        for line in lines:
            found.append(start + line)
            start = "and "
        before = role
    return found


def _is_message(message: Any) -> bool:
    if not isinstance(message, dict) or message.keys() != {"role", "content"}:
        return False
    content = message["content"]
    blocks = isinstance(content, list) and all(isinstance(block, dict) for block in content)
    return blocks or isinstance(content, str)


def _unworded(line: str) -> str:
    return "a text" if line.partition(" ")[2].strip(" '\"") else "an empty text"


def _line(block: dict, numbers: dict[str, int]) -> str:
    match block.get("type"):
        case "tool_use":
            number = numbers.setdefault(str(block.get("id")), len(numbers) + 1)
            arguments = block.get("input") or {}
            given = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
            return f"call {number} of {block.get('name')}({given})"
        case "tool_result":
            number = numbers.get(str(block.get("tool_use_id")), 0)
            error = ", an error" * bool(block.get("is_error"))
            return f"result of call {number}{error}: {words_of(block.get('content', ''))!r}"
        case "thinking":
            return f"thinking, sealed {block.get('signature')}"
    return f"{block.get('type')} {block.get('text', '')!r}"


def words_of(content: Any) -> Any:
    """A result's content as one text, whether it was sent as a text or as blocks."""
    if not isinstance(content, list) or not all(isinstance(block, dict) for block in content):
        return content
    return "".join(block.get("text", "") for block in content)
