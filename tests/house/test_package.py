"""The wheel: what it holds, and that a brief comes of it in an empty folder."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from importlib.metadata import Distribution

import pytest

import kernel
from tests.places import ROOT

TOPIC = ("-m", "kernel", "pgvector")


def ran(python, arguments, cwd, **more):
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [python, *arguments],
        cwd=cwd,
        env={**environ, **more, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
    )


def test_the_wheel_holds_code_types_and_the_documents_of_the_kernel(wheel):
    with zipfile.ZipFile(wheel) as file:
        names = set(file.namelist())
    for path in (ROOT / "notebooks" / "data" / "corpus").glob("*.md"):
        assert f"kernel/data/corpus/{path.name}" in names
    assert {f"{name}/py.typed" for name in ("kernel", "offline_model", "classroom")} <= names
    tops = {name.partition("/")[0] for name in names if ".dist-info" not in name}
    assert tops == {"classroom", "kernel", "offline_model", "workshop"}


def test_the_wheel_says_its_version_and_what_it_needs(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as file:
        file.extractall(tmp_path)
    [about] = tmp_path.glob("*.dist-info")
    metadata = Distribution.at(about)
    assert metadata.version == kernel.__version__
    assert {"httpx", "pydantic"} <= {need.partition(" ")[0] for need in metadata.requires or ()}
    [command] = metadata.entry_points.select(group="console_scripts")
    assert (command.name, command.value) == ("supervisor-kernel", "kernel.__main__:in_a_terminal")


def test_the_unpacked_wheel_writes_a_brief_far_from_the_clone(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as file:
        file.extractall(tmp_path / "installed")
    (tmp_path / "empty").mkdir()
    where = ran(
        sys.executable,
        ("-c", "import kernel; print(kernel.LIBRARY)"),
        tmp_path / "empty",
        PYTHONPATH=str(tmp_path / "installed"),
    )
    assert where.stdout.strip().startswith(str(tmp_path / "installed"))
    brief = ran(sys.executable, TOPIC, tmp_path / "empty", PYTHONPATH=str(tmp_path / "installed"))
    assert brief.returncode == 0 and "[pgvector-overview]" in brief.stdout


@pytest.mark.exhaustive
def test_the_installed_wheel_works_in_an_empty_environment(installed, tmp_path):
    python = installed / "python"
    (tmp_path / "empty").mkdir()
    brief = ran(python, TOPIC, tmp_path / "empty")
    assert brief.returncode == 0 and "[pgvector-overview]" in brief.stdout
    by_name = ran(installed / "supervisor-kernel", ("pgvector",), tmp_path / "empty")
    assert by_name.returncode == 0 and "[pgvector-overview]" in by_name.stdout
    desk = ran(python, ("-m", "workshop", "oncall", "T-21"), tmp_path / "empty")
    assert desk.returncode == 2 and desk.stderr.startswith("There is no shop in")
    lessons = ran(python, ("-m", "workshop", "lab"), tmp_path / "empty")
    assert lessons.returncode == 2 and lessons.stderr.startswith("There are no lessons in")
    assert list((tmp_path / "empty").iterdir()) == []
