"""Lesson 24: the team on other libraries, and the rows that were measured of it."""

from __future__ import annotations

import ast
import json
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "notebooks" / "data" / "ports"
STORED = FOLDER / "results.json"
ENVIRONMENT = ROOT / ".venv-ports"
INSTALL = "python3 notebooks/data/ports/measure.py --install"
TASK = "Write a brief on pgvector"
LANGCHAIN = ("langgraph", "langchain", "langchain-anthropic")


@dataclass(frozen=True)
class Port:
    """The team on one library: a file in `notebooks/data/ports`, and the packages that it needs."""

    name: str
    module: str
    needs: tuple[str, ...]
    streams: str
    """The part of the library that gives words as they come."""
    shipped: bool = True
    """True if `requirements.txt` has its packages; if not, its row was measured once."""

    @property
    def source(self) -> str:
        return (FOLDER / f"{self.module}.py").read_text(encoding="utf-8")

    @property
    def body(self) -> str:
        """The source without its imports."""
        source = self.source
        imports = [
            node for node in ast.parse(source).body if isinstance(node, ast.Import | ast.ImportFrom)
        ]
        return "\n".join(source.splitlines()[imports[-1].end_lineno :]).strip("\n")


PORTS = {
    port.name: port
    for port in (
        Port(
            "kernel",
            "on_kernel",
            ("httpx", "sniffio", "pydantic", "genai-prices"),
            "run.listen()",
        ),
        Port("anthropic", "on_anthropic", ("anthropic",), "messages.stream(…)"),
        Port(
            "anthropic runner",
            "on_anthropic_runner",
            ("anthropic",),
            "tool_runner(…, stream=True)",
        ),
        Port(
            "pydantic-ai",
            "on_pydantic_ai",
            ("pydantic-ai-slim[anthropic]",),
            "event_stream_handler=",
        ),
        Port("langgraph", "on_langgraph", LANGCHAIN, 'stream_mode="messages"'),
        Port(
            "openai-agents",
            "on_openai_agents",
            ("openai-agents[litellm]",),
            "Runner.run_streamed(…)",
            shipped=False,
        ),
        Port(
            "claude-agent-sdk",
            "on_claude_agent_sdk",
            ("claude-agent-sdk",),
            "include_partial_messages=True",
            shipped=False,
        ),
        Port(
            "langgraph-supervisor",
            "on_langgraph_supervisor",
            ("langgraph-supervisor", *LANGCHAIN),
            'stream_mode="messages"',
            shipped=False,
        ),
    )
}


@dataclass(frozen=True)
class PortRow:
    """The measurements of one port, with its versions and their date."""

    name: str
    versions: dict[str, str]
    date: str
    lines: int
    answered: int
    """Requests that the server answered, and those that it refused."""
    refused: int
    tokens_in: int
    same_brief: bool
    verdict_by: str
    failed: str
    """The error that ended the run; empty when there is a brief."""
    bug_raised: str
    """The type of exception with which the run ended, when our own tool had a bug."""
    bug_line_named: bool
    """True if the traceback has the line at fault."""
    bug_logged: bool
    """True if the line at fault was written to the log instead."""
    bug_answered: int
    at_once: bool
    """True if two handoffs of one turn are under way side by side."""
    megabytes: float
    packages: int
    import_seconds: float
    seconds: float

    @property
    def who_tells(self) -> str:
        """The way in which you learn of a bug in your own tool."""
        if self.failed:
            return "(does not get that far)"
        if self.bug_raised:
            return "an exception" + ", with our line" * self.bug_line_named
        return "the log; the answer hides it" if self.bug_logged else "nobody"


OF_THE_MACHINE = ("megabytes", "packages", "import_seconds", "seconds")
"""Fields of a row that depend on the machine; the others are the same everywhere, as long as the
versions are."""


# ── the rows that are stored ──────────────────────────────────────────────────────────────────


def stored() -> dict[str, PortRow]:
    """The rows of results.json."""
    rows = {}
    for name, row in json.loads(STORED.read_text(encoding="utf-8"))["ports"].items():
        rows[name] = PortRow(name=name, **row)
    return rows


def store(rows: Mapping[str, PortRow]) -> None:
    """Writes results.json: the given rows, and those that are there already."""
    known = stored() if STORED.exists() else {}
    known.update(rows)
    listed = {name: asdict(known[name]) for name in PORTS if name in known}
    for row in listed.values():
        del row["name"]
    machine = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    text = json.dumps({"task": TASK, "machine": machine, "ports": listed}, indent=1)
    STORED.write_text(text + "\n", encoding="utf-8")


def differences(row: PortRow, kept: PortRow) -> list[str]:
    """Returns the facts of a stored row that are no longer true, a sentence each; those that depend
    on the machine are left out.
    """
    found = []
    for name, now in row.versions.items():
        if kept.versions.get(name) != now:
            found.append(f"{row.name}: {name} is {now}, stored {kept.versions.get(name)}")
    for each in fields(PortRow):
        now, stored = getattr(row, each.name), getattr(kept, each.name)
        if each.name not in ("versions", "date", *OF_THE_MACHINE) and now != stored:
            found.append(f"{row.name}: {each.name} is {now!r}, stored {stored!r}")
    return found
