"""The two libraries that the kernel requires: where one is missing, a sentence says what to do."""

import importlib
import os
import sys
from pathlib import Path

LIBRARIES = ("pydantic", "httpx")


def check() -> None:
    """Raises ModuleNotFoundError with instructions; in `python -m kernel`, prints them and exits
    with status 2."""
    for name in LIBRARIES:
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as problem:
            if problem.name != name:
                raise
        else:
            continue
        message = (
            f"{name} is not installed for {sys.executable or 'this Python'}. {_instructions()}"
        )
        if sys.argv[:1] == ["-m"]:  # what Python puts there while it looks for the module to run
            print(f"error: {message}", file=sys.stderr)
            raise SystemExit(2)
        raise ModuleNotFoundError(message, name=name)


def _instructions() -> str:
    """The workshop's own environment when it is there; else how to make it."""
    root = Path(__file__).resolve().parent.parent
    python = Path(".venv", *(("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")))
    if (root / python).exists():
        return f"Use the workshop's own environment: {python} -m kernel …"
    return (
        "Run `python3 -m workshop lab` once, which makes the workshop's environment, or "
        "`pip install -r requirements.txt` in your own."
    )


check()
