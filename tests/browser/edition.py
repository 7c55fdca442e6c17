"""The edition that runs in a tab: built once, served on loopback in a subfolder, opened in Chromium without a network.

with Tabs(playwright) as tabs:
    tab = tabs.follow(f"{address}/notebooks/00_start_here.html")  # a page to read, and its link
    tab.run_all()
    tab.cells, tab.errors, tab.console
"""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat

from classroom.site.serving import server_of

from .lab import ROOT, browser_path

START_S = 180
FOLDER = "somebody/workshop"
"""A fork's pages are in a subfolder of a host."""
CACHE = "WORKSHOP_SITE_CACHE"
"""Names a folder that keeps what the build fetches; else it is fetched anew."""
LINK = "run it in this browser"
DOOR = "Run it here"
"""The link of the front page into the first lesson."""
CUT = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
"""No name of a host is found, whoever asks: pages, workers and the browser itself."""
FIND = "const panel=[...window.jupyterapp.shell.widgets('main')].find(it=>it.context&&it.context.path===path);"
CODE = "panel.content.model.sharedModel.toJSON().cells.filter(it=>it.cell_type==='code')"
READY = f"path => {{if(!window.jupyterapp) return false; {FIND} return panel?.sessionContext?.session?.kernel?.status==='idle'}}"
OPEN = f"path => {{if(!window.jupyterapp) return false; {FIND} return panel?.context.isReady && {CODE}.length>0}}"
CLEAR = f"path => {{{FIND} window.jupyterapp.shell.activateById(panel.id); return window.jupyterapp.commands.execute('notebook:clear-all-cell-outputs')}}"
RUN = f"""([path, answers]) => {{{FIND}
for (const cell of panel.content.widgets) {{
    if (cell.model.id in answers) cell.model.sharedModel.setSource(answers[cell.model.id]);
    if (cell.model.type==='code') cell.model.executionCount=null;
}}
window.jupyterapp.shell.activateById(panel.id); window.jupyterapp.commands.execute('notebook:run-all-cells')}}"""
CELLS = f"path => {{{FIND} return {CODE}}}"
DONE = f"path => {{{FIND} const cells={CODE}.filter(it=>it.source.length); return cells.every(it=>it.execution_count)||cells.some(it=>it.outputs.some(out=>out.output_type==='error'))}}"
EXPECTED = ("ResizeObserver loop", "/favicon.ico", "/api/contents/", "/api/resolvePath")
"""Console messages that say nothing about us: JupyterLite asks the site for the listing of a folder that the browser keeps, and
JupyterLab for the files of a traceback."""


def built(folder: Path) -> tuple[float, float]:
    """Builds both sites in `folder / FOLDER`; returns the megabytes of the tab's one, plain and compressed."""
    from classroom.site import browser, command
    from classroom.site.frame import Frame

    out = folder / FOLDER
    command.build(out, Frame(browser=True))
    cache = kept(folder)
    cache.mkdir(parents=True, exist_ok=True)
    return browser.build(out, cache)


def kept(folder: Path) -> Path:
    """The folder of what a build fetches."""
    return Path(os.environ.get(CACHE) or folder / "cache")


def first_brief(folder: Path, sources: list[str]) -> dict[str, Any]:
    """Runs cells in the built edition's Python, in node; the CPU seconds of each phase, and whether a brief is shown."""
    cells = folder / "cells.json"
    cells.write_text(json.dumps(sources), encoding="utf-8")
    command = ["node", str(Path(__file__).with_name("first_brief.mjs"))]
    parts = [kept(folder) / "runtime" / "package", folder / FOLDER / "try", cells]
    done = subprocess.run([*command, *map(str, parts)], capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


@contextmanager
def served(folder: Path) -> Any:
    """Serves a folder on loopback; gives the address of the site in its subfolder."""
    server = server_of(folder, 0)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/{FOLDER}"
    finally:
        server.shutdown()
        server.server_close()


class Tabs:
    """A browser with an empty profile, which reaches this machine only."""

    def __init__(
        self, playwright: Any, *, width: int = 1280, height: int = 900, theme: str = "light"
    ) -> None:
        self._playwright = playwright
        self._how = {"viewport": {"width": width, "height": height}, "color_scheme": theme}
        self.left: list[str] = []
        """Requests that would have left the machine."""

    def __enter__(self) -> Tabs:
        self._chromium = self._playwright.chromium.launch(
            executable_path=browser_path(), args=["--no-sandbox", "--disable-dev-shm-usage", CUT]
        )
        self.context = self._chromium.new_context(**self._how)
        self.context.set_default_timeout(START_S * 1000)
        self.context.route("**/*", self._loopback_only)
        return self

    def __exit__(self, *problem: object) -> None:
        self._chromium.close()

    def _loopback_only(self, route: Any) -> None:
        if route.request.url.startswith(("http://127.0.0.1", "data:", "blob:")):
            route.continue_()
        else:
            self.left.append(route.request.url)
            route.abort()

    def follow(self, page: str, link: str = LINK) -> Tab:
        """Opens a page to read and follows its link into the edition that runs."""
        return Tab(self, page, link)


class Tab:
    """One notebook that was opened by the link of its page. `console`: what the browser complained about."""

    def __init__(self, tabs: Tabs, page: str, link: str) -> None:
        self.console: list[str] = []
        self.sent: dict[str, int] = {}
        """The bytes of each address that was asked for, as they lie on the disk."""
        self.page = tabs.context.new_page()
        self.page.on("response", self._sent)
        self.page.on(
            "console",
            lambda message: self._heard(
                message.type, f"{message.text} {message.location.get('url', '')}"
            ),
        )
        self.page.on("pageerror", lambda error: self._heard("error", str(error)))
        self.page.goto(page)
        door = self.page.get_by_role("link", name=link)
        self.path = door.get_attribute("href").partition("?path=")[2]
        self.began = time.monotonic()
        door.click()
        self.page.wait_for_function(OPEN, arg=self.path)

    def __enter__(self) -> Tab:
        return self

    def __exit__(self, *problem: object) -> None:
        self.page.close()  # its kernels end with it

    def _heard(self, kind: str, text: str) -> None:
        if kind == "error" and not any(part in text for part in EXPECTED):
            self.console.append(text)

    def _sent(self, response: Any) -> None:
        size = response.headers.get("content-length")
        self.sent[response.url] = int(size or 0)

    def run_all(self, answers: dict[str, str] | None = None) -> None:
        """Run All Cells, to the end or to an error; answers: new code for some cells, by id."""
        self.begin(answers)
        self.page.wait_for_function(DONE, arg=self.path, timeout=5 * START_S * 1000)

    def begin(self, answers: dict[str, str] | None = None) -> None:
        """Run All Cells, without waiting for the end."""
        self.page.wait_for_function(READY, arg=self.path)
        self.page.evaluate(CLEAR, self.path)
        self.page.evaluate(RUN, [self.path, answers or {}])

    def wait_for_text(self, cell: str, text: str) -> float:
        """Waits until a cell shows a text; returns the seconds since the link was clicked."""
        shows = f"([path, id, text]) => {{{FIND} return JSON.stringify({CODE}.find(it=>it.id===id).outputs).includes(text)}}"
        self.page.wait_for_function(shows, arg=[self.path, cell, text])
        return time.monotonic() - self.began

    @property
    def cells(self) -> dict[str, dict[str, Any]]:
        """The code cells by id."""
        return {cell["id"]: cell for cell in self.page.evaluate(CELLS, self.path)}

    @property
    def errors(self) -> dict[str, str]:
        """What cells raised, by id."""
        return {
            name: "\n".join(output.get("traceback") or [output["evalue"]])
            for name, cell in self.cells.items()
            for output in cell["outputs"]
            if output["output_type"] == "error"
        }


def shown(cell: dict[str, Any]) -> str:
    """All that a cell shows, as JSON."""
    return json.dumps(cell["outputs"], ensure_ascii=False)


def printed(cell: Any) -> str:
    """What a cell printed."""
    streams = [out["text"] for out in cell["outputs"] if out["output_type"] == "stream"]
    return "".join(text if isinstance(text, str) else "".join(text) for text in streams)


def solutions(name: str) -> dict[str, str]:
    """Our answers to an exercise notebook, by the id of their cells."""
    notebook = nbformat.read(ROOT / "solutions" / name, as_version=4)
    return {
        cell.id: cell.source
        for cell in notebook.cells
        if cell.metadata.get("workshop", {}).get("role") == "answer"
    }


def outcomes(cells: dict[str, dict[str, Any]]) -> dict[str, str]:
    """What the checks of an exercise notebook found, by the id of their cells: passed, wrong, …"""
    found = {}
    for name, cell in cells.items():
        if name.startswith("check-"):
            texts = [output.get("data", {}).get("text/plain", "") for output in cell["outputs"]]
            headline = "".join("".join(text) for text in texts).partition("\n")[0]
            found[name] = headline.rpartition(": ")[2]
    return found
