"""Facts about the fold: one tree from any part of a stream, live or at once, with the ledger's figures."""

from __future__ import annotations

import asyncio
from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from kernel import (
    Budget,
    Corpus,
    Handoff,
    LLMSupervisor,
    Run,
    Trace,
    connect,
    researcher,
    reviewer,
    writer,
)
from kernel.core.budget import NOTHING
from kernel.parts.guards import Retry
from kernel.plumbing.trace import line
from kernel.plumbing.work import Fold, ModelCall, ToolCall
from tests.scripted import Worker, no_sleep, scripted

TASK = Handoff(intent="Write a brief on pgvector")
CALLS = st.one_of(st.none(), st.integers(1, 9))


@cache
def worked(calls=None):
    """The run of a team that a budget may stop."""
    run = Run(connect("offline"), budget=Budget(calls=calls))
    team = (researcher(Corpus()), writer(), Retry(reviewer(), sleep=no_sleep))
    asyncio.run(run.dispatch(LLMSupervisor(team), TASK))
    return run


def shape(work):
    """A piece of work and all below it, as values."""
    children = [shape(child) for child in work.children]
    remarks = [(each.form, each.moment, each.text) for each in work.remarks]
    place = (type(work), work.agent, work.run, work.begun)
    return place, work.begin, work.end, work.status, work.spent, remarks, children


@given(CALLS)
def test_every_piece_ends_within_the_one_that_caused_it_and_costs_add_up(calls):
    run = worked(calls)
    fold = Fold(run.events)
    below = [*fold.root.below]
    kinds = [event.kind for event in run.events]
    for kind, pieces in (
        ("dispatch", fold.dispatches),
        ("request", fold.requests),
        ("tool_call", fold.tool_calls),
    ):
        assert len(pieces) == kinds.count(kind)
        assert [work for work in below if work in pieces] == sorted(pieces, key=below.index)
    assert fold.root.spent == run.spent
    for work in below:
        assert work.begun and work.status
        assert work.begin <= work.end and work.parent.begin <= work.begin
        assert work.parent is fold.root or work.end <= work.parent.end
        own = sum((child.spent for child in work.children), NOTHING)
        assert own == work.spent or isinstance(work, ModelCall)


@given(CALLS, st.data())
def test_a_fold_that_reads_on_is_the_fold_of_all_and_a_part_is_read_too(calls, data):
    events = worked(calls).events
    cut = data.draw(st.integers(0, len(events)))
    live = Fold(events[:cut])
    if data.draw(st.booleans()):
        live.catch_up(events)
    else:
        for event in events[cut:]:
            live.read(event)
    assert shape(live.root) == shape(Fold(events).root)
    part = Trace(events[cut:])
    assert str(part) == "\n".join(filter(None, map(line, events[cut:])))
    replies = [event for event in events[cut:] if event.kind == "reply"]
    assert part.totals()["usd"] == sum(event.spent.usd for event in replies)
    assert all(work.begun for work in part.work.root.below) or cut


def test_a_handoff_by_a_tool_is_below_its_call_and_a_wrapper_that_passed_it_on_is_no_stop():
    fold = Fold(worked().events)
    supervisor, *others = fold.handoffs
    assert supervisor.caller is supervisor.parent is fold.root
    for work in others:
        assert isinstance(work.parent, ToolCall) or work.parent.passed_on
        assert work.handoff.to_agent == work.agent and work.result.ok
    assert "Retry" in {work.wrapper for work in fold.dispatches}


async def test_a_wrapper_that_was_refused_is_a_handoff_of_its_own():
    run = Run(scripted())
    worker = Retry(Worker("ann"), sleep=no_sleep)
    for _ in range(2):
        await run.dispatch(worker, TASK)
    done, refused = run.trace().work.handoffs
    assert not done.wrapper and done.parent.passed_on
    assert refused.wrapper == "Retry" and refused.status == "refused"
