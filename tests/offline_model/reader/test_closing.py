"""A sentence that a dial puts last: no part of the topic, no claim for the reviewer, and last for the editor, too."""

from __future__ import annotations

from tests.on_each import on_each

from .desk import FACTS, GOOD
from .wire import VERDICT, parts, send

ASKED = "What else would you like to know about {}?"
WRITER = "You are the writer. At most 40 words. Cite each sentence."
DRAFT = f"{GOOD} {ASKED.format('Qdrant')}"
MISSING = "the source [qdrant-intro] is not used; add from it."


@on_each(
    ("task", "topic"),
    [
        ("Write a brief on Qdrant and end with a question", "Qdrant"),
        ("Write a brief on Qdrant that ends with a question to the reader", "Qdrant"),
        ("Write a brief on Qdrant. Finish it with a question.", "Qdrant"),
        ("Write a brief on Qdrant, which ends with a question", "Qdrant"),
        ("Compare Qdrant and Berlin and end with a question", "Qdrant and Berlin"),
    ],
)
def test_it_is_no_part_of_the_topic(task, topic):
    reply = send(parts(task=task, facts=FACTS), WRITER)
    assert reply.text.endswith(ASKED.format(topic)), reply.text
    assert reply.account.topic == topic.replace(" and ", ", ")
    assert not reply.account.not_understood and len(reply.text.split()) <= 46


def test_it_is_no_claim():
    asked = parts(task="Review the draft", facts=FACTS, draft=DRAFT)
    reviewer = "You are the reviewer. Every sentence needs a citation and a fact that carries it."
    assert send(asked, reviewer, schema=VERDICT).json["verdict"] == "PASS"


@on_each("draft", [GOOD, DRAFT, f"{ASKED.format('Qdrant')}\n\n{GOOD}"])
@on_each("feedback", [MISSING, "Shorten it.", "It could be better.", ""])
def test_it_stays_last_when_the_draft_is_revised(draft, feedback):
    asked = {"task": "Write a brief on Qdrant", "facts": FACTS, "draft": draft}
    if feedback:
        asked["feedback"] = feedback
    system = WRITER if feedback else "You are an editor. Shorten the draft to two sentences."
    reply = send(parts(**asked), f"{system} End with a question.")
    assert reply.text.endswith(ASKED.format("Qdrant")), reply.text
    assert reply.text.count("?") == 1 and "end with a question" in reply.account.wishes


def test_without_the_dial_it_is_a_sentence_like_any_other():
    reply = send(parts(task="Edit", draft=DRAFT), "You shorten the draft to one sentence.")
    assert "?" not in reply.text
