"""Lesson 00: what holds of the team that the lesson watches, and of its budget."""


def test_the_supervisor_sends_a_draft_back_with_what_is_missing(lesson):
    order = [handoff["to_agent"] for handoff in lesson.handoffs[1:]]
    assert order == ["researcher", "writer", "reviewer", "writer", "reviewer"]


def test_without_facts_the_brief_makes_no_claim(lesson):
    assert lesson.answered.ok
    assert "[" not in lesson.answered.as_text()
    assert "no facts" in lesson.answered.as_text().lower()


def test_a_budget_holds_for_the_whole_team_and_keeps_the_work_so_far(lesson):
    assert lesson.result.status == "exhausted"
    assert lesson.small.spent.calls == 3
    assert lesson.result.artifacts.keys() == {"facts", "draft"}
