"""Requests to a model: reserve the highest cost, send the request, settle the actual cost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from ..plumbing.client import held, paid
from ..plumbing.models import demand_of, spent_on
from ..plumbing.stream import Speech, heard
from . import events
from .budget import NOTHING, Exhausted, Hold, Ledger
from .door import time_limit
from .wire import ApiError, Conversation, Reply, Request, RequestSize, Usage

if TYPE_CHECKING:
    from .run import Run

MAX_TOKENS = 4096
"""The default limit of an answer, in tokens."""


class Asking:
    """The requests of one run."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._conversation: Any = None  # Any: messages
        self._messages_sent = 0
        self.requested = 0
        """The number of requests so far."""

    async def ask(self, body: Mapping[str, Any]) -> Reply:  # Any: JSON
        """Sends one request; see `Run.ask`."""
        request = Request({"max_tokens": MAX_TOKENS, **body})
        limit = None
        if self._run.parent is None and self._run.budget.seconds is not None:
            self._run.start()
            limit = time_limit(self._run)
        if limit is None:
            return await self._reserve_and_send(request)
        try:
            async with asyncio.timeout(limit.left_s) as timer:
                return await self._reserve_and_send(request)
        except TimeoutError:
            if not timer.expired():
                raise
        raise Exhausted(limit.reason)

    async def hold(self, size: RequestSize) -> Hold:
        """Reserves what a request may cost; see `Run.hold`."""
        return await self._run.ledger.hold_when_free(demand_of(size), on_wait=self._run.tell_wait)

    async def _reserve_and_send(self, request: Request) -> Reply:
        run = self._run
        request = run.client.prepare(request)
        ledger = run.ledger
        is_billed = run.client.bills(request)
        if is_billed:
            ledger = Ledger(parent=run.ledger, beside=run.client.billed, owner=run.name)
        with await held(ledger, request, on_wait=run.tell_wait) as hold:
            if hold.tokens < request.max_tokens:
                request = request.with_max_tokens(hold.tokens)
            async with run.client.slots:
                number = self._emit_request(request)
                asked_at = run.tree.clock()
                with paid(request, run.client.billed) if is_billed else nullcontext():
                    reply = await self._send(request, hold, number)
            spent = spent_on(request.model, reply.usage)
            hold.settle(spent)
        keep_text(reply, self._run)
        seconds = self._run.tree.clock() - asked_at
        self._run.emit(
            events.Replied(
                model=request.model,
                reply=reply,
                spent=spent,
                seconds=seconds,
                request=number,
            )
        )
        return reply

    async def _send(self, request: Request, hold: Hold, number: int) -> Reply:
        """Sends the request. A failed attempt is charged if the service may have done the work."""

        def on_retry(error: ApiError, wait_s: float) -> None:
            self._run.emit(
                events.Retried(error=str(error), type=error.type, wait_s=wait_s, request=number)
            )
            hold.retry(billable=error.billable)

        def on_usage(usage: Usage) -> None:
            hold.learn(spent_on(request.model, usage))

        hold.begin()
        try:
            with _spoken(self._run, on_usage):
                return await self._run.client.send(request, on_retry=on_retry)
        except Exhausted as error:
            hold.settle(NOTHING)  # a wrapper of the client did not send it
            self._run.emit(events.Failed(error=str(error), type="exhausted", request=number))
            raise
        except ApiError as error:
            hold.failed(billable=error.billable)
            self._run.emit(events.Failed(error=str(error), type=error.type, request=number))
            raise

    def _emit_request(self, request: Request) -> int:
        """Records the request; returns its number in this run. The event holds only the messages
        since the last request of the conversation, so that logs stay small."""
        messages = request.body["messages"]
        since = 0
        if isinstance(messages, Conversation) and messages is self._conversation:
            since = self._messages_sent
        self._conversation = messages
        self._messages_sent = len(messages)
        body = {**request.body, "messages": list(messages[since:])}
        self._run.emit(events.Requested(body=body, since=since))
        self.requested += 1
        return self.requested


@contextmanager
def _spoken(run: Run, on_usage: Callable[[Usage], None]) -> Iterator[None]:
    """Makes a reply visible to listeners while it is received. The text of a reply that breaks off
    is kept like that of a complete one."""
    speeches = run.tree.speeches
    speech = Speech(run.id, run.name, is_heard=run.tree.listeners > 0, on_usage=on_usage)
    speeches.append(speech)
    try:
        with heard(speech):
            yield
    except BaseException:
        keep_text(speech, run)
        raise
    finally:
        speeches.remove(speech)


def keep_text(reply: Reply | Speech, run: Run) -> None:
    """Keeps the text of a reply as the best answer so far, unless it belongs to a tool call."""
    if reply.text and (run.output is None or not reply.tool_calls):
        run.output = reply.text
