"""The editorial desk's words, for teams that are built with other libraries: prompts, library, tools as functions."""

from __future__ import annotations

from kernel import Corpus, Handoff
from kernel.search import as_text
from kernel.supervisors import SUPERVISOR
from kernel.team import RESEARCHER, REVIEWER, WRITER, Verdict

__all__ = [
    "ABOUT",
    "BOSS",
    "RESEARCHER",
    "REVIEWER",
    "SUPERVISE",
    "WORKER",
    "WRITER",
    "Verdict",
    "message",
    "search",
]

WORKER, BOSS = "claude-haiku-5-5", "claude-sonnet-5-5"
SUPERVISE = SUPERVISOR.replace("call finalize with", "answer with")
ABOUT = {
    "researcher": "Researches a topic: searches the library and returns facts with their sources.",
    "writer": "Writes a cited brief from facts, or revises a draft by feedback. Artifacts: facts; for a "
    "revision also draft and feedback.",
    "reviewer": "Reviews a draft against the facts and decides PASS or REVISE, with specific issues. "
    "Artifacts: facts and draft.",
}
LIBRARY = Corpus()


async def search(query: str) -> str:
    """Search the library. Returns the best matching documents, each with its source id, title, date and text."""
    return as_text(await LIBRARY.search(query, 6)) or f"No documents match {query!r}."


def message(intent: str, context: str = "", artifacts: dict[str, str] | None = None) -> str:
    """A handoff as a specialist's first message."""
    return Handoff(intent=intent, context=context, artifacts=artifacts or {}).as_text()
