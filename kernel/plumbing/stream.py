"""Streamed replies: server-sent events, and the message that they add up to.

Source: the Messages API (https://docs.claude.com/en/api/messages-streaming). Unknown
events are skipped, as the API requires.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from time import monotonic
from typing import Any

from pydantic import ValidationError

from ..core.wire import Usage
from .texts import shortened

LONG_WAIT_S = 20.0
"""Seconds without a word after which a reader is told that the reply is waited for."""
_LINE_END = re.compile(rb"\r\n|\n|\r(?=[^\n])")  # an \r at the end may be half of an \r\n
_STREAM = re.compile(rb"\s*(?::|(?:event|data|id|retry):)")
_UNNAMED = ("", "message")
_PIECES = {"text_delta": "text", "thinking_delta": "thinking", "input_json_delta": "partial_json"}


class Garbled(ValueError):
    """A stream does not add up to a message; the text says why."""


def is_stream(content_type: str) -> bool:
    """True for the content type of a stream."""
    return content_type.startswith("text/event-stream")


def begins_stream(content: bytes) -> bool:
    """True for a body that begins like a stream, whatever its content type."""
    return bool(_STREAM.match(content))


class ServerEvents:
    """Parses the events of a stream from chunks of bytes of any size."""

    def __init__(self) -> None:
        self._open: list[bytes] = []
        """The chunks of an incomplete line."""
        self._name = b""
        self._data: list[bytes] = []

    def read(self, chunk: bytes) -> Iterator[tuple[str, bytes]]:
        """Yields the name and the data of each event that this chunk completes."""
        self._open.append(chunk)
        if b"\n" not in chunk and b"\r" not in chunk:
            return
        *lines, rest = _LINE_END.split(b"".join(self._open))
        self._open = [rest]
        for line in lines:
            if line.startswith(b"data:"):
                self._data.append(line[5:].removeprefix(b" "))
            elif line.startswith(b"event:"):
                self._name = line[6:].strip()
            elif not line:
                name, data = self._name, b"\n".join(self._data)
                self._name, self._data = b"", []
                if data:
                    yield name.decode("utf-8", "replace"), data


class StreamedReply:
    """A reply under way, which grows with each chunk into the message of an unstreamed reply."""

    def __init__(self) -> None:
        self._events = ServerEvents()
        self._message: dict[str, Any] = {}
        self._blocks: list[dict[str, Any]] = []
        self._pieces: list[list[str]] = []
        """The pieces of each block, until it is complete."""
        self.error: dict[str, Any] = {}
        """The error event that ended it; empty without one."""
        self.usage: Usage | None = None
        """The usage of the last `message_delta`, which is billed; None until there is one."""
        self.has_ended = False
        """True when the stream has ended."""

    @property
    def has_begun(self) -> bool:
        """True when the message has started."""
        return bool(self._message)

    @property
    def is_whole(self) -> bool:
        """True if the message is complete, even if its last event is missing."""
        return self.has_begun and not self.error and (self.has_ended or self.usage is not None)

    @property
    def tool_calls(self) -> int:
        """The number of tool calls so far."""
        return sum(block.get("type") == "tool_use" for block in self._blocks)

    @property
    def text(self) -> str:
        """The text so far."""
        texts = []
        for block, pieces in zip(self._blocks, self._pieces, strict=True):
            if block.get("type") == "text":
                texts += [block.get("text") or "", *pieces]
        return "".join(texts)

    def read(self, chunk: bytes) -> bool:
        """Adds a chunk; returns True if it held an event other than a ping.

        Raises Garbled.
        """
        is_news = False
        for name, data in self._events.read(chunk):
            if self.has_ended:
                break
            is_news = self._take(name, data) or is_news
        return is_news

    def _take(self, name: str, data: bytes) -> bool:
        """Adds one event; returns True if it is known."""
        event = None
        if name in _UNNAMED:
            event = _object(data)
            name = str(event.get("type"))
        if name not in _TAKEN:
            return False
        try:
            if not self.has_begun and name not in _FIRST:
                raise IndexError
            _TAKEN[name](self, event or json.loads(data))
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
            shown = shortened(data[:480].decode("utf-8", "replace"), 120)
            raise Garbled(f"{name} of a stream has no place in it: {shown!r}") from None
        return True

    def _begin(self, event: dict[str, Any]) -> None:
        if not self.has_begun:
            self._message = dict(event["message"])
            self._blocks = [dict(block) for block in self._message.get("content") or ()]
            self._pieces = [[] for _ in self._blocks]

    def _begin_block(self, event: dict[str, Any]) -> None:
        if event.get("index", len(self._blocks)) != len(self._blocks):
            raise IndexError
        self._blocks.append(dict(event["content_block"]))
        self._pieces.append([])

    def _add(self, event: dict[str, Any]) -> None:
        delta = event["delta"]
        kind = delta["type"]
        index = event["index"]
        if kind in _PIECES:
            self._pieces[index].append(delta[_PIECES[kind]] + "")
        elif kind == "signature_delta":
            self._blocks[index]["signature"] = delta["signature"]
        elif kind == "citations_delta":
            block = self._blocks[index]
            block["citations"] = [*(block.get("citations") or ()), delta["citation"]]

    def _end_block(self, event: dict[str, Any]) -> None:
        self._close(event["index"])

    def _close(self, index: int) -> None:
        """Completes a block. An input that is not JSON, as when the reply was cut, stays text."""
        block = self._blocks[index]
        pieces = "".join(self._pieces[index])
        self._pieces[index] = []
        if not pieces:
            return
        for name in ("text", "thinking"):
            if block.get("type") == name:
                block[name] = (block.get(name) or "") + pieces
                return
        try:
            block["input"] = json.loads(pieces)
        except (ValueError, RecursionError):
            block["input"] = pieces

    def _change(self, event: dict[str, Any]) -> None:
        """Ends the message. Counts are totals; missing ones keep their value."""
        self._message.update(event["delta"])
        given = event.get("usage") or {}
        counts = {name: count for name, count in given.items() if count is not None}
        self._message["usage"] = {**(self._message.get("usage") or {}), **counts}
        if counts:
            with contextlib.suppress(ValidationError):
                self.usage = Usage.model_validate(self._message["usage"])

    def _fail(self, event: dict[str, Any]) -> None:
        self.error = event
        self.has_ended = True

    def _end(self, event: dict[str, Any]) -> None:
        self.has_ended = True

    def as_json(self) -> bytes:
        """The message as an unstreamed reply, or the error that ended it."""
        if self.error:
            return json.dumps(self.error).encode()
        for index in range(len(self._blocks)):
            self._close(index)
        return json.dumps({**self._message, "content": self._blocks}).encode()


def _object(data: bytes) -> dict[str, Any]:
    """The JSON object of an event; empty for any other data."""
    try:
        event = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return event if isinstance(event, dict) else {}


_FIRST = ("message_start", "error")
_TAKEN: dict[str, Callable[[StreamedReply, dict[str, Any]], None]] = {
    "message_start": StreamedReply._begin,
    "content_block_start": StreamedReply._begin_block,
    "content_block_delta": StreamedReply._add,
    "content_block_stop": StreamedReply._end_block,
    "message_delta": StreamedReply._change,
    "message_stop": StreamedReply._end,
    "error": StreamedReply._fail,
}
"""The known events, and the method that handles each."""


class Speech:
    """The text of one reply while it is received, for readers that poll at their own pace.

    The text is stored once for all readers, and starts over when the request is retried.
    """

    def __init__(
        self, run: str, agent: str, *, is_heard: bool, on_usage: Callable[[Usage], None]
    ) -> None:
        self.run = run
        """The id of the run that asked."""
        self.agent = agent
        """The name of the agent."""
        self.is_heard = is_heard
        """True if somebody listens."""
        self._on_usage = on_usage
        self._began = monotonic()
        self._reply = StreamedReply()
        self._public: Callable[[str], str] = str

    @property
    def text(self) -> str:
        """The text so far, without a key that a server echoes."""
        return self._public(self._reply.text).strip()

    @property
    def status(self) -> str:
        """The text so far, or for how long a reply without a word is waited for; "" at first."""
        waited = monotonic() - self._began
        if self.text or self.tool_calls or waited < LONG_WAIT_S:
            return self.text
        return f"(waiting for a reply, {waited:.0f} s)"

    @property
    def tool_calls(self) -> int:
        """The number of tool calls of the reply so far."""
        return self._reply.tool_calls

    def begin(self, reply: StreamedReply, public: Callable[[str], str]) -> None:
        """Shows this reply from now on.

        public: redacts a text.
        """
        self._reply = reply
        self._public = public

    def bill(self, reply: StreamedReply) -> None:
        """Reports the usage of a reply, if it is known, however the reply ended."""
        if reply.usage is not None:
            self._on_usage(reply.usage)


_speech: ContextVar[Speech | None] = ContextVar("speech", default=None)


@contextlib.contextmanager
def heard(speech: Speech) -> Iterator[None]:
    """Shows replies that are received within the block as this speech."""
    token = _speech.set(speech)
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):  # garbage collection closes it in another context
            _speech.reset(token)


def speech_under_way() -> Speech | None:
    """The speech that shows a reply here; None outside a run."""
    return _speech.get()
