"""Lesson 18: what a lead loses, what a level costs, and what helps a supervisor in the way."""


def levels(lesson, run):
    return lesson.Hierarchy(run).levels()


def ran(tried, name):
    run, _ = tried[name]
    return run


def test_a_failure_two_levels_down_is_named_at_the_top(lesson):
    assert lesson.lost.ok and not lesson.lost.reason
    assert "Qdrant (failed: the library is closed)" in lesson.named.reason
    assert lesson.named.as_text(), "the others' work is there"
    assert "brief (refused" in lesson.refused.reason, "a brief that was not written is a gap, too"


def test_the_status_of_a_team_is_the_gravest_of_its_members(lesson):
    assert [lesson.named.status, lesson.refused.status] == ["failed", "refused"]


def test_who_wants_more_than_its_share_ends_alone(lesson):
    assert not lesson.pot.as_text()
    assert lesson.shared.as_text() and "Qdrant (exhausted" in lesson.shared.reason


def test_what_was_finished_is_kept_when_a_lead_is_stopped(lesson):
    assert not lesson.pot.artifacts and not lesson.kept.as_text()
    brief = lesson.kept.artifacts.get("Weaviate, Milvus, Chroma", "")
    assert len(lesson.cited(brief)) == 7


def test_a_level_adds_a_reply_that_all_wait_for(lesson):
    assert [level.seconds for level in levels(lesson, lesson.flat_run)] == [3, 2]
    assert [level.seconds for level in levels(lesson, lesson.deep_run)] == [4, 3, 2]


def test_each_level_loses_sources_and_facts_beside_the_brief_lose_none(lesson):
    office, leads, researchers = [level.brought for level in levels(lesson, lesson.deep_run)]
    assert office < leads < researchers == 22
    assert {level.brought for level in levels(lesson, lesson.careful_run)} == {researchers}


def test_a_fourth_level_is_refused_and_not_worth_it(lesson):
    assert "too deep" in lesson.refused.reason
    assert lesson.four_run.spent.calls == lesson.deep_run.spent.calls + 1
    top, *_ = levels(lesson, lesson.four_run)
    assert top.brought <= levels(lesson, lesson.deep_run)[0].brought and top.seconds == 5


def test_who_reads_and_writes_everything_has_most_of_the_tokens(lesson):
    assert lesson.busiest(lesson.chief_run) > 0.75 * lesson.chief_run.spent.tokens


def test_by_reference_a_supervisor_has_a_third_to_do(lesson):
    assert 3 * lesson.busiest(ran(lesson.tried, "by reference")) < lesson.busiest(lesson.chief_run)


def test_teams_of_teams_share_what_has_to_be_read(lesson):
    split = ran(lesson.tried, "teams of teams")
    assert lesson.busiest(split) < 0.7 * lesson.busiest(lesson.chief_run)
    assert split.spent.tokens > lesson.chief_run.spent.tokens, "and it costs"


def test_small_tool_calls_go_past_the_supervisor(lesson):
    to = {handoff["to_agent"] for handoff in lesson.past_run.trace().handoffs()[1:]}
    assert to == {"researcher", "writer"}
    assert lesson.busiest(lesson.past_run) < 0.7 * lesson.busiest(lesson.chief_run)


def test_from_some_size_on_nothing_gets_through(lesson):
    status = {name: result.status for name, (_, result) in lesson.doubled.items()}
    assert status.pop("past the supervisor") == "exhausted"
    assert set(status.values()) == {"ok"}


def test_with_all_three_more_topics_are_not_more_for_one_supervisor(lesson):
    six, twelve = (ran(tried, "all three") for tried in (lesson.tried, lesson.doubled))
    assert lesson.busiest(twelve) == lesson.busiest(six)
