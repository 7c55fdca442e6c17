"""The way to a model: one POST, retried by the service's own rules; `connect()` chooses offline, live or local.

Offline is the default even when a key is in the environment: money is spent only by explicit choice, and
under a hard dollar cap.
"""

from __future__ import annotations

import asyncio
import contextlib
import email.utils
import json
import os
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from decimal import Decimal
from typing import Any, Literal
from urllib.request import getproxies, proxy_bypass

import httpx
from pydantic import SecretStr, ValidationError

from .budget import Budget, Exhausted, Ledger, Spent
from .models import cost, spent_on
from .wire import API_VERSION, NONSTREAMING_MAX_TOKENS, ApiError, Reply, Usage, encode, most_tokens

Mode = Literal["offline", "live", "local"]

RETRYABLE = {"timeout_error", "conflict_error", "rate_limit_error", "api_error", "overloaded_error", "connection_error"}
RETRYABLE_STATUS = {408, 409, 429}
"""And every 5xx; the service's `x-should-retry` header comes before either."""

TYPE_OF_STATUS = {400: "invalid_request_error", 401: "authentication_error", 402: "billing_error",
                  403: "permission_error", 404: "not_found_error", 408: "timeout_error", 409: "conflict_error",
                  413: "invalid_request_error", 429: "rate_limit_error", 503: "api_error", 504: "timeout_error",
                  529: "overloaded_error"}
TIMEOUTS = {"connect": 10.0, "read": 600.0, "write": 60.0, "pool": None}
"""Seconds. A model may think for minutes; httpx's own 5 seconds are made for web pages."""

DEFAULT_MAX_USD = Decimal("0.50")


class SetupError(ValueError):
    """The connection that was asked for cannot be made; the message says what is missing."""


class Client:
    """A connection to one server. Use it inside one event loop; `async with` closes it.

    transport:   an httpx transport; the offline model is one. Requests go straight to it: a turn needs none of
                 the redirects, cookies and auth flows of `httpx.AsyncClient`, which cost as much as the turn.
    max_usd:     a hard cap for everything that this client ever sends; None for no cap.
    concurrency: how many requests may be under way at once; None for any number.
    """

    def __init__(self, transport: httpx.AsyncBaseTransport, *, mode: Mode = "offline", base_url: str = "http://offline",
                 api_key: str | SecretStr | None = None, auth_token: str | SecretStr | None = None,
                 max_usd: Decimal | str | None = None, unknown_price_ok: bool = True, concurrency: int | None = None,
                 retries: int = 2, sleep: Callable[[float], Awaitable[None]] | None = None,
                 jitter: Callable[[], float] = random.random) -> None:
        self.mode, self.base_url, self.retries = mode, base_url.rstrip("/"), retries
        self.slots = asyncio.Semaphore(concurrency) if concurrency else contextlib.nullcontext()
        self.ledger = Ledger(Budget(usd=max_usd), owner="client", unknown_price_ok=unknown_price_ok)
        self._transport, self._sleep, self._jitter = transport, sleep or asyncio.sleep, jitter
        self._secrets = {name: SecretStr(value) for name, value in
                         (("x-api-key", _plain(api_key)), ("authorization", _plain(auth_token))) if value}
        self._url = httpx.URL(f"{self.base_url}/v1/messages")
        self._headers = httpx.Headers({"host": self._url.netloc.decode("ascii"), "accept": "application/json",
                                       "content-type": "application/json", "anthropic-version": API_VERSION,
                                       "user-agent": "supervisor-workshop"})
        if not all(it.get_secret_value().isascii() and it.get_secret_value().isprintable() for it in self._secrets.values()):
            raise SetupError("the key holds a character that cannot stand in an HTTP header; copy it again")

    def __repr__(self) -> str:
        return f"Client(mode={self.mode!r}, base_url={self.base_url!r}, max_usd={self.ledger.budget.usd})"

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        await self._transport.aclose()

    async def send(self, body: Mapping[str, Any], *, content: bytes | None = None,
                   on_retry: Callable[[ApiError, float], None] | None = None) -> Reply:
        """Sends one request, again where the service's rules allow it; returns the reply.

        `content` is the encoded body where the caller has it already. Raises ApiError when the last try fails.
        """
        if body.get("max_tokens", 0) > NONSTREAMING_MAX_TOKENS:
            raise ValueError(f"max_tokens is {body['max_tokens']}; a request that is not streamed may ask for at "
                             f"most {NONSTREAMING_MAX_TOKENS}: lower it")
        content = encode(dict(body)) if content is None else content
        for attempt in range(self.retries + 1):
            try:
                return await self._send_once(content)
            except ApiError as error:
                if not error.retryable or attempt == self.retries:
                    raise
                wait_s = error.retry_after_s
                if wait_s is None:
                    wait_s = min(0.5 * 2**attempt, 8.0) * (1 - 0.25 * self._jitter())
                if on_retry:
                    on_retry(error, wait_s)
            await self._sleep(wait_s)
        raise AssertionError("unreachable: the last try returns or raises")

    async def _send_once(self, content: bytes) -> Reply:
        # `stream=` takes the headers as they are; `content=` would go through all of them twice more, at every turn
        request = httpx.Request("POST", self._url, headers=self._headers, stream=httpx.ByteStream(content),
                                extensions={"timeout": TIMEOUTS})
        request.headers["content-length"] = str(len(content))
        self._sign(request.headers)
        request.read()  # as `content=` does: a transport may look at `request.content`
        try:
            response = await self._transport.handle_async_request(request)
            try:
                await response.aread()
            finally:
                await response.aclose()
        except httpx.TimeoutException as error:
            raise self._error(f"no reply in time ({type(error).__name__})", "timeout_error") from None
        except (httpx.TransportError, httpx.DecodingError) as error:  # `from None`: the cause holds the headers
            raise self._error(f"{error or type(error).__name__} ({self.base_url})", "connection_error") from None
        if response.status_code != 200:
            raise self._error_of(response)
        try:
            return Reply.model_validate_json(response.content)
        except ValidationError as error:
            what = response.headers.get("content-type", "no content type")
            first = error.errors(include_url=False, include_input=False)[0]["msg"]
            raise self._error(f"the server answered 200 with something that is not a reply ({what}; {first}): "
                              f"{response.text[:120]!r}; check the base URL", "invalid_reply", status=200) from None

    def _sign(self, headers: httpx.Headers) -> None:
        for name, secret in self._secrets.items():
            headers[name] = f"{'Bearer ' if name == 'authorization' else ''}{secret.get_secret_value()}"

    def headers(self) -> httpx.Headers:
        """What every request of this client carries, the key included: for sending, never for showing."""
        headers = self._headers.copy()
        self._sign(headers)
        return headers

    def _error_of(self, response: httpx.Response) -> ApiError:
        headers, status = response.headers, response.status_code
        try:
            payload = json.loads(response.content)
            problem = payload["error"] if isinstance(payload["error"], dict) else {"message": str(payload["error"])}
        except (ValueError, KeyError, TypeError):
            problem, payload = {"message": f"not the API's error format: {response.text[:120]!r}"}, {}
        kind = str(problem.get("type") or TYPE_OF_STATUS.get(status) or ("api_error" if status >= 500 else "http_error"))
        retryable = kind in RETRYABLE or status in RETRYABLE_STATUS or status >= 500
        details = problem.get("details")
        if isinstance(details, dict) and "spend" in str(details.get("error_code", "")):
            retryable = False  # a spend limit answers 429 too, and waiting does not lift it
        if headers.get("x-should-retry") in ("true", "false"):
            retryable = headers["x-should-retry"] == "true"
        return self._error(str(problem.get("message", "")), kind, status=status, retryable=retryable,
                           request_id=headers.get("request-id") or str(payload.get("request_id") or ""),
                           retry_after_s=_retry_after_s(headers))

    def _error(self, message: str, kind: str, **facts: Any) -> ApiError:
        for secret in self._secrets.values():
            message = message.replace(secret.get_secret_value(), "[key]")
        return ApiError(message, type=kind, **{"retryable": kind in RETRYABLE, **facts})


def _plain(secret: str | SecretStr | None) -> str:
    return secret.get_secret_value() if isinstance(secret, SecretStr) else secret or ""


def _retry_after_s(headers: httpx.Headers) -> float | None:
    """Seconds to wait: `retry-after-ms`, or `retry-after` as seconds or as an HTTP date; None if there is neither."""
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        after = headers.get("retry-after", "")
        if not after:
            return None
        if after.replace(".", "", 1).isdigit():
            return float(after)
        return max(0.0, email.utils.parsedate_to_datetime(after).timestamp() - time.time())
    except (ValueError, TypeError):
        return None


class Pools(httpx.AsyncBaseTransport):
    """Several connection pools as one transport: each request goes to the pool with the fewest under way.

    One pool looks through all its connections for every request, which is quadratic in a fan-out; a conversation
    alone stays on the first pool, and so on one connection.
    """

    def __init__(self, base_url: str, *, pools: int = 16) -> None:
        url = httpx.URL(base_url)
        proxy = None if proxy_bypass(url.host) else getproxies().get(url.scheme)
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=5)
        verify: Any = httpx.create_ssl_context() if url.scheme == "https" else False
        self._pools = [httpx.AsyncHTTPTransport(verify=verify, limits=limits, proxy=proxy) for _ in range(pools)]
        self._under_way = [0] * pools

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        chosen = self._under_way.index(min(self._under_way))
        self._under_way[chosen] += 1
        try:
            return await self._pools[chosen].handle_async_request(request)
        finally:
            self._under_way[chosen] -= 1

    async def aclose(self) -> None:
        for pool in self._pools:
            await pool.aclose()


def connect(mode: Mode | None = None, *, max_usd: Decimal | str | float | None = DEFAULT_MAX_USD,
            concurrency: int | None = None, **offline: Any) -> Client:
    """A client for the mode that was asked for: the argument, else WORKSHOP_MODEL, else offline.

    offline: the deterministic model; `offline` takes its settings: latency_ms, seed, faults, temperament.
    live:    the real service, with ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN, under the cap `max_usd`;
             or whatever server ANTHROPIC_BASE_URL names.
    local:   a server on this machine or network, at ANTHROPIC_BASE_URL; no key needed.
    Raises SetupError, in one line, when something is missing.
    """
    mode = mode or os.environ.get("WORKSHOP_MODEL") or "offline"  # type: ignore[assignment]
    if mode not in ("offline", "live", "local"):
        raise SetupError(f"the model is {mode!r}; expected offline, live or local (argument or WORKSHOP_MODEL)")
    if mode == "offline":
        from .offline import OfflineTransport

        return Client(OfflineTransport(**offline), concurrency=concurrency)
    if offline:
        raise SetupError(f"{', '.join(offline)}: only the offline model takes these settings; the mode is {mode}")
    base_url = os.environ.get("ANTHROPIC_BASE_URL", "")
    key, token = os.environ.get("ANTHROPIC_API_KEY"), os.environ.get("ANTHROPIC_AUTH_TOKEN")
    if mode == "local" and not base_url:
        raise SetupError("the model is local, but ANTHROPIC_BASE_URL is not set; set it to your server's address, "
                         "for example http://127.0.0.1:11434 for Ollama")
    if mode == "live" and not (key or token or base_url):
        raise SetupError("the model is live, but ANTHROPIC_API_KEY is not set; set it (or ANTHROPIC_BASE_URL for a "
                         "server of your own), or stay offline")
    base_url = base_url or "https://api.anthropic.com"
    try:
        url = httpx.URL(base_url)
    except httpx.InvalidURL:
        url = httpx.URL()
    if url.scheme not in ("http", "https") or not url.host:
        raise SetupError(f"ANTHROPIC_BASE_URL is {base_url!r}; expected an address such as http://127.0.0.1:11434")
    on_this_machine = url.host in ("localhost", "127.0.0.1", "::1")
    return Client(Pools(base_url), mode=mode, base_url=base_url, api_key=key or None, auth_token=token or None,
                  max_usd=None if max_usd is None else Decimal(str(max_usd)), concurrency=concurrency or 16,
                  unknown_price_ok=mode == "local" or on_this_machine)


def plain_http(mode: Mode | None = None, *, max_usd: Decimal | str | float | None = DEFAULT_MAX_USD,
               **offline: Any) -> httpx.Client:
    """A plain `httpx.Client` for the model that `connect` would choose: for those who write the wire themselves.

    Address, version and key are set: `client.post("/v1/messages", json={...})`. The dollar cap holds here too:
    raises Exhausted before a request that could pass it. No retries.
    """
    chosen = connect(mode, max_usd=max_usd, **offline)

    def reserve(request: httpx.Request) -> None:
        body = json.loads(request.content)
        model = str(body.get("model"))
        booked = chosen.ledger.reserve(most_tokens(request.content), int(body.get("max_tokens") or 1),
                                       lambda *tokens: cost(model, Usage(input_tokens=tokens[0], output_tokens=tokens[1])))
        if booked.output_tokens < int(body.get("max_tokens") or 1):
            chosen.ledger.settle(booked, Spent())
            raise Exhausted(f"the client's budget of ${chosen.ledger.budget.usd} does not allow {body['max_tokens']} more tokens")
        request.extensions["booked"] = model, booked

    def settle(response: httpx.Response) -> None:
        response.read()
        model, booked = response.request.extensions["booked"]
        usage = response.json().get("usage", {}) if response.is_success else {}
        chosen.ledger.settle(booked, spent_on(model, Usage.model_validate(usage)))

    return httpx.Client(base_url=chosen.base_url, headers=chosen.headers(), timeout=httpx.Timeout(600, connect=10),
                        transport=chosen._transport if chosen.mode == "offline" else None,
                        event_hooks={"request": [reserve], "response": [settle]})
