"""What the client tests need: the offline model on a port with a record of its requests, and lesson 24's ports."""

from __future__ import annotations

import importlib
import importlib.util
import sys

import pytest

from offline_model import Server
from workshop.material.playing_ports import Watched
from workshop.material.ports import FOLDER

sys.path.append(str(FOLDER))  # its `desk` has the team's words


def needs(*modules):
    """Skips where a library is not installed, with a sentence that says how to install it."""
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    how = "python3 -m venv .venv-clients && .venv-clients/bin/pip install -r requirements.txt -r tests/clients/requirements.txt"
    return pytest.mark.skipif(bool(missing), reason=f"{' and '.join(missing)} not installed: {how}")


@pytest.fixture
def port(url, monkeypatch):
    """Imports a port of lesson 24, whose model is then the offline one: `port("on_langgraph").team(task)`."""
    monkeypatch.setenv("ANTHROPIC_BASE_URL", url)

    def load(name):
        monkeypatch.delitem(sys.modules, name, raising=False)
        return importlib.import_module(name)

    return load


@pytest.fixture
def api():
    return Watched()


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
