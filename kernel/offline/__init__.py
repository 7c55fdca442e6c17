"""The offline model: a strict Messages API that runs on this machine, without a key or a network."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .answer import Answer, Temperament
    from .api import Faults, OfflineAPI, estimate_tokens
    from .script import Script
    from .server import Server, serve
    from .transport import OfflineTransport

__all__ = [
    "Answer", "Faults", "OfflineAPI", "OfflineTransport", "Script", "Server", "Temperament", "estimate_tokens", "serve",
]

_HOME = {
    "Answer": "answer", "Temperament": "answer", "Faults": "api", "OfflineAPI": "api", "estimate_tokens": "api",
    "Script": "script", "Server": "server", "serve": "server", "OfflineTransport": "transport",
}


def __getattr__(name: str):
    """Load a name's module on first use, so that importing the package costs nothing."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")
    value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value
