"""The strict API: takes an HTTP request to the Messages API, refuses it as the service would, or answers it.

Source: the Messages API (https://docs.claude.com/en/api/messages) and the types of its official SDK. Nothing here
sleeps or opens a connection: `OfflineTransport` and `serve` do that with what `OfflineAPI.handle` returns.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from threading import Lock
from typing import Any, NoReturn

from .answer import Answer, Temperament

MODELS = ("claude-haiku-5-5", "claude-sonnet-5-5", "claude-opus-5-5")
ROLES = ("WORKER", "SUPERVISOR", "PLANNER", "JUDGE")
MAX_BODY_BYTES = 32 * 1024 * 1024
MAX_NONSTREAMING_TOKENS = 21_333
MAX_OUTPUT_TOKENS = 128_000
CHARACTERS_PER_TOKEN = 4
TOKENS_PER_MESSAGE = 4
TOKENS_PER_TOOL = 8
CHARACTERS_OF_A_FILE = 6000  # an image or a document, whatever its size: an assumption
ERROR_TYPES = {400: "invalid_request_error", 401: "authentication_error", 402: "billing_error",
               403: "permission_error", 404: "not_found_error", 405: "invalid_request_error", 408: "timeout_error",
               409: "conflict_error", 413: "invalid_request_error", 429: "rate_limit_error", 500: "api_error",
               503: "api_error", 504: "timeout_error", 529: "overloaded_error"}
FAULTS = ("429", "500", "529", "timeout", "cut", "refusal", "malformed", "disconnect", "html")
_FAULT_MESSAGES = {429: "This request would exceed your rate limit. Please try again later.",
                   500: "Internal server error", 529: "Overloaded"}


@dataclass(frozen=True)
class Faults:
    """What goes wrong, and how often. Each rate is a share of the valid requests to `POST /v1/messages`.

    A request's fault follows from the seed, its body and how often that body came before, so that the order of a
    fan-out does not matter and a retry is a new draw. `first` names the faults of the first requests, in order of
    arrival: "429", "500", "529", "timeout", "cut", "refusal", "malformed", "disconnect", "html", or "" for none.
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
        unknown = [name for name in self.first if name and name not in FAULTS]
        if unknown:
            raise ValueError(f"Faults(first=…) got {unknown[0]!r}; it takes {', '.join(FAULTS)} or '' for none")
        rates = [getattr(self, f"rate_{name}") for name in FAULTS[:-1]]
        if min(rates) < 0 or sum(rates) > 1:
            raise ValueError(f"the rates of Faults are shares: each at least 0, together at most 1; got {rates}")

    def draw(self, number: int, share: float) -> str:
        """The fault of the request with this number (from 0), given its share in [0, 1); "" when it has none."""
        if number < len(self.first):
            return self.first[number]
        for name in FAULTS[:-1]:
            share -= getattr(self, f"rate_{name}")
            if share < 0:
                return name
        return ""


@dataclass(frozen=True)
class Response:
    """What goes back: `body` is bytes, or a tuple of server-sent events. `failure` is "timeout" or "disconnect"."""

    status: int
    headers: dict[str, str]
    body: bytes | tuple[bytes, ...] = b""
    latency_s: float = 0
    failure: str = ""


@dataclass(frozen=True)
class Checked:
    """A request that passed: its JSON, the estimate of its tokens, and the hash of all that a reply is bound to."""

    request: dict[str, Any]
    input_tokens: int
    prefix: bytes


class OfflineAPI:
    """The Messages API, its token counter and its list of models, on this machine.

    `answer` is called with the request (a dict) and the temperament and returns an `Answer`; without it the offline
    reader answers. `latency_ms` is a number or a (shortest, longest) pair, drawn by `seed` like the faults. `models`
    are the ids that exist (a date at the end is accepted); the default is the three lines and what the WORKSHOP_…_MODEL
    variables name. `thinking=False` leaves the thinking blocks out. `requests` counts the valid requests for a message.
    """

    def __init__(self, *, answer: Callable[[dict, Temperament], Answer] | None = None,
                 temperament: Temperament = Temperament(), latency_ms: float | tuple[float, float] = 0,
                 faults: Faults = Faults(), seed: int = 0, models: Iterable[str] | None = None,
                 thinking: bool = True) -> None:
        named = [os.environ.get(f"WORKSHOP_{role}_MODEL", "") for role in ROLES]
        self.models = tuple(dict.fromkeys([*MODELS, *filter(None, named)] if models is None else models))
        self.temperament, self.faults, self.seed, self.thinking = temperament, faults, seed, thinking
        self.latency_ms = latency_ms if isinstance(latency_ms, tuple) else (latency_ms, latency_ms)
        self.requests = 0
        self.trusted: set[str] = set()  # signatures and block types that a script made up, and may come back
        self._answer, self._seen, self._lock = answer, Counter(), Lock()

    def handle(self, method: str, path: str, headers: Mapping[str, str], body: bytes = b"") -> Response:
        """Answer one HTTP request. Raises only what `answer` raises: a bug there must be seen."""
        with self._lock:
            draw = sha256(b"%d\0" % self.seed + body)
            seen = self._seen[draw.digest()]
            self._seen[draw.digest()] += 1
        draw.update(b"\0%d" % seen)
        headers = {name.lower(): value for name, value in headers.items()}
        try:
            return self._route(method, path.split("?")[0].rstrip("/"), headers, body, draw.digest())
        except RequestError as error:
            return self.error(error.status, error.message, draw.digest())

    def _route(self, method: str, path: str, headers: dict, body: bytes, draw: bytes) -> Response:
        if path in ("/v1/messages", "/v1/messages/count_tokens"):
            allowed = "POST"
        elif path == "/v1/models" or path.startswith("/v1/models/"):
            allowed = "GET"
        else:
            raise RequestError(404, f"Not found: {path or '/'}. There are POST /v1/messages, POST "
                                    "/v1/messages/count_tokens and GET /v1/models.")
        if method != allowed:
            raise RequestError(405, f"Method not allowed: {path} takes {allowed}, not {method}.")
        self.check_headers(headers)
        if allowed == "GET":
            return _json(200, self._models(path.removeprefix("/v1/models").lstrip("/")), draw)
        checked = self.check(body, counting=path.endswith("count_tokens"))
        if path.endswith("count_tokens"):
            return _json(200, {"input_tokens": checked.input_tokens}, draw)
        with self._lock:
            number, self.requests = self.requests, self.requests + 1
        shortest, longest = self.latency_ms
        latency_s = (shortest + (longest - shortest) * _share(draw, 8)) / 1000
        fault = self.faults.draw(number, _share(draw, 0))
        if fault.isdigit():
            return self.error(int(fault), _FAULT_MESSAGES[int(fault)], draw, latency_s)
        if fault in ("timeout", "disconnect"):
            return Response(0, {}, b"", latency_s, fault)
        if fault == "html":
            page = b"<!doctype html><title>Sign in</title><p>This network asks you to sign in first."
            return Response(200, {"content-type": "text/html; charset=utf-8"}, page, latency_s)
        if self._answer is None:
            from .reader import answer  # on the first request, so that importing the kernel stays light

            self._answer = answer
        return self.respond(checked, self._answer(checked.request, self.temperament), draw, latency_s, fault)

    def check_headers(self, headers: Mapping[str, str]) -> None:
        key = headers.get("x-api-key") or headers.get("authorization", "").removeprefix("Bearer ")
        if key == "invalid":  # offline any key will do, and none; this one lets a learner see the refusal
            raise RequestError(401, "invalid x-api-key")
        version = headers.get("anthropic-version")
        if not version:
            raise RequestError(400, "anthropic-version: header is required")
        if not re.fullmatch(r"\d{4}-\d\d-\d\d", version):
            raise RequestError(400, f'anthropic-version: "{version}" is not a valid version; send "2026-10-21"')

    def _models(self, model: str) -> dict:
        if model:
            self._check_model(model)
            return _model_info(model)
        data = [_model_info(model) for model in self.models]
        return {"data": data, "has_more": False, "first_id": data[0]["id"] if data else None,
                "last_id": data[-1]["id"] if data else None}

    def _check_model(self, model: str) -> None:
        if model not in self.models and re.sub(r"-\d{8}$", "", model) not in self.models:
            raise RequestError(404, f"model: {model}")

    # ---- reading the request ----------------------------------------------------------------------------------

    def check(self, body: bytes, *, counting: bool = False, strict: bool = True) -> Checked:
        """Validate the body of `POST /v1/messages` (or of the counter); raises `RequestError` as the service would.

PLACEHOLDER
    # ---- writing the reply ------------------------------------------------------------------------------------

    def respond(self, checked: Checked, answer: Answer, draw: bytes, latency_s: float = 0, fault: str = "",
                strict: bool = True) -> Response:
        """Say `answer`, as JSON or as a stream; 500 when the answer breaks the request's rules."""
        problem = _rule_broken(checked.request, answer) if strict else ""
        if problem:
            return self.error(500, f"The offline model broke a rule, which is a bug of its own: {problem}", draw)
        return self.deliver(checked.request, self.reply(checked, answer, fault), draw, latency_s)

    def deliver(self, request: dict, reply: dict, draw: bytes, latency_s: float = 0) -> Response:
        """A finished reply in the form that the request asked for."""
        if request.get("stream"):
            headers = {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache",
                       "request-id": _identifier("req", draw)}
            return Response(200, headers, tuple(_event(data) for data in _stream(reply)), latency_s)
        return _json(200, reply, draw, latency_s)

    def error(self, status: int, message: str, draw: bytes = b"", latency_s: float = 0) -> Response:
        """An error in the service's shape."""
        kind = ERROR_TYPES.get(status, "invalid_request_error" if status < 500 else "api_error")
        error = {"type": "error", "error": {"type": kind, "message": message}, "request_id": _identifier("req", draw)}
        response = _json(status, error, draw, latency_s)
        if status in (429, 529) and self.faults.retry_after_s is not None:
            response.headers["retry-after"] = f"{self.faults.retry_after_s:g}"
        if status == 405:
            response.headers["allow"] = "GET" if "takes GET" in message else "POST"
        return response

    def reply(self, checked: Checked, answer: Answer, fault: str = "") -> dict:
        """The reply that says `answer`, cut, refused or malformed where the request or the fault asks for it."""
        request, prefix = checked.request, checked.prefix
        limit = request.get("max_tokens", MAX_OUTPUT_TOKENS)
        thought, content = self._thinking(request, answer, prefix)
        thinking_tokens = min(estimate_tokens(answer.thinking), limit // 2) if thought else 0
        content = _one_use(request, content)
        if fault == "malformed":
            content = [_break_input(block, request) for block in content]
        if fault == "cut":
            limit = max(1, min(limit, thinking_tokens + sum(map(_block_tokens, content)) // 2))
        stop_reason, stop_sequence, stop_details = "end_turn", None, None
        if fault == "refusal":
            thought, content, stop_reason = [], [], "refusal"
            stop_details = {"type": "refusal", "category": None, "explanation": "The offline model was told to refuse."}
        else:
            content, stop_sequence = _stop_at(content, request.get("stop_sequences") or ())
            content, was_cut = _cut(content, max(1, limit - thinking_tokens))
            if was_cut or fault == "cut":
                stop_reason, stop_sequence = "max_tokens", None
            elif stop_sequence is not None:
                stop_reason = "stop_sequence"
            elif any(block["type"] == "tool_use" for block in content):
                stop_reason = "tool_use"
        for index, block in enumerate(content):
            if block["type"] == "tool_use":
                block.setdefault("id", _identifier("toolu", prefix + b"%d" % index))
        output_tokens = min(max(1, thinking_tokens + sum(map(_block_tokens, content))), request.get("max_tokens", 1 << 30))
        return {
            "id": _identifier("msg", prefix), "type": "message", "role": "assistant", "model": request["model"],
            "content": thought + content, "stop_reason": stop_reason, "stop_sequence": stop_sequence,
            "stop_details": stop_details, "container": None, "diagnostics": None,
            "usage": {"input_tokens": checked.input_tokens, "cache_creation_input_tokens": 0,
                      "cache_read_input_tokens": 0,
                      "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
                      "output_tokens": output_tokens, "output_tokens_details": {"thinking_tokens": thinking_tokens},
                      "server_tool_use": None, "service_tier": "standard", "inference_geo": None, "speed": "standard"},
        }

    def _thinking(self, request: dict, answer: Answer, prefix: bytes) -> tuple[list[dict], list[dict]]:
        """The leading thinking block, if any, and the content after it.

        On Sonnet and Opus the words before a tool call come back inside the thinking block, not as text.
        """
        content = [dict(block) for block in answer.content]
        setting = request.get("thinking") or {"type": "adaptive"}
        if not self.thinking or setting["type"] == "disabled":
            return [], content
        off, words = setting["type"] == "between_tools", ""
        first_use = next((i for i, block in enumerate(content) if block["type"] == "tool_use"), 0)
        if first_use and _LINE.match(request["model"]) and _line(request["model"]) != "haiku":
            words = "\n".join(block["text"] for block in content[:first_use] if block["type"] == "text")
            content = content[first_use:]
        if off and not words:
            return [], content
        display = setting.get("display") or ("summarized" if setting["type"] in ("enabled", "between_tools") else "omitted")
        text = "\n".join(filter(None, ["" if off else answer.thinking, words])) if display == "summarized" else ""
        return [{"type": "thinking", "thinking": text, "signature": _sign(prefix, text)}], content


# ---- tokens and hashes ----------------------------------------------------------------------------------------


def estimate_tokens(value: Any) -> int:
    """Tokens of a text, of a whole request (a dict with "messages"), or of any other JSON value.

    The rule, an estimate and no tokenizer: a token is four characters, rounded up. Of a text block the text counts,
    of any other block its compact JSON; a message adds 4 tokens, a tool 8.
    """
    if isinstance(value, str):
        return -(-len(value) // CHARACTERS_PER_TOKEN)
    if isinstance(value, dict) and "messages" in value:
        _, characters, tokens = _head(value)
        for message in value["messages"]:
            tokens += TOKENS_PER_MESSAGE
            characters += sum(_piece(block)[1] for block in _blocks(message["content"]))
        return tokens + -(-characters // CHARACTERS_PER_TOKEN)
    return -(-len(_canonical(value)) // CHARACTERS_PER_TOKEN)


_canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


def _blocks(content: Any) -> list[dict]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _piece(block: dict) -> tuple[bytes, int]:
    """The bytes of a block that a signature covers, and its characters. Cache marks may move, so they do not count."""
    kind = block.get("type")
    if kind == "text" and "citations" not in block:
        text = block["text"]
        piece, characters = text, len(text)
    else:
        piece = _canonical({k: v for k, v in block.items() if k != "cache_control"} if "cache_control" in block else block)
        characters = len(block["thinking"]) if kind == "thinking" else len(piece)
        if kind in ("image", "document"):
            characters = CHARACTERS_OF_A_FILE
    data = piece.encode("utf-8", "surrogatepass")
    return b"\2%d:" % len(data) + data, characters


def _head(request: dict) -> tuple[Any, int, int]:
    """What comes before the messages: the running hash, the characters, and the tokens on top of them."""
    tools = [{k: v for k, v in tool.items() if k != "cache_control"} for tool in request.get("tools") or ()]
    state, characters = sha256(_canonical([request.get("model"), tools]).encode("utf-8", "surrogatepass")), 0
    for block in _blocks(request.get("system") or []):
        piece, length = _piece(block)
        state.update(piece)
        characters += length
    characters += len(_canonical(tools)) if tools else 0
    schema = ((request.get("output_config") or {}).get("format") or {}).get("schema")
    characters += len(_canonical(schema)) if schema else 0
    return state, characters, TOKENS_PER_TOOL * len(tools)


def _sign(prefix: bytes, thinking: str) -> str:
    return sha256(b"thinking\0" + prefix + thinking.encode("utf-8", "surrogatepass")).hexdigest()


def _identifier(kind: str, seed: bytes) -> str:
    return f"{kind}_{sha256(kind.encode() + seed).hexdigest()[:24]}"


def _share(draw: bytes, start: int) -> float:
    """A number in [0, 1) from eight bytes of the draw."""
    return (int.from_bytes(draw[start : start + 8], "big") >> 11) / (1 << 53)


# ---- the rules of a reply -------------------------------------------------------------------------------------


def _rule_broken(request: dict, answer: Answer) -> str:
    used = [block["name"] for block in answer.content if block["type"] == "tool_use"]
    if used and (request.get("tool_choice") or {}).get("type") == "none":
        return f"it used {used[0]!r} although tool_choice is none."
    offered = [tool.get("name") for tool in request.get("tools") or ()]
    return next((f"it used {name!r}, which was not offered." for name in used if name not in offered), "")


def _one_use(request: dict, content: list[dict]) -> list[dict]:
    """With `disable_parallel_tool_use` a turn ends at its first tool call."""
    if (request.get("tool_choice") or {}).get("disable_parallel_tool_use"):
        first = next((i for i, block in enumerate(content) if block["type"] == "tool_use"), len(content))
        return content[: first + 1]
    return content


def _break_input(block: dict, request: dict) -> dict:
    """A tool call whose input does not fit the tool's schema: one field has the wrong type."""
    if block["type"] != "tool_use":
        return block
    schema = next((tool["input_schema"] for tool in request["tools"] if tool["name"] == block["name"]), {})
    fields = [*(schema.get("required") or ()), *(schema.get("properties") or ())]
    if not fields:
        return {**block, "input": {"unexpected": True}}
    kind = ((schema.get("properties") or {}).get(fields[0]) or {}).get("type")
    return {**block, "input": {**block["input"], fields[0]: "many" if kind in ("object", "array") else {"value": None}}}


def _block_tokens(block: dict) -> int:
    return estimate_tokens(block["text"] if block["type"] == "text" else block["name"] + _canonical(block["input"]))


def _stop_at(content: list[dict], stops: Iterable[str]) -> tuple[list[dict], str | None]:
    """Cut the content at the first stop sequence in a text; also says which one it was."""
    for index, block in enumerate(content if stops else ()):
        found = [(block["text"].find(stop), stop) for stop in stops if stop in block.get("text", "")]
        if found:
            end, stop = min(found, key=lambda place: place[0])
            kept = [{**block, "text": block["text"][:end]}] if block["text"][:end] else []
            return content[:index] + kept, stop
    return content, None


def _cut(content: list[dict], limit: int) -> tuple[list[dict], bool]:
    """The part of the content that fits the limit (tokens). A tool call that does not fit keeps its name only."""
    kept, left = [], limit
    for block in content:
        tokens = _block_tokens(block)
        if tokens > left:
            if left > 0 and block["type"] == "text":
                kept.append({**block, "text": block["text"][: left * CHARACTERS_PER_TOKEN]})
            elif left > 0:
                kept.append({**block, "input": {}})
            return kept, True
        kept.append(block)
        left -= tokens
    return kept, False


def _model_info(model: str) -> dict:
    name = " ".join(part.capitalize() for part in model.split("-") if not part.isdigit())
    number = ".".join(part for part in model.split("-") if part.isdigit() and len(part) < 3)
    return {"type": "model", "id": model, "display_name": f"{name} {number} (offline)".replace("  ", " "),
            "created_at": "1970-01-01T00:00:00Z", "lifecycle": "active", "line": _line(model) or None,
            "max_input_tokens": None, "max_tokens": MAX_OUTPUT_TOKENS, "capabilities": None, "deprecated_at": None,
            "retires_at": None}


def _json(status: int, value: dict, draw: bytes, latency_s: float = 0) -> Response:
    headers = {"content-type": "application/json", "request-id": _identifier("req", draw)}
    return Response(status, headers, json.dumps(value, separators=(",", ":")).encode(), latency_s)


# ---- the stream -----------------------------------------------------------------------------------------------

_FEW_WORDS = re.compile(r"\s*(?:\S+\s*){1,4}|\s+")


def _event(data: dict) -> bytes:
    return f"event: {data['type']}\ndata: {json.dumps(data, separators=(',', ':'))}\n\n".encode()


def _stream(reply: dict) -> Iterator[dict]:
    """A reply as the events of a stream, in the service's order."""
    usage = reply["usage"]
    yield {"type": "message_start", "message": {**reply, "content": [], "stop_reason": None, "stop_sequence": None,
                                                "stop_details": None, "usage": {**usage, "output_tokens": 1}}}
    yield {"type": "ping"}
    for index, block in enumerate(reply["content"]):
        empty = {"text": {"text": ""}, "thinking": {"thinking": "", "signature": ""}, "tool_use": {"input": {}}}
        yield {"type": "content_block_start", "index": index, "content_block": {**block, **empty.get(block["type"], {})}}
        for delta in _deltas(block):
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    delta = {name: reply.get(name) for name in ("stop_reason", "stop_sequence", "stop_details", "container")}
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens",
             "output_tokens_details", "server_tool_use")
    yield {"type": "message_delta", "delta": delta, "usage": {name: usage.get(name) for name in names}}
    yield {"type": "message_stop"}


def _deltas(block: dict) -> Iterator[dict]:
    if block["type"] == "text":
        for part in _FEW_WORDS.findall(block["text"]):
            yield {"type": "text_delta", "text": part}
    elif block["type"] == "thinking":
        for part in _FEW_WORDS.findall(block["thinking"]):
            yield {"type": "thinking_delta", "thinking": part}
        yield {"type": "signature_delta", "signature": block["signature"]}
    elif block["type"] == "tool_use":
        text = json.dumps(block["input"])
        yield {"type": "input_json_delta", "partial_json": ""}
        for start in range(0, len(text), 20):
            yield {"type": "input_json_delta", "partial_json": text[start : start + 20]}
