"""The offline model on a loopback port, for any client that speaks the Messages API."""

from __future__ import annotations

import asyncio
import sys
import threading
import traceback
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from .api import MAX_BODY_BYTES, OfflineAPI, Response
from .transport import LONGEST_WAIT_S

LOOPBACK = ("127.0.0.1", "localhost")
WAITING_CONNECTIONS = 1024
GREETING = b"This is the offline model. It speaks the Messages API: POST /v1/messages, GET /v1/models.\n"


def serve(port: int = 0, *, api: OfflineAPI | None = None, host: str = "127.0.0.1",
          ready: Callable[[str], None] | None = None) -> None:
    """Serve until interrupted. Prints the address as the first line, then calls `ready` with it.

    Raises OSError when the port is taken and ValueError for a host that other machines could reach.
    """

    def announce(url: str) -> None:
        print(url, flush=True)
        if ready:
            ready(url)

    try:
        asyncio.run(_run(api or OfflineAPI(), host, port, announce))
    except KeyboardInterrupt:
        pass


class Server:
    """The same in a thread, for tests and notebooks: `with Server(api) as url: …`."""

    def __init__(self, api: OfflineAPI | None = None, *, host: str = "127.0.0.1", port: int = 0) -> None:
        self._arguments = (api or OfflineAPI(), host, port)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, name="offline-model", daemon=True)
        self._up, self._url, self._error = threading.Event(), "", None

    def __enter__(self) -> str:
        self._thread.start()
        self._up.wait()
        if self._error:
            raise self._error
        return self._url

    def __exit__(self, *_: Any) -> None:
        self._loop.call_soon_threadsafe(self._task.cancel)
        self._thread.join()

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._task = self._loop.create_task(_run(*self._arguments, self._announce))
        try:
            self._loop.run_until_complete(self._task)
        except asyncio.CancelledError:
            pass
        except Exception as error:  # it is raised in the thread that waits for the address
            self._error = error
        finally:
            self._up.set()
            self._loop.close()

    def _announce(self, url: str) -> None:
        self._url = url
        self._up.set()


async def _run(api: OfflineAPI, host: str, port: int, announce: Callable[[str], None]) -> None:
    if host not in LOOPBACK:
        raise ValueError(f"the offline model serves this machine only: host is in {LOOPBACK}, not {host!r}")
    connections: set[asyncio.Task] = set()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.add(asyncio.current_task())
        try:
            while await _exchange(api, reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client has gone, or the server is being stopped
        finally:
            connections.discard(asyncio.current_task())
            writer.close()

    server = await asyncio.start_server(accept, "127.0.0.1", port, backlog=WAITING_CONNECTIONS, limit=2**18)
    try:
        announce(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        await asyncio.Event().wait()
    finally:
        server.close()
        for connection in list(connections):
            connection.cancel()
        await asyncio.gather(*connections, return_exceptions=True)


async def _exchange(api: OfflineAPI, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """Read one request and answer it; says whether the connection stays open."""
    try:
        method, path, headers = _parse((await reader.readuntil(b"\r\n\r\n")).decode("latin-1"))
        length = int(headers.get("content-length", "0"))
        if length < 0 or "transfer-encoding" in headers:
            raise ValueError("send the body whole, with a content-length")
    except (ValueError, asyncio.LimitOverrunError) as error:
        await _send(writer, api.error(400, f"The server cannot read this request: {error}"), "GET", False)
        return False
    if length > MAX_BODY_BYTES:
        await _send(writer, api.error(413, f"Request exceeds the maximum size: {length} B."), method, False)
        return False
    if headers.get("expect", "").lower() == "100-continue":
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    body = await reader.readexactly(length)
    if path == "/" and method in ("GET", "HEAD"):
        response = Response(200, {"content-type": "text/plain; charset=utf-8"}, GREETING)
    else:
        try:
            response = api.handle(method, path, headers, body)
        except Exception:  # a bug in a skill must not take the other clients down; it is told on the terminal
            traceback.print_exc(file=sys.stderr)
            response = api.error(500, "The offline model failed; its terminal shows where.")
    await asyncio.sleep(LONGEST_WAIT_S if response.failure == "timeout" else response.latency_s)
    if response.failure:
        writer.transport.abort()
        return False
    keep = headers.get("connection", "").lower() != "close"
    await _send(writer, response, method, keep)
    return keep


def _parse(head: str) -> tuple[str, str, dict[str, str]]:
    first, *lines = head[:-4].split("\r\n")
    method, path, version = first.split(" ")
    if version not in ("HTTP/1.1", "HTTP/1.0") or not path.startswith("/"):
        raise ValueError(f"expected HTTP/1.1 and a path; got {first[:80]!r}")
    pairs = [line.partition(":") for line in lines]
    return method, path, {name.strip().lower(): value.strip() for name, _, value in pairs}


async def _send(writer: asyncio.StreamWriter, response: Response, method: str, keep: bool) -> None:
    streamed = isinstance(response.body, tuple)
    known = response.status in HTTPStatus._value2member_map_
    phrase = HTTPStatus(response.status).phrase if known else "Overloaded"
    framing = "transfer-encoding: chunked" if streamed else f"content-length: {len(response.body)}"
    lines = [f"HTTP/1.1 {response.status} {phrase}", framing,
             f"connection: {'keep-alive' if keep else 'close'}",
             *(f"{name}: {value}" for name, value in response.headers.items())]
    head = ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
    if not streamed:
        writer.write(head if method == "HEAD" else head + response.body)
        return await writer.drain()
    writer.write(head)
    for event in response.body:
        writer.write(b"%x\r\n%b\r\n" % (len(event), event))
        await writer.drain()
    writer.write(b"0\r\n\r\n")
    await writer.drain()
