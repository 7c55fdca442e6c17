"""The offline model on a loopback port, for any client that speaks the Messages API."""

from __future__ import annotations

import asyncio
import socket
import threading
import traceback
from contextlib import suppress
from http import HTTPStatus
from typing import Any

from .api import MAX_BODY_BYTES, OfflineAPI, Response
from .transport import LONGEST_WAIT_S

WAITING_CONNECTIONS = 1024
GREETING = b"This is the offline model. It speaks the Messages API: POST /v1/messages, GET /v1/models.\n"


def serve(port: int = 0, *, api: OfflineAPI | None = None) -> None:
    """Serve this machine until interrupted; the first line of output is the address. Port 0 picks a free one.

    Raises OSError when the port is taken.
    """
    listener, url = _listen(port)
    print(url, flush=True)
    with suppress(KeyboardInterrupt):
        asyncio.run(_accept(api or OfflineAPI(), listener, asyncio.Event()))


class Server:
    """The same in a thread and on a free port, for tests and notebooks: `with Server(api) as url: …`."""

    def __init__(self, api: OfflineAPI | None = None) -> None:
        self._api = api or OfflineAPI()

    def __enter__(self) -> str:
        listener, url = _listen(0)
        self._loop, self._stop = asyncio.new_event_loop(), asyncio.Event()
        self._thread = threading.Thread(target=self._run, args=(listener,), name="offline-model", daemon=True)
        self._thread.start()
        return url

    def _run(self, listener: socket.socket) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(_accept(self._api, listener, self._stop))

    def __exit__(self, *_: Any) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()


def _listen(port: int) -> tuple[socket.socket, str]:
    listener = socket.create_server(("127.0.0.1", port), backlog=WAITING_CONNECTIONS)
    return listener, f"http://127.0.0.1:{listener.getsockname()[1]}"


async def _accept(api: OfflineAPI, listener: socket.socket, stop: asyncio.Event) -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):  # the client or the server goes
            while await _exchange(api, reader, writer):
                pass
        writer.close()

    server = await asyncio.start_server(talk, sock=listener, backlog=WAITING_CONNECTIONS)
    await stop.wait()
    server.close()  # the end of the loop cancels the open connections


async def _exchange(api: OfflineAPI, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """Read one request and answer it; says whether the connection stays open."""
    try:
        method, path, headers = _parse((await reader.readuntil(b"\r\n\r\n")).decode("latin-1"))
        length = int(headers.get("content-length", "0"))
        if not 0 <= length <= MAX_BODY_BYTES or "transfer-encoding" in headers:
            raise ValueError(f"send the body whole, with a content-length of at most {MAX_BODY_BYTES}")
    except (ValueError, asyncio.LimitOverrunError) as error:
        await _send(writer, api.error(400, f"The server cannot read this request: {error}"), keep=False)
        return False
    body = await reader.readexactly(length)
    try:
        response = api.handle(method, path, headers, body)
    except Exception:  # a bug in a skill must not take the other clients down; it is told on the terminal
        traceback.print_exc()
        response = api.error(500, "The offline model failed; its terminal shows where.")
    if path == "/" and method in ("GET", "HEAD"):
        response = Response(200, {"content-type": "text/plain; charset=utf-8"}, GREETING)
    await asyncio.sleep(LONGEST_WAIT_S if response.failure == "timeout" else response.latency_s)
    if response.failure:
        writer.transport.abort()
        return False
    keep = headers.get("connection", "").lower() != "close"
    await _send(writer, response, keep=keep, head_only=method == "HEAD")
    return keep


def _parse(head: str) -> tuple[str, str, dict[str, str]]:
    first, *lines = head.removesuffix("\r\n\r\n").split("\r\n")
    method, path, version = first.split(" ")
    if version not in ("HTTP/1.1", "HTTP/1.0") or not path.startswith("/"):
        raise ValueError(f"expected HTTP/1.1 and a path; got {first[:80]!r}")
    pairs = [line.partition(":") for line in lines]
    return method, path, {name.strip().lower(): value.strip() for name, _, value in pairs}


async def _send(writer: asyncio.StreamWriter, response: Response, *, keep: bool, head_only: bool = False) -> None:
    whole = isinstance(response.body, bytes)
    phrase = "Overloaded" if response.status == 529 else HTTPStatus(response.status).phrase
    headers = {**response.headers, "connection": "keep-alive" if keep else "close",
               **({"content-length": len(response.body)} if whole else {"transfer-encoding": "chunked"})}
    lines = [f"HTTP/1.1 {response.status} {phrase}", *(f"{name}: {value}" for name, value in headers.items())]
    head = ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
    if whole:
        writer.write(head if head_only else head + response.body)
        return await writer.drain()
    writer.write(head)
    for event in response.body:
        writer.write(b"%x\r\n%b\r\n" % (len(event), event))
        await writer.drain()
    writer.write(b"0\r\n\r\n")
    await writer.drain()
