"""What is seen of answers to lesson 11: issues of a gate, which gates were asked, lines of feedback."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from classroom.observing import call, held
from kernel.gates import Issue
from workshop.course.seen import quiet_run

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
    """Which gates were asked, in order, and the issues that came back."""
    quiet_run()
    log: list[str] = []
    gates = [Asked(*facts, log) for facts in case["gates"]]
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


OBSERVE = {
    "11.1": gate,
    "11.2": ordered,
    "11.3": feedback,
}
