"""The border to a specialist elsewhere, over plain HTTP: a Handoff goes out, a Result comes back.

    with serve_handoffs(reviewer, port=8770, token=token, budget=Budget(calls=4)) as server:
        far = RemoteSpecialist("reviewer", "Finds faults in drafts.", server.url, token, Verdict)
        team = DeterministicSupervisor(researcher, writer, far)

The response is untrusted: it is checked, and long texts are cut. A budget can promise two things
across the border, how many handoffs go out and how long each is waited for; it cannot promise
dollars. What the far side says that it spent is a note of the run and stands in no ledger.

Tokens and texts cross the wire as they are: between machines, put TLS in front of the server.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import io
import math
import os
import re
import socket
import threading
import time
import traceback
import uuid
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from decimal import Decimal
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from typing import Any
from weakref import WeakKeyDictionary

import httpx
from pydantic import BaseModel, Field, ValidationError

from ...core.budget import Budget
from ...core.contract import Executable, Handoff, Result
from ...core.run import Run
from ...plumbing.client import Client, SetupError
from ...plumbing.connections import connect
from ...plumbing.network import address_of, pool_for
from ...plumbing.texts import as_plain, cut, shortened
from ...plumbing.trace import counted, dollars

MAX_BODY_BYTES = 1_000_000
"""Bytes of a handoff, or of a result, that are read."""
MOST_CHARACTERS = 20_000
"""Characters of one text of a result: a far side does not know the budget of its caller."""
MOST_ARTIFACTS = 20
MOST_SAID = 300
"""Characters of what the far side says on a failure."""
MOST_AT_ONCE = 16
"""Handoffs that one server works on at the same time."""
IDLE_S = 60
"""A connection on which nothing is sent for so long is closed."""
WHOLE_S = 120
"""A request that has not arrived whole after so long is given up, however its bytes drip."""
LINGER_S = 1
KEPT_S = 3_600.0
"""Seconds that an answer is kept for a request with the same id."""
MOST_KEPT = 1_000
MOST_KEPT_BYTES = 64_000_000

SECONDS = "handoff-seconds"
"""The header with which a deadline travels: the seconds that the caller waits."""
HANDOFF_ID = "handoff-id"
"""The header with the identity of a handoff."""
ID = re.compile(r"[A-Za-z0-9._-]{0,200}")
TOKEN = re.compile(r"[A-Za-z0-9._~+/=-]{16,4096}")
HIDDEN = "[the token]"
LARGEST_CLAIM = 1_000_000_000


class RemoteAnswer(Result):
    """A result as it crosses the border, with what the far side says that it spent."""

    retry_after_s: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    calls: int = Field(default=0, ge=0, le=LARGEST_CLAIM)
    usd: Decimal = Field(default=Decimal(0), ge=0, le=LARGEST_CLAIM, allow_inf_nan=False)
    unpriced: int = Field(default=0, ge=0, le=LARGEST_CLAIM)
    """The calls whose price is not known there."""

    @property
    def cost(self) -> Decimal | None:
        """Dollars, or None when they are not known there, or not said."""
        return self.usd if "usd" in self.model_fields_set and not self.unpriced else None

    def claim(self) -> str:
        """Returns the calls and dollars spent there, for a reader; what is missing is unknown, not
        0."""
        known = "calls" in self.model_fields_set
        calls = counted(self.calls, "call") if known else "an unknown number of calls"
        cost = "an unknown amount" if self.cost is None else dollars(self.cost)
        return f"{calls} and {cost}"


def _check_token(token: str) -> None:
    """Raises ValueError, without the token, for one that is too short or no bearer token."""
    if not TOKEN.fullmatch(token):
        raise ValueError(
            "the token cannot be used; expected 16 to 4,096 letters, digits and signs of . _ ~ + /"
            " = -, for instance from secrets.token_urlsafe()"
        )


# ── the near side ─────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class RemoteSpecialist:
    """A specialist behind a URL, as an executable of a team here.

    output:    the model that its output has to be; without one, any text or data.
    seconds:   how long one handoff may take; a shorter deadline of the run holds, and the far side
               is told the shorter of the two.
    handoffs:  how many may go out in one run; a further one ends as `exhausted`, as one does that
               passes `Budget.handoffs`, the cap of all that go elsewhere.
    transport: of httpx, for tests; without one, a connection is opened.

    A deadline of the run ends as `exhausted`, nobody there or a connection that breaks as a
    transient failure, and an answer that is no result of the agreed kind as a failure: a sentence
    each. A question of the far side to a person is a failure, since no answer can travel back.
    Nothing tells the far side to stop; a caller that gives up leaves a note that says so.

    A handoff has an id, which stays the same until an answer has come: for the tries of a guard,
    and over a journal for a run that is resumed. So a far side of ours gives an answer that was
    lost once more, and does not work twice.

    Raises ValueError for a URL or a token that cannot be used.
    """

    name: str
    description: str
    url: str
    token: str = field(repr=False)
    output: type[BaseModel] | None = None
    seconds: float = 600.0
    handoffs: int = 20
    transport: httpx.AsyncBaseTransport | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        _check_token(self.token)
        if address_of(self.url) is None:
            raise ValueError(
                f"the url of {self.name} cannot be used; expected http:// or https://, a host and a"
                " path, without a password, a query or a fragment"
            )

    @property
    def where(self) -> str:
        """The host and port, for a reader."""
        return httpx.URL(self.url).netloc.decode("ascii")

    @property
    def _left_alone(self) -> str:
        return (
            f"{self.name} elsewhere is not told to stop: unless it keeps the deadline that it was"
            " given, it works to its end, and what that costs is not known here"
        )

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        """Sends the handoff and returns what came back, as far as it can be believed."""
        number = await run.hand_out(self.name, self.handoffs)
        identity = _identity_of(run, handoff)
        left = run.seconds_left
        seconds = self.seconds if left is None else min(left, self.seconds)
        run.note(
            f"handoff {number} of at most {self.handoffs} goes to {self.where}; what it costs there"
            " is in no budget here",
            about="border",
            seconds=round(seconds, 3),
        )
        try:
            async with asyncio.timeout(self.seconds):
                status, body = await self._post(handoff, seconds, identity.of(self))
        except SetupError as problem:
            return self._failed(str(problem))
        except (httpx.HTTPError, httpx.InvalidURL) as problem:
            return self._failed(str(problem) or type(problem).__name__, transient=True)
        except TimeoutError:
            run.note(self._left_alone, about="elsewhere")
            return self._failed(f"no answer in {self.seconds:g} s", transient=True)
        except asyncio.CancelledError:  # our deadline, or our caller
            run.note(self._left_alone, about="elsewhere")
            raise
        result = self._believed(status, body, run)
        if not result.transient:
            identity.answered[self] += 1
        return result

    async def _post(self, handoff: Handoff, seconds: float, id: str) -> tuple[int, bytes]:
        """The status and the body, of which one byte more than allowed is read. No redirect is
        followed: the token would go along."""
        headers = {
            "authorization": f"Bearer {self.token}",
            "content-type": "application/json",
            "accept-encoding": "identity",
            SECONDS: f"{seconds:.3f}",
            HANDOFF_ID: id,
        }
        transport = self.transport or pool_for(httpx.URL(self.url))
        content = handoff.model_dump_json()
        async with (
            httpx.AsyncClient(transport=transport, timeout=None) as client,
            client.stream("POST", self.url, content=content, headers=headers) as response,
        ):
            body = b""
            async for piece in response.stream:  # type: ignore[union-attr]
                body += piece
                if len(body) > MAX_BODY_BYTES:
                    break
            return response.status_code, body[: MAX_BODY_BYTES + 1]

    def _believed(self, status: int, body: bytes, run: Run) -> Result:
        """The result that a response stands for."""
        if len(body) > MAX_BODY_BYTES:
            return self._failed(f"its answer has more than {MAX_BODY_BYTES:,} bytes")
        if status != 200:
            return self._failed(_why(status, self._parsed(body)), transient=_is_passing(status))
        answer = self._parsed(body)
        if isinstance(answer, str):
            return self._failed(f"it answered something that is no result: {answer}")
        run.note(
            f"{self.name} says that it spent {answer.claim()} there",
            about="elsewhere",
            calls=answer.calls,
            usd=None if answer.cost is None else str(answer.cost),
        )
        changes: dict[str, Any] = {"by": "", "reason": "", "transient": False}
        if not answer.ok:
            changes |= {"transient": answer.transient, "reason": f"{self.name} says: "}
            changes["reason"] += shortened(answer.reason, MOST_SAID) or answer.status
        if answer.status == "paused":
            changes |= {"status": "failed"}
            changes["reason"] += "; its question cannot be answered over this border"
        if answer.status == "cancelled":  # there; nobody cancelled anything here
            changes |= {"status": "failed"}
        return self._checked(answer, changes)

    def _parsed(self, body: bytes) -> RemoteAnswer | str:
        """The answer, or why there is none. A token that comes back is taken out of it."""
        try:
            answer = RemoteAnswer.model_validate_json(body)
        except ValidationError as problem:
            return _first(problem)
        text = answer.model_dump_json(exclude_unset=True)
        if self.token not in text:
            return answer
        return RemoteAnswer.model_validate_json(text.replace(self.token, HIDDEN))

    def _checked(self, answer: RemoteAnswer, changes: Mapping[str, Any]) -> Result:
        """The result with the output that was agreed on, and texts that a model can be given."""
        output = answer.output
        try:
            Handoff(intent="a check of names", artifacts=answer.artifacts)
            if self.output is not None and answer.ok:
                output = self.output.model_validate(output)
        except ValidationError as problem:
            return self._failed(f"its answer is not what was agreed on: {_first(problem)}")
        if len(answer.artifacts) > MOST_ARTIFACTS:
            return self._failed(f"it sent more than {MOST_ARTIFACTS} artifacts")
        if not isinstance(output, str) and len(answer.as_text()) > MOST_CHARACTERS:
            return self._failed(f"its output has more than {MOST_CHARACTERS:,} characters")
        return Result(
            **{
                "status": answer.status,
                "output": cut(output, MOST_CHARACTERS) if isinstance(output, str) else output,
                "artifacts": {
                    name: cut(text, MOST_CHARACTERS) for name, text in answer.artifacts.items()
                },
                "retry_after_s": answer.retry_after_s,
                **changes,
            }
        )

    def _failed(self, why: str, *, transient: bool = False) -> Result:
        public = shortened(why.replace(self.token, HIDDEN), MOST_SAID)
        reason = f"{self.name} at {self.where}: {public}"
        return Result(status="failed", reason=reason, transient=transient)


@dataclass(eq=False)
class _Identity:
    """The identity of one handoff, whatever guards do with it."""

    key: str
    answered: Counter[RemoteSpecialist] = field(default_factory=Counter)
    """The number of answers of each specialist that stand: what is sent after one is new work."""

    def of(self, specialist: RemoteSpecialist) -> str:
        """Returns the id of the next request to a specialist."""
        parts = (self.key, specialist.name, specialist.url, str(self.answered[specialist]))
        return hashlib.sha256("\n".join(parts).encode("utf-8", "replace")).hexdigest()[:32]


_identities: WeakKeyDictionary[Run, _Identity] = WeakKeyDictionary()


def _identity_of(run: Run, handoff: Handoff) -> _Identity:
    """The identity of the handoff that led to a run: one for the guards around it, and all that
    they try."""
    while run.parent and run.parent.path == run.path:
        run = run.parent
    if run not in _identities:
        journalled = getattr(run.client, "handoff_key", None)
        key = journalled(run.path, handoff) if journalled else uuid.uuid4().hex
        _identities[run] = _Identity(key)
    return _identities[run]


def _why(status: int, answer: RemoteAnswer | str) -> str:
    """The sentence for a response that is not 200."""
    if 300 <= status < 400:
        return f"it answered {status}, a redirect, which is not followed"
    reason = "" if isinstance(answer, str) else shortened(answer.reason, MOST_SAID)
    return (
        f"it answered {status}: {reason}" if reason else f"it answered {status}, without a reason"
    )


def _is_passing(status: int) -> bool:
    """True if the same handoff may be answered later."""
    return status in (408, 429) or status in (502, 503, 504)


def _first(problem: ValidationError) -> str:
    """The first thing that is wrong, with its place and without the value."""
    error = problem.errors(include_url=False, include_input=False)[0]
    place = ".".join(map(str, error["loc"]))
    return shortened(f"{place}: {error['msg']}" if place else error["msg"], MOST_SAID)


# ── the far side ──────────────────────────────────────────────────────────────────────────────────


def serve_handoffs(
    executable: Executable,
    *,
    port: int,
    token: str,
    budget: Budget,
    host: str = "127.0.0.1",
    client: Callable[[], Client] = connect,
) -> HandoffServer:
    """Serves an executable to whoever has the token, in threads, until the server is closed.

    port:   0 picks a free one.
    token:  what a caller has to send as `Authorization: Bearer …`.
    budget: of each handoff, which is a run of its own; a caller that waits for less time than its
            seconds makes them fewer.
    client: makes the client of each of these runs.

    Use it as `with serve_handoffs(…) as server`, or close it with `close()`; `server.url` is where
    it listens. Raises ValueError for a token that no header can hold, and OSError when the port is
    taken or this Python has no sockets.
    """
    _check_token(token)
    server = HandoffServer((host, port), executable, token, budget, client)
    threading.Thread(
        target=server.serve_forever, args=(0.02,), name="handoffs", daemon=True
    ).start()
    return server


Outcome = tuple[int, bytes]
"""The status and the body of an answer."""


class KeptAnswers:
    """The answers of the last hour, at most 1,000, by the ids of their handoffs."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._looking = threading.Lock()
        self._under_way: dict[str, Future[Outcome]] = {}
        self._done: dict[str, tuple[float, Future[Outcome]]] = {}
        self._bytes = 0

    def find(self, key: str) -> tuple[Future[Outcome], bool]:
        """Returns the answer to a key, there or awaited, and True if the caller has to work for it
        and to call `keep`."""
        with self._looking:
            self._forget()
            if known := self._under_way.get(key):
                return known, False
            if key in self._done:
                return self._done[key][1], False
            new: Future[Outcome] = Future()
            self._under_way[key] = new
            return new, True

    def keep(self, key: str, outcome: Outcome, *, stands: bool) -> None:
        """Gives an outcome to all who wait for it; one that does not stand is then forgotten."""
        with self._looking:
            answer = self._under_way.pop(key)
            answer.set_result(outcome)
            if stands:
                self._done[key] = (self._clock(), answer)
                self._bytes += len(outcome[1])
                self._forget()

    def _forget(self) -> None:
        """Drops what is too old or too much, the oldest first."""
        while self._done:
            key, (since, answer) = next(iter(self._done.items()))
            is_old = self._clock() - since > KEPT_S
            if not is_old and len(self._done) <= MOST_KEPT and self._bytes <= MOST_KEPT_BYTES:
                return
            del self._done[key]
            self._bytes -= len(answer.result()[1])


class _Arriving(io.RawIOBase):
    """The bytes of a request, until the time for all of it is over."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self.idle_s: float = IDLE_S
        self.until = time.monotonic() + WHOLE_S

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # Any: whatever can be written to
        left_s = self.until - time.monotonic()
        if left_s <= 0:
            raise TimeoutError("the request did not arrive in time")
        self._connection.settimeout(min(left_s, self.idle_s))
        return self._connection.recv_into(buffer)


class HandoffServer(ThreadingTCPServer):
    """A server of one executable; from `serve_handoffs`."""

    daemon_threads = True
    request_queue_size = 128
    allow_reuse_address = os.name == "posix"  # elsewhere it would let two servers have one port

    def __init__(
        self,
        address: tuple[str, int],
        executable: Executable,
        token: str,
        budget: Budget,
        client: Callable[[], Client],
    ) -> None:
        super().__init__(address, _Door)
        self.executable = executable
        self.budget = budget
        self.url = f"http://{address[0]}:{self.server_address[1]}/"
        self.places = threading.BoundedSemaphore(MOST_AT_ONCE)
        self.answers = KeptAnswers()
        self._expected = f"Bearer {token}".encode("ascii")
        self._client = client

    def admits(self, authorization: str) -> bool:
        """True if the header holds the token; compared in constant time."""
        return hmac.compare_digest(authorization.encode("utf-8", "replace"), self._expected)

    async def work(self, handoff: Handoff, seconds: float) -> RemoteAnswer:
        """One run of the executable, within the budget and the caller's seconds."""
        own = math.inf if self.budget.seconds is None else self.budget.seconds
        budget = self.budget
        if seconds < own:
            budget = budget.model_copy(update={"seconds": seconds})
        async with self._client() as client:
            run = Run(client, budget=budget)
            result = await run.dispatch(self.executable, handoff)
        spent = run.spent
        claim = {"calls": spent.calls, "usd": spent.usd, "unpriced": spent.unpriced}
        work = {**result.model_dump(exclude={"output"}), "output": as_plain(result.output)}
        return RemoteAnswer.model_validate({**as_plain(work), **claim})

    def close(self) -> None:
        """Ends the server; work that is under way is left to its own end."""
        self.shutdown()
        self.server_close()

    def __exit__(self, *_: object) -> None:
        self.close()


def _refusal(reason: str) -> bytes:
    """The body of an answer that holds no work."""
    return RemoteAnswer(status="failed", reason=reason).model_dump_json().encode("utf-8")


class _Door(BaseHTTPRequestHandler):
    """One connection. Each answer, a refusal too, is a result as JSON."""

    server: HandoffServer

    def setup(self) -> None:
        super().setup()
        self._arriving = _Arriving(self.connection)
        self.rfile = io.BufferedReader(self._arriving)

    def handle(self) -> None:
        with contextlib.suppress(ConnectionError, TimeoutError):  # the caller has gone
            super().handle()

    def do_POST(self) -> None:
        if not self.server.admits(self.headers.get("authorization", "")):
            return self._refuse(401, "the token is missing or wrong")
        length = self.headers.get("content-length", "")
        if not (length.isascii() and length.isdecimal()) or "transfer-encoding" in self.headers:
            return self._refuse(411, "send the handoff whole, with its content-length")
        if len(length) > 15 or int(length) > MAX_BODY_BYTES:
            return self._refuse(
                413, f"it has {shortened(length, 20)} bytes; at most {MAX_BODY_BYTES:,} are allowed"
            )
        try:
            body = self.rfile.read(int(length))
            handoff = Handoff.model_validate_json(body)
            seconds = float(self.headers.get(SECONDS, "inf"))
            if math.isnan(seconds) or seconds < 0:
                raise ValueError
        except ValidationError as problem:
            return self._refuse(400, f"the body is no handoff: {_first(problem)}")
        except ValueError:
            return self._refuse(400, f"{SECONDS} is no number of seconds")
        id = self.headers.get(HANDOFF_ID, "")
        if not ID.fullmatch(id):
            return self._refuse(400, f"{HANDOFF_ID} is no id; at most 200 letters and digits")
        key = hashlib.sha256(f"{id or uuid.uuid4()}\n".encode() + body).hexdigest()
        return self._answer_once(key, handoff, seconds)

    def _answer_once(self, key: str, handoff: Handoff, seconds: float) -> None:
        """Works, or waits for a request with the same key, or has its answer already."""
        answer, is_first = self.server.answers.find(key)
        if is_first:
            self._work(key, handoff, seconds)
        try:
            status, data = answer.result(min(seconds, KEPT_S))
        except TimeoutError:
            return self._refuse(504, "it still works on this handoff")
        return self._answer(status, data)

    def _work(self, key: str, handoff: Handoff, seconds: float) -> None:
        """One piece of work. However it ends, the key has an answer; one that says that the same
        work may succeed later does not stand."""
        if not self.server.places.acquire(blocking=False):
            reason = f"it works on {MOST_AT_ONCE} handoffs already; ask again"
            return self.server.answers.keep(key, (503, _refusal(reason)), stands=False)
        try:
            answer = asyncio.run(self.server.work(handoff, seconds))
            outcome = (200, answer.model_dump_json().encode("utf-8"))
            stands = answer.ok or not answer.transient
        except BaseException:  # a bug, or sys.exit: its text is for whoever runs the server
            traceback.print_exc()
            outcome = (500, _refusal("it failed there by a bug; its terminal shows where"))
            stands = True
        finally:
            self.server.places.release()
        return self.server.answers.keep(key, outcome, stands=stands)

    def _refuse(self, status: int, reason: str) -> None:
        self._answer(status, _refusal(reason))
        self._drop_body()

    def _answer(self, status: int, data: bytes) -> None:
        self.connection.settimeout(IDLE_S)
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(data)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answers with a result what the base class refuses, such as GET."""
        self._refuse(code, message or "POST a handoff")

    def _drop_body(self) -> None:
        """Reads, and drops, what a caller still sends: cut off while it sends, it would see a
        broken connection and not the reason."""
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_WR)
            self._arriving.idle_s = LINGER_S
            left = 8 * MAX_BODY_BYTES
            while left > 0 and (piece := self.rfile.read1(MAX_BODY_BYTES)):
                left -= len(piece)

    def log_message(self, *_: Any) -> None:
        """Tells nothing: the terminal is for bugs."""
