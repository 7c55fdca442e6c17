"""The one model of a text: how writer, editor, reviewer and judge read, count and cut it."""

from __future__ import annotations

from offline_model.reader.draft import Draft, cut, length
from offline_model.reader.sources import facts
from tests.on_each import on_each

FACTS = facts(
    "- Qdrant is a vector database. [overview]\n"
    "- Qdrant was founded in Berlin in 2021. [company]\n"
    "- The free tier of Qdrant offers 1 GB. [cloud]"
)
TEXT = """\
# Qdrant

Qdrant is a vector database [overview]. Qdrant was founded in Berlin in 2021 [company].

The free tier of Qdrant offers 1 GB [cloud].
"""


def test_a_text_has_headings_paragraphs_and_sentences():
    draft = Draft(TEXT)
    assert [paragraph.is_heading for paragraph in draft.paragraphs] == [True, False, False]
    assert [len(body.lines) for body in draft.bodies()] == [2, 1]
    assert len(draft.lines()) == 3
    assert draft.text() == TEXT.strip()


def test_a_heading_right_above_a_sentence_is_a_paragraph_of_its_own():
    draft = Draft("# Qdrant\nQdrant is a vector database.\n\n")
    assert len(draft.bodies()) == 1
    assert draft.lines() == ["Qdrant is a vector database."]


def test_words_are_counted_as_everybody_counts_them():
    assert Draft(TEXT).length() == len(TEXT.split())
    assert length("one two", "three [four]") == 4


@on_each(
    ("room", "left"),
    [
        (9, "Qdrant is a vector database [overview]."),
        (4, "Qdrant is a [overview]."),
        (2, "Qdrant [overview]."),
        (1, "Qdrant."),
        (0, "Qdrant."),
    ],
)
def test_a_sentence_that_is_cut_keeps_its_citation_where_there_is_room(room, left):
    assert cut("Qdrant is a vector database [overview].", room) == left


def test_a_sentence_uses_the_source_that_it_cites_else_that_of_the_fact_that_carries_it():
    draft = Draft("Qdrant is a vector database. It was founded in Rome [company].", FACTS)
    assert [*draft.unused()] == ["cloud"]


def test_the_facts_carry_a_sentence_or_contradict_it():
    draft = Draft(TEXT, FACTS)
    assert all(draft.support(line).is_carried for line in draft.lines())
    wrong = draft.support("Qdrant was founded in Berlin in 2019 [company].")
    assert not wrong.is_carried
    assert "2021" in wrong.wrong
    assert draft.support("Qdrant is a vector database [company].").is_elsewhere
    assert draft.support("Qdrant is a vector database [blog].").unknown == ("blog",)
    assert draft.support("Bananas are yellow and sweet [overview].").fact is None


@on_each("line", [". . . .", "a a a a", "| a | b |"])
def test_no_fact_carries_a_sentence_that_says_nothing(line):
    assert not Draft(line, FACTS).support(line).is_carried


def test_a_sentence_that_stands_several_times_is_left_out_as_often_as_needed():
    draft = Draft(" ".join(["Qdrant is fast."] * 300))
    draft.shorten(30, 1_000)
    assert draft.lines() == ["Qdrant is fast."] * 10


def test_the_sentence_that_is_left_is_cut():
    draft = Draft("# Qdrant\n\nQdrant is a vector database that many teams use [overview].")
    draft.shorten(7, 1_000)
    assert draft.text() == "# Qdrant\n\nQdrant is a vector [overview]."


def test_a_list_stays_a_list():
    listed = "- Qdrant is fast [a].\n- Qdrant is free [b]."
    draft = Draft(f"# Qdrant\n\n{listed}")
    assert len(draft.bodies()) == 1
    draft.replace("Qdrant is free [b].", "Qdrant is open [b].")
    assert draft.text() == "# Qdrant\n\n- Qdrant is fast [a].\n- Qdrant is open [b]."
    draft.list_up(False)
    assert draft.text() == "# Qdrant\n\nQdrant is fast [a]. Qdrant is open [b]."
