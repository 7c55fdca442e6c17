"""README's picture and brief: the team of lesson 00, as the project's own view draws it."""

from __future__ import annotations

import asyncio
import re
import textwrap
from collections.abc import Iterator
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

QUOTED = re.compile(r"(?:^>.*\n)+", re.MULTILINE)
COLUMNS = 140


def pages() -> Iterator[tuple[Path, str]]:
    """The picture, and README with the brief below it: each file, and what it should hold."""
    run, text = asyncio.run(_ran())
    yield ROOT / "notebooks" / "images" / "run.svg", TeamPicture(run).svg() + "\n"
    readme = ROOT / "README.md"
    page = readme.read_text(encoding="utf-8")
    yield readme, QUOTED.sub(lambda _: quoted(text), page, count=1)


def quoted(brief: str) -> str:
    """A brief as a quotation in Markdown, its title in bold."""
    title, *paragraphs = brief.split("\n\n")
    parts = [f"**{title.removeprefix('# ')}**", *paragraphs]
    lines = [textwrap.wrap(part, COLUMNS, break_on_hyphens=False) for part in parts]
    return "\n>\n".join("\n".join(f"> {line}" for line in part) for part in lines) + "\n"


async def _ran() -> tuple[Run, str]:
    run = Run(connect("offline"))
    team = DeterministicSupervisor(researcher(Corpus()), writer(), reviewer())
    result = await run.dispatch(team, Handoff(intent="Write a brief on the history of MCP"))
    return run, result.as_text()
