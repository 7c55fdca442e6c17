"""Lesson 12: what the kernel's guards do in the lesson's own cells, beside those built by hand."""


def test_only_what_is_transient_is_tried_again(lesson):
    tried = [result.transient for result in lesson.failures]
    assert tried == [True, True, True, True, False, False]
    assert lesson.cut_run.spent.calls == 1


def test_trying_the_same_again_costs_again(lesson):
    first, *_, last = lesson.paid
    assert lesson.cut.status == "exhausted" and last == 3 * first > 0


def test_a_retry_waits_as_it_is_asked_to_up_to_a_bound(lesson):
    assert lesson.theirs == lesson.ours == {7: [0, 7], 3600: [0]}


def test_without_a_bound_waits_differ_by_chance(lesson):
    assert len(set(lesson.first_waits)) == 3


def test_layers_of_retry_do_not_multiply_when_one_that_gave_up_is_final(lesson):
    assert lesson.multiplied == 3**5
    assert lesson.final_theirs == lesson.final == 3


def test_a_deadline_ends_a_call_that_hangs(lesson):
    assert lesson.ended.status == "exhausted" and lesson.ended.transient


def test_what_was_done_before_a_deadline_comes_back(lesson):
    assert lesson.ended.artifacts.get("facts") == lesson.kept.artifacts["facts"] != ""


def test_a_breaker_opens_and_leaves_the_worker_alone(lesson):
    assert lesson.bare.asked == 12
    assert lesson.twelve.asked == lesson.broken.asked == 7


def test_after_the_cooldown_one_call_is_the_trial(lesson):
    assert lesson.crowd_ours == 5
    assert lesson.crowd_theirs == 1


def test_a_refusal_opens_no_circuit(lesson):
    assert lesson.refusing.asked < 12
    assert lesson.refusing_theirs.asked == 12


def test_a_late_result_changes_no_circuit(lesson):
    assert lesson.late_ours == 3
    assert lesson.late_theirs == 0


def test_a_retry_ends_when_the_circuit_opens(lesson):
    given = [event for event in lesson.stack_run.events if event.kind == "dispatch"]
    assert sum(not event.wrapper for event in given) == 2
    assert lesson.counted.state == "open"
