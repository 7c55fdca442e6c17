"""Observations of answers to lesson 09: faults, batches, a plan at work, a planner's plan."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from classroom.observing import call, pictured, wait
from classroom.observing.canonical import Raised
from kernel import (
    Agent,
    Corpus,
    Executable,
    Handoff,
    Registry,
    Result,
    Run,
    connect,
    researcher,
    reviewer,
    writer,
)
from kernel.parts.planning.plan import Plan, PlannedSupervisor, problems
from workshop.course.desks import Specialist, at_once, fresh_answer
from workshop.course.seen import quiet_run, read_by

# ── 09.1 and 09.2 ─────────────────────────────────────────────────────────────────────────────────


def faults(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes the faults that an answer finds in a plan."""
    quiet_run()
    returned = call(answer, case["steps"], case["workers"])
    return {"faults": _sorted(returned)}


def batched(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The batches that an answer makes."""
    quiet_run()
    returned = call(answer, case["needs"])
    refused = isinstance(returned, Raised) and isinstance(returned.problem, ValueError)
    if refused:
        return {"batches": ("a ValueError",)}
    if not isinstance(returned, list):
        return {"batches": returned}
    return {"batches": [_sorted(batch) for batch in returned]}


def _sorted(value: Any) -> Any:
    """A list in an order of its own, so that an answer may choose one; anything else unchanged."""
    return sorted(value, key=repr) if isinstance(value, list) else value


TURNS = 8
"""The turns of the event loop that a step takes, so that steps that run at once overlap."""

# ── 09.3 ──────────────────────────────────────────────────────────────────────────────────────────


def dispatched(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """A plan that is dispatched: what each step was given and when, and what is returned."""
    plan = Plan.model_validate({"steps": case["steps"]})
    agents = not case["brings"]
    run = pictured(Run(connect("offline", latency_ms=0))) if agents else quiet_run()
    workers = Registry()
    for each in (
        _agents() if agents else [_Worker(name, case["brings"]) for name in case["workers"]]
    ):
        workers.register(each)
    returned = call(answer, plan, workers, run)
    if not isinstance(returned, dict):
        return {"returned": returned}
    by_step = _by_step(run)
    intents = {step.intent for step in plan.steps}
    seen: dict[str, Any] = {
        "handoffs with an intent that no step has": sum(
            intent not in intents for intent in by_step
        ),
        "steps with a result": sorted(returned, key=str),
        "steps that were handed over": sorted(
            step.id for step in plan.steps if step.intent in by_step
        ),
        "handoffs in all": len(run.trace().handoffs()),
        "steps that began before what they need was done": _too_early(plan, by_step),
        "at work at once, at most": at_once(run),
    }
    for step in plan.steps:
        for given in [by_step[step.intent]] if step.intent in by_step else []:
            seen[f"{step.id}: worker"] = given.handoff.to_agent
            seen[f"{step.id}: context"] = given.handoff.context
            seen[f"{step.id}: artifacts"] = sorted(given.handoff.artifacts)
            for need in step.needs:
                intent = next(one.intent for one in plan.steps if one.id == need)
                text = given.handoff.artifacts.get(need, "")
                done = by_step[intent].result if intent in by_step else None
                seen[f"{step.id}: what it gets of {need}"] = _part(text, done)
    for step in plan.steps:
        result = returned.get(step.id)
        if step.id in returned:
            ended = result.status if isinstance(result, Result) else result
            seen[f"{step.id}: result"] = ended
    return seen


@dataclass
class _Given:
    """One step's handoff, when it began and ended, and what came back."""

    handoff: Handoff
    began: int
    ended: int | None = None
    result: Result | None = None


def _by_step(run: Run) -> dict[str, _Given]:
    """By intent, which each step has for itself: its first handoff."""
    found: dict[str, _Given] = {}
    under_way: dict[str, _Given] = {}
    for event in run.events:
        if event.kind == "dispatch" and event.handoff.intent not in found:
            given = _Given(event.handoff, event.seq)
            found[event.handoff.intent] = under_way[event.run] = given
        elif event.kind == "return" and event.run in under_way:
            given = under_way[event.run]
            given.ended, given.result = event.seq, event.result
    return found


def _too_early(plan: Plan, by_step: dict[str, _Given]) -> list[str]:
    intents = {step.id: step.intent for step in plan.steps}
    found = []
    for step in plan.steps:
        given = by_step.get(step.intent)
        for need in step.needs if given else ():
            before = by_step.get(intents[need])
            if given and (before is None or before.ended is None or before.ended > given.began):
                found.append(step.id)
    return sorted({*found})


def _part(text: str, result: Result | None) -> Any:
    """Returns the part of a result that an artifact holds: all of it and no more, or of one that is
    not ok, the names of its parts.
    """
    if result is None:
        return "nothing to hand over"
    if result.ok:
        if text == result.as_text():
            return "its text"
        return "its text among others" if result.as_text() in text else "another text"
    parts = {"status": result.status, "reason": result.reason, "text": result.as_text()}
    return [name for name, part in parts.items() if part and part in text]


def _agents() -> list[Executable]:
    """The editorial desk, with models."""
    return [researcher(Corpus()), writer(), reviewer()]


@dataclass
class _Worker:
    """An executable that brings, for each intent, what its case says; it takes a few turns of the loop."""

    name: str
    brings: dict[str, dict[str, Any]]
    description: str = "Works as its case says."

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        for _ in range(TURNS):
            await asyncio.sleep(0)
        brings = self.brings.get(handoff.intent, {"output": "Nothing was asked for."})
        if "raises" in brings:
            raise ConnectionError(brings["raises"])
        return Result(**{"status": "ok", **brings})


# ── 09.4 ──────────────────────────────────────────────────────────────────────────────────────────


class _Written:
    """A planner that gives a plan which is there already."""

    def __init__(self, plan: Plan) -> None:
        self.written = plan

    async def plan(self, task: str, registry: Registry, run: Run, findings: Any = ()) -> Plan:
        return self.written


def planned(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """A planner's plan for a ticket: what is wrong with it, and who works when it is dispatched."""
    agent = call(answer)
    if not isinstance(agent, Agent):
        return {"returned": agent}
    workers = Registry()
    for name, about in case["workers"].items():
        answer_of = fresh_answer(str, f"{name} has looked.")
        workers.register(Specialist(name, answer_of, description=about))
    run = pictured(Run(connect("offline", latency_ms=0)))
    given = {"workers": workers.describe()}
    ticket = Handoff(intent=case["task"], context=case["ticket"], artifacts=given)
    result = wait(run.dispatch(agent, ticket))
    seen: dict[str, Any] = {
        "returned": ("an agent",),
        "name": agent.name,
        "prompt": ("a text",) if agent.system.strip() else ("empty",),
        "how planning ended": result.status,
    }
    try:
        plan = Plan.model_validate(result.output.model_dump())
    except (AttributeError, ValueError):
        return {**seen, "what came back": ("no plan",), "the offline model": read_by(run)}
    wrong = problems(plan, workers)
    seen |= {"what came back": ("a plan",), "faults of the plan": wrong}
    if wrong:
        return {**seen, "the offline model": read_by(run)}
    desk = PlannedSupervisor(workers, _Written(plan), Specialist("synthesizer", str), max_replans=0)
    before = len(run.events)
    wait(run.dispatch(desk, Handoff(intent=case["task"], context=case["ticket"])))
    begun = [event for event in run.events[before:] if event.kind == "dispatch"]
    seen["steps of the plan"] = len(plan.steps)
    seen["at work"] = sorted(each.agent for each in begun if each.agent in workers)
    seen["at work at once, at most"] = max(map(len, plan.batches()))
    seen["the offline model"] = read_by(run)
    return seen


OF_A_RULE = {
    "steps": ("steps of the plan", "at work"),
    "turns": ("at work at once, at most",),
}
"""The aspects of a plan that show each of the two rules of 09.4."""


def by_rule(seen: dict[str, Any], outside: dict[str, Any]) -> dict[str, Any]:
    """Returns an observation without the aspects of rules that another trial is about."""
    others = [rule for rule in OF_A_RULE if rule not in outside["rules"]]
    hidden = {aspect for rule in others for aspect in OF_A_RULE[rule]}
    return {aspect: value for aspect, value in seen.items() if aspect not in hidden}


READ = {"09.4": by_rule}
OBSERVE = {"09.1": faults, "09.2": batched, "09.3": dispatched, "09.4": planned}
