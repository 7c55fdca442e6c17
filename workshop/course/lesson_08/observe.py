"""What is seen of answers to lesson 08: an executable at work, a name that was found, faults of a selection."""

from __future__ import annotations

from typing import Any

from kernel import Handoff, Registry, Result, ToolError
from workshop.course.canonical import Raised
from workshop.course.desks import Specialist
from workshop.course.observing import call, held, quiet_run, wait


def wrapped(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """What the executable is called, what its function got, and how its dispatch ended."""
    received = []

    def function(intent: str, artifacts: dict[str, str]) -> str:
        received.append([intent, dict(artifacts)])
        if case["problem"]:
            raise ToolError(case["problem"])
        if case["bug"]:
            raise KeyError(case["bug"])
        return f"{case['output']} of {intent}\n"

    run = quiet_run()
    made = call(answer, function, case["name"], case["description"])
    if isinstance(made, Raised) or not hasattr(made, "execute"):
        return {"an executable": made}
    seen: dict[str, Any] = {"name": made.name, "description": made.description}
    handoff = Handoff(intent=case["intent"], artifacts=case["artifacts"])
    try:
        result = wait(run.dispatch(made, handoff))
    except ToolError as problem:
        return {
            **seen,
            "the function got": received,
            "ToolError came out": held(str(problem), case["problem"]),
        }
    except KeyError:
        return {**seen, "the function got": received, "a bug": ("is raised",)}
    again = wait(run.dispatch(made, Handoff(intent=case["second"])))
    seen["the function got"] = received
    if not isinstance(result, Result):
        return {**seen, "result": result}
    return {
        **seen,
        "status": result.status,
        "output": result.output,
        "reason": result.reason,
        "output of a second handoff": getattr(again, "output", again),
    }


def found(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The name, or what the sentence says that is returned in its place."""
    quiet_run()
    registry = Registry()
    for name, description, kind in case["workers"]:
        worker = Specialist(name, lambda _: "done")
        worker.description = description
        registry.register(worker, kind)
    returned = call(answer, registry, case["capability"])
    names = [name for name, _, _ in case["workers"]]
    if returned in names or not isinstance(returned, str):
        return {"returned": returned}
    pieces = held(returned, "nobody can", case["capability"], *names)
    return {"a sentence with": pieces}


def faults(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """What an answer finds wrong with a model's selection."""
    quiet_run()
    returned = call(answer, case["answer"], case["names"])
    count = len(returned) if isinstance(returned, list) else "not a list"
    shown = sorted(returned, key=repr) if isinstance(returned, list) else returned
    return {"number of faults": count, "faults": shown}


OBSERVE = {"08.1": wrapped, "08.2": found, "08.3": faults}
