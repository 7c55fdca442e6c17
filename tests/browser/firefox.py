"""A Firefox with an empty profile that reaches this machine only, driven by WebDriver BiDi, as Playwright cannot drive an installed one.

with Firefox(folder) as firefox:
    firefox.open("http://127.0.0.1:8000/")
    firefox.evaluate("document.title")
    firefox.wait_for("document.title", seconds=10)
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import websocket

NAMES = ("firefox", "firefox-esr")
START_S = 60
PREFERENCES = {
    "network.proxy.type": 1,  # every host but this machine is behind a proxy that is not there
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
    "app.update.auto": False,
    "datareporting.policy.dataSubmissionEnabled": False,
}
LISTENS = re.compile(r"WebDriver BiDi listening on (ws://\S+)")


def firefox_path() -> str | None:
    """The Firefox to drive; None where none is installed."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Firefox:
    """One window of a new Firefox; its profile lies in `folder`, which must be empty."""

    def __init__(self, folder: Path) -> None:
        self._profile = folder
        self._log = folder / "written.txt"
        self._sent = 0

    def __enter__(self) -> Firefox:
        lines = [
            f"user_pref({json.dumps(name)}, {json.dumps(value)});"
            for name, value in PREFERENCES.items()
        ]
        (self._profile / "user.js").write_text("\n".join(lines), encoding="utf-8")
        program = firefox_path()
        assert program is not None, "no Firefox is installed"
        command = [program, "--headless", "--no-remote", "--profile", str(self._profile)]
        environment = os.environ | {"HOME": str(self._profile)}
        with self._log.open("w", encoding="utf-8") as log:
            self._process = subprocess.Popen(
                [*command, "--remote-debugging-port", "0"],
                stdout=log,
                stderr=subprocess.STDOUT,
                env=environment,
            )
        try:
            self._line = websocket.create_connection(
                f"{self._address()}/session", suppress_origin=True, timeout=START_S
            )
            self._call("session.new", capabilities={})
            tree = self._call("browsingContext.getTree")
        except BaseException:
            self._process.kill()
            raise
        self._window = tree["contexts"][0]["context"]
        return self

    def __exit__(self, *problem: object) -> None:
        self._line.close()
        self._process.terminate()
        self._process.wait(START_S)

    def _address(self) -> str:
        """Waits for the address at which Firefox takes commands."""
        end = time.monotonic() + START_S
        while time.monotonic() < end and self._process.poll() is None:
            found = LISTENS.search(self._log.read_text(encoding="utf-8", errors="replace"))
            if found:
                return found[1]
            time.sleep(0.1)
        raise RuntimeError(f"Firefox did not start: {self._log.read_text(errors='replace')}")

    def _call(self, method: str, **params: Any) -> dict[str, Any]:
        self._sent += 1
        self._line.send(json.dumps({"id": self._sent, "method": method, "params": params}))
        while True:
            reply = json.loads(self._line.recv())
            if reply.get("id") == self._sent:
                break
        if reply["type"] != "success":
            raise RuntimeError(f"{method}: {reply['error']}: {reply['message']}")
        return reply["result"]

    def open(self, address: str) -> None:
        """Opens a page and waits until it is loaded."""
        self._call("browsingContext.navigate", context=self._window, url=address, wait="complete")

    def evaluate(self, expression: str) -> Any:
        """The value of an expression, or of its promise; it must be one that JSON can say."""
        result = self._call(
            "script.evaluate",
            expression=f"(async () => JSON.stringify(await ({expression})))()",
            target={"context": self._window},
            awaitPromise=True,
        )
        if result["type"] != "success":
            raise RuntimeError(result["exceptionDetails"]["text"])
        value = result["result"]
        return json.loads(value["value"]) if value["type"] == "string" else None

    def wait_for(self, expression: str, seconds: float) -> Any:
        """Waits until an expression is true; returns its value. Raises TimeoutError otherwise."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = self.evaluate(expression)
            if value:
                return value
            time.sleep(0.5)
        raise TimeoutError(f"not true within {seconds} s: {expression}")
