"""A server of MCP in a process of its own, reached over HTTP."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess

from .places import ROOT


@contextlib.contextmanager
def over_http(command, environment):
    """Starts a command with a free port as its last argument; gives the address and the process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [*command, str(port)],
        env={**os.environ, **environment},
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        for text in process.stderr:
            if "running on" in text:
                break
        yield f"http://127.0.0.1:{port}/mcp", process
    finally:
        process.kill()
        process.communicate()
