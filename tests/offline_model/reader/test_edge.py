"""The page of the edge is true both ways: what it names is read, and what the lexicon holds it names."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import offline_model
from offline_model.skills import skills

from .desk import FACTS, GOOD
from .wire import TEXT, VERDICT, parts, send, shape, tool

HOME = Path(offline_model.__file__).parent
PAGE = (HOME / "README.md").read_text(encoding="utf-8")
FAMILIES = {
    folder: {
        path.stem: tomllib.loads(path.read_text(encoding="utf-8"))
        for path in sorted((HOME / "lexicon" / folder).glob("*.toml"))
    }
    for folder in ("roles", "wishes", "tools")
}
ROWS = {name: row for name, row in re.findall(r"^\| `(\w+)` \|(.*)\|$", PAGE, re.M)}


@pytest.mark.parametrize("family", [name for folder in FAMILIES.values() for name in folder])
def test_the_page_names_each_family_with_two_wordings(family):
    entry = next(folder[family] for folder in FAMILIES.values() if family in folder)
    assert family in ROWS, f"the page of the edge does not name {family}"
    assert all(f'"{wording}"' in ROWS[family] for wording in entry["reads"][:2]), ROWS[family]


def test_the_page_names_nothing_that_the_lexicon_lacks():
    assert set(ROWS) == {name for folder in FAMILIES.values() for name in folder}


@pytest.mark.parametrize("wish", [name for name in FAMILIES["wishes"] if name != "length"])
def test_each_wish_of_the_page_is_read_in_both_wordings_by_a_skill(wish):
    from .test_wordings import PROMPTS, asked

    entry = FAMILIES["wishes"][wish]
    for wording in entry["reads"]:
        seen = {found_wish for to in PROMPTS for found_wish in asked(to, wording).account.wishes}
        assert seen & {entry["says"], entry.get("says_turned")}, (wording, seen)


def test_each_wish_and_role_is_obeyed_by_a_skill():
    assert {wish for skill in skills() for wish in skill.WISHES} == set(FAMILIES["wishes"])
    assert {role for skill in skills() for role in skill.ROLES} == set(FAMILIES["roles"])


def test_no_wording_is_a_regular_expression():
    for path in (HOME / "lexicon").rglob("*.toml"):
        for key, listed in tomllib.loads(path.read_text(encoding="utf-8")).items():
            for wording in listed if key.endswith("wordings") else ():
                assert re.fullmatch(r"(?:\^ )?[\w '’.|*(){}\[\]:/&-]+", wording), (
                    path.name,
                    wording,
                )


def test_the_example_account_of_the_page_is_what_it_says():
    system = "You are the writer. In at most 180 words. Cite each sentence. Use only the facts. Write like a pirate."
    account = send(parts(task="Write a brief on Qdrant", facts=FACTS), system).account
    assert account.read_as == "writer" and account.parts == ("task", "facts")
    assert set(account.wishes) == {"at most 180 words", "cite", "no invention"}
    assert account.not_understood == ("Write like a pirate",)


def test_an_unknown_job_is_answered_by_one_sentence():
    reply = send(parts(task="Translate the draft into German", draft=GOOD), "You are a translator.")
    assert (
        reply.text.startswith("I am the offline model and do not know")
        and "a real model would" in reply.text
    )
    assert (
        "draft" in reply.text
        and "German" in reply.text
        and reply.account.read_as == "an unknown job"
    )


@pytest.mark.parametrize(
    "wish",
    [
        "Write in French.",
        "Rhyme.",
        "Begin with a joke.",
        "Add a table.",
        "A headline only.",
        "Use a numbered list.",
        "Use footnotes.",
        "Start with the newest fact.",
        "It must mention Google.",
        "Add up the prices.",
    ],
)
def test_what_the_page_does_not_read_is_not_understood(wish):
    account = send(
        parts(task="Write a brief on Qdrant", facts=FACTS), f"You are the writer. {wish}"
    ).account
    assert account.not_understood, account


def test_the_tools_of_the_page_are_known():
    assert send(
        "Find facts about Qdrant", tools=[tool("lookup", "Looks a term up.", term=TEXT)]
    ).calls[0]["input"] == {"term": "Qdrant"}
    team = [
        tool("ask_researcher", "Research a topic.", intent=TEXT),
        tool("stop", "Ends the work with the final text.", text=TEXT),
    ]
    reply = send("Write a brief on Qdrant", "You lead an editorial desk.", tools=team)
    assert reply.calls[0]["name"] == "ask_researcher" and reply.account.read_as == "supervisor"


RESULT = tool(
    "final_result", "The final response which ends this conversation.", title=TEXT, body=TEXT
)


def test_a_tool_that_takes_the_final_answer_is_called_when_the_job_is_known():
    reply = send(parts(task="Write a brief on Qdrant", facts=FACTS), "Cite.", tools=[RESULT])
    assert [call["name"] for call in reply.calls] == ["final_result"] and not reply.text
    assert reply.calls[0]["input"]["title"] == "Qdrant" and reply.account.read_as == "writer"
    review = tool("final_result", "The final response.", **VERDICT["properties"])
    asked = parts(task="Review the draft", facts=FACTS, draft=GOOD)
    assert (
        send(asked, "You are the reviewer.", tools=[review]).calls[0]["input"]["verdict"] == "PASS"
    )
    searched = send("Find facts about Qdrant", tools=[tool(), RESULT])
    assert [call["name"] for call in searched.calls] == ["search"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (parts(task="Translate the draft into German", draft=GOOD), "I am the offline model"),
        ("What is the capital of France?", "I cannot answer"),
        ("Hello!", "Give me a task"),
    ],
)
def test_where_the_job_is_not_known_it_says_so_in_words(text, says):
    reply = send(text, tools=[RESULT])
    assert not reply.calls and says in reply.text


def test_where_tools_are_turned_off_it_answers_in_words():
    asked = parts(task="Write a brief on Qdrant", facts=FACTS)
    reply = send(asked, tools=[RESULT], tool_choice={"type": "none"})
    assert not reply.calls and reply.text.startswith("# Qdrant")


@pytest.mark.parametrize(("before", "is_read"), [(3_000, True), (5_000, False)])
def test_a_sentence_is_read_as_far_as_4000_characters(before, is_read):
    system = f"You are the writer {'and so on ' * (before // 10)}in at most 20 words"
    account = send(parts(task="Write a brief on Qdrant", facts=FACTS), system).account
    assert ("at most 20 words" in account.wishes) == is_read
    assert (
        is_read
        or any("at most 20 words" in clause for clause in account.not_understood)
        or any(clause.endswith("…") for clause in account.not_understood)
    )


def test_what_nothing_fills_is_named():
    reply = send("Fill the form.", schema=shape(price={"type": "number"}))
    assert any("price" in clause for clause in reply.account.not_understood)
    assert (
        send(
            parts(task="Review the draft", facts=FACTS, draft=GOOD),
            "You are the reviewer.",
            schema=VERDICT,
        ).account.not_understood
        == ()
    )


def test_sentences_of_a_brief_are_those_of_the_facts():
    written = send(
        parts(task="Write a brief on Qdrant", facts=FACTS), "You are the writer. Cite."
    ).text
    plain = re.sub(r"\s*\[[^\]]*\]", "", written.split("\n\n", 1)[1])
    lines = re.split(r"(?<=\.)\s+", plain.strip())
    assert all(re.sub("^It ", "Qdrant ", sentence) in FACTS for sentence in lines)
