"""Facts about evaluation: cases with clear errors, honest repeats, results that survive, and the statistics."""

from __future__ import annotations

import asyncio
import json
import math
import random
import signal
import subprocess
import sys
from decimal import Decimal
from itertools import combinations
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernel import Agent, Client, Corpus, Exhausted, Result, Run, models, search_tool
from kernel.core.budget import Demand, Spent
from kernel.parts.evaluate import (
    FEWEST,
    Case,
    CaseError,
    Conditions,
    Design,
    Item,
    KeyFact,
    Trial,
    all_of_k,
    compare,
    evaluate,
    interval,
    load,
    marked,
    pass_at_k,
    sentences,
)
from kernel.plumbing.search import Document
from offline_model import Faults, OfflineTransport
from tests.on_each import on_each
from tests.places import ROOT
from tests.scripted import no_sleep, scripted

GOLDEN = ROOT / "notebooks" / "data" / "golden.jsonl"


def a_case(id="one", **changes):
    fact = KeyFact(fact="it is a gear", says=("widget", "gear"))
    return Case(**{"id": id, "task": f"Write on {id}", "key_facts": (fact,), **changes})


def a_trial(case="one", seed=0, mark=1.0, passed=True, **changes):
    fields = {"design": "team", "status": "ok", "output": "text", "usd": Decimal("0.001")}
    fields |= {"calls": 2, "tokens": 100, "seconds": 0.5, "mode": "offline"}
    fields |= {"marks": {"item": mark}, "passed": passed}
    return Trial(case=case, seed=seed, **{**fields, **changes})


def trials_of(marks):
    """Trials from marks by case: the n-th repeat has seed n."""
    return [
        a_trial(case, seed, mark) for case, row in marks.items() for seed, mark in enumerate(row)
    ]


# ── golden cases ──────────────────────────────────────────────────────────────────────────────────


def test_the_golden_set_is_true_to_the_corpus():
    library = Corpus()
    cases = load(GOLDEN)
    assert len(cases) == 12
    for case in cases:
        assert len(case.key_facts) >= 3 and len(case.wordings) >= 2
        for fact in case.key_facts:
            claims = sentences(library.documents[fact.source].text)
            assert any(map(fact.in_sentence, claims)), f"{case.id}: {fact.fact}"


def test_a_key_fact_of_the_golden_set_is_not_said_by_accident():
    """The task alone says none of them, and no sentence of another case's document does."""
    library = Corpus()
    cases = load(GOLDEN)
    for case in cases:
        assert case.missed(case.task) == [*case.key_facts]
        own = {fact.source for fact in case.key_facts}
        for other in cases:
            strangers = {fact.source for fact in other.key_facts} - own
            text = " ".join(library.documents[source].text for source in strangers)
            assert case.covered(text) <= 0.5, f"{other.id} says what {case.id} asks for"


def line(**changes):
    fact = {"fact": "it is a gear", "says": ["gear"]}
    return json.dumps({"id": "one", "task": "Write", "key_facts": [fact], **changes})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{line()}\n\n{{not json", "golden.jsonl, line 3: Invalid JSON"),
        (f"{line()}\n{line()}", "golden.jsonl, line 2: the id 'one' is taken"),
        (line(task=""), "golden.jsonl, line 1: task: "),
        (line(key_facts=[]), "golden.jsonl, line 1: key_facts: "),
        (line(key_facts=[{"fact": "x"}]), "line 1: key_facts.0.says: Field required"),
        (line(max_words=0), "line 1: max_words: "),
        (line(must=["x"]), "line 1: must: Extra inputs are not permitted"),
        ("[1, 2]", "golden.jsonl, line 1: "),
        ("\n \n", "golden.jsonl holds no case"),
    ],
)
def test_a_bad_line_is_named_with_its_number(tmp_path, text, message):
    path = tmp_path / "golden.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CaseError) as problem:
        load(path)
    assert message in str(problem.value)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85"])
def test_a_line_ends_at_a_line_feed_only(tmp_path, separator, end):
    path = tmp_path / "golden.jsonl"
    task = f"Write{separator}a brief"
    lines = [
        json.dumps({**json.loads(line()), "id": id, "task": task}, ensure_ascii=False)
        for id in "ab"
    ]
    path.write_bytes(end.join([*lines, ""]).encode())
    assert [case.task for case in load(path)] == [task, task]


def test_a_file_that_is_missing_or_no_text_is_named(tmp_path):
    with pytest.raises(CaseError, match="there is no file golden.jsonl"):
        load(tmp_path / "golden.jsonl")
    (tmp_path / "golden.jsonl").write_bytes(b"\xff\xfe{")
    with pytest.raises(CaseError, match="is not UTF-8 \\(byte 0\\)"):
        load(tmp_path / "golden.jsonl")


@on_each(
    ("sentence", "says", "holds"),
    [
        ("The index has 2,000 dimensions.", ("2,000 dimensions",), True),
        ("The index has 32,000 dimensions.", ("2,000 dimensions",), False),
        ("The index has 1.5 dimensions.", ("5 dimensions",), False),
        ("It offers two indexes.", ("index",), True),
        ("A half-open breaker waits.", ("open",), False),
        ("The plan is FREE.", ("plan", "free|minimum"), True),
        ("The plan has a minimum.", ("plan", "free|minimum"), True),
        ("The plan costs nothing.", ("plan", "free|minimum"), False),
        ("a.b", ("a?b",), False),
    ],
)
def test_when_a_sentence_says_a_fact(sentence, says, holds):
    assert KeyFact(fact="x", says=says).in_sentence(sentence) is holds


def test_a_fact_is_said_in_one_sentence_and_not_by_a_heading():
    case = a_case()
    assert case.covered("A widget is a gear [a].") == 1
    assert case.covered("A widget turns. A gear does, too.") == 0
    assert case.covered("# The widget gear\n\nIt turns.") == 0


def test_the_wording_goes_round_with_the_seed():
    case = a_case(task="a", wordings=("b", "c"))
    assert [case.worded(seed) for seed in range(5)] == ["a", "b", "c", "a", "b"]


# ── conditions ────────────────────────────────────────────────────────────────────────────────────

LIBRARY = Corpus.of(
    Document(f"doc-{n}", f"Widget {n}", f"Widget {n} is a gear.") for n in range(20)
)


def test_a_repeat_holds_its_share_of_the_documents_the_same_for_every_design():
    conditions = Conditions("documents", LIBRARY, share=0.7)
    held = [{*conditions.documents(seed).documents} for seed in range(4)]
    assert all(len(ids) == 14 for ids in held) and len({frozenset(ids) for ids in held}) == 4
    again = Conditions("documents", LIBRARY, share=0.7)
    assert [{*again.documents(seed).documents} for seed in range(4)] == held
    with pytest.raises(ValueError, match="share is 0"):
        Conditions("none", LIBRARY, share=0)


def lone(library, limit=6, system="Find facts."):
    return Agent("lone", "Finds.", system, models.worker, (search_tool(library, limit=limit),))


def test_kept_answers_of_another_prompt_or_library_are_not_used():
    conditions = Conditions("nothing", LIBRARY)
    one = Design("lone", lone, conditions)
    assert one.fingerprint == Design("lone", lone, conditions).fingerprint

    def other(library):
        return lone(library, system="Find more facts.")

    fewer = Corpus.of(list(LIBRARY.documents.values())[1:])
    others = [
        Design("lone", other, conditions),
        Design("lone", lone, Conditions("nothing", fewer)),
        Design("lone", lone, Conditions("documents", LIBRARY, share=0.5)),
        Design("lone", lone, conditions, version="2"),
    ]
    assert len({one.fingerprint, *(each.fingerprint for each in others)}) == 5


def faulty(seed):
    faults = Faults(rate_refusal=0.4, rate_529=0.2)
    return Client(OfflineTransport(seed=seed, faults=faults), sleep=no_sleep)


async def test_faults_are_trials_and_the_same_in_every_evaluation():
    conditions = Conditions("faults", LIBRARY, connect=faulty)
    runs = []
    for at_once in (1, 4):
        design = Design("lone", lone, conditions)
        trials = await evaluate(design, [a_case("Widget 3")], range(8), RUBRIC, at_once=at_once)
        runs.append([(trial.seed, trial.status, trial.output) for trial in trials])
    assert runs[0] == runs[1]
    assert {status for _, status, _ in runs[0]} == {"ok", "refused"}


# ── evaluate ──────────────────────────────────────────────────────────────────────────────────────

RUBRIC = [
    Item("covered", lambda case, answer: case.covered(answer)),
    Item("short", lambda *_: True),
]
CASES = [a_case("one"), a_case("two"), a_case("three")]


class Scripted:
    """A design that answers at once, counts its work, and can die at the n-th."""

    name = "scripted"
    fingerprint = "1"

    def __init__(self, answer="A widget is a gear.", dies_at=0, status="ok"):
        self.answer, self.dies_at, self.status = answer, dies_at, status
        self.worked = []

    async def __call__(self, case, seed):
        self.worked.append((case.id, seed))
        if len(self.worked) == self.dies_at:
            raise RuntimeError("the process dies here")
        await asyncio.sleep(0)
        return Result(status=self.status, output=self.answer), Run(scripted())


class Unpriced(Scripted):
    """A design whose model has a price that nobody knows."""

    def __init__(self, mode="live"):
        super().__init__()
        self.mode = mode

    async def __call__(self, case, seed):
        result, run = await super().__call__(case, seed)
        run.client.mode = self.mode
        hold = run.ledger.hold(Demand(1, 1, lambda *_: None))
        hold.settle(Spent(calls=1, unpriced=1))
        return result, run


async def test_a_trial_of_every_case_and_seed_in_order_with_marks():
    trials = await evaluate(Scripted(), CASES, [3, 5], RUBRIC, at_once=4)
    assert [(trial.case, trial.seed) for trial in trials] == [
        (case.id, seed) for case in CASES for seed in (3, 5)
    ]
    assert all(trial.marks == {"covered": 1, "short": 1} and trial.passed for trial in trials)


async def test_a_real_run_brings_its_price_its_calls_and_whose_words_they_are():
    design = Design("lone", lone, Conditions("nothing", LIBRARY))
    (trial,) = await evaluate(design, [a_case("Widget 3")], [0], RUBRIC)
    assert trial.calls == 2 and trial.usd > 0 and trial.tokens > 0 and trial.mode == "offline"
    assert trial.status == "ok" and "gear" in trial.output and trial.seconds > 0


async def test_an_empty_answer_has_no_mark_whatever_the_rubric_thinks_of_it():
    (trial,) = await evaluate(Scripted(" \n", status="refused"), CASES[:1], [0], RUBRIC)
    assert trial.marks == {"covered": 0, "short": 0} and not trial.passed
    assert trial.status == "refused"


async def test_a_bar_decides_what_counts_as_passed():
    half = [Item("half", lambda *_: 0.5, bar=0.5)]
    full = [Item("half", lambda *_: 0.5)]
    (trial,) = await evaluate(Scripted(), CASES[:1], [0], half)
    assert trial.passed and not marked(trial, CASES[0], full).passed


@on_each("mark", [-0.1, 1.1, float("nan")])
async def test_a_grade_that_is_no_share_is_a_bug_of_the_rubric(mark):
    with pytest.raises(ValueError, match="the rubric item 'odd' gave .* for case 'one'"):
        await evaluate(Scripted(), CASES, [0], [Item("odd", lambda *_: mark)])


async def test_an_exception_of_a_design_passes_with_where_it_was():
    with pytest.raises(RuntimeError, match="dies here") as problem:
        await evaluate(Scripted(dies_at=2), CASES, [7], RUBRIC)
    assert problem.value.__notes__ == ["while 'scripted' worked on 'two' with seed 7"]


@on_each(
    ("cases", "seeds", "rubric", "message"),
    [
        ([], [0], RUBRIC, "there is no case"),
        (CASES, [], RUBRIC, "there is no seed"),
        (CASES, [0], [], "there is no rubric item"),
        ([*CASES, CASES[0]], [0], RUBRIC, "the case 'one' is there twice"),
        (CASES, [0, 0], RUBRIC, "the seed 0 is there twice"),
    ],
)
async def test_what_cannot_be_evaluated_is_refused(cases, seeds, rubric, message):
    with pytest.raises(ValueError, match=message):
        await evaluate(Scripted(), cases, seeds, rubric)


async def test_a_spending_limit_stops_before_the_next_repeat_and_work_goes_on_later(tmp_path):
    kept = tmp_path / "kept.jsonl"
    design = Design("lone", lone, Conditions("nothing", LIBRARY))
    cases = [a_case("Widget 3"), a_case("Widget 4"), a_case("Widget 5")]
    (first,) = await evaluate(design, cases[:1], [0], RUBRIC)
    with pytest.raises(Exhausted, match="raise max_usd and go on"):
        await evaluate(design, cases, [0], RUBRIC, kept=kept, max_usd=first.usd)
    done = len(kept.read_text().splitlines())
    assert 0 < done < 3
    trials = await evaluate(design, cases, [0], RUBRIC, kept=kept, max_usd=1)
    assert len(trials) == 3


@on_each("at_once", [0, -1])
async def test_no_repeat_under_way_is_refused_instead_of_waited_for(at_once):
    with pytest.raises(ValueError, match=f"at_once is {at_once}; expected at least 1"):
        await evaluate(Scripted(), CASES, [0], RUBRIC, at_once=at_once)


@on_each("max_usd", ["a dollar", "-1", "NaN", "Infinity"])
async def test_an_amount_that_is_none_is_refused(max_usd):
    with pytest.raises(ValueError, match=f"max_usd is '{max_usd}'; expected an amount in dollars"):
        await evaluate(Scripted(), CASES, [0], RUBRIC, max_usd=max_usd)


@on_each("at_once", [1, 3])
async def test_a_cap_that_cannot_hold_ends_the_evaluation_at_the_first_unknown_price(at_once):
    design = Unpriced()
    with pytest.raises(Exhausted, match="nobody knows what the repeat of case 'one' cost"):
        await evaluate(design, CASES, range(10), RUBRIC, at_once=at_once, max_usd=1)
    assert len(design.worked) == at_once
    assert len(await evaluate(Unpriced(), CASES, range(10), RUBRIC)) == 30, "no cap, no promise"


async def test_a_local_model_counts_as_free():
    assert len(await evaluate(Unpriced("local"), CASES, [0], RUBRIC, max_usd=1)) == 3


# ── results that survive ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("dies_at", range(1, 7))
@pytest.mark.parametrize("at_once", [1, 3])
async def test_an_interrupted_evaluation_goes_on_where_it_stopped(tmp_path, dies_at, at_once):
    kept = tmp_path / "kept.jsonl"
    undisturbed = await evaluate(Scripted(), CASES, [0, 1], RUBRIC)
    first, second = Scripted(dies_at=dies_at), Scripted()
    with pytest.raises(RuntimeError):
        await evaluate(first, CASES, [0, 1], RUBRIC, kept=kept, at_once=at_once)
    finished = len(kept.read_text().splitlines()) if kept.exists() else 0
    trials = await evaluate(second, CASES, [0, 1], RUBRIC, kept=kept, at_once=at_once)
    assert len(second.worked) == 6 - finished
    assert at_once > 1 or finished == dies_at - 1
    timeless = [trial.model_copy(update={"seconds": 0}) for trial in trials]
    assert timeless == [trial.model_copy(update={"seconds": 0}) for trial in undisturbed]
    third = Scripted(dies_at=1)
    assert await evaluate(third, CASES, [0, 1], RUBRIC, kept=kept) == trials
    assert third.worked == []


async def test_a_line_that_was_torn_by_a_crash_is_run_again(tmp_path):
    kept = tmp_path / "kept.jsonl"
    whole = await evaluate(Scripted(), CASES, [0], RUBRIC, kept=kept)
    content = kept.read_bytes()
    for length in range(0, len(content), 7):
        kept.write_bytes(content[:length])
        design = Scripted()
        trials = await evaluate(design, CASES, [0], RUBRIC, kept=kept)
        assert len(design.worked) == 3 - content[:length].count(b"\n")
        assert [trial.output for trial in trials] == [trial.output for trial in whole]
        assert len(kept.read_bytes().splitlines()) == 3


async def test_a_kept_line_that_somebody_broke_is_named(tmp_path):
    kept = tmp_path / "kept.jsonl"
    await evaluate(Scripted(), CASES, [0], RUBRIC, kept=kept)
    lines = kept.read_text().splitlines()
    kept.write_text("\n".join([lines[0], "{}", *lines[2:], ""]))
    with pytest.raises(CaseError, match="kept.jsonl, line 2: not a kept answer"):
        await evaluate(Scripted(), CASES, [0], RUBRIC, kept=kept)


async def test_another_design_case_or_version_is_run_and_another_rubric_is_not(tmp_path):
    kept = tmp_path / "kept.jsonl"
    await evaluate(Scripted(), CASES, [0], RUBRIC, kept=kept)

    strict = Scripted(dies_at=1)
    (trial, *_) = await evaluate(strict, CASES, [0], [Item("no", lambda *_: 0)], kept=kept)
    assert trial.marks == {"no": 0} and strict.worked == []

    renamed, changed = Scripted(), Scripted()
    renamed.name, changed.fingerprint = "other", "2"
    for design, cases in (
        (renamed, CASES),
        (changed, CASES),
        (Scripted(), [a_case(case.id, task="Other") for case in CASES]),
    ):
        await evaluate(design, cases, [0], RUBRIC, kept=kept)
        assert len(design.worked) == 3


async def test_two_evaluations_do_not_share_a_file(tmp_path):
    kept = tmp_path / "kept.jsonl"

    class Greedy(Scripted):
        async def __call__(self, case, seed):
            await evaluate(Scripted(), CASES, [0], RUBRIC, kept=kept)

    with pytest.raises(CaseError, match="in use by another evaluation"):
        await evaluate(Greedy(), CASES, [0], RUBRIC, kept=kept)


KILLED = """
import asyncio, os, signal, sys
sys.path.insert(0, {root!r})
from tests.kernel.test_evaluate import CASES, RUBRIC, Scripted
from kernel.parts.evaluate import evaluate

class Dying(Scripted):
    async def __call__(self, case, seed):
        if len(self.worked) == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return await super().__call__(case, seed)

asyncio.run(evaluate(Dying(), CASES, [0, 1], RUBRIC, kept={kept!r}))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
async def test_a_process_that_is_killed_leaves_what_it_has_finished(tmp_path):
    kept = tmp_path / "kept.jsonl"
    code = KILLED.format(root=str(ROOT), kept=str(kept))
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    design = Scripted()
    await evaluate(design, CASES, [0, 1], RUBRIC, kept=kept)
    assert len(design.worked) == 3


async def test_progress_is_shown_when_it_is_asked_for(capsys):
    await evaluate(Scripted(), CASES, [0], RUBRIC)
    assert capsys.readouterr().err == ""
    await evaluate(Scripted(), CASES, [0], RUBRIC, progress=True)
    assert "scripted" in capsys.readouterr().err


# ── statistics ────────────────────────────────────────────────────────────────────────────────────

PASSES = st.lists(st.lists(st.booleans(), min_size=3, max_size=6), min_size=1, max_size=5)


def passing(rows):
    return [
        a_trial(str(case), seed, passed=passed)
        for case, row in enumerate(rows)
        for seed, passed in enumerate(row)
    ]


@given(PASSES, st.integers(1, 3))
def test_the_chances_are_those_of_drawing_k_repeats(rows, k):
    trials = passing(rows)
    one = fmean(fmean(any(some) for some in combinations(row, k)) for row in rows)
    every = fmean(fmean(all(some) for some in combinations(row, k)) for row in rows)
    assert pass_at_k(trials, k) == pytest.approx(one)
    assert all_of_k(trials, k) == pytest.approx(every)


@given(PASSES)
def test_the_chances_are_ordered(rows):
    trials = passing(rows)
    rate = fmean(map(fmean, rows))
    assert pass_at_k(trials, 1) == pytest.approx(all_of_k(trials, 1)) == pytest.approx(rate)
    for k in (1, 2):
        assert pass_at_k(trials, k) <= pass_at_k(trials, k + 1) + 1e-12
        assert all_of_k(trials, k) >= all_of_k(trials, k + 1) - 1e-12


@on_each("k", [0, 4])
def test_k_has_to_be_a_number_of_repeats_that_there_are(k):
    with pytest.raises(ValueError, match="has 3 repeats"):
        pass_at_k(passing([[True, True, False]]), k)


MARKS = st.dictionaries(
    st.text("abcdef", min_size=1, max_size=3),
    st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=2, max_size=2),
    min_size=2,
    max_size=8,
)


@given(MARKS)
@settings(max_examples=30, deadline=None)
def test_a_design_against_itself_is_the_same(marks):
    trials = trials_of(marks)
    difference = compare(trials, list(reversed(trials)))
    assert tuple(difference) == (0, 0, 0, len(marks))
    assert difference.verdict == "the same on every case"


@given(MARKS, st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_the_other_way_round_has_the_other_sign_and_the_mean_is_inside(marks, draw):
    a = trials_of(marks)
    b = [trial.model_copy(update={"marks": {"item": draw.random()}}) for trial in a]
    gain, loss = compare(a, b), compare(b, a)
    assert gain.mean == pytest.approx(-loss.mean)
    assert gain.low - 1e-9 <= gain.mean <= gain.high + 1e-9
    assert gain == compare(a, b), "equal trials give an equal interval"
    own = interval(b)
    assert 0 <= own.low <= own.mean <= own.high <= 1


@given(MARKS, st.floats(0.01, 0.5))
@settings(max_examples=20, deadline=None)
def test_a_gain_on_every_case_is_seen(marks, gain):
    a = trials_of(marks)
    b = [trial.model_copy(update={"marks": {"item": trial.mark + gain}}) for trial in a]
    difference = compare(a, b)
    enough = len(marks) >= FEWEST
    assert difference.verdict == ("better" if enough else "unclear")
    assert difference.mean == pytest.approx(gain)
    assert compare(b, a).verdict == ("worse" if enough else "unclear")


def test_a_case_counts_once_so_more_repeats_of_few_cases_make_it_no_surer():
    few = {"one": [0.0] * 2, "two": [1.0] * 2, "three": [0.0] * 2, "four": [1.0] * 2}
    many = {case: row * 50 for case, row in few.items()}
    assert interval(trials_of(few)) == interval(trials_of(many))


def test_other_values_than_the_mark_are_compared():
    a = [a_trial("one", usd=Decimal(1)), a_trial("two", usd=Decimal(2))]
    b = [a_trial("one", usd=Decimal(3)), a_trial("two", usd=Decimal(3))]
    assert compare(a, b, lambda trial: float(trial.usd)).mean == 1.5


@on_each(
    ("a", "b", "message"),
    [
        ([a_trial("one")], [a_trial("one", 1)], "not pairs"),
        ([a_trial("one"), a_trial("two")], [a_trial("one")], "not pairs"),
        ([a_trial("one")] * 2, [a_trial("one")] * 2, "not pairs"),
        ([a_trial("one")], [a_trial("one")], "1 case: nothing can be said"),
    ],
)
def test_what_is_no_pair_is_not_compared(a, b, message):
    with pytest.raises(ValueError, match=message):
        compare(a, b)


def test_one_case_has_no_interval_and_says_so():
    one = interval(trials_of({"one": [0.25, 0.75]}))
    assert one[1:] == (-math.inf, math.inf) and str(one) == "0.50 (1 case: no interval)"


@on_each("count", [2, 3, 4])
def test_few_cases_allow_no_verdict_however_clear_they_look(count):
    a = trials_of({str(n): [0.1] for n in range(count)})
    b = trials_of({str(n): [0.9 + n / 1000] for n in range(count)})
    difference = compare(a, b)
    assert difference.low > 0 and difference.verdict == "unclear"
    assert str(difference).endswith(f"unclear: {count} cases, and a verdict needs {FEWEST}")
    assert compare(a, a).verdict == "the same on every case", "which is no guess about others"


def test_the_ends_of_a_mark_are_marks_and_those_of_a_price_are_not_cut():
    row = {"one": [1.0], "two": [1.0], "three": [0.2], "four": [1.0]}
    assert interval(trials_of(row)).high == 1
    dear = [a_trial(str(n), usd=Decimal(usd)) for n, usd in enumerate((1, 2, 9))]
    assert interval(dear, lambda trial: float(trial.usd)).high > 9


# ── how often it is wrong ─────────────────────────────────────────────────────────────────────────

SIZES = (5, 8, 12, 20)


def alarms(count, mark, rounds):
    """The share of evaluations of `count` cases that call two equal designs better or worse.

    mark: (case, draw) → a mark; the same for both designs, so they are equal.
    """
    draw = random.Random(count)
    called = 0
    for _ in range(rounds):
        cases = [str(n) for n in range(count)]
        a, b = (trials_of({case: mark(draw) for case in cases}) for _ in range(2))
        called += compare(a, b).verdict in ("better", "worse")
    return called / rounds


def normal(draw):
    return [draw.gauss(0.5, 0.1)]


def share_of_four(draw):
    """The marks of a rubric are shares: of key facts, of sentences."""
    return [draw.choice((0.0, 0.25, 0.5, 0.75, 1.0)) for _ in range(2)]


def pass_or_fail(draw):
    return [float(draw.random() < 0.6) for _ in range(4)]


@on_each("mark", [normal, share_of_four, pass_or_fail])
@on_each("count", SIZES)
def test_equal_designs_are_rarely_called_different(count, mark, exhaustive):
    assert alarms(count, mark, rounds=2000 if exhaustive else 400) <= 0.07


@on_each("count", SIZES)
def test_a_difference_that_is_said_to_be_seen_by_four_of_five_is(count, exhaustive):
    rounds = 2000 if exhaustive else 400
    draw = random.Random(count)
    cases = [str(n) for n in range(count)]
    a = trials_of({case: [0.0] for case in cases})

    def evaluated(gain):
        marks = {case: [draw.gauss(gain, 0.1)] for case in cases}
        return compare(a, trials_of(marks))

    seen = math.sqrt(fmean(evaluated(0).seen ** 2 for _ in range(rounds)))
    found = sum(evaluated(seen).verdict == "better" for _ in range(rounds))
    assert found / rounds == pytest.approx(0.8, abs=0.02 if exhaustive else 0.05)
