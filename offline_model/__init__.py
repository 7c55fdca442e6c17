"""The offline model: a strict Messages API on this machine, without a key or a network."""

from importlib import import_module
from typing import Any

_HOME = {
    "Account": "account",
    "Answer": "answer",
    "Temperament": "answer",
    "Faults": "api.faults",
    "OfflineAPI": "api.service",
    "OfflineTransport": "api.transport",
    "Script": "api.script",
    "Server": "api.server",
    "estimate_tokens": "api.tokens",
    "serve": "api.server",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:  # Any: whatever the name is of
    """Load a name's module on first use, so that importing the package costs nothing."""
    if name not in _HOME:
        raise AttributeError(
            f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}"
        )
    return getattr(import_module(f".{_HOME[name]}", __name__), name)
