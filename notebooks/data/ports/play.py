"""Plays one port in a process of its own: a line of JSON in for each run, a line of JSON out."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import json
import os
import sys
import sysconfig
import time
import traceback
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent


def run(port: Any, order: dict[str, Any], loop: asyncio.Runner) -> dict[str, Any]:
    """One run of the team: its brief, or what it raised and whether that names our line."""
    os.environ.pop("PORTS_BUG", None)
    if order["bug"]:
        os.environ["PORTS_BUG"] = "1"
    start = time.perf_counter()
    try:
        brief = loop.run(port.team(order["task"]))
    except Exception as error:
        lines = traceback.format_exc().splitlines()
        return {
            "raised": type(error).__name__,
            "message": str(error),
            "names our line": any("hit.documnet" in line for line in lines),
            "seconds": time.perf_counter() - start,
        }
    return {"brief": brief, "seconds": time.perf_counter() - start}


def main(name: str) -> None:
    """Answers until the orders end. Libraries may print what they like: that goes to stderr."""
    answers = sys.stdout
    # one event loop for all runs: a client's open connections belong to the loop that made them
    with contextlib.redirect_stdout(sys.stderr), asyncio.Runner() as loop:
        start = time.perf_counter()
        port = importlib.import_module(name)
        seconds = time.perf_counter() - start
        loaded = {"import_seconds": seconds, "packages": sysconfig.get_paths()["purelib"]}
        print(json.dumps(loaded), file=answers, flush=True)
        for line in sys.stdin:
            print(json.dumps(run(port, json.loads(line), loop)), file=answers, flush=True)


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    main(sys.argv[1])
