"""Every lesson and every solution also runs top to bottom on a real model, behind a server that nobody here wrote.

The model is small: it calls no tools, keeps to no schema and writes nonsense. So nothing is asserted about its words.
No cell may fail, unless it is tagged `raises-exception`; what did not work, the lesson says.
"""

from __future__ import annotations

import re
import subprocess
import sys

import httpx
import nbformat
import pytest
from nbclient import NotebookClient

from ..notebooks.books import ROOT, STORED
from ..notebooks.kernels import environment

CELL_TIMEOUT_S = 900
KEY = "sk-ant-not-a-real-key-0123456789"

pytestmark = pytest.mark.live


def run_through(path, environment):
    """The executed notebook; raises CellExecutionError at the first cell that fails."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=CELL_TIMEOUT_S,
        kernel_name="python3",
        resources={"metadata": {"path": str(path.parent)}},
    )
    return client.execute(env=environment)


def tokens_read(server):
    """How many tokens the model has read so far, by the server's own count."""
    counts = re.findall(
        r"^llamacpp:prompt_tokens(?:_cached)?_total (\d+)",
        httpx.get(f"{server}/metrics").text,
        re.MULTILINE,
    )
    assert len(counts) == 2
    return sum(map(int, counts))


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_notebook_survives_a_model_that_is_not_ours(path, live, server):
    before = tokens_read(server)
    done = run_through(path, live)
    assert all(cell.execution_count for cell in done.cells if cell.cell_type == "code")
    if (
        path.parent.name == "notebooks"
    ):  # the checks of an exercise stay with the offline model: they promise an outcome
        assert tokens_read(server) > before, "the lesson never asked the model"


def test_the_first_lesson_shows_the_cap_and_no_key(live):
    shown = nbformat.writes(
        run_through(ROOT / "notebooks" / "00_start_here.ipynb", {**live, "ANTHROPIC_API_KEY": KEY})
    )
    assert "a key is set; hard cap $0.50" in shown and KEY not in shown


def test_a_run_is_recorded_and_replayed_without_the_server(live, tmp_path):
    """What this model did, whatever it is: `--record` keeps it, and a replay is the same."""
    file = str(tmp_path / "brief.journal")
    kernel = [sys.executable, "-m", "kernel"]
    kept = subprocess.run([*kernel, "pgvector", "--live", "--record", file], env=live, cwd=ROOT)
    bare = environment()
    again = subprocess.run([*kernel, "replay", file], env=bare, cwd=ROOT, capture_output=True)
    assert kept.returncode == again.returncode in (0, 1), again.stderr
    assert b"answered by smollm2-135m, by a server on the machine" in again.stdout
