"""A planner's prompt in plain words: how many steps, and whether they run at once."""

from __future__ import annotations

from offline_model.reader.dials import limit, wished
from offline_model.reader.difference import Prompt
from tests.on_each import on_each

ROLE = "You are the planner of a team. Break the task into steps for the workers listed. "
AT_MOST_THREE = (
    "A plan has three steps at most.",
    "No ticket takes more than three steps.",
    "Use no more than 3 steps.",
    "Do not use more than three steps.",
    "Never use more than three steps per ticket.",
    "A plan can't have more than three steps.",
    "Use three steps or fewer.",
    "Make a plan of three steps at most.",
    "The maximum is three steps.",
    "Use a maximum of three steps.",
    "Limit the plan to three steps.",
    "Up to three steps are allowed.",
    "Each ticket gets at most 3 steps.",
)
ONE_AFTER_ANOTHER = (
    "Two steps cannot run at the same time.",
    "Let no two steps run at once.",
    "No two steps at once.",
    "Never run two steps at the same time.",
    "Two steps must never run at the same time.",
    "Do not let two steps run simultaneously.",
    "Steps must not run in parallel.",
    "Nothing runs in parallel.",
    "Run the steps one at a time.",
    "Run one step at a time.",
    "Only one step may run at a time.",
    "Never run more than one step at a time.",
    "At most one step runs at a time.",
    "Steps run strictly one after another.",
    "Run all steps sequentially.",
    "Each step follows the previous one.",
    "Every step must wait until the previous one is done.",
)
ALL_AT_ONCE = (
    "Run all steps at once.",
    "Let all steps run at the same time.",
    "Run everything in parallel.",
)
NO_WISH = (
    "Steps that do not need each other run at once.",
    "Use as few steps as the task needs.",
    "Let a step need another only if it must read that result.",
    "Hand work out one step at a time or, when steps do not need each other, several at once.",
    "Each step needs a worker.",
)


def reading(sentence: str) -> tuple[int | None, bool | None, bool | None]:
    """The most steps, whether one after another, whether all at once."""
    prompt = ROLE + sentence
    return limit(prompt, "steps"), wished(prompt, "one_by_one"), wished(prompt, "at_once")


def rest(sentence: str) -> list[str]:
    """What of a sentence the account would name as not understood."""
    return list(Prompt(ROLE + sentence, "plan").unread())


@on_each("sentence", AT_MOST_THREE)
def test_a_limit_of_steps_is_read_in_plain_words(sentence):
    assert reading(sentence) == (3, None, None)
    assert rest(sentence) == []


@on_each("sentence", ONE_AFTER_ANOTHER)
def test_one_after_another_is_read_and_its_number_is_no_limit(sentence):
    limit_of_steps, one_by_one, at_once = reading(sentence)
    assert (limit_of_steps, one_by_one) == (None, True)
    assert not at_once
    assert rest(sentence) == []


@on_each("sentence", ALL_AT_ONCE)
def test_all_at_once_is_another_wish(sentence):
    assert reading(sentence) == (None, None, True)


@on_each("sentence", NO_WISH)
def test_words_that_only_look_like_an_order_are_none(sentence):
    assert reading(sentence) == (None, None, None)


def test_both_rules_in_one_sentence():
    assert reading("Use at most three steps, and let no two steps run at once.")[:2] == (3, True)


@on_each("order", ("Do not write", "Never write", "It can't have"))
def test_more_than_is_an_upper_limit_where_it_is_forbidden(order):
    assert limit(f"{order} more than 180 words.", "words") == 180
