"""Lessons 22 and 23: golden cases, one agent for all work, services with faults, charts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from IPython.display import display

from kernel import (
    LIBRARY,
    Agent,
    Client,
    Corpus,
    DeterministicSupervisor,
    Executable,
    connect,
    models,
    search_tool,
    specialists,
)
from kernel.parts.evaluate import FEWEST, Case, Difference, Report
from workshop.views import chart, marks

GOLDEN: Path = LIBRARY.parent / "golden.jsonl"
"""Twelve cases with their key facts."""

ALONE = """\
You are an editorial desk of one. Work in three steps.
1. Research: search the library for the topic of your task.
2. Write: a brief in at most 180 words under a title. Use only what the documents say, and cite
the source of each sentence in brackets: "Sentence [source-id]."
3. Review: every sentence must be carried by the source that it cites, and every source must be
used. Answer with the brief only."""


def alone(library: Corpus) -> Executable:
    """One agent that searches, writes and reviews, as in lesson 07."""
    tools = (search_tool(library),)
    return Agent("one-agent", "Writes briefs.", ALONE, models.worker, tools)


def shorter(words: int) -> Callable[[Corpus], Executable]:
    """Makes the team in fixed order with another limit than 180 words in its prompts."""

    def build(library: Corpus) -> Executable:
        search, *others = specialists(library)
        write, review = (
            replace(agent, system=agent.system.replace("180 words", f"{words} words"))
            for agent in others
        )
        return DeterministicSupervisor(search, write, review)

    return build


async def _at_once(seconds: float) -> None:
    """Offline, nobody waits before a retry."""


def faulty(seed: int) -> Client:
    """A client whose service is overloaded, refuses, or cuts an answer now and then; a real one has
    faults of its own."""
    client = connect()
    if client.mode != "offline":
        return client
    from offline_model import Faults, OfflineTransport

    faults = Faults(rate_529=0.05, rate_cut=0.04, rate_refusal=0.02, rate_malformed=0.02)
    return Client(OfflineTransport(seed=seed, faults=faults), sleep=_at_once)


def slow(seed: int) -> Client:
    """A client whose replies take 20 ms each, where nothing else makes them take time."""
    client = connect()
    return connect(latency_ms=20) if client.mode == "offline" else client


def affordable(cases: Sequence[Case]) -> tuple[Sequence[Case], Sequence[int]]:
    """The cases and the seeds that the lesson tries: every case four times, or on a real model five
    cases once, which costs less than the limit of a notebook."""
    if connect().mode == "offline":
        return cases, range(4)
    return cases[:FEWEST], range(1)


def marks_chart(report: Report) -> chart.Chart:
    """The mark of each design with its interval; one case has none."""
    finding = _finding(report)
    if report.cases == 1:
        means = {row.design: row.mark.mean for row in report.rows}
        return chart.bars(finding, means, axis="mark; one case has no interval")
    rows = {row.design: row.mark for row in report.rows}
    return chart.intervals(finding, rows, axis="mark, with its interval")


def show(report: Report) -> None:
    """Show the table of a report in a notebook, and what its marks can and cannot say."""
    display({"text/html": marks.table(report), "text/plain": report.table()}, raw=True)


def page(report: Report) -> str:
    """A report as one HTML page with its chart; it needs no network."""
    return marks.page(report, marks_chart(report).markup())


def _finding(report: Report) -> str:
    """Returns the finding of the marks, in a sentence."""
    if report.cases == 1:
        return "1 case is too few for a verdict"
    if report.cases < FEWEST:
        return f"{report.cases} cases are too few for a verdict"
    apart = []
    for row in report.rows:
        if row.against and row.against.verdict in SEEN:
            apart.append(row.design)
    if apart:
        return f"{report.cases} cases tell {report.rows[0].design} from {' and '.join(apart)}"
    return f"{report.cases} cases cannot tell the {len(report.rows)} designs apart"


def draw_gains(finding: str, gains: Mapping[str, Difference], zero: str) -> None:
    """Shows differences with their intervals; `zero` says what no difference means."""
    rows = {name: gain[:3] for name, gain in gains.items()}
    display(chart.intervals(finding, rows, axis="difference, with its interval", zero=zero))


SEEN = ("better", "worse")
"""Verdicts of a difference that was seen."""
