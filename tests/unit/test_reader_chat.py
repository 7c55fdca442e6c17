"""The offline model over its wire when somebody talks to it: pasted notes, wished shapes, follow-ups, questions."""

from __future__ import annotations

import asyncio

import pytest
from pydantic import BaseModel

from kernel.client import connect
from kernel.offline.asks import subjects, topic
from kernel.offline.reader import answer

from .test_reader_wordings import FACTS, LIBRARY, ask, research, search, tool

NOTES = """\
[heron-pier] The Heron pier was opened in 1904. It is 412 metres long and was built of oak. A walk on the pier costs £3.
[heron-fire] A fire destroyed the theatre of the Heron pier on 2 July 1953. Nobody was hurt."""
PLAIN = "The Quorn kiln is a brick oven from 1820. It fires 900 tiles a day. Its owner is Marta Lind."
HELPER = "You are a helpful assistant. Answer only from what the user gives you."


def talk(*said: str, system: str = HELPER) -> list[str]:
    """What the model says after each of the messages of one conversation."""

    async def converse():
        messages, heard = [], []
        async with connect() as client:
            for text in said:
                messages.append({"role": "user", "content": text})
                more = {"system": system} if system else {}
                reply = await client.send({"model": "claude-haiku-5-5", "max_tokens": 2000, "messages": messages, **more})
                messages.append(reply.as_message())
                heard.append(reply.text)
        return heard

    return asyncio.run(converse())


@pytest.mark.parametrize("message", [
    f"Could you turn the notes below into a paragraph?\n\n{NOTES}",
    f"{NOTES}\n\nSum this up, please.",
    f"I need a short text about the pier. Notes:\n\n{NOTES}",
    f"pls explain it to my aunt\n{NOTES}",
    "Make a short text of it:\n\n| id | text |\n|---|---|\n| heron-pier | The Heron pier was opened in 1904. |\n"
    "| heron-fire | A fire destroyed its theatre in 1953. |",
])
def test_pasted_notes_are_the_facts_and_the_order_is_no_part_of_the_text(message):
    said, = talk(message)
    assert "1904" in said and "1953" in said
    assert not any(word in said for word in ("notes", "Sum", "aunt", "No facts"))


def test_plain_prose_behind_an_order_is_summed_up_and_nothing_is_invented():
    said, = talk(f"Summarise in at most 16 words: {PLAIN}", system="")
    assert said == "The Quorn kiln is a brick oven from 1820. It fires 900 tiles a day."
    said, = talk("Write a brief on kilns.\n\nUse short sentences. Keep it friendly and plain.", system="")
    assert "Use short" not in said  # orders in two paragraphs are no notes


@pytest.mark.parametrize(("order", "lines", "begins"), [
    ("give me 2 bullet points", 2, "- "), ("as a numbered list please", 5, "1. "), ("put it in a table", 7, "| Fact | Source |"),
    ("in one line", 1, "The Heron pier"), ("only the headline", 1, "The Heron pier was opened in 1904"),
])
def test_notes_take_the_shape_that_is_wished(order, lines, begins):
    said, = talk(f"{order}\n\n{NOTES}")
    assert len(said.splitlines()) == lines and said.startswith(begins)


def test_follow_ups_reshape_the_same_facts():
    first, short, listed, table, headed = talk(f"Write a text from these notes:\n\n{NOTES}", "a bit shorter", "now as a list",
                                               "make that a table with its sources", "give it a title, too")
    assert len(short.split()) < len(first.split()) and "1904" in short
    assert listed.startswith("- The Heron pier was opened")
    assert "| The Heron pier was opened in 1904. | heron-pier |" in table
    assert headed.startswith("# The Heron pier\n\n| Fact")


def test_follow_ups_add_sources_and_leave_things_out():
    _, cited, rest = talk(f"Sum these notes up, without sources:\n\n{NOTES}", "add the sources", "now leave out the prices")
    assert "1904 [heron-pier]." in cited and "£3" in cited
    assert "£" not in rest and "1904" in rest


def test_questions_are_answered_from_the_notes_or_not_at_all():
    long, owner, true, unknown, thanks = talk(
        f"How long is the pier?\n\n{NOTES}", "And when did the theatre burn in the fire?",
        "Is it true that the pier was opened in 1940?", "Who designed the lamps of the pier?", "thanks a lot")
    assert long == "It is 412 metres long and was built of oak."
    assert "1953" in owner and "1904" not in owner
    assert true.startswith("No: ") and "1904" in true
    assert "cannot answer" in unknown and thanks == "You are welcome."


@pytest.mark.parametrize(("form", "cited"), [
    ("{source-id}", "1987 {tram-opening}"), ("(source-id)", "1987 (tram-opening)"), ("Source: source-id", "1987. Source: tram-opening")])
def test_sources_are_named_as_the_prompt_shows_it_and_a_reviewer_reads_it(form, cited):
    system = f"You are the writer. Use only the facts. Cite each sentence like this: \"Sentence {form}\""
    draft, _ = ask(f"Task: a brief on the Veltrane tram\n\nFacts:\n{FACTS}", system)
    assert cited in draft and "[" not in draft
    verdict, _ = ask(f"Task: review\n\nFacts:\n{FACTS}\n\nDraft:\n{draft}", "You are the reviewer. Every sentence needs its source.")
    assert verdict.startswith("PASS")


@pytest.mark.parametrize("form", [
    lambda hits: "\n\n".join(f"## {title} (`{one}`)\n\n{text}" for one, title, text in hits),
    lambda hits: '"id","title","text"\n' + "\n".join(f'"{one}","{title}","{text}"' for one, title, text in hits),
    lambda hits: "\n".join(f"- id: {one}\n  title: {title}\n  text: >\n    {text}" for one, title, text in hits),
    lambda hits: "\n".join(f"{n}. {title} [{one}]: {text}" for n, (one, title, text) in enumerate(hits, 1)),
])
def test_more_forms_of_results_keep_their_ids(form):
    found = research("Brumholt cheese", form=form)
    assert "It is made of goat milk. [brumholt-cheese]" in found and "Brumholt cheese:" not in found


def test_titles_in_a_list_are_opened_and_the_source_is_what_was_opened():
    found, calls = ask("Brumholt cheese", "You research. Report bullets with the id of the source in brackets.", [
        tool("find_titles", "Searches the archive for titles.", query="words"),
        tool("open_page", "Returns one page.", page_id="its id")],
        answers={"find_titles": lambda given: search(given["query"], lambda hits: "\n".join(f"{one}: {title}" for one, title, _ in hits)),
                 "open_page": lambda given: "\n\n".join(LIBRARY[given["page_id"]])})
    assert ("open_page", {"page_id": "brumholt-cheese"}) in calls
    assert "- It is made of goat milk. [brumholt-cheese]" in found


@pytest.mark.parametrize(("task", "about"), [
    ("Write a brief on Alpha/Bravo/Delta", ("Alpha", "Bravo", "Delta")), ("Compare Alpha & Bravo", ("Alpha", "Bravo")),
    ("Write a brief on TCP/IP", ("TCP/IP",)), ("Write a brief on I/O in C++", ("I/O in C++",)), ("[Bravo]", ("Bravo",))])
def test_joined_names_are_several_things_and_acronyms_stay_whole(task, about):
    assert subjects(task) == about


def test_what_a_question_begins_with_is_no_topic():
    assert topic("I'm curious: why did the ferry of Orrin sink?") == "the ferry of Orrin sink"


@pytest.mark.parametrize(("wish", "count", "first"), [
    ("Do not report more than two facts.", 2, "ripens"), ("Report only facts that hold a number.", 2, "ripens"),
    ("Begin with the newest fact.", 3, "2003")])
def test_which_facts_are_wanted_and_in_which_order(wish, count, first):
    found = research("Brumholt cheese", f"You are a researcher: list facts, the id of each source in brackets. {wish}")
    assert len(found.splitlines()) == count and first in found.splitlines()[0]


def test_an_answer_says_whether_there_is_one():
    class Reply(BaseModel):
        found: bool
        answer: str
        sources: list[str]

    system = "Answer from the facts."
    known, _ = ask(f"Question: How many passengers fit into a car?\n\nFacts:\n{FACTS}", system, schema=Reply)
    assert known.found and "180" in known.answer and known.sources == ["tram-fleet"]
    unknown, _ = ask(f"Question: What does a ticket cost?\n\nFacts:\n{FACTS}", system, schema=Reply)
    assert not unknown.found and not unknown.sources


def test_each_claim_of_a_draft_is_told_to_be_carried_or_not():
    class Row(BaseModel):
        statement: str
        is_supported: bool
        source_id: str | None

    class Rows(BaseModel):
        checks: list[Row]

    draft = "The Veltrane tram opened on 12 April 1987. The Veltrane tram runs 26 articulated cars."
    rows, _ = ask(f"Check each claim.\n\nDraft:\n{draft}\n\nFacts:\n{FACTS}", "You check claims.", schema=Rows)
    assert [(row.is_supported, row.source_id) for row in rows.checks] == [(True, "tram-opening"), (False, None)]


def test_a_timeline_has_real_years_in_order():
    class Event(BaseModel):
        year: int
        what: str

    class Timeline(BaseModel):
        events: list[Event]

    facts = f"- The tram was closed for 3 weeks in 2004. [tram-closure]\n{FACTS}"
    line, _ = ask(f"Timeline of the tram, in chronological order\n\nFacts:\n{facts}", "Make timelines.", schema=Timeline)
    assert [event.year for event in line.events] == [1987, 2004]


@pytest.mark.parametrize("where", ["facts", "draft"])
def test_a_long_text_without_an_end_takes_no_squared_time(where):
    text = "zorb engine " * 3_000
    parts = {"facts": f"- {text}[zorb]", "draft": "The zorb engine is blue [zorb]."} | {where: text}
    asked = f"Review it.\n\nFacts:\n{parts['facts']}\n\nDraft:\n{parts['draft']}"
    assert answer({"system": "You are the reviewer.", "messages": [{"role": "user", "content": asked}]}).content
