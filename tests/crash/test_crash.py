"""A process is killed in the middle, another one goes on: equal result, equal bill, nothing
finished is repeated.

Kills are real: SIGKILL, at each event of five kinds of team under `--all`, at a random tenth of
                them otherwise.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from decimal import Decimal
from pathlib import Path

import pytest

from . import teams

pytestmark = pytest.mark.skipif(
    not hasattr(os, "fork"),
    reason="Windows has no fork and no SIGKILL; the journal is the same there",
)

TEAMS = Path(teams.__file__)
MOST_IN_FLIGHT = {"fixed": 1, "free": 1, "parallel": 3, "fan-out": 2, "effect": 1}
"""Requests that may be under way when the process dies; each may have been billed and is asked
again.
"""


class Process:
    """The process that runs the cases."""

    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.crash.teams"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=TEAMS.parents[2],
        )

    def run(self, kind, folder, kill_at=None, faults=False):
        """Runs one team in the folder; returns its exit status, -9 when it was killed."""
        case = {"kind": kind, "folder": str(folder), "kill_at": kill_at, "faults": faults}
        self.process.stdin.write(json.dumps(case) + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


@pytest.fixture(scope="module")
def process():
    process = Process()
    yield process
    process.close()


def lines(path):
    return path.read_text().split() if path.exists() else []


def outcome(folder):
    return json.loads((folder / "result").read_text(encoding="utf-8"))


def undisturbed(process, kind, folder, faults=False):
    """What comes of a run that nobody kills."""
    folder.mkdir()
    assert process.run(kind, folder, faults=faults) == 0
    return outcome(folder)


def chosen(count, request):
    """At which events to kill: all of them under `--all`, else a random tenth."""
    if request.config.getoption("--all", default=False):
        return range(count)
    return sorted(random.sample(range(count), max(2, count // 10)))


@pytest.mark.parametrize("faults", [False, True], ids=["", "with faults"])
@pytest.mark.parametrize("kind", teams.KINDS)
def test_a_killed_run_goes_on_in_a_new_process(kind, faults, process, tmp_path, request):
    expected = undisturbed(process, kind, tmp_path / "undisturbed", faults)
    for kill_at in chosen(expected["events"], request):
        folder = tmp_path / str(kill_at)
        folder.mkdir()
        assert process.run(kind, folder, kill_at, faults) == -signal.SIGKILL
        sent_before = Counter(lines(folder / "calls"))
        assert process.run(kind, folder, faults=faults) == 0, f"killed at event {kill_at}"
        found = outcome(folder)
        for figure in ("status", "text", "usd", "client_usd", "calls"):
            assert found[figure] == expected[figure], f"killed at event {kill_at}: {figure}"
        if not faults:  # with faults a request is sent until it is answered, with or without a kill
            again = sum((Counter(lines(folder / "calls")) - sent_before).values())
            repeated = sum(sent_before.values()) + again - expected["finished"]
            if kind == "effect":
                repeated += 1  # one of its steps is an effect, not a request
            assert 0 <= repeated <= MOST_IN_FLIGHT[kind], f"killed at event {kill_at}"


def test_an_effect_that_was_under_way_is_begun_again_under_the_same_key(process, tmp_path, request):
    expected = undisturbed(process, "effect", tmp_path / "undisturbed")
    for kill_at in range(expected["events"]):
        folder = tmp_path / str(kill_at)
        folder.mkdir()
        process.run("effect", folder, kill_at)
        process.run("effect", folder)
        assert len(set(lines(folder / "effects"))) == 1


def test_two_crashes_in_one_run_are_no_worse_than_one(process, tmp_path):
    expected = undisturbed(process, "fixed", tmp_path / "undisturbed")
    folder = tmp_path / "twice"
    folder.mkdir()
    for kill_at in (5, expected["events"] - 2):
        assert process.run("fixed", folder, kill_at) == -signal.SIGKILL
    assert process.run("fixed", folder) == 0
    found = outcome(folder)
    assert found["text"] == expected["text"] and Decimal(found["usd"]) == Decimal(expected["usd"])
