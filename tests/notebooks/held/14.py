"""Lesson 14: what a context holds and hands over, and what a fold keeps."""


def keys(entries):
    return [entry.key for entry in entries]


def test_the_least_important_leaves_first(lesson):
    assert keys(lesson.same.evicted) == lesson.by_hand.evicted == ["log"]


def test_the_task_is_never_evicted(lesson):
    assert "task" in keys(lesson.pinned.entries)


def test_the_active_result_is_evicted_last(lesson):
    assert "draft" in keys(lesson.pinned.entries)


def test_a_context_in_a_supervisor_stays_below_its_limit(lesson):
    assert max(lesson.manager.held) <= 0.8 * 2_500 < max(lesson.hoarder.held)


def test_what_left_a_context_is_in_the_record(lesson):
    notes = [event.text for event in lesson.manager_run.events if event.kind == "note"]
    assert notes == [f"evicted: {key}" for key in keys(lesson.manager.context.evicted)] != []


def test_a_manager_hands_over_summaries(lesson):
    assert 3 * sum(lesson.manager.handed) < sum(lesson.hoarder.handed)
    assert lesson.manager_brief.ok and lesson.marks(lesson.manager_brief.as_text())[0] == 5


def test_a_long_handoff_is_overlooked_in_part_and_a_short_one_is_not(lesson):
    marked = lesson.marked
    assert marked[3_000]["hoarder"][0] < marked[6_000]["hoarder"][0]
    assert {marks["manager"] for marks in marked.values()} == {marked[6_000]["manager"]}


def test_each_worker_gets_what_it_needs(lesson):
    assert 3 * sum(lesson.by_need.handed) < sum(lesson.manager.handed)
    assert lesson.need_brief.output == lesson.manager_brief.output


def test_a_long_conversation_is_folded_into_a_new_one(lesson):
    assert lesson.refusal.status == 400
    assert len(lesson.ours) == len(lesson.theirs) == 1 < len(lesson.conversation)
    assert lesson.question.intent in lesson.theirs[0]["content"]


def test_a_fold_that_fails_loses_nothing(lesson):
    assert lesson.kept is lesson.conversation
