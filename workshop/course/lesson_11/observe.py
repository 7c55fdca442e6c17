"""Observations of answers to lesson 11: issues of a gate, the order of gates, lines of feedback,
and the rounds of a worker behind a gate.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from classroom.observing import call, held, pictured
from kernel import Handoff, Result, Run, connect, writer
from kernel.parts.gates import Issue, LengthGate
from workshop.course.desks import Specialist, order_of
from workshop.course.seen import ending, quiet_run

MOST_ISSUES = 20
"""Issues that are looked at; no draft has as many sentences."""


def gate(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The issues of a gate, each with the sentence and the source that it names."""
    quiet_run()
    returned = call(answer, case["draft"], case["sources"])
    if not _are_issues(returned):
        return {"issues": returned}
    seen: dict[str, Any] = {"number of issues": len(returned)}
    sentences = dict.fromkeys(case["draft"].splitlines())
    sources = dict.fromkeys(re.findall(r"\[([^\]]+)\]", case["draft"]))
    named = []
    for number, issue in enumerate(returned[:MOST_ISSUES], 1):
        name = f"issue {number}"
        has_problem = bool(issue.problem.strip())
        has_remedy = bool(issue.remedy.strip())
        seen[f"{name}, where"] = held(issue.where, *sentences)
        named += [f"{name}: {source}" for source in held(issue.problem, *sources)]
        seen[f"{name}, has a problem and a remedy"] = [has_problem, has_remedy]
    return {**seen, "sources that the problems name": named}


def _are_issues(returned: Any) -> bool:
    if not isinstance(returned, list):
        return False
    return all(type(issue) is Issue for issue in returned)


@dataclass
class Asked:
    """A gate that finds what its case says, and notes when it was asked."""

    name: str
    cost: float
    issues: list[str]
    log: list[str]

    def check(self, draft: str) -> list[str]:
        self.log.append(f"{self.name} on {draft}")
        return self.issues


def ordered(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes the order in which gates were asked, and the issues that came back."""
    quiet_run()
    log: list[str] = []
    gates = [Asked(name, cost, issues, log) for name, cost, issues in case["gates"]]
    before = {gate.name: list(gate.issues) for gate in gates}
    order = [gate.name for gate in gates]
    returned = call(answer, case["draft"], gates, meant=(gates,))
    issues = list(returned) if type(returned) is list else returned
    kept = [gate.name for gate in gates if isinstance(gate, Asked)]
    return {
        "asked": tuple(log),
        "issues": issues,
        "the list `gates` is as it was": kept == order,
        "the gates' own lists are as they were": all(
            gate.issues == before.get(gate.name) for gate in gates if isinstance(gate, Asked)
        ),
    }


def feedback(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The lines of a text of feedback, each with what it names."""
    quiet_run()
    issues = [Issue(**facts) for facts in case["issues"]]
    returned = call(answer, issues)
    if not isinstance(returned, str):
        return {"returned": returned}
    lines = returned.splitlines()
    texts = [text for facts in case["issues"] for text in facts.values()]
    pieces = dict.fromkeys(text for text in texts if text)
    seen: dict[str, Any] = {"number of lines": len(lines)}
    for number, line in enumerate(lines[:9], 1):
        dashed = "a dash and a blank" if line.startswith("- ") else "something else"
        seen[f"line {number} begins with"] = (dashed,)
        seen[f"line {number} names"] = held(line, *pieces)
    return seen


class Script:
    """A gate that finds in each draft what its case says, and notes which drafts it was asked about."""

    name, cost = "script", 0.0

    def __init__(self, known: dict[str, list[Issue]]) -> None:
        self.known = known
        self.asked: list[str] = []

    async def check(self, draft: str, handoff: Handoff, run: Run) -> list[Issue]:
        self.asked.append(draft)
        unknown = Issue(where="the whole text", problem="is no draft of this worker")
        return list(self.known.get(draft, [unknown]))


def looped(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Every handoff to the worker with what must be in it, and how the loop ended."""
    if "limit" in case:
        return _with_a_writer(answer, case)
    known = {}
    for draft, found in zip(case["drafts"], case["issues"], strict=True):
        known[draft] = [Issue(**facts) for facts in found]
    outcomes: list[Any] = list(case["drafts"])
    for number in case["fails"]:
        outcomes[number] = Result(status="failed", reason="no network")
    later = iter(outcomes)
    worker, gate = Specialist("worker", lambda _: next(later)), Script(known)
    run = quiet_run()
    task = Handoff(intent=case["intent"], artifacts={"facts": case["facts"]})
    returned = call(answer, run, worker, gate, task, case["cap"], meant=(run, worker, gate))
    given = run.trace().handoffs()
    seen: dict[str, Any] = {
        "calls of execute past the run": max(0, worker.calls - len(given)),
        "handoffs": order_of(run),
    }
    for number, handoff in enumerate(given, 1):
        seen[f"handoff {number}"] = _carried(handoff, known)
    seen["drafts that the gate was asked about"] = tuple(gate.asked)
    if not isinstance(returned, Result):
        return {**seen, "returned": returned}
    lines = returned.artifacts.get("issues")
    seen |= {"returned": ("a Result",), "output": returned.output}
    seen["issues in the artifacts"] = held(lines, *_pieces(known))
    brought = [work.result for work in run.trace().work.dispatches]
    seen["the worker's own result"] = any(returned == result for result in brought)
    return {**seen, "status": returned.status}


def _pieces(known: dict[str, list[Issue]]) -> list[str]:
    """Returns the pieces of all issues that feedback has to name."""
    pieces = []
    for issues in known.values():
        for issue in issues:
            pieces += [issue.where, issue.problem, issue.remedy]
    return pieces


def _carried(handoff: dict[str, Any], known: dict[str, list[Issue]]) -> dict[str, Any]:
    """Returns the content of a handoff to the worker, with the lines of the feedback and
    its names.
    """
    parts = handoff["artifacts"]
    feedback = parts.get("feedback")
    return {
        "intent": handoff["intent"],
        "facts": parts.get("facts"),
        "draft": parts.get("draft"),
        "the feedback names": held(feedback, *_pieces(known)),
        "lines of feedback": len((feedback or "").splitlines()),
    }


def _with_a_writer(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """A writer with the offline model behind a limit of words: who worked, and what came back."""
    plain = writer()
    unlimited = replace(plain, system=plain.system.replace("in at most 180 words, ", ""))
    run = pictured(Run(connect("offline", latency_ms=0)))
    task = Handoff(intent=case["intent"], artifacts={"facts": case["facts"]})
    gate = LengthGate(case["limit"])
    returned = call(answer, run, unlimited, gate, task, case["cap"], meant=(run,))
    seen: dict[str, Any] = {"handoffs": order_of(run)}
    for number, handoff in enumerate(run.trace().handoffs(), 1):
        seen[f"handoff {number}, its artifacts"] = sorted(handoff["artifacts"])
    return {**seen, **ending(returned)}


OBSERVE = {
    "11.1": gate,
    "11.2": ordered,
    "11.3": feedback,
    "11.4": looped,
}
