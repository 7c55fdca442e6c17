"""Cuts the network in every Python that has this folder on its path: only loopback can be reached."""

import os
import sys

if "ipykernel_launcher" in sys.orig_argv:
    sys.modules["debugpy"] = None  # nobody debugs, and importing that takes as long as the rest

if "CLASSROOM_WITHOUT" in os.environ:
    import without  # noqa: F401

if "UNREAD_CLAUSES" in os.environ:
    import unread  # noqa: F401


def _refuse(event, arguments):
    host = None
    if event == "socket.connect" or event == "socket.sendto":
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) else None
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        host = arguments[0]
    if isinstance(host, bytes):
        host = host.decode("ascii", "replace")
    if host and host not in ("localhost", "::1", "0.0.0.0", "::") and not host.startswith("127."):
        raise OSError(f"the network is cut: {host} was asked for, only loopback can be reached")


sys.addaudithook(_refuse)
