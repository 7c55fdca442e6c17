"""Lesson 03: the supervisor of the cells and the kernel's, and the verdict by which they decide."""

import pytest

from kernel import ApiError, Run, connect


def stages(handoffs):
    """To whom each handoff went, and what it carried."""
    return [(each["to_agent"], *each["artifacts"]) for each in handoffs]


def test_the_kernels_supervisor_takes_the_route_of_ours(lesson):
    theirs = lesson.theirs.trace().handoffs()
    ours = [each for each in lesson.given if each["from_agent"] == "desk"]
    assert len(ours) == 5 and stages(theirs[1:]) == stages(ours)


def test_the_revisions_end_at_the_cap(lesson):
    given = [each["to_agent"] for each in lesson.run.trace().handoffs()]
    assert lesson.desk.max_revisions == 0 and given.count("writer") == 1
    assert lesson.result.status == "exhausted" and lesson.result.output


def test_a_stage_that_fails_keeps_the_work_before_it(lesson):
    assert lesson.stopped.status == "exhausted"
    assert {"facts", "draft"} <= lesson.stopped.artifacts.keys()


def test_part_of_the_research_is_enough(lesson):
    ended = [event for event in lesson.partial_run.events if event.kind == "return"]
    found = next(event for event in ended if event.agent == "researcher")
    assert found.result.status == "exhausted" and found.result.output
    assert lesson.partial.status == "ok" and lesson.partial.output


def test_a_revision_that_changes_nothing_ends_with_the_best_draft(lesson):
    assert lesson.unchanged.status == "exhausted" and lesson.unchanged.output


def test_a_schema_that_the_learner_declares_travels_in_the_request(lesson):
    asked_for = lesson.model.requests[0].get("output_config", {}).get("format", {})
    fields = asked_for.get("schema", {}).get("properties", {})
    assert fields.get("verdict", {}).get("enum") == ["PASS", "REVISE"]
    assert lesson.parsed.verdict == "REVISE" and lesson.parsed.issues


async def test_the_service_refuses_a_schema_that_leaves_room_for_other_fields(lesson):
    shape = {name: part for name, part in lesson.shape.items() if name != "additionalProperties"}
    open_format = {"format": {"type": "json_schema", "schema": shape}}
    with pytest.raises(ApiError, match="additionalProperties"):
        await Run(connect("offline")).ask(**{**lesson.body, "output_config": open_format})


def test_an_answer_that_does_not_fit_the_class_is_sent_back(lesson):
    assert len(lesson.model.requests) == 2 and lesson.reviewed.output.verdict == "REVISE"


def test_a_test_of_a_string_publishes_what_the_reviewer_rejected(lesson):
    assert lesson.judged.as_text().startswith("REJECTED") and not lesson.goes_back("REJECTED")
    assert lesson.typed.output.verdict == "REVISE"
