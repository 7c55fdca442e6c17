"""The cells that the grader adds to a notebook, and what our own solutions print in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .kernel import GradedKernel, Outcome
from .merge import Master, merge
from .plan import Plan
from .trials import trials


def trial_source(exercise: Any, number: int, seed: int) -> str:
    """The cell that looks at an answer; it prints one line of its own."""
    return (f"from workshop.grading.trials import see\n"
            f"print('', see({exercise.name}, {exercise.id!r}, {number}, {seed}), sep='\\n')")


def explain_source(exercise: Any, seed: int, folder: Path) -> str:
    """The cell that asks the exercise's own check for its explanation, after everything has been graded."""
    return (f"import json, sys\nsys.path.insert(0, {str(folder)!r})\n"
            "from told.engine import judge\nfrom told.register import exercise\n"
            f"said = judge(exercise({exercise.id!r}), globals().get({exercise.name!r}, ...), seed={seed})\n"
            'print(json.dumps({"outcome": said.outcome, "headline": said.headline, "misconception": said.misconception,'
            ' "parts": said.parts}))')


def printed(outcome: Outcome, trial: str) -> str:
    """The last line of a cell's output that has the form of a trial's; an answer may have printed what it likes around it."""
    end = f'"trial": "{trial}"}}'  # looked for first, since millions of lines that only begin alike take long to parse
    lines = [line for line in outcome.stdout().split("\n") if line.endswith(end)]
    return next((line for line in reversed(lines) if _is_line(line, trial)), "")


def reference(of: Master, plan: Plan) -> dict[str, list[str]]:
    """By exercise, what the master's solutions print for this plan's inputs, each notebook in a kernel of its own.

    Raises RuntimeError when a solution does not run: then nobody can be graded.
    """
    merged = merge(of.solved(), of)
    kernel = GradedKernel(Path(plan.course))
    try:
        def run(source: str, what: str) -> Outcome:
            outcome = kernel.run(source, plan.timeout_s)
            if outcome.ended != "ok":
                raise RuntimeError(f"the master {of.name} cannot be used: {what}: {outcome.ended}, {outcome.reason}")
            return outcome

        for cell in merged.cells:
            run(cell.source, cell.exercise or "a given cell")
        return {its.id: [printed(run(trial_source(its, at, plan.seed), f"{its.id}, {trial.title}"), f"{its.id}/{at}")
                         for at, trial in enumerate(trials(its.id))] for its in of.exercises}
    finally:
        kernel.stop()


def _is_line(text: str, trial: str) -> bool:
    """Whether a line has the form of a check's own."""
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(said, dict) and said.get("trial") == trial
