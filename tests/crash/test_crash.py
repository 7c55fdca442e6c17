"""A process is killed in the middle, another one goes on: equal result, equal bill, nothing
finished is repeated.

Kills are real: SIGKILL, at each event of five kinds of team under `--all`, at a random tenth of
them otherwise; without disturbance, with an overloaded service, and with prompt caching.
`pytest tests/crash --all -rP` prints the counts of each team.
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

WAYS = {
    "undisturbed service": {},
    "with faults": {"faults": True},
    "with caching": {"caching": True},
}
SAME = {"status", "text", "usd", "client_usd", "calls", "tokens"}
"""What a killed run has in common with one that nobody kills. With caching its bill may differ: the
new process meets a service whose cache is empty, as after five minutes, so it writes where it would
have read. The tokens are the same, and the bill is the sum of the replies in the journal.
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

    def run(self, kind, folder, kill_at=None, faults=False, caching=False):
        """Runs one team in the folder; returns its exit status, -9 when it was killed."""
        case = {"kind": kind, "folder": str(folder), "kill_at": kill_at}
        case |= {"faults": faults, "caching": caching}
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


def undisturbed(process, kind, folder, **how):
    """What comes of a run that nobody kills."""
    folder.mkdir()
    assert process.run(kind, folder, **how) == 0
    return outcome(folder)


def chosen(count, request):
    """At which events to kill: all of them under `--all`, else a random tenth."""
    if request.config.getoption("--all", default=False):
        return range(count)
    return sorted(random.sample(range(count), max(2, count // 10)))


def matrix():
    """Every kind of team in every way; the quick form has caching for one kind."""
    for kind in teams.KINDS:
        for how in WAYS:
            left = how == "with caching" and kind != "free"
            yield pytest.param(kind, how, marks=[pytest.mark.exhaustive] if left else [])


@pytest.mark.parametrize(("kind", "how"), [*matrix()])
def test_a_killed_run_goes_on_in_a_new_process(kind, how, process, tmp_path, request):
    expected = undisturbed(process, kind, tmp_path / "undisturbed", **WAYS[how])
    same = SAME - {"usd", "client_usd"} if how == "with caching" else SAME
    again = Counter()
    kills = chosen(expected["events"], request)
    for kill_at in kills:
        folder = tmp_path / str(kill_at)
        folder.mkdir()
        assert process.run(kind, folder, kill_at, **WAYS[how]) == -signal.SIGKILL
        assert process.run(kind, folder, **WAYS[how]) == 0, f"killed at event {kill_at}"
        found = outcome(folder)
        for figure in same:
            assert found[figure] == expected[figure], f"killed at event {kill_at}: {figure}"
        assert found["usd"] == found["client_usd"] == found["kept_usd"], f"killed at {kill_at}"
        if how != "with faults":  # there a request is sent until it is answered, kill or not
            steps = expected["finished"] - (kind == "effect")  # one is an effect, not a request
            repeated = len(lines(folder / "calls")) - steps
            assert 0 <= repeated <= MOST_IN_FLIGHT[kind], f"killed at event {kill_at}"
            again["requests"] += repeated
        if found["usd"] != expected["usd"]:
            again["other bills"] += 1
    print(
        f"{kind}, {how}: {len(kills)} kills, {len(kills)} equal results, ledger exact each time, "
        f"{again['requests']} requests in flight sent again, {again['other bills']} bills differ by "
        "the cache"
    )


def test_caching_is_on_in_the_matrix_that_says_so(process, tmp_path):
    read = {
        kind: undisturbed(process, kind, tmp_path / kind, caching=True)["cached"]
        for kind in teams.KINDS
    }
    assert sum(read.values()) > 0 and read["free"] > 0, read


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
