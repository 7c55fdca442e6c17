"""The offline model on a loopback port, for any client that speaks the Messages API."""

from __future__ import annotations

import os
import threading
import time
import traceback
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from typing import Any

from .api import MAX_BODY_BYTES, OfflineAPI, Response
from .transport import LONGEST_WAIT_S

GREETING = b"This is the offline model. It speaks the Messages API: POST /v1/messages, GET /v1/models.\n"


def serve(port: int = 0, *, api: OfflineAPI | None = None) -> None:
    """Serve this machine until interrupted; the first line of output is the address. Port 0 picks a free one.

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

    def __enter__(self) -> str:
        threading.Thread(target=self.serve_forever, args=(0.02,), name="offline-model", daemon=True).start()
        return self.url

    def __exit__(self, *_: Any) -> None:
        self.shutdown()
        self.server_close()


class _Connection(BaseHTTPRequestHandler):
    protocol_version = default_request_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # the head and the body leave together
    server: Server

    def handle(self) -> None:
        with suppress(ConnectionError):  # the client has gone
            super().handle()

    def do_POST(self) -> None:
        length = self.headers.get("content-length", "0")
        if not (length.isascii() and length.isdecimal()) or "transfer-encoding" in self.headers:
            return self.send_error(400, f"send the body whole, with a content-length of at most {MAX_BODY_BYTES}")
        if len(length) > 15 or int(length) > MAX_BODY_BYTES:
            return self.send_error(413, f"the body has {length} bytes, and at most {MAX_BODY_BYTES} are allowed")
        try:
            response = self.server.api.handle(self.command, self.path, self.headers, self.rfile.read(int(length)))
        except Exception:  # a bug in a skill must not take the other clients down; it is told on the terminal
            traceback.print_exc()
            response = self.server.api.error(500, "The offline model failed; its terminal shows where.")
        if self.path == "/" and self.command != "POST":
            response = Response(200, {"content-type": "text/plain; charset=utf-8"}, GREETING)
        time.sleep(LONGEST_WAIT_S if response.failure == "timeout" else response.latency_s)
        if response.failure:
            self.close_connection = True
        else:
            self._send(response)

    do_GET = do_HEAD = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_POST  # the API says which it takes

    def _send(self, response: Response) -> None:
        whole = isinstance(response.body, bytes)
        framing = {"content-length": str(len(response.body))} if whole else {"transfer-encoding": "chunked"}
        self.send_response(response.status)
        for name, value in (response.headers | framing).items():
            self.send_header(name, value)
        self.end_headers()
        if whole:
            self.wfile.write(b"" if self.command == "HEAD" else response.body)
            return
        for event in (*response.body, b""):
            self.wfile.write(b"%x\r\n%b\r\n" % (len(event), event))
            self.wfile.flush()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        self.close_connection = True
        self._send(self.server.api.error(code, f"The server cannot read this request: {message}"))

    def log_message(self, *_: Any) -> None:
        """The terminal is for the address and for bugs."""
