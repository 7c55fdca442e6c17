"""The edition that runs in a tab: built, served on loopback, opened in Chromium without a network."""

from __future__ import annotations

import json
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import nbformat
import pytest

from .lab import ROOT, browser_path

pytest.importorskip(
    "jupyterlite_pyodide_kernel",
    reason="the browser edition's packages: see workshop/site/browser-requirements.txt",
)
pytestmark = pytest.mark.exhaustive
FIND = "const panel=[...app.shell.widgets('main')].find(it=>it.context&&it.context.path===path);"
READY = f"path => {{const app=window.jupyterapp; if(!app) return false; {FIND} return panel?.sessionContext?.session?.kernel?.status==='idle'}}"
RUN = f"""([path, answers]) => {{const app=window.jupyterapp; {FIND}
for (const cell of panel.content.widgets) if (cell.model.id in answers)
    cell.model.sharedModel.setSource(answers[cell.model.id]);
app.shell.activateById(panel.id); app.commands.execute('notebook:run-all-cells')}}"""
CELLS = f"path => {{const app=window.jupyterapp; {FIND} return panel.content.model.sharedModel.toJSON().cells.filter(it=>it.cell_type==='code')}}"
DONE = f"path => {{const app=window.jupyterapp; {FIND} const cells=panel.content.model.sharedModel.toJSON().cells.filter(it=>it.cell_type==='code'&&it.source.length); return cells.every(it=>it.execution_count)||cells.some(it=>it.outputs.some(out=>out.output_type==='error'))}}"
START_S = 180
LESSONS = sorted(path.name for path in (ROOT / "notebooks").glob("0[0-7]_*.ipynb"))
WITHOUT_THREADS = {"threads-by-hand"}
"""Cells that a tab cannot run, and that say so."""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *parts):
        """Says nothing."""


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    from workshop.site import browser

    out = tmp_path_factory.mktemp("edition")
    browser.build(out, tmp_path_factory.mktemp("cache"))
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(out)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/{browser.FOLDER}"
    server.shutdown()


@pytest.fixture(scope="module")
def context():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=browser_path(), args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        context = chromium.new_context(viewport={"width": 1280, "height": 900})
        context.set_default_timeout(START_S * 1000)
        context.left = []
        context.route("**/*", lambda route: _loopback_only(route, context.left))
        yield context
        chromium.close()


def _loopback_only(route, left):
    if route.request.url.startswith(("http://127.0.0.1", "data:", "blob:")):
        route.continue_()
    else:
        left.append(route.request.url)
        route.abort()


def run(context, address, path, answers=()):
    """The code cells of a notebook after Run All, by id."""
    page = context.new_page()
    page.goto(f"{address}/lab/index.html?path={path}")
    page.wait_for_function(READY, arg=path)
    page.evaluate(RUN, [path, dict(answers)])
    page.wait_for_function(DONE, arg=path)
    cells = {cell["id"]: cell for cell in page.evaluate(CELLS, path)}
    page.evaluate("() => window.jupyterapp.serviceManager.sessions.shutdownAll()")
    page.close()
    assert context.left == [], "a request left the machine"
    return cells


def errors(cells):
    return {
        name: output["evalue"]
        for name, cell in cells.items()
        for output in cell["outputs"]
        if output["output_type"] == "error"
    }


def shown(cell):
    return json.dumps(cell["outputs"], ensure_ascii=False)


def solutions(name):
    notebook = nbformat.read(ROOT / "solutions" / name, as_version=4)
    return {
        cell.id: cell.source
        for cell in notebook.cells
        if cell.metadata.get("workshop", {}).get("role") == "answer"
    }


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_runs_to_its_end_in_a_tab(context, address, name):
    cells = run(context, address, f"notebooks/{name}")
    assert set(errors(cells)) <= WITHOUT_THREADS, errors(cells)


def test_an_exercise_fails_then_passes_and_progress_stays(context, address):
    name = "01_agent_loop.ipynb"
    path, right = f"exercises/{name}", solutions(name)
    endless = "def answer(client, question, tools, functions):\n    while True: pass"
    cells = run(context, address, path, {"answer-01-1": endless})
    assert "timed out" in shown(cells["check-01-1"])
    cells = run(context, address, path, right)
    assert errors(cells) == {} and "3 of 3 exercises passed" in shown(cells["progress"])
    cells = run(context, address, path)  # another page: a new kernel, with stubs
    assert "3 of 3 exercises passed" in shown(cells["progress"])


def test_the_pinned_wheels_have_a_hash_each():
    lines = (Path(ROOT) / "workshop/site/wheels.txt").read_text(encoding="utf-8").splitlines()
    assert len(lines) > 30 and all("==" in line and "--hash=sha256:" in line for line in lines)
