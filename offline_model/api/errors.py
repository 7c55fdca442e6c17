"""The exception that refuses a request."""

from __future__ import annotations

from typing import Any, NoReturn


class RequestError(Exception):
    """A request that is refused.

    status: the HTTP status. message: what the client reads. details: `error.details`, which
    programs read.
    """

    def __init__(self, status: int, message: str, details: dict[str, Any] | None = None) -> None:
        super().__init__(status, message)
        self.status = status
        self.message = message
        self.details = details


def refuse(where: str, message: str) -> NoReturn:
    """Raise a RequestError (400) that names the place in the request, for example
    `messages.0.role`."""
    raise RequestError(400, f"{where}: {message}")
