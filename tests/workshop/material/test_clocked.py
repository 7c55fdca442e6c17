"""A clock that nobody waits for: the same seconds on every machine."""

from __future__ import annotations

import asyncio

from kernel import Budget, Handoff, specialists
from workshop.material.clocked import Clock, clocked_run

FACTS = Handoff(intent="Find facts about Qdrant")


def test_who_sleeps_at_once_wakes_at_once_and_in_order():
    clock = Clock()
    woke = []

    async def sleeper(name, *seconds):
        for each in seconds:
            await clock.sleep(each)
            woke.append((name, clock.now))

    async def all_at_once():
        await asyncio.gather(sleeper("a", 1, 1), sleeper("b", 2), sleeper("c", 0.5, 3))

    asyncio.run(all_at_once())
    assert woke == [("c", 0.5), ("a", 1.0), ("a", 2.0), ("b", 2.0), ("c", 3.5)]


def test_a_reply_takes_a_second_and_replies_side_by_side_take_one_together():
    researcher, *_ = specialists()
    other = Handoff(intent="Find facts about Milvus")

    async def took(*handoffs):
        run = clocked_run()
        await run.fan_out([(researcher, handoff) for handoff in handoffs])
        return run.spent.calls, run.trace().totals()["seconds"]

    assert asyncio.run(took(FACTS)) == (2, 2.0)
    assert asyncio.run(took(FACTS, other)) == (4, 2.0)


def test_a_clocked_run_has_a_budget():
    assert clocked_run().budget.calls == 200
    run = clocked_run(Budget(calls=1))
    result = asyncio.run(run.dispatch(specialists()[0], FACTS))
    assert result.status == "exhausted"
