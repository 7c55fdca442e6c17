"""A course at work: its commands in processes of their own, and a learner with a kernel."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from jupyter_client.manager import start_new_kernel

from tests.places import ROOT

FOREIGN = ("CLASSROOM_", "WORKSHOP_", "JUPYTER", "IPYTHON", "PYTEST_")
"""What this process knows of another course, and of its own Jupyter."""


def environment() -> dict[str, str]:
    """The environment of somebody who knows the toolkit and no course."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
    return {**own, "PYTHONPATH": str(ROOT)}


def ran(folder: Path, *words: object, python: str = sys.executable, **options: Any) -> Any:
    """`python -m classroom WORDS` in a folder, ended."""
    line = [python, "-m", "classroom", *map(str, words)]
    options = {"env": environment(), **options}
    return subprocess.run(
        line, cwd=folder, capture_output=True, text=True, encoding="utf-8", timeout=600, **options
    )


def done(folder: Path, *words: object, **options: Any) -> str:
    """What a command printed that has to succeed."""
    process = ran(folder, *words, **options)
    assert process.returncode == 0, f"{words}: {process.stdout}{process.stderr}"
    return process.stdout


@contextmanager
def learner(folder: Path) -> Iterator[Any]:
    """A function that runs a cell as a person does, in a kernel of this folder, and returns what it
    shows.
    """
    manager, client = start_new_kernel(kernel_name="python3", cwd=str(folder), env=environment())

    def cell(source: str) -> str:
        shown: list[str] = []

        def note(message: dict[str, Any]) -> None:
            content = message["content"]
            if message["msg_type"] in ("execute_result", "display_data"):
                shown.append(content["data"].get("text/plain", ""))
            elif message["msg_type"] == "stream":
                shown.append(content["text"])
            elif message["msg_type"] == "error":
                shown.append("\n".join(content["traceback"]))

        client.execute_interactive(source, allow_stdin=True, output_hook=note, timeout=120)
        return "".join(shown)

    try:
        yield cell
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
