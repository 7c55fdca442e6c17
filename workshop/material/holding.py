"""Lesson 14: ten results that a supervisor may hold, and the chart of what two kinds of supervisor
hold.
"""

from __future__ import annotations

from collections.abc import Sequence

from IPython.display import display

from kernel import Handoff, Run, connect, specialists
from kernel.events import Replied
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


def draw_held(
    hoarder: Sequence[int], manager: Sequence[int], handed: Sequence[int], limit: int
) -> None:
    """Draws the tokens that a hoarder and a manager hold after each step, and those that the
    manager hands to a worker, with the limit.
    """
    stays = max(manager) <= limit
    display(
        curves(
            f"The manager's context {'stays below' if stays else 'passes'} its limit",
            {"hoarder holds": hoarder, "manager holds": manager, "manager hands on": handed},
            x_axis="step",
            y_axis="tokens",
            limit=limit,
        )
    )


def show_cache(run: Run) -> None:
    """Prints what each request of a run wrote to the prompt cache and read from it."""
    replies = [event.reply for event in run.events if isinstance(event, Replied)]
    for number, reply in enumerate(replies, 1):
        written, read = (
            reply.usage.cache_creation_input_tokens,
            reply.usage.cache_read_input_tokens,
        )
        print(f"      request {number}: {written:5,} tokens written, {read:5,} read from the cache")
