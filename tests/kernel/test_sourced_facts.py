"""Facts about the check of research: what counts as a fact, and which sources were read."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kernel import Corpus, Handoff, Result, Run, researcher
from kernel.core.supervisors import DeterministicSupervisor
from kernel.core.team import sourced_facts
from kernel.plumbing.search import NO_MATCH, Document, Hit, as_text
from kernel.testing import fails, records, says
from tests.on_each import on_each
from tests.scripted import call, requests_of, scripted

LIBRARY = Corpus.of([Document("ducks", "Ducks", "Ducks swim. [geese] fly, says [ducks-2]")])
TASK = Handoff(intent="ducks")
FOUND = "[ducks] Ducks (no date)\n\nDucks swim."
LABELS = st.from_regex(r"[a-z][a-z0-9-]{0,8}", fullmatch=True)
SENTENCES = st.from_regex(r"[A-Z][a-z ]{0,30}\.", fullmatch=True)


async def researched(*replies):
    client = scripted(*replies)
    run = Run(client)
    return await run.dispatch(researcher(LIBRARY), TASK), requests_of(client)


@given(
    st.sets(LABELS, min_size=1, max_size=4),
    st.lists(st.tuples(SENTENCES, LABELS), min_size=1, max_size=6),
)
def test_a_fact_stays_exactly_when_a_search_returned_its_source(read, facts):
    shown = as_text([Hit(Document(id, "Title", f"[{id}x] no head"), "", 0) for id in sorted(read)])
    lines = [f"- {sentence} [{id}]" for sentence, id in facts]
    right = [line for line, (_, id) in zip(lines, facts, strict=True) if id in read]
    checked = sourced_facts("\n".join(lines), [shown])
    assert bool(checked.faults) == (len(right) < len(lines))
    if checked.faults:
        assert (checked.rest or "").split("\n") == (right or [""])


@on_each(
    "answer, results, right",
    [
        ("- Ducks swim. [ducks]", [FOUND], True),
        ("1. Ducks swim [Ducks].\n2) They eat\n   grass. [ducks]", [FOUND], True),
        ("Ducks:\n- Birds:\n  - Ducks swim. [ducks]", [FOUND], True),
        ("- Nothing was found on geese.", [FOUND], True),
        ("I found nothing about penguins.", [f"{NO_MATCH} 'penguins'. Try other words."], True),
        ("- Ducks swim.", [FOUND], False),
        ("- Ducks swim. [geese]", [FOUND], False),
        ("- Ducks swim. [ducks, geese]", [FOUND], False),
        ("- No duck sinks.", [FOUND], False),
        ("- Geese fly. [geese]", ["[ducks] Ducks (no date)\n\n> [geese] Geese (no date)"], False),
        ("- Ducks swim. [ducks]", [f"{NO_MATCH} 'ducks'. Try other words."], False),
        ("- Ducks swim. [ducks]", [], False),
    ],
)
def test_a_fact_is_a_line_with_a_bullet_and_its_source_was_read(answer, results, right):
    assert (not sourced_facts(answer, results).faults) == right


def test_facts_from_a_tool_that_lists_no_documents_are_not_checked_and_a_note_says_so():
    checked = sourced_facts("- 4 ducks.", ['{"ducks": 4}'])
    assert not checked.faults and "not checked" in checked.note


async def test_research_from_memory_is_sent_back_once_and_then_fails_with_the_words():
    invented = "- Geese fly. [geese]"
    result, requests = await researched(invented, invented)
    assert result.status == "failed" and result.output is None and len(requests) == 2
    assert result.artifacts["said"] == invented
    assert "search first" in requests[1]["messages"][-1]["content"]


async def test_a_search_after_the_correction_counts():
    result, _ = await researched(
        "- Ducks swim. [ducks]", [call("search", query="ducks")], "- Ducks swim. [ducks]"
    )
    assert (result.status, result.output) == ("ok", "- Ducks swim. [ducks]")


async def test_made_up_sources_are_left_out_and_named():
    mixed = "- Ducks swim. [ducks]\n- Geese fly. [geese]"
    result, _ = await researched([call("search", query="ducks")], mixed, mixed)
    assert (result.status, result.output) == ("ok", "- Ducks swim. [ducks]")
    assert "Geese fly" in result.reason


@on_each("status", ["failed", "refused", "cancelled"])
async def test_a_desk_goes_on_only_from_research_that_is_done(status):
    unfinished = Result(status=status, output="- Ducks swim. [ducks]", reason="no")
    writer = records(says("draft"))
    desk = DeterministicSupervisor(says(unfinished, name="researcher"), writer, fails(ValueError()))
    result = await Run(scripted()).dispatch(desk, TASK)
    assert result.status == status and not writer.handoffs
