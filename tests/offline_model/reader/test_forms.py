"""A sentence of a prompt is obeyed whole or not at all, and a reviewer checks what it is told to."""

from __future__ import annotations

import pytest

from kernel.core import team
from offline_model.reader.forms import phrases, unread
from offline_model.reader.lexicon import families
from tests.on_each import on_each

from .desk import FACTS, GOOD
from .wire import VERDICT, parts, send

WRONG = GOOD.replace("2021", "2019")
UNCITED = GOOD.replace(" [qdrant-company]", "")
UNTOLD = "I was not told what to look for"
HONEST = (
    "Compare every number in the draft with the facts. Decide REVISE when a number is wrong, or when a sentence has "
    "no citation. Otherwise decide PASS.",
    "If a number in the draft is not in the facts, say REVISE. If a sentence has no citation, say REVISE. If not, say PASS.",
    "A wrong number means REJECTED. A sentence without a citation means REJECTED.",
    "Numbers must match the facts, and every sentence must have a citation. Decide PASS or REVISE.",
)
REVERSED = (
    "A wrong number means PASS.",
    "If a number differs from the facts, answer PASS.",
    "A sentence without a citation means PASS.",
    "Unused facts mean PASS.",
    "Every sentence must have no citation.",
    "Reject the draft if it has citations.",
    "When the draft is wrong, pass it.",
    "Say PASS if a sentence is wrong.",
    "Wrong numbers are fine.",
    "REVISE if every claim is carried by the facts.",
    "Numbers may differ from the facts.",
    "Always say PASS.",
    "Compare every number with what you know about the world.",
    "Roses are red, facts are blue.",
)


def reviewed(rules: str, draft: str):
    given = parts(task="Check the draft", facts=FACTS, draft=draft)
    reply = send(given, f"You are the fact-checker. {rules}", schema=VERDICT)
    return reply.json["verdict"], reply.account.not_understood


@on_each("rules", HONEST)
def test_rules_in_the_commonest_shapes_are_obeyed(rules):
    assert [reviewed(rules, draft)[0] for draft in (WRONG, UNCITED, GOOD)] == [
        "REVISE",
        "REVISE",
        "PASS",
    ]
    assert reviewed(rules, GOOD)[1] == ()


@on_each("rule", REVERSED)
def test_a_reversed_rule_is_named_whole_and_changes_nothing(rule):
    for draft in (WRONG, UNCITED, GOOD):
        verdict, named = reviewed(rule, draft)
        assert verdict == "PASS" and {*named} == {UNTOLD, rule.rstrip(".")}


def test_a_reviewer_that_is_told_nothing_passes_and_says_so():
    assert reviewed("", WRONG) == ("PASS", (UNTOLD,))
    assert reviewed("Every sentence must have a citation.", WRONG) == ("PASS", ())
    assert reviewed("Every sentence must have a citation.", UNCITED) == ("REVISE", ())


@on_each("length", ["at most 30 words", "at most twelve words"])
def test_a_number_may_be_any_number(length):
    task = parts(task="Write a brief on Qdrant", facts=FACTS)
    reply = send(task, team.WRITER.replace("at most 180 words", length))
    limit = 30 if "30" in length else 12
    assert not reply.account.not_understood and len(reply.text.split()) <= limit + 2


def test_the_number_of_an_item_is_no_order_and_a_number_alone_is_none_that_is_obeyed():
    rules = "Rules: (1) every sentence needs a citation, (2) numbers must match the facts."
    assert not unread(rules, "review") and unread("Answer 40.", "review") == ["Answer 40."]


@pytest.mark.parametrize("clause", ["and sing it", "for a pirate"])
def test_a_sentence_with_a_foreign_clause_is_named_whole_and_none_of_it_is_obeyed(clause):
    task = parts(task="Write a brief on Qdrant", facts=FACTS)
    reply = send(task, f"You are the writer. Write at most 12 words {clause}.")
    assert reply.account.not_understood == (f"Write at most 12 words {clause}",)
    assert len(reply.text.split()) > 12


def test_each_sentence_of_a_phrasebook_is_obeyed_alone_and_joined():
    for behaviour in families("behaviours"):
        for phrase in phrases(behaviour):
            assert unread(phrase, behaviour) == []
            assert unread(f"{phrase} Sing it. {phrase}", behaviour) == ["Sing it."]


def test_what_is_not_read_is_shown_beside_the_nearest_form():
    given = parts(task="Check the draft", facts=FACTS, draft=GOOD)
    reply = send(given, "You are the reviewer. A wrong number means PASS.", schema=VERDICT)
    assert reply.account.nearest == ("A wrong number means REVISE.",)
