"""The client: one POST to a model, retried by the service's own rules and paid from a budget."""

from __future__ import annotations

import asyncio
import contextlib
import email.utils
import json
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, NamedTuple, NoReturn

import httpx
from pydantic import SecretStr, ValidationError

from ..core.budget import SMALLEST_ANSWER, Budget, Hold, Ledger
from ..core.wire import (
    ACCOUNT_HEADER,
    API_VERSION,
    NONSTREAMING_MAX_TOKENS,
    ApiError,
    Reply,
    Request,
)
from . import spending
from .backoff import before_next_try
from .models import demand_of, spent_on
from .redaction import Redaction
from .stream import Garbled, StreamedReply, begins_stream, is_stream, speech_under_way
from .texts import shortened
from .waiters import Slots

Mode = Literal["offline", "live", "local", "recorded"]
"""The kind of service; "recorded" replays a run, see `kernel.parts.journal.recording`."""

RETRYABLE_STATUS = {408, 409, 429}
"""Statuses to retry, besides every 5xx; used when the service does not name the error."""

TYPE_OF_STATUS = {
    400: "invalid_request_error",
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
"""The type of an error that the server does not name; any other 5xx is an `api_error`."""

STATUS_OF_TYPE = {kind: status for status, kind in TYPE_OF_STATUS.items()} | {"api_error": 500}
"""The usual status of each type of error, which may differ from that of the response."""

READ_S = 600.0
"""Seconds until a reply times out: between two chunks, for the whole body, and between two events
of a stream, pings not counted. Checked when a chunk arrives."""

TIMEOUTS = {"connect": 10.0, "read": READ_S, "write": 60.0, "pool": None}
"""Seconds. A model may think for minutes; httpx's own 5 seconds are made for web pages."""

NOT_SENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.UnsupportedProtocol,
    httpx.ProxyError,
)
"""Errors raised before the request was sent, which therefore cost nothing."""

OnRetry = Callable[[ApiError, float], Awaitable[None] | None]
"""Called after a failed attempt, with the error and the seconds until the next one."""

MAX_REPLY_BYTES = 32_000_000
"""The size limit of a reply."""

REST_S = 1.0
"""Seconds to read the rest of a stream after the reply is complete: only a connection that was read
to its end can be reused."""

MAX_RETRY_WAIT_S = 60.0
"""The longest `retry-after` that is followed; a longer one fails with an error that names it."""

MAX_MESSAGE = 4_000
"""Characters of a server's error message that are kept."""


@dataclass
class _Payment:
    """One request that is already charged: by the run that sends it, or by the process that this
    one works for."""

    content: bytes
    account: Ledger | None
    is_used: bool = False

    def is_for(self, request: Request, account: Ledger) -> bool:
        """True the first time, if the request and the account are the paid ones."""
        is_it = self.content == request.content and self.account in (None, account)
        return is_it and not self.is_used


_payment: ContextVar[_Payment | None] = ContextVar("payment", default=None)


@contextlib.contextmanager
def paid(request: Request, account: Ledger | None = None) -> Iterator[None]:
    """Within the block, this request is sent once without a further charge.

    account: the ledger that was charged; None for any.
    """
    token = _payment.set(_Payment(request.content, account))
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):  # garbage collection closes it in another context
            _payment.reset(token)


class SetupError(ValueError):
    """A connection cannot be made with these settings; the message says what is missing."""


class _Unreadable(Exception):
    """A reply was received and cannot be read; the message says why."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class _Answer(NamedTuple):
    """A complete response of a server."""

    status: int
    headers: httpx.Headers
    body: bytes
    """The body; for a stream, the reply that it adds up to, or the error in it."""
    has_begun: bool = False
    """True if the reply had begun before the error."""


class Client(contextlib.AbstractAsyncContextManager["Client"]):
    """A connection to one server, for any thread and event loop; `async with` closes it.

    transport:   an httpx transport; the offline model is one. Requests go straight to it: a turn
                 needs none of the redirects, cookies and auth flows of `httpx.AsyncClient`, which
                 cost as much as the turn.
    max_usd:     a cap of this client. The requests of a client that is live, or has a key, also
                 count against the limit of the process (`kernel.plumbing.spending`).
    concurrency: how many requests may be under way at once; None for any number.
    """

    def __init__(
        self,
        transport: httpx.AsyncBaseTransport,
        *,
        mode: Mode = "offline",
        base_url: str = "http://offline",
        api_key: str | None = None,
        auth_token: str | None = None,
        max_usd: Decimal | str | None = None,
        unknown_price_ok: bool = True,
        concurrency: int | None = None,
        retries: int = 2,
        sleep: Callable[[float], Awaitable[None]] | None = None,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.transport = transport
        self.mode = mode
        self.base_url = base_url.rstrip("/")
        if retries < 0:
            raise ValueError(f"retries is {retries}; expected 0 or more further tries")
        if concurrency is not None and concurrency < 1:
            raise ValueError(f"concurrency is {concurrency}; expected at least 1, or None")
        self.retries = retries
        self.slots: contextlib.AbstractAsyncContextManager[None] = (
            Slots(concurrency) if concurrency else contextlib.nullcontext()
        )
        cap = Budget.model_validate({"usd": max_usd})
        self.ledger = Ledger(cap, owner="the client", unknown_price_ok=unknown_price_ok)
        """The ledger of the work; replies that a journal replays are charged here, too."""
        self.pays = mode == "live" or bool(api_key or auth_token)
        """True if requests may be billed to somebody."""
        self.billed = Ledger(
            cap,
            spending.ledger() if self.pays else None,
            owner="the client",
            unknown_price_ok=unknown_price_ok,
        )
        """The ledger of the requests that are really sent."""
        self._sleep = sleep or asyncio.sleep
        self._jitter = jitter
        self._url = httpx.URL(f"{self.base_url}/v1/messages")
        if self._url.userinfo or self._url.query or self._url.fragment:  # maybe a secret: not shown
            raise SetupError(
                "the base URL holds a name, a password, a query or a fragment; expected none"
            )
        self.public_headers = {
            "host": self._url.netloc.decode("ascii"),
            "user-agent": "supervisor-workshop",
            "accept": "application/json",
            "accept-encoding": "identity",  # a compressed reply has no bound
            "content-type": "application/json",
            "anthropic-version": API_VERSION,
        }
        secrets = {
            "x-api-key": api_key,
            "authorization": f"Bearer {auth_token}" if auth_token else None,
        }
        self._secrets = {name: SecretStr(value) for name, value in secrets.items() if value}
        self._redaction = Redaction(key for key in (api_key, auth_token) if key)
        odd = not all(
            value.isascii() and value.isprintable() for value in secrets.values() if value
        )
        del api_key, auth_token, secrets  # a traceback may show what its frames hold
        if odd:
            raise SetupError(
                "the key holds a character that cannot stand in an HTTP header; copy it again"
            )

    def __repr__(self) -> str:
        cap = self.ledger.budget.usd
        return f"Client(mode={self.mode!r}, base_url={self.base_url!r}, max_usd={cap})"

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a Client stays in its process, with its key and its cap; "
            "call connect() in the process that does the work"
        )

    async def __aexit__(self, *exc_info: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        await self.transport.aclose()

    async def send(
        self,
        request: Request | dict[str, Any],
        *,
        on_retry: OnRetry | None = None,
    ) -> Reply:
        """Sends one request, with retries by the service's rules; returns the reply.

        request:  a Request, or the body of one.
        on_retry: called before each retry with the error and the seconds until then; an awaitable
                  that it returns is awaited first.

        Raises ApiError when the last attempt fails, and Exhausted before an attempt that could
        exceed a limit in dollars.
        """
        request = Request.of(request)
        payment = _payment.get()
        if payment and payment.is_for(request, self.billed):
            payment.is_used = True
            return await self._tried(request, on_retry)
        if not self.pays:
            return await self._tried(request, on_retry)
        with await held(self.billed, request, least=request.max_tokens) as hold:

            async def charge(error: ApiError, wait_s: float) -> None:
                if on_retry and (answer := on_retry(error, wait_s)):
                    await answer
                hold.retry(billable=error.billable)

            hold.begin()
            try:
                reply = await self._tried(request, charge)
            except ApiError as error:
                hold.failed(billable=error.billable)
                raise
            hold.settle(spent_on(request.model, reply.usage))
            return reply

    async def hand_out(self, specialist: str, limit: int) -> int | None:
        """Counts a handoff to elsewhere, if this client does it for its run; see `Run.hand_out`.
        None, as here, leaves it to the run.
        """
        return None

    def prepare(self, request: Request) -> Request:
        """Returns the request to send in place of a run's request; the run pays for it."""
        return request

    def bills(self, request: Request) -> bool:
        """True if a request is billed to somebody; False if it is answered without being sent."""
        return self.pays

    async def _tried(self, request: Request, on_retry: OnRetry | None) -> Reply:
        """The reply to one request, after as many attempts as the service's rules allow."""
        attempt = 0
        while True:
            outcome = await self._send_once(request)
            if isinstance(outcome, Reply):
                return outcome
            attempt += 1
            wait_s = before_next_try(outcome.retry_after_s, attempt, self._jitter)
            if not outcome.retryable or attempt > self.retries or wait_s > MAX_RETRY_WAIT_S:
                raise outcome
            if on_retry and (answer := on_retry(outcome, wait_s)):
                await answer
            await self._sleep(wait_s)

    async def _send_once(self, request: Request) -> Reply | ApiError:
        """One attempt. Errors are returned, not raised: frames of a traceback hold the key."""
        try:
            answer = await self._exchange(request)
        except (httpx.TransportError, httpx.DecodingError) as problem:
            return self._lost(problem)
        except _Unreadable as problem:
            return self._unreadable(problem)
        except Exception as bug:
            if self._secrets:
                _drop_frames(bug)
            raise
        if answer.status != 200:
            return self._refused(answer)
        return self._reply(answer)

    async def _exchange(self, request: Request) -> _Answer:
        """Sends a request; streams the reply if somebody listens, or if it may be long. Returns the
        response, in which the key is redacted."""
        speech = speech_under_way()
        content = request.content
        if (speech and speech.is_heard) or request.max_tokens > NONSTREAMING_MAX_TOKENS:
            content = request.streamed
        # `stream=` takes the headers unchanged; `content=` would go through all of them twice more
        posted = httpx.Request(
            "POST",
            self._url,
            headers={**self.headers(), "content-length": str(len(content))},
            stream=httpx.ByteStream(content),
            extensions={"timeout": TIMEOUTS},
        )
        response = await self.transport.handle_async_request(posted)
        reply = StreamedReply()
        if speech:
            speech.begin(reply, self._redaction.so_far)
        try:
            body = await _read(response, reply)
        finally:
            if speech:
                speech.bill(reply)
            await response.aclose()
        status, headers = response.status_code, response.headers
        return _Answer(status, headers, self._redaction.replaced(body), reply.has_begun)

    def _reply(self, answer: _Answer) -> Reply | ApiError:
        headers, body = answer.headers, answer.body
        try:
            reply = Reply.model_validate_json(body)
        except ValidationError as problem:
            if _is_error(_payload(body)):
                return self._refused(answer)
            first = problem.errors(include_url=False, include_input=False)[0]["msg"]
            content_type = headers.get("content-type", "no content type")
            given = f"something that is not a reply ({content_type}; {first}): {_excerpt(body)}"
            return self._error(
                f"the server answered 200 with {given}; check the base URL",
                "invalid_reply",
                status=200,
                billable=True,
            )
        account = self._account(headers)
        if account is None and reply.account is None:
            return reply
        return reply.model_copy(update={"account": account})

    def _account(self, headers: httpx.Headers) -> dict[str, Any] | None:
        """Returns the offline model's account of the request; None if the header is missing or
        invalid.
        """
        text = headers.get(ACCOUNT_HEADER)
        if text is None:
            return None
        try:
            account = json.loads(self._redaction.replaced(text.encode()))
        except (ValueError, RecursionError):
            return None
        return account if isinstance(account, dict) else None

    def headers(self) -> dict[str, str]:
        """Returns the headers of every request of this client. They include the key: send them,
        never show them.
        """
        return self.public_headers | {
            name: secret.get_secret_value() for name, secret in self._secrets.items()
        }

    def _lost(self, problem: Exception) -> ApiError:
        """The error for a request that failed in transport."""
        billable = not isinstance(problem, NOT_SENT)
        if isinstance(problem, httpx.TimeoutException):
            message = f"no reply in time ({type(problem).__name__})"
            return self._error(message, "timeout_error", retryable=True, billable=billable)
        message = f"{str(problem) or type(problem).__name__} ({self.base_url})"
        return self._error(message, "connection_error", retryable=True, billable=billable)

    def _unreadable(self, problem: _Unreadable) -> ApiError:
        """The error for a reply that cannot be read."""
        done = problem.status == 200
        return self._error(
            str(problem),
            "invalid_reply" if done else _type_of(problem.status),
            status=problem.status,
            billable=done,
            retryable=not done and _may_pass(problem.status),
        )

    def _refused(self, answer: _Answer) -> ApiError:
        """The error that a server answered with, whatever the status. Its type decides on retries.
        It is billable only if a reply had begun."""
        status, headers, body, has_begun = answer
        payload = _payload(body)
        problem = payload.get("error")
        if isinstance(problem, str):
            problem = {"message": problem}
        if not isinstance(problem, dict):
            problem = {"message": f"not the API's error format: {_excerpt(body)}"}
        code = problem.get("code")  # other dialects say the status there
        meant = code if type(code) is int and code >= 400 else status
        kind = str(problem.get("type") or _type_of(meant))
        # a spend limit answers 429 too, and waiting does not lift it
        spend_limit = "spend" in str(problem.get("details"))
        waiting_helps = not spend_limit and _may_pass(STATUS_OF_TYPE.get(kind, meant))
        asked_for = {"true": True, "false": False}.get(headers.get("x-should-retry", ""))
        request_id = headers.get("request-id") or payload.get("request_id") or ""
        return self._error(
            str(problem.get("message") or "the server did not say why"),
            kind,
            status=status,
            retryable=waiting_helps if asked_for is None else asked_for,
            billable=has_begun,
            request_id=request_id if isinstance(request_id, str) else "",
            retry_after_s=_retry_after_s(headers),
        )

    def _error(self, message: str, kind: str, *, request_id: str = "", **facts: Any) -> ApiError:
        clean = self._redaction.replaced_in_text
        return ApiError(
            shortened(clean(message), MAX_MESSAGE),
            type=shortened(clean(kind), MAX_MESSAGE),
            request_id=shortened(clean(request_id), MAX_MESSAGE),
            **facts,
        )


async def held(
    ledger: Ledger,
    request: Request,
    *,
    least: int = SMALLEST_ANSWER,
    on_wait: Callable[[str, int], None] | None = None,
) -> Hold:
    """Reserves what a request may cost; see `Ledger.hold_when_free`.

    Does not wait within the sending of another request, which may hold the money.
    """
    demand = demand_of(request.size)
    if _payment.get():
        return ledger.hold(demand, least=least)
    return await ledger.hold_when_free(demand, least=least, on_wait=on_wait)


class WrappedClient(Client):
    """A client that wraps a client: it changes what `send` does and delegates the rest.

    Subclasses override `send` and call `self.wrapped.send`. Override `bills`, too, to answer a
    request without sending it, and `prepare` to change the request: a run pays before it sends. A
    further request within `send` is charged in addition, and refused when there is no room for
    both. Ledger, slots, mode and address are always those of the wrapped client.
    """

    def __init__(self, client: Client) -> None:
        self.wrapped = client

    def __getattr__(self, name: str) -> Any:  # Any: whatever the wrapped client has
        if name == "wrapped":  # not set: the object is being copied or is half made
            raise AttributeError(name)
        return getattr(self.wrapped, name)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.wrapped!r})"

    def headers(self) -> dict[str, str]:
        return self.wrapped.headers()

    async def aclose(self) -> None:
        await self.wrapped.aclose()

    async def send(
        self,
        request: Request | dict[str, Any],
        *,
        on_retry: OnRetry | None = None,
    ) -> Reply:
        return await self.wrapped.send(request, on_retry=on_retry)

    def prepare(self, request: Request) -> Request:
        return self.wrapped.prepare(request)

    def bills(self, request: Request) -> bool:
        return self.wrapped.bills(request)

    async def hand_out(self, specialist: str, limit: int) -> int | None:
        return await self.wrapped.hand_out(specialist, limit)


def _drop_frames(problem: BaseException) -> None:
    """Drops the tracebacks of an exception and of its causes: their frames hold the key."""
    seen: set[int] = set()
    todo: list[BaseException | None] = [problem]
    while todo:
        behind = todo.pop()
        if behind and id(behind) not in seen:
            seen.add(id(behind))
            behind.__traceback__ = None
            todo += [behind.__cause__, behind.__context__]


async def _read(response: httpx.Response, reply: StreamedReply) -> bytes:
    """Reads the body; for a stream, the reply that it adds up to. Raises _Unreadable for a body
    that is compressed, too long or garbled."""
    encoding = response.headers.get("content-encoding", "identity")
    if encoding.strip().lower() not in ("", "identity"):
        raise _Unreadable(
            response.status_code,
            f"the server packed its reply ({shortened(encoding, 40)}), though it was asked not to",
        )
    streams = is_stream(response.headers.get("content-type", ""))
    bounds = _Bounds(response.status_code)
    chunks: list[bytes] = []
    stream = aiter(response.stream)  # type: ignore[arg-type]  # asked for asynchronously
    try:
        async for chunk in stream:
            bounds.check(chunk)
            streams = streams or (not chunks and begins_stream(chunk))
            if not streams:
                chunks.append(chunk)
            elif reply.read(chunk):
                bounds.begin_anew()
            if reply.has_ended:
                await _drop_rest(stream)
                break
    except Garbled as problem:
        raise _Unreadable(response.status_code, str(problem)) from None
    except httpx.TransportError:
        if not reply.is_whole:
            raise
    if not streams:
        return b"".join(chunks)
    if not reply.has_ended and not reply.is_whole:
        raise httpx.RemoteProtocolError("the stream ended before the reply did")
    return reply.as_json()


class _Bounds:
    """The limits of one reply: its size and its time."""

    def __init__(self, status: int) -> None:
        self._status = status
        self._size = 0
        self.begin_anew()

    def begin_anew(self) -> None:
        """Restarts the time."""
        self._latest = time.monotonic() + READ_S

    def check(self, chunk: bytes) -> None:
        """Counts a chunk. Raises _Unreadable or ReadTimeout."""
        self._size += len(chunk)
        if self._size > MAX_REPLY_BYTES:
            raise _Unreadable(self._status, f"the reply is longer than {MAX_REPLY_BYTES:,} bytes")
        if time.monotonic() > self._latest:
            raise httpx.ReadTimeout("the reply came too slowly")


async def _drop_rest(stream: AsyncIterator[bytes]) -> None:
    """Reads and drops the rest of a stream, for a moment."""
    with contextlib.suppress(TimeoutError, httpx.TransportError):
        async with asyncio.timeout(REST_S):
            async for _ in stream:
                pass


def _payload(body: bytes) -> dict[str, Any]:
    """The JSON object of a body; empty if it is none."""
    try:
        payload = json.loads(body.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return {}
    return payload if isinstance(payload, dict) else {}


def _is_error(payload: dict[str, Any]) -> bool:
    """True for an error object of the API or of another dialect."""
    return payload.get("type") == "error" or (
        bool(payload.get("error")) and "content" not in payload
    )


def _excerpt(body: bytes) -> str:
    """The beginning of an unexpected body, quoted."""
    return repr(shortened(body[:480].decode("utf-8", "replace"), 120))


def _may_pass(status: int) -> bool:
    """True if the same request may succeed later."""
    return status in RETRYABLE_STATUS or status >= 500


def _type_of(status: int) -> str:
    return TYPE_OF_STATUS.get(status, "api_error" if status >= 500 else "http_error")


def _retry_after_s(headers: httpx.Headers) -> float | None:
    """Seconds to wait: `retry-after-ms`, or `retry-after` as seconds or as an HTTP date; None if
    neither is there."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1)):
        with contextlib.suppress(KeyError, ValueError):
            seconds = float(headers[name]) * unit
            if 0 <= seconds < float("inf"):
                return seconds
    with contextlib.suppress(KeyError, ValueError, OverflowError, TypeError):
        date = email.utils.parsedate_to_datetime(headers["retry-after"])
        return max(0.0, date.timestamp() - time.time())
    return None
