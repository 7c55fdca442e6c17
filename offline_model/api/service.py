"""The strict API: refuses an HTTP request as the Messages API would, or answers it.

Source: the Messages API (https://docs.claude.com/en/api/messages) and the types of its official
SDK. Nothing here sleeps or opens a connection: `OfflineTransport` and `serve` do, with what
`OfflineAPI.handle` returns.
"""

from __future__ import annotations

import json
import math
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import count
from typing import Any

from ..account import HEADER
from ..answer import Answer, Temperament
from . import models
from .betas import check_betas, drops_foreign_blocks, without
from .caching import PromptCache
from .errors import RequestError, refuse
from .faults import Faults
from .forced import answered, callable_names
from .reply import Checked, make_reply
from .rules import FORCED, check_request
from .stream import events
from .tokens import Measure, estimate_tokens, identifier, measure, sign
from .turns import Placed, Turn

MAX_BODY_BYTES = 32 * 1024 * 1024
MAX_ERROR_CHARACTERS = 10_000
VERSIONS = ("2023-01-01", "2023-06-01", "2026-10-21")
REMEMBERED_BODIES = 10_000
"""The number of requests that are remembered, so that a retry is a new draw of the faults."""
ENDPOINTS = "There are POST /v1/messages, POST /v1/messages/count_tokens and GET /v1/models."
_ERROR_TYPES = {
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    408: "timeout_error",
    409: "conflict_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}
_FAULTS = {
    "429": "This request would exceed your rate limit. Please try again later.",
    "500": "Internal server error",
    "529": "Overloaded",
}
_SIGN_IN_PAGE = b"<!doctype html><title>Sign in</title><p>This network asks you to sign in first."
_FOREIGN = (
    "Invalid `signature` in `thinking` block. The block is bound to a different conversation. "
    "Send the model, the system prompt, the tools and all earlier messages back unchanged, and "
    "only append; to shorten or to change a conversation, start a new one from a summary."
)
_ENDLESS = (
    "The offline model cannot read this request: something in it is nested too deeply, "
    "or a schema requires itself."
)


@dataclass(frozen=True)
class Response:
    """The service's response: `body` is bytes or a tuple of events; `failure` is "timeout",
    "disconnect" or empty.
    """

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | tuple[bytes, ...] = b""
    latency_s: float = 0
    failure: str = ""
    pause_s: float = 0
    """Seconds before each event of a stream."""


@dataclass(frozen=True)
class HttpCall:
    """One HTTP request: its path and query, its headers by lower-case name, its body, and the draw
    that its chances follow."""

    path: str
    query: str
    headers: dict[str, str]
    body: bytes
    draw: bytes

    @property
    def key(self) -> str:
        """The client's key, as far as it sent one."""
        bearer = self.headers.get("authorization", "").removeprefix("Bearer ")
        return self.headers.get("x-api-key") or bearer


class OfflineAPI:
    """The Messages API, its token counter and its list of models, on this machine.

    answer: called with the request (a dict) and the temperament; returns an `Answer`, or fields of
        the reply as a dict. Without it the offline reader answers.
    latency_ms: a number, or a (shortest, longest) pair that is drawn by `seed` like the faults. A
        stream comes evenly over that time.
    pace_ms: before each event of a stream, where there is no latency, so that a person can read
        along.
    thinking: False leaves the thinking blocks out. strict: False leaves all checks out.
    clock: seconds, monotonic; entries of the prompt cache live and die by it.

    The models are those of the kernel's roles; a date at the end of an id is accepted.
    Raises ValueError or TypeError for a setting that cannot be.
    """

    def __init__(
        self,
        *,
        answer: Callable[[dict[str, Any], Temperament], Answer | dict[str, Any]] | None = None,
        temperament: Temperament | None = None,
        latency_ms: float | tuple[float, float] = 0,
        pace_ms: float = 0,
        faults: Faults | None = None,
        seed: int = 0,
        thinking: bool = True,
        strict: bool = True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.models = models.offered()
        self.temperament = temperament or Temperament()
        self.faults = faults or Faults()
        self.latency_ms = _range_of(latency_ms)
        self.pace_ms = pace_ms
        if not pace_ms >= 0:
            raise ValueError(f"pace_ms is {pace_ms!r}; expected a number, at least 0")
        self.seed = seed
        for value, kind in ((self.temperament, Temperament), (self.faults, Faults), (seed, int)):
            if not isinstance(value, kind):
                expected = kind.__name__
                raise TypeError(
                    f"{value!r} is no setting of the offline model; expected {expected}(…)"
                )
        self.thinking = thinking
        self.strict = strict
        self.trusted: set[str] = set()
        """Signatures and types of blocks that a script made up, and may come back."""
        self.cache = PromptCache(clock)
        self._answer = answer or _read
        self._numbers = count()
        self._seen: OrderedDict[bytes, int] = OrderedDict()

    def handle(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes = b""
    ) -> Response:
        """Answer one HTTP request. Raises only what `answer` raises: a bug there must be seen."""
        lower = {name.lower(): value for name, value in headers.items()}
        path, _, query = path.partition("?")
        call = HttpCall(path.rstrip("/"), query, lower, body, self._draw(body))
        try:
            return self._route(method, call)
        except RequestError as error:
            return self.error(error.status, error.message, call.draw, details=error.details)

    def error(
        self,
        status: int,
        message: str,
        draw: bytes = b"",
        latency_s: float = 0,
        details: dict[str, Any] | None = None,
    ) -> Response:
        """An error in the service's shape."""
        kind = _ERROR_TYPES.get(status, "invalid_request_error" if status < 500 else "api_error")
        if len(message) > MAX_ERROR_CHARACTERS:
            message = f"{message[:MAX_ERROR_CHARACTERS]}… ({len(message)} characters)"
        problem: dict[str, Any] = {"type": kind, "message": message}
        if details:
            problem["details"] = details
        error = {"type": "error", "error": problem, "request_id": identifier("req", draw)}
        response = _response(status, error, draw, latency_s)
        if status in (429, 529) and self.faults.retry_after_s is not None:
            response.headers["retry-after"] = f"{self.faults.retry_after_s:g}"
        return response

    def _draw(self, body: bytes) -> bytes:
        """The hash of the seed, the body, and how often that body came before."""
        draw = sha256(b"%d:" % self.seed + body)
        key = draw.digest()
        before = self._seen.pop(key, 0)
        self._seen[key] = before + 1
        if len(self._seen) > REMEMBERED_BODIES:
            self._seen.popitem(last=False)
        draw.update(b":%d" % before)
        return draw.digest()

    def _route(self, method: str, call: HttpCall) -> Response:
        path = call.path
        listing = f"{path}/".startswith("/v1/models/")
        if not listing and path not in ("/v1/messages", "/v1/messages/count_tokens"):
            raise RequestError(404, f"Not found: {path or '/'}. {ENDPOINTS}")
        if method != ("GET" if listing else "POST"):
            raise RequestError(405, f"Method {method} is not allowed. {ENDPOINTS}")
        if self.strict:
            _check_headers(call.headers)
        if listing:
            return _response(200, self._models(call), call.draw)
        if len(call.body) > MAX_BODY_BYTES:
            raise RequestError(413, f"Request exceeds the maximum size of {MAX_BODY_BYTES} bytes.")
        if path == "/v1/messages":
            return self._reply(call, self._check(call))
        tokens = self._check(call, counting=True).input_tokens
        return _response(200, {"input_tokens": tokens}, call.draw)

    def _models(self, call: HttpCall) -> dict[str, Any]:
        if call.path == "/v1/models":
            return models.page(self.models, call.query)
        return models.describe(call.path.removeprefix("/v1/models/"), self.models)

    def _check(self, call: HttpCall, *, counting: bool = False) -> Checked:
        """The request for a message (or for its tokens), as far as it may be answered; raises
        RequestError."""
        try:
            request = _parsed(call.body)
            if not self.strict:
                return Checked(request, 1, sha256(call.body).digest())
            check_betas(request, call.headers)
            turns = check_request(request, counting=counting, trusted=self.trusted)
            models.describe(request["model"], self.models)
            measured = measure(request, turns)
            models.check_window(measured.tokens)
        except UnicodeEncodeError:
            problem = "half of a surrogate pair (such as \\ud83d) is no character"
            raise RequestError(400, f"The request body is not valid JSON: {problem}") from None
        except (ValueError, RecursionError) as error:
            raise RequestError(400, f"The request body is not valid JSON: {error}") from None
        foreign = self._foreign_blocks(turns, measured)
        if foreign and not drops_foreign_blocks(request):
            refuse(foreign[0].place, _FOREIGN)
        if foreign:
            request = without(request, foreign)
        tokens = measured.tokens if not foreign else estimate_tokens(request)
        return Checked(request, tokens, measured.prefixes[-1], tuple(foreign))

    def _foreign_blocks(self, turns: list[Turn], measured: Measure) -> list[Placed]:
        """The thinking blocks that were not said here, after exactly this."""
        foreign = []
        for turn, prefix in zip(turns, measured.prefixes, strict=False):
            for placed in turn.blocks:
                block = placed.block
                if block["type"] != "thinking" or block["signature"] in self.trusted:
                    continue
                if block["signature"] != sign(prefix, block["thinking"]):
                    foreign.append(placed)
        return foreign

    def _reply(self, call: HttpCall, checked: Checked) -> Response:
        shortest, longest = self.latency_ms
        latency_s = (shortest + (longest - shortest) * _share(call.draw[8:])) / 1000
        fault = self.faults.draw(next(self._numbers), _share(call.draw))
        if fault in _FAULTS:
            return self.error(int(fault), _FAULTS[fault], call.draw, latency_s)
        if fault in ("timeout", "disconnect"):
            return Response(0, latency_s=latency_s, failure=fault)
        if fault == "html":
            page = {"content-type": "text/html; charset=utf-8"}
            return Response(200, page, _SIGN_IN_PAGE, latency_s)
        request = checked.request
        said = self._answer(request, self.temperament)
        answer = said if isinstance(said, Answer) else Answer(said.get("content", ()))
        if isinstance(said, dict):
            reply = make_reply(checked, answer, thinking=False) | said
        else:
            problem = misfit(request, said) if self.strict else ""
            if problem:
                raise RequestError(
                    500, f"The offline model broke a rule, a bug of its own: {problem}."
                )
            cache = self.cache.use(_name_of(call.key), request, latency_s) if self.strict else None
            reply = make_reply(checked, said, fault=fault, thinking=self.thinking, cache=cache)
        if request.get("stream"):
            parts = events(reply)
            pause_s = latency_s / len(parts) or self.pace_ms / 1000
            response = replace(_response(200, parts, call.draw), pause_s=pause_s)
        else:
            response = _response(200, reply, call.draw, latency_s)
        if answer.account is not None:
            response.headers[HEADER] = answer.account.as_header([call.key])
        return response


def _read(request: dict[str, Any], temperament: Temperament) -> Answer:
    """Let the offline reader answer. It is loaded on the first request, so that importing stays
    light."""
    from ..reader.reader import answer

    try:
        return answered(request, temperament, answer)
    except RecursionError:
        raise RequestError(400, _ENDLESS) from None


def _range_of(latency_ms: float | tuple[float, float]) -> tuple[float, float]:
    pair = latency_ms if isinstance(latency_ms, tuple) else (latency_ms, latency_ms)
    if len(pair) != 2 or not all(isinstance(limit, int | float) and limit >= 0 for limit in pair):
        raise ValueError(
            f"latency_ms is {latency_ms!r}; expected a number, at least 0, "
            "or a (shortest, longest) pair"
        )
    return pair


def _parsed(body: bytes) -> Any:
    """A body as JSON, with no NaN and no infinity in it. Raises ValueError or RecursionError."""
    return _decoder.decode(body.decode(json.detect_encoding(body), "surrogatepass"))


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"{digits[:40]} is too large a number")
    return number


_decoder = json.JSONDecoder(parse_constant=_no_number, parse_float=_finite)


def _name_of(key: str) -> str:
    """A name for a client that does not give away its key."""
    return sha256(key.encode("utf-8", "replace")).hexdigest()


def _check_headers(headers: dict[str, str]) -> None:
    """Any key will do, and none; "invalid" is refused, so that this can be tried."""
    if "invalid" in (headers.get("x-api-key") or headers.get("authorization", "")).split(" "):
        raise RequestError(401, "invalid x-api-key")
    version = headers.get("anthropic-version", "")
    if not version:
        raise RequestError(400, "anthropic-version: header is required")
    if version not in VERSIONS:
        known = ", ".join(VERSIONS)
        raise RequestError(400, f'anthropic-version: "{version}" is not a valid version ({known})')


def misfit(request: dict[str, Any], answer: Answer) -> str:
    """Returns the reason that the service could not give this answer: it calls a tool that is not
    offered, or none where one is forced. Empty when it could.
    """
    if answer.refusal:
        return ""
    names = callable_names(request)
    used = [block["name"] for block in answer.content if block["type"] == "tool_use"]
    for name in used:
        if name not in names:
            return f"it calls {name!r}, which the request does not let it use"
    if not used and (request.get("tool_choice") or {}).get("type") in FORCED:
        return "it calls no tool, and `tool_choice` forces a call"
    return ""


def _response(
    status: int, value: dict[str, Any] | tuple[bytes, ...], draw: bytes, latency_s: float = 0
) -> Response:
    """A value as JSON, or events as a stream."""
    headers = {"content-type": "application/json", "request-id": identifier("req", draw)}
    if isinstance(value, tuple):
        headers["content-type"] = "text/event-stream; charset=utf-8"
        return Response(status, headers, value, latency_s)
    return Response(status, headers, json.dumps(value, separators=(",", ":")).encode(), latency_s)


def _share(draw: bytes) -> float:
    """A number in [0, 1) from the first eight bytes."""
    return (int.from_bytes(draw[:8], "big") >> 11) / (1 << 53)
