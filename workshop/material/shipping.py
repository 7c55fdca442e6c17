"""Lesson 27: a folder of documents, a finished example, the rival and a careless team."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kernel import (
    Agent,
    Corpus,
    DeterministicSupervisor,
    Handoff,
    Result,
    Run,
    Trace,
    connect,
    models,
    search_tool,
    specialists,
)
from kernel.core.events import from_json, to_json
from kernel.plumbing.work import Fold

from .documents import read_folder

__all__ = ["GARDEN", "Careless", "alone", "example", "poisoned", "read_folder", "show", "texts"]

GARDEN = Path(__file__).resolve().parents[2] / "notebooks" / "data" / "garden"
"""The papers of a small garden, as people keep them: four kinds of files."""
ALONE = """\
You are a desk of one. Work in three steps.
1. Research: search the library for the topic of your task.
2. Write: a brief in at most 180 words under a title. Use only what the documents say, and cite
the source of each sentence in brackets: "Sentence [source-id]."
3. Review: every sentence must be carried by the source that it cites, and every source must be
used. Answer with the brief only."""


def texts(folder: str | Path) -> dict[str, str]:
    """The documents of a folder from their ids to their texts; says what was not read."""
    found = read_folder(folder)
    for name, why in found.unread.items():
        print(f"not read  {name}: {why}")
    return {id: document.text for id, document in found.library.documents.items()}


def alone(library: Corpus) -> Agent:
    """The single agent that a team has to beat."""
    return Agent("one-agent", "Writes briefs.", ALONE, models.worker, (search_tool(library),))


async def example() -> tuple[Run, Run]:
    """A finished team of three and one agent on the same task."""
    library, runs = Corpus(), []
    for design in (DeterministicSupervisor(*specialists(library)), alone(library)):
        runs.append(Run(connect()))
        await runs[-1].dispatch(design, Handoff(intent="Write a brief on OpenTelemetry"))
    return runs[0], runs[1]


@dataclass(frozen=True)
class Careless:
    """A team that looks busy: no documents, no gate, nothing of its own."""

    name: str = "careless-desk"
    description: str = "Writes without reading."

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        writer = Agent("writer", "Writes.", "Write a brief in at most 60 words.", models.worker)
        return await run.dispatch(writer, handoff)


def poisoned(run: Run) -> Trace:
    """The trace of a run into whose result somebody put a script and a key."""
    *before, last = run.events
    brought = Fold(run.events).dispatches[0].result
    assert brought is not None
    text = (
        f"{brought.as_text()} <script>alert('mine now')</script> "
        "The key is sk-ant-0123456789abcdefghij."
    )
    returned = json.loads(to_json(last))
    returned["result"]["output"] = text
    return Trace([*before, from_json(json.dumps(returned).encode())])


def show(checks: Iterable[Any]) -> None:
    """Prints what was asked of a log, a line each."""
    for check in checks:
        word = "passed " if check.passed else "not yet"
        print(f"{word}  {check.name}: {check.measured} (wanted: {check.required})")
