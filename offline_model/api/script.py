"""A scripted model for unit tests: a fixed list of answers, no call too many, none left over."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from textwrap import shorten
from typing import Any

import httpx

from ..answer import Answer
from .errors import RequestError
from .service import Response, misfit
from .transport import OfflineTransport

Item = str | Answer | dict[str, Any] | list[Any] | int | Exception | Callable[[dict[str, Any]], Any]


class Script(OfflineTransport):
    """An httpx transport that gives back `items`, one for each valid request, in order.

    An item is a text, an `Answer`, a content block or a list of them, a whole reply (a dict with
    "content"), an HTTP status such as 429, an exception to raise, or a function of the request that
    returns one of these. Requests are checked as strictly as the service does: a refused one gets
    its 400 and uses up no item; strict=False only reads them. `requests` holds every request for a
    message as a dict.

    Used as a context manager it calls `done()` at the end. Raises AssertionError on a call too
    many.
    """

    def __init__(self, items: Iterable[Item] = (), *, strict: bool = True) -> None:
        super().__init__(answer=self._next, thinking=False, strict=strict)
        self.requests: list[dict[str, Any]] = []
        self._items = list(items)
        self._used = 0

    def done(self) -> None:
        """Raise AssertionError when items are left."""
        left = self._items[self._used :]
        if left:
            raise AssertionError(
                f"the script has {len(left)} of {len(self._items)} answers left over after "
                f"{len(self.requests)} requests; the next one was {shorten(repr(left[0]), 400)}"
            )

    def __exit__(self, kind: Any = None, *_: Any) -> None:
        if kind is None:
            self.done()

    def respond(self, request: httpx.Request, body: bytes) -> Response:
        if request.url.path == "/v1/messages":
            self.requests.append(json.loads(body))
        return super().respond(request, body)

    def _next(self, request: dict[str, Any], _: Any) -> Answer | dict[str, Any]:
        if self._used == len(self._items):
            last = shorten(repr(request["messages"][-1]), 400)
            raise AssertionError(
                f"request {len(self.requests)} was not expected: the script has {len(self._items)} "
                f"answers. Its last message: {last}"
            )
        item = self._items[self._used]
        self._used += 1
        if callable(item):
            item = item(request)
        if isinstance(item, Exception):
            raise item
        if isinstance(item, int):
            raise RequestError(item, f"The script answers {item}.")
        answer = _answer_of(item)
        if self.api.strict and isinstance(answer, Answer) and (problem := misfit(request, answer)):
            raise RequestError(
                500, f"The model's next answer does not fit this request: {problem}."
            )
        for block in answer["content"] if isinstance(answer, dict) else answer.content:
            made_up = [block[name] for name in ("type", "signature") if name in block]
            self.api.trusted.update(made_up)  # it may come back
        return answer


def _answer_of(item: str | Answer | dict[str, Any] | list[Any]) -> Answer | dict[str, Any]:
    """An item of a script as an answer, or as fields of a reply."""
    if isinstance(item, str):
        item = {"type": "text", "text": item}
    if isinstance(item, dict) and "content" not in item:
        item = [item]
    return Answer(tuple(item)) if isinstance(item, list) else item
