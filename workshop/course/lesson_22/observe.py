"""Observations of answers to lesson 22: marks of a rubric item, designs, a decision on a change."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from classroom.observing import as_number, call
from kernel import Handoff, Result, Run
from kernel.parts.evaluate import Trial
from workshop.course.seen import quiet_run

MOST = 60
"""The number of times that a design works before it takes a loop to be endless."""


def graded(well_cited: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The mark that the item gives an answer."""
    quiet_run()
    return {"mark": as_number(call(well_cited, case["answer"], {*case["known"]}), 2)}


@dataclass
class Design:
    """An executable that answers as its case says for a task and the service of a seed."""

    name: str
    answers: dict[str, dict[str, Any]]
    """By task and seed, with a space between them: the fields of the result."""
    seeds: dict[int, int]
    """The seed of a client, by its identity."""
    description: str = "Works as its case says."
    worked: list[tuple[str, int]] = field(default_factory=list)

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        seed = self.seeds.get(id(run.client), -1)
        self.worked.append((handoff.intent, seed))
        if len(self.worked) > MOST:
            raise AssertionError(f"{self.name} was given work {len(self.worked)} times")
        nothing = {"status": "failed", "reason": "no such task or seed"}
        return Result(**self.answers.get(f"{handoff.intent} {seed}", nothing))


def compared(gains: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes the work of each design under each seed, the graded answers, and the gains."""
    runs: list[tuple[int, Run]] = []
    seeds: dict[int, int] = {}
    graded_empty: list[str] = []

    def new_run(seed: int) -> Run:
        run = quiet_run()
        runs.append((seed, run))
        seeds[id(run.client)] = seed
        return run

    def grade(task: str, answer: str) -> float:
        if not answer.strip():
            graded_empty.append(task)
            return 1.0
        return case["marks"].get(f"{task} {answer}", 0.0)

    pairs = zip(case["names"], case["answers"], strict=True)
    first, second = (Design(name, answers, seeds) for name, answers in pairs)
    returned = call(gains, first, second, case["tasks"], case["seeds"], new_run, grade)
    given = [len(run.trace().handoffs()) for _, run in runs]
    worked = [(each.name, *job) for each in (first, second) for job in each.worked]
    seen: dict[str, Any] = {
        "calls of execute past the run": max(0, len(worked) - sum(given)),
        "most handoffs in one run": max(given, default=0),
        "work": sorted(worked),
        "empty answers that were graded": sorted({*graded_empty}),
    }
    if isinstance(returned, list):
        returned = [as_number(gain, 3) for gain in returned]
    return {**seen, "gains": returned}


def decided(decide: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The decision on a change."""
    quiet_run()
    pairs = [_trials(name, case[name]) for name in ("today", "change")]
    return {"decision": call(decide, *pairs, case["item"], case["tolerated"])}


def _trials(design: str, marks: dict[str, list[dict[str, float]]]) -> list[Trial]:
    """Trials from their marks: the n-th repeat of a case has seed n."""
    return [
        Trial(
            design=design,
            case=case,
            seed=seed,
            status="ok",
            output="A brief.",
            usd=Decimal("0.001"),
            calls=2,
            tokens=100,
            seconds=1.0,
            mode="offline",
            marks=items,
        )
        for case, repeats in marks.items()
        for seed, items in enumerate(repeats)
    ]


OBSERVE = {"22.1": graded, "22.2": compared, "22.3": decided}
