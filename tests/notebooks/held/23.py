"""Lesson 23: what a judge notices, how far it agrees with a reader, and what a path shows."""

import pytest

from kernel.parts.evaluate import all_of_k, pass_at_k


def test_points_for_a_whole_draft_hide_one_wrong_sentence(lesson):
    assert sum(mark < 5 for mark in lesson.marks) <= len(lesson.marks) / 4


def test_one_question_a_sentence_notices_it(lesson):
    assert lesson.caught == len(lesson.briefs) and lesson.alarms == 0


def test_drafts_as_they_were_are_the_control(lesson):
    for counted in lesson.counts.values():
        assert counted[""].caught == 0 and counted[""].of == len(lesson.briefs)


def test_each_question_has_faults_that_it_cannot_see(lesson):
    support, citation = lesson.counts["carried"], lesson.counts["cited"]
    assert support["no citation"].caught == citation["a number"].caught == 0
    assert support["half left out"].caught == citation["half left out"].caught == 0


def test_readers_find_what_no_spoiled_draft_shows(lesson):
    noticed = lesson.counts["carried"]["the opposite"]
    assert noticed.caught == noticed.of
    assert lesson.agreed.false_yes > 5


def test_much_agreement_may_be_worth_nothing(lesson):
    agree = {
        question: sum(reader == judge for reader, judge in found)
        for question, found in lesson.pairs.items()
    }
    assert agree["carried"] < agree["clear"]
    assert lesson.kappas["carried"] > 0.4 and lesson.kappas["clear"] == pytest.approx(0)


def test_the_kernels_kappa_is_that_of_the_lesson(lesson):
    for question, found in lesson.pairs.items():
        kappa = lesson.calibrate.agreement(found).kappa
        assert kappa == pytest.approx(lesson.kappas[question])


def test_a_question_is_above_chance_by_the_lower_end(lesson):
    above = {
        question: lesson.calibrate.agreement(found).above_chance
        for question, found in lesson.pairs.items()
    }
    assert above == {"carried": True, "clear": False}


def test_where_nothing_could_be_wrong_there_is_no_kappa(lesson):
    assert lesson.calibrate.agreement(lesson.always).kappa is None


def test_a_missing_answer_is_no_yes(lesson):
    assert lesson.silent == (1, 0, 1, 1)


def test_one_of_three_is_another_chance_than_all_three(lesson):
    assert lesson.one_of_three == pytest.approx(pass_at_k(lesson.trials, 3))
    assert lesson.all_three == pytest.approx(all_of_k(lesson.trials, 3))
    assert lesson.all_three < 0.4 < 0.75 < lesson.one_of_three


def test_a_path_tells_apart_what_answers_do_not(lesson):
    revised, unrevised = lesson.vain_counts.values()
    assert revised["reviewer"] == 0 < unrevised["reviewer"]
    assert abs(lesson.coverage["with revisions"] - lesson.coverage["without revisions"]) < 0.05
