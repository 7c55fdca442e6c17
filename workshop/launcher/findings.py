"""Findings of the doctor for this course: its version, its documents, SQLite, the model."""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Mapping
from pathlib import Path

from classroom.launcher.doctor import Diagnosis
from classroom.launcher.environment import run_quietly

LIVE_NAMES = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL")


def findings(root: Path) -> list[Diagnosis]:
    """The course's own findings, in the order in which the doctor lists them."""
    return [version(root), sqlite(), corpus(root), model(os.environ), key(os.environ), network()]


def version(root: Path) -> Diagnosis:
    """Names the version of the course, and the commit where git knows it. The kernel is read and
    not imported: it needs packages.
    """
    found = importlib.util.find_spec("kernel")
    text = Path(found.origin).read_text(encoding="utf-8") if found and found.origin else ""
    number = re.search(r'^__version__ = "(.+)"$', text, re.MULTILINE)
    words = [number[1] if number else "unknown"]
    if (root / ".git").exists():
        status, commit = run_quietly(["git", "log", "-1", "--format=%h"], root)
        words += [] if status else [f"commit {commit.strip()}"]
    return Diagnosis("version", True, ", ".join(words))


def sqlite() -> Diagnosis:
    """Checks that SQLite can index text."""
    if problem := _no_fts5():
        remedy = "use a Python from python.org, uv or conda"
        return Diagnosis("sqlite", False, f"no full-text search ({problem})", remedy)
    return Diagnosis("sqlite", True, "full-text search works")


def _no_fts5() -> str:
    """ "" when SQLite can index text, else why not."""
    try:
        import sqlite3

        sqlite3.connect(":memory:").execute("create virtual table words using fts5(word)")
    except Exception as error:  # ImportError, or whatever this build of SQLite raises
        return str(error)
    return ""


def corpus(root: Path) -> Diagnosis:
    folder = root / "notebooks" / "data" / "corpus"
    count = sum(1 for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else 0
    if count:
        return Diagnosis("corpus", True, f"{count} documents")
    return Diagnosis(
        "corpus",
        False,
        "notebooks/data/corpus is missing or empty",
        "get a complete copy of the repository",
    )


def model(environ: Mapping[str, str]) -> Diagnosis:
    """Checks the choice of a model. Shows names only, never a value that could be secret."""
    chosen = environ.get("WORKSHOP_MODEL", "") or "offline"
    if chosen not in ("offline", "live", "local"):
        return Diagnosis(
            "model",
            False,
            f"WORKSHOP_MODEL is {chosen!r}",
            "set it to offline, live or local, or unset it",
        )
    if chosen == "live" and not (any(environ.get(name) for name in LIVE_NAMES)):
        remedy = "set ANTHROPIC_API_KEY (or ANTHROPIC_BASE_URL), or unset WORKSHOP_MODEL"
        return Diagnosis("model", False, "live, but there is no key", remedy)
    return Diagnosis("model", True, chosen)


def key(environ: Mapping[str, str]) -> Diagnosis:
    return Diagnosis(
        "key",
        True,
        ", ".join(f"{name} {'set' if environ.get(name) else 'not set'}" for name in LIVE_NAMES),
    )


def network() -> Diagnosis:
    """Checks proxies and certificates as `kernel.connect` reads them."""
    try:
        from kernel.plumbing.connections import check_network
    except ModuleNotFoundError:
        return Diagnosis("network", True, "looked at once the course is set up")
    try:
        check_network()
    except ValueError as problem:
        reason, _, remedy = str(problem).partition("; ")
        return Diagnosis("network", False, reason, remedy)
    return Diagnosis("network", True, "no setting stands in the way of a real model")
