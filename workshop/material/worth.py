"""Lessons 02, 07 and 22: what plain code sees of a brief, a larger team, the break-even chart."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Literal

from IPython.display import display
from pydantic import BaseModel

from kernel import Agent, Corpus, Handoff, Run, connect, models, researcher, writer
from kernel.search import as_text
from workshop.views import chart

SOURCE_ID = r"[\w-]+"
CITATION = rf"\[({SOURCE_ID})\]"
PLANNER = (
    "You are the planner of an editorial desk. "
    "Your one worker: researcher (finds facts on one topic, with sources). "
    "Split the task into steps that do not depend on each other."
)
SYNTHESIZER = (
    "You are the synthesizer of an editorial desk. Merge the facts of the workers into one "
    "brief of at most 180 words. Cite the source of each sentence, and use every source."
)


def per_thousand(usd: Decimal | None) -> float:
    """Dollars for 1,000 briefs; nan when the price is not known."""
    if usd is None:
        return float("nan")
    return float(usd) * 1000


def sentences(brief: str) -> list[tuple[str, list[str]]]:
    """(sentence, the ids that it cites) for each sentence or bullet under the title.

    Brackets may stand before the full stop, as in a brief, or behind it, as in a list of facts.
    """
    text = " ".join(line.removeprefix("- ") for line in brief.splitlines() if line[:1] != "#")
    text = re.sub(rf"([.!?])((?:\s*\[{SOURCE_ID}\])+)", r"\2\1", text)
    found = []
    for piece in re.split(r"(?<=[.!?])\s+", text.strip()):
        sentence = re.sub(rf"\s*{CITATION}", "", piece)
        ids = re.findall(CITATION, piece)
        if piece:
            found.append((sentence, ids))
    return found


def carried(sentence: str, sources: list[str], library: Corpus) -> bool:
    """Whether the cited documents hold all numbers and four of five words of the sentence."""
    found = [library.documents[id] for id in sources if id in library.documents]
    text = " ".join(f"{document.title} {document.text}" for document in found)
    held = set(re.findall(r"\w+", text.lower()))
    words = set(re.findall(r"\w+", sentence.lower()))
    numbers = {word for word in words if word.isdigit()}
    return numbers <= held and len(words & held) >= 0.8 * len(words)


class Step(BaseModel):
    """One step of a plan: who works, and on what."""

    worker: Literal["researcher"]
    task: str


class Plan(BaseModel):
    """The steps of a task; none of them needs another."""

    steps: list[Step]


async def planned(task: str, library: Corpus, *, searching: bool) -> tuple[int, Run, str]:
    """Plans a task, works on its steps at once and merges; returns (steps, the run, the brief).

    searching: whether each worker searches for itself (two calls); otherwise plain code finds the
    documents (one call).
    """
    planner = Agent("planner", "Splits a task.", PLANNER, models.planner, output=Plan)
    synthesizer = Agent("synthesizer", "Merges results.", SYNTHESIZER, models.worker)
    reader = replace(writer(), name="researcher")

    run = Run(connect())
    split = await run.dispatch(planner, Handoff(intent=task))
    plan = split.output
    steps = plan.steps if isinstance(plan, Plan) else []  # a weak model may not keep the schema
    jobs = []
    for step in steps:
        if searching:
            handoff = Handoff(intent=step.task)
            jobs.append((researcher(library), handoff))
        else:
            found = await library.search(step.task, 3)
            material = {"facts": as_text(found)}
            handoff = Handoff(intent=step.task, artifacts=material)
            jobs.append((reader, handoff))
    parts = await run.fan_out(jobs)
    facts = {f"facts_{number}": part.as_text() for number, part in enumerate(parts, 1)}
    brief = await run.dispatch(synthesizer, Handoff(intent=task, artifacts=facts))
    return len(steps), run, brief.as_text()


def draw_break_even(gains: Mapping[str, tuple[int, float]]) -> None:
    """Lines of the team's net gain over what one further source is worth.

    gains: task → (sources that the team has more, dollars that it costs more for 1,000 briefs).
    """
    pays = sum(gain > 0 for gain, _ in gains.values())
    finding = f"The team can pay on {pays} of {len(gains)} tasks: where it has more sources"
    ends = {}
    for task, (gain, extra) in gains.items():
        ends[task] = (-extra, gain - extra)
    x_axis = "what one further source is worth ($ for 1,000 briefs)"
    display(chart.lines(finding, ends, x_axis=x_axis, y_axis="net gain ($)"))
