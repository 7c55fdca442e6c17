"""Observations of answers to lesson 23: the bar of a judge, its questions, judges to be trusted."""

from __future__ import annotations

from typing import Any

from classroom.observing import call, held
from kernel import Handoff, Result
from kernel.parts.evaluate.calibrate import Judged
from workshop.course.desks import Specialist
from workshop.course.seen import ending, quiet_run


def barred(choose_bar: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The bar, and what the judge is blind to."""
    quiet_run()
    marks = [
        Judged(f"draft {number}", fault, mark)
        for number, (fault, mark) in enumerate(case["marks"], 1)
    ]
    returned = call(choose_bar, marks, case["most"])
    if not isinstance(returned, (tuple, list)) or len(returned) != 2:
        return {"returned": returned}
    bar, blind = returned
    if type(bar) is float and bar.is_integer():
        bar = int(bar)
    return {"bar": bar, "blind to": [*blind] if type(blind) is tuple else blind}


def asked(ask_each: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes the questions to the judge, the artifacts with them, and the result."""

    def answer(handoff: Handoff) -> Any:
        fields = case["answers"].get(handoff.intent, {"status": "failed", "reason": "what?"})
        return Result(**fields)

    judge = Specialist("judge", answer)
    run = quiet_run()
    returned = call(ask_each, run, judge, case["sentence"], case["facts"], case["questions"])
    given = run.trace().handoffs()
    parts = [handoff["artifacts"] for handoff in given]
    beside = {name for one in parts for name in one} - {"facts", "draft"}
    contexts = [held(handoff["context"], *case["questions"]) for handoff in given]
    seen: dict[str, Any] = {
        "calls of execute past the run": max(0, judge.calls - len(given)),
        "questions that were asked": [handoff["intent"] for handoff in given],
        "the facts were handed over": [one.get("facts") == case["facts"] for one in parts],
        "the sentence was handed over": [one.get("draft") == case["sentence"] for one in parts],
        "artifacts beside these": sorted(beside),
        "questions in a context": contexts,
    }
    if not isinstance(returned, Result):
        return seen | ending(returned)
    output = returned.output
    if isinstance(output, dict):
        return {
            **seen,
            "status": returned.status,
            "answered with no": output.get("no", "not there"),
            "unanswered": output.get("unanswered", "not there"),
            "passed": output.get("passed", "not there"),
        }
    return {**seen, "status": returned.status, "output": output}


def believed(trusted: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The questions that are trusted."""
    quiet_run()
    answers = {
        question: [tuple(pair) for pair in pairs] for question, pairs in case["answers"].items()
    }
    returned = call(trusted, answers, case["least"])
    return {"trusted": [*returned] if type(returned) is tuple else returned}


OBSERVE = {"23.1": barred, "23.2": asked, "23.3": believed}
