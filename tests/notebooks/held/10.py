"""Lesson 10: what was found changes the plan, is read together, and stays out of the wrong context."""

from tests.notebooks.held import only


def workers_of(run):
    return [handoff["to_agent"] for handoff in run.trace().handoffs()]


def read_by_tools(messages):
    """What the tools of a conversation have answered."""
    lists = [each["content"] for each in messages if isinstance(each["content"], list)]
    blocks = [block for content in lists for block in content]
    return [block["content"] for block in blocks if block["type"] == "tool_result"]


def test_a_finding_changes_the_plan_and_a_fixed_plan_misses_the_cause(lesson):
    assert "ops" not in workers_of(lesson.fixed)
    assert "ops" in workers_of(lesson.finished)
    assert "ops" in workers_of(lesson.again)


def test_what_could_not_be_followed_is_said(lesson):
    assert "a finding suggests ops" in lesson.unfollowed.reason


def test_results_put_together_say_yes_and_no_and_read_together_name_it(lesson):
    assert {True, False} <= set(lesson.published) and lesson.pile.ok
    assert [clash.steps for clash in lesson.checked.output.contradictions] == [["code", "ops"]]


def test_what_nobody_could_decide_is_an_open_question(lesson):
    assert len(lesson.empty.output.open_questions) == 1


def test_two_steps_agree_only_by_a_schema_that_both_were_given(lesson):
    assert "EUR 0.00" not in lesson.agreed.artifacts["sum"]
    assert lesson.checked.output.contradictions and not lesson.unread.output.contradictions


def test_the_synthesizer_reads_results_and_no_decision(lesson):
    finished = lesson.finished.trace().handoffs()
    given = only([one["artifacts"] for one in finished if one["to_agent"] == "synthesizer"])
    assert list(given) == ["code", "ops", "comms"]
    assert not lesson.decisions(lesson.conversation(lesson.three, "synthesizer"))


def test_one_supervisor_sums_up_in_front_of_its_decisions_and_all_results(lesson):
    sent = lesson.conversation(lesson.one, "supervisor")
    assert len(lesson.decisions(sent)) >= 3
    returned = [event.result for event in lesson.one.events if event.kind == "return"]
    specialists = [result for result in returned if result.by != "supervisor"]
    results = [result.as_text() for result in specialists if result.ok]
    assert len(results) == len(lesson.alone.artifacts)
    assert all(text in read_by_tools(sent) for text in results)


def test_the_outer_loop_reads_a_part_of_the_inner_one(lesson):
    inside = sum(tokens for role, turn, tokens in lesson.readings(lesson.again) if role == "code")
    outside = sum(tokens for role, turn, tokens in lesson.outer(lesson.three))
    assert outside < inside
