"""Facts about the picture of spans: rows below their causes, money, errors, events, odd sources."""

from __future__ import annotations

import asyncio
from xml.etree import ElementTree

import pytest

from kernel import Budget, Handoff, LLMSupervisor, Run, connect, specialists
from kernel.parts.telemetry import Spans
from tests.scripted import Worker, scripted
from workshop.material import tracing
from workshop.views import SpanTree
from workshop.views.spans import MOST

TASK = Handoff(intent="Write a brief on pgvector")


@pytest.fixture(scope="module")
def fired():
    run = Run(connect("offline"))
    asyncio.run(run.dispatch(LLMSupervisor(specialists()), TASK))
    return run


def test_every_span_has_a_row_below_the_one_that_caused_it(fired):
    tree = SpanTree(fired)
    rows = tree.rows()
    assert len(rows) == len(tree.spans) == 17
    for number, row in enumerate(rows):
        assert row.parent is None or row.parent in rows[:number]
    assert [row.depth for row in rows[:4]] == [0, 1, 1, 2]


def test_the_finding_names_the_bill_and_who_has_most_of_it(fired):
    used = fired.trace().by_agent()["supervisor"]["usd"]
    finding = SpanTree(fired).finding()
    assert f"${fired.spent.usd:.4f}" in finding and f"${used:.4f} for the supervisor" in finding


def test_a_picture_names_no_model_and_is_whole_in_both_times(fired):
    for time in ("steps", "seconds"):
        tree = SpanTree(fired, time=time)
        ElementTree.fromstring(tree.svg())
        assert "claude-" not in tree.svg() + tree.text() and "worker model" in tree.text()
        assert "<img alt=" in tree._repr_mimebundle_()["text/html"]
    with pytest.raises(ValueError, match='expected "steps" or "seconds"'):
        SpanTree(fired, time="days")


async def test_the_twin_counts_what_the_picture_counts():
    late = await tracing.played("slow", "writer")
    lanes = {}
    for time in ("steps", "seconds"):
        [row] = [
            row for row in SpanTree(late, time=time).text().splitlines() if "agent writer" in row
        ]
        lanes[time] = row.count("░")
    assert "seconds 0 to 43.2" in SpanTree(late, time="seconds").text()
    assert lanes["seconds"] > 30 > 10 > lanes["steps"], "of 34 columns"


async def test_errors_and_events_are_in_the_picture_and_in_its_twin():
    def work(handoff, run):
        run.note("a round", about="gate")
        raise ConnectionError("no")

    run = Run(scripted(), budget=Budget(calls=0))
    await run.fan_out([(Worker("ann", work), TASK)])
    tree = SpanTree(run)
    assert "1 span with an error" in tree.finding() and "◆" in tree.svg()
    assert "failed  ◆ gate" in tree.text()


async def test_an_unknown_price_is_no_sum(agent):
    run = Run(scripted("done", strict=False))
    await run.dispatch(agent(model="my-own-model"), TASK)
    assert "$" not in SpanTree(run).text()


async def test_what_has_no_row_is_counted():
    run = Run(scripted())
    await run.fan_out((Worker(f"w{n}"), TASK) for n in range(MOST + 5))
    tree = SpanTree(run)
    assert "+ 5 more spans" in tree.svg() and "+ 5 more spans" in tree.text()


def test_spans_of_other_programs_and_none_at_all_are_drawn(fired):
    spans = Spans().read(fired).spans
    assert SpanTree([]).finding() == "No span yet." and "No span" in SpanTree([]).svg()
    part = spans[3:6]  # whose causes were not received
    assert len(SpanTree(part).rows()) == 3
    for span in spans:
        span.attributes = {}
    ElementTree.fromstring(SpanTree(spans, time="seconds").svg())
    SpanTree(spans).text()
