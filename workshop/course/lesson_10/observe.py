"""What is seen of answers to lesson 10: issues of a gate, which gates were asked, lines of feedback."""

from __future__ import annotations

from typing import Any

from kernel.gates import Issue
from workshop.course.observing import call, held, quiet_run


def gate(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The issues of a gate, each with the sentence and the source that it names."""
    quiet_run()
    returned = call(answer, case["draft"], case["sources"])
    if not isinstance(returned, list) or not all(type(each) is Issue for each in returned):
        return {"issues": returned}
    seen: dict[str, Any] = {"number of issues": len(returned)}
    for number, (each, pieces) in enumerate(zip(returned, case["pieces"], strict=False), 1):
        words = [bool(each.problem.strip()), bool(each.remedy.strip())]
        seen[f"issue {number}, where"] = held(each.where, *case["sentences"])
        seen[f"issue {number}, the source that it names"] = held(each.problem, *pieces)
        seen[f"issue {number}, has a problem and a remedy"] = words
    return seen


def ordered(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Which gates were asked, in order, and the issues that came back."""
    quiet_run()
    asked: list[str] = []

    class Gate:
        def __init__(self, name: str, cost: float, issues: list[str]) -> None:
            self.name, self.cost, self.issues = name, cost, issues

        def check(self, draft: str) -> list[str]:
            asked.append(f"{self.name} on {draft}")
            return list(self.issues)

    returned = call(answer, case["draft"], [Gate(*each) for each in case["gates"]])
    return {"asked": tuple(asked), "issues": returned}


def feedback(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The lines of a text of feedback, each with what it names."""
    quiet_run()
    returned = call(answer, [Issue(**each) for each in case["issues"]])
    if not isinstance(returned, str):
        return {"returned": returned}
    lines = returned.splitlines()
    pieces = [text for each in case["issues"] for text in each.values() if text]
    seen: dict[str, Any] = {"number of lines": len(lines)}
    for number, line in enumerate(lines[:9], 1):
        seen[f"line {number} begins with"] = line[:2]
        seen[f"line {number} names"] = held(line, *dict.fromkeys(pieces))
    return seen


OBSERVE = {"10.1": gate, "10.2": ordered, "10.3": feedback}
