"""Lesson 05: a model that chooses, what it hands on, and what names in place of texts change."""


def called(run):
    """The handoffs that the supervisor's model asked for, in order."""
    return [
        event
        for event in run.events
        if event.kind == "tool_call" and event.agent == "supervisor" and event.name != "finalize"
    ]


def test_each_handoff_is_a_tool_call_of_the_supervisors_model(lesson):
    given = lesson.free_run.trace().handoffs()[1:]
    asked = [event.name for event in called(lesson.free_run)]
    assert asked == [f"handoff_to_{each['to_agent']}" for each in given]
    assert len(given) == 5


def test_a_handoff_says_from_whom_to_whom_what_and_with_what(lesson):
    parts = lesson.HandoffTool(lesson.desk_writer).definition["input_schema"]["properties"]
    assert {"intent", "context", "artifacts"} == set(parts)
    for each in lesson.free_run.trace().handoffs()[1:]:
        assert each["from_agent"] == each["return_to"] == "supervisor"
        assert each["intent"]
    assert given_to(lesson.free_run, "writer")[0]["artifacts"]["facts"].startswith("- ")


def given_to(run, name):
    return [each for each in run.trace().handoffs() if each["to_agent"] == name]


def test_by_value_the_supervisor_reads_and_writes_most_of_all_tokens(lesson):
    used = lesson.free_run.trace().by_agent()["supervisor"]
    total = lesson.free_run.trace().totals()
    assert used["input_tokens"] > total["input_tokens"] / 2
    assert used["output_tokens"] > total["output_tokens"] / 2


def test_names_in_place_of_texts_give_the_same_brief_for_at_most_half_of_the_dollars(lesson):
    for run, result in (
        (lesson.named_run, lesson.named_result),
        (lesson.reference_run, lesson.reference_result),
    ):
        assert result.output == lesson.free_result.output
        assert run.spent.calls == lesson.free_run.spent.calls
        assert run.spent.cost <= lesson.free_run.spent.cost / 2


def test_the_model_writes_names_and_the_specialist_gets_the_texts(lesson):
    for run in (lesson.named_run, lesson.reference_run):
        asked = next(event for event in called(run) if event.name == "handoff_to_writer")
        assert asked.input["artifacts"] == {"facts": ["researcher-1"]}
        facts = given_to(run, "writer")[0]["artifacts"]["facts"]
        assert facts == given_to(lesson.free_run, "writer")[0]["artifacts"]["facts"]


def test_a_users_own_text_reaches_the_reviewer_by_the_kernels_tool_alone(lesson):
    assert "no facts were handed over" in lesson.own_by_hand.as_text()
    assert given_to(lesson.own_run, "reviewer")[0]["artifacts"]["draft"] == lesson.text


def test_a_name_that_is_not_there_and_no_name_at_all_are_errors_that_list_the_results(lesson):
    assert len(lesson.told) == 2
    unknown, unnamed = lesson.told
    assert "researcher-2" in unknown and "researcher-1" in unknown
    assert "needs facts" in unnamed and "researcher-1" in unnamed


def test_a_prompt_of_judgment_overrules_the_reviewer_where_the_supervisor_sees_the_draft(lesson):
    assert "REVISE" in lesson.judging_result.artifacts["reviewer"]
    assert lesson.judging_order == "researcher → writer → reviewer"
    assert lesson.blind_order == lesson.free_order != lesson.judging_order


def test_a_fixed_order_asks_whom_nobody_needs(lesson):
    assert lesson.fixed_facts[2] == "researcher → writer → reviewer"
    assert lesson.free_facts[2] == "researcher"


def test_an_open_task_is_won_by_who_may_choose_the_order(lesson):
    assert "the facts say 2024 and not 2023" in lesson.solved["free"]
    assert "2023" not in lesson.solved["fixed"]
