"""Facts about `doctor --live`: the table is what the model did, and a model that does not answer ends it."""

from __future__ import annotations

import json

from kernel import models
from tests.scripted import call, requests_of, scripted
from workshop.launcher import live

OSLO, LIMA = call("weather", city="Oslo"), call("weather", city=" lima")
SILENT = {"content": []}
VERDICT = json.dumps({"verdict": "REVISE", "issues": ["no source"]})


async def answers(*replies, model=models.worker):
    client = scripted(*replies)
    client.transport.api.pace_ms = 20
    shown = []
    await live.tried(client, model, shown.append)
    return [outcome.answer for outcome in shown], requests_of(client), shown


async def test_a_model_that_can_do_all_and_one_that_can_do_nothing():
    able, requests, shown = await answers("Paris.", [OSLO], [OSLO, LIMA], VERDICT, "One, two.")
    assert able == ["yes"] * len(live.PROBES)
    assert [request["model"] for request in requests] == [models.worker] * len(live.PROBES)
    assert all(outcome.tokens for outcome in shown)
    unable, _, _ = await answers("Rome.", "It is sunny.", [OSLO], '{"verdict": "REVISE"', SILENT)
    assert unable == ["no"] * len(live.PROBES)


async def test_a_model_that_does_not_answer_is_asked_once():
    found, requests, _ = await answers(model="a-model")
    assert len(found) == len(requests) == 1 and "model: a-model" in found[0]


def test_a_model_that_nobody_named_is_not_asked(monkeypatch, capsys):
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.delenv("WORKSHOP_WORKER_MODEL", raising=False)
    assert live.main() == 2
    assert "WORKSHOP_WORKER_MODEL" in capsys.readouterr().err
