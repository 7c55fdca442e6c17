"""Facts about the material of lesson 22: designs that can be told apart, and a chart that says what was seen."""

from __future__ import annotations

import asyncio
import base64
import json
import random
import re
import subprocess
import sys
from statistics import fmean

import pytest

from kernel import LIBRARY, Corpus, DeterministicSupervisor, specialists
from kernel.parts.evaluate import (
    Conditions,
    Design,
    Item,
    Report,
    by_case,
    compare,
    evaluate,
    interval,
    load,
)
from tests.kernel.test_evaluate import trials_of
from tests.kernel.test_marks import trials
from workshop.material import evaluating, worth

PRINTED = """
from kernel import Corpus
from kernel.parts.evaluate import Conditions, Design
from workshop.material import evaluating
conditions = Conditions("faults", Corpus(), connect=evaluating.faulty)
for build in (evaluating.alone, evaluating.shorter(180), evaluating.shorter(90)):
    print(Design("design", build, conditions).fingerprint)
"""


def team(library):
    return DeterministicSupervisor(*specialists(library))


def test_each_design_has_a_fingerprint_of_its_own_in_every_process():
    conditions = Conditions("faults", Corpus(), connect=evaluating.faulty)
    builds = [evaluating.alone, evaluating.shorter(180), evaluating.shorter(90)]
    ours = [Design("design", build, conditions).fingerprint for build in builds]
    done = subprocess.run([sys.executable, "-c", PRINTED], capture_output=True, text=True)
    assert done.stdout.split() == ours and len({*ours}) == 3, done.stderr


def test_the_usual_limit_is_the_team_of_the_desk():
    library = Corpus()
    assert evaluating.shorter(180)(library).writer == team(library).writer
    assert "90 words" in evaluating.shorter(90)(library).reviewer.system


def test_a_service_with_faults_is_made_offline_only(monkeypatch):
    assert evaluating.faulty(1).mode == "offline"
    monkeypatch.setenv("WORKSHOP_MODEL", "local")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    assert evaluating.faulty(1).mode == evaluating.slow(1).mode == "local"


@pytest.mark.parametrize(
    ("other", "finding"),
    [
        ((0.1, 0.1, 0.1, 0.1, 0.1), "5 cases tell one agent from team"),
        ((0.9, 0.1, 0.9, 0.1, 0.5), "5 cases cannot tell the 2 designs apart"),
        ((0.1, 0.1, 0.1), "3 cases are too few for a verdict"),
    ],
)
def test_the_chart_says_what_was_seen(other, finding):
    report = Report({"one agent": trials(*[0.5] * len(other)), "team": trials(*other)})
    assert evaluating.marks_chart(report).finding == finding


def test_one_case_is_drawn_without_an_interval():
    drawn = evaluating.marks_chart(Report({"one agent": trials(0.5)}))
    assert drawn.finding == "1 case is too few for a verdict"
    wide, narrow = re.findall(r"base64,([\w+/=]+)", drawn.markup())
    for sheet in (wide, narrow):
        assert "one case has no interval" in base64.b64decode(sheet).decode("utf-8")


# ── how often the lesson's own marks mislead ──────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def marks_by_case():
    """For each golden case the marks of the team in the conditions of the lesson."""
    library = Corpus()
    conditions = Conditions("all", library, share=0.7, worded=True, connect=evaluating.faulty)

    def carried(case, answer):
        pairs = worth.sentences(answer)
        return fmean(worth.carried(*pair, library) for pair in pairs)

    def within(case, answer):
        pairs = worth.sentences(answer)
        return sum(len(sentence.split()) for sentence, _ in pairs) <= case.max_words

    rubric = [
        Item("key facts", lambda case, answer: case.covered(answer)),
        Item("carried", carried),
        Item("within limit", within),
    ]
    design = Design("team", team, conditions)
    found = asyncio.run(evaluate(design, load(evaluating.GOLDEN), range(4), rubric))
    return [[trial.mark for trial in group] for group in by_case(found).values()]


@pytest.mark.parametrize("repeats", [1, 4])
@pytest.mark.parametrize("count", [5, 8, 12, 20])
def test_equal_designs_with_the_marks_of_the_lesson_are_rarely_called_different(
    marks_by_case, count, repeats, exhaustive
):
    """Both designs draw their marks from the same ones, case by case."""
    rounds = 2000 if exhaustive else 300
    draw = random.Random(count)
    called = 0
    for _ in range(rounds):
        drawn = dict(enumerate(draw.choices(marks_by_case, k=count)))
        a, b = (
            trials_of({str(n): draw.choices(marks, k=repeats) for n, marks in drawn.items()})
            for _ in range(2)
        )
        called += compare(a, b).verdict in ("better", "worse")
    assert len({*map(tuple, marks_by_case)}) > 6, "marks that never differ prove nothing"
    assert called / rounds <= 0.07


def test_the_interval_of_the_marks_of_the_lesson_holds_the_truth_as_often_as_its_words_say(
    marks_by_case, exhaustive
):
    rounds = 2000 if exhaustive else 400
    draw = random.Random(16)
    truth = fmean(map(fmean, marks_by_case))
    held = 0
    for _ in range(rounds):
        drawn = dict(enumerate(draw.choices(marks_by_case, k=12)))
        marks = {str(n): draw.choices(marks, k=4) for n, marks in drawn.items()}
        _, low, high = interval(trials_of(marks))
        held += low <= truth <= high
    assert held / rounds == pytest.approx(0.91, abs=0.02 if exhaustive else 0.03)


# ── the labelled sentences ────────────────────────────────────────────────────────────────────────


def test_each_labelled_sentence_cites_one_document_of_the_library_and_says_why_it_is_not_carried():
    lines = (LIBRARY.parent / "labels.jsonl").read_text(encoding="utf-8").splitlines()
    labels = [json.loads(line) for line in lines]
    assert len({label["id"] for label in labels}) == len(labels) == 50
    documents = Corpus().documents
    for label in labels:
        [cited] = re.findall(r"\[([\w-]+)\]", label["sentence"])
        assert cited in documents, label["id"]
        assert bool(label.get("why")) is not label["carried"], label["id"]
        assert type(label["clear"]) is bool, label["id"]
