"""A supervisor whose specialists keep their work under a name and return a receipt."""

from __future__ import annotations

from itertools import count

from tests.offline_model.reader.wire import TEXT, TEXTS, converse, parts, tool
from tests.on_each import on_each

NAMES = {"type": "object", "additionalProperties": TEXTS}
FULL = {"type": "object", "additionalProperties": TEXT}
FINISH = tool("finalize", "End the task: name the results.", results=TEXTS, text=TEXT)
REVISE = '{"verdict":"REVISE","issues":["The year …"]}'
PASS = '{"verdict":"PASS","issues":[]}'


def team(artifacts=NAMES):
    described = {
        "researcher": "Researches a topic, with sources.",
        "writer": "Writes a brief from facts, or revises a draft.",
        "reviewer": "Reviews a draft against the facts.",
    }
    fields = {"intent": TEXT, "context": TEXT, "artifacts": artifacts, "texts": FULL}
    handing = [tool(f"handoff_to_{name}", text, **fields) for name, text in described.items()]
    return [*handing, FINISH]


def receipts(owner, *shown):
    """Each receipt of a specialist in turn; the last text again and again."""
    numbers = count(1)

    def answer(given):
        number = next(numbers)
        return f"Kept as {owner}-{number} (1,163 words).\n{shown[min(number, len(shown)) - 1]}"

    return answer


def supervised(task, *verdicts, tools=None):
    answers = {
        "handoff_to_researcher": receipts("researcher", "- Qdrant is a vector database …"),
        "handoff_to_writer": receipts("writer", "# Qdrant …"),
        "handoff_to_reviewer": receipts("reviewer", *verdicts or (PASS,)),
    }
    reply, calls = converse(
        task, "You are the supervisor of a team.", tools=tools or team(), answers=answers
    )
    return [(call["name"].removeprefix("handoff_to_"), call["input"]) for call in calls]


def test_names_are_handed_on_in_place_of_texts():
    calls = supervised("Write a brief on Qdrant", REVISE, PASS)
    names = [name for name, _ in calls]
    assert names == ["researcher", "writer", "reviewer", "writer", "reviewer", "finalize"]
    facts = {"facts": ["researcher-1"]}
    handed = [given["artifacts"] for _, given in calls[1:-1]]
    assert handed == [
        facts,
        {**facts, "draft": ["writer-1"]},
        {**facts, "draft": ["writer-1"], "feedback": ["reviewer-1"]},
        {**facts, "draft": ["writer-2"]},
    ]
    assert all(not given["texts"] for _, given in calls[1:-1])
    assert calls[-1][1] == {"results": ["writer-2"], "text": ""}


def test_each_subject_of_a_comparison_keeps_its_own_name():
    calls = supervised("Compare Qdrant and Pinecone")
    written = next(given for name, given in calls if name == "writer")
    assert written["artifacts"] == {"facts": ["researcher-1", "researcher-2"]}


def test_a_text_of_the_users_that_no_result_holds_goes_in_full():
    draft = "Qdrant is a vector database. It is written in Rust."
    calls = supervised(f"Review this text\n\n{parts(draft=draft)}", REVISE)
    name, given = calls[0]
    assert name == "reviewer"
    assert draft in given["texts"]["draft"]
    assert given["artifacts"] == {}
    assert calls[-1][1]["results"] == ["reviewer-1"]


def test_work_that_was_handed_in_under_a_name_is_handed_on_by_it():
    draft = "Kept as draft-7 (1,163 words).\n# Qdrant …"
    facts = "Kept as facts-7 (232 words).\n- Qdrant is a vector database …"
    calls = supervised(f"Improve the draft\n\n{parts(draft=draft, facts=facts)}", REVISE, PASS)
    assert [name for name, _ in calls] == ["reviewer", "writer", "reviewer", "finalize"]
    facts = {"facts": ["facts-7"]}
    handed = [given["artifacts"] for _, given in calls[:-1]]
    assert handed == [
        {**facts, "draft": ["draft-7"]},
        {**facts, "draft": ["draft-7"], "feedback": ["reviewer-1"]},
        {**facts, "draft": ["writer-1"]},
    ]
    assert all(not given["texts"] for _, given in calls[:-1])
    assert calls[-1][1] == {"results": ["writer-1"], "text": ""}


def test_names_end_the_work_when_only_facts_were_asked_for():
    calls = supervised("Just find facts about Qdrant")
    assert calls[-1] == ("finalize", {"results": ["researcher-1"], "text": ""})


def test_a_receipt_is_a_text_to_a_tool_that_takes_no_names():
    calls = supervised("Write a brief on Qdrant", tools=team(FULL))
    written = next(given for name, given in calls if name == "writer")
    assert written["artifacts"]["facts"].startswith("Kept as researcher-1 (1,163 words).\n")


@on_each("reason", ["refused; there is no library", "failed; the server is down"])
def test_nothing_is_named_when_the_work_failed(reason):
    answers = {"handoff_to_researcher": lambda given: f"status: {reason}"}
    reply, calls = converse(
        "Just find facts about Qdrant",
        "You are the supervisor of a team.",
        tools=team(),
        answers=answers,
    )
    assert {call["name"] for call in calls} == {"handoff_to_researcher"}
    assert reason.split("; ")[1] in reply.refusal
