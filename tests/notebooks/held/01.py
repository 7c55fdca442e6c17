"""Lesson 01: what holds of the request, the loop and its limit, built by hand, and of the kernel's loop."""


def test_a_reply_is_a_list_of_blocks_and_the_first_need_not_be_text(lesson):
    first, *others = lesson.response.json()["content"]
    assert first["type"] == "thinking"
    assert [block["type"] for block in others] == ["text"]


def test_the_loop_runs_tools_until_the_model_asks_for_none(lesson):
    assert lesson.status == "done"
    assert "10 words" in lesson.text


def test_at_its_limit_the_loop_still_brings_an_answer(lesson):
    status, text = lesson.limited
    assert status == "stopped at the limit"
    assert "10 words" in text


def test_the_api_refuses_calls_and_results_that_do_not_match(lesson):
    assert len(lesson.refusals) == 2
    assert all("tool_result" in sentence for sentence in lesson.refusals)


def test_the_error_of_a_tool_reaches_the_model_and_the_loop_goes_on(lesson):
    assert lesson.divided.ok
    assert "b is 0" in lesson.divided.output
