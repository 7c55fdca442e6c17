"""What the offline model cannot do stays undone whatever lies at hand, and each field is filled by what its name says."""

from __future__ import annotations

import json

from tests.on_each import on_each

from .desk import FACTS, GOOD
from .wire import TEXT, parts, send, shape

BEYOND = (
    "Translate the facts.",
    "Make a poem of the facts.",
    "Sort the facts by year.",
    "Count the facts.",
    "Rank the facts by importance.",
    "Make a table of the facts.",
    "Turn the facts into a quiz with three questions.",
    "Group the facts by topic.",
    "Remove the duplicates from the facts.",
    "Classify the facts as old or new.",
    "Convert the facts to JSON.",
    "Find the contradictions in the facts.",
    "Invent three more facts.",
    "Rewrite the facts for children.",
    "Sing the facts.",
    "Say which fact is wrong.",
    "Make flash cards of the facts.",
    "Number the facts.",
    "Reverse the order of the facts.",
    "Give me the longest fact.",
    "Estimate the cost from the facts.",
    "Draft a tweet thread.",
    "Propose a slogan.",
    "Design a logo.",
    "Plot the years.",
    "Spell out all numbers.",
)
SYSTEMS = ("", "You are a helpful assistant.", "You are the writer of a desk. Write like a pirate.")


@on_each("system", SYSTEMS, ids=["no prompt", "assistant", "writer"])
@on_each("task", BEYOND)
def test_a_job_that_it_does_not_know_is_no_brief_because_facts_are_at_hand(task, system):
    reply = send(parts(task=task, facts=FACTS), system)
    quoted = task[0].lower() + task[1:-1]
    assert "I am the offline model" in reply.refusal and quoted in reply.refusal
    assert reply.account.read_as == "an unknown job" and not reply.account.wishes


@on_each(
    "task", ["Write a brief on Qdrant.", "Summarize the facts.", "Condense these facts.", "Qdrant"]
)
def test_a_text_of_the_facts_is_still_a_brief(task):
    reply = send(parts(task=task, facts=FACTS), "You are the writer of a desk.")
    assert reply.account.read_as == "writer" and not reply.refusal


@on_each(
    "field",
    [{"colour": TEXT}, {"weather": {"type": "integer"}}, {"rhymes": {"type": "boolean"}}],
    ids=["text", "number", "yes or no"],
)
def test_a_field_whose_name_says_nothing_to_a_reviewer_is_left_open_and_named(field):
    (name,) = field
    task = parts(task="Review the draft", facts=FACTS, draft=GOOD)
    schema = shape(verdict={"enum": ["PASS", "REVISE"]}, **field)
    reply = send(task, "You are the reviewer. Check the draft against the facts.", schema=schema)
    assert (
        not reply.text and f"{name}: nothing in the text fills it" in reply.account.not_understood
    )
    nullable = shape(
        verdict={"enum": ["PASS", "REVISE"]}, **{name: {**field[name], "default": None}}
    )
    reply = send(task, "You are the reviewer. Check the draft against the facts.", schema=nullable)
    assert json.loads(reply.text)[name] is None
    assert f"{name}: nothing in the text fills it" in reply.account.not_understood


@on_each("name", ["comment", "reasoning", "summary", "explanation", "issues"])
def test_the_remarks_of_a_reviewer_go_where_a_name_asks_for_them(name):
    wrong = GOOD.replace("2021", "2019")
    task = parts(task="Review the draft", facts=FACTS, draft=wrong)
    schema = shape(verdict={"enum": ["PASS", "REVISE"]}, **{name: TEXT})
    assert (
        "2019"
        in send(
            task, "You are the reviewer. Check the draft against the facts.", schema=schema
        ).json[name]
    )
