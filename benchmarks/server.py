"""A stand-in for the service that costs next to nothing: fixed replies, in a process of its own, on
loopback.

The address decides, so that both sides are answered alike: `/turns/10/v1/messages` asks for the
tool until the conversation holds ten tool results, `/latency/200/v1/messages` answers in text after
200 ms, `/stream/1000/v1/messages` answers with a stream of a thousand pieces of text.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

WAITING_CONNECTIONS = 1024
TEXT = {
    "type": "text",
    "text": "Three vector stores were compared; two of them keep their index on disk.",
}
TOOL_RESULT = b'"tool_result"'
"""Both sides write this word once for each result, whatever their spacing."""


def _reply(turn: int, asks_for_tool: bool) -> bytes:
    content: list[dict[str, Any]] = [TEXT]
    if asks_for_tool:
        arguments = {"query": f"vector stores, part {turn}"}
        content = [
            TEXT,
            {"type": "tool_use", "id": f"toolu_{turn:04}", "name": "search", "input": arguments},
        ]
    body = json.dumps(
        {
            "id": f"msg_{turn:04}",
            "type": "message",
            "role": "assistant",
            "model": "claude-haiku-5-5",
            "content": content,
            "stop_reason": "tool_use" if asks_for_tool else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 400, "output_tokens": 60},
        }
    ).encode("ascii")
    return b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b" % (
        len(body),
        body,
    )


def _stream(pieces: int) -> bytes:
    """A stream, each event of which is a chunk of its own."""
    usage = {"input_tokens": 400, "output_tokens": 1}
    message = {
        "id": "msg_0001",
        "type": "message",
        "role": "assistant",
        "model": "claude-haiku-5-5",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }
    delta = {"type": "text_delta", "text": "a word or two "}
    ending = {"stop_reason": "end_turn", "stop_sequence": None}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *[{"type": "content_block_delta", "index": 0, "delta": delta}] * pieces,
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": ending, "usage": {**usage, "output_tokens": pieces}},
        {"type": "message_stop"},
    ]
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
    parts = [head, b"transfer-encoding: chunked\r\n\r\n"]
    for event in events:
        data = f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode("ascii")
        parts.append(b"%x\r\n%b\r\n" % (len(data), data))
    return b"".join([*parts, b"0\r\n\r\n"])


class _Connection(asyncio.Protocol):
    def __init__(self) -> None:
        self._received = bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)  # TCP can be written to
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        head_end = self._received.find(b"\r\n\r\n")
        if head_end < 0:
            return
        head = bytes(self._received[:head_end]).lower()
        length = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0])
        if len(self._received) < head_end + 4 + length:
            return
        _, route, number, *_ = head.decode("ascii").split(" ")[1].split("/")
        turn = self._received.count(TOOL_RESULT, head_end)
        self._received.clear()
        if route == "stream":
            reply = _stream(int(number))
        else:
            reply = _reply(turn, asks_for_tool=route == "turns" and turn < int(number))
        if route == "latency":
            asyncio.get_running_loop().call_later(int(number) / 1000, self._transport.write, reply)
        else:
            self._transport.write(reply)


async def _serve() -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(_Connection, "127.0.0.1", 0, backlog=WAITING_CONNECTIONS)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await loop.run_in_executor(
        None, sys.stdin.read
    )  # until whoever started it closes its end, or is gone


@contextmanager
def running() -> Iterator[str]:
    """Starts the server in another process; gives its address. Raises RuntimeError when it does not
    come up.
    """
    command = [sys.executable, str(Path(__file__).resolve())]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:
        assert process.stdin and process.stdout  # both are pipes
        try:
            address = process.stdout.readline().strip()
            if not address:
                raise RuntimeError(
                    "the benchmark's server did not start; its own message stands above"
                )
            yield address
        finally:
            process.stdin.close()  # leaving the block waits for it


if __name__ == "__main__":
    asyncio.run(_serve())
