"""Prompt caching, counted as the service does: what a request writes and what it reads.

Source: https://platform.claude.com/docs/en/build-with-claude/prompt-caching (November 2026). A
prefix is rendered in the order tools, system, messages. Entries are written only at blocks with
`cache_control`; a later request finds the longest of them at most 20 positions before one of its
own marks.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple

from .errors import RequestError, refuse
from .tokens import (
    TOKENS_PER_MESSAGE,
    TOKENS_PER_TOOL,
    answer_schema,
    canonical,
    counted,
    rendered,
    system_blocks,
    tokens_of,
    unmarked,
)
from .turns import blocks_of

MAX_MARKS = 4
MIN_TOKENS = 512
"""Shorter prefixes are not cached, and nobody is told: the limit of the 5.5 models."""
LOOKBACK = 20
TTL_S = {"5m": 300.0, "1h": 3600.0}
MAX_ENTRIES = 10_000
_CACHEABLE = ("text", "tool_use", "tool_result")


class Piece(NamedTuple):
    """One tool or block of a request, in the order in which the model reads them."""

    place: str
    kind: str
    value: dict[str, Any]


@dataclass(frozen=True)
class Position:
    """The end of a piece: the hash and the tokens of all up to there. `ttl` is "" without a
    mark."""

    prefix: bytes
    tokens: int
    kind: str
    ttl: str


@dataclass(frozen=True)
class CacheUse:
    """Input tokens of one request that were read from the cache, or written to it for 5 minutes or
    an hour."""

    read: int = 0
    written_5m: int = 0
    written_1h: int = 0

    @property
    def written(self) -> int:
        return self.written_5m + self.written_1h


@dataclass
class Entry:
    """A cached prefix: from when, until when, and for how many seconds after each use."""

    ready_at: float
    expires_at: float
    ttl_s: float


def _tools(request: dict[str, Any]) -> Iterator[Piece]:
    for index, tool in enumerate(request.get("tools") or ()):
        yield Piece(f"tools.{index}", "tool", tool)


def _system(request: dict[str, Any]) -> Iterator[Piece]:
    for index, block in enumerate(system_blocks(request)):
        yield Piece(f"system.{index}", "system", block)


def _message(number: int, message: dict[str, Any]) -> Iterator[Piece]:
    for index, block in enumerate(blocks_of(message["content"])):
        yield Piece(f"messages.{number}.content.{index}", block["type"], block)


def pieces_of(request: dict[str, Any]) -> Iterator[Piece]:
    """The tools, the system prompt and the messages, piece by piece."""
    yield from _tools(request)
    yield from _system(request)
    for number, message in enumerate(request["messages"]):
        yield from _message(number, message)


def _mark_of(piece: Piece) -> dict[str, Any] | None:
    """The cache mark on a piece, or within the content of a tool result."""
    own: dict[str, Any] | None = piece.value.get("cache_control")
    if own:
        return own
    nested = piece.value.get("content") if piece.kind == "tool_result" else None
    blocks = nested if isinstance(nested, list) else []
    return next((block["cache_control"] for block in blocks if block.get("cache_control")), None)


def _ttl_of(mark: dict[str, Any] | None) -> str:
    return (mark.get("ttl") or "5m") if mark else ""


def _has_marks(request: dict[str, Any]) -> bool:
    """True if any mark stands anywhere: most requests have none, and this is quick."""
    if "cache_control" in request:
        return True
    contents = [request.get("tools"), request.get("system")]
    contents += [message["content"] for message in request["messages"]]
    blocks = [block for content in contents if isinstance(content, list) for block in content]
    nested = [block["content"] for block in blocks if isinstance(block.get("content"), list)]
    return any("cache_control" in block for part in (blocks, *nested) for block in part)


def marks_of(request: dict[str, Any]) -> dict[str, str]:
    """Place → lifetime of each piece with a mark; a mark at the top level stands for the last block
    that can be cached."""
    marks: dict[str, str] = {}
    if not _has_marks(request):
        return marks
    last = ""
    for piece in pieces_of(request):
        ttl = _ttl_of(_mark_of(piece))
        if ttl:
            marks[piece.place] = ttl
        if piece.kind in ("tool", "system", *_CACHEABLE):
            last = piece.place
    automatic = _ttl_of(request.get("cache_control"))
    if automatic and last:
        marks.setdefault(last, automatic)
    return marks


def check_marks(request: dict[str, Any]) -> None:
    """Refuse more than four marks, and an hour after five minutes. Raises RequestError."""
    marks = marks_of(request)
    if len(marks) > MAX_MARKS:
        raise RequestError(
            400,
            f"A maximum of {MAX_MARKS} blocks with cache_control may be provided. "
            f"Found {len(marks)}.",
        )
    short = False
    for place, ttl in marks.items():
        if ttl == "1h" and short:
            refuse(
                f"{place}.cache_control.ttl",
                "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control "
                "block. Note that blocks are processed in the following order: `tools`, "
                "`system`, `messages`.",
            )
        short = short or ttl == "5m"


class _Reading:
    """Goes through a request as the model does, and notes the position after each piece."""

    def __init__(self, request: dict[str, Any], marks: dict[str, str]) -> None:
        self.positions: list[Position] = []
        self._marks = marks
        self._state = sha256(canonical(request["model"]).encode())
        self._characters = 1 if request.get("tools") else 0  # the brackets around the tools
        self._extra = 0

    def tool(self, piece: Piece) -> None:
        text = canonical(unmarked(piece.value))
        self._extra += TOKENS_PER_TOOL
        self._note(piece, text, len(text) + 1)

    def block(self, piece: Piece) -> None:
        text = rendered(piece.value)
        self._note(piece, text, counted(piece.value, text))

    def settings(self, request: dict[str, Any]) -> None:
        """Counts the settings that belong to the prefix from the messages on."""
        names = ("tool_choice", "thinking", "output_config")
        self._state.update(b"\3" + canonical([request.get(name) for name in names]).encode())
        schema = answer_schema(request)
        self._characters += len(canonical(schema)) if schema else 0

    def message(self, role: str) -> None:
        self._state.update(b"\1" + role.encode())
        self._extra += TOKENS_PER_MESSAGE

    def _note(self, piece: Piece, text: str, characters: int) -> None:
        data = text.encode()
        self._state.update(b"\2%d:" % len(data) + data)
        self._characters += characters
        tokens = tokens_of(self._characters) + self._extra
        ttl = self._marks.get(piece.place, "")
        self.positions.append(Position(self._state.digest(), tokens, piece.kind, ttl))


def positions_of(request: dict[str, Any], marks: dict[str, str]) -> list[Position]:
    """The position after each piece of a request, in reading order."""
    reading = _Reading(request, marks)
    for piece in _tools(request):
        reading.tool(piece)
    for piece in _system(request):
        reading.block(piece)
    reading.settings(request)
    for number, message in enumerate(request["messages"]):
        reading.message(message["role"])
        for piece in _message(number, message):
            reading.block(piece)
    return reading.positions


class PromptCache:
    """The cached prefixes of all clients of one server. Safe to use from several threads.

    clock: seconds, monotonic.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._entries: dict[tuple[str, bytes], Entry] = {}
        self._lock = threading.Lock()

    def use(self, client: str, request: dict[str, Any], latency_s: float = 0) -> CacheUse:
        """Count what `client`'s request reads and writes, and remember what it wrote.

        An entry can be read once the reply to the request that wrote it has begun (here after half
        of `latency_s`), and lives for its time to live after each use. Without `cache_control`
        nothing is read or written.
        """
        marks = marks_of(request)
        if not marks:
            return CacheUse()
        positions = positions_of(request, marks)
        marked = [
            index
            for index, position in enumerate(positions)
            if position.ttl and position.tokens >= MIN_TOKENS
        ]
        with self._lock:
            now = self._clock()
            found = self._longest(client, positions, marked, now)
            for index in marked:
                self._keep(client, positions[index], now, latency_s)
        return _counted_use(positions, marked, found)

    def _longest(
        self, client: str, positions: list[Position], marked: list[int], now: float
    ) -> int | None:
        """The last position that is in the cache, looking back from each mark; None when there is
        none."""
        best = None
        for mark in marked:
            for index in _lookback(positions, mark):
                entry = self._entries.get((client, positions[index].prefix))
                if entry and entry.ready_at <= now < entry.expires_at:
                    entry.expires_at = now + entry.ttl_s
                    best = index if best is None else max(best, index)
                    break
        return best

    def _keep(self, client: str, position: Position, now: float, latency_s: float) -> None:
        key = (client, position.prefix)
        ttl_s = TTL_S[position.ttl]
        entry = self._entries.pop(key, None)
        if entry is None or entry.expires_at <= now:
            entry = Entry(now + latency_s / 2, now + ttl_s, ttl_s)
        entry.expires_at = max(entry.expires_at, now + ttl_s)
        self._entries[key] = entry
        if len(self._entries) > MAX_ENTRIES:
            self._drop(now)

    def _drop(self, now: float) -> None:
        """Forget what has expired, and the oldest half when that is not enough."""
        alive = [(key, entry) for key, entry in self._entries.items() if entry.expires_at > now]
        self._entries = dict(alive[-MAX_ENTRIES // 2 :])


def _lookback(positions: list[Position], mark: int) -> Iterator[int]:
    """The positions at which to look for an entry, from a mark backwards. A run of tool calls or
    results is one."""
    index = mark
    for _ in range(LOOKBACK):
        if index < 0:
            return
        yield index
        kind = positions[index].kind
        index -= 1
        while kind in ("tool_use", "tool_result") and index >= 0 and positions[index].kind == kind:
            index -= 1


def _counted_use(positions: list[Position], marked: list[int], found: int | None) -> CacheUse:
    """Read up to what was found; from there on, each stretch up to a mark is written for that
    mark's time."""
    read = 0 if found is None else positions[found].tokens
    written = {"5m": 0, "1h": 0}
    reached = read
    for index in marked:
        position = positions[index]
        if position.tokens > reached:
            written[position.ttl] += position.tokens - reached
            reached = position.tokens
    return CacheUse(read, written["5m"], written["1h"])
