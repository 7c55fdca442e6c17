"""A cluster of Dask, opened from a run's process, which is itself no part of it.

Whoever reaches a scheduler can run code wherever Dask runs. So a process of its own speaks Dask,
the Dask process (`kernel.cluster.dask_process`); it and the workers call the run, and the run's
process unpickles nothing that comes from them.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import itertools
import json
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Coroutine
from dataclasses import asdict
from typing import Any, NoReturn
from urllib.parse import urlsplit

from ..contract import Result
from ..texts import in_words
from .books import Attempt, BranchJob, NoCluster
from .call import Measure, WorkerCall
from .line import Line, LineLost, Listener, Ticket, installed, optional
from .messages import ClusterFailed, Opened, Order, OrderEnded, Seen, StartOptions
from .parcel import packed

START_S = 60.0
"""Seconds until a cluster is up."""
STOP_S = 5.0
"""Seconds until a cancelled branch has stopped."""
CLOSE_S = 15.0
"""Seconds until the processes of a closed cluster are killed."""
PATIENCE_S = 30.0
"""Seconds without any worker until a branch is given up."""
LOOK_S = 0.5
"""Seconds between two counts of the workers."""
RESTART_S = 300.0
"""Seconds for a lost worker of this machine to restart. Dask's default of 15 s is too short on a
busy machine."""

SETTINGS = {
    # a branch whose worker dies comes back here, where the books are, and is not run again
    "distributed.scheduler.allowed-failures": 0,
    "distributed.deploy.lost-worker-timeout": RESTART_S,
}
"""Settings of Dask in the Dask process, which runs the scheduler of this machine's clusters."""


class Cluster:
    """An open Dask cluster; from `open_cluster`."""

    def __init__(self, listener: Listener, process: DaskProcessClient) -> None:
        self._listener = listener
        self._process = process

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Cluster stays in its process; open it by its address in the other one")

    @property
    def address(self) -> str:
        """The scheduler's address."""
        return self._process.opened.address

    def connection(self) -> dict[str, Any]:
        """Returns the arguments with which `distributed.Client` connects to this cluster, its
        certificate included.

        Whoever has it can run code on the workers.
        """
        security = optional("distributed").Security
        opened = self._process.opened
        if not opened.key:
            return {"address": opened.address, **self._process.options}
        roles = ("client", "worker", "scheduler")
        own = {f"tls_{role}_cert": opened.certificate for role in roles}
        keys = {f"tls_{role}_key": opened.key for role in roles}
        shared = {"require_encryption": True, "tls_ca_file": opened.certificate}
        return {"address": opened.address, "security": security(**shared, **own, **keys)}

    async def do(self, job: BranchJob, attempt: Attempt) -> Result:
        """Runs a job on a worker of the cluster."""
        call = WorkerCall(attempt, packed(job))
        await self._process.look_again()
        async with self._given(call):
            try:
                return await self._process.until(call.outcome)
            except NoCluster:
                attempt.give_up()
                call.cut()
                raise
            except asyncio.CancelledError:
                if not await call.stop(STOP_S):
                    attempt.run.note("this branch did not stop in time; it can send nothing more")
                raise

    @contextlib.asynccontextmanager
    async def _given(self, call: WorkerCall) -> AsyncIterator[None]:
        """Has a worker call the run, and forgets it afterwards."""
        ticket = self._listener.expect(call.serve)
        order = self._process.give(ticket, call)
        try:
            yield
        finally:
            self._listener.forget(ticket)
            self._process.drop(order)

    async def seconds_a_question(self, questions: int = 100) -> float:
        """Returns the average seconds that a worker needs to ask the bank a question."""
        measure = Measure(questions)
        async with self._given(measure):
            result = await self._process.until(measure.outcome)
        average: float = result.output
        return average

    async def ready(self, workers: int) -> None:
        """Waits until so many workers are up, as after the loss of one. Raises TimeoutError, or
        NoCluster when the scheduler is lost."""
        await self._process.ready(workers)


class DaskProcessClient:
    """The run's side of the process that speaks Dask: what is ordered there, and what it sees."""

    def __init__(self, address: str | None, patience_s: float, options: dict[str, Any]) -> None:
        self.options = options
        self.opened = Opened(address=address or "")
        self._patience_s = patience_s
        self._opening: asyncio.Future[Opened | ClusterFailed] = (
            asyncio.get_running_loop().create_future()
        )
        self._line: Line | None = None
        self._calls: dict[str, WorkerCall] = {}
        self._orders = itertools.count(1)
        self._seen = Seen(workers=0, nobody=False, lost=False)
        self._looked = asyncio.Event()
        """Set for a moment when the Dask process has looked."""
        self._trouble = asyncio.Event()
        """Set while nobody is there to do a branch."""
        self._going: set[asyncio.Task[None]] = set()

    async def serve(self, line: Line) -> None:
        """Takes in what the Dask process says, until it is gone."""
        self._line = line
        try:
            while (message := await line.receive()) is not None:
                self._heard(*message)
        except (LineLost, ValueError):
            pass
        finally:
            self._see(Seen(workers=0, nobody=True, lost=True))

    def _heard(self, verb: str, body: bytes) -> None:
        if verb == "seen":
            self._see(Seen.model_validate_json(body))
        elif verb == "ended":
            self._end(OrderEnded.model_validate_json(body))
        elif not self._opening.done():
            kind = Opened if verb == "opened" else ClusterFailed
            self._opening.set_result(kind.model_validate_json(body))

    def _see(self, seen: Seen) -> None:
        self._seen = seen
        if seen.nobody or seen.lost:
            self._trouble.set()
        else:
            self._trouble.clear()
        self._looked.set()
        self._looked.clear()

    def _end(self, ended: OrderEnded) -> None:
        call = self._calls.get(ended.id)
        if call is None:
            return
        if ended.bug:
            call.fail(ended.reason)
            return
        going = asyncio.ensure_future(call.gone(ended.reason))
        self._going.add(going)
        going.add_done_callback(self._going.discard)

    async def opens(self, process: subprocess.Popen[bytes]) -> None:
        """Waits until the cluster is up. Raises OSError that says why it is not."""
        while not self._opening.done():
            if process.poll() is not None:
                raise OSError(f"the process that opens it ended with {process.returncode}")
            await asyncio.wait({self._opening}, timeout=0.1)
        opened = self._opening.result()
        if isinstance(opened, ClusterFailed):
            raise OSError(opened.reason)
        self.opened = opened

    def give(self, ticket: Ticket, call: WorkerCall) -> str:
        """Has some worker call with this ticket; returns the order's id."""
        id = str(next(self._orders))
        self._calls[id] = call
        self._say("order", Order(id=id, ticket=asdict(ticket)).model_dump_json())
        return id

    def drop(self, id: str) -> None:
        """Cancels an order: its outcome is not wanted any more."""
        self._calls.pop(id, None)
        self._say("drop", json.dumps(id))

    def close(self) -> bool:
        """Asks the Dask process to end the cluster that it opened, and itself; returns whether a
        line to it is open."""
        return self._say("close", "{}")

    def _say(self, verb: str, body: str) -> bool:
        if self._line is None:
            return False
        self._line.send(verb, body)
        return True

    async def _look(self) -> None:
        """Has the Dask process look now, and waits for its report. Raises NoCluster when it is
        lost."""
        self._say("look", "{}")
        await self._next_look()

    async def _next_look(self) -> None:
        """Waits for the next report. Raises NoCluster when none can come."""
        if not self._seen.lost:
            await self._looked.wait()
        if self._seen.lost:
            raise NoCluster(self._what_is_wrong())

    async def look_again(self) -> None:
        """Raises NoCluster when nobody is there, unless a worker has come since the last look."""
        if self._trouble.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._look(), STOP_S)
        if self._trouble.is_set():
            raise NoCluster(self._what_is_wrong())

    async def ready(self, workers: int) -> None:
        """Waits until so many workers are up. Raises TimeoutError, or NoCluster when the scheduler
        is lost."""
        async with asyncio.timeout(START_S):
            await self._look()
            while self._seen.workers < workers:
                await self._next_look()

    async def until(self, outcome: asyncio.Future[Result]) -> Result:
        """Waits for an outcome. Raises NoCluster when nobody is there who could bring it."""
        trouble: asyncio.Future[Any] = asyncio.ensure_future(self._trouble.wait())
        both: set[asyncio.Future[Any]] = {outcome, trouble}
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            trouble.cancel()
        if not outcome.done():
            raise NoCluster(self._what_is_wrong())
        return outcome.result()

    def _what_is_wrong(self) -> str:
        address = self.opened.address
        if self._seen.lost:
            return (
                f"The scheduler at {address} was lost, and this branch with it. Start a scheduler"
                " and workers again, open the cluster anew, and give the work out again"
            )
        return (
            f"No worker has been at {address} for {self._patience_s:g} seconds, and this branch"
            f" needs one. Start one with `dask worker {address}` and give the work out again"
        )


@contextlib.asynccontextmanager
async def open_cluster(
    address: str | None = None,
    *,
    workers: int = 2,
    branches: int = 1,
    patience_s: float = PATIENCE_S,
    start_s: float = START_S,
    host: str | None = None,
    **options: Any,  # Any: of the extra
) -> AsyncIterator[Cluster]:
    """A Dask cluster: new processes on this machine, or the scheduler at `address`.

    branches:   how many branches a new worker does at once. A branch mostly waits for the service.
    patience_s: how long a branch waits while there is no worker at all. Then it ends as a failed
                result with the work so far; so it does when the scheduler is lost.
    start_s:    how long the cluster may take to be up.
    host:       the address of this machine at which workers call the run; by default the one by
                which it reaches the scheduler.
    options:    further ones for `distributed.Client`, such as `security`.

    The processes of this machine speak TLS with a certificate of their own, made anew for each
    cluster unless `security` says otherwise: nobody else can connect. Whoever can reach a scheduler
    at a `tcp://` address can run code on its workers: keep it on a network of your own, or use
    `tls://` and `security`. The run's own process is no part of the cluster. All workers need this
    project, in the same version.

    Raises ModuleNotFoundError with the line that installs what is missing, NoCluster when no
    scheduler answers or no process can be started.
    """
    installed()
    async with contextlib.AsyncExitStack() as stack:
        try:
            listener = await stack.enter_async_context(Listener(host or _towards(address)).open())
            dask = DaskProcessClient(address, patience_s, options)
            process = _started(
                StartOptions(
                    ticket=asdict(listener.expect(dask.serve)),
                    address=address,
                    workers=workers,
                    branches=branches,
                    patience_s=patience_s,
                    start_s=start_s,
                    options=_packed(options),
                )
            )
            stack.push_async_callback(_ended, process, dask)
            await _in_time(dask.opens(process), start_s)
        except (OSError, ValueError) as problem:
            raise NoCluster(
                f"No cluster at {address or 'this machine'} ({in_words(problem) or 'no answer'})."
                " Start a scheduler with `dask scheduler` and workers with `dask worker ADDRESS`,"
                " or leave the address out for processes on this machine."
            ) from None
        yield Cluster(listener, dask)


async def _in_time(opening: Coroutine[Any, Any, None], start_s: float) -> None:
    try:
        await asyncio.wait_for(opening, start_s)
    except TimeoutError:
        raise OSError(f"no answer in {start_s:g} seconds; `start_s` allows more") from None


def _towards(address: str | None) -> str:
    """The address of this machine by which it reaches a scheduler. Raises OSError when there is
    none."""
    if address is None:
        return "127.0.0.1"
    place = urlsplit(address if "://" in address else f"tcp://{address}")
    if not place.hostname:
        raise OSError("the address has no host")
    family, kind, _, _, scheduler = socket.getaddrinfo(
        place.hostname, place.port or 1, type=socket.SOCK_DGRAM
    )[0]
    with socket.socket(family, kind) as probe:
        probe.connect(scheduler)  # sends nothing: it only chooses the way
        own: str = probe.getsockname()[0]
        return own


def _packed(options: dict[str, Any]) -> str:
    return base64.b64encode(optional("cloudpickle").dumps(options)).decode() if options else ""


def _started(options: StartOptions) -> subprocess.Popen[bytes]:
    """Starts the Dask process. Its options, with the token, go where nobody else reads."""
    folders = [folder or os.getcwd() for folder in sys.path]
    process = subprocess.Popen(
        [sys.executable, "-m", "kernel.cluster.dask_process"],
        stdin=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(folders)},
        # an interrupt from the keyboard is for the run, which then ends the cluster
        start_new_session=True,
        creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
    )
    assert process.stdin  # a pipe
    with contextlib.suppress(OSError), process.stdin as stdin:
        stdin.write(options.model_dump_json().encode() + b"\n")
    return process


async def _ended(process: subprocess.Popen[bytes], dask: DaskProcessClient) -> None:
    """Ends the cluster's processes on this machine: asks them first, then kills them."""
    if not dask.close():
        process.terminate()
    try:
        await asyncio.to_thread(process.wait, CLOSE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
