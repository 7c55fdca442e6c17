"""Facts about lesson 21's bad days: each has one fault, at its place, and is the same each time."""

from __future__ import annotations

import pytest

from kernel.parts.telemetry import Spans
from workshop.material import tracing

EVERY = pytest.mark.parametrize(
    ("kind", "worker"),
    [
        (kind, worker)
        for kind in tracing.KINDS
        for worker in tracing.REQUESTS_BEFORE
        if (kind, worker) != ("empty", "researcher")
    ],
)


def signs(run):
    """What each specialist's spans show: seconds, dollars, retries, error, characters handed over."""
    handed = {
        event.agent: sum(map(len, event.handoff.artifacts.values()))
        for event in run.events
        if event.kind == "dispatch" and event.handoff.artifacts
    }
    spans = Spans().read(run).spans
    found = {}
    for span in spans:
        agent = span.attributes["gen_ai.agent.name"]
        if span.name.startswith("invoke_agent") and agent in tracing.REQUESTS_BEFORE:
            events = [event for each in spans if each.parent is span for event in each.events]
            found[agent] = {
                "slow": span.ms / 1000 > tracing.LONG_S,
                "expensive": span.attributes["workshop.usd"] > 0.001,
                "retries": [event.name for event in events].count("retry") == tracing.TRIES,
                "failed": bool(span.error),
                "empty": handed.get(agent) == 0,
            }
    return found


@EVERY
async def test_a_bad_day_has_one_fault_at_one_place(kind, worker):
    found = signs(await tracing.played(kind, worker))
    faults = [(name, agent) for agent, seen in found.items() for name in seen if seen[name]]
    assert faults == [(kind, worker)]


async def test_a_day_is_the_same_each_time():
    first, second = [await tracing.bad_day(4) for _ in range(2)]
    assert [(event.kind, event.at) for event in first.events] == [
        (event.kind, event.at) for event in second.events
    ]


async def test_the_first_dozen_days_show_every_fault():
    days = [signs(await tracing.bad_day(number)) for number in range(12)]
    kinds = {name for day in days for seen in day.values() for name in seen if seen[name]}
    assert kinds == set(tracing.KINDS)
