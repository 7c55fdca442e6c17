"""Facts about a fan-out over processes: same results, same money, lost workers, cancellation. A real scheduler, two real workers."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from xml.etree import ElementTree

import psutil
import pytest

from kernel import (
    Budget,
    Corpus,
    DeterministicSupervisor,
    Executable,
    Handoff,
    Pause,
    Result,
    Run,
    connect,
    models,
    researcher,
    specialists,
)
from kernel.core.contract import Wrapper
from kernel.core.wire import RequestSize
from kernel.parts import cluster as clusters
from kernel.parts.cluster import (
    Attempt,
    LocalWorkers,
    NoCluster,
    WorkerLost,
    fan_out,
    open_cluster,
    share,
)
from kernel.parts.cluster import branch as branches
from kernel.parts.journal.journal import Journal
from tests.on_each import on_each
from tests.places import ROOT
from workshop import views
from workshop.material.clustering import KILL
from workshop.material.service import Service

TOPICS = "pgvector Qdrant Milvus Weaviate".split()


@pytest.fixture(scope="module")
def address():
    """A scheduler and two worker processes, shared by the module."""
    with processes(2) as local:
        yield local.scheduler_address


@contextlib.contextmanager
def processes(workers):
    """A scheduler and worker processes with the settings of `open_cluster`."""
    distributed = pytest.importorskip("distributed")
    import dask

    with (
        dask.config.set(clusters.SETTINGS),
        distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=2,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
        ) as local,
    ):
        yield local


@dataclass(frozen=True)
class Asks:
    """Asks so many times; then returns where it was done."""

    times: int = 1
    name: str = "asker"
    description: str = "Asks."
    stumbles: str = ""

    async def execute(self, handoff, run):
        run.note("at work", pid=os.getpid())
        for number in range(self.times):
            message = {"role": "user", "content": f"{handoff.intent} {number}"}
            await run.ask(model=models.worker, max_tokens=300, messages=[message])
        if self.stumbles == "bug":
            raise KeyError("a bug of its own")
        if self.stumbles == "pause":
            raise Pause("a person should look")
        return Result(status="ok", output=os.getpid())


@dataclass(frozen=True)
class Goes:
    """Writes a line every 20 ms, until it is stopped; says so when that happens."""

    file: Path
    name: str = "goer"
    description: str = "Goes on."

    async def execute(self, handoff, run):
        try:
            while True:
                run.note("going")
                await asyncio.sleep(0.02)
        except asyncio.CancelledError:
            self.file.write_text("stopped", encoding="utf-8")
            raise


def jobs(executable=None, topics=TOPICS):
    return [
        (executable or researcher(Corpus()), Handoff(intent=f"Find facts on {topic}"))
        for topic in topics
    ]


# ── results, events and money are those of one process ────────────────────────────────────────────


async def test_results_events_and_money_are_those_of_a_fan_out_in_this_process(address):
    local = Run(connect())
    expected = await local.fan_out(jobs())
    run = Run(connect())
    async with open_cluster(address, without_tls=True) as cluster:
        results = await fan_out(run, jobs(), on=cluster)
    assert [result.as_text() for result in results] == [result.as_text() for result in expected]
    assert run.spent == local.spent
    assert run.ledger.reserved.calls == 0
    for branch in "1234":
        kinds = [event.kind for event in run.events if event.run == f"{branch}.1"]
        assert kinds == [event.kind for event in local.events if event.run == branch]
    assert [event.seq for event in run.events] == list(range(len(run.events)))


async def test_the_work_is_done_in_other_processes(address):
    async with open_cluster(address, without_tls=True) as cluster:
        results = await fan_out(Run(connect()), jobs(Asks()), on=cluster)
    processes = {result.output for result in results}
    assert os.getpid() not in processes and len(processes) == 2


async def test_events_come_back_while_the_branch_is_under_way(address, tmp_path):
    heard = asyncio.Event()
    loop = asyncio.get_running_loop()
    run = Run(connect(), on_event=lambda event: event.kind == "note" and loop.call_soon(heard.set))
    async with open_cluster(address, without_tls=True) as cluster:
        branch = asyncio.ensure_future(fan_out(run, jobs(Goes(tmp_path / "it"), ["x"]), on=cluster))
        await heard.wait()
        assert not branch.done()
        branch.cancel()
        with pytest.raises(asyncio.CancelledError):
            await branch


PROVED = pytest.mark.exhaustive
"""Needs processes, for a fact that test_cluster_books proves without."""


@pytest.mark.parametrize("on", [pytest.param("cluster", marks=PROVED), "here"])
@pytest.mark.parametrize("cap", [5, 3, 0])
async def test_the_bank_holds_a_cap_exactly_and_uses_all_of_it(address, on, cap):
    with Service() as service:
        run = Run(connect(), budget=Budget(calls=cap))
        async with open_cluster(address, without_tls=True) as cluster:
            work = cluster if on == "cluster" else LocalWorkers()
            results = await fan_out(run, jobs(Asks(2)), on=work, client=service.client)
    assert run.spent.calls == service.sent == cap
    assert run.ledger.reserved.calls == 0
    assert {result.status for result in results} <= {"ok", "exhausted"}
    assert "budget" in next(result.reason for result in results if result.status == "exhausted")


@PROVED
async def test_a_cap_in_dollars_is_never_passed_and_a_branch_has_its_own(address):
    run = Run(connect(), budget=Budget(usd=Decimal("0.004")))
    own = [(*job, Budget(calls=1)) for job in jobs(Asks(3))]
    async with open_cluster(address, without_tls=True) as cluster:
        results = await fan_out(run, own, on=cluster)
    assert run.spent.calls == 4 and run.spent.usd <= Decimal("0.004")
    assert {result.status for result in results} == {"exhausted"}


@PROVED
async def test_leased_slices_hold_too_and_waste_what_a_branch_does_not_use(address):
    with Service() as service:
        run = Run(connect(), budget=Budget(calls=7))
        async with open_cluster(address, without_tls=True) as cluster:
            results = await fan_out(
                run, jobs(Asks(2)), on=cluster, books="lease", client=service.client
            )
    assert run.spent.calls == service.sent == 4  # one each, where the bank would allow seven
    assert {result.status for result in results} == {"exhausted"}
    assert run.ledger.reserved.calls == 0


def test_a_slice_is_an_equal_part_of_the_tightest_budget():
    run = Run(connect(), budget=Budget(calls=10, usd=Decimal("1.00")))
    assert share(run, 4) == Budget(calls=2, usd=Decimal("0.25"))
    assert share(Run(connect()), 4) == Budget()


# ── what goes wrong in a branch stays in it ───────────────────────────────────────────────────────


@PROVED
async def test_a_bug_and_a_pause_of_a_branch_leave_its_siblings_alone(address):
    three = [jobs(Asks(stumbles=how), ["x"])[0] for how in ("bug", "pause", "")]
    run = Run(connect())
    async with open_cluster(address, without_tls=True) as cluster:
        bug, pause, fine = await fan_out(run, three, on=cluster)
    assert bug.status == "failed" and "KeyError" in bug.reason
    assert pause.status == "paused" and pause.reason == "a person should look"
    assert fine.ok
    begun_again = [event for event in run.events if getattr(event, "about", "") == "cluster"]
    assert not begun_again


async def test_what_does_not_travel_says_so_in_a_sentence():
    run = Run(connect())
    holds_a_run = Asks(stumbles=run)
    (result,) = await fan_out(run, jobs(holds_a_run, ["x"]), on=LocalWorkers())
    assert result.status == "failed"
    assert "asker cannot travel to a worker: a Run stays in its process" in result.reason


async def test_the_levels_and_turns_that_are_left_hold_there():
    team = DeterministicSupervisor(*specialists())
    flat = Run(connect(), budget=Budget(depth=1))
    (result,) = await fan_out(flat, jobs(team, ["pgvector"]), on=LocalWorkers())
    assert not result.ok
    assert any("too deep" in event.result.reason for event in flat.events if event.kind == "return")


# ── a worker dies ─────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class DiesOnce(Wrapper):
    """A specialist whose process is killed, without a warning, when it is first given work.

    mark: a file that says that it happened; home: the process that must not die.
    """

    wraps: Executable
    mark: Path
    home: int

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        if not self.mark.exists():
            self.mark.touch()
            if os.getpid() == self.home:
                raise WorkerLost("this process would have died here")
            os.kill(os.getpid(), KILL)
        return await run.dispatch(self.wraps, handoff)


@pytest.mark.parametrize(
    ("on", "journal", "paid"), [("cluster", True, 4), ("here", True, 4), ("here", False, 6)]
)
async def test_a_killed_worker_with_a_journal_nothing_is_paid_twice(
    address, tmp_path, on, journal, paid
):
    search, write, review = specialists()
    home = os.getpid()
    team = DeterministicSupervisor(search, DiesOnce(write, tmp_path / "died", home), review)
    folder = tmp_path / "journal" if journal else None
    with Service() as service:
        run = Run(connect())
        async with open_cluster(address, without_tls=True) as cluster:
            work = cluster if on == "cluster" else LocalWorkers()
            (result,) = await fan_out(
                run, jobs(team, ["pgvector"]), on=work, journal=folder, client=service.client
            )
    assert result.ok, result.reason
    assert service.sent == run.spent.calls == paid
    assert run.ledger.reserved.calls == 0
    (note,) = [event for event in run.events if event.kind == "note" and event.about == "cluster"]
    assert note.fields["attempt"] == 1


async def test_a_worker_that_always_dies_is_given_up_with_the_work_so_far(address, tmp_path):
    search, write, review = specialists()
    team = DeterministicSupervisor(search, DiesOnce(write, tmp_path / "no" / "mark", 0), review)
    run = Run(connect())
    (result,) = await fan_out(run, jobs(team, ["pgvector"]), on=Loses(), attempts=2)
    assert result.status == "failed" and result.transient
    assert "attempt 2 of 2" in result.reason


class Loses:
    """Workers that are lost after they have booked a request."""

    async def do(self, job, attempt):
        await attempt.begin()
        await attempt.book(RequestSize(models.worker, 100, 300, ""))
        raise WorkerLost("gone")


@on_each("books", ["bank", "lease"])
async def test_what_a_lost_worker_had_under_way_counts_as_spent(books):
    run = Run(connect(), budget=Budget(calls=8))
    await fan_out(run, jobs(topics=["x"]), on=Loses(), attempts=2, books=books)
    assert run.ledger.reserved.calls == 0
    assert run.spent.calls == 2 and run.spent.output_tokens == 600


async def test_an_attempt_begins_once_whatever_the_scheduler_does():
    attempt = Attempt(Run(connect()))
    await attempt.begin()
    with pytest.raises(WorkerLost):
        await attempt.begin()


async def test_a_journal_that_a_dying_process_still_holds_is_waited_for(tmp_path):
    file = tmp_path / "branch.db"
    held = Journal(file)
    opening = asyncio.ensure_future(branches._opened(file))
    await asyncio.sleep(0)
    assert not opening.done()
    held.close()
    (await opening).close()


async def test_the_picture_says_what_crossed_the_wire_and_what_was_lost(address):
    run = Run(connect())
    async with open_cluster(address, without_tls=True) as cluster:
        await fan_out(run, jobs(Asks(2), ["x", "y"]), on=cluster)
    picture = views.Elsewhere(run)
    assert "2 branches in 2 parcels; 4 requests" in picture.finding()
    assert "⇄ 2 requests booked" in picture.text() and "(ok)" in picture.text()
    assert "on a worker" in picture.text()
    ElementTree.fromstring(picture.svg())
    lost = Run(connect())
    await fan_out(lost, jobs(Asks(), ["x"]), on=Loses(), attempts=2)
    assert "2 lost with its worker" in views.Elsewhere(lost).text()


async def test_the_picture_of_one_process_has_no_wire_and_no_worker():
    run = Run(connect())
    await fan_out(run, jobs(Asks(2), ["x", "y"]), on=LocalWorkers())
    picture = views.Elsewhere(run)
    for shown in (picture.text(), picture.svg()):
        assert "on a worker" not in shown and "What crosses the wire" not in shown
        assert "in this process" in shown and "nothing crossed a wire" in shown
    ElementTree.fromstring(picture.svg())


MOMENTS = (6, 14, 26)
"""Events after which a process is killed. Each word of a branch is tried in test_cluster_books."""


@pytest.fixture(scope="module")
def spares():
    """A scheduler, and a worker more than will be killed: no test waits until one is up."""
    distributed = pytest.importorskip("distributed")
    workers = 2 * len(MOMENTS) + 1
    with contextlib.ExitStack() as stack:
        _, address = stack.enter_context(scheduler_process())
        for _ in range(workers):
            stack.enter_context(worker_process(address))
        with distributed.Client(address, set_as_default=False) as dask:
            dask.wait_for_workers(workers)  # takes what it takes
        yield address


@pytest.mark.exhaustive
@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("books", ["bank", "lease"])
async def test_killed_from_outside_the_books_cover_what_was_sent(spares, tmp_path, moment, books):
    with Service(latency_ms=60) as service:
        run = Run(connect(), budget=Budget(calls=40))
        async with open_cluster(spares, without_tls=True) as cluster:
            terms = {"journal": tmp_path, "client": service.client, "books": books}
            branches = asyncio.ensure_future(fan_out(run, jobs(Asks(3)), on=cluster, **terms))
            while len(run.events) < moment and not branches.done():
                await asyncio.sleep(0.005)
            victim = next(event.fields["pid"] for event in run.events if at_work_there(event))
            os.kill(victim, KILL)
            results = await branches
    assert all(result.ok for result in results), [result.reason for result in results]
    assert service.sent <= run.spent.calls <= 12 + 4, "all four may have been under way there"
    assert run.ledger.reserved.calls == 0


def at_work_there(event):
    return getattr(event, "text", "") == "at work"


# ── cancel ────────────────────────────────────────────────────────────────────────────────────────


async def test_cancel_really_stops_what_runs_elsewhere(address, tmp_path):
    going = asyncio.Event()
    loop = asyncio.get_running_loop()
    run = Run(connect(), on_event=lambda event: event.kind == "note" and loop.call_soon(going.set))
    job = (Goes(tmp_path / "it"), Handoff(intent="Go"))
    async with open_cluster(address, without_tls=True) as cluster:
        branch = asyncio.ensure_future(fan_out(run, [job], on=cluster))
        await going.wait()
        branch.cancel()
        with pytest.raises(asyncio.CancelledError):
            await branch
    assert (tmp_path / "it").read_text(encoding="utf-8") == "stopped"
    assert run.ledger.reserved.calls == 0


async def test_a_deadline_stops_what_runs_elsewhere(address, tmp_path):
    """On a busy machine a short deadline may pass before the work begins: then a longer one is tried."""
    run = Run(connect())
    async with open_cluster(address, without_tls=True) as cluster:
        for seconds in (0.6, 3, 15, 75):
            job = (Goes(tmp_path / "it"), Handoff(intent="Go"), Budget(seconds=seconds))
            (result,) = await fan_out(run, [job], on=cluster)
            assert result.status == "exhausted" and "deadline" in result.reason
            if any(event.kind == "note" for event in run.events):
                break
    assert (tmp_path / "it").read_text(encoding="utf-8") == "stopped"
    assert run.ledger.reserved.calls == 0


# ── opening it ────────────────────────────────────────────────────────────────────────────────────


async def test_a_cluster_of_its_own_processes_opens_works_and_leaves_nothing(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-of-the-run")
    before = {*psutil.Process().children(recursive=True)}
    async with open_cluster(workers=1) as cluster:
        own = {
            process
            for process in psutil.Process().children(recursive=True)
            if process not in before and "resource_tracker" not in " ".join(process.cmdline())
        }  # the tracker is multiprocessing's own, and stays as long as this process
        ports = [port for process in [*own, psutil.Process()] for port in listening(process)]
        assert {port.ip for port in ports} == {"127.0.0.1"}
        assert not any("sk-ant" in word for process in own for word in process.cmdline())
        assert 0 < await cluster.seconds_a_question(20) < 1
        (result,) = await fan_out(Run(connect()), jobs(Asks(), ["x"]), on=cluster)
        assert result.output in {process.pid for process in own}
        with pytest.raises(TypeError, match="stays in its process"):
            import cloudpickle

            cloudpickle.dumps(cluster)
    psutil.wait_procs(own, timeout=10)
    assert not [process for process in own if process.is_running()]


def listening(process):
    return [
        connection.laddr
        for connection in process.net_connections("tcp")
        if connection.status == psutil.CONN_LISTEN
    ]


async def test_only_who_has_the_certificate_connects():
    distributed = pytest.importorskip("distributed")
    async with open_cluster(workers=1) as cluster:
        port = cluster.address.rpartition(":")[2]
        strangers = [
            (f"tcp://127.0.0.1:{port}", {}),
            (cluster.address, {"security": distributed.Security.temporary()}),
        ]
        for address, credentials in strangers:
            with pytest.raises(OSError):
                await distributed.Client(address, asynchronous=True, timeout=1, **credentials)


async def test_an_address_without_tls_is_refused_unless_it_is_asked_for():
    with pytest.raises(ValueError, match=r"has no TLS: whoever reaches it .* `without_tls=True`"):
        async with open_cluster("tcp://127.0.0.1:9"):
            pass


async def test_an_address_where_nothing_answers_says_how_to_start_one():
    with pytest.raises(NoCluster, match="dask scheduler"):
        async with open_cluster("tcp://127.0.0.1:9", without_tls=True, start_s=1.0):
            pass


async def test_a_cluster_that_is_late_names_the_setting_that_allows_more():
    with pytest.raises(NoCluster, match=r"no answer in 0.01 seconds; `start_s` allows more"):
        async with open_cluster(workers=1, start_s=0.01):
            pass


# ── nobody is left ────────────────────────────────────────────────────────────────────────────────


@contextlib.contextmanager
def scheduler_process():
    """A scheduler of its own, as `dask scheduler` starts one; gives the process and its address."""
    pytest.importorskip("distributed")
    options = ["--host", "127.0.0.1", "--port", "0", "--dashboard-address", "127.0.0.1:0"]
    command = [sys.executable, "-m", "dask", "scheduler", *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            line = next(line for line in process.stderr if "Scheduler at:" in line)
            yield process, line.split()[-1]
        finally:
            process.kill()


@contextlib.contextmanager
def worker_process(address):
    """A worker without a nanny: when it is killed, nobody starts it again."""
    options = ["--no-nanny", "--no-dashboard", "--host", "127.0.0.1"]
    command = [sys.executable, "-m", "dask", "worker", address, *options]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, stdout=quiet, stderr=quiet, cwd=ROOT) as process:
        try:
            yield process
        finally:
            process.kill()


async def at_work(run, branch):
    """Until a `Goes` has said that it is at work."""
    while not any(getattr(event, "text", "") == "going" for event in run.events):
        assert not branch.done(), branch.result()
        await asyncio.sleep(0.02)


@pytest.fixture(scope="module")
def without_workers():
    """The address of a scheduler that has no worker of its own."""
    with scheduler_process() as (_, address):
        yield address


async def test_without_a_worker_a_run_ends_as_a_result_that_says_what_to_do(without_workers):
    run, address = Run(connect()), without_workers
    async with open_cluster(address, without_tls=True, patience_s=0.5) as cluster:
        results = await fan_out(run, jobs(Asks(), ["x", "y"]), on=cluster)
    for result in results:
        assert result.status == "failed" and result.transient
        assert f"No worker has been at {address} for 0.5 seconds" in result.reason
        assert f"dask worker {address}" in result.reason and "`journal`" in result.reason
    assert run.spent.calls == run.ledger.reserved.calls == 0


@pytest.mark.exhaustive
async def test_when_the_last_worker_dies_the_work_so_far_comes_back_and_is_not_paid_again(
    without_workers, tmp_path
):
    search, write, review = specialists()
    slow = DeterministicSupervisor(search, Goes(tmp_path / "it", name="writer"), review)
    run, service = Run(connect()), Service()
    address = without_workers
    with service, worker_process(address) as worker:
        async with open_cluster(address, without_tls=True, patience_s=0.5) as cluster:
            terms = {"journal": tmp_path / "journal", "client": service.client}
            await cluster.ready(1)
            given = jobs(slow, ["pgvector"])
            branch = asyncio.ensure_future(fan_out(run, given, on=cluster, **terms))
            await at_work(run, branch)
            worker.kill()
            (result,) = await branch
            assert result.status == "failed" and "No worker has been at" in result.reason
            assert "pgvector" in result.as_text(), "the work so far"
            assert run.ledger.reserved.calls == 0
        paid = service.sent
        team = DeterministicSupervisor(search, write, review)
        (again,) = await fan_out(
            Run(connect()), jobs(team, ["pgvector"]), on=LocalWorkers(), **terms
        )
    assert again.ok, again.reason
    assert service.sent == paid + 2, "the research was replayed"


@pytest.mark.exhaustive
async def test_a_worker_that_comes_in_time_does_the_work(without_workers):
    async with open_cluster(without_workers, without_tls=True, patience_s=50) as cluster:
        branch = asyncio.ensure_future(fan_out(Run(connect()), jobs(Asks(), ["x"]), on=cluster))
        await asyncio.sleep(0.2)
        with worker_process(without_workers):
            (result,) = await branch
    assert result.ok, result.reason


@pytest.mark.parametrize(
    "then", ["waits", pytest.param("is cancelled", marks=pytest.mark.exhaustive)]
)
async def test_a_lost_scheduler_ends_a_run_with_the_work_so_far(tmp_path, then):
    run = Run(connect())
    team = DeterministicSupervisor(
        specialists()[0], Goes(tmp_path / "it", name="writer"), specialists()[2]
    )
    with scheduler_process() as (scheduler, address), worker_process(address):
        async with open_cluster(address, without_tls=True) as cluster:
            branch = asyncio.ensure_future(fan_out(run, jobs(team, ["pgvector"]), on=cluster))
            await at_work(run, branch)
            scheduler.kill()
            if then == "is cancelled":
                branch.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await branch
            else:
                (result,) = await branch
                assert result.status == "failed" and result.transient
                assert f"The scheduler at {address} was lost" in result.reason
                assert "pgvector" in result.as_text()
                (late,) = await fan_out(Run(connect()), jobs(Asks(), ["x"]), on=cluster)
                assert "was lost" in late.reason
    assert run.ledger.reserved.calls == 0


# ── machines of one's own ─────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def members(tmp_path_factory):
    """A scheduler and two workers with TLS, as docs/cluster.md starts them: their address and certificate."""
    distributed = pytest.importorskip("distributed")
    folder = tmp_path_factory.mktemp("members")
    made = distributed.Security.temporary()
    for name, text in (("cert", made.tls_client_cert), ("key", made.tls_client_key)):
        (folder / f"{name}.pem").write_text(text, encoding="utf-8")
    certificate, key = folder / "cert.pem", folder / "key.pem"
    tls = [
        *("--tls-ca-file", certificate, "--tls-cert", certificate, "--tls-key", key),
        *("--host", "127.0.0.1"),
    ]
    pages = ["--port", "0", "--dashboard-address", "127.0.0.1:0"]
    dask = [sys.executable, "-m", "dask"]
    with contextlib.ExitStack() as stack:
        command = [*dask, "scheduler", *tls, *pages]
        scheduler = stack.enter_context(
            subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        )
        stack.callback(scheduler.kill)
        line = next(line for line in scheduler.stderr if "Scheduler at:" in line)
        address = line.split()[-1]
        for _ in range(2):
            command = [*dask, "worker", address, *tls, "--no-dashboard"]
            quiet = subprocess.DEVNULL
            worker = stack.enter_context(
                subprocess.Popen(command, stdout=quiet, stderr=quiet, cwd=ROOT)
            )
            stack.callback(worker.terminate)
        yield address, certificate, key


OF_A_RUN = """
import asyncio, pathlib, sys
from distributed import Security
from kernel import Handoff, Run, connect
from kernel.parts.cluster import fan_out, open_cluster
from tests.kernel.cluster.test_cluster import Asks, Goes

address, certificate, key, file = sys.argv[1:]
security = Security(tls_ca_file=certificate, tls_client_cert=certificate, tls_client_key=key, require_encryption=True)

async def main():
    async with open_cluster(address, security=security) as cluster:
        await cluster.ready(2)
        jobs = [(Asks(), Handoff(intent=f"x {number}")) for number in range(4)]
        results = await fan_out(Run(connect()), jobs, on=cluster)
        print(*[result.status for result in results], flush=True)
        run = Run(connect(), on_event=lambda event: event.kind == "note" and print("going", flush=True))
        await fan_out(run, [(Goes(pathlib.Path(file)), Handoff(intent="Go"))], on=cluster)

asyncio.run(main())
"""


def test_machines_of_ones_own_do_the_work_and_stop_when_the_run_is_killed(members, tmp_path):
    file = tmp_path / "it"
    command = [sys.executable, "-c", OF_A_RUN, *map(str, members), str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as run:
        assert run.stdout.readline().split() == ["ok"] * 4
        assert run.stdout.readline().split() == ["going"]
        run.kill()
    until = time.monotonic() + 120
    while not file.exists():
        assert time.monotonic() < until, "the branch goes on without its run"
        time.sleep(0.1)
    assert file.read_text(encoding="utf-8") == "stopped"


@pytest.mark.parametrize("module", ["distributed", "cloudpickle", "cryptography"])
async def test_without_the_extra_there_is_one_sentence_with_the_line_that_installs_it(
    monkeypatch, module
):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ModuleNotFoundError, match=rf'{module}.*pip install -e "\.\[cluster\]"'):
        async with open_cluster():
            pass


@on_each(("settings", "named"), [({"books": "notes"}, "books"), ({"attempts": 0}, "attempts")])
async def test_a_setting_that_cannot_be_is_named(settings, named):
    with pytest.raises(ValueError, match=named):
        await fan_out(Run(connect()), [], on=LocalWorkers(), **settings)
