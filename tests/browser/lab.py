"""A real JupyterLab in a real browser: starts it, opens notebooks, runs them, reads what a person would see.

    with Lab(clone, playwright) as lab, lab.open("my-work/notebooks/00_start_here.ipynb") as notebook:
        notebook.run_all()
        notebook.cell(2).get_by_role("button", name="Run", exact=True).click()
        assert not notebook.errors

Needs Playwright and a Chromium (Debian's, or the one that BROWSER_PATH names). Tests share one Lab
(`conftest.py`): each gets a folder of its own in it. No sleeps: everything waits for what a person
would wait for.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote
from urllib.request import Request, urlopen

ROOT = Path(__file__).resolve().parent.parent.parent
ARTEFACTS = ROOT / "artefacts"
ADDRESS = re.compile(r"(http://(?:localhost|127\.0\.0\.1):\d+)/\S*?token=(\w+)")
START_S, RUN_S = 60, 60
TRIES = 6
WATCH_PROMPT = r"""cell => {
    const stored = cell.querySelector('.jp-OutputPrompt');
    let begun = false;
    cell.hasRun = false;
    const look = () => {
        const number = it => /\[\d+\]/.test(it?.textContent);
        if (cell.querySelector('.jp-InputPlaceholder')) {
            const shown = cell.querySelector('.jp-OutputPrompt');
            cell.hasRun = shown !== stored && number(shown);
            return;
        }
        const prompt = cell.querySelector('.jp-InputPrompt');
        begun = begun || prompt.textContent.includes('*');
        cell.hasRun = begun && number(prompt);
    };
    new MutationObserver(look).observe(cell, {childList: true, characterData: true, subtree: true});
}"""
"""Marks a cell as run once its prompt was a star and is a number again; a folded cell has none, and counts as run once it has a new
output."""
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
TEST_SETTINGS = {
    "@jupyterlab/docmanager-extension/plugin": {
        "autosave": False
    },  # a test leaves its notebooks as they were
}
EXPECTED = ("ResizeObserver loop", "@jupyterlite/services")
"""Console messages that say nothing about us: the second one comes where the packages are installed that build the edition for a
tab, which bring an extension that JupyterLab itself cannot load."""


def browser_path() -> str | None:
    """The Chromium to drive; None for the one that Playwright brings."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return os.environ.get("BROWSER_PATH") or next(filter(None, map(shutil.which, names)), None)


class Lab:
    """JupyterLab as the launcher starts it for a newcomer in a clone; `with` starts and ends it.

    clone: a copy of the repository that the tests may write to. playwright: drives the browser.
    Raises RuntimeError, with what the server wrote, when it does not start.
    """

    def __init__(self, clone: Path, playwright: Any) -> None:
        self._playwright = playwright
        self.folder = Path(clone).resolve()
        foreign = ("ANTHROPIC_", "WORKSHOP_", "JUPYTER")
        given = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
        self._environ = {**given, "PYTHONPATH": str(self.folder), "WORKSHOP_NO_VENV": "1"}
        self.written: list[str] = []

    def __enter__(self) -> Lab:
        self._set(TEST_SETTINGS)
        self._server = subprocess.Popen(
            [sys.executable, "-m", "workshop", "lab", "--no-browser", "--port", "0"],
            cwd=self.folder,
            env=self._environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=os.name != "nt",
        )
        try:
            self.address, self._token = self._wait_for_address()
            self._browser = self._playwright.chromium.launch(
                executable_path=browser_path(), args=["--no-sandbox", "--disable-dev-shm-usage"]
            )
        except BaseException:
            self._end_server()
            raise
        return self

    def __exit__(self, *exc_info: object) -> None:
        try:
            self._browser.close()
        finally:
            self._end_server()

    def open(
        self,
        name: str,
        *,
        theme: str = "light",
        width: int = 1280,
        height: int = 1600,
        zoom: float = 1.0,
    ) -> Notebook:
        """A notebook of the folder in a fresh browser, its kernel ready."""
        self._set({"@jupyterlab/apputils-extension/themes": {"theme": THEMES[theme]}})
        context = self._browser.new_context(
            viewport={"width": round(width / zoom), "height": round(height / zoom)},
            device_scale_factor=zoom,
        )
        notebook = Notebook(context.new_page())
        notebook.page.goto(self.url(name))
        notebook.wait_until_ready()
        return notebook

    def page(self, path: Path, *, theme: str = "light", width: int = 1280) -> Any:
        """A page from a file, without a network, in a browser of its own."""
        context = self._browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=theme, offline=True
        )
        page = context.new_page()
        page.goto(path.resolve().as_uri())
        return page

    def url(self, name: str) -> str:
        """Where a file of the folder opens by itself."""
        return f"{self.address}/lab/tree/{quote(name)}?token={self._token}&reset"

    def end_kernels(self) -> None:
        """What happens overnight: notebooks stay, their kernels do not."""
        for session in json.loads(self._ask("GET", "/api/sessions")):
            self._ask("DELETE", f"/api/sessions/{session['id']}")

    def _ask(self, method: str, path: str) -> bytes:
        request = Request(f"{self.address}{path}?token={self._token}", method=method)
        with urlopen(request, timeout=START_S) as reply:
            return reply.read()

    def _set(self, settings: Mapping[str, Any]) -> None:
        for name, values in settings.items():
            file = self.folder / ".jupyter" / "settings" / f"{name}.jupyterlab-settings"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(values), encoding="utf-8")

    def _wait_for_address(self) -> tuple[str, str]:
        found: list[tuple[str, str]] = []
        seen = threading.Event()

        def read() -> None:  # to the end: a pipe that nobody empties stops the server
            for line in self._server.stdout:
                self.written.append(line)
                if not found and (address := ADDRESS.search(line)):
                    found.append((address[1], address[2]))
                    seen.set()
            seen.set()

        threading.Thread(target=read, daemon=True).start()
        seen.wait(START_S)
        if not found:
            raise RuntimeError(
                f"JupyterLab printed no address within {START_S} s: {''.join(self.written)[-2000:]}"
            )
        return found[0]

    def _end_server(self) -> None:
        """Ends the server, and with it its kernels."""
        if os.name == "nt":
            self._server.terminate()
        else:
            os.killpg(
                self._server.pid, signal.SIGTERM
            )  # its own session, started above: the server and what it started
        try:
            self._server.wait(20)
        except subprocess.TimeoutExpired:
            self._server.kill()
            self._server.wait()


class Notebook:
    """One open notebook. `page` is Playwright's; `errors` is what the browser's console complained about."""

    def __init__(self, page: Any) -> None:
        self.page, self.errors = page, []
        page.set_default_timeout(RUN_S * 1000)
        page.on("console", lambda message: self._heard(message.type, message.text))
        page.on("pageerror", lambda error: self._heard("error", str(error)))

    def __enter__(self) -> Notebook:
        return self

    def __exit__(self, kind: type[BaseException] | None, *exc_info: object) -> None:
        if kind is not None:
            self.screenshot("last-failure")
        self.page.context.close()

    def _heard(self, kind: str, text: str) -> None:
        if kind == "error" and not any(phrase in text for phrase in EXPECTED):
            self.errors.append(text)

    # ── waiting ────────────────────────────────────────────────────────────────────────────────────────

    def wait_until_ready(self) -> None:
        """Until the kernel is idle: the status bar says so later than the toolbar, and is right."""
        self.page.locator("#jp-main-statusbar").get_by_text("| Idle").wait_for()
        self.page.locator(".jp-Notebook .jp-CodeCell").first.wait_for()

    def wait_until_run(self, *, cells: int | None = None) -> None:
        """Until the first `cells` code cells (all, if not given) have a number and none of them runs.

        The number of a folded cell is that of its output; one without any shows nothing to wait for.
        """
        self.page.wait_for_function(
            """cells => {
                const prompts = [...document.querySelectorAll('.jp-Notebook .jp-CodeCell')]
                    .filter(it => it.querySelector('.cm-content')?.textContent.trim() !== '')
                    .slice(0, cells ?? undefined)
                    .filter(it => it.querySelector('.cm-content') || it.querySelector('.jp-OutputPrompt'))
                    .map(it => it.querySelector(it.querySelector('.cm-content') ? '.jp-InputPrompt' : '.jp-OutputPrompt'));
                return prompts.length && prompts.every(it => /\\[\\d+\\]/.test(it?.textContent));
            }""",
            arg=cells,
        )

    # ── doing ──────────────────────────────────────────────────────────────────────────────────────────

    def command(self, menu: str, entry: str) -> None:
        """Chooses an entry of the menu bar, as `command("Run", "Run All Cells")`."""
        self.page.locator(".lm-MenuBar").get_by_text(menu, exact=True).click()
        self.page.locator(".lm-Menu").get_by_text(entry, exact=True).click()

    def run_all(self, *, wait: bool = True) -> None:
        """Run All Cells. Without `wait` it returns when the first cell has begun: for a notebook that asks a person."""
        self.command("Run", "Run All Cells")
        self._wait_until_begun()
        if wait:
            self.wait_until_run()

    def restart_and_run_all(self, *, wait: bool = True) -> None:
        """A new kernel, then Run All Cells."""
        self.command("Kernel", "Restart Kernel and Run All Cells…")
        self.page.locator(".jp-Dialog").locator("button.jp-mod-accept").click()
        self.page.locator(".jp-Dialog").wait_for(state="detached")
        self._wait_until_begun(afresh=True)
        if wait:
            self.wait_until_run()

    def _wait_until_begun(self, *, afresh: bool = False) -> None:
        self.page.locator(".jp-InputPrompt").get_by_text(
            re.compile(r"\[\*\]" if afresh else r"\[(\*|\d+)\]")
        ).first.wait_for()

    def restart(self) -> None:
        """A new kernel, nothing run."""
        self.command("Kernel", "Restart Kernel…")
        self.page.locator(".jp-Dialog").locator("button.jp-mod-accept").click()
        self.page.locator(".jp-Dialog").wait_for(state="detached")
        self.wait_until_ready()

    def save(self) -> None:
        """Ctrl+S, until the file is written."""
        with self.page.expect_response(
            lambda response: response.request.method == "PUT" and "/api/contents" in response.url
        ):
            self.page.keyboard.press("Control+s")

    def run_cell(self, number: int) -> None:
        """Clicks into the code of one cell, or the output of a folded one, and presses Shift+Enter; waits until it has run."""
        cell = self.cell(number)
        handle = cell.element_handle()
        handle.evaluate(
            WATCH_PROMPT
        )  # a number alone says nothing: a stored one could be the new one
        for _ in range(
            TRIES
        ):  # what is drawn above the cell at this moment can push it from under the click
            if cell.locator(".jp-InputPlaceholder").count():
                cell.locator(".jp-OutputArea-output").first.click(position={"x": 2, "y": 2})
            else:
                cell.locator(".cm-content").click()
            if "jp-mod-active" in cell.get_attribute("class"):
                break
        self.page.keyboard.press("Shift+Enter")
        self.page.wait_for_function("cell => cell.hasRun", arg=handle)

    # ── reading ────────────────────────────────────────────────────────────────────────────────────────

    def cell(self, number: int) -> Any:
        """The code cell of that number, from 1, as a Playwright locator."""
        return self.page.locator(".jp-Notebook .jp-CodeCell").nth(number - 1)

    def outputs(self) -> list[str]:
        """The text that each code cell shows, in order."""
        cells = self.page.locator(".jp-Notebook .jp-CodeCell")
        return [
            cells.nth(place).locator(".jp-Cell-outputWrapper").inner_text()
            for place in range(cells.count())
        ]

    def failures(self) -> list[str]:
        """Tracebacks, and whatever else cells wrote to stderr (JupyterLab shows both alike); empty when all went well."""
        return self.page.locator(
            '.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.stderr"]'
        ).all_inner_texts()

    def screenshot(self, name: str, *, of: Any = None) -> Path:
        """A picture of the page, or of one locator, in `artefacts/` (which git ignores)."""
        ARTEFACTS.mkdir(exist_ok=True)
        path = ARTEFACTS / f"{name}.png"
        (of or self.page).screenshot(path=path)
        return path
