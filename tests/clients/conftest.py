"""What the client tests need: the offline model on a port, with a record of what clients sent and got."""

from __future__ import annotations

import importlib.util
import json

import pytest

from offline_model import OfflineAPI, Server


def needs(*modules):
    """Skips where a library is not installed, with a sentence that says how to install it."""
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    how = "python3 -m venv .venv-clients && .venv-clients/bin/pip install -r requirements.txt -r tests/clients/requirements.txt"
    return pytest.mark.skipif(bool(missing), reason=f"{' and '.join(missing)} not installed: {how}")


class Recorded(OfflineAPI):
    """An offline API that notes each request for a message: the request, the status, and the error or the reply."""

    def __init__(self, **settings):
        super().__init__(**settings)
        self.calls = []

    def handle(self, method, path, headers, body=b""):
        response = super().handle(method, path, headers, body)
        if path.startswith("/v1/messages") and method == "POST":
            whole = response.body if isinstance(response.body, bytes) else b""
            self.calls.append((json.loads(body), response.status, json.loads(whole or b"{}")))
        return response

    @property
    def refused(self):
        return [reply["error"] for _, status, reply in self.calls if status != 200]


@pytest.fixture
def api():
    return Recorded()


@pytest.fixture
def url(api):
    with Server(api) as address:
        yield address


@pytest.fixture(autouse=True)
def no_key_and_no_proxy(monkeypatch):
    for name in (
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "HTTP_PROXY",
        "http_proxy",
        "ALL_PROXY",
        "LANGSMITH_TRACING",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "offline")
