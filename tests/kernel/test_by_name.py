"""Facts about work that is handed on by name: what the model reads and writes, and what the record keeps."""

from __future__ import annotations

import json
import re

import pytest

from kernel import (
    Budget,
    Handoff,
    LLMSupervisor,
    NamedHandoffTool,
    Pause,
    Result,
    Run,
    ToolError,
    Verdict,
    connect,
    receipt,
    specialists,
)
from kernel.core.handoff_tools import HandoffTool, finalize_by_name, taken_name, texts_of
from kernel.parts.journal.journal import Journal
from kernel.testing import records, says
from offline_model import Temperament
from tests.on_each import on_each

TASK = "Write a brief on the history of MCP"
FACTS = "- Qdrant is a database. [qdrant-1]"


def drafter(name="writer", result="A draft."):
    return records(says(result, name=name))


@pytest.fixture
def run():
    run = Run(connect())
    run.keep(facts=FACTS)
    return run


# ── one handoff ───────────────────────────────────────────────────────────────────────────────────


async def test_a_name_goes_in_and_a_receipt_comes_out_and_the_worker_gets_the_text(run):
    worker = drafter()
    back = await NamedHandoffTool(worker).call(
        {"intent": "Write", "artifacts": {"facts": ["facts"]}}, run
    )
    assert back == "Kept as writer-1 (2 words).\nA draft."
    assert worker.handoffs[0].artifacts == {"facts": FACTS}
    assert run.artifacts["writer-1"] == "A draft."
    assert run.output == "A draft."


@pytest.mark.parametrize(
    "names", ["writer-1, writer-2", "writer-1,writer-2", ["writer-1", "writer-2"]]
)
async def test_several_names_are_one_text_also_where_they_are_written_with_a_comma(run, names):
    run.keep(**{"writer-1": "One.", "writer-2": "Two."})
    worker = drafter("reviewer")
    await NamedHandoffTool(worker).call({"intent": "Review", "artifacts": {"draft": names}}, run)
    assert worker.handoffs[0].artifacts == {"draft": "One.\n\nTwo."}


async def test_a_text_that_no_result_holds_is_handed_on_in_full(run):
    worker = drafter("reviewer")
    await NamedHandoffTool(worker).call({"intent": "Review", "texts": {"draft": "Mine."}}, run)
    assert worker.handoffs[0].artifacts == {"draft": "Mine."}


@pytest.mark.parametrize(
    ("artifacts", "words"),
    [
        ({"facts": ["fact"]}, "there is no result named 'fact'. The results are: facts."),
        ({"facts": [1]}, "arguments of handoff_to_writer"),
        ({"draft": ["x" * 500]}, f"named '{'x' * 79}…'"),
    ],
)
async def test_a_name_that_is_not_there_is_an_error_that_the_model_reads(run, artifacts, words):
    worker = drafter()
    with pytest.raises(ToolError) as problem:
        await NamedHandoffTool(worker).call({"intent": "Write", "artifacts": artifacts}, run)
    assert words in str(problem.value)
    assert not worker.handoffs


@pytest.mark.parametrize(
    "given",
    [
        {"artifacts": {"task": ["facts"]}},
        {"artifacts": {"a/b": ["facts"]}},
        {"artifacts": {"my notes": ["facts"]}, "texts": {"my-notes": "Mine."}},
        {"texts": {"context": "Mine."}},
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", [HandoffTool, NamedHandoffTool])
async def test_an_artifact_with_a_wrong_name_is_an_error_that_the_model_reads(run, given, kind):
    worker = drafter()
    with pytest.raises(ToolError, match="arguments of handoff_to_writer do not fit the schema"):
        await kind(worker).call({"intent": "Write", **given}, run)
    assert not worker.handoffs


async def test_what_a_specialist_needs_is_found_by_any_spelling(run):
    worker = drafter()
    tool = NamedHandoffTool(worker, needs=("my notes",))
    await tool.call({"intent": "Write", "artifacts": {"my notes": ["facts"]}}, run)
    assert worker.handoffs[0].artifacts == {"my-notes": FACTS}


async def test_a_specialist_that_needs_facts_is_not_asked_without_them(run):
    worker = drafter()
    tool = NamedHandoffTool(worker, needs=("facts", "draft"))
    with pytest.raises(ToolError, match="writer needs facts and draft; name a result for each"):
        await tool.call({"intent": "Write"}, run)
    with pytest.raises(ToolError, match="writer needs draft"):
        await tool.call({"intent": "Write", "artifacts": {"facts": ["facts"]}}, run)
    assert not worker.handoffs
    await tool.call(
        {"intent": "Write", "artifacts": {"facts": ["facts"]}, "texts": {"draft": "d"}}, run
    )
    assert len(worker.handoffs) == 1


async def test_a_name_is_taken_before_the_work_begins(run):
    first, second = taken_name("writer", run), taken_name("writer", run)
    assert (first, second) == ("writer-1", "writer-2")
    assert "writer-1" not in run.artifacts
    with pytest.raises(ToolError, match="writer-2 is not there: it is made in this same turn"):
        texts_of(["writer-2"], run)


async def test_work_that_ends_early_is_kept_with_its_status_and_none_is_an_error(run):
    early = drafter(result=Result(status="exhausted", output="Half.", reason="calls"))
    back = await NamedHandoffTool(early).call({"intent": "Write"}, run)
    assert back == "status: exhausted; calls\n\nKept as writer-1 (1 word).\nHalf."
    failed = drafter(result=Result(status="failed", reason="no idea"))
    with pytest.raises(ToolError, match="status: failed; no idea"):
        await NamedHandoffTool(failed).call({"intent": "Write"}, run)
    with_work = drafter(result=Result(status="failed", reason="late", artifacts={"notes": "N."}))
    back = await NamedHandoffTool(with_work).call({"intent": "Write"}, run)
    assert "Kept as writer-3" in back and "N." in run.artifacts["writer-3"]


async def test_a_question_to_a_person_goes_up(run):
    asking = drafter(result=Result(status="paused", reason="May I?"))
    with pytest.raises(Pause, match="May I"):
        await NamedHandoffTool(asking).call({"intent": "Write"}, run)


# ── receipts and the end ──────────────────────────────────────────────────────────────────────────


def test_a_receipt_of_a_long_text_shows_how_it_begins():
    text = "word " * 400
    shown = receipt("writer-1", text)
    assert shown.startswith("Kept as writer-1 (400 words).\nword word")
    assert shown.endswith(" …") and len(shown) < 220


def test_a_receipt_of_a_verdict_can_be_read_by_code():
    verdict = Verdict(verdict="REVISE", issues=["too long " * 30, "b", "c", "d"])
    _, _, shown = receipt("reviewer-1", verdict).partition("\n")
    read = json.loads(shown)
    assert read["verdict"] == "REVISE"
    assert read["issues"][1:] == ["b", "c", "…"] and read["issues"][0].endswith(" …")


async def test_finalize_takes_names_or_a_text_where_nothing_was_made():
    run = Run(connect())
    assert await finalize_by_name.call({"text": "Nothing was found."}, run) == "Nothing was found."
    with pytest.raises(ToolError, match="name a result, or give a text. There is no result yet."):
        await finalize_by_name.call({}, run)
    run.keep(**{"writer-1": "One.", "writer-2": "Two."})
    both = await finalize_by_name.call({"results": ["writer-2", "writer-1"]}, run)
    assert both == "Two.\n\nOne."
    assert finalize_by_name.definition["name"] == "finalize"


# ── the supervisor ────────────────────────────────────────────────────────────────────────────────


async def led(task=TASK, handoff=None, client=None, budget=None, **more):
    run = Run(client or connect(), budget=budget)
    supervisor = LLMSupervisor(specialists(), **more)
    return run, await run.dispatch(supervisor, handoff or Handoff(intent=task))


async def test_the_same_brief_for_less_than_half_of_the_dollars():
    by_value, in_full = await led()
    by_name, named = await led(by_name=True)
    assert in_full.ok and named.ok
    assert named.as_text() == in_full.as_text()
    assert by_name.spent.calls == by_value.spent.calls
    assert by_name.spent.cost < by_value.spent.cost / 2


async def test_the_model_writes_names_and_the_record_has_the_texts():
    run, _ = await led(by_name=True)
    calls = [each for each in run.events if each.kind == "tool_call"]
    asked = [each.input for each in calls if each.name == "handoff_to_writer"]
    assert asked[0]["artifacts"] == {"facts": ["researcher-1"]}
    handed = [each for each in run.trace().handoffs() if each["to_agent"] == "writer"]
    assert handed[0]["artifacts"]["facts"].startswith("- ")
    assert run.trace().handoffs()[0]["to_agent"] == "supervisor"


async def test_all_results_come_back_by_their_names():
    _, result = await led(by_name=True)
    assert {"researcher-1", "writer-1", "reviewer-1"} <= result.artifacts.keys()
    assert all(result.artifacts.values())


async def test_what_was_handed_in_has_a_name_too():
    handoff = Handoff(intent="Write a brief on Qdrant", artifacts={"facts": FACTS})
    run, result = await led(handoff=handoff, by_name=True)
    assert result.artifacts["facts"] == FACTS
    written = [each for each in run.trace().handoffs() if each["to_agent"] == "writer"]
    assert FACTS in written[0]["artifacts"]["facts"]


@on_each("calls", range(1, 12))
async def test_a_limit_loses_no_more_than_by_value(calls):
    _, in_full = await led(budget=Budget(calls=calls))
    _, named = await led(budget=Budget(calls=calls), by_name=True)
    assert named.status == in_full.status
    assert named.as_text() == in_full.as_text()
    without_numbers = {re.sub(r"-\d+$", "", name) for name in named.artifacts}
    assert without_numbers >= set(in_full.artifacts)
    assert all(named.artifacts.values())


@pytest.mark.parametrize("task", [TASK, "Compare pgvector, Qdrant and Pinecone"])
async def test_a_journal_asks_nothing_again_and_the_names_are_the_same(task, tmp_path):
    texts = []
    for again in (False, True):
        with Journal(tmp_path / "run.db") as journal:
            before = journal.steps()[0]
            run, result = await led(task, client=journal.around(connect()), by_name=True)
            texts.append((result.as_text(), sorted(result.artifacts)))
            assert journal.steps()[0] - before == (0 if again else run.spent.calls)
    assert texts[0] == texts[1]


async def test_a_supervisor_by_name_below_one_by_name():
    inner = LLMSupervisor(specialists(), name="desk", by_name=True)
    run = Run(connect())
    outer = LLMSupervisor((inner, *specialists()[1:]), by_name=True)
    result = await run.dispatch(outer, Handoff(intent="Write a brief on Qdrant"))
    assert result.as_text()


async def test_a_model_that_names_nothing_is_told_what_there_is():
    dropping = connect("offline", temperament=Temperament(drops_facts=True))
    run, _ = await led("Write a brief on Qdrant", client=dropping, by_name=True)
    [first, *_] = [each for each in run.trace().handoffs() if each["to_agent"] == "writer"]
    assert not first["artifacts"].get("facts"), "nothing makes a model name the facts but `needs`"


def test_the_prompt_is_that_of_its_kind_unless_one_is_given():
    by_value, by_name = LLMSupervisor(specialists()), LLMSupervisor(specialists(), by_name=True)
    assert "full text" in by_value.system and "name the\nresults" in by_name.system
    assert LLMSupervisor(specialists(), system="Mine.", by_name=True).system == "Mine."
