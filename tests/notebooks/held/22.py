"""Lesson 22: what cases tell, what varies, how sure a difference is, and what an interval holds."""

from kernel.parts.evaluate import compare, sentences


def test_a_key_fact_is_said_when_one_sentence_holds_all_of_it(lesson):
    apart = sentences(lesson.answer)
    assert not any(map(lesson.open_state.in_sentence, apart))
    assert lesson.open_state.in_sentence("While it is open, every call returns an error at once.")


def test_where_facts_are_lost_shows_which_stage_to_change(lesson):
    search, researcher, writer = lesson.lost.options
    assert lesson.places.most_common(1)[0][0] == researcher
    assert lesson.places[writer] < lesson.places[search]


def test_the_loop_by_hand_gives_the_marks_of_the_kernels(lesson):
    theirs = [(trial.mark, trial.passed) for trial in lesson.theirs]
    assert theirs == lesson.by_hand


def test_a_repeat_of_the_same_run_is_the_same_run(lesson):
    assert len(lesson.again) == 4 and len(lesson.answers) == 1


def test_conditions_vary_what_varies_in_service(lesson):
    assert lesson.scatter["nothing"] == 1
    assert all(lesson.scatter[name] > 1.5 for name in ("wording", "documents", "faults"))


def test_a_failure_is_a_trial_with_the_mark_0(lesson):
    failed = [
        trial for trials in lesson.marked.values() for trial in trials if not trial.output.strip()
    ]
    assert failed and all(trial.mark == 0 and not trial.passed for trial in failed)


def test_in_pairs_the_difference_is_surer_than_apart(lesson):
    low, high = lesson.ours
    assert high - low < 0.9 * (lesson.apart[-25] - lesson.apart[25])


def test_the_bootstrap_of_few_cases_holds_less_than_it_says_and_students_t_more(lesson):
    assert lesson.by_bootstrap[3] < 0.75 and 0.8 < lesson.by_bootstrap[12] < 0.93
    assert lesson.by_student[3] > lesson.by_bootstrap[3] + 0.1
    assert lesson.by_student[12] > lesson.by_bootstrap[12]


def test_a_difference_of_the_half_width_is_seen_half_of_the_time(lesson):
    assert 0.35 < lesson.shares[lesson.half_width] < 0.65
    assert lesson.shares[lesson.gain.seen] > 0.75


def test_fewer_than_five_cases_get_no_verdict(lesson):
    ids = [case.id for case in lesson.cases[:3]]
    pair = [
        [trial for trial in lesson.marked[name] if trial.case in ids]
        for name in ("one agent", "team")
    ]
    assert compare(*pair).verdict == "unclear"


def test_twelve_cases_cannot_tell_designs_apart_whose_price_differs_by_a_hundred(lesson):
    verdicts = [row.against.verdict for row in lesson.report.rows if row.against]
    assert verdicts == ["cannot tell"] * 3
    assert lesson.times > 50


def test_an_interrupted_evaluation_runs_only_what_is_missing(lesson):
    assert 0 < lesson.done < 12
    assert lesson.done + lesson.then == len(lesson.trials_kept) == 12


def test_a_loss_is_seen_in_the_item_that_was_named_before(lesson):
    assert lesson.losses[90].verdict == lesson.losses[60].verdict == "worse"
    assert {loss.verdict for loss in lesson.whole.values()} == {"cannot tell"}
