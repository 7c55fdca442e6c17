"""Streams of the Messages API for tests: the events of a reply, and a server that gives them bit by bit."""

from __future__ import annotations

import httpx

from kernel import Client
from offline_model.api.stream import events


def stream_of(*content, **fields):
    """The events of a reply with these blocks; a text stands for its block."""
    blocks = [{"type": "text", "text": each} if isinstance(each, str) else each for each in content]
    reply = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-haiku-5-5",
        "content": blocks,
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "stop_details": None,
        "usage": {"input_tokens": 30, "output_tokens": 70},
    }
    return events({**reply, **fields})


class Streaming(httpx.AsyncBaseTransport):
    """A server that answers each request with the next of these streams.

    A part of a stream is bytes, an exception, which breaks it, or a function, which is awaited.
    """

    def __init__(self, *streams):
        self.streams = list(streams)
        self.bodies = []

    async def handle_async_request(self, request):
        self.bodies.append(await request.aread())
        stream = Parts(self.streams.pop(0))
        return httpx.Response(200, headers={"content-type": "text/event-stream"}, stream=stream)


class Parts(httpx.AsyncByteStream):
    def __init__(self, parts):
        self.parts = parts

    async def __aiter__(self):
        for part in self.parts:
            if isinstance(part, Exception):
                raise part
            if callable(part):
                await part()
            else:
                yield part


def streaming(*streams, **settings):
    """A client of such a server, which waits for nothing between its tries."""

    async def no_sleep(seconds):
        pass

    return Client(Streaming(*streams), sleep=no_sleep, **settings)
