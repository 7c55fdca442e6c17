"""Lesson 12: ten results that a supervisor may hold, and the chart of what two kinds of supervisor
hold.
"""

from __future__ import annotations

from collections.abc import Sequence

from IPython.display import display

from kernel import Handoff, Run, connect, specialists
from workshop.views.chart import curves

TOPICS = (
    "pgvector",
    "Qdrant",
    "Pinecone",
    "Weaviate",
    "Milvus",
    "Chroma",
    "OpenTelemetry",
    "rate limits",
    "circuit breakers",
    "the history of MCP",
)


async def ten_results() -> dict[str, str]:
    """What the researcher finds on ten topics, by topic."""
    search, _, _ = specialists()
    jobs = [(search, Handoff(intent=f"Find facts about {topic}")) for topic in TOPICS]
    results = await Run(connect()).fan_out(jobs)
    return {topic: result.as_text() for topic, result in zip(TOPICS, results, strict=True)}


def draw_held(hoarder: Sequence[int], manager: Sequence[int], limit: int) -> None:
    """Draws the tokens that a hoarder and a manager hold after each step, with the limit."""
    stays = max(manager) <= limit
    display(
        curves(
            f"The manager's context {'stays below' if stays else 'passes'} its limit",
            {"manager": manager, "hoarder": hoarder},
            x_axis="step",
            y_axis="tokens held",
            limit=limit,
        )
    )
