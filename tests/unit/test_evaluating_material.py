"""Facts about the material of lesson 16: designs that can be told apart, and a chart that says what was seen."""

from __future__ import annotations

import subprocess
import sys

import pytest

from kernel import Corpus
from kernel.evaluate import Conditions, Design
from kernel.marks import Report
from workshop.material import evaluating

from .test_marks import trials

PRINTED = """
from kernel import Corpus
from kernel.evaluate import Conditions, Design
from workshop.material import evaluating
conditions = Conditions("faults", Corpus(), connect=evaluating.faulty)
for build in (*evaluating.DESIGNS.values(), evaluating.shorter(90)):
    print(Design("design", build, conditions).fingerprint)
"""


def test_each_design_has_a_fingerprint_of_its_own_in_every_process():
    conditions = Conditions("faults", Corpus(), connect=evaluating.faulty)
    builds = [*evaluating.DESIGNS.values(), evaluating.shorter(90)]
    ours = [Design("design", build, conditions).fingerprint for build in builds]
    done = subprocess.run([sys.executable, "-c", PRINTED], capture_output=True, text=True)
    assert done.stdout.split() == ours and len({*ours}) == 5, done.stderr


def test_the_usual_limit_is_the_team_of_the_desk():
    library = Corpus()
    assert evaluating.shorter(180)(library).writer == evaluating.team(library).writer
    assert "90 words" in evaluating.shorter(90)(library).reviewer.system


def test_a_service_with_faults_is_made_offline_only(monkeypatch):
    assert evaluating.faulty(1).mode == "offline"
    monkeypatch.setenv("WORKSHOP_MODEL", "local")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    assert evaluating.faulty(1).mode == evaluating.slow(1).mode == "local"


@pytest.mark.parametrize(
    ("other", "finding"),
    [
        ((0.1, 0.1, 0.1, 0.1), "4 cases tell one agent from team"),
        ((0.9, 0.1, 0.9, 0.1), "4 cases cannot tell the 2 designs apart"),
    ],
)
def test_the_chart_says_what_was_seen(other, finding):
    report = Report({"one agent": trials(0.5, 0.5, 0.5, 0.5), "team": trials(*other)})
    assert evaluating.marks_chart(report).finding == finding
