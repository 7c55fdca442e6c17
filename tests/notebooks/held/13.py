"""Lesson 13: what stops, what fails alone, and what a bad day does to three supervisors."""


def test_cancelling_reaches_the_tool_in_the_middle(lesson):
    assert lesson.log == ["began", "cleaned up"]


def test_a_branch_that_fails_leaves_its_sibling_alone(lesson):
    assert [result.status for result in lesson.branches] == ["ok", "failed"]


def test_a_fallback_does_what_the_first_worker_could_not(lesson):
    assert lesson.replaced.ok and lesson.replaced.by == "writer"


def test_a_limit_lets_so_many_in_at_once(lesson):
    assert lesson.counter.most == 2


def test_a_planned_supervisor_says_what_is_missing(lesson):
    assert lesson.basic.ok and not lesson.basic.reason
    assert not lesson.planned.ok and "missing: code" in lesson.planned.reason


def test_only_what_failed_is_done_again(lesson):
    assert lesson.given.count("code") == 3
    assert lesson.given.count("ops") == 1


def test_the_assembled_supervisor_delivers_in_one_run_and_one_record(lesson):
    assert lesson.result.ok
    kinds = {event.about for event in lesson.run.events if event.kind == "note"}
    assert {"plan", "retry", "repeat", "gate"} <= kinds
    assert lesson.again.events == lesson.run.events


def test_what_a_validator_refuses_is_not_published(lesson):
    assert "settings" not in lesson.result.artifacts["comms"]
    assert "settings" in lesson.planned.artifacts["comms"]


def test_a_budget_that_ends_brings_back_the_work_so_far(lesson):
    assert lesson.short.status == "exhausted"
    assert lesson.short_run.spent.calls == 8
    assert {"code", "ops"} <= lesson.short.artifacts.keys()
