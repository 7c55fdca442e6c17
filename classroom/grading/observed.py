"""Draws what answers are graded on, outside their process, and compares what was seen of them with
what ours showed.

A submission's process gets one case at a time: its inputs, and the code that observes. It gets
neither the seed nor the code that draws, nor the kind of a case, nor what is right; cases of all
kinds come in one drawn order.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from classroom.checks import draws, tables
from classroom.checks.compare import TriedCase, differing
from classroom.checks.explain import explain
from classroom.checks.register import Exercise
from classroom.checks.wording import NOTHING, both
from classroom.course import active
from classroom.observing import Sight, at_the_service, line_of, read, sight_of

from .intake.answers import Master, merge
from .plan import TIMEOUTS, GradingPlan
from .sandbox.sandboxed_kernel import GradedKernel, KernelFailed, Outcome
from .service import POSSIBLE, OutsideService, ServiceFailed, completed
from .staged import StagedNotebook

OURS_S = 60.0
"""For one cell of our own solution: nobody has to be protected from it, and without it nobody can
be graded.
"""


@dataclass(frozen=True)
class DrawnCase:
    """One case of a grading run."""

    label: str
    """By which its line is known; says nothing about the case."""
    trial: str
    inputs: Any
    """The inputs, which enter the process."""
    outside: dict[str, Any] = field(default_factory=dict)
    """The facts that only the reading of what was seen needs."""


def drawn(exercise: Exercise, seed: int) -> list[DrawnCase]:
    """The cases of an exercise for this seed, in the order in which answers get them."""
    cases = draws.drawn(exercise.id, Random(f"{seed}/{exercise.id}"))
    Random(f"{seed}/{exercise.id}/order").shuffle(cases)
    found = []
    for number, case in enumerate(cases):
        label = f"{exercise.id}/{number}"
        found.append(DrawnCase(label, case.trial, case.inputs, case.outside))
    return found


def case_source(exercise: Exercise, inputs: Any, label: str, socket: str = "") -> str:
    """The cell that shows an answer one case; it prints one line of its own."""
    course, name = active().module, exercise.name
    given = f"{course!r}, {name}, {name!r}, {exercise.id!r}, {inputs!r}, {label!r}"
    given += f", {socket!r}" if socket else ""
    return f"from classroom.observing import show\nprint('', show({given}), sep='\\n')"


def printed(outcome: Outcome, label: str) -> str:
    """The last line of a cell's output that tells of this case; an answer may print what it likes
    around it.
    """
    # the end is compared first: an answer may print millions of lines that only begin alike
    end = f'"case": "{label}"}}'
    lines = [line for line in outcome.stdout().split("\n") if line.endswith(end)]
    return next((line for line in reversed(lines) if _sight(line)), "")


def look(
    exercise: Exercise,
    inputs: Any,
    label: str,
    kernel: GradedKernel,
    run: Callable[[str], Outcome],
    outside: dict[str, Any] | None = None,
) -> tuple[Outcome, str]:
    """Shows an answer one case: how that ended, and its line, read here by what is `outside`.

    Where the exercise is also seen at the service, the service is outside of the sandbox, and what
    it saw is put into the line here.
    """
    reader = at_the_service(exercise.id)
    if reader is None or not POSSIBLE:
        outcome = run(case_source(exercise, inputs, label))
        return outcome, _read(exercise, printed(outcome, label), label, outside)
    beside = _service_of(kernel)
    refused = beside.take().refused  # between two cases, by what an earlier answer left behind
    if not refused:
        outcome = run(case_source(exercise, inputs, label, beside.socket))
        if outcome.ended in ("timeout", "killed"):
            return outcome, ""
        log, refused = beside.take()
    if refused:  # the case does not count, and what sends all this ends
        kernel.stop()
        return Outcome("killed", f"the service served it no more: {refused}"), ""
    line = completed(printed(outcome, label), reader, log, inputs)
    return outcome, _read(exercise, line, label, outside)


def _read(exercise: Exercise, line: str, label: str, outside: dict[str, Any] | None) -> str:
    """A line as it is compared: `read` has read what was seen."""
    sight = _sight(line)
    if sight is None:
        return line
    seen = read(exercise.id, sight.seen, outside or {})
    if seen == sight.seen:
        return line
    sight.seen = seen
    return line_of(sight, label)


def _service_of(kernel: GradedKernel) -> OutsideService:
    """The service beside a kernel. Raises KernelFailed when this machine cannot start it."""
    if kernel.service is None:
        service = active().service()
        assert service is not None, "an exercise is seen at a service that the course does not have"
        try:
            kernel.stands_beside(OutsideService(service, kernel.sockets))
        except (ServiceFailed, OSError) as problem:
            raise KernelFailed(str(problem)) from None
    return kernel.service


def reference(of: Master, plan: GradingPlan) -> dict[str, list[str]]:
    """By exercise, what the master's solutions print for this plan's inputs, each notebook in a
    kernel of its own.

    Raises RuntimeError when a solution does not run: then nobody can be graded.
    """
    merged = merge(of.solved(), of)
    kernel = GradedKernel(Path(plan.course))
    found: dict[str, list[str]] = {}
    try:

        def run(source: str, description: str) -> Outcome:
            outcome = kernel.run(source, max(plan.timeout_s, OURS_S))
            if outcome.ended != "ok" or outcome.tells_of_a_refusal():
                raise RuntimeError(
                    f"the master {of.name} cannot be used: {description}: "
                    f"{outcome.ended}, {outcome.reason}"
                )
            return outcome

        done = 0
        for exercise in of.exercises:
            for cell in merged.cells[done : merged.until[exercise.id]]:
                run(cell.source, cell.exercise or "a given cell")
            done = merged.until[exercise.id]
            for case in drawn(exercise, plan.seed):
                asked = functools.partial(run, description=case.label)
                _, line = look(exercise, case.inputs, case.label, kernel, asked, case.outside)
                found.setdefault(exercise.id, []).append(line)
        return found
    finally:
        kernel.stop()


def first_difference(exercise: Exercise, line: str, ours: str) -> tuple[str, str] | None:
    """The first aspect that is not right, as it was seen and as it was expected; None when all are
    right.
    """
    actual, ours_seen = sight_of(line).seen, sight_of(ours).seen
    found = differing(actual, ours_seen, exercise.rules)
    if not found:
        return None
    aspect = found[0]
    shown, expected = both(actual.get(aspect, NOTHING), ours_seen.get(aspect, NOTHING))
    if shown == expected:  # alike in words, as 1 and True are not in Python
        shown, expected = (
            json.dumps(seen.get(aspect), sort_keys=True) for seen in (actual, ours_seen)
        )
    return f"{aspect}: {shown}", f"{aspect}: {expected}"


@dataclass(frozen=True)
class Shown:
    """One case that an answer was shown, and its outcome."""

    case: DrawnCase
    ours: str
    """The line that our solution printed."""
    outcome: Outcome | None
    """None when it was not shown."""
    line: str = ""
    reason: str = ""


class Observations:
    """Shows the answers of one submission the cases of their exercises, each once."""

    def __init__(self, staged: StagedNotebook, plan: GradingPlan) -> None:
        self.staged, self.plan = staged, plan
        self._shown: dict[str, list[Shown]] = {}

    def of(self, exercise: Exercise) -> list[Shown]:
        """The cases of an exercise, in the order in which they were shown."""
        if exercise.id not in self._shown:
            cases = drawn(exercise, self.plan.seed)
            self._shown[exercise.id] = []
            for case, ours in zip(cases, self.plan.lines[exercise.id], strict=True):
                self._shown[exercise.id].append(self._show(exercise, case, ours))
        return self._shown[exercise.id]

    def explained(self, exercise: Exercise) -> dict[str, dict[str, Any]]:
        """The verdict of the exercise's own check on a built draw, made outside of what was seen;
        by exercise.

        Empty where it cannot be made, or says that all is well: the inputs differ from the graded
        ones.
        """
        row = tables.row(exercise.id, 0)
        sights = []
        for number, tried in enumerate(row):
            label = f"{exercise.id}/built {number}"
            if not self.staged.ready(exercise.id):
                return {}
            outcome, line = self._look(exercise, tried, label)
            sight = _sight(line)
            if outcome.ended != "ok" or sight is None:
                return {}
            sights.append(sight)
        try:
            verdict = explain(exercise, row, sights)
        except Exception as problem:  # of an explanation no mark depends
            kind = type(problem).__name__
            self.staged.merged.flags.append(f"{exercise.id}: no explanation was made ({kind})")
            return {}
        if verdict.passed:
            return {}
        parts = [[label, text[:2_000]] for label, text in verdict.parts]
        facts = {"outcome": verdict.outcome, "headline": verdict.headline}
        return {exercise.id: {**facts, "misconception": verdict.misconception, "parts": parts}}

    def _show(self, exercise: Exercise, case: DrawnCase, ours: str) -> Shown:
        ready = (
            exercise.id in self.staged.fatal
            or self._stopped(exercise)
            or self.staged.ready(exercise.id)
        )
        fatal = self.staged.fatal.get(exercise.id)
        if fatal is not None:
            return Shown(case, ours, fatal, reason=f"running the answer's cell: {fatal.reason}")
        if self._stopped(exercise):
            reason = f"{TIMEOUTS} checks of this exercise had to be stopped"
            return Shown(case, ours, None, reason=reason)
        if not ready:
            return Shown(case, ours, None, reason=self.staged.out_of_time())
        outcome, line = self._look(exercise, case, case.label)
        return Shown(case, ours, outcome, line, outcome.reason)

    def _look(
        self, exercise: Exercise, case: DrawnCase | TriedCase, label: str
    ) -> tuple[Outcome, str]:
        assert self.staged.kernel is not None
        kernel, run = self.staged.kernel, self.staged.run
        return look(exercise, case.inputs, label, kernel, run, case.outside)

    def _stopped(self, exercise: Exercise) -> bool:
        """True if so many cases had to be stopped that the others are not shown."""
        ended = [shown.outcome.ended for shown in self._shown[exercise.id] if shown.outcome]
        return sum(how in ("timeout", "killed") for how in ended) >= TIMEOUTS


def _sight(line: str) -> Sight | None:
    try:
        return sight_of(line)
    except ValueError:
        return None
