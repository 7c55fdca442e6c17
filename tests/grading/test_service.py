"""The service outside of the sandbox: what it saw is put into an observation, and nothing else is."""

from __future__ import annotations

import json
import os

import pytest

from workshop.authoring import answers
from workshop.checks import exercise
from workshop.course.observing import Sight, at_the_service, line_of, sight_of
from workshop.course.service import MARK, Exchange
from workshop.grading import course, observed, service
from workshop.grading.sandbox.sandboxed_kernel import GradedKernel

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


@pytest.fixture(scope="module")
def material(tmp_path_factory):
    return course.prepare(tmp_path_factory.mktemp("grading") / "course")


@pytest.fixture
def kernel(material):
    started = GradedKernel(material)
    yield started
    started.stop()


def looked(kernel, id, source):
    """What is seen of an answer on each drawn case, by trial."""
    known = exercise(id)
    for cell in answers.master("19").cells:
        if cell.metadata.get("workshop", {}).get("role") == "given":
            assert kernel.run(cell.source, 30).ended == "ok"
    assert kernel.run(source, 10).ended == "ok"
    found = {}
    for case in observed.drawn(known, 7):
        _, line = observed.look(
            known, case.inputs, case.label, kernel, lambda cell: kernel.run(cell, 30)
        )
        found[case.trial] = sight_of(line).seen
    return found


def test_our_team_is_seen_at_the_service(kernel):
    seen = looked(kernel, "19.2", answers.ours("19.2"))
    assert seen["own specialist"]["prompts that the service saw"] == 3
    assert seen["works"]["figures of the documents in replies"] >= 2
    assert all(
        value["calls of the log that the service did not see"] == 0 for value in seen.values()
    )
    assert not any(MARK in value or "calls" in value for value in seen.values())


def test_a_kill_is_paid_for_once_and_without_a_journal_twice(kernel):
    ours = looked(kernel, "19.3", answers.ours("19.3"))
    assert ours["resumes"]["answers that were paid twice"] == 0
    assert ours["stops"]["requests of a team that never ends"] == 30
    without = looked(kernel, "19.3", answers.slip("19.3", "no journal"))
    assert without["resumes"]["answers that were paid twice"] > 0


def test_work_that_never_passed_the_service_is_not_seen_there(kernel):
    seen = looked(kernel, "19.2", FORGED)
    assert seen["own specialist"]["prompts that the service saw"] == 0
    assert seen["works"]["documents that the service saw"] == 0


def test_the_service_ends_with_its_kernel(material):
    kernel = GradedKernel(material)
    beside = kernel.service = service.OutsideService(kernel.sockets)
    process = beside._process
    assert os.path.exists(beside.socket) and process.poll() is None
    kernel.stop()
    assert process.poll() is not None


CASE = {"look": "people", "documents": {}}
LOG = [Exchange("team", "You write.", "{}", "{}")]


def test_only_an_observation_that_waits_for_the_log_gets_it():
    reader = at_the_service("19.2")
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
    reader = at_the_service("19.2")
    line = line_of(Sight({**seen, MARK: True}), "19.2/0")
    done = sight_of(service.completed(line, reader, LOG, CASE)).seen
    assert done.get("calls of the log that the service did not see", 1) != 0 or seen == {
        "calls": -5
    }
    assert service.completed("no line", reader, LOG, CASE) == "no line"
