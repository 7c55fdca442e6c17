"""What is stored of lesson 24's ports, as far as it can be checked without their packages."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.places import ROOT
from workshop.material import playing_ports, ports
from workshop.material.playing_ports import Player, code_lines, measured, watching

STORED = ports.stored()


def test_every_port_has_a_row_and_every_row_a_port():
    assert list(STORED) == list(ports.PORTS)


@pytest.mark.parametrize("name", ports.PORTS)
def test_the_stored_lines_are_the_files(name):
    assert STORED[name].seen.lines == code_lines(ports.PORTS[name].source)


def test_the_stored_versions_are_the_pinned_ones():
    pins = playing_ports.pins()
    for name, port in ports.PORTS.items():
        if port.shipped and name != "kernel":
            assert STORED[name].versions.items() <= pins.items(), name


def test_the_kernels_row_is_what_is_measured_now():
    rows = measured({})
    assert ports.differences(rows["kernel"], STORED["kernel"]) == []


def test_a_row_that_is_no_longer_true_is_noticed():
    row = STORED["pydantic-ai"]
    later = replace(row, seen=replace(row.seen, answered=9), versions={"pydantic-ai-slim": "3.0"})
    assert ports.differences(later, row) == [
        "pydantic-ai: pydantic-ai-slim is 3.0, stored 2.68.0",
        "pydantic-ai: answered is 9, stored 8",
    ]


def test_who_tells():
    tellers = {name: row.seen.who_tells for name, row in STORED.items()}
    assert tellers["kernel"] == tellers["langgraph"] == "an exception, with our line"
    assert tellers["openai-agents"] == "nobody"
    seen = STORED["kernel"].seen
    assert replace(seen, bug_line_named=False).who_tells == "an exception"


def test_lines_of_code_leave_out_imports_docstrings_comments_and_blanks():
    source = '"""Job."""\n\nimport os\nfrom a import (\n    b,\n)\n\n# why\nx = 1\n\n\ndef f():\n    """Doc."""\n    return x\n'
    assert code_lines(source) == 3


def test_a_port_that_ends_early_says_why():
    broken = ports.Port("broken", "on_nothing", ())
    says_why = pytest.raises(RuntimeError, match="No module named 'on_nothing'")
    with watching() as (_, url), Player(broken, Path(sys.executable), url) as player, says_why:
        player.answer()


def test_a_port_gets_no_key_and_not_my_home(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    given = {}

    class Noted:
        def __init__(self, _, env, **__):
            given.update(env)
            raise InterruptedError

    monkeypatch.setattr(subprocess, "Popen", Noted)
    with pytest.raises(InterruptedError):
        Player(ports.PORTS["kernel"], Path(sys.executable), "http://127.0.0.1:9")
    assert "sk-secret" not in given.values() and given["HOME"] != str(Path.home())


def test_packages_are_counted_with_what_they_need():
    names = {
        package.metadata["Name"].lower()
        for package in playing_ports.with_dependencies(("httpx",), playing_ports.OURS)
    }
    assert {"httpx", "httpcore", "h11", "anyio"} <= names and "h2" not in names


def test_the_ports_environment_is_ignored_by_git():
    assert ".venv-ports/" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
