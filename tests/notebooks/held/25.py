"""Lesson 25: tools of a server, a specialist behind a URL, and what is given up at the border."""

from tests.notebooks.held import needs


def test_a_tool_of_a_server_is_called_like_one_of_ours(lesson):
    assert "Order 5012 left on 3 March." in lesson.answer.output
    assert "no number of an order" in lesson.lost.output, "an error crosses the border, too"


def test_a_false_fact_of_a_foreign_tool_stands_in_an_answer_that_is_ok(lesson):
    assert lesson.deceived.ok and lesson.FALSE in lesson.deceived.output
    assert lesson.called == ["search", "helper_search"]


def test_two_tools_of_one_name_are_refused(lesson):
    assert "2 tools named 'search'" in lesson.collision


def test_a_digest_shows_a_changed_claim_and_no_changed_answer(lesson):
    assert lesson.noticed == (True, False)


@needs("elsewhere")
def test_the_kernels_digest_names_what_changed(lesson):
    assert "the definition of 'search' changed" in lesson.refused


@needs("elsewhere")
def test_a_server_that_dies_is_an_error_that_the_model_reads(lesson):
    alive, dead = lesson.reports["5012"], lesson.reports["5013"]
    assert alive.ok and "left on 3 March" in alive.output
    assert dead.ok and "orders failed" in dead.output


def test_a_handoff_crosses_a_wire_and_the_bill_does_not(lesson):
    assert lesson.brief.output == lesson.crossed.output == lesson.local.output
    assert lesson.away.spent.calls == lesson.home.spent.calls - 1
    assert lesson.abroad.spent.calls == lesson.away.spent.calls
    assert lesson.failures["nobody there"].transient
    assert not lesson.failures["wrong token"].transient


def test_a_far_side_that_is_not_told_works_to_its_end(lesson):
    assert lesson.hurried.status == "exhausted" and lesson.ended


def test_a_deadline_that_travels_is_kept(lesson):
    assert lesson.kept.status == "exhausted" and not lesson.ended_there


def test_what_a_far_side_spent_is_a_claim_and_an_impossible_one_is_refused(lesson):
    statuses = [lesson.outcomes[claim].status for claim in ("-5", "NaN", "0.0001")]
    assert statuses == ["failed", "failed", "ok"]
