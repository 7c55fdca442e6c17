"""Facts about the trace: what the console shows, the bill, the record."""

from __future__ import annotations

import os
import stat

import pytest

from kernel import DeterministicSupervisor, Handoff, Run, Trace, Verdict
from kernel.__main__ import main
from kernel.parts.memory import Memory
from kernel.plumbing.trace import dollars, line
from tests.scripted import Worker, call, scripted

from .test_agent import add


async def desk_run():
    verdicts = iter([Verdict(verdict="REVISE", issues=["no source"]), Verdict(verdict="PASS")])
    drafts = iter(["first draft", "second draft"])
    desk = DeterministicSupervisor(
        Worker("researcher", "- Fact. [d1]"),
        Worker("writer", lambda *_: next(drafts)),
        Worker("reviewer", lambda *_: next(verdicts)),
    )
    run = Run(scripted())
    await run.dispatch(desk, Handoff(intent="Write a brief on ducks"))
    return run


async def test_the_trace_says_who_got_what_and_what_came_back():
    assert (
        str((await desk_run()).trace())
        == """\
user → supervisor: Write a brief on ducks
  ── research
  supervisor → researcher: Write a brief on ducks
  researcher → supervisor: ok, 3 words  [0 calls, 0 tokens]
  ── write
  supervisor → writer: Write a brief on ducks  with facts (3 words)
  writer → supervisor: ok, 2 words  [0 calls, 0 tokens]
  ── review
  supervisor → reviewer: Write a brief on ducks  with facts (3 words), draft (2 words)
  reviewer → supervisor: ok, REVISE with 1 issue  [0 calls, 0 tokens]
  ── revise 1 of 2
  supervisor → writer: Write a brief on ducks  with facts (3 words), draft (2 words), feedback (3 words)
  writer → supervisor: ok, 2 words  [0 calls, 0 tokens]
  ── review
  supervisor → reviewer: Write a brief on ducks  with facts (3 words), draft (2 words)
  reviewer → supervisor: ok, PASS  [0 calls, 0 tokens]
supervisor → user: ok, 2 words  [0 calls, 0 tokens]"""
    )


async def test_tool_calls_and_their_errors_are_shown(agent):
    run = Run(scripted([call("add", a=1, b=2), call("add", a=-1, b=2)], "done"))
    await run.dispatch(agent(tools=(add,)), Handoff(intent="add"))
    text = str(run.trace())
    assert "    add(a=1, b=2)" in text and "add gave 1 word" in text
    assert "add gave error: a must not be negative" in text


async def test_the_table_adds_up(agent):
    run = Run(scripted("one", "two"))
    await run.fan_out(
        [(agent(name="a"), Handoff(intent="x")), (agent(name="b"), Handoff(intent="x"))]
    )
    trace = run.trace()
    totals, parts = trace.totals(), trace.by_agent().values()
    assert totals["calls"] == 2 == run.spent.calls and totals["usd"] == run.spent.usd > 0
    assert (
        totals["input_tokens"]
        == sum(part["input_tokens"] for part in parts)
        == run.spent.input_tokens
    )
    assert [row.split()[0] for row in trace.table().splitlines()] == ["agent", "a", "b", "total"]


def test_an_unknown_price_is_shown_as_unknown():
    assert dollars(None) == "unknown"


@pytest.mark.parametrize(
    "damaged",
    [
        b"[]",
        b"null",
        b"3",
        b"\xff",
        b"{broken",
        pytest.param(b"[" * 100_000, id="deep"),
        b'{"kind": "new"}',
        b'{"seq": 1, "at": 0, "kind": "reply", "run": "", "agent": "", "data": {}}',
        b'{"seq": 1, "at": 0, "kind": "return", "run": "", "agent": "", "data": 3}',
        b'{"kind": "note", "text": "an event of no run"}',
        b'{"seq": 1, "at": 0, "kind": "note", "run": null, "agent": "", "text": "of no run"}',
    ],
)
async def test_a_line_without_what_its_kind_needs_is_named_when_it_is_read_not_when_it_is_used(
    tmp_path, damaged
):
    path = tmp_path / "run.jsonl"
    (await desk_run()).trace().save(path)
    number = path.read_bytes().count(b"\n") + 1
    path.write_bytes(path.read_bytes() + damaged + b"\n")
    with pytest.raises(ValueError, match=f"line {number} is not an event"):
        Trace.load(path)


async def test_a_record_keeps_separators_that_some_call_the_end_of_a_line(tmp_path, agent):
    run = Run(scripted("one\u2028two\x85three"))
    await run.dispatch(agent(), Handoff(intent="say\u2029it"))
    run.trace().save(tmp_path / "run.jsonl")
    assert Trace.load(tmp_path / "run.jsonl").events == run.events


async def test_an_empty_run_has_an_empty_trace():
    trace = Run(scripted()).trace()
    assert str(trace) == "" and trace.totals()["calls"] == 0 and trace.totals()["seconds"] == 0.0


async def test_every_event_is_either_a_line_or_left_out_on_purpose(agent):
    run = Run(scripted(529, "done"))
    await run.dispatch(agent(), Handoff(intent="x"))
    assert {event.kind for event in run.events if not line(event)} == {"request", "reply"}
    assert "trying again in" in str(run.trace())


def test_an_empty_run_is_saved_and_read_again(tmp_path):
    Trace([]).save(tmp_path / "none.jsonl")
    assert Trace.load(tmp_path / "none.jsonl").events == []


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
def test_only_its_owner_may_read_what_holds_prompts(tmp_path):
    before = os.umask(0)
    try:
        file = tmp_path / "log"
        file.touch(0o644)
        arguments = ["Qdrant", "--record", str(tmp_path / "brief"), "--save", str(file)]
        assert main(arguments) == 0
        Memory(tmp_path).write("A title", "A text.", "a source")
        Trace([]).save(tmp_path / "trace")
    finally:
        os.umask(before)
    for name in ("log", "brief", "trace", "a-title.md"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600, name
