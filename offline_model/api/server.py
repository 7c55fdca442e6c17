"""The offline model on a loopback port, for any client that speaks the Messages API."""

from __future__ import annotations

import errno
import os
import socket
import threading
import time
import traceback
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from typing import Any, ClassVar

from .service import MAX_BODY_BYTES, OfflineAPI, Response
from .transport import LONGEST_WAIT_S

GREETING = (
    b"This is the offline model. It speaks the Messages API: POST /v1/messages, GET /v1/models.\n"
)

IDLE_S = 60
"""A connection on which nothing is sent for so long is closed."""
PAUSE_S = 0.1
LINGER_S = 1
"""A refused body is read, and dropped, until nothing of it comes for so long."""


def serve(port: int = 0, *, api: OfflineAPI | None = None) -> None:
    """Serve this machine until interrupted; the first line of output is the address. Port 0 picks a
    free one.

    Raises OSError when the port is taken.
    """
    server = Server(api, port)
    print(server.url, flush=True)
    with suppress(KeyboardInterrupt):
        server.serve_forever()


class Server(ThreadingTCPServer):
    """The same in a thread, for tests and notebooks: `with Server(api) as url: …`."""

    daemon_threads = True
    request_queue_size = 1024  # a fan-out of hundreds connects at once
    allow_reuse_address = os.name == "posix"  # elsewhere it would let two servers have one port

    def __init__(self, api: OfflineAPI | None = None, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Connection)
        self.api = api or OfflineAPI()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def __enter__(self) -> str:  # type: ignore[override]  # its address
        threading.Thread(
            target=self.serve_forever, args=(0.02,), name="offline-model", daemon=True
        ).start()
        return self.url

    def __exit__(self, *_: Any) -> None:
        self.shutdown()
        self.server_close()

    def get_request(self) -> Any:  # Any: as the library has it
        """Accept a connection. With no file left to open, wait a little instead of asking again at
        once."""
        try:
            return super().get_request()
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                time.sleep(PAUSE_S)
            raise


class _Connection(BaseHTTPRequestHandler):
    protocol_version = default_request_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # the head and the body leave together
    timeout: ClassVar[float | None] = IDLE_S
    server: Server

    def handle(self) -> None:
        with suppress(ConnectionError, TimeoutError):  # the client has gone, or reads no more
            super().handle()

    def finish(self) -> None:
        for file in (self.wfile, self.rfile):
            with suppress(OSError):  # closing sends what is left, which nobody may read any more
                file.close()

    def do_POST(self) -> None:
        body = self._body()
        if body is None:
            return
        response = self._answer(body)
        if self.path == "/" and self.command != "POST":
            response = Response(200, {"content-type": "text/plain; charset=utf-8"}, GREETING)
        time.sleep(LONGEST_WAIT_S if response.failure == "timeout" else response.latency_s)
        if response.failure:
            self.close_connection = True
        else:
            self._send(response)

    do_GET = do_HEAD = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_POST
    """The API says which it takes."""

    def _body(self) -> bytes | None:
        """The request's body; None when it cannot be read, and the client was told why."""
        lengths = self.headers.get_all("content-length", ["0"])
        length = lengths[0]
        if len(lengths) > 1:
            self.send_error(400, f"it has {len(lengths)} content-length heads; send one")
            return None
        if not (length.isascii() and length.isdecimal()) or "transfer-encoding" in self.headers:
            problem = f"send the body whole, with a content-length of at most {MAX_BODY_BYTES}"
            self.send_error(400, problem)
            return None
        if len(length) > 15 or int(length) > MAX_BODY_BYTES:
            problem = f"the body has {length} bytes, and at most {MAX_BODY_BYTES} are allowed"
            self.send_error(413, problem)
            return None
        return self.rfile.read(int(length))

    def _answer(self, body: bytes) -> Response:
        api = self.server.api
        try:
            return api.handle(self.command, self.path, dict(self.headers.items()), body)
        except Exception:  # a bug in a skill must not take the other clients down
            traceback.print_exc()
            return api.error(500, "The offline model failed; its terminal shows where.")

    def _send(self, response: Response) -> None:
        if isinstance(response.body, tuple) and self.request_version != "HTTP/1.0":
            self._send_head(response, "transfer-encoding", "chunked")
            for event in (*response.body, b""):
                time.sleep(response.pause_s if event else 0)
                self.wfile.write(b"%x\r\n%b\r\n" % (len(event), event))
                self.wfile.flush()
            return
        body = response.body if isinstance(response.body, bytes) else b"".join(response.body)
        self._send_head(response, "content-length", str(len(body)))
        self.wfile.write(b"" if self.command == "HEAD" else body)

    def _send_head(self, response: Response, framing: str, value: str) -> None:
        self.send_response(response.status)
        for name, given in {**response.headers, framing: value}.items():
            self.send_header(name, given)
        self.end_headers()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        self.close_connection = True
        self._send(self.server.api.error(code, f"The server cannot read this request: {message}"))
        self._drop_body()

    def _drop_body(self) -> None:
        """Read what a client still sends of a body that is refused: one that is cut off while it
        sends sees a broken connection, and not the answer."""
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_WR)
        self.connection.settimeout(LINGER_S)
        left = 8 * MAX_BODY_BYTES
        with suppress(OSError):
            while left > 0 and (piece := self.rfile.read1(MAX_BODY_BYTES)):
                left -= len(piece)

    def log_message(self, *_: Any) -> None:
        """The terminal is for the address and for bugs."""
