"""The main job on whatever model is configured (`WORKSHOP_WORKER_MODEL`, `ANTHROPIC_BASE_URL`), else on the small one
of these tests: what must hold for every model."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from kernel import Corpus, Trace
from kernel.core.team import sourced_facts
from kernel.parts.journal.recording import BUDGET
from kernel.plumbing.search import Hit, as_text

from ..notebooks.books import ROOT
from ..notebooks.kernels import environment

pytestmark = pytest.mark.live


@pytest.fixture
def configured(request):
    """An environment with the model that somebody chose, or with the small one."""
    if os.environ.get("WORKSHOP_WORKER_MODEL"):
        return environment(**os.environ)
    return request.getfixturevalue("live")


@pytest.mark.parametrize("supervisor", ["deterministic", "llm"])
def test_status_sources_limits_and_bill_are_true(configured, tmp_path, supervisor):
    log = tmp_path / "run.jsonl"
    words = ["pgvector", "--live", "--save", str(log), "--supervisor", supervisor]
    done = subprocess.run(
        [sys.executable, "-m", "kernel", *words],
        env=configured,
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
    )
    trace = Trace.load(log)
    whole, *stages = trace.work.dispatches
    assert done.returncode == (0 if whole.status == "ok" else 1), done.stderr
    assert whole.status == "ok" or f"status: {whole.status}" in done.stdout

    documents = Corpus().documents.values()
    library = as_text([Hit(document, "", 0) for document in documents])
    for work in stages:
        if work.agent == "researcher" and work.status == "ok":
            assert not sourced_facts(work.result.as_text(), [library]).faults
    totals = trace.totals()
    replies = [request.reply for request in trace.work.requests if request.reply]
    assert len(replies) == totals["calls"] == whole.spent.calls <= BUDGET.calls
    assert sum(reply.usage.total_input for reply in replies) == totals["input_tokens"]
    assert sum(reply.usage.output_tokens for reply in replies) == totals["output_tokens"]
    assert f"{totals['calls']} calls" in done.stdout or totals["calls"] == 1
