"""The process of this machine that speaks Dask: `open_cluster` starts it, and it calls the run.

It opens the cluster, hands tickets to workers, and says who is there. It knows no parcel and no
money, and ends with the line to the run.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import logging
import pickle
import sys
import time
from dataclasses import dataclass, field
from typing import Any

from ..texts import in_words
from .dask import LOOK_S, SETTINGS, STOP_S
from .line import Line, LineLost, Ticket, dial, optional
from .messages import ClusterFailed, Opened, Order, OrderEnded, Seen, StartOptions
from .worker import work

STATUS_S = 0.1
"""Seconds between two looks at whether the scheduler is still there, while it is asked."""
NAME_OF = "branch-{}"
"""A branch as Dask's own pages show it: its order, and nothing that it holds."""


def main() -> None:
    """Reads the options from the run that started this process, and serves it."""
    logging.disable()  # a note of the run says what Dask would log
    asyncio.run(_serve(StartOptions.model_validate_json(sys.stdin.readline())))


async def _serve(start: StartOptions) -> None:
    line = await dial(Ticket(**start.ticket))
    try:
        async with contextlib.AsyncExitStack() as stack:
            try:
                dask, opened = await _opened(stack, start)
            except Exception as problem:
                failed = ClusterFailed(reason=in_words(problem) or type(problem).__name__)
                line.send("failed", failed.model_dump_json())
                return
            line.send("opened", opened.model_dump_json())
            await DaskProcessServer(line, dask, start.patience_s).serve()
    finally:
        await line.close()


async def _opened(stack: contextlib.AsyncExitStack, start: StartOptions) -> tuple[Any, Opened]:
    """A client of Dask, on a cluster of its own or at the address of the options."""
    distributed = optional("distributed")
    stack.enter_context(optional("dask").config.set(SETTINGS))
    options = pickle.loads(base64.b64decode(start.options)) if start.options else {}
    address = start.address
    opened = Opened(address=address or "")
    if address is None:
        made = None if "security" in options else distributed.Security.temporary()
        options.setdefault("security", made)
        local = await stack.enter_async_context(_local(start, options["security"]))
        opened = Opened(address=local.scheduler_address)
        if made is not None:
            opened.certificate, opened.key = made.tls_client_cert, made.tls_client_key
    client = distributed.Client(
        opened.address,
        asynchronous=True,
        set_as_default=False,
        timeout=start.start_s,
        **options,
    )
    stack.push_async_callback(client.close)  # also when it cannot be started
    dask = await client
    if address is None:
        await dask.register_plugin(_without_pages()())
    return dask, opened


def _local(start: StartOptions, security: Any) -> Any:
    """A scheduler and workers on this machine, for holders of the certificate only."""
    local = optional("distributed").LocalCluster(
        n_workers=start.workers,
        threads_per_worker=start.branches,
        host="127.0.0.1",
        protocol="tls://" if security.require_encryption else None,
        security=security,
        asynchronous=True,
        silence_logs=logging.CRITICAL,
        dashboard_address="127.0.0.1:0",
        worker_dashboard_address="127.0.0.1:0",
    )
    return _closed_to_browsers(local)


@contextlib.asynccontextmanager
async def _closed_to_browsers(local: Any) -> Any:
    """A cluster whose scheduler serves no pages: they know neither certificate nor password."""
    async with local:
        local.scheduler.http_server.stop()
        yield local


def _without_pages() -> type:
    """A plugin of Dask that ends a worker's pages."""

    class WithoutPages(optional("distributed").WorkerPlugin):  # type: ignore[misc]  # an extra
        def setup(self, worker: Any) -> None:
            worker.http_server.stop()

    return WithoutPages


@dataclass
class DaskProcessServer:
    """The cluster's side of a run: it takes orders, watches the workers and reports."""

    line: Line
    dask: Any  # Any: a distributed.Client, of the extra
    patience_s: float
    _work: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _seen_at: float = field(default_factory=time.monotonic)
    _lost: bool = False

    async def serve(self) -> None:
        """Takes orders, until the run ends the line."""
        looking = asyncio.ensure_future(self._watch())
        try:
            while message := await self.line.receive():
                verb, body = message
                if verb == "order":
                    order = Order.model_validate_json(body)
                    self._work[order.id] = asyncio.ensure_future(self._done(order))
                elif verb == "drop":
                    self._drop(json.loads(body))
                elif verb == "look":
                    await self._look()
                elif verb == "close":
                    return
        except LineLost:
            pass
        finally:
            looking.cancel()
            for id in [*self._work]:
                self._drop(id)

    def _drop(self, id: str) -> None:
        task = self._work.pop(id, None)
        if task is not None:
            task.cancel()

    async def _done(self, order: Order) -> None:
        """Has a worker use a ticket; tells how that ended."""
        distributed = optional("distributed")
        future = self.dask.submit(
            work, order.ticket, key=NAME_OF.format(order.id), pure=False, retries=0
        )
        bug = False
        try:
            reason = await future
        except distributed.scheduler.KilledWorker:
            reason = "the process that did this work is gone"
        except distributed.client.FutureCancelledError as problem:
            self._lost = self._lost or problem.reason == "scheduler-connection-lost"
            reason = f"the cluster dropped this work ({problem.reason})"
        except asyncio.CancelledError:
            with contextlib.suppress(Exception):
                await asyncio.wait_for(future.cancel(reason="not wanted any more"), STOP_S)
            raise
        except Exception as problem:
            reason = f"{type(problem).__name__}: {in_words(problem)}"
            bug = True
        if self._lost:
            await self._look()
        ended = OrderEnded(id=order.id, reason=reason, bug=bug)
        self.line.send("ended", ended.model_dump_json())

    async def _watch(self) -> None:
        """Looks every `LOOK_S` seconds, until the scheduler is lost."""
        while not self._lost:
            await self._look()
            await asyncio.sleep(LOOK_S)

    async def _look(self) -> None:
        """Counts the workers. Dask itself would wait for ever for a worker, or a scheduler."""
        asked = asyncio.ensure_future(self.dask.scheduler.identity())
        while not asked.done() and self.dask.status == "running":
            await asyncio.wait({asked}, timeout=STATUS_S)
        asked.cancel()
        workers = 0
        try:
            workers = len((await asked)["workers"])
        except (OSError, RuntimeError, asyncio.CancelledError):
            self._lost = True
        now = time.monotonic()
        self._lost = self._lost or self.dask.status != "running"
        if workers:
            self._seen_at = now
        nobody = now - self._seen_at > self.patience_s
        seen = Seen(workers=workers, nobody=nobody or self._lost, lost=self._lost)
        self.line.send("seen", seen.model_dump_json())


if __name__ == "__main__":
    main()
