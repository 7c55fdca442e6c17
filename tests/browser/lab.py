"""A real JupyterLab in a real browser: starts it, opens notebooks, runs them, reads what a person would see.

    with Lab(folder) as lab, lab.open("lesson.ipynb") as notebook:
        notebook.run_all()
        notebook.cell(2).get_by_role("button", name="Run", exact=True).click()
        assert not notebook.errors

Needs Playwright and a Chromium (Debian's, or the one that BROWSER_PATH names). No sleeps: everything waits for what a
person would wait for.
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

from workshop import lab as launcher

ROOT = Path(__file__).resolve().parent.parent.parent
ARTEFACTS = ROOT / "artefacts"
ADDRESS = re.compile(r"(http://(?:localhost|127\.0\.0\.1):\d+)/\S*?token=(\w+)")
START_S, RUN_S = 60, 60
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
TEST_SETTINGS = {
    "@jupyterlab/docmanager-extension/plugin": {"autosave": False},  # a test leaves its notebooks as they were
    "@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyterlab/notebook-extension/tracker": {"windowingMode": "none"},
}
EXPECTED = ("ResizeObserver loop",)
"""Console messages that say nothing about us."""


def browser_path() -> str | None:
    """The Chromium to drive; None for the one that Playwright brings."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return os.environ.get("BROWSER_PATH") or next(filter(None, map(shutil.which, names)), None)


class Lab:
    """JupyterLab on `folder`, with the workshop's own settings; `with` starts and ends it and the browser.

    folder:  what JupyterLab shows; its settings go to `folder/.jupyter`.
    command: starts the server instead, for example the launcher: it must print JupyterLab's address.
    theme:   "light" or "dark".
    Raises RuntimeError, with what the server wrote, when it does not start.
    """

    def __init__(self, folder: Path, *, command: list[str] | None = None, environ: Mapping[str, str] | None = None,
                 theme: str = "light") -> None:
        self.folder, self.theme = Path(folder).resolve(), theme
        given = {name: value for name, value in os.environ.items() if not name.startswith(("ANTHROPIC_", "WORKSHOP_"))}
        given |= {"PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), given.get("PYTHONPATH")])), **(environ or {})}
        if command is None:
            words = launcher.options_of_jupyterlab(self.folder, launcher.options(["--port", "0", "--no-browser"]),
                                                   as_root=hasattr(os, "geteuid") and os.geteuid() == 0)
            command = [sys.executable, "-m", "jupyterlab", *words]
            given = launcher.jupyter_environment(self.folder, given)
        self._command, self._environ = command, given
        self.written: list[str] = []

    @classmethod
    def as_newcomer(cls, clone: Path, **options: Any) -> Lab:
        """Started as the README says, in a clone of the repository (whose .venv it makes if there is none)."""
        command = [sys.executable, "-m", "workshop", "lab", "--no-browser", "--port", "0"]
        return cls(clone, command=command, environ={"PYTHONPATH": ""}, **options)

    def __enter__(self) -> Lab:
        self._change_settings()
        self._server = subprocess.Popen(self._command, cwd=self.folder, env=self._environ, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True, encoding="utf-8", errors="replace",
                                        start_new_session=os.name != "nt")
        try:
            self.address, self._token = self._wait_for_address()
            from playwright.sync_api import sync_playwright

            self._playwright = sync_playwright().start()
            self._browser = self._playwright.chromium.launch(
                executable_path=browser_path(), args=["--no-sandbox", "--disable-dev-shm-usage"])
        except BaseException:
            self._end_server()
            self._restore_settings()
            raise
        return self

    def __exit__(self, *exc_info: object) -> None:
        try:
            self._browser.close()
            self._playwright.stop()
        finally:
            self._end_server()
            self._restore_settings()

    def open(self, name: str, *, width: int = 1280, height: int = 1600) -> Notebook:
        """A notebook of the folder in a fresh browser, its kernel ready."""
        page = self._browser.new_context(viewport={"width": width, "height": height}).new_page()
        notebook = Notebook(page)
        page.goto(f"{self.address}/lab/tree/{quote(name)}?token={self._token}&reset")
        notebook.wait_until_ready()
        return notebook

    def _change_settings(self) -> None:
        """Ours for the time of the test: the folder may be somebody's own."""
        self._before: dict[Path, bytes | None] = {}
        for name, settings in {**TEST_SETTINGS, "@jupyterlab/apputils-extension/themes": {"theme": THEMES[self.theme]}}.items():
            file = self.folder / ".jupyter" / "settings" / f"{name}.jupyterlab-settings"
            self._before[file] = file.read_bytes() if file.is_file() else None
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(settings), encoding="utf-8")

    def _restore_settings(self) -> None:
        for file, content in self._before.items():
            if content is None:
                file.unlink(missing_ok=True)
            else:
                file.write_bytes(content)

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
            raise RuntimeError(f"JupyterLab printed no address within {START_S} s: {''.join(self.written)[-2000:]}")
        return found[0]

    def _end_server(self) -> None:
        """Ends the server, and with it its kernels."""
        if os.name == "nt":
            self._server.terminate()
        else:
            os.killpg(self._server.pid, signal.SIGTERM)  # its own session, started above: the server and what it started
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
        if kind == "error" and not any(it in text for it in EXPECTED):
            self.errors.append(text)

    # ── waiting ────────────────────────────────────────────────────────────────────────────────────────

    def wait_until_ready(self) -> None:
        """Until the kernel is idle: the status bar says so later than the toolbar, and is right."""
        self.page.locator("#jp-main-statusbar").get_by_text("| Idle").wait_for()
        self.page.locator(".jp-Notebook .jp-CodeCell").first.wait_for()

    def wait_until_run(self, *, cells: int | None = None) -> None:
        """Until the first `cells` code cells (all, if not given) have a number and none of them runs."""
        self.page.wait_for_function(
            """cells => {
                const prompts = [...document.querySelectorAll('.jp-Notebook .jp-CodeCell')]
                    .filter(it => it.querySelector('.cm-content').textContent.trim())
                    .slice(0, cells ?? undefined)
                    .map(it => it.querySelector('.jp-InputPrompt').textContent);
                return prompts.length && prompts.every(it => /\\[\\d+\\]/.test(it));
            }""", arg=cells)

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
        self.page.locator(".jp-InputPrompt").get_by_text(re.compile(r"\[\*\]" if afresh else r"\[(\*|\d+)\]")).first.wait_for()

    # ── reading ────────────────────────────────────────────────────────────────────────────────────────

    def cell(self, number: int) -> Any:
        """The code cell of that number, from 1, as a Playwright locator."""
        return self.page.locator(".jp-Notebook .jp-CodeCell").nth(number - 1)

    def outputs(self) -> list[str]:
        """The text that each code cell shows, in order."""
        cells = self.page.locator(".jp-Notebook .jp-CodeCell")
        return [cells.nth(place).locator(".jp-Cell-outputWrapper").inner_text() for place in range(cells.count())]

    def failures(self) -> list[str]:
        """Tracebacks, and whatever else cells wrote to stderr (JupyterLab shows both alike); empty when all went well."""
        return self.page.locator('.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.stderr"]').all_inner_texts()

    def screenshot(self, name: str, *, of: Any = None) -> Path:
        """A picture of the page, or of one locator, in `artefacts/` (which git ignores)."""
        ARTEFACTS.mkdir(exist_ok=True)
        path = ARTEFACTS / f"{name}.png"
        (of or self.page).screenshot(path=path)
        return path
