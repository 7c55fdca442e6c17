"""Facts about the line under a cell that spent something on a real model."""

from __future__ import annotations

import os

import nbformat
import pytest
from nbclient import NotebookClient

from offline_model import OfflineAPI, Server
from tests.places import ROOT

ASK = """\
from kernel import Run, connect, models, spending
import workshop
message = {"role": "user", "content": "Hello"}
reply = await Run(connect()).ask(model=models.worker, max_tokens=300, messages=[message])"""
IN_A_THREAD = """\
import asyncio, threading
async def ask():
    await Run(connect()).ask(model=models.worker, max_tokens=300, messages=[message])
thread = threading.Thread(target=lambda: asyncio.run(ask()))
thread.start()
thread.join()"""


def shown(environment, *cells):
    """What each cell prints in a new kernel."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    client = NotebookClient(notebook, timeout=120, kernel_name="python3")
    client.execute(cwd=str(ROOT), env=environment)
    return ["".join(output.get("text", "") for output in cell.outputs) for cell in notebook.cells]


@pytest.fixture
def environment(monkeypatch, no_settings):
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def test_a_live_cell_says_what_it_cost_and_what_the_notebook_has_spent(environment):
    with Server(OfflineAPI()) as url:
        live = {
            **environment,
            "WORKSHOP_MODEL": "live",
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "sk-ant-very-secret",
        }
        first, nothing, thread, total = shown(
            live, ASK, "1 + 1;", IN_A_THREAD, "print(spending.spent().calls)"
        )
    assert first.startswith("Real model: $0.00") and "for 1 call in this cell" in first
    assert "of $0.50 in this notebook. A restarted kernel counts from 0 again." in first
    assert nothing == "" and total == "2\n"
    assert "for 1 call in this cell" in thread and "restarted" not in thread


def test_offline_there_is_no_line(environment):
    assert shown(environment, ASK, IN_A_THREAD) == ["", ""]


def test_a_limit_that_is_no_amount_breaks_no_offline_cell(environment):
    odd = {**environment, "WORKSHOP_MAX_USD": "abc"}
    view = "from workshop.views.budget import BudgetGauges\nprint(BudgetGauges(Run(connect())).text()[:7])"
    assert shown(odd, ASK, view) == ["", "Budget:\n"]
