"""A scripted model for unit tests: answers a fixed list, fails on unexpected calls and unused answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import Any

import httpx

from .answer import Answer
from .api import OfflineAPI, RequestError, Response
from .reply import Checked, make_reply
from .transport import OfflineTransport

Item = str | Answer | dict | list | int | Exception | Callable[[dict], Any]


class Script(OfflineTransport):
    """An httpx transport that gives back `items`, one for each valid request, in order.

    An item is a text, an `Answer`, a content block or a list of them, a whole reply (a dict with "content"),
    an HTTP status such as 429, an exception to raise, or a function of the request that returns one of these.
    Requests are checked as strictly as the service does: a refused one gets its 400 and uses up no item;
    strict=False only reads them. `requests` holds every request as a dict. With
    thinking=True texts, answers and blocks begin with a thinking block, as the offline model's replies do.

    Used as a context manager it calls `done()` at the end. Raises AssertionError on a call too many.
    """

    def __init__(self, items: Iterable[Item] = (), *, strict: bool = True, thinking: bool = False,
                 **settings: Any) -> None:
        super().__init__(OfflineAPI(thinking=thinking, answer=self._never, **settings))
        self.requests: list[dict] = []
        self._items, self._used, self._strict, self._depth = list(items), 0, strict, 0

    @staticmethod
    def _never(*_: Any) -> Answer:
        raise AssertionError("a script answers from its items only")

    def done(self) -> None:
        """Raise AssertionError when items are left."""
        left = self._items[self._used:]
        if left:
            raise AssertionError(f"the script has {len(left)} of {len(self._items)} answers left over after "
                                 f"{len(self.requests)} requests; the next one was {_short(left[0])}")

    def __enter__(self) -> Script:
        self._depth += 1  # a client that is opened inside enters its transport too
        return self

    def __exit__(self, kind: Any = None, *_: Any) -> None:
        self._depth -= 1
        if not self._depth and kind is None:
            self.done()

    def respond(self, request: httpx.Request, body: bytes) -> Response:
        if request.url.path.rstrip("/") != "/v1/messages" or request.method != "POST":
            return super().respond(request, body)
        draw = b"%d" % len(self.requests)
        checked = Checked(json.loads(body), 1, sha256(body).digest())
        self.requests.append(checked.request)
        if self._strict:
            try:
                self.api.check_headers(request.headers)
                checked = self.api.check(body)
            except RequestError as error:
                return self.api.error(error.status, error.message, draw)
        if self._used == len(self._items):
            last = (checked.request.get("messages") or [checked.request])[-1]
            raise AssertionError(f"request {len(self.requests)} was not expected: the script has "
                                 f"{len(self._items)} answers. Its last message: {_short(last)}")
        item = self._items[self._used]
        self._used += 1
        if callable(item):
            item = item(checked.request)
        if isinstance(item, BaseException):
            raise item
        if isinstance(item, int):
            return self.api.error(item, f"The script answers {item}.", draw)
        if isinstance(item, dict) and "content" in item and item.get("type", "message") == "message":
            return self.api.deliver(checked.request, self._whole(checked, item), draw)
        if isinstance(item, str):
            item = Answer(({"type": "text", "text": item},))
        elif not isinstance(item, Answer):
            item = Answer(tuple([item] if isinstance(item, dict) else item))
        self._trust(item.content)
        if self._strict:
            return self.api.respond(checked, item, draw)
        return self.api.deliver(checked.request, make_reply(checked, item, thinking=self.api.thinking), draw)

    def _whole(self, checked: Checked, item: dict) -> dict:
        """A reply that the script spells out; what it leaves out is filled in."""
        self._trust(item["content"])
        frame = make_reply(checked, Answer(()), thinking=False)
        uses = any(block["type"] == "tool_use" for block in item["content"])
        return {**frame, "stop_reason": "tool_use" if uses else "end_turn", **item}

    def _trust(self, blocks: Iterable[dict]) -> None:
        """Whatever the script makes up may come back in the next request."""
        for block in blocks:
            self.api.trusted.update(str(block[name]) for name in ("type", "signature") if name in block)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 400 else text[:400] + " …"
