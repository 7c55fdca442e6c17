"""Lesson 02: what holds of three specialists and their contexts, apart and together."""

from tests.notebooks.held import only


def test_a_prompt_decides_what_an_agent_sees(lesson):
    assert lesson.edited.output.verdict == "PASS"
    assert lesson.checked.output.verdict == "REVISE"
    assert "2024 and not 2023" in lesson.checked.output.issues[0]


def test_the_reviewer_asks_for_clear_sentences(lesson):
    assert "repeats “open”" in lesson.unclear.output.issues[0]


def test_a_writer_reads_its_handoff_and_nothing_else(lesson):
    requests = [event.body for event in lesson.run.events if event.kind == "request"]
    asked = only([body for body in requests if body["system"].startswith("You are the writer")])
    message = only(asked["messages"])
    assert lesson.material["facts"] in str(message["content"])
    assert "tools" not in asked


def test_in_one_conversation_each_job_reads_what_came_before(lesson):
    assert lesson.mixed["review"] > lesson.mixed["write"] > lesson.mixed["research"]
    assert lesson.alone.spent.input_tokens > 2 * lesson.run.spent.input_tokens


def test_small_contexts_use_no_source_less_and_where_much_is_overlooked_more(lesson):
    for strength in lesson.strengths:
        for topic in lesson.topics:
            apart, _ = lesson.measured[strength, "small contexts", topic]
            together, _ = lesson.measured[strength, "one conversation", topic]
            assert apart >= together, (strength, topic)
    assert max(lesson.gaps.values()) > 0


def test_a_source_is_no_business_of_the_agent(lesson):
    assert lesson.before.request == lesson.after.request
