"""Lesson 12: ten results that a supervisor may hold, and the chart of what two kinds of supervisor
hold.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernel import Handoff, Run, connect, specialists
from workshop.material.stored import show_stored

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
    """Draws the tokens that a hoarder and a manager hold after each step, with the limit.

    Where there is no matplotlib (the browser edition), shows the stored picture, and says so.
    """
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        show_stored("12", "held")
        return
    _figure, axes = plt.subplots(figsize=(6.8, 2.8), layout="constrained")
    steps = range(1, len(hoarder) + 1)
    axes.plot(steps, hoarder, color="#b8590b", marker="s")
    axes.plot(steps, manager, color="#0072b2", marker="o")
    axes.axhline(limit, color="#1f2933", linestyle="--", linewidth=1)
    axes.annotate("hoarder", (steps[-1], hoarder[-1]), color="#b8590b", ha="right", va="bottom")
    axes.annotate("manager", (steps[-1], manager[-1]), color="#0072b2", ha="right", va="bottom")
    axes.annotate("limit", (1, limit), ha="left", va="bottom")
    axes.set(
        title="The manager's context stays below its limit",
        xlabel="step",
        ylabel="tokens held",
        xticks=list(steps),
        ylim=(0, max(hoarder) * 1.15),
    )
    plt.show()
