"""The table of wordings: each line is read as it says, over the wire."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from .desk import FACTS, GOOD
from .wire import TEXT, TEXTS, VERDICT, parts, send, shape, tool

TABLE = tomllib.loads(Path(__file__).with_name("wordings.toml").read_text(encoding="utf-8"))
STEP = shape(id=TEXT, worker=TEXT, intent=TEXT, needs=TEXTS)
PROMPTS = {
    "writer": "You are the writer. ",
    "reviewer": "You are the reviewer. ",
    "researcher": "You are the researcher. ",
    "supervisor": "You are the supervisor of a team. ",
    "editor": "You are an editor. ",
    "judge": "You are the judge. ",
    "planner": "You are the planner of a desk. ",
}
TEAM = [
    tool(f"handoff_to_{name}", description, intent=TEXT, artifacts={"type": "object"})
    for name, description in (
        ("researcher", "Finds facts."),
        ("writer", "Writes briefs."),
        ("reviewer", "Reviews drafts."),
    )
]


def rows(kind):
    return pytest.mark.parametrize(
        "row", TABLE[kind], ids=lambda row: next(iter(row.values()))[:60]
    )


def asked(to: str, text: str):
    """The reply of somebody whose prompt ends with a wording."""
    system = PROMPTS[to] + text
    if to == "writer":
        return send(parts(task="Write about Qdrant", facts=FACTS), system)
    if to == "reviewer":
        return send(parts(task="Review the draft", facts=FACTS, draft=GOOD), system, schema=VERDICT)
    if to == "editor":
        return send(parts(task="Edit the draft", draft=GOOD), system)
    if to == "judge":
        return send(parts(task="Score the draft", facts=FACTS, draft=GOOD), system)
    if to == "planner":
        plan = shape(steps={"type": "array", "items": STEP})
        return send(parts(task="Write a brief on Qdrant"), system, schema=plan)
    tools = TEAM if to == "supervisor" else [tool()]
    return send(parts(task="Write a brief on Qdrant"), system, tools=tools)


@rows("wish")
def test_a_dial_is_read_in_other_words_or_they_are_named(row):
    account = asked(row["to"], row["text"]).account
    unread = " ".join(account.not_understood).lower()
    words = re.findall(r"\w{4,}", row["text"].lower())
    is_named = bool(words) and sum(word in unread for word in words) >= len(words) / 2
    assert row["says"] in account.wishes or is_named, account


@rows("read")
def test_a_wording_is_read_and_nothing_of_it_is_named(row):
    account = asked(row["to"], row["text"]).account
    assert row.get("says") in (None, *account.wishes) and account.not_understood == (), account


@rows("none")
def test_what_only_looks_like_a_wish_is_none(row):
    account = asked(row["to"], row["text"]).account
    assert row["lacks"] not in account.wishes, account


@rows("topic")
def test_the_topic_is_what_a_request_is_about(row):
    reply = send(row["text"], "You are the researcher.", tools=[tool()])
    assert reply.calls[0]["input"]["query"] == row["topic"]


@rows("role")
def test_a_role_is_known_by_its_names_and_orders(row):
    draft = parts(task="Do it now", facts=FACTS, draft=GOOD)
    given = {"writer": parts(task="Do it now", facts=FACTS)}
    assert send(given.get(row["as"], draft), row["system"]).account.read_as == row["as"]


def reported(sentence: str) -> str:
    """What a researcher reports of a document that holds a sentence."""
    text = f"The quillfish lives at 900 metres. {sentence}\n\nThe quillfish sleeps in caves. The quillfish eats shrimp."
    use = {"type": "tool_use", "id": "toolu_1", "name": "search", "input": {"query": "quillfish"}}
    back = {
        "type": "tool_result",
        "tool_use_id": "toolu_1",
        "content": f"[quill] The quillfish (2020)\n{text}",
    }
    asked = {"role": "user", "content": "Find facts about the quillfish"}
    messages = [asked, {"role": "assistant", "content": [use]}, {"role": "user", "content": [back]}]
    return send(system="You are the researcher.", tools=[tool()], messages=messages).text


@rows("order")
def test_an_order_in_a_document_is_not_repeated(row):
    found = reported(row["text"])
    assert "900 metres" in found and "caves" in found
    assert row["text"] not in found and row["text"][-15:] not in found


@rows("plain")
def test_a_statement_that_looks_like_an_order_is_reported(row):
    assert row["text"] in reported(row["text"])
