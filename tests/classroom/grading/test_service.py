"""The service outside of the sandbox: what it saw is put into an observation, and nothing else is."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import time

import psutil
import pytest

from classroom.authoring import answers
from classroom.checks import exercise
from classroom.grading import observed, service
from classroom.grading.intake.answers import Merged
from classroom.grading.plan import GradingPlan
from classroom.grading.sandbox import watch
from classroom.grading.sandbox.sandboxed_kernel import GradedKernel, KernelFailed, Outcome
from classroom.grading.sandbox.spent import WIDE, WIDE_ALONE, TimeSpent
from classroom.grading.staged import StagedNotebook
from classroom.observing import Sight, at_the_service, line_of, sight_of
from tests.places import COURSE
from workshop.course import watched_server
from workshop.course.service import MARK, MOST_REQUESTS, Exchange

pytestmark = pytest.mark.skipif(not service.POSSIBLE, reason="this system has no such sockets")

FORGED = """
class Forged:
    name, description = "forged", "Asks a model of its own, and says that it was ours."

    async def execute(self, handoff, run):
        other = Run(connect("offline"))
        search, write, _ = specialists(LIBRARY[0])
        return (await other.dispatch(gates.Gated(write, [gates.LengthGate(120)]), handoff))


LIBRARY = []


def team(library):
    LIBRARY.append(library)
    return Forged()
"""


def looked(kernel, id, source):
    """What is seen of an answer on each drawn case, by trial."""
    known = exercise(id)
    for cell in answers.master("27").cells:
        if cell.metadata.get("workshop", {}).get("role") == "given":
            assert kernel.run(cell.source, 30).ended == "ok"
    assert kernel.run(source, 10).ended == "ok"
    found = {}
    for case in observed.drawn(known, 7):
        _, line = observed.look(
            known,
            case.inputs,
            case.label,
            kernel,
            lambda cell: kernel.run(cell, 30),
            case.outside,
        )
        found[case.trial] = sight_of(line).seen
    return found


def test_our_team_is_seen_at_the_service(kernel):
    seen = looked(kernel, "27.2", answers.ours("27.2"))
    assert seen["own specialist"]["prompts that the service saw"] == 3
    assert seen["own tool"]["tools of your own whose answers the service saw"] == 1
    assert seen["works"]["figures of the documents in replies"] >= 2
    assert all(
        value["calls of the log that the service did not see"] == 0 for value in seen.values()
    )
    assert not any(MARK in value or "calls" in value for value in seen.values())


def test_a_kill_is_paid_for_once_and_without_a_journal_twice(kernel):
    ours = looked(kernel, "27.3", answers.ours("27.3"))
    assert ours["resumes"]["answers that were paid twice"] == 0
    assert ours["stops"]["requests of a team that never ends"] == 30
    without = looked(kernel, "27.3", answers.slip("27.3", "no journal"))
    assert without["resumes"]["answers that were paid twice"] > 0


def test_work_that_never_passed_the_service_is_not_seen_there(kernel):
    seen = looked(kernel, "27.2", FORGED)
    assert seen["own specialist"]["prompts that the service saw"] == 0
    assert seen["own tool"]["tools of your own whose answers the service saw"] == 0
    assert seen["works"]["documents that the service saw"] == 0


def test_the_service_ends_with_its_kernel(material):
    kernel = GradedKernel(material)
    beside = service.OutsideService(COURSE.service(), kernel.sockets)
    kernel.stands_beside(beside)
    process = beside._process
    assert os.path.exists(beside.socket) and process.poll() is None
    kernel.stop()
    assert process.poll() is not None


CASE = {"look": "people", "documents": {}}
LOG = [Exchange("team", "You write.", "{}", "{}")]


def test_only_an_observation_that_waits_for_the_log_gets_it():
    reader = at_the_service("27.2")
    waits = line_of(Sight({"calls": 1, MARK: True}), "19.2/0")
    done = sight_of(service.completed(waits, reader, LOG, CASE)).seen
    assert done["prompts that the service saw"] == 1
    assert json.loads(service.completed(waits, reader, LOG, CASE))["case"] == "19.2/0"
    other = line_of(Sight({"returned": None}), "19.2/0")
    assert service.completed(other, reader, LOG, CASE) == other


@pytest.mark.parametrize(
    "seen", [{}, {"calls": "many"}, {"calls": True}, {"calls": -5}, {"calls": []}]
)
def test_what_is_made_up_inside_hides_nothing(seen):
    reader = at_the_service("27.2")
    line = line_of(Sight({**seen, MARK: True}), "19.2/0")
    done = sight_of(service.completed(line, reader, LOG, CASE)).seen
    assert done.get("calls of the log that the service did not see", 1) != 0 or seen == {
        "calls": -5
    }
    assert service.completed("no line", reader, LOG, CASE) == "no line"


# ── a submission that overwhelms its service ──────────────────────────────────────────────────────

HEAD = b"POST /team/v1/messages HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
ASKS = json.dumps(
    {
        "model": "claude-haiku-5-5",
        "max_tokens": 30,
        "messages": [{"role": "user", "content": "Hello"}],
    }
).encode()


@pytest.fixture
def beside(tmp_path_factory):
    started = service.OutsideService(COURSE.service(), tmp_path_factory.mktemp("s"))
    yield started
    started.stop()


def sent(beside, *pieces, answered=True):
    """A connection on which these pieces were sent; closed when its answer has been read."""
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(30)
    connection.connect(beside.socket)
    with contextlib.suppress(OSError):
        for piece in pieces:
            connection.sendall(piece)
    if not answered:
        return connection
    with connection:
        answer = b""
        with contextlib.suppress(OSError):
            while piece := connection.recv(65536):
                answer += piece
        return answer


def request(body=ASKS):
    more = b"x-api-key: x\r\nanthropic-version: 2026-10-21\r\nconnection: close\r\n"
    return HEAD + more + b"content-length: %d\r\n\r\n" % len(body) + body


def test_a_request_is_answered_and_logged_once(beside):
    assert b"200 OK" in sent(beside, request())
    log, refused = beside.take()
    assert [exchange.process for exchange in log] == ["team"] and not refused
    assert beside.take() == ([], "")


def test_a_long_log_comes_back_whole(beside):
    text = "ü\n" * 40_000
    asked = json.loads(ASKS) | {"messages": [{"role": "user", "content": text}]}
    for _ in range(3):
        sent(beside, request(json.dumps(asked).encode()))
    log, refused = beside.take()
    bodies = [json.loads(exchange.body) for exchange in log]
    assert [body["messages"][0]["content"] for body in bodies] == [text] * 3 and not refused
    assert beside.take() == ([], "")


def test_a_flood_is_refused_and_the_next_case_begins_anew(beside):
    for _ in range(MOST_REQUESTS):
        sent(beside, request(b"{}"))
    assert b"413" in sent(beside, request())
    assert beside.take().refused == (
        f"it sent more than {MOST_REQUESTS} requests for one case; give it a budget"
    )
    assert b"200 OK" in sent(beside, request())
    assert len(beside.take().log) == 1


def test_a_huge_request_is_refused_before_it_is_read(beside):
    before = psutil.Process(beside._process.pid).memory_info().rss
    answer = sent(beside, HEAD + b"content-length: 900000000\r\n\r\n", *[b"x" * 2**20] * 40)
    grown = psutil.Process(beside._process.pid).memory_info().rss - before
    assert (b"413" in answer or not answer) and grown < 20 * 2**20
    assert "a request of 900,000,000 bytes; at most 400,000" in beside.take().refused


def test_a_slow_request_is_cut_and_others_are_served_meanwhile(beside):
    slow = sent(beside, HEAD + b"content-length: 500\r\n\r\n", answered=False)
    began = time.monotonic()
    assert b"200 OK" in sent(beside, request())
    with contextlib.suppress(OSError):
        while time.monotonic() - began < 60:
            slow.sendall(b"x")
            time.sleep(0.2)
    assert watched_server.REQUEST_S - 1 < time.monotonic() - began < 50
    assert "had not sent it whole after 8 s" in beside.take().refused
    slow.close()


def test_connections_that_say_nothing_have_a_bound_and_are_closed(beside):
    held = [sent(beside, answered=False) for _ in range(watched_server.AT_ONCE + 4)]
    deadline = time.monotonic() + 40
    while not (refused := beside.take().refused) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert refused == f"it held more than {watched_server.AT_ONCE} connections open at once"
    assert b"200 OK" in sent(beside, request()), "their places were given back in time"
    for connection in held:
        connection.close()


def test_a_service_that_does_not_answer_is_ended_and_says_so(beside, monkeypatch):
    monkeypatch.setattr(service, "ANSWER_S", 0.5)
    os.kill(beside._process.pid, signal.SIGSTOP)
    assert beside.take() == ([], "its requests used up what the service may use")
    assert not beside.alive


def test_a_service_that_had_no_processor_is_the_machines_fault(beside, monkeypatch):
    monkeypatch.setattr(service, "ANSWER_S", 0.5)
    monkeypatch.setattr(service.Waiting, "since_the_last_time", lambda *_: 0.4)
    os.kill(beside._process.pid, signal.SIGSTOP)
    with pytest.raises(service.ServiceFailed, match="the machine was too busy"):
        beside.take()
    assert not beside.alive


class Starved:
    """A service that gets no processor: a second is lost between two looks at it."""

    def __init__(self, monkeypatch):
        waited = watch._waited

        def scripted(processes):
            if processes != ["the service"]:
                return waited(processes)
            self.looks += 1
            return {"its thread": self.looks * 10**9}

        self.looks = 0
        monkeypatch.setattr(watch, "_waited", scripted)
        monkeypatch.setattr(watch, "seconds_run", lambda processes: 0.0)

    def processes(self):
        return ["the service"]

    def stop(self):
        pass


def test_what_the_service_waits_for_a_processor_is_not_the_submissions_fault(kernel, monkeypatch):
    kernel.stands_beside(Starved(monkeypatch))
    outcome = kernel.run("import time; time.sleep(60)", 1)
    assert outcome.ended == "timeout" and outcome.disturbed
    assert "the machine was busy" in outcome.reason


def test_nobody_is_told_of_a_busy_machine_who_slept(kernel):
    outcome = kernel.run("import time; time.sleep(60)", 1)
    assert not outcome.disturbed and "slept" in outcome.reason


@pytest.mark.parametrize("alone, wide", [(False, WIDE), (True, WIDE_ALONE)])
def test_a_submission_that_is_tried_again_alone_may_wait_longer_and_is_then_not_graded(alone, wide):
    given = []

    class Kernel:
        def run(self, *call):
            given.append(call)
            return Outcome("timeout", disturbed=True)

    plan = GradingPlan(seed=1, timeout_s=10.0, alone=alone)
    staged = StagedNotebook(Merged("03_deterministic_supervisor"), plan, 3)
    staged.kernel = Kernel()
    with pytest.raises(KernelFailed) if alone else contextlib.nullcontext():
        staged.run("x")
    assert given == [("x", 10.0, wide)] and staged.disturbed


@pytest.mark.parametrize(
    "took, disturbed", [(TimeSpent(400, 10, 300), True), (TimeSpent(400, 10, 0), False)]
)
def test_the_time_of_a_whole_notebook_knows_a_busy_machine_too(took, disturbed):
    staged = StagedNotebook(Merged("03_deterministic_supervisor"), GradingPlan(1), 3)
    staged.spent = took
    assert staged.out_of_time() and staged.disturbed == disturbed


def test_a_case_that_overwhelms_the_service_earns_nothing_and_says_why(kernel):
    flood = answers.ours("27.2").replace(
        "    # solution\n",
        "    # solution\n"
        "    import socket\n"
        "    from classroom import observing\n"
        "    with socket.socket(socket.AF_UNIX) as it:\n"
        "        it.connect(observing._here.session.socket)\n"
        "        it.sendall(b'POST / HTTP/1.1\\r\\ncontent-length: 999999\\r\\n\\r\\n')\n"
        "        it.recv(100)\n",
        1,
    )
    known = exercise("27.2")
    for cell in answers.master("27").cells:
        if cell.metadata.get("workshop", {}).get("role") == "given":
            kernel.run(cell.source, 30)
    kernel.run(flood, 10)
    case = observed.drawn(known, 7)[0]
    outcome, line = observed.look(
        known, case.inputs, case.label, kernel, lambda cell: kernel.run(cell, 30)
    )
    assert (outcome.ended, line) == ("killed", "")
    assert "served it no more: it sent a request of 999,999 bytes" in outcome.reason
    assert not kernel.is_alive()
