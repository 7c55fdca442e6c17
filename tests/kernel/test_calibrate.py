"""Facts about spoiled drafts: each has one fault of its kind, and a judge's misses are counted."""

from __future__ import annotations

import random
from difflib import SequenceMatcher

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernel.parts.evaluate import sentences
from kernel.parts.evaluate.calibrate import (
    CITATION,
    SPOILERS,
    Judged,
    agreement,
    caught,
    judged,
    missed,
)
from tests.on_each import on_each

DRAFT = """# Widgets

The widget is a gear that Acme sold in 1,987 shops [widget-history]. The first one was made by Ada Smith \
in Berlin in 2003 [widget-origin]. It can turn 40 times a second [widget-limits].

Later the company moved to Boston and sold it with Gears Unlimited [widget-history]."""


@pytest.mark.parametrize("fault", SPOILERS)
@given(st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_a_spoiled_draft_has_one_fault_and_the_same_for_the_same_draw(fault, seed):
    spoiled = SPOILERS[fault](DRAFT, random.Random(seed))
    assert spoiled == SPOILERS[fault](DRAFT, random.Random(seed)) and spoiled != DRAFT
    before, after = sentences(DRAFT), sentences(spoiled)
    if fault == "half left out":
        assert after == before[:2]
    elif fault == "an invention":
        assert after[:-1] == before and CITATION.search(after[-1])
    else:
        changed = [one for one, other in zip(before, after, strict=True) if one != other]
        assert len(changed) == 1
    words = SequenceMatcher(None, DRAFT.split(), spoiled.split()).get_opcodes()
    assert fault == "half left out" or sum(tag != "equal" for tag, *_ in words) == 1


@on_each("seed", range(20))
def test_each_fault_is_of_its_kind(seed):
    spoiled = {fault: spoil(DRAFT, random.Random(seed)) for fault, spoil in SPOILERS.items()}
    ids = CITATION.findall(DRAFT)
    assert CITATION.findall(spoiled["a number"]) == ids
    assert CITATION.findall(spoiled["a name"]) == ids
    assert len(CITATION.findall(spoiled["no citation"])) == len(ids) - 1
    assert CITATION.sub("", spoiled["no citation"]) == CITATION.sub("", DRAFT)
    wrong = CITATION.findall(spoiled["wrong citation"])
    assert sum(a != b for a, b in zip(ids, wrong, strict=True)) == 1 and {*wrong} <= {*ids}
    assert spoiled["the opposite"].count(" not ") == 1


@on_each("fault", SPOILERS)
@on_each("draft", ["", "# Title", "Nothing here", "# Title\n\nNothing here."])
def test_a_draft_without_a_place_for_a_fault_stays_as_it_is(fault, draft):
    assert SPOILERS[fault](draft, random.Random(0)) == draft


def test_the_opposite_of_a_negation_is_no_second_negation():
    draft = "A lock is not a queue [locks]."
    assert SPOILERS["the opposite"](draft, random.Random(0)) == "A lock is a queue [locks]."


def test_half_a_draft_keeps_its_title():
    assert SPOILERS["half left out"](DRAFT, random.Random(0)).startswith("# Widgets\n\nThe widget")


async def test_a_judge_sees_each_draft_once_and_with_each_fault():
    seen = []

    async def judge(name, text):
        seen.append(name)
        return 1.0 if text == DRAFT else 0.0

    marks = await judged(judge, {"one": DRAFT, "two": DRAFT})
    assert len(marks) == len(seen) == 2 * (1 + len(SPOILERS))
    counts = caught(marks, 0.5)
    assert counts[""] == (0, 2) and all(counts[fault] == (2, 2) for fault in SPOILERS)
    assert missed(marks, 0.5) == [] and len(missed(marks, 0.0)) == 2 * len(SPOILERS)
    assert await judged(judge, {"one": DRAFT, "two": DRAFT}) == marks


async def test_the_changed_sentence_is_named():
    async def judge(name, text):
        return 1.0

    for one in await judged(judge, {"one": DRAFT}):
        assert one.changed not in DRAFT or one.fault in ("", "half left out")


def test_a_bar_trades_misses_for_false_alarms():
    marks = [
        Judged("a", "", 0.9),
        Judged("b", "", 0.7),
        Judged("a", "x", 0.8),
        Judged("b", "x", 0.2),
    ]
    assert caught(marks, 0.5) == {"": (0, 2), "x": (1, 2)}
    assert caught(marks, 0.85) == {"": (1, 2), "x": (2, 2)}
    assert [one.mark for one in missed(marks, 0.5)] == [0.8]


# ── beside a reader ───────────────────────────────────────────────────────────────────────────────


def pairs(both_yes, false_yes, false_no, both_no):
    return [
        *[(True, True)] * both_yes,
        *[(False, True)] * false_yes,
        *[(True, False)] * false_no,
        *[(False, False)] * both_no,
    ]


def test_the_four_numbers_of_an_agreement_are_counts_of_pairs():
    assert agreement(pairs(3, 2, 1, 4)) == (3, 2, 1, 4)


def test_kappa_is_that_of_a_worked_example():
    """Cohen's kappa of 20, 5, 10 and 15 is 0.4, as in many textbooks."""
    found = agreement(pairs(20, 5, 10, 15))
    assert (found.share, found.chance) == (pytest.approx(0.7), pytest.approx(0.5))
    assert found.kappa == pytest.approx(0.4)


def test_who_always_says_yes_is_no_better_than_chance():
    found = agreement(pairs(37, 13, 0, 0))
    assert found.share == 0.74 and found.kappa == pytest.approx(0) and not found.above_chance


def test_where_both_only_give_one_answer_there_is_no_kappa():
    assert agreement(pairs(10, 0, 0, 0)).kappa is None
    assert agreement(pairs(0, 0, 0, 10)).kappa is None
    assert not agreement(pairs(10, 0, 0, 0)).above_chance


def test_a_missing_answer_is_no_yes():
    assert agreement([(True, None), (False, None), (True, True)]) == (1, 0, 1, 1)


def test_the_interval_is_around_kappa_and_the_same_each_time():
    found = agreement(pairs(22, 8, 5, 15))
    low, high = found.interval()
    assert 0 < low < found.kappa < high < 1 and found.interval() == (low, high)
    assert found.above_chance


def test_an_agreement_needs_a_pair():
    with pytest.raises(ValueError, match="label some sentences first"):
        agreement([])
