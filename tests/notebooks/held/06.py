"""Lesson 06: each test that the lesson wrote fails before its repair and passes behind it."""

import pytest


def fails(test, played):
    with pytest.raises(AssertionError):
        test(*played)


def test_a_cap_on_revisions_ends_a_delegation_with_a_draft(lesson):
    lesson.test_it_ends_with_a_draft(*lesson.capped)
    fails(lesson.test_it_ends_with_a_draft, lesson.endless)


def test_facts_that_the_model_drops_are_supplied(lesson):
    lesson.test_the_writer_gets_the_facts(*lesson.supplied)
    fails(lesson.test_the_writer_gets_the_facts, lesson.dropped)


def test_a_handoff_that_names_nothing_is_an_error_that_the_model_reads(lesson):
    fails(lesson.test_the_writer_gets_the_facts, lesson.unnamed)
    run, result = lesson.refused
    lesson.test_the_writer_gets_the_facts(run, result)
    errors = [
        event.content for event in run.events if event.kind == "tool_result" and event.is_error
    ]
    assert errors and all(
        "writer needs facts" in text and "researcher-1" in text for text in errors
    )
    assert result.as_text().startswith("- Qdrant")


def test_the_log_says_what_each_handoff_carried(lesson):
    log = lesson.dropped[0].trace().handoffs()
    assert [each["to_agent"] for each in log][:3] == ["supervisor", "researcher", "writer"]
    assert "draft" in log[3]["artifacts"] and "facts" not in log[2]["artifacts"]


def test_a_budget_of_its_own_leaves_the_others_their_share(lesson):
    lesson.test_the_others_keep_their_share(*lesson.held)
    fails(lesson.test_the_others_keep_their_share, lesson.runaway)


def test_a_name_that_waits_already_is_no_worker_and_a_hub_needs_no_ring(lesson):
    run, result = lesson.guarded
    assert max(event.run.count(".") for event in run.events) <= 2
    lesson.test_facts_come_back_without_a_ring(*lesson.hub)
    fails(lesson.test_facts_come_back_without_a_ring, lesson.ring)
