"""The way to a model: one POST, retried by the service's own rules; `connect()` chooses offline, live or local.

Offline is the default even when a key is in the environment: money is spent only by explicit choice, and
under a hard dollar cap.
"""

from __future__ import annotations

import asyncio
import contextlib
import email.utils
import os
import random
import time
from collections.abc import Awaitable, Callable
from decimal import Decimal
from itertools import count
from typing import Any, Literal
from urllib.request import getproxies, proxy_bypass

import httpx
from pydantic import SecretStr, ValidationError

from .budget import Budget, Ledger
from .wire import API_VERSION, NONSTREAMING_MAX_TOKENS, ApiError, Reply, encode

Mode = Literal["offline", "live", "local"]

RETRYABLE_STATUS = {408, 409, 429}
"""And every 5xx; the service's `x-should-retry` header comes before either."""

TYPE_OF_STATUS = {400: "invalid_request_error", 401: "authentication_error", 402: "billing_error",
                  403: "permission_error", 404: "not_found_error", 408: "timeout_error", 409: "conflict_error",
                  413: "invalid_request_error", 429: "rate_limit_error", 504: "timeout_error", 529: "overloaded_error"}
"""For servers that do not say; any other 5xx is an `api_error`."""

TIMEOUTS = {"connect": 10.0, "read": 600.0, "write": 60.0, "pool": None}
"""Seconds. A model may think for minutes; httpx's own 5 seconds are made for web pages."""

NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol, httpx.ProxyError)
"""These come before a request has left: it cannot have cost anything."""

DEFAULT_MAX_USD = Decimal("0.50")


class SetupError(ValueError):
    """The connection that was asked for cannot be made; the message says what is missing."""


class Client(contextlib.AbstractAsyncContextManager):
    """A connection to one server. Use it inside one event loop; `async with` closes it.

    transport:   an httpx transport; the offline model is one. Requests go straight to it: a turn needs none of
                 the redirects, cookies and auth flows of `httpx.AsyncClient`, which cost as much as the turn.
    max_usd:     a hard cap for everything that this client ever sends; None for no cap.
    concurrency: how many requests may be under way at once; None for any number.
    """

    def __init__(self, transport: httpx.AsyncBaseTransport, *, mode: Mode = "offline", base_url: str = "http://offline",
                 api_key: str | None = None, auth_token: str | None = None, max_usd: Decimal | str | None = None,
                 unknown_price_ok: bool = True, concurrency: int | None = None, retries: int = 2,
                 sleep: Callable[[float], Awaitable[None]] | None = None, jitter: Callable[[], float] = random.random) -> None:
        self.mode, self.base_url, self.retries = mode, base_url.rstrip("/"), retries
        self.slots = asyncio.Semaphore(concurrency) if concurrency else contextlib.nullcontext()
        self.ledger = Ledger(Budget(usd=max_usd), owner="client", unknown_price_ok=unknown_price_ok)
        self.transport, self._sleep, self._jitter = transport, sleep or asyncio.sleep, jitter
        self._url = httpx.URL(f"{self.base_url}/v1/messages")
        self.public_headers = {"host": self._url.netloc.decode("ascii"), "user-agent": "supervisor-workshop",
                         "accept": "application/json", "content-type": "application/json", "anthropic-version": API_VERSION}
        secrets = {"x-api-key": api_key, "authorization": f"Bearer {auth_token}" if auth_token else None}
        self._secrets = {name: SecretStr(value) for name, value in secrets.items() if value}
        odd = not all(value.isascii() and value.isprintable() for value in secrets.values() if value)
        del api_key, auth_token, secrets  # a traceback may show what its frames hold
        if odd:
            raise SetupError("the key holds a character that cannot stand in an HTTP header; copy it again")

    def __repr__(self) -> str:
        return f"Client(mode={self.mode!r}, base_url={self.base_url!r}, max_usd={self.ledger.budget.usd})"

    async def __aexit__(self, *exc_info: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        await self.transport.aclose()

    async def send(self, body: dict[str, Any], *, content: bytes | None = None,
                   on_retry: Callable[[ApiError, float], None] | None = None) -> Reply:
        """Sends one request, again where the service's rules allow it; returns the reply.

        `content` is the encoded body where the caller has it already. Raises ApiError when the last try fails.
        """
        if body.get("max_tokens", 0) > NONSTREAMING_MAX_TOKENS:
            raise ValueError(f"max_tokens is {body['max_tokens']}; a request that is not streamed may ask for at "
                             f"most {NONSTREAMING_MAX_TOKENS}: lower it")
        content = content or encode(body)
        for attempt in count():
            try:
                return await self._send_once(content)
            except ApiError as error:
                if not error.retryable or attempt == self.retries:
                    raise
                own = min(0.5 * 2**attempt, 8.0) * (1 - 0.25 * self._jitter())
                wait_s = own if error.retry_after_s is None else error.retry_after_s
                if on_retry:
                    on_retry(error, wait_s)
            await self._sleep(wait_s)

    async def _send_once(self, content: bytes) -> Reply:
        # `stream=` takes the headers as they are; `content=` would go through all of them twice more, at every turn
        request = httpx.Request("POST", self._url, headers={**self.headers(), "content-length": str(len(content))},
                                stream=httpx.ByteStream(content), extensions={"timeout": TIMEOUTS})
        lost: dict[str, Any] = {}
        try:
            async with contextlib.aclosing(await self.transport.handle_async_request(request)) as response:
                await response.aread()
        except (httpx.TransportError, httpx.DecodingError) as error:
            lost = {"message": f"{str(error) or type(error).__name__} ({self.base_url})", "kind": "connection_error",
                    "billable": not isinstance(error, NOT_SENT)}
            if isinstance(error, httpx.TimeoutException):
                lost |= {"message": f"no reply in time ({type(error).__name__})", "kind": "timeout_error"}
        if lost:  # raised out here, so that nothing leads back to the transport's error, whose request holds the key
            raise self._error(**lost, retryable=True)
        if response.status_code != 200:
            raise self._error_of(response)
        try:
            return Reply.model_validate_json(response.content)
        except ValidationError as error:
            what = response.headers.get("content-type", "no content type")
            first = error.errors(include_url=False, include_input=False)[0]["msg"]
            raise self._error(f"the server answered 200 with something that is not a reply ({what}; {first}): "
                              f"{response.text[:120]!r}; check the base URL", "invalid_reply", status=200, billable=True) from None

    def headers(self) -> dict[str, str]:
        """What every request of this client carries, the key included: for sending, never for showing."""
        return self.public_headers | {name: secret.get_secret_value() for name, secret in self._secrets.items()}

    def _error_of(self, response: httpx.Response) -> ApiError:
        headers, status = response.headers, response.status_code
        try:
            payload = response.json()
            problem = payload["error"] if isinstance(payload["error"], dict) else {"message": payload["error"]}
        except (ValueError, KeyError, TypeError, RecursionError):
            payload, problem = {}, {"message": f"not the API's error format: {response.text[:120]!r}"}
        kind = problem.get("type") or TYPE_OF_STATUS.get(status, "api_error" if status >= 500 else "http_error")
        # a spend limit answers 429 too, and waiting does not lift it
        waiting_helps = "spend" not in str(problem.get("details")) and (status in RETRYABLE_STATUS or status >= 500)
        return self._error(str(problem.get("message") or "the server did not say why"), str(kind), status=status,
                           retryable={"true": True, "false": False}.get(headers.get("x-should-retry"), waiting_helps),
                           request_id=headers.get("request-id") or payload.get("request_id") or "",
                           retry_after_s=_retry_after_s(headers))

    def _error(self, message: str, kind: str, **facts: Any) -> ApiError:
        facts |= {"message": message, "type": kind}
        for secret in self._secrets.values():  # a server may echo it anywhere
            key = secret.get_secret_value().removeprefix("Bearer ")
            facts |= {name: text.replace(key, "[key]") for name, text in facts.items() if isinstance(text, str)}
        return ApiError(**facts)


def _retry_after_s(headers: httpx.Headers) -> float | None:
    """Seconds to wait: `retry-after-ms`, or `retry-after` as seconds or as an HTTP date; None if there is neither."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1)):
        with contextlib.suppress(KeyError, ValueError):
            if 0 <= (seconds := float(headers[name]) * unit) < float("inf"):
                return seconds
    with contextlib.suppress(KeyError, ValueError):
        return max(0.0, email.utils.parsedate_to_datetime(headers["retry-after"]).timestamp() - time.time())
    return None


def pool_for(url: httpx.URL) -> httpx.AsyncHTTPTransport:
    """Connections to one server, as many as a fan-out asks for. Few are kept afterwards: httpx looks through all
    that it keeps at every request, which with hundreds costs more than opening new ones."""
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=20)
    return httpx.AsyncHTTPTransport(limits=limits, proxy=proxy_for(url))


def proxy_for(url: httpx.URL) -> str | None:
    """The proxy that the environment names for an address, if any."""
    return None if proxy_bypass(url.host) else getproxies().get(url.scheme)


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
    try:
        cap = Budget(usd=None if max_usd is None else str(max_usd)).usd
    except ValidationError:
        raise SetupError(f"max_usd (--max-usd) is {str(max_usd)!r}; expected an amount in dollars, for example 0.50") from None
    if mode not in ("offline", "live", "local"):
        raise SetupError(f"the model is {mode!r}; expected offline, live or local (argument or WORKSHOP_MODEL)")
    if mode == "offline":
        from .offline import OfflineTransport

        return Client(OfflineTransport(**offline), concurrency=concurrency)
    if offline:
        raise SetupError(f"{', '.join(offline)}: only the offline model takes these settings; the mode is {mode}")
    base_url = os.environ.get("ANTHROPIC_BASE_URL")
    if mode == "local" and not base_url:
        raise SetupError("the model is local, but ANTHROPIC_BASE_URL is not set; set it to your server's address, "
                         "for example http://127.0.0.1:11434 for Ollama")
    if not (base_url or os.environ.get("ANTHROPIC_API_KEY") or os.environ.get("ANTHROPIC_AUTH_TOKEN")):
        raise SetupError("the model is live, but ANTHROPIC_API_KEY is not set; set it (or ANTHROPIC_BASE_URL for a "
                         "server of your own), or stay offline")
    base_url, url = base_url or "https://api.anthropic.com", httpx.URL()
    with contextlib.suppress(httpx.InvalidURL):
        url = httpx.URL(base_url)
    if url.userinfo:  # not shown, since it is a secret
        raise SetupError("ANTHROPIC_BASE_URL holds a name or a password; put the secret into ANTHROPIC_AUTH_TOKEN")
    if url.scheme not in ("http", "https") or not url.host or not 0 < (url.port or 80) < 65536:
        raise SetupError(f"ANTHROPIC_BASE_URL is {base_url!r}; expected an address such as http://127.0.0.1:11434")
    nobody_is_billed = mode == "local" or url.host in ("localhost", "127.0.0.1", "::1")
    return Client(pool_for(url), mode=mode, base_url=base_url, api_key=os.environ.get("ANTHROPIC_API_KEY"),
                  auth_token=os.environ.get("ANTHROPIC_AUTH_TOKEN"), concurrency=concurrency or 16, max_usd=cap,
                  unknown_price_ok=nobody_is_billed)
