"""Facts about the doubles: each is dispatched like any other executable, and does its one thing."""

from __future__ import annotations

import pytest

from kernel import ApiError, Handoff, Result, Run, connect
from kernel.testing import CountingClient, asks, fails, records, says, waits

TASK = Handoff(intent="Write a brief on pgvector")


async def given(executable, **options):
    return await Run(connect("offline")).dispatch(executable, TASK, **options)


async def test_each_double_ends_as_it_says():
    failed = Result(status="failed", reason="no source")
    result = await given(says(failed))
    assert (result.status, result.reason) == ("failed", "no source") and not failed.by
    assert (await given(waits(0, says("late", name="ann")))).output == "late"
    assert (await given(fails(ApiError("overloaded", type="overloaded_error")))).status == "failed"
    question = await given(asks("Publish?", name="ann"))
    assert question.status == "paused" and question.questions[0].words == "Publish?"
    assert question.questions[0].by == "ann"
    with pytest.raises(KeyError):
        await given(fails(KeyError("a bug")))


async def test_a_recorder_keeps_what_it_was_given_and_a_client_counts():
    ann = records(says("done", name="ann"))
    assert (await given(ann)).output == "done"
    assert [(handoff.intent, handoff.to_agent) for handoff in ann.handoffs] == [
        (TASK.intent, "ann")
    ]
    client = CountingClient(connect("offline"))
    body = {"model": "claude-haiku-5-5", "messages": [{"role": "user", "content": "Hello"}]}
    await Run(client).ask(**body)
    assert client.sent == 1
