"""A built site, served to this machine alone and opened in its browser."""

from __future__ import annotations

import socket
import sys
import webbrowser
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

PORT = 8000
"""The first to try: what a tab keeps belongs to its address, the port included."""

TYPES = {".mjs": "text/javascript", ".js": "text/javascript", ".wasm": "application/wasm"}
"""Windows may know others."""


class _Quiet(SimpleHTTPRequestHandler):
    """Serves files, each with the type that a browser insists on."""

    def guess_type(self, path: Any) -> str:
        return TYPES.get(Path(path).suffix) or super().guess_type(path)

    def log_message(self, *parts: Any) -> None:
        """Says nothing."""


class _Server(ThreadingHTTPServer):
    """Takes it calmly when a browser that goes to another page hangs up."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


def server_of(folder: Path, port: int = PORT) -> ThreadingHTTPServer:
    """Returns a server of a folder at 127.0.0.1, at a free port where the given one is taken."""
    with socket.socket() as trial:
        taken = trial.connect_ex(("127.0.0.1", port)) == 0
    handler = partial(_Quiet, directory=str(folder))
    return _Server(("127.0.0.1", 0 if taken else port), handler)


def serve(folder: Path, page: str) -> None:
    """Opens a page of a folder in the browser, and serves the folder until Ctrl-C."""
    with server_of(folder) as server:
        address = f"http://127.0.0.1:{server.server_port}"
        print(f"Open: {address}/{page}\nAll pages: {address}/ (Ctrl-C ends it)", flush=True)
        webbrowser.open(f"{address}/{page}")
        server.serve_forever()
