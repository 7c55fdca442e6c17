"""Lesson 22: golden cases, four designs, the conditions that vary, and a judge with its facts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from random import Random
from statistics import fmean

from IPython.display import display
from pydantic import BaseModel, create_model

from classroom.notebook.presence import interactive
from kernel import (
    LIBRARY,
    Agent,
    Client,
    Corpus,
    DeterministicSupervisor,
    Executable,
    Handoff,
    LLMSupervisor,
    Run,
    connect,
    models,
    search_tool,
    specialists,
)
from kernel.calibrate import Caught
from kernel.evaluate import FEWEST, Case, Difference, Trial, by_case, sentences
from kernel.marks import Report
from workshop.views import chart

GOLDEN: Path = LIBRARY.parent / "golden.jsonl"
"""Twelve cases with their key facts."""

ALONE = """\
You are an editorial desk of one. Work in three steps.
1. Research: search the library for the topic of your task.
2. Write: a brief in at most 180 words under a title. Use only what the documents say, and cite
the source of each sentence in brackets: "Sentence [source-id]."
3. Review: every sentence must be carried by the source that it cites, and every source must be
used. Answer with the brief only."""

JUDGE = """\
You are the judge of an editorial desk. Score the draft against the facts from {low} to {high}.
Criteria: support, citations, coverage."""

QUESTION = """\
You are the judge of an editorial desk. Score the sentence against the facts from 0 to 1.
Criteria: {}."""


def alone(library: Corpus) -> Executable:
    """One agent that searches, writes and reviews, as in lesson 07."""
    tools = (search_tool(library),)
    return Agent("one-agent", "Writes briefs.", ALONE, models.worker, tools)


def unreviewed(library: Corpus) -> Executable:
    """The team in fixed order; its reviewer may object, but nothing is revised."""
    return DeterministicSupervisor(*specialists(library), max_revisions=0)


def team(library: Corpus) -> Executable:
    """The team in fixed order, with at most two revisions."""
    return DeterministicSupervisor(*specialists(library))


def led(library: Corpus) -> Executable:
    """The same team under a supervisor whose model chooses the order."""
    return LLMSupervisor(specialists(library))


DESIGNS: dict[str, Callable[[Corpus], Executable]] = {
    "one agent": alone,
    "no revision": unreviewed,
    "fixed order": team,
    "LLM supervisor": led,
}


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


async def drafts_of(cases: list[Case], library: Corpus) -> tuple[dict[str, str], dict[str, str]]:
    """The team's brief for each case, and the facts that it was written from."""
    briefs, facts = {}, {}
    for case in cases:
        result = await Run(connect()).dispatch(team(library), Handoff(intent=case.task))
        briefs[case.id] = result.as_text()
        facts[case.id] = result.artifacts.get("facts", "")
    return briefs, facts


def judge(facts: dict[str, str], low: int, high: int) -> Callable[[str, str], Awaitable[float]]:
    """A judge: a model that scores three criteria. The worst one is its mark."""
    fields = {name: (int, ...) for name in ("support", "citations", "coverage")}
    scores: type[BaseModel] = create_model("Scores", **fields)  # type: ignore[call-overload]
    system = JUDGE.format(low=low, high=high)
    agent = Agent("judge", "Scores a draft.", system, models.worker, output=scores)

    async def mark(name: str, draft: str) -> float:
        artifacts = {"facts": facts[name], "draft": draft}
        task = Handoff(intent="Score the draft.", artifacts=artifacts)
        result = await Run(connect()).dispatch(agent, task)
        if not isinstance(result.output, scores):
            raise RuntimeError(f"the judge gave no scores for {name}: {result.reason}")
        return min(result.output.model_dump().values())

    return mark


def by_sentence(facts: dict[str, str], question: str) -> Callable[[str, str], Awaitable[float]]:
    """A judge that is asked one question of each sentence: 1 for yes, 0 for no. The worst sentence
    is the draft's mark. No sentence of a draft is asked about twice."""
    answer: type[BaseModel] = create_model("Answer", **{question: (int, ...)})  # type: ignore[call-overload]
    agent = Agent("judge", "Answers.", QUESTION.format(question), models.worker, output=answer)
    known: dict[tuple[str, str], float] = {}

    async def mark(name: str, draft: str) -> float:
        marks = []
        for sentence in sentences(draft):
            if (name, sentence) not in known:
                known[name, sentence] = await ask(name, sentence)
            marks.append(known[name, sentence])
        return min(marks, default=0)

    async def ask(name: str, sentence: str) -> float:
        artifacts = {"facts": facts[name], "draft": sentence}
        task = Handoff(intent="Score the sentence.", artifacts=artifacts)
        result = await Run(connect()).dispatch(agent, task)
        if not isinstance(result.output, answer):
            raise RuntimeError(f"the judge gave no answer for {name}: {result.reason}")
        return result.output.model_dump()[question]

    return mark


def noticed_table(noticed: Mapping[str, Mapping[str, Caught]]) -> str:
    """For each fault a row: how many of its drafts each judge noticed."""
    heading = f"{'noticed':16}"
    for judge in noticed:
        heading += f"{judge:>12}"
    lines = [heading]
    for fault in next(iter(noticed.values())):
        line = f"{fault or '(none)':16}"
        for counts in noticed.values():
            count, of = counts[fault]
            line += f"{count:>6} of {of:<2}"
        lines.append(line)
    return "\n".join(lines)


Ends = Callable[[Sequence[float]], tuple[float, float]]
"""What gives the interval of a sample."""


def held(ends: Ends, count: int, samples: int = 1000) -> float:
    """The share of the intervals that hold the truth, where it is known: samples of so many values
    from a normal population."""
    draw = Random(16)
    found = 0
    for _ in range(samples):
        low, high = ends([draw.gauss(0.7, 0.1) for _ in range(count)])
        found += low < 0.7 < high
    return found / samples


def of_first(count: int, trials: Iterable[Trial]) -> list[Trial]:
    """The trials of the first cases only."""
    groups = [*by_case(trials).values()]
    return [*chain.from_iterable(groups[:count])]


def affordable(cases: Sequence[Case]) -> tuple[Sequence[Case], Sequence[int]]:
    """The cases and the seeds that the lesson tries: every case four times, or on a real model five
    cases once, which costs less than the limit of a notebook."""
    if connect().mode == "offline":
        return cases, range(4)
    return cases[:FEWEST], range(1)


def attended() -> bool:
    """Whether somebody sits here who would look at a progress bar."""
    return interactive()


def different(trials: Iterable[Trial]) -> float:
    """How many different answers a case got, on average."""
    return fmean(len({trial.output for trial in group}) for group in by_case(trials).values())


def marks_chart(report: Report) -> chart.Chart:
    """The mark of each design with its interval; one case has none."""
    finding = _finding(report)
    if report.cases == 1:
        means = {row.design: row.mark.mean for row in report.rows}
        return chart.bars(finding, means, axis="mark; one case has no interval")
    rows = {row.design: tuple(row.mark) for row in report.rows}
    return chart.intervals(finding, rows, axis="mark, with its 95 % interval")


def _finding(report: Report) -> str:
    """What the marks tell, in a sentence."""
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


def draw_marks(report: Report) -> None:
    """Shows the mark of each design with its interval."""
    display(marks_chart(report))


def draw_gains(finding: str, gains: Mapping[str, Difference], zero: str) -> None:
    """Shows differences with their intervals; `zero` says what no difference means."""
    rows = {name: gain[:3] for name, gain in gains.items()}
    display(chart.intervals(finding, rows, axis="difference, with its 95 % interval", zero=zero))


SEEN = ("better", "worse")
"""Verdicts of a difference that was seen."""
