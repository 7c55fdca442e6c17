"""Draws README's picture: the team of lesson 00, as the project's own view draws what it did."""

from __future__ import annotations

import asyncio
from pathlib import Path

from kernel import (
    Corpus,
    DeterministicSupervisor,
    Handoff,
    Run,
    connect,
    researcher,
    reviewer,
    writer,
)
from workshop.root import ROOT
from workshop.views import TeamPicture


def page() -> tuple[Path, str]:
    """The picture's file, and what it should hold."""
    return ROOT / "notebooks" / "images" / "run.svg", asyncio.run(_drawn())


async def _drawn() -> str:
    run = Run(connect("offline"))
    team = DeterministicSupervisor(researcher(Corpus()), writer(), reviewer())
    await run.dispatch(team, Handoff(intent="Write a brief on the history of MCP"))
    return TeamPicture(run).svg() + "\n"
