"""The page of the edge is true both ways: what it names is read, and what the lexicon holds it names."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import offline_model
from offline_model.page import page
from offline_model.reader.difference import account_of
from offline_model.skills import name_of, skills
from tests.on_each import on_each

from .desk import FACTS, GOOD
from .wire import TEXT, VERDICT, parts, send, tool

HOME = Path(offline_model.__file__).parent
PAGE = (HOME / "README.md").read_text(encoding="utf-8")
FAMILIES = {
    folder: {
        path.stem: tomllib.loads(path.read_text(encoding="utf-8"))
        for path in sorted((HOME / "lexicon" / folder).glob("*.toml"))
    }
    for folder in ("roles", "tools")
}
FAMILIES["dials"] = tomllib.loads((HOME / "lexicon" / "dials.toml").read_text(encoding="utf-8"))
BEHAVIOURS = tomllib.loads((HOME / "lexicon" / "behaviours.toml").read_text(encoding="utf-8"))
ROWS = {name: row for name, row in re.findall(r"^\| `(\w+)` \|(.*)\|$", PAGE, re.M)}


@on_each("dial", [name for name in FAMILIES["dials"] if name != "length"])
def test_each_dial_of_the_page_is_read_in_both_forms_by_a_behaviour_that_obeys_it(dial):
    entry = FAMILIES["dials"][dial]
    for form in entry["reads"]:
        accounts = [
            account_of(name, form, "", topic="", read="", parts=()) for name in entry["for"]
        ]
        assert all({entry["says"], entry.get("says_off")} & {*made.wishes} for made in accounts)


def test_each_dial_and_role_belongs_to_a_behaviour_and_each_skill_is_declared():
    obeyed = {name for dial in FAMILIES["dials"].values() for name in dial["for"]}
    assert obeyed <= {*BEHAVIOURS} and {name_of(skill) for skill in skills()} <= {*BEHAVIOURS}
    roles = {role for entry in BEHAVIOURS.values() for role in entry.get("roles", ())}
    assert roles == set(FAMILIES["roles"])


def test_the_page_is_the_one_that_the_data_make():
    assert page() == PAGE


def test_no_wording_is_a_regular_expression():
    tables = [*FAMILIES["dials"].values()]
    for path in (HOME / "lexicon").rglob("*.toml"):
        tables.append(tomllib.loads(path.read_text(encoding="utf-8")))
    phrases = tomllib.loads((HOME / "lexicon" / "phrases.toml").read_text(encoding="utf-8"))
    tables.append({f"{name} wordings": forms for name, forms in phrases.items()})
    for table in tables:
        for key, listed in table.items():
            for wording in listed if key.endswith("wordings") else ():
                assert re.fullmatch(r"(?:\^ )?[\w '’.|*(){}\[\]:/&-]+", wording), wording


def test_each_phrase_is_named_by_a_wording_and_has_a_word_that_may_not_be_missing():
    phrases = tomllib.loads((HOME / "lexicon" / "phrases.toml").read_text(encoding="utf-8"))
    files = [path.read_text(encoding="utf-8") for path in (HOME / "lexicon").rglob("*.toml")]
    assert {*phrases} <= {*re.findall(r"\{(\w\w+)\}", "".join(files))}
    for form in (form for forms in phrases.values() for form in forms):
        assert any(token[0] != "(" for token in form.split()), form


def test_the_example_account_of_the_page_is_what_it_says():
    system = "You are the writer. In at most 180 words. Cite each sentence. Use only the facts. Write like a pirate."
    account = send(parts(task="Write a brief on Qdrant", facts=FACTS), system).account
    assert account.read_as == "writer" and account.parts == ("task", "facts")
    assert set(account.wishes) == {"at most 180 words", "cite", "no invention"}
    assert account.not_understood == ("Write like a pirate",) and account.topic == "Qdrant"


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


@on_each(
    ("text", "says"),
    [
        (parts(task="Translate the draft into German", draft=GOOD), "I am the offline model"),
        ("What is the capital of France?", "I cannot answer"),
        ("Hello!", "Give me a task"),
    ],
)
def test_where_the_job_is_not_known_it_says_so_in_words(text, says):
    reply = send(text, tools=[RESULT])
    assert not reply.calls and says in (reply.text or reply.refusal)


def test_where_tools_are_turned_off_it_answers_in_words():
    asked = parts(task="Write a brief on Qdrant", facts=FACTS)
    reply = send(asked, tools=[RESULT], tool_choice={"type": "none"})
    assert not reply.calls and reply.text.startswith("# Qdrant")


def test_sentences_of_a_brief_are_those_of_the_facts():
    written = send(
        parts(task="Write a brief on Qdrant", facts=FACTS), "You are the writer. Cite."
    ).text
    plain = re.sub(r"\s*\[[^\]]*\]", "", written.split("\n\n", 1)[1])
    lines = re.split(r"(?<=\.)\s+", plain.strip())
    assert all(re.sub("^It ", "Qdrant ", sentence) in FACTS for sentence in lines)
