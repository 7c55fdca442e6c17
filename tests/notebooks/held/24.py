"""Lesson 24: a port answers as our agent does, and what it keeps from you can be found."""

from workshop.material import ports


def test_the_port_answers_as_the_kernels_agent(lesson):
    assert "[pgvector-overview]" in lesson.by_port
    assert lesson.by_port == lesson.by_kernel.as_text()


def test_what_a_port_sends_by_itself_is_in_no_book(lesson):
    assert lesson.by_itself.ok and lesson.sent_by_itself == 2
    assert lesson.beside.spent.calls == 0 and lesson.beside.budget.calls == 1


def test_behind_the_door_the_budget_holds_for_a_port(lesson):
    assert lesson.free.output == lesson.by_port and lesson.booked.spent.calls == 2
    assert lesson.capped.status == "exhausted" and lesson.within.spent.calls == 1


def test_the_kernels_agent_keeps_what_its_tools_brought(lesson):
    assert lesson.kept["Agent"] > 0 and lesson.kept["BehindTheDoor"] == 0


def test_every_port_that_ends_writes_the_kernels_brief(lesson):
    rows = lesson.rows
    assert list(rows) == list(ports.PORTS)
    assert all(row.same_brief for row in rows.values() if not row.failed)
    changed = []
    for name, row in rows.items():
        changed += ports.differences(row, lesson.stored[name])
    assert not changed, changed


def test_a_library_brings_what_it_needs(lesson):
    size = {name: row.megabytes for name, row in lesson.rows.items()}
    start = {name: row.import_seconds for name, row in lesson.rows.items()}
    assert size["kernel"] < size["pydantic-ai"] < size["langgraph"]
    assert start["kernel"] < start["langgraph"]


def test_the_definitions_of_the_tools_make_the_difference(lesson):
    assert lesson.read["ours"] > lesson.read["no finalize"] > lesson.read["three fields"]
    assert 0.8 < lesson.share <= 1


def test_a_bug_that_is_told_to_the_model_ends_as_a_polite_answer(lesson):
    assert "documnet" in lesson.raised
    assert "documnet" not in lesson.polite and "Nothing was found" in lesson.polite


def test_on_the_kernel_the_bug_of_a_tool_reaches_you(lesson):
    assert lesson.rows["kernel"].who_tells == "an exception, with our line"
    assert lesson.rows["openai-agents"].who_tells == "nobody"


def test_the_api_refuses_thoughts_under_another_prompt(lesson):
    assert "thinking" in lesson.refused
    assert lesson.length["handoff"] < lesson.length["stripped"]
