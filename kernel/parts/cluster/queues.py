"""Messages between a run and the workers of a cluster: JSON, over queues of Dask."""

from __future__ import annotations

import asyncio
from typing import Any

from pydantic import BaseModel, ConfigDict

from ...core.events import Used
from ...core.wire import RequestSize
from ...plumbing.extras import Extra

EXTRA = Extra("cluster", "A cluster")


class Message(BaseModel):
    """The base of every message."""

    model_config = ConfigDict(defer_build=True, extra="forbid")


class ToRun(Message):
    """A message of a branch to its run: one of its fields, or a question that asks for nothing."""

    branch: str
    event: str | None = None
    """An event of the branch, as JSON."""
    question: int | None = None
    """The number of a question, which `ToBranch` answers."""
    answers: str = ""
    """The question whether the attempt may begin: the queue for this and all further answers."""
    size: RequestSize | None = None
    """The question for money: the size of a request that has not been booked yet."""
    retry: int | None = None
    """The question for money once more: the booking of a request that is sent again."""
    specialist: str = ""
    """The question whether a handoff may go to this one elsewhere, as one of `limit`."""
    limit: int = 0
    withdrawn: int | None = None
    """A question whose answer is not waited for any longer: nothing is sent that it asked for."""
    settled: int | None = None
    """A booking whose cost is known, or is known to be unknown."""
    costs: Used | None = None
    """The cost of the booking; None: nobody knows."""
    last: bool = False
    """True for the last message: of the branch, or the run's own behind those of a lost worker."""


class ToBranch(Message):
    """A message of a run: an answer, the order to stop, or only that it is there."""

    branch: str = ""
    """Empty for a message to all branches of the worker."""
    question: int | None = None
    number: int = 0
    """Of the booking, or of the handoff."""
    booked: Used | None = None
    refused: str = ""
    lost: bool = False
    """True for a refusal to begin: the scheduler has given the branch to a second worker."""
    stop: bool = False


async def queue_at(name: str, dask: Any = None) -> Any:  # Any: of the extra
    """The queue of this name, as a client of Dask sees it; in a worker, as the worker does."""
    return await EXTRA.module("distributed").Queue(name, client=dask)


class Outbox:
    """Sends texts into a queue of Dask, in order; those that wait go together."""

    def __init__(self, queue: Any) -> None:  # Any: a distributed.Queue, of the extra
        self.queue = queue
        self._texts: list[str] = []
        self._sending: asyncio.Task[None] | None = None

    def send(self, message: Message) -> None:
        """Sends a message soon. Where the scheduler is gone, it is dropped."""
        self._texts.append(message.model_dump_json(exclude_defaults=True))
        if self._sending is None or self._sending.done():
            self._sending = asyncio.ensure_future(self._send())

    async def _send(self) -> None:
        while self._texts:
            texts, self._texts = self._texts, []
            await self.queue.put(texts)

    async def sent(self) -> None:
        """Waits until all messages so far are in the queue. Raises OSError when they cannot be."""
        while self._sending is not None and not self._sending.done():
            await asyncio.shield(self._sending)
        if self._sending is not None:
            self._sending.result()

    def close(self) -> None:
        """Sends nothing any more, and leaves the queue."""
        if self._sending is not None:
            self._sending.cancel()
            self._sending.add_done_callback(is_over)
        self.queue.close()


def is_over(task: asyncio.Future[Any]) -> None:  # Any: whatever it ends with
    """Looks at the end of a task that nobody waits for, so that nothing is said of it."""
    if not task.cancelled():
        task.exception()
