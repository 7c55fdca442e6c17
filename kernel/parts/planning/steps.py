"""A plan as data: steps, what each needs, which can run at once, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable
from graphlib import CycleError, TopologicalSorter
from itertools import combinations

from pydantic import BaseModel, ConfigDict

from ...core.budget import Budget
from ...core.contract import Status
from ...plumbing.labels import ARTIFACT_NAME, ARTIFACT_NAME_RULE, LABEL, LABEL_RULE, label
from .registry import Registry, stems

MOST_STEPS = 20
RESERVED_IDS = {"task", "context", "feedback", "findings", "missing", "plan"}
"""Names of other parts of a handoff: no step may have one of them as its id."""


class Step(BaseModel):
    """One piece of work, done by one worker."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
    id: str
    """A label: the step's result is an artifact of this name."""
    worker: str
    """The name of an executable in the registry."""
    intent: str
    """The goal; all that the worker knows beside the results that it needs."""
    needs: list[str] = []
    """The ids of the steps whose results it gets."""
    artifacts: dict[str, str] = {}
    """Further payloads; none may have the name of a step or of another part of a handoff."""
    budget: Budget | None = None
    """The limit of this step; None for what the run allows."""


class Plan(BaseModel):
    """Steps and what each of them needs."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
    steps: list[Step]

    def batches(self) -> list[list[Step]]:
        """The steps in batches: within one nobody needs another, so they can run at once.

        Raises ValueError for a need that is not a step, and for a cycle, with its path.
        """
        steps = {step.id: step for step in self.steps}
        for step in self.steps:
            for need in step.needs:
                if need not in steps:
                    raise ValueError(f"step {step.id!r} needs {need!r}, which is not a step")
        sorter = TopologicalSorter({step.id: step.needs for step in self.steps})
        try:
            sorter.prepare()
        except CycleError as error:
            path = " → ".join(reversed(error.args[1]))
            raise ValueError(f"the steps need each other in a cycle: {path}") from None
        batches = []
        while sorter.is_active():
            ready = set(sorter.get_ready())
            batches.append([step for step in self.steps if step.id in ready])
            sorter.done(*ready)
        return batches

    def __str__(self) -> str:
        """The batches in a line: "code, ops → comms"."""
        return " → ".join(", ".join(step.id for step in batch) for batch in self.batches())


def problems(plan: Plan, registry: Registry, limits: Iterable[Budget] = ()) -> list[str]:
    """What is wrong with a plan, a sentence each; empty when it can run.

    `limits` are the budgets above it: no step budget may exceed any of them.
    """
    if not 1 <= len(plan.steps) <= MOST_STEPS:
        return [f"the plan has {len(plan.steps)} steps; expected 1 to {MOST_STEPS}"]
    found = []
    ids = [step.id for step in plan.steps]
    different = sorted(set(ids))
    for id in different:
        if ids.count(id) > 1:
            found.append(f"the id {id!r} is used twice")
    for one, other in combinations(different, 2):
        if one.lower() == other.lower():
            found.append(
                f"the ids {one!r} and {other!r} differ only in capital letters; rename one"
            )
    limits = list(limits)
    for step in plan.steps:
        wrong = list(_wrong_with(step, registry))
        wrong += _wrong_artifacts(step, ids)
        wrong += _wrong_needs(step, ids)
        wrong += _too_much(step, limits)
        found += [f"step {step.id!r} {problem}" for problem in wrong]
    found += _same_work(plan)
    if not found:
        try:
            plan.batches()
        except ValueError as error:
            found.append(str(error))
    return found


def _wrong_with(step: Step, registry: Registry) -> Iterable[str]:
    if not LABEL.fullmatch(step.id) or step.id.lower() in RESERVED_IDS:
        taken = ", ".join(sorted(RESERVED_IDS))
        yield f"needs another id; expected {LABEL_RULE}; and none of: {taken}"
    if step.worker not in registry:
        workers = ", ".join(registry.names()) or "none"
        yield f"has an unknown worker {step.worker!r}; the workers are: {workers}"
    if not step.intent.strip():
        yield "has no intent; say what to achieve"


def _wrong_artifacts(step: Step, ids: list[str]) -> Iterable[str]:
    """No payload may stand for the result of a step, or for another part of a handoff."""
    labels = [label(name).lower() for name in step.artifacts]
    results = {each.lower() for each in ids}
    for name, own in zip(step.artifacts, labels, strict=True):
        if not ARTIFACT_NAME.fullmatch(name):
            yield f"has an artifact named {name!r}; expected {ARTIFACT_NAME_RULE}"
        elif own in RESERVED_IDS:
            yield f"has an artifact named {name!r}, which is another part of a handoff; rename it"
        elif own in results:
            yield f"has an artifact named {name!r}, which is the result of a step; rename it"
        elif labels.count(own) > 1:
            yield f"has two artifacts named {label(name)!r}; rename one"


def _wrong_needs(step: Step, ids: list[str]) -> Iterable[str]:
    for need in step.needs:
        if need == step.id:
            yield "needs itself"
        elif need not in ids:
            yield f"needs {need!r}, which is not a step; the steps are: {', '.join(ids)}"


def _too_much(step: Step, limits: list[Budget]) -> Iterable[str]:
    budget = step.budget or Budget()
    for name in ("usd", "calls", "tokens", "turns", "seconds"):
        asked = getattr(budget, name)
        if asked is None:
            continue
        for limit in limits:
            allowed = getattr(limit, name)
            if allowed is not None and asked > allowed:
                yield f"has a budget of {asked} {name}; the run has {allowed}"
                break


def _same_work(plan: Plan) -> Iterable[str]:
    for one, other in combinations(plan.steps, 2):
        if one.id != other.id and _work_of(one) == _work_of(other):
            yield f"steps {one.id!r} and {other.id!r} are the same work; keep one"


def _work_of(step: Step) -> tuple[object, ...]:
    """The worker of a step and what it is given."""
    artifacts = {label(name): text for name, text in step.artifacts.items()}
    return label(step.worker), step.intent, sorted(step.needs), artifacts


class NoPlan(Exception):
    """There is no plan that can run; the message says why, `status` how the planner ended."""

    def __init__(self, reason: str, status: Status = "failed") -> None:
        super().__init__(reason)
        self.status = status


class NoCapableWorker(NoPlan):
    """Neither one worker nor two together can do what is asked."""


def capable(capability: str, registry: Registry) -> list[str]:
    """Returns the name of one worker that covers all words of a capability, or of two that do so
    together.

    Raises NoCapableWorker, which says who there is.
    """
    needed = stems(capability)
    covers = {}
    for worker in registry.find(capability):
        covers[label(worker.name)] = needed & stems(f"{worker.name} {worker.description}")
    for size in (1, 2):
        for names in combinations(covers, size):
            covered = set()
            for name in names:
                covered |= covers[name]
            if needed and covered == needed:
                return list(names)
    workers = ", ".join(registry.names()) or "none"
    raise NoCapableWorker(
        f"nobody can do {capability!r}, neither one worker nor two together; "
        f"the workers are: {workers}"
    )
