"""What all ports share: the desk's prompts, its library, the search tool, the server's address."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))  # the workshop, wherever it lies

from kernel import Corpus, Handoff, Verdict, models
from kernel.core.supervisors import SUPERVISOR
from kernel.core.team import RESEARCHER, REVIEWER, WRITER
from kernel.plumbing.search import as_text

__all__ = [
    "ABOUT",
    "BOSS",
    "MAX_TOKENS",
    "RESEARCHER",
    "REVIEWER",
    "SUPERVISE",
    "TURNS",
    "WORKER",
    "WRITER",
    "Verdict",
    "message",
    "search",
    "server",
]

WORKER, BOSS = models.worker, models.supervisor
MAX_TOKENS, TURNS = 4096, 12
SUPERVISE = SUPERVISOR.replace("call finalize with", "answer with")
"""No library has a tool that ends the work: the supervisor's last text is the brief."""
ABOUT = {
    "researcher": "Researches a topic: searches the library and returns facts with their sources.",
    "writer": "Writes a cited brief from facts, or revises a draft by feedback. Artifacts: facts; "
    "for a revision also draft and feedback.",
    "reviewer": "Reviews a draft against the facts and decides PASS or REVISE, with specific "
    "issues. Artifacts: facts and draft.",
}
CORPUS = Corpus()


def server() -> dict[str, str]:
    """Where the model is, as each library's client takes it; no key is needed there."""
    return {"base_url": os.environ["ANTHROPIC_BASE_URL"], "api_key": "offline"}


async def search(query: str) -> str:
    """Search the library. Returns the best matching documents, each with its id and text."""
    hits = await CORPUS.search(query, 6)
    if os.environ.get("PORTS_BUG"):
        hits = [hit.documnet for hit in hits]  # the bug of lesson 24: a typo in our own tool
    return as_text(hits) or f"No documents match {query!r}."


def message(intent: str, context: str = "", artifacts: dict[str, str] | None = None) -> str:
    """A handoff as a specialist's first message."""
    return Handoff(intent=intent, context=context, artifacts=artifacts or {}).as_text()
