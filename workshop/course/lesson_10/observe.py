"""Observations of answers to lesson 10: suggestions, contradictions, new plans, a synthesis."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from classroom.observing import call, held, pictured, wait
from kernel import Budget, Handoff, Registry, Result, Run, connect
from kernel.parts.planning.findings import SYNTHESIZER
from kernel.parts.planning.plan import Finding, Findings, Plan
from workshop.course.desks import Specialist, at_once, fresh_answer
from workshop.course.seen import quiet_run

MOST_PLANS = 12
"""The number of times that a planner plans before it takes a loop to be endless."""

# ── 10.1 and 10.2 ─────────────────────────────────────────────────────────────────────────────────


def suggested(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes the workers for whom an answer would plan."""
    quiet_run()
    returned = call(answer, case["findings"], case["busy"], case["workers"])
    return {"workers": returned}


def contradictions(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The pairs of steps that an answer finds in contradiction."""
    quiet_run()
    returned = call(answer, case["findings"])
    ordered = sorted(returned, key=repr) if isinstance(returned, list) else returned
    return {"contradictions": ordered}


# ── 10.3 ──────────────────────────────────────────────────────────────────────────────────────────


@dataclass
class Book:
    """A planner that gives the plans of its case, one after the other, and notes what it was asked."""

    plans: list[Plan]
    tasks: list[str] = field(default_factory=list)
    findings: list[list[str]] = field(default_factory=list)

    async def plan(
        self, task: str, registry: Any, run: Any, findings: Sequence[Finding] = ()
    ) -> Plan:
        if len(self.tasks) == MOST_PLANS:
            raise AssertionError(
                f"the planner was asked {MOST_PLANS + 1} times; expected an end before that"
            )
        self.tasks.append(task)
        self.findings.append(sorted(finding.claim for finding in findings))
        place = min(len(self.tasks), len(self.plans)) - 1
        return self.plans[place]


@dataclass
class Colleague:
    """A worker that answers each intent as its case says, after a while."""

    name: str
    answers: dict[str, Result]
    description: str = "Works as its case says."
    calls: int = 0

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        self.calls += 1
        for _ in range(4):
            await asyncio.sleep(0)
        unknown = Result(status="failed", reason=f"nobody planned {handoff.intent!r}")
        return self.answers.get(handoff.intent, unknown)


def result_of(facts: dict[str, Any]) -> Result:
    """A result with findings, or one that is not ok."""
    if facts["status"] != "ok":
        return Result(status=facts["status"], reason=facts["reason"])
    return Result(status="ok", output=Findings(items=facts["findings"]))


def claims_of(result: Result) -> list[str]:
    output = result.output
    return [finding.claim for finding in output.items] if isinstance(output, Findings) else []


def replanned(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes the planner's tasks and findings, the handoff to each step, and the results."""
    answers = {intent: result_of(facts) for intent, facts in case["answers"].items()}
    team = [Colleague(name, answers) for name in case["workers"]]
    registry = Registry()
    for colleague in team:
        registry.register(colleague)
    book = Book([Plan(steps=steps) for steps in case["plans"]])
    handoff = Handoff(intent=case["intent"], context=case["context"])
    run = quiet_run()
    returned = call(answer, handoff, registry, book, case["max_replans"], run)
    given = sorted(run.trace().handoffs(), key=lambda one: (one["intent"], str(one["artifacts"])))
    seen: dict[str, Any] = {
        "how often the planner was asked": len(book.tasks),
        "findings that the planner was given": book.findings,
        "the planner was given the task": [case["intent"] in task for task in book.tasks],
        "calls of execute past the run": max(0, sum(one.calls for one in team) - len(given)),
        "steps that were dispatched": [one["intent"] for one in given],
        "most at work at once": at_once(run),
    }
    claims = [claim for result in answers.values() for claim in claims_of(result)]
    for one in given:
        seen[f"“{one['intent']}” was given"] = {
            "to": one["to_agent"],
            "context": one["context"],
            "results": {name: held(text, *claims) for name, text in one["artifacts"].items()},
        }
    if type(returned) is not dict:
        return {**seen, "returned": returned}
    seen["steps in the dict"] = sorted(returned, key=str)
    for id, result in sorted(returned.items(), key=lambda pair: str(pair[0])):
        is_result = isinstance(result, Result)
        seen[f"{id}: result"] = [result.status, *claims_of(result)] if is_result else result
    return seen


# ── 10.4 ──────────────────────────────────────────────────────────────────────────────────────────


def summed_up(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes the handoff to the synthesizer, and the names and sources in the synthesis."""
    budget = Budget(calls=case["calls"])
    run = pictured(Run(connect("offline", latency_ms=0), budget=budget))
    handoff = Handoff(intent=case["intent"], context=case["context"])
    results = {}
    for id, facts in case["results"].items():
        worker = Specialist(facts["worker"], fresh_answer(result_of, facts))
        part = Handoff(intent=f"Look, as step {id}", context=case["context"])
        results[id] = wait(run.dispatch(worker, part))
    before = len(run.trace().handoffs())
    returned = call(answer, handoff, results, run)
    asked = run.trace().work.requests
    given = run.trace().handoffs()[before:]
    reasons = [facts["reason"] for facts in case["results"].values() if facts["status"] != "ok"]
    seen: dict[str, Any] = {
        "handoffs to a synthesizer": len(given),
        "requests to the model": len(asked),
    }
    for one in given[:1]:
        artifacts = one["artifacts"]
        whole = "\n".join(artifacts.values())
        for id, facts in case["results"].items():
            if facts["status"] == "ok":
                seen[f"under {id}"] = held(artifacts.get(id, ""), *_told(facts))
        seen["statuses and reasons among the artifacts"] = held(whole, *_lost(case))
        seen["the ticket"] = held(one["context"] + one["intent"] + whole, case["context"])
        seen["the task"] = held(one["context"] + one["intent"] + whole, case["intent"])
    for request in asked[:1]:
        system = str(request.body.get("system", "")).strip()
        own = "none" if not system else "the kernel's" if SYNTHESIZER in system else "your own"
        seen["the prompt"] = (own,)
    if not isinstance(returned, Result):
        return {**seen, "returned": returned}
    seen["status"] = returned.status
    seen["what the reason names"] = held(returned.reason, *_missing(case), *reasons)
    seen["there is a reason"] = bool(returned.reason)
    output = returned.output
    seen["output"] = (_kind_of(output),)
    pairs = [sorted(clash.steps) for clash in getattr(output, "contradictions", [])]
    seen["steps of the contradictions"] = sorted(pairs)
    text = str(getattr(output, "answer", ""))
    sources = [line for facts in case["results"].values() for line in _evidence(facts)]
    seen["sources that the answer keeps"] = held(text, *sources)
    open_ones = [str(question) for question in getattr(output, "open_questions", [])]
    seen["claims among the open questions"] = held("\n".join(open_ones), *_undecided(case))
    words = "\n".join([text, *open_ones])
    seen["reasons that the synthesis names"] = held(words, *reasons)
    return seen


def _kind_of(output: Any) -> str:
    """Returns the kind of the output in place of a synthesis."""
    if output is None:
        return "nothing"
    return "a synthesis" if hasattr(output, "contradictions") else "something else"


def _told(facts: dict[str, Any]) -> list[str]:
    """Returns the lines that the text of a result has to hold."""
    return [finding["claim"] for finding in facts["findings"]] + _evidence(facts)


def _evidence(facts: dict[str, Any]) -> list[str]:
    findings = facts.get("findings", [])
    return [line for finding in findings for line in finding["evidence"]]


def _missing(case: dict[str, Any]) -> list[str]:
    return [id for id, facts in case["results"].items() if facts["status"] != "ok"]


def _lost(case: dict[str, Any]) -> list[str]:
    """The statuses and reasons of what is missing."""
    rows = [case["results"][id] for id in _missing(case)]
    return [part for facts in rows for part in (facts["status"], facts["reason"])]


def _undecided(case: dict[str, Any]) -> list[str]:
    findings = [one for facts in case["results"].values() for one in facts.get("findings", [])]
    return [finding["claim"] for finding in findings if finding["holds"] is None]


OBSERVE = {
    "10.1": suggested,
    "10.2": contradictions,
    "10.3": replanned,
    "10.4": summed_up,
}
