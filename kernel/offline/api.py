"""The strict API: takes an HTTP request to the Messages API, refuses it as the service would, or answers it.

Source: the Messages API (https://docs.claude.com/en/api/messages) and the types of its official SDK. Nothing
here sleeps or opens a connection: `OfflineTransport` and `serve` do, with what `OfflineAPI.handle` returns.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count

from .. import models as roles
from .answer import Answer, Temperament
from .reply import Checked, events, identifier, make_reply, read, sign
from .rules import MAX_OUTPUT_TOKENS, RequestError, check_request, check_turns, line, refuse, turns_of

MAX_BODY_BYTES = 32 * 1024 * 1024
ENDPOINTS = "There are POST /v1/messages, POST /v1/messages/count_tokens and GET /v1/models."
_ERROR_TYPES = {401: "authentication_error", 402: "billing_error", 403: "permission_error", 404: "not_found_error",
                408: "timeout_error", 409: "conflict_error", 429: "rate_limit_error", 504: "timeout_error",
                529: "overloaded_error"}
_FAULTS = {"429": "This request would exceed your rate limit. Please try again later.",
           "500": "Internal server error", "529": "Overloaded"}
_SIGN_IN_PAGE = b"<!doctype html><title>Sign in</title><p>This network asks you to sign in first."
_FOREIGN = ("Invalid `signature` in `thinking` block. The block is bound to a different conversation. Send the model, "
            "the system prompt, the tools and all earlier messages back unchanged, and only append; to shorten or to "
            "change a conversation, start a new one from a summary.")


@dataclass(frozen=True)
class Faults:
    """What goes wrong, and how often. Each rate is a share of the valid requests to `POST /v1/messages`.

    A request's fault follows from the seed, its body and how often that body came before, so that the order of a
    fan-out does not matter and a retry is a new draw. `first` are the faults of the first requests to arrive: names of
    rates ("429", "timeout", …), "html" (a page instead of a reply) or "". Raises ValueError for what cannot be.
    """

    rate_429: float = 0
    rate_529: float = 0
    rate_500: float = 0
    rate_timeout: float = 0
    rate_cut: float = 0
    rate_refusal: float = 0
    rate_malformed: float = 0
    rate_disconnect: float = 0
    retry_after_s: float | None = None
    first: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        rates = self._rates()
        for name in self.first:
            if name not in (*rates, "html", ""):
                raise ValueError(f"Faults(first=…) got {name!r}; it takes {', '.join(rates)}, html, or ''")
        if min(rates.values()) < 0 or sum(rates.values()) > 1:
            raise ValueError(f"the rates of Faults are each at least 0 and together at most 1; got {rates}")

    def _rates(self) -> dict[str, float]:
        return {name.removeprefix("rate_"): rate for name, rate in vars(self).items() if name.startswith("rate_")}

    def draw(self, number: int, share: float) -> str:
        """The fault of request `number` (from 0) whose share is in [0, 1); "" when it has none."""
        if number < len(self.first):
            return self.first[number]
        for name, rate in self._rates().items():
            share -= rate
            if share < 0:
                return name
        return ""


@dataclass(frozen=True)
class Response:
    """What goes back: `body` is bytes or a tuple of events; `failure` is "timeout", "disconnect" or empty."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | tuple[bytes, ...] = b""
    latency_s: float = 0
    failure: str = ""


class OfflineAPI:
    """The Messages API, its token counter and its list of models, on this machine.

    `answer` is called with the request (a dict) and the temperament and returns an `Answer`, or fields of the reply as
    a dict; without it the offline reader answers. `latency_ms` is a number or a (shortest, longest) pair, drawn by
    `seed` like the faults. thinking=False leaves the thinking blocks out, strict=False all checks. The models are
    those of the kernel's roles; a date at the end of an id is accepted.
    """

    def __init__(self, *, answer: Callable[[dict, Temperament], Answer | dict] | None = None,
                 temperament: Temperament | None = None, latency_ms: float | tuple[float, float] = 0,
                 faults: Faults | None = None, seed: int = 0, thinking: bool = True, strict: bool = True) -> None:
        self.models = [*dict.fromkeys([*roles.ROLES.values(), *(getattr(roles, role) for role in roles.ROLES)])]
        self.temperament, self.faults = temperament or Temperament(), faults or Faults()
        self.latency_ms = latency_ms if isinstance(latency_ms, tuple) else (latency_ms, latency_ms)
        if len(self.latency_ms) != 2 or not all(isinstance(it, int | float) and it >= 0 for it in self.latency_ms):
            raise ValueError(f"latency_ms is {latency_ms!r}; expected a number, at least 0, or a (shortest, longest) pair")
        for value, kind in ((self.temperament, Temperament), (self.faults, Faults), (seed, int)):
            if not isinstance(value, kind):
                raise TypeError(f"{value!r} is no setting of the offline model; expected {kind.__name__}(…)")
        self.seed, self.thinking, self.strict = seed, thinking, strict
        self.trusted: set[str] = set()  # signatures and block types that a script made up, and may come back
        self._answer, self._numbers, self._seen = answer, count(), defaultdict(count)

    def handle(self, method: str, path: str, headers: Mapping[str, str], body: bytes = b"") -> Response:
        """Answer one HTTP request. Raises only what `answer` raises: a bug there must be seen."""
        draw = sha256(b"%d:" % self.seed + body)
        draw.update(b":%d" % next(self._seen[draw.digest()]))
        try:
            return self._route(method, path.split("?")[0].rstrip("/"), headers, body, draw.digest())
        except RequestError as error:
            return self.error(*error.args, draw.digest())

    def error(self, status: int, message: str, draw: bytes = b"", latency_s: float = 0) -> Response:
        """An error in the service's shape."""
        kind = _ERROR_TYPES.get(status, "invalid_request_error" if status < 500 else "api_error")
        error = {"type": "error", "error": {"type": kind, "message": message}, "request_id": identifier("req", draw)}
        response = _response(status, error, draw, latency_s)
        if status in (429, 529) and self.faults.retry_after_s is not None:
            response.headers["retry-after"] = f"{self.faults.retry_after_s:g}"
        return response

    def _route(self, method: str, path: str, headers: Mapping[str, str], body: bytes, draw: bytes) -> Response:
        listing = f"{path}/".startswith("/v1/models/")
        if not listing and path not in ("/v1/messages", "/v1/messages/count_tokens"):
            raise RequestError(404, f"Not found: {path or '/'}. {ENDPOINTS}")
        if method != ("GET" if listing else "POST"):
            raise RequestError(405, f"Method {method} is not allowed. {ENDPOINTS}")
        if self.strict:
            _check_headers({name.lower(): value for name, value in headers.items()})
        if path == "/v1/models":
            listed = [self._describe(model) for model in self.models]
            page = {"data": listed, "has_more": False, "first_id": self.models[0], "last_id": self.models[-1]}
            return _response(200, page, draw)
        if listing:
            return _response(200, self._describe(path.removeprefix("/v1/models/")), draw)
        if len(body) > MAX_BODY_BYTES:
            raise RequestError(413, f"Request exceeds the maximum size of {MAX_BODY_BYTES} bytes.")
        if path == "/v1/messages":
            return self._reply(self._check(body), draw)
        return _response(200, {"input_tokens": self._check(body, counting=True).input_tokens}, draw)

    def _describe(self, model: str) -> dict:
        if model not in self.models and re.sub(r"-\d{8}$", "", model) not in self.models:
            raise RequestError(404, f"model: {model}")
        name = re.sub(r"(?<=\d)-(?=\d)", ".", model).replace("-", " ").title()
        return {"type": "model", "id": model, "display_name": f"{name} (offline)", "lifecycle": "active",
                "created_at": "1970-01-01T00:00:00Z", "line": line(model) or None, "max_tokens": MAX_OUTPUT_TOKENS}

    def _check(self, body: bytes, *, counting: bool = False) -> Checked:
        """The request for a message (or for its tokens), as far as it may be answered; raises RequestError."""
        try:
            request = json.loads(body)
            if not self.strict:
                return Checked(request, 1, sha256(body).digest())
            check_request(request, counting=counting, trusted=self.trusted)
            turns = turns_of(request["messages"])
            check_turns(turns)
            self._describe(request["model"])
            prefixes, tokens = read(request, turns)
        except (ValueError, RecursionError) as error:
            raise RequestError(400, f"The request body is not valid JSON: {error}") from None
        for (_, blocks), prefix in zip(turns, prefixes, strict=False):
            for i, j, block in blocks:
                if block["type"] == "thinking" and block["signature"] not in (
                        sign(prefix, block["thinking"]), *self.trusted):
                    refuse(f"messages.{i}.content.{j}", _FOREIGN)
        return Checked(request, tokens, prefixes[-1])

    def _reply(self, checked: Checked, draw: bytes) -> Response:
        shortest, longest = self.latency_ms
        latency_s = (shortest + (longest - shortest) * _share(draw[8:])) / 1000
        fault = self.faults.draw(next(self._numbers), _share(draw))
        if fault in _FAULTS:
            return self.error(int(fault), _FAULTS[fault], draw, latency_s)
        if fault in ("timeout", "disconnect"):
            return Response(0, latency_s=latency_s, failure=fault)
        if fault == "html":
            return Response(200, {"content-type": "text/html; charset=utf-8"}, _SIGN_IN_PAGE, latency_s)
        if self._answer is None:
            from .reader import answer  # on the first request, so that importing the kernel stays light

            self._answer = answer
        said = self._answer(checked.request, self.temperament)
        if isinstance(said, Answer):
            if self.strict:
                _check_answer(checked.request, said)
            reply = make_reply(checked, said, fault=fault, thinking=self.thinking)
        else:
            reply = make_reply(checked, Answer(said.get("content", ())), thinking=False) | said
        return _response(200, events(reply) if checked.request.get("stream") else reply, draw, latency_s)


def _check_headers(headers: dict[str, str]) -> None:
    """Any key will do, and none; "invalid" is refused, so that this can be tried."""
    if "invalid" in (headers.get("x-api-key") or headers.get("authorization", "")).split(" "):
        raise RequestError(401, "invalid x-api-key")
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", headers.get("anthropic-version", "")):
        raise RequestError(400, "anthropic-version: header is required")


def _check_answer(request: dict, answer: Answer) -> None:
    forbidden = (request.get("tool_choice") or {}).get("type") == "none"
    offered = () if forbidden else [tool["name"] for tool in request.get("tools") or ()]
    for block in answer.content:
        if block["type"] == "tool_use" and block["name"] not in offered:
            raise RequestError(500, "The offline model broke a rule, a bug of its own: the request does not let it use "
                                    f"{block['name']!r}.")


def _response(status: int, value: dict | tuple[bytes, ...], draw: bytes, latency_s: float = 0) -> Response:
    """A value as JSON, or events as a stream."""
    streamed = isinstance(value, tuple)
    headers = {"content-type": "text/event-stream; charset=utf-8" if streamed else "application/json",
               "request-id": identifier("req", draw)}
    body = value if streamed else json.dumps(value, separators=(",", ":")).encode()
    return Response(status, headers, body, latency_s)


def _share(draw: bytes) -> float:
    """A number in [0, 1) from the first eight bytes."""
    return (int.from_bytes(draw[:8], "big") >> 11) / (1 << 53)
