"""What is stored of lesson 24's ports, as far as it can be checked without their packages."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from kernel import models
from tests.places import ROOT
from workshop.material import playing_ports, ports
from workshop.material.playing_ports import Player, code_lines, measured, watching
from workshop.material.service import Service

STORED = ports.stored()
SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


def test_every_port_has_a_row_and_every_row_a_port():
    assert list(STORED) == list(ports.PORTS)


@pytest.mark.parametrize("name", ports.PORTS)
def test_the_stored_lines_are_the_files(name):
    assert STORED[name].lines == code_lines(ports.PORTS[name].source)


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
    later = replace(row, answered=9, megabytes=1.0, versions={"pydantic-ai-slim": "3.0"})
    assert ports.differences(later, row) == [
        "pydantic-ai: pydantic-ai-slim is 3.0, stored 2.68.0",
        "pydantic-ai: answered is 9, stored 8",
    ]


def test_who_tells():
    tellers = {name: row.who_tells for name, row in STORED.items()}
    assert tellers["kernel"] == tellers["langgraph"] == "an exception, with our line"
    assert tellers["openai-agents"] == "nobody"
    assert replace(STORED["kernel"], bug_line_named=False).who_tells == "an exception"


def test_lines_of_code_leave_out_imports_docstrings_comments_and_blanks():
    source = '"""Job."""\n\nimport os\nfrom a import (\n    b,\n)\n\n# why\nx = 1\n\n\ndef f():\n    """Doc."""\n    return x\n'
    assert code_lines(source) == 3


def test_a_port_that_ends_early_says_why():
    broken = ports.Port("broken", "on_nothing", (), "")
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


def test_the_stand_in_has_the_shape_of_the_sdk(monkeypatch, capsys):
    """One conversation with a tool, through both: equal blocks, stop reasons and usage."""
    anthropic = pytest.importorskip("anthropic")
    tool = {"name": "count", "description": "Counts words.", "input_schema": SCHEMA}
    question = "How many words has 'a loop with tools'? Use your tools."

    async def talk(client):
        messages = [{"role": "user", "content": question}]
        request = {"model": models.worker, "max_tokens": 500, "tools": [tool]}
        first = await client.messages.create(**request, messages=messages)
        (call,) = [block for block in first.content if block.type == "tool_use"]
        result = {"type": "tool_result", "tool_use_id": call.id, "content": "4"}
        messages.append({"role": "assistant", "content": first.content})
        messages.append({"role": "user", "content": [result]})
        last = await client.messages.create(**request, messages=messages)
        texts = [block.text for block in last.content if block.type == "text"]
        ends = [reply.stop_reason for reply in (first, last)]
        read = [reply.usage.input_tokens for reply in (first, last)]
        return call.name, call.input, texts, ends, read

    with Service() as service:
        ours = asyncio.run(talk(ports.SameShape(service.client())))
        assert asyncio.run(talk(ports.sdk(service))) == ours
        assert f"the SDK: anthropic {anthropic.__version__}" in capsys.readouterr().out
        monkeypatch.setitem(sys.modules, "anthropic", None)
        assert isinstance(ports.sdk(service), ports.SameShape)
    assert ports.SDK_INSTALL in capsys.readouterr().out


def test_the_extra_has_the_version_of_the_ports():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = playing_ports.pins()["anthropic"]
    assert project["optional-dependencies"]["ports"] == [f"anthropic=={version}"]


def test_in_a_tab_a_service_answers_without_a_port(monkeypatch):
    monkeypatch.setattr(sys, "platform", "emscripten")
    service = Service.start()
    request = {
        "model": models.worker,
        "max_tokens": 50,
        "messages": [{"role": "user", "content": "Hello"}],
    }
    reply = asyncio.run(ports.SameShape(service.client()).messages.create(**request))
    assert reply.text and service.sent == 1
    assert ports.play() == STORED and ports.installed() == []
